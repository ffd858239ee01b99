// A ring all-reduce spelled out in its steps, against the closed form and against what a collective is taken to be:
// last arrival and transfer (collectives.h).
//
// Each of n ranks sends 2 (n - 1) chunks to the next one: n - 1 of sums, to which each adds its own, and n - 1 of what
// is summed up (Patarasu and Yuan, "Bandwidth optimal all-reduce algorithms", JPDC 2009). Of 8 ranks that is 14 sends,
// 14 receives and 7 additions for each, as ASTRA-sim spells it out.
#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "operator_models/models.h"
#include "planner/replay/graph.h"
#include "tests/planner/replay/machines.h"

using namespace planner::replay;

namespace {

struct Ring {
  /// Rank r arrives at `arrivals[r]`; a chunk takes `send` to the next rank, and `add` to be added there.
  Ring(const std::vector<int64_t>& arrivals, int64_t send, int64_t add) {
    const size_t n = arrivals.size(), steps = 2 * (n - 1);
    std::vector<uint32_t> before(n), sent(n);
    for (size_t r = 0; r < n; ++r) before[r] = graph.add({.duration_ns = 0, .earliest_ns = arrivals[r]});
    for (size_t k = 0; k < steps; ++k) {
      for (size_t r = 0; r < n; ++r) {
        const uint32_t node = graph.add({.duration_ns = send});
        graph.add({.from = before[r], .to = node});
        if (k > 0)  // the chunk that came in the step before, and was added to
          graph.add({.from = sent[(r + n - 1) % n], .to = node, .lag_ns = k <= n - 1 ? add : 0, .cause = Cause::ranks});
        before[r] = node;
      }
      sent = before;
      sends += n;
    }
    const auto runs = run(graph).value();
    for (size_t r = 0; r < n; ++r) ends.push_back(runs[sent[(r + n - 1) % n]].end_ns);  // its last receive
  }

  Graph graph;
  size_t sends = 0;
  std::vector<int64_t> ends;  // by rank
};

}  // namespace

TEST_CASE("ranks that arrive together are done after 2 (n - 1) sends and n - 1 additions") {
  for (const size_t n : {2, 3, 4, 8, 13}) {
    const auto count = static_cast<int64_t>(n);
    const Ring ring(std::vector<int64_t>(n, 1000), 70, 5);
    CHECK(ring.sends == n * 2 * (n - 1));
    for (const int64_t end : ring.ends) CHECK(end == 1000 + 2 * (count - 1) * 70 + (count - 1) * 5);
  }
}

TEST_CASE("whenever ranks arrive, a ring is done as long after the last one") {
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    const size_t n = 2 + random() % 9;
    const auto count = static_cast<int64_t>(n);
    std::vector<int64_t> arrivals;
    for (size_t r = 0; r < n; ++r) arrivals.push_back(static_cast<int64_t>(random() % 3000));
    const int64_t send = 1 + static_cast<int64_t>(random() % 100), add = static_cast<int64_t>(random() % 20);
    const int64_t last = std::ranges::max(arrivals);
    // Additions are all that some ranks may have behind them earlier.
    const Ring ring(arrivals, send, add);
    CHECK(std::ranges::max(ring.ends) == last + 2 * (count - 1) * send + (count - 1) * add);
    for (const int64_t end : ring.ends) CHECK(end >= last + 2 * (count - 1) * send);
    for (const int64_t end : Ring(arrivals, send, 0).ends) CHECK(end == last + 2 * (count - 1) * send);
  }
}

TEST_CASE("the steps of a ring sum to the model's ring") {
  operator_models::Machine machine = sample::machine();
  operator_models::CollectiveCalibration row;
  row.efficiency = 1;
  row.base = row.step = row.tree_step = {};
  row.tree_step = {1e-3};  // no tree is faster
  row.half_size = {};
  machine.calibration.collective["default"] = row;
  const operator_models::Device device = device_of(machine);
  for (const int64_t n : {2, 4}) {
    const double bytes = 64e6;
    const operator_models::Collective op{.bytes = {bytes}, .group = {.ranks = n, .inside = {}}};
    // A chunk of bytes / n over 100 GB/s, and a hop of 1 us.
    const auto send = static_cast<int64_t>(1e9 * (bytes / static_cast<double>(n) / 100e9 + 1e-6));
    const Ring ring(std::vector<int64_t>(static_cast<size_t>(n), 0), send, 0);
    const double seconds = operator_models::collective_alpha_beta(op, device, {}).seconds.value;
    CHECK(seconds * 1e9 == doctest::Approx(static_cast<double>(ring.ends[0])).epsilon(1e-6));
  }
}
