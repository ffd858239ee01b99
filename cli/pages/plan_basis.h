// The basis of a plan, for people: figures that nobody wrote, measured or published, models fitted to measurements, and
// the sequence lengths that represent a run.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/report/report.h"
#include "planner/plan/plan.h"
#include "planner/resolve/read.h"

namespace cli {

/// Unwritten fields of the job, the machine and the layout, and what is unknown without them, in one line.
std::string assumptions(const planner::LoadedScenario& loaded);

/// Shares of the operators' time (0 to 1) by the name of a provenance.
using ProvenanceShares = std::map<std::string, double, std::less<>>;
ProvenanceShares provenance_shares(const planner::Plan& plan);
/// "interpolated 90.3 %, datasheet 7.3 %, assumed 2.4 %", in the order of kProvenanceNames; "" without any.
std::string to_text(const ProvenanceShares& shares);

inline constexpr double kMostAssumed = 0.5;  // of the operators' time: a larger share is not based on measurements

/// Warns where more than a fifth of the operators' time rests on assumed or extrapolated figures, and names the kinds
/// with the largest shares.
void warn_of_assumed(const planner::Plan& plan, const planner::Scenario& scenario, dsl::Diagnostics& diagnostics);

/// Warns where the profile prefers an attention kernel that the accelerator lacks, so that its default is taken.
void warn_of_kernel(const planner::LoadedScenario& loaded, dsl::Diagnostics& diagnostics);

/// Warns where the accelerator has no units for the job's precision: its products take as long as wider ones.
void warn_of_rate(const planner::Scenario& scenario, dsl::Diagnostics& diagnostics);

/// Warns if compared machines rely on figures of different quality. `assumed`: for each, the share of the operators'
/// time that is neither measured nor published.
void warn_of_unlike(const std::vector<std::pair<std::string, double>>& assumed, dsl::Diagnostics& diagnostics);

/// Models fitted to measurements, where they are used, and how far from their points. The member `fitted` of a plan:
/// keys in docs/output.md.
Data fitted_data(const planner::Plan& plan);
/// Shows the formulas to people, and where they are used.
Table fitted_table(const planner::Plan& plan);

/// Warns of models used more than `scaling::kReach` times beyond their points: nothing supports the formula there.
void warn_of_reach(const planner::Plan& plan, dsl::Diagnostics& diagnostics);

/// Of a run whose steps differ in sequence length: "5 SeqPoints for 231 lengths in 436 steps
/// (off by 0.05 %), 0.1 % of the tokens padding".
std::string lengths_line(const planner::Lengths& lengths);

/// Adds "sequence" to a report's document; nothing if all steps are alike.
void add_lengths(const planner::Lengths& lengths, Data::Object& document);

}  // namespace cli
