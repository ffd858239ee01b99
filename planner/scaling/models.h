// From measurements to models: every series of an experiment is fitted, and each model has its quality.
//
// How a model grows: its Big O class and the order among these, and the term that makes it.
#pragma once

#include <compare>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dsl/enum_words.h"
#include "planner/scaling/experiment.h"
#include "planner/scaling/extrapolation.h"
#include "planner/scaling/interval.h"
#include "planner/scaling/quality.h"
#include "planner/scaling/terms.h"

namespace planner::scaling {

/// A class of growth is x^polynomial * log2(x)^logarithm; {0, 0} is a constant, and less than it are values that fall
/// towards 0.
struct Growth {
  Fraction polynomial, logarithm;
  double coefficient = 0;      // of the leading term; negative: the values fall without end
  std::optional<size_t> term;  // the leading one; nullopt: the constant

  /// Compares the classes alone, not the coefficients.
  std::weak_ordering operator<=>(const Growth& b) const;
  bool operator==(const Growth& b) const { return (*this <=> b) == 0; }
};

/// Returns how a model grows as one parameter grows and the others stay fixed, or as all grow together (no
/// `parameter`). Of terms of the same class the one with the larger coefficient leads.
Growth growth(const Pmnf& model, std::optional<size_t> parameter = std::nullopt);

/// Returns the leading term with all its factors, such as "O(p^(5/4) * log2(p))"; "O(1)" where the model does not grow.
std::string big_o(const Pmnf& model, const Growth& growth, std::span<const std::string> parameters);

/// How series of one parameter are modelled (fit_single.h). For several parameters there is one way (fit_multi.h).
enum class Modeler { basic, refining, segmented };
inline constexpr auto& kModelerNames = dsl::kEnumWords<Modeler>;

inline constexpr size_t kFewestPoints = 3;  // of a series that is modelled at all
inline constexpr double kReach = 16;        // times the largest point: as far as a model is looked at

struct ModelOptions {
  Modeler modeler = Modeler::basic;
  std::optional<Measure> measure;        // none: the experiment's
  std::optional<bool> negative;          // allow exponents below zero; nullopt: only if times fall with a parameter
  std::optional<double> evaluate_from;   // points whose first parameter is at or above it are predicted, not fitted
  std::optional<double> extrapolate_to;  // largest relevant value of the first parameter; nullopt: `kReach`
};

/// A model and its accompanying figures.
struct Model {
  std::string callpath, metric;
  KernelCategory category = KernelCategory::none;
  Phase phase = Phase::training;
  std::vector<Pmnf> parts;                  // one; two of a segmented model
  std::vector<double> change_points;        // of two parts
  std::optional<Quality> quality;           // none: the model is given, not fitted
  std::optional<double> smape;              // share, of a given model, where its file has it
  bool negative = false;                    // exponents below zero were tried
  std::vector<std::vector<double>> points;  // fitted, coordinates of each; of a given model those that are named
  std::vector<double> values;               // at these points; of a given model none
  std::vector<std::vector<double>> held;    // points that were left out, to be predicted
  std::vector<double> held_values;
  double variation = 0;  // of repetitions: the largest (max - min) / mean of a point
  std::vector<std::string> warnings;

  const Pmnf& last() const { return parts.back(); }  // the part that reaches beyond the points
  double at(std::span<const double> x) const;
};

struct Models {
  std::vector<std::string> parameters;
  std::vector<Model> models;
  std::vector<Rare> rare;
  std::vector<std::string> refused;  // call paths with too few points, and why
};

/// Returns whether a metric is a time, by its name: "time", "walltime_s", "seconds per step".
bool is_time(std::string_view metric);
/// Returns whether a metric is a time by its name, or has a name that does not show its kind.
bool may_be_time(std::string_view metric);

/// Fits a model to every series of the experiment, in order. A series of fewer than `kFewestPoints` has no model
/// (`refused`); one of fewer than `kLeastPoints` has a warning. If a time falls with a parameter (strong scaling),
/// negative exponents are tried, and a warning describes the model without them.
Models fit_models(const Experiment& experiment, const ModelOptions& options = {});

}  // namespace planner::scaling
