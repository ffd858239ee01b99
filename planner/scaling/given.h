// Models given by the user instead of measurements to fit: a paper's formulas, or the output of `scale --format json`.
//
//     parameters: [ranks]
//     points: [2, 4, 6, 10, 12]  # where it was measured, unless a model says so; the first is the base of speed-ups
//     models:
//       - {callpath: epoch, metric: time, model: 158.58 + 0.585 * ranks^(2/3) * log2(ranks)^2}
//       - {callpath: epoch, metric: cost, constant: 0, terms: [{coefficient: 0.082, factors: {ranks:
//       {exponent: 1.62}}}]}
#pragma once

#include <optional>
#include <span>
#include <string>

#include "dsl/catalog.h"
#include "dsl/expression.h"
#include "planner/scaling/models.h"

namespace planner::scaling {

/// Returns whether a text is such a file: YAML (or JSON) with the key `models` at its top.
bool holds_models(const dsl::Source& source);

/// Reads the models of a file; nullopt: a mistake, diagnosed at its place.
std::optional<Models> read_models(const dsl::Source& source, dsl::Diagnostics& diagnostics);

/// Returns 2/3 for 0.666666666666; nullopt: no denominator up to 1000 gives the number.
std::optional<Fraction> exponent_of(double x);

/// Returns the model that an expression is: a sum of products of numbers, powers of parameters and powers of their
/// log2. nullopt: it is something else (diagnosed).
std::optional<Pmnf> pmnf_of(const dsl::Expr& tree, std::span<const std::string> parameters,
                            dsl::Diagnostics& diagnostics);

}  // namespace planner::scaling
