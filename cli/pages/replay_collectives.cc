#include "cli/pages/replay_collectives.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "cli/pages/replay_priced.h"
#include "planner/replay/priced.h"

namespace cli {

namespace trace = planner::trace;

Table collective_rows(const Measured& m) {
  Table table{.title = "Collectives",
              .columns = {{.name = "index", .unit = Unit::count, .heading = "#"},
                          {.name = "name"},
                          {.name = "group", .rank = 3},
                          {.name = "ranks", .unit = Unit::count},
                          {.name = "bytes", .unit = Unit::bytes, .rank = 2},
                          {.name = "transfer_seconds", .unit = Unit::seconds, .heading = "transfer"},
                          {.name = "longest_wait_seconds", .unit = Unit::seconds, .rank = 1, .heading = "longest wait"},
                          {.name = "last_rank", .unit = Unit::count, .heading = "last rank"}}};
  for (size_t i = 0; i < m.matched.collectives.size(); ++i) {
    const trace::Collective& c = m.matched.collectives[i];
    const bool alone = c.parts.size() == 1;
    const int64_t longest = std::ranges::max(c.parts, {}, &trace::Collective::Part::wait_ns).wait_ns;
    table.rows.push_back({static_cast<int64_t>(i + 1), c.name, c.group.empty() ? Data() : Data(c.group),
                          static_cast<int64_t>(c.parts.size()), c.bytes < 0 ? Data() : Data(c.bytes),
                          in_seconds(c.transfer_ns), alone ? Data() : Data(in_seconds(longest)),
                          alone ? Data() : Data(rank_of(m, c.parts[c.last].rank))});
  }
  add_predictions(m.priced, m.matched, table);
  return table;
}

Table collective_sum_rows(const Measured& m) {
  Table table{
      .title = "Collectives by name",
      .columns = {
          {.name = "name"},
          {.name = "ranks", .unit = Unit::count, .rank = 2},
          {.name = "count", .unit = Unit::count},
          {.name = "bytes", .unit = Unit::bytes},
          {.name = "transfer_seconds", .unit = Unit::seconds, .heading = "transfer"},
          {.name = "longest_wait_seconds", .unit = Unit::seconds, .rank = 3, .heading = "longest wait"},
          {.name = "bus_bandwidth_bytes_per_second", .unit = Unit::bytes_per_second, .heading = "bus bandwidth"},
          {.name = "predicted_seconds", .unit = Unit::seconds, .rank = 1, .heading = "predicted"}}};
  for (const planner::replay::CollectiveSum& sum : planner::replay::collective_sums(m.trace, m.matched, m.priced))
    table.rows.push_back({sum.name, sum.ranks > 0 ? Data(sum.ranks) : Data(), sum.count,
                          sum.bytes ? Data(*sum.bytes) : Data(), in_seconds(sum.transfer_ns),
                          in_seconds(sum.longest_wait_ns), sum.bus_bandwidth ? Data(*sum.bus_bandwidth) : Data(),
                          sum.predicted_seconds ? Data(*sum.predicted_seconds) : Data()});
  return table;
}

Table wait_rows(const Measured& m) {
  Table table{.title = "Waits",
              .columns = {{.name = "rank", .unit = Unit::count},
                          {.name = "for_rank", .unit = Unit::count, .heading = "for rank"},
                          {.name = "seconds", .unit = Unit::seconds, .heading = "time"}}};
  for (size_t r = 0; r < m.waits.size(); ++r) {
    std::vector<size_t> others;
    for (size_t o = 0; o < m.waits.size(); ++o)
      if (m.waits[r][o] > 0) others.push_back(o);
    std::ranges::stable_sort(others, std::greater(), [&](size_t o) { return m.waits[r][o]; });
    for (size_t o : others) table.rows.push_back({rank_of(m, r), rank_of(m, o), in_seconds(m.waits[r][o])});
  }
  return table;
}

Table clock_rows(const Measured& m) {
  Table table{.title = "Clocks",
              .columns = {{.name = "rank", .unit = Unit::count},
                          {.name = "offset_seconds", .unit = Unit::seconds, .heading = "put forward by"},
                          {.name = "drift_seconds", .unit = Unit::seconds, .heading = "more by the end"}}};
  for (size_t r = 0; r < m.trace.size(); ++r)
    table.rows.push_back({rank_of(m, r), in_seconds(m.clocks.offsets_ns[r]), in_seconds(m.clocks.drifts_ns[r])});
  return table;
}

std::string clock_line(const Measured& m) {
  const std::string before = figure(in_seconds(m.clocks.before_ns), Unit::seconds);
  const bool pulls = std::ranges::all_of(m.matched.collectives, [](const trace::Collective& each) {
    return each.kind == trace::CollectiveKind::push_pull;
  });
  return fmt::format("The clocks were put in step: {}, now {}.",
                     pulls ? fmt::format("PULLs ended up to {} before the last PUSH of their round", before)
                           : fmt::format("ends of collectives were up to {} from their mean", before),
                     figure(in_seconds(m.clocks.after_ns), Unit::seconds));
}

}  // namespace cli
