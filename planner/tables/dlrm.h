// A recommender's scenario as the site of tables: its cluster, batch and precisions, and the step of its other layers.
#pragma once

#include <optional>

#include "planner/scenario/scenario.h"
#include "planner/tables/site.h"
#include "planner/tables/table_file.h"

namespace planner::tables {

struct DlrmSite {
  Site site;
  double dense_peak_bytes = 0;  // memory of the fullest GPU without tables
};

/// The site of a scenario, whose own tables are left out; tables may take `share` of a GPU's memory, and no more than
/// the other layers leave. Diagnosed: a model without lookups, several microbatches in a step, a layout that does not
/// work. REQUIRES: the scenario outlives the site.
std::optional<DlrmSite> dlrm_site(const Scenario& scenario, double share, dsl::Diagnostics& diagnostics);

/// Warned of: tables that bring another width to the interaction than those of the scenario, whose layers are planned.
void check_width(const Scenario& scenario, const std::vector<Table>& tables, dsl::Diagnostics& diagnostics);

}  // namespace planner::tables
