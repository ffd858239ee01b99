#include "cli/pages/replay_change.h"

#include <fmt/format.h>

namespace cli {
namespace {

/// By how much one is longer than another.
double change(double to, double from) { return from > 0 ? to / from - 1 : 0; }

}  // namespace

std::string change_line(const Measured& m) {
  if (m.changed.empty()) return "";
  const double before = m.step_seconds(), after = m.changed_seconds();
  return fmt::format("step {} -> {} ({:+.1f} %)", figure(before, Unit::seconds), figure(after, Unit::seconds),
                     change(after, before) * 100);
}

Data change_data(const Measured& m) {
  if (m.changed.empty()) return {};
  const double before = m.step_seconds(), after = m.changed_seconds();
  return Data::Object{{"measured_seconds", before}, {"changed_seconds", after}, {"change", change(after, before)}};
}

Table advice_rows(const Measured& m) {
  Table table{.title = "Advice",
              .columns = {{.name = "what"},
                          {.name = "flag", .rank = 1},
                          {.name = "step_seconds", .unit = Unit::seconds, .heading = "step"},
                          {.name = "gain_seconds", .unit = Unit::seconds, .heading = "gain"},
                          {.name = "change", .unit = Unit::fraction}}};
  const double before = m.step_seconds();
  for (const planner::replay::Advice& each : m.advice)
    table.rows.push_back(
        {each.what, each.flag, each.step_seconds, before - each.step_seconds, change(each.step_seconds, before)});
  return table;
}

}  // namespace cli
