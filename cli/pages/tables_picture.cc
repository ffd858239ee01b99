#include <fmt/format.h>

#include <algorithm>

#include "cli/pages/tables_report.h"

namespace cli {

namespace tables = planner::tables;

constexpr size_t kMostBars = 64;

svg::StackedBars tables_bars(const ShardPage& page) {
  const tables::Comparison& c = *page.comparison;
  const tables::Outcome& best = c.outcomes[c.best];
  svg::StackedBars chart{
      .title = tables_title(page),
      .subtitle = fmt::format("{}: a step of {}", best.name, figure(best.step.sum(), Unit::seconds)),
      .axis = "milliseconds",
      .percent = false,
      .series = {"lookup, forward", "lookup, backward", "two all-to-alls, as if all sent as much as this rank"},
      .bars = {},
      .nothing = ""};
  tables::Exchange exchange(c.problem.site);
  for (size_t r = 0; r < best.loads.ranks.size(); ++r) {
    const tables::Load& load = best.loads.ranks[r];
    const double messages = 2 * exchange.seconds(load.sent_bytes);
    chart.bars.push_back({.label = fmt::format("rank {}", r),
                          .parts = {1e3 * load.forward_seconds, 1e3 * load.backward_seconds, 1e3 * messages},
                          .note = figure(lookup_seconds(load) + messages, Unit::seconds)});
  }
  if (chart.bars.size() <= kMostBars) return chart;
  const auto length = [](const svg::Bar& bar) { return bar.parts[0] + bar.parts[1] + bar.parts[2]; };
  std::ranges::stable_sort(chart.bars, std::greater(), length);
  chart.subtitle += fmt::format("; the longest {} of {} ranks", kMostBars, chart.bars.size());
  chart.bars.resize(kMostBars);
  return chart;
}

}  // namespace cli
