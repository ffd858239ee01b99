// The page of a roadmap:
//
//     gpt3-175b on a100-sxm-80gb: 6 steps, 1 model
//
//     step  serialized  overlapped/compute  exposed  memory  step  MFU  $/1e12 tokens  GPUs  layout
//     a100  ...
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/pages/figure_columns.h"
#include "cli/pages/search_report.h"
#include "cli/pages/study_pages.h"
#include "planner/studies/roadmap/roadmap.h"

namespace cli {
namespace {

using planner::RoadmapCell;

Data count_data(const std::optional<int64_t>& n) { return n ? Data(*n) : Data(); }
Data text_data(const std::string& text) { return text.empty() ? Data() : Data(text); }

template <class Pairs> Data values_data(const Pairs& pairs) {
  Data::Object object;
  for (const auto& pair : pairs) {
    const auto same = std::find_if(object.begin(), object.end(), [&](const Member& m) { return m.name == pair.first; });
    if (same == object.end()) object.push_back({pair.first, value_data(pair.second)});
    else same->value = value_data(pair.second);  // what comes later counts
  }
  return object;
}

Data sets_data(const RoadmapCell& c) {
  std::vector<std::pair<std::string, dsl::Value>> pairs;
  for (const planner::RoadmapSet& set : c.sets) pairs.emplace_back(set.path, set.value);
  return values_data(pairs);
}

template <double planner::CommFractions::*member> Data share(const RoadmapCell& c) {
  return c.fractions ? Data((*c.fractions).*member) : Data();
}

Data over_hiding(const RoadmapCell& c) {
  return c.fractions ? Data(c.fractions->overlapped_over_hiding_compute) : Data();
}

Data layout(const RoadmapCell& c) { return c.parallelism ? parallelism_data(*c.parallelism) : Data(); }

Data layout_text(const RoadmapCell& c) {
  if (!c.parallelism) return text_data(c.reason);
  const std::string out = short_layout(*c.parallelism);
  return c.reason.empty() ? text_data(out) : out + "; " + c.reason.substr(0, c.reason.find(':'));
}

using CellColumn = RowColumn<RoadmapCell>;
constexpr std::array kColumns{
    CellColumn{"step", Unit::text, [](const RoadmapCell& c) { return Data(c.step); }, "step"},
    CellColumn{"model", Unit::text, [](const RoadmapCell& c) { return text_data(c.model); }, "model"},
    CellColumn{"set", Unit::text, sets_data},
    CellColumn{"serialized_fraction", Unit::fraction, share<&planner::CommFractions::serialized_fraction>, "serialized",
               1},
    CellColumn{"overlapped_over_hiding_compute", Unit::fraction, over_hiding, "overlapped/compute", 5},
    CellColumn{"overlapped_share_of_step", Unit::fraction, share<&planner::CommFractions::overlapped_share_of_step>,
               "overlapped", 7},
    CellColumn{"exposed_fraction", Unit::fraction, share<&planner::CommFractions::exposed_fraction>, "exposed", 2},
    CellColumn{"memory_demand_over_capacity", Unit::fraction,
               [](const RoadmapCell& c) { return Data(c.memory_demand_over_capacity); }, "memory", 4},
    CellColumn{"step_seconds", Unit::seconds, nullptr, "time"},
    CellColumn{"mfu", Unit::fraction, nullptr, "MFU", 1},
    CellColumn{"usd_per_1e12_tokens", Unit::usd, nullptr, "USD/1e12 tokens", 6},
    CellColumn{"gpus", Unit::count, [](const RoadmapCell& c) { return count_data(c.gpus); }, "GPUs", 3},
    CellColumn{"parallelism", Unit::text, layout},
    CellColumn{"planned_gpus", Unit::count, [](const RoadmapCell& c) { return count_data(c.planned_gpus); }},
    CellColumn{"choices", Unit::text, [](const RoadmapCell& c) { return values_data(c.choices); }},
    CellColumn{"low_seconds", Unit::seconds},
    CellColumn{"high_seconds", Unit::seconds},
    CellColumn{"assumed_share", Unit::fraction},
    CellColumn{"tokens_per_second", Unit::tokens_per_second},
    CellColumn{"days", Unit::days},
    CellColumn{"feasible", Unit::text, [](const RoadmapCell& c) { return Data(c.feasible); }},
    CellColumn{"reason", Unit::text, [](const RoadmapCell& c) { return text_data(c.reason); }},
};

const std::vector<CellColumn>& columns() {
  static const std::vector<CellColumn> all = with_other_figures(kColumns);
  return all;
}

Table rows_table(const std::vector<RoadmapCell>& cells) {
  Table table;
  for (const CellColumn& c : columns()) table.columns.push_back({.name = c.name, .unit = c.unit});
  for (const RoadmapCell& cell : cells) table.rows.push_back(row_cells(columns(), cell, cell.results));
  return table;
}

bool same_model(const std::vector<RoadmapCell>& cells) {
  return std::all_of(cells.begin(), cells.end(), [&](const RoadmapCell& c) { return c.model == cells.front().model; });
}

/// The columns that the page shows; one model needs none.
Table page_table(const std::vector<RoadmapCell>& cells) {
  Table table;
  std::vector<CellColumn> shown;
  for (const CellColumn& c : kColumns)
    if (*c.heading && !(std::string_view(c.name) == "model" && same_model(cells))) shown.push_back(c);
  for (const CellColumn& c : shown)
    table.columns.push_back({.name = c.name, .unit = c.unit, .rank = c.rank, .heading = c.heading});
  table.columns.push_back({.name = "layout", .rank = 2});
  for (const RoadmapCell& cell : cells) {
    std::vector<Data> row = row_cells(shown, cell, cell.results);
    row.push_back(layout_text(cell));
    table.rows.push_back(std::move(row));
  }
  return table;
}

std::string roadmap_headline(const std::string& title, const std::vector<RoadmapCell>& cells) {
  const auto feasible = std::count_if(cells.begin(), cells.end(), [](const RoadmapCell& c) { return c.feasible; });
  int64_t costed = 0;
  for (const RoadmapCell& c : cells) costed += c.evaluated;
  return fmt::format("{}: {} cells, {} configurations costed, {} feasible", title, cells.size(),
                     figure(Data(costed), Unit::count), feasible);
}

/// Which GPUs the page counts.
std::string gpus_line(const std::vector<RoadmapCell>& cells) {
  const auto other = [](const RoadmapCell& c) { return c.planned_gpus && c.gpus != c.planned_gpus; };
  const auto any = std::find_if(cells.begin(), cells.end(), other);
  if (any == cells.end()) return "";
  return fmt::format("GPUs: the fewest that meet the deadline of the goal; all other figures are of {} GPUs",
                     *any->planned_gpus);
}

}  // namespace

Report roadmap_report(const std::string& title, const std::vector<RoadmapCell>& cells) {
  Report report{.format = "trainplan.roadmap/1",
                .document = {{"cells", Data::List{}}},
                .key = "cells",
                .table = rows_table(cells),
                .text = {roadmap_headline(title, cells), page_table(cells)}};
  if (const std::string line = gpus_line(cells); !line.empty()) report.text.emplace_back(line);
  return report;
}

}  // namespace cli
