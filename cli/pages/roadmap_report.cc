// The page of a roadmap:
//
//     gpt3-175b: v100 56.69 d, 2.494 MUSD; gb300 42.17 d, 115.9 kUSD
//
//     6 cells, 1476 configurations costed, 6 feasible
//
//     step  serialized  overlapped/compute  exposed  memory  step  MFU  run  cost  $/1e12 tokens  GPUs  layout
//     a100  ...
#include <fmt/format.h>

#include <algorithm>

#include "cli/pages/candidate_rows.h"
#include "cli/pages/run_figures.h"
#include "cli/pages/search_report.h"
#include "cli/pages/study_pages.h"
#include "planner/studies/roadmap/roadmap.h"

namespace cli {
namespace {

using planner::RoadmapCell;

Data sets_data(const RoadmapCell& c) {
  std::vector<std::pair<std::string, dsl::Value>> pairs;
  for (const planner::RoadmapSet& set : c.sets) pairs.emplace_back(set.path, set.value);
  return choices_data(pairs);
}

Data layout_text(const RoadmapCell& c) {
  if (!c.parallelism) return text_or_null(c.reason);
  const std::string out = short_layout(*c.parallelism);
  return c.reason.empty() ? text_or_null(out) : out + "; " + c.reason.substr(0, c.reason.find(':'));
}

RowFields<RoadmapCell> cell_fields() {
  const auto figure = [](const char* name, std::optional<std::string> heading = std::nullopt, int rank = 0) {
    return figure_field<RoadmapCell>(name, &RoadmapCell::results, std::move(heading), rank);
  };
  using Fractions = planner::CommFractions;
  const auto share = [](auto of) { return if_any(&RoadmapCell::fractions, of); };
  return {{"step", &RoadmapCell::step, Unit::text, ""},
          {"model", or_null(&RoadmapCell::model), Unit::text, ""},
          {"set", sets_data},
          {"serialized_fraction", share(&Fractions::serialized_fraction), Unit::fraction, "serialized", 3},
          {"overlapped_over_hiding_compute", share(&Fractions::overlapped_over_hiding_compute), Unit::fraction,
           "overlapped/compute", 6},
          {"overlapped_share_of_step", share(&Fractions::overlapped_share_of_step), Unit::fraction, "overlapped", 8},
          {"exposed_fraction", share(&Fractions::exposed_fraction), Unit::fraction, "exposed", 4},
          {"memory_demand_over_capacity", &RoadmapCell::memory_demand_over_capacity, Unit::fraction, "memory", 5},
          figure("step_seconds", "time"),
          figure("mfu", "MFU", 2),
          figure("days", "run", 1),
          figure("usd", "cost", 1),
          figure("usd_per_1e12_tokens", "USD/1e12 tokens", 7),
          {"gpus", &RoadmapCell::gpus, Unit::count, "fewest GPUs", 2},
          {"planned_gpus", &RoadmapCell::planned_gpus, Unit::count, "GPUs", 1},
          RowField<RoadmapCell>{"parallelism", if_any(&RoadmapCell::parallelism, parallelism_data), Unit::text, "", 1,
                                "layout"}
              .shown_as(layout_text),
          {"choices", [](const RoadmapCell& c) { return choices_data(c.choices); }},
          figure("low_seconds"),
          figure("high_seconds"),
          figure("assumed_share"),
          figure("tokens_per_second"),
          {"feasible", &RoadmapCell::feasible},
          {"reason", or_null(&RoadmapCell::reason)}};
}

bool same_model(const std::vector<RoadmapCell>& cells) {
  return std::all_of(cells.begin(), cells.end(), [&](const RoadmapCell& c) { return c.model == cells.front().model; });
}

/// Whether fewer GPUs than planned meet the deadline somewhere.
bool differs(const std::vector<RoadmapCell>& cells) {
  return std::ranges::any_of(cells, [](auto& c) { return c.planned_gpus && c.gpus != c.planned_gpus; });
}

/// The columns that the page shows; one model needs none.
Table page_table(const std::vector<RoadmapCell>& cells) {
  RowFields<RoadmapCell> fields = cell_fields();
  fields.at("model").is_shown = !same_model(cells);
  fields.at("gpus").is_shown = differs(cells);
  return fields.page("", cells);
}

/// Where the roadmap begins and where it ends: the first and the last cell with a plan.
std::string roadmap_headline(const std::string& title, const std::vector<RoadmapCell>& cells) {
  std::vector<const RoadmapCell*> planned;
  for (const RoadmapCell& c : cells)
    if (c.results) planned.push_back(&c);
  if (planned.empty()) return title + ": no step has a plan that works";
  const bool one_model = same_model(cells);
  const auto text = [&](const RoadmapCell& c) {
    return fmt::format("{}{} {}", one_model ? "" : c.model + " on ", c.step, run_text(*c.results));
  };
  const std::string first = fmt::format("{}: {}", title, text(*planned.front()));
  return planned.size() == 1 ? first : first + "; " + text(*planned.back());
}

std::string counts_line(const std::vector<RoadmapCell>& cells) {
  const auto feasible = std::count_if(cells.begin(), cells.end(), [](const RoadmapCell& c) { return c.feasible; });
  int64_t costed = 0;
  for (const RoadmapCell& c : cells) costed += c.evaluated;
  return fmt::format("{} cells, {} configurations costed, {} feasible", cells.size(), figure(costed, Unit::count),
                     feasible);
}

}  // namespace

Report roadmap_report(const std::string& title, const std::vector<RoadmapCell>& cells) {
  Report report = rows_report("trainplan.roadmap/1", "cells",
                              with_other_figures(cell_fields(), &RoadmapCell::results).table(cells));
  report.text = {roadmap_headline(title, cells), counts_line(cells), page_table(cells)};
  if (differs(cells))
    report.text.emplace_back(
        "fewest GPUs: that meet the deadline of the goal; all other figures are of the row's GPUs");
  return report;
}

}  // namespace cli
