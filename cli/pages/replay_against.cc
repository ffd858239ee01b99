// A trace beside the planner's step.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/pages/replay_report.h"
#include "cli/report/facts.h"
#include "cli/report/row_fields.h"

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

/// null where nothing was spent.
std::optional<replay::Spent> some(const replay::Spent& spent) {
  return spent.count > 0 ? std::optional(spent) : std::nullopt;
}

/// What both sides took of something.
struct BothSides {
  Data count, planned_count;
  std::optional<double> took, takes;

  BothSides(const std::optional<replay::Spent>& measured, const std::optional<replay::Spent>& planned) {
    if (measured) count = whole(measured->count), took = measured->seconds;
    if (planned) planned_count = whole(planned->count), takes = planned->seconds;
  }
  BothSides(double measured, const std::optional<double>& planned) : took(measured), takes(planned) {}
};

/// `fields`, and counts, seconds and the ratio of both sides. A row has them as `sides`.
template <class Row> RowFields<Row> with_sides(std::vector<RowField<Row>> fields) {
  const RowField<Row> sides[] = {
      {"measured_count", [](auto& r) { return r.sides.count; }, Unit::number, "count", 2},
      {"measured_seconds", [](auto& r) { return r.sides.took; }, Unit::seconds, "measured"},
      {"planned_count", [](auto& r) { return r.sides.planned_count; }, Unit::number, "planned count", 2},
      {"planned_seconds", [](auto& r) { return r.sides.takes; }, Unit::seconds, "planned"},
      {"ratio", [](auto& r) { return ratio_of(r.sides.took, r.sides.takes); }, Unit::number},
  };
  fields.insert(fields.end(), std::begin(sides), std::end(sides));
  return fields;
}

/// Whether no operator with a shape was both measured and planned. Kernels without one are alike in every run.
bool is_of_another_run(const Against& against) {
  const auto has_shape = [](const replay::Paired& pair) { return !pair.sizes.empty(); };
  const auto is_both = [&](const replay::Paired& pair) { return has_shape(pair) && pair.measured && pair.planned; };
  return std::ranges::any_of(against.pairs, has_shape) && std::ranges::none_of(against.pairs, is_both);
}

/// What one side has alone.
std::string lacking_line(const Against& against) {
  size_t measured = 0, planned = 0;
  double took = 0, takes = 0;
  for (const replay::Paired& pair : against.pairs) {
    if (!pair.planned) ++measured, took += pair.measured->seconds;
    if (!pair.measured) ++planned, takes += pair.planned->seconds;
  }
  return fmt::format("The plan lacks {} ({}) of what was measured; {} ({}) of the plan were not measured.",
                     counted(measured, "row"), figure(took, Unit::seconds), counted(planned, "row"),
                     figure(takes, Unit::seconds));
}

}  // namespace

Table pair_rows(const std::optional<Against>& against) {
  struct PairRow {
    const replay::Paired& pair;
    BothSides sides{pair.measured, pair.planned};
  };
  std::vector<PairRow> rows;
  if (against)
    for (const replay::Paired& pair : against->pairs) rows.push_back({pair});
  const auto names = [](const PairRow& r) {
    return r.pair.planned ? Data(fmt::format("{}", fmt::join(r.pair.names, ", "))) : Data();
  };
  const auto fields = with_sides<PairRow>({
      {"work", [](auto& r) { return name_of(r.pair.kind->work); }, Unit::text, "", 4},
      {"kind", [](auto& r) { return r.pair.kind->name; }},
      {"shape", [](auto& r) { return shape_of(r.pair); }},
      {"names", names, Unit::text, "planner's", 3},
  });
  return fields.table(rows, "Operators against the plan");
}

Table work_rows(const std::optional<Against>& against) {
  struct WorkRow {
    const char* work;
    BothSides sides;
  };
  std::vector<WorkRow> rows;
  const auto add = [&](const char* name, const replay::WorkSum& sum) {
    rows.push_back({name, {some(sum.measured), some(sum.planned)}});
  };
  if (against) {
    for (const replay::WorkSum& sum : against->works) add(name_of(sum.work), sum);
    add("operators", against->all);
    rows.push_back({"busy", {against->busy_seconds, std::nullopt}});
    rows.push_back({"step", {against->measured_step_seconds, against->planned_step_seconds}});
  }
  return with_sides<WorkRow>({{"work", &WorkRow::work}}).table(rows, "Against the plan");
}

std::vector<Block> against_blocks(const std::optional<Against>& against) {
  constexpr size_t kMost = 20;
  if (!against) return {};
  Table pairs = pair_rows(against);
  const size_t all = pairs.rows.size();
  pairs.rows.resize(std::min(all, kMost));
  std::vector<Block> blocks;
  if (is_of_another_run(*against))
    blocks.emplace_back("Nothing of the trace is in the plan: is the scenario the one of this run?");
  blocks.emplace_back(work_rows(against));
  blocks.emplace_back(std::move(pairs));
  blocks.emplace_back(lacking_line(*against));
  if (all > kMost) blocks.emplace_back(fmt::format("The longest {} of {}; --format csv has all.", kMost, all));
  return blocks;
}

}  // namespace cli
