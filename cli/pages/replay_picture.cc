// Where the steps of a trace went, as a picture.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "cli/pages/replay_report.h"
#include "cli/report/facts.h"

namespace cli {
namespace {

namespace trace = planner::trace;

constexpr size_t kMostBars = 64;

double milliseconds(int64_t ns) { return static_cast<double>(std::max<int64_t>(ns, 0)) * 1e-6; }

svg::Bar bar_of(const Measured& m, size_t rank, size_t at) {
  const trace::Step& step = m.steps[rank][at];
  const planner::replay::StepAccount& account = m.accounts[rank][at];
  const int64_t exposed = step.ran.exposed_ns;
  const int64_t waits = std::min(exposed, trace::waited_in(m.trace, m.matched, rank, step.window));
  const std::string name = fmt::format("rank {}", *m.trace[rank].rank);
  return {.label = m.steps[rank].size() > 1 ? name + ", " + step.name : name,
          .parts = {milliseconds(account.compute_ns), milliseconds(exposed - waits), milliseconds(waits),
                    milliseconds(step.ran.busy_ns - account.compute_ns - exposed), milliseconds(account.idle.host_ns),
                    milliseconds(account.idle.gap_ns), milliseconds(account.idle.unexplained_ns)},
          .note = figure(static_cast<double>(account.step_ns) * 1e-9, Unit::seconds)};
}

double length_of(const svg::Bar& bar) { return std::accumulate(bar.parts.begin(), bar.parts.end(), 0.0); }

}  // namespace

svg::StackedBars replay_bars(const Measured& m) {
  svg::StackedBars chart{.title = "Where the steps went",
                         .subtitle = "",
                         .axis = "milliseconds",
                         .percent = false,
                         .series = {"computation", "exposed transfers", "waits for ranks", "copies", "host-bound",
                                    "gaps of the device", "unexplained"},
                         .bars = {},
                         .nothing = "the traces have no steps"};
  for (size_t r = 0; r < m.trace.size(); ++r)
    for (size_t s = 0; s < m.steps[r].size(); ++s) chart.bars.push_back(bar_of(m, r, s));
  const size_t all = chart.bars.size();
  chart.subtitle = counted(all, "step") + " of " + counted(m.trace.size(), "rank");
  if (all <= kMostBars) return chart;
  std::ranges::stable_sort(chart.bars, std::greater(), length_of);
  chart.bars.resize(kMostBars);
  chart.subtitle += fmt::format(", the longest {}", kMostBars);
  return chart;
}

}  // namespace cli
