// The machine of `trainplan shard`: a scenario's, or one that flags name.
#pragma once

#include <optional>
#include <string>

#include "cli/commands/common.h"
#include "operator_models/calibrate/sample.h"
#include "planner/tables/dlrm.h"

namespace cli {

struct TableSiteFlags {
  std::string scenario, on, precision;  // "": not given
  std::optional<int64_t> ranks, batch;
  double memory = 0.8;      // share of a GPU's memory that tables may take
  double rest_seconds = 0;  // of a step, of hosts and layers that no scenario says
};

/// What was asked for, and what its site points to.
struct TableSite {
  std::string name;  // of the accelerator
  std::optional<operator_models::Machine> machine;
  std::optional<planner::LoadedScenario> scenario;
  planner::tables::DlrmSite of;
};

/// "" or what is wrong with the flags together.
std::string wrong_site_flags(const TableSiteFlags& flags, const ScenarioFlags& scenario);

/// Fills `out`, which stays where it is. Diagnosed: an unknown machine, one without a network; a scenario that is none
/// of a recommender. REQUIRES: the flags are right together.
void find_table_site(const TableSiteFlags& flags, const CommonFlags& common, const ScenarioFlags& scenario,
                     Streams& streams, Session& session, TableSite& out);

}  // namespace cli
