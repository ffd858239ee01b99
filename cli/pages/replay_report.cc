#include "cli/pages/replay_report.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <numeric>
#include <set>
#include <utility>

#include "cli/report/facts.h"

namespace cli {
namespace {

namespace trace = planner::trace;

std::string replay_headline(const Measured& m) {
  std::set<std::string> devices;
  size_t events = 0, steps = 0;
  for (size_t r = 0; r < m.trace.size(); ++r) {
    if (!m.trace[r].device.empty()) devices.insert(m.trace[r].device);
    events += m.trace[r].events.size();
    steps = std::max(steps, m.steps[r].size());
  }
  const int64_t size = m.trace.front().world_size.value_or(static_cast<int64_t>(m.trace.size()));
  const std::string ranks = static_cast<int64_t>(m.trace.size()) == size
                                ? counted(m.trace.size(), "rank")
                                : fmt::format("{} of {} ranks", m.trace.size(), size);
  return fmt::format("{}{}{}, {}, {}", ranks, devices.empty() ? "" : " of ", fmt::join(devices, ", "),
                     counted(steps, "step"), counted(events, "event"));
}

std::string sentence(std::string text) {
  if (!text.empty()) text.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(text.front())));
  return text + ".";
}

/// For the page: without changes, the columns of changes and of an unchanged replay are left out.
Table shown_ranks(const Measured& m, Table ranks) {
  if (m.changed.empty()) ranks = without("changed_seconds", std::move(ranks));
  return without("error", without("replayed_seconds", std::move(ranks)));
}

/// Collectives by name, and each single one on request.
std::vector<Block> collective_blocks(const Measured& m, bool all) {
  Table sums = collective_sum_rows(m);
  if (sums.rows.empty()) return {};
  std::vector<Block> blocks;
  const size_t names = sums.rows.size();
  if (!all) sums.rows.resize(std::min(names, kShownCollectives));
  const bool predicts = !m.priced.collectives.empty();
  if (!predicts) sums = without("predicted_seconds", std::move(sums));
  const size_t shown = sums.rows.size();
  blocks.emplace_back(std::move(sums));
  if (!m.matched.absent.empty()) blocks.emplace_back(sentence(trace::absent_text(m.matched)));
  if (!all)
    blocks.emplace_back(names > shown ? fmt::format("--all shows {} more, and each collective by itself.",
                                                    counted(names - shown, "name"))
                                      : "--all shows each collective by itself.");
  if (!all) return blocks;
  Table each = collective_rows(m);
  blocks.emplace_back(predicts ? each : without("predicted_seconds", without("predicted_ratio", each)));
  return blocks;
}

Data::Object replay_document(const Measured& m) {
  return {{"ranks", rows_of(rank_rows(m))},
          {"change", change_data(m)},
          {"advice", rows_of(advice_rows(m))},
          {"accounting", rows_of(account_rows(m))},
          {"launched", rows_of(launched_rows(m))},
          {"clocks", rows_of(clock_rows(m))},
          {"unseen", rows_of(unseen_rows(m))},
          {"collectives", rows_of(collective_rows(m))},
          {"collectives_by_name", rows_of(collective_sum_rows(m))},
          {"absent_ranks", m.matched.absent.empty() ? Data() : Data(m.matched.absent)},
          {"waits", rows_of(wait_rows(m))},
          {"streams", rows_of(stream_rows(m))},
          {"critical_path", rows_of(path_rows(m))},
          {"scaled", rows_of(scaled_rows(m.priced))},
          {"execution_traces", rows_of(joined_rows(m))},
          {"against", rows_of(pair_rows(m.against))},
          {"against_sums", rows_of(work_rows(m.against))}};
}

// ---- the picture

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
          .note = figure(in_seconds(account.step_ns), Unit::seconds)};
}

double length_of(const svg::Bar& bar) { return std::accumulate(bar.parts.begin(), bar.parts.end(), 0.0); }

/// A bar for each step of each rank (at most the longest 64): computation, exposed transfers and waits, copies, idle
/// times of the device, and the times before its first and after its last work. They sum to the step.
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

}  // namespace

Report replay_report(const Measured& m, bool all) {
  const Table ranks = rank_rows(m);
  Report report{.format = "trainplan.replay/1",
                .document = {},
                .key = m.against ? "against" : "ranks",
                .table = m.against ? pair_rows(m.against) : ranks,
                .text = {replay_headline(m), shown_ranks(m, ranks)},
                .picture = [&m] { return replay_bars(m); },
                .graph = {},
                .complete = [&m](Report& whole) { whole.document = replay_document(m); }};
  const bool shifted = std::ranges::any_of(m.clocks.offsets_ns, [](int64_t ns) { return ns != 0; });
  if (shifted) report.text.insert(report.text.begin() + 1, {clock_line(m), clock_rows(m)});
  add_tables({advice_rows(m)}, report.text);
  for (std::string& line : window_lines(m)) report.text.emplace_back(std::move(line));
  report.text.emplace_back(account_rows(m));
  report.text.emplace_back(path_shares(m));
  if (const std::string line = change_line(m); !line.empty()) report.text.insert(report.text.begin(), line);
  add_tables({unseen_rows(m), joined_rows(m), wait_rows(m), scaled_rows(m.priced)}, report.text);
  for (Block& block : against_blocks(m.against)) report.text.push_back(std::move(block));
  for (Block& block : collective_blocks(m, all)) report.text.push_back(std::move(block));
  for (const std::string& line : prediction_lines(m.priced, m.matched, m.unpriced)) report.text.emplace_back(line);
  return report;
}

}  // namespace cli
