#include "cli/pages/replay_against.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace cli {
namespace {

namespace replay = planner::replay;
using planner::replay::Against;

Data shape_of(const replay::Paired& pair) {
  Data::Object shape;
  for (size_t i = 0; i < pair.sizes.size(); ++i) shape.push_back({pair.kind->sizes[i], whole(pair.sizes[i])});
  return shape.empty() ? Data() : Data(std::move(shape));
}

/// Planned over measured; null where a side has no time.
Data ratio_of(const std::optional<double>& measured, const std::optional<double>& planned) {
  return measured && planned && *measured > 0 && *planned > 0 ? Data(*planned / *measured) : Data();
}

/// Counts, seconds and the ratio of both sides.
void add_columns(Table& table) {
  table.columns.push_back({.name = "measured_count", .unit = Unit::number, .rank = 2, .heading = "count"});
  table.columns.push_back({.name = "measured_seconds", .unit = Unit::seconds, .heading = "measured"});
  table.columns.push_back({.name = "planned_count", .unit = Unit::number, .rank = 2, .heading = "planned count"});
  table.columns.push_back({.name = "planned_seconds", .unit = Unit::seconds, .heading = "planned"});
  table.columns.push_back({.name = "ratio", .unit = Unit::number});
}
void add_cells(const std::optional<replay::Spent>& measured, const std::optional<replay::Spent>& planned,
               std::vector<Data>& row) {
  std::optional<double> took, takes;
  if (measured) took = measured->seconds;
  if (planned) takes = planned->seconds;
  for (Data cell : {measured ? whole(measured->count) : Data(), Data(took), planned ? whole(planned->count) : Data(),
                    Data(takes), ratio_of(took, takes)})
    row.push_back(std::move(cell));
}

/// null where nothing was spent.
std::optional<replay::Spent> some(const replay::Spent& spent) {
  return spent.count > 0 ? std::optional(spent) : std::nullopt;
}

std::vector<Data> sum_row(const char* name, const replay::WorkSum& sum) {
  std::vector<Data> row{name};
  add_cells(some(sum.measured), some(sum.planned), row);
  return row;
}

std::vector<Data> time_row(const char* name, double measured, const std::optional<double>& planned) {
  return {name, Data(), measured, Data(), Data(planned), ratio_of(measured, planned)};
}

std::string counted_rows(size_t n) { return fmt::format("{} row{}", n, n == 1 ? "" : "s"); }

/// What one side has alone.
std::string lacking_line(const Against& against) {
  size_t measured = 0, planned = 0;
  double took = 0, takes = 0;
  for (const replay::Paired& pair : against.pairs) {
    if (!pair.planned) ++measured, took += pair.measured->seconds;
    if (!pair.measured) ++planned, takes += pair.planned->seconds;
  }
  return fmt::format("The plan lacks {} ({}) of what was measured; {} ({}) of the plan were not measured.",
                     counted_rows(measured), figure(took, Unit::seconds), counted_rows(planned),
                     figure(takes, Unit::seconds));
}

}  // namespace

Table pair_rows(const std::optional<Against>& against) {
  Table table{.title = "Operators against the plan",
              .columns = {{.name = "work", .rank = 4},
                          {.name = "kind"},
                          {.name = "shape"},
                          {.name = "names", .rank = 3, .heading = "planner's"}}};
  add_columns(table);
  if (!against) return table;
  for (const replay::Paired& pair : against->pairs) {
    std::vector<Data> row{name_of(pair.kind->work), std::string(pair.kind->name), shape_of(pair),
                          pair.planned ? Data(fmt::format("{}", fmt::join(pair.names, ", "))) : Data()};
    add_cells(pair.measured, pair.planned, row);
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table work_rows(const std::optional<Against>& against) {
  Table table{.title = "Against the plan", .columns = {{.name = "work"}}};
  add_columns(table);
  if (!against) return table;
  for (const replay::WorkSum& sum : against->works) table.rows.push_back(sum_row(name_of(sum.work), sum));
  table.rows.push_back(sum_row("operators", against->all));
  table.rows.push_back(time_row("busy", against->busy_seconds, std::nullopt));
  table.rows.push_back(time_row("step", against->measured_step_seconds, against->planned_step_seconds));
  return table;
}

std::vector<Block> against_blocks(const std::optional<Against>& against) {
  constexpr size_t kMost = 20;
  if (!against) return {};
  Table pairs = pair_rows(against);
  const size_t all = pairs.rows.size();
  pairs.rows.resize(std::min(all, kMost));
  std::vector<Block> blocks{work_rows(against), std::move(pairs)};
  blocks.emplace_back(lacking_line(*against));
  if (all > kMost) blocks.emplace_back(fmt::format("The longest {} of {}; --format csv has all.", kMost, all));
  return blocks;
}

}  // namespace cli
