#include "cli/pages/replay_joined.h"

#include <algorithm>

namespace cli {
namespace {

namespace trace = planner::trace;

/// How many begin before what they need has ended.
int64_t contradicted(const trace::RankTrace& rank, const std::vector<trace::Dependency>& dependencies) {
  return std::ranges::count_if(dependencies, [&](const trace::Dependency& each) {
    return rank.events[each.to].start_ns < rank.events[each.from].end_ns();
  });
}

}  // namespace

Table joined_rows(const Measured& m) {
  Table table{.title = "Execution traces",
              .columns = {{.name = "rank", .unit = Unit::count},
                          {.name = "file", .rank = 4},
                          {.name = "nodes", .unit = Unit::count},
                          {.name = "operators", .unit = Unit::count},
                          {.name = "joined", .unit = Unit::count},
                          {.name = "share", .unit = Unit::fraction, .heading = "of the nodes"},
                          {.name = "shapes", .unit = Unit::count, .rank = 2, .heading = "with shapes"},
                          {.name = "equal_shapes", .unit = Unit::count, .rank = 1, .heading = "equal shapes"},
                          {.name = "tensor_dependencies", .unit = Unit::count, .rank = 3, .heading = "by tensors"},
                          {.name = "backward_dependencies", .unit = Unit::count, .rank = 3, .heading = "backward"},
                          {.name = "contradicted", .unit = Unit::count, .rank = 3},
                          {.name = "data_edges", .unit = Unit::count, .rank = 2, .heading = "between kernels"}}};
  for (const planner::replay::JoinedRank& each : m.joined) {
    const trace::Joined& j = each.joined;
    const trace::RankTrace& rank = m.trace[each.rank];
    table.rows.push_back({rank_of(m, each.rank), each.file, j.nodes, j.operators, j.joined, j.share_of_nodes(),
                          j.shapes, j.equal_shapes, std::ssize(each.tensors), std::ssize(each.backward),
                          contradicted(rank, each.tensors) + contradicted(rank, each.backward),
                          static_cast<int64_t>(each.data_edges)});
  }
  return table;
}

}  // namespace cli
