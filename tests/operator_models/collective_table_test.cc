#include <rapidcheck.h>

#include "operator_models/collective.h"
#include "tests/operator_models/devices.h"

using namespace operator_models;
using namespace test;

namespace {

constexpr double kKiB = 1024;

Collective inside(CollectiveKind kind, double bytes, int64_t ranks) {
  return {.kind = kind, .bytes = {bytes}, .group = {ranks, {ranks, ranks}}};
}

/// A machine whose all-gather took 10 us at 1 KiB over two ranks, 20 at 2 KiB; 24 and 32 over eight.
Machine with_table() {
  Machine m = machine(kA100);
  m.calibration.collective = {};
  CollectiveCalibration row;
  row.table_ranks = {2, 8};
  row.table_octave = 10;
  row.table_us = {10, 20, 24, 32};
  row.measured_bandwidth = {300e9};
  m.calibration.collective["nvlink-all-gather"] = row;
  return m;
}

double us(const Machine& m, const Operator& op, const char* model = "table", double share = 1) {
  return cost(op, m.device(), {{"collective", model}, {"send-recv", model}}, {.bandwidth = share}).seconds.value * 1e6;
}

/// Every machine with its own latency (-1) and with others.
std::vector<std::pair<MachineNames, double>> machines_and_latencies() {
  std::vector<std::pair<MachineNames, double>> all;
  for (const MachineNames& names : kAllMachines)
    for (const double latency : {-1.0, 0.0, 2e-7, 5e-6, 1e-3}) all.emplace_back(names, latency);
  return all;
}

/// Lin et al.'s eight numbers with a steep sigmoid, a flat one, a wide and a narrow middle.
CollectiveCurve any_region() {
  const auto number = [](int least, int most) { return *rc::gen::inRange(least * 100, most * 100) / 100.0; };
  CollectiveCurve r{.latency = number(1, 50), .first = number(5, 20)};
  r.last = r.first + number(0, 20);
  r.height = number(0, 8);
  r.middle = number(0, 40);
  r.steepness = number(0, 5);
  r.floor = number(-3, 5);
  r.bandwidth = number(1, 900);
  return r;
}

}  // namespace

TEST_CASE("a table gives its own numbers, and between two sizes what a constant and a bandwidth give") {
  const Machine m = with_table();
  const auto at = [&](double bytes, int64_t ranks) { return us(m, inside(CollectiveKind::all_gather, bytes, ranks)); };
  CHECK(at(kKiB, 2) == doctest::Approx(10));
  CHECK(at(2 * kKiB, 2) == doctest::Approx(20));
  CHECK(at(1.5 * kKiB, 2) == doctest::Approx(15));
  CHECK(at(kKiB, 8) == doctest::Approx(24));
  CHECK(at(2 * kKiB, 8) == doctest::Approx(32));
}

TEST_CASE("between two groups the time is interpolated by the logarithm of the ranks") {
  const double four = us(with_table(), inside(CollectiveKind::all_gather, kKiB, 4));
  CHECK(four == doctest::Approx((10 + 24) / 2.0));
}

TEST_CASE("beyond its sizes and ranks a table grows as alpha-beta does") {
  const Machine m = with_table();
  const auto both = [&](double bytes, int64_t ranks, const char* model) {
    return us(m, inside(CollectiveKind::all_gather, bytes, ranks), model);
  };
  CHECK(both(1e9, 8, "table") / both(1e8, 8, "table") ==
        doctest::Approx(both(1e9, 8, "alpha-beta") / both(1e8, 8, "alpha-beta")));
  CHECK(both(16, 8, "table") < both(kKiB, 8, "table"));
  CHECK(both(kKiB, 16, "table") > both(kKiB, 8, "table"));
}

TEST_CASE("half the bandwidth doubles what grows with the message and leaves the latency") {
  Machine m = with_table();
  const Operator small = inside(CollectiveKind::all_gather, 1, 2),
                 large = inside(CollectiveKind::all_gather, 2 * kKiB, 2);
  const double latency = us(m, small), grown = us(m, large) - latency;
  CHECK(us(m, large, "table", 0.5) == doctest::Approx(latency + 2 * grown));
  m.network[0].bandwidth = {150e9};
  CHECK(us(m, large) > us(with_table(), large));
}

TEST_CASE("a longer hop is paid at every step, a shorter one saves no more than its share") {
  const auto at = [](double latency, int64_t ranks) {
    Machine m = with_table();
    m.calibration.collective["nvlink-all-gather"].measured_latency = {1e-6};
    m.network[0].latency = {latency};
    return us(m, inside(CollectiveKind::all_gather, kKiB, ranks));
  };
  CHECK(at(1e-6, 2) == 10);
  CHECK(at(1e-3, 2) == doctest::Approx(10 + 999));
  CHECK(at(1e-3, 8) == doctest::Approx(24 + 7 * 999));
  CHECK(at(0, 2) == doctest::Approx(10 - 1));
  CHECK(at(0, 8) > 0);
}

TEST_CASE("no hop that is longer makes a collective or a message faster, and a long one is felt") {
  for (const MachineNames& names : kAllMachines) {
    Machine m = machine(names);
    CAPTURE(names.gpu);
    for (const char* model : {"table", "alpha-beta", "three_region"})
      for (const int64_t ranks : {2, 3, 4, 8, 16})
        for (double bytes = 16; bytes < 1e11; bytes *= 37)
          for (int kind = 0; kind <= 5; ++kind) {
            const Operator op = kind == 5 ? Operator(SendRecv{.bytes = {bytes}, .tier = 0})
                                          : inside(static_cast<CollectiveKind>(kind), bytes, ranks);
            std::vector<double> last;
            for (double latency : {0.0, 1e-7, 6e-7, 2e-6, 1e-4, 1e-2}) {
              m.network[0].latency = {latency};
              last.push_back(us(m, op, model));
            }
            CAPTURE(std::string(model));
            CAPTURE(kind);
            CAPTURE(ranks);
            CAPTURE(bytes);
            CHECK(std::ranges::is_sorted(last));
            CHECK(last.back() > last.front() + 9.9e3);
          }
  }
}

TEST_CASE("where no table is, and across nodes, a collective is priced by alpha-beta and says so") {
  const Machine m = with_table();
  const Collective other = inside(CollectiveKind::all_to_all, 1e6, 8);
  const Collective across{.kind = CollectiveKind::all_gather, .bytes = {1e6}, .group = {16, {8, 16}}};
  for (const Collective& op : {other, across}) {
    CHECK(std::string(cost(op, m.device()).model) == "alpha-beta");
    CHECK(us(m, op) == us(m, op, "alpha-beta"));
  }
  CHECK(std::string(cost(inside(CollectiveKind::all_gather, 1e6, 8), m.device()).model) == "table");
}

TEST_CASE("a table of the wrong shape is no table") {
  Machine m = with_table();
  m.calibration.collective["nvlink-all-gather"].table_us = {10, 20, 24};
  CHECK(std::string(cost(inside(CollectiveKind::all_gather, kKiB, 8), m.device()).model) == "alpha-beta");
}

TEST_CASE("integers are added by a ring where the switch adds floating point numbers") {
  const Machine m = machine(kH100);
  Collective floats = inside(CollectiveKind::all_reduce, 5e8, 8), integers = floats;
  integers.in_switch = false;
  CHECK(us(m, integers) > 1.2 * us(m, floats));  // aiconfigurator: 2111 and 2678 us
}

TEST_CASE("no larger message is faster, by any model and on any machine, whatever its latency") {
  for (const auto& [names, latency] : machines_and_latencies()) {
    const auto& said_latency = latency;
    const auto& said_names = names;
    Machine m = machine(names);
    if (latency >= 0) m.network[0].latency = {latency};
    CAPTURE(said_names.gpu);
    CAPTURE(said_latency);
    for (const char* model : {"table", "alpha-beta", "three_region"})
      for (int kind = 0; kind < 5; ++kind)
        for (int64_t ranks : {2, 3, 4, 6, 8}) {
          double last = 0;
          for (double bytes = 1; bytes < 4e11; bytes *= 1.19) {
            const double now = us(m, inside(static_cast<CollectiveKind>(kind), bytes, ranks), model);
            if (now < last * (1 - 1e-12))
              FAIL_CHECK(model << " " << kind << " " << ranks << " " << bytes << ": " << last << " then " << now);
            last = now;
          }
        }
  }
}

TEST_CASE("the three-region curve never falls and has no jump") {
  rc::check([] {
    const CollectiveCurve r = any_region();
    double last = 0;
    for (double x = r.first - 2; x < r.last + 6; x += 1.0 / 64) {
      const double now = region_us(r, std::exp2(x));
      RC_ASSERT(std::isfinite(now));
      RC_ASSERT(now >= last * (1 - 1e-9));
      last = now;
    }
    if (r.last - r.first < 0.01) return;
    for (double edge : {r.first, r.last}) {
      const double below = region_us(r, std::exp2(edge - 1e-9)), above = region_us(r, std::exp2(edge + 1e-9));
      RC_ASSERT(std::abs(above - below) < 1e-4 * below);
    }
  });
}

TEST_CASE("the outer regions of a curve are latency, and latency with the bandwidth") {
  const CollectiveCurve r{.latency = 10,
                          .first = 12,
                          .last = 24,
                          .height = 4,
                          .middle = 18,
                          .steepness = 0.4,
                          .floor = 2,
                          .bandwidth = 200};
  CHECK(region_us(r, 100) == doctest::Approx(10));
  CHECK(region_us(r, 4096) == doctest::Approx(10));
  CHECK(region_us(r, 1e9) == doctest::Approx(10 + 1e9 / 200e3));
}

TEST_CASE("a message inside a node takes its own table") {
  const Machine m = machine(kA100);
  // vidur network_a100_dgx_send_recv.csv: 1 MiB in 17.5-18.5 us, 67,108,864 B in 0.294 ms between neighbours
  CHECK(within(us(m, SendRecv{{67108864}, 0}), 294, 0.06));
  CHECK(us(m, SendRecv{{67108864}, 0, 4}) == us(m, SendRecv{{67108864}, 0, 4}, "alpha-beta"));
}
