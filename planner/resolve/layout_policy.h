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
// A software profile says the same below `layout`, in place of the policy's row, where it can do more or less; below
// `layout.of_a_run` what else its flags can change where a run is known (software.overlap.gradients: '[true, false]').
#pragma once

#include <string>
#include <vector>

#include "planner/resolve/scenario_text.h"
#include "planner/scenario/scenario.h"

namespace planner {

/// The policy of scenarios that name none.
inline constexpr const char* kLayoutPolicy = "layout-policy";

/// A field that is opened, as `--set` takes it.
struct OpenedField {
  std::string path, values;
  std::string why;  // of the row; may be empty
};

/// What a search opens: only what is said (`parallelism: auto`), what is not written too, or what is written as well,
/// where a run is known and the question is what would be better.
enum class Opens { said, unwritten, written };

/// Takes `parallelism.auto` and `software.layout` out of the tree.
LayoutWords take_layout(dsl::Node& tree);

/// Diagnoses a layout that is left to a search, for whoever plans one.
void refuse_automatic(const LayoutWords& words, dsl::Diagnostics& diagnostics);

/// Returns what a search opens: the rows of the policy whose fields the scenario does not write, software's in place of
/// the policy's. Nothing where it says `auto: false`; where it says nothing of it, nothing either if it has choices
/// under `parallelism` already, or if only what is said is opened. With Opens::written what the text writes is opened
/// too, whatever it says of `auto`, and software's rows of a run; what an override writes stays. A policy that does not
/// exist, and rows that are no fields with values, are diagnosed. REQUIRES: `open` was read from `text`.
std::vector<OpenedField> fields_to_open(const OpenScenario& open, const ScenarioText& text, Opens opens,
                                        dsl::Diagnostics& diagnostics);

/// Returns the fields as `--set` takes them; first among them that the layout is said now. They go before the sets of
/// the user, and behind those `kLayoutSaid` again, since they may have asked for the policy.
std::vector<std::string> sets_of(const std::vector<OpenedField>& fields);
inline constexpr const char* kLayoutSaid = "parallelism.auto=false";

}  // namespace planner
