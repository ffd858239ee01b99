// Layouts that a search opens by itself: the fields that a scenario does not write get the values of a policy, a file
// of the catalogue.
//
//     parallelism: auto                       # or nothing, where `search` reads the scenario
//     parallelism: {auto: true, tp: 8}        # what is written stays
//     parallelism: {auto: mine.yaml}          # another policy
//
//     open:                                   # of a policy: a field, an expression of its values, why these
//       parallelism.recompute: '[none, selective, full]'   # the time and memory of activations
//
// A software profile says the same below `layout`, in place of the policy's row, where it can do more or less.
#pragma once

#include <string>
#include <vector>

#include "planner/resolve/read.h"

namespace planner {

/// The policy of scenarios that name none.
inline constexpr const char* kLayoutPolicy = "layout-policy";

/// A field that is opened, as `--set` takes it.
struct OpenedField {
  std::string path, values;
  std::string why;  // of the row; may be empty
};

/// Takes `parallelism.auto` and `software.layout` out of the tree.
LayoutWords take_layout(dsl::Node& tree);

/// Diagnoses a layout that is left to a search, for whoever plans one.
void refuse_automatic(const LayoutWords& words, dsl::Diagnostics& diagnostics);

/// Returns what a search opens: the rows of the policy whose fields the scenario does not write, software's in place of
/// the policy's. Nothing where it says `auto: false`; where it says nothing of it, nothing either if it has choices
/// under `parallelism` already, or if `unasked` is false. A policy that does not exist, and rows that are no fields
/// with values, are diagnosed. REQUIRES: `open` was read from `text`.
std::vector<OpenedField> fields_to_open(const OpenScenario& open, const ScenarioText& text, bool unasked,
                                        dsl::Diagnostics& diagnostics);

/// Returns the fields as `--set` takes them; first among them that the layout is said now.
std::vector<std::string> sets_of(const std::vector<OpenedField>& fields);

}  // namespace planner
