// Layouts that a search opens automatically: fields that a scenario does not write get the values of a policy, a file
// of the catalogue.
//
//     parallelism: auto                       # or omitted, where `search` reads the scenario
//     parallelism: {auto: true, tp: 8}        # written fields stay
//     parallelism: {auto: mine.yaml}          # another policy
//
//     open:                                   # of a policy: a field, an expression of its values, why these
//       parallelism.recompute: '[none, selective, full]'   # the time and memory of activations
//
// A software profile has the same rows below `layout`; they replace the policy's rows where the software can do more or
// less. `layout.of_a_run` lists what else its flags can change for a known run (software.overlap.gradients: '[true,
// false]').
//
// Where nothing fits, `plan` and `search` try the same rows one by one, and those of `changes`:
//
//     changes:                                # of a policy: a row is one setting, of one field or several
//       - when: job.task == "sft"             # of the scenario as it is; omitted: always
//         of: job                             # layout (omitted), job or cluster: what the change is of
//         set: {job.task: lora, job.lora.rank: 16}
//
// A profile adds rows by `layout.changes`; `layout.can` has the values of their fields that the software can do.
#pragma once

#include <array>
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

/// What a change is of, the mildest first: a layout trains the same on the same machine, another job does not.
enum class ChangeKind { layout, job, cluster };
inline constexpr std::array kChangeKinds{"layout", "job", "cluster"};

/// One setting: the fields that it sets, each with an expression of one value or several.
struct ChangeRow {
  ChangeKind kind = ChangeKind::layout;
  std::string when;  // the scenario's condition; empty: always
  std::vector<OpenedField> fields;
};

struct ChangeRows {
  std::vector<ChangeRow> rows;   // by kind: what a search opens, then the changes
  std::vector<OpenedField> can;  // fields of changes with the values that the software can do
};

/// What a search opens: said: only on request (`parallelism: auto`); unwritten: also fields not written; written:
/// written fields as well, to improve a known run.
enum class Opens { said, unwritten, written };

/// Takes `parallelism.auto` and `software.layout` out of the tree.
LayoutWords take_layout(dsl::Node& tree);

/// Diagnoses a layout that is left to a search, for commands that plan a single layout.
void refuse_automatic(const LayoutWords& words, dsl::Diagnostics& diagnostics);

/// Returns the fields to open: rows of the policy whose fields the scenario does not write, software's in place of the
/// policy's.
/// Empty with `auto: false`. Without `auto` it is also empty if the scenario has choices under `parallelism` already,
/// or with Opens::said.
/// With Opens::written, fields that the text writes are opened too, whatever its `auto`, and so are software's rows of
/// a run; overrides stay. A missing policy, and rows that are not fields with values, are diagnosed. REQUIRES: `open`
/// was read from `text`.
std::vector<OpenedField> fields_to_open(const OpenScenario& open, const ScenarioText& text, Opens opens,
                                        dsl::Diagnostics& diagnostics);

/// Returns the changes of one setting that the policy and the software have for a scenario, whatever it writes. A
/// policy without `changes` has those of `kLayoutPolicy`.
ChangeRows change_rows(const LayoutWords& words, const ScenarioText& text, dsl::Diagnostics& diagnostics);

/// Returns the fields as `--set` takes them, preceded by a mark that the layout is now given. They go before the sets
/// of the user; `kLayoutSaid` follows those again, since they may have requested the policy.
std::vector<std::string> sets_of(const std::vector<OpenedField>& fields);
inline constexpr const char* kLayoutSaid = "parallelism.auto=false";

}  // namespace planner
