// libFuzzer: two bytes for ranks and batch, then any text as a file of embedding tables. It must end in messages with
// places, or in placements whose every part has its rank, whose loads sum to the tables' and whose step is finite.
#include <cmath>
#include <numeric>

#include "cli/commands/machine.h"
#include "planner/replay/site.h"
#include "planner/resolve/read.h"
#include "planner/tables/compare.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace planner::tables;
using fuzz::require;

constexpr size_t kFewTables = 40;

const operator_models::Machine& machine() {
  static const operator_models::Machine machine = [] {
    cli::Session session{.sources = {}, .diagnostics = {}, .catalog = {planner::builtin_catalog(), {}}};
    return *cli::machine_named("dgx-a100-80gb", session);
  }();
  return machine;
}

Site site_of(int64_t ranks, double batch) {
  std::vector<int64_t> members(static_cast<size_t>(ranks));
  std::iota(members.begin(), members.end(), 0);
  return {.device = planner::replay::device_of(machine()),
          .group = planner::replay::group_of(ranks, members, {&machine(), {}, {}}),
          .batch = batch,
          .memory_bytes = 0.8 * machine().gpu.memory.value};
}

void check(const Comparison& c) {
  for (const Outcome& o : c.outcomes) {
    require(std::isfinite(o.step.sum()) && o.step.sum() >= 0);
    for (size_t t = 0; t < o.placement.size(); ++t) {
      const Option& option = c.problem.options[t][o.placement[t].option];
      require(static_cast<int64_t>(o.placement[t].ranks.size()) == option.ways);
      for (int32_t rank : o.placement[t].ranks) require(rank >= 0 && rank < c.problem.site.group.ranks);
    }
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  const int64_t ranks = 1 + data[0] % 9;
  const double batch = std::ldexp(1.0, data[1] % 21);
  const dsl::Source source{"tables.csv", fuzz::text_of(data + 2, size - 2), ""};
  dsl::Diagnostics diagnostics;
  const auto tables = read_tables(source, diagnostics);
  require(tables.has_value() != diagnostics.has_errors());
  if (tables && tables->size() <= kFewTables) {
    const Site site = site_of(ranks, batch);
    check_reuse(*tables, batch, diagnostics);
    check_room(*tables, site, diagnostics);
    check(compare(*tables, site, {.effort = {.seed = 1, .evaluations = 2000, .kicks = 2}}));
  }
  fuzz::require_places(diagnostics);
  return 0;
}
