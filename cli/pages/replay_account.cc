#include "cli/pages/replay_account.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "planner/trace/steps.h"

namespace cli {
namespace {

using planner::replay::StepAccount;

struct PartRow {
  const char* name;
  int64_t (*of)(const StepAccount&);
};
constexpr PartRow kParts[] = {
    {"computation", [](const StepAccount& a) { return a.compute_ns; }},
    {"communication", [](const StepAccount& a) { return a.communication_ns; }},
    {"copies", [](const StepAccount& a) { return a.copies_ns; }},
    {"overlaps of these", [](const StepAccount& a) { return -a.overlaps_ns; }},
    {"idle, host-bound", [](const StepAccount& a) { return a.idle.host_ns; }},
    {"idle, gaps of the device", [](const StepAccount& a) { return a.idle.gap_ns; }},
    {"idle, unexplained", [](const StepAccount& a) { return a.idle.unexplained_ns; }},
    {"step", [](const StepAccount& a) { return a.step_ns; }},
};

}  // namespace

Table account_rows(const Measured& m) {
  Table table{.title = "Where the steps went",
              .columns = {{.name = "part"},
                          {.name = "seconds", .unit = Unit::seconds, .heading = "time"},
                          {.name = "share", .unit = Unit::fraction, .heading = "of the step"},
                          {.name = "longest_seconds", .unit = Unit::seconds, .heading = "most"},
                          {.name = "longest_rank", .unit = Unit::count, .heading = "on rank"}}};
  double steps = 0, whole = 0;
  for (const std::vector<StepAccount>& rank : m.accounts)
    for (const StepAccount& account : rank) ++steps, whole += in_seconds(account.step_ns);
  if (steps == 0) return table;
  for (const PartRow& part : kParts) {
    int64_t sum = 0, most = 0;
    size_t at = 0;
    for (size_t r = 0; r < m.accounts.size(); ++r)
      for (const StepAccount& account : m.accounts[r]) {
        const int64_t ns = part.of(account);
        sum += ns;
        if (std::abs(ns) > std::abs(most)) most = ns, at = r;
      }
    table.rows.push_back({part.name, in_seconds(sum) / steps, whole > 0 ? in_seconds(sum) / whole : 0, in_seconds(most),
                          most == 0 ? Data() : Data(rank_of(m, at))});
  }
  return table;
}

std::vector<std::string> window_lines(const Measured& m) {
  int64_t behind = 0;
  size_t ranks = 0;
  for (const std::vector<planner::trace::Step>& steps : m.steps) {
    if (steps.empty() || !steps.front().of_device) continue;
    behind = std::max(behind, planner::trace::behind_ns(steps));
    ++ranks;
  }
  if (ranks == 0) return {};
  const std::string whose = m.steps.size() == 1       ? "The device runs"
                            : ranks == m.steps.size() ? "The devices run"
                                                      : fmt::format("The devices of {} ranks run", ranks);
  return {fmt::format("{} up to {} behind the host: a step is the device's, from the end of the one before to its own.",
                      whose, figure(in_seconds(behind), Unit::seconds))};
}

}  // namespace cli
