#include "operator_models/models.h"
#include "tests/operator_models/devices.h"

using namespace operator_models;
using namespace test;

namespace {

constexpr double kMiB = 1 << 20;

Collective collective(CollectiveKind kind, double bytes, int64_t ranks, int64_t inside) {
  return {kind, {bytes}, {ranks, {inside, ranks}}};
}

/// nccl-tests' bus bandwidth in GB/s.
double busbw(const Machine& m, CollectiveKind kind, double bytes, int64_t ranks, int64_t inside) {
  double n = static_cast<double>(ranks), factor = (n - 1) / n * (kind == CollectiveKind::all_reduce ? 2 : 1);
  return bytes * factor / m.seconds(collective(kind, bytes, ranks, inside)) / 1e9;
}

struct Row {
  CollectiveKind kind;
  int64_t ranks;
  double mib, rate;  // GB/s of bus bandwidth
};

void check_rows(const MachineNames& names, const std::vector<Row>& rows, double tolerance) {
  Machine m = machine(names);
  for (const Row& r : rows) {
    double rate = busbw(m, r.kind, r.mib * kMiB, r.ranks, r.ranks);
    INFO(std::string(names.gpu) << " " << std::string(name(r.kind)) << " " << r.ranks << " ranks " << r.mib
                                << " MiB: " << rate << ", measured " << r.rate);
    CHECK(within(rate, r.rate, tolerance));
  }
}

constexpr auto AR = CollectiveKind::all_reduce;
constexpr auto AG = CollectiveKind::all_gather;
constexpr auto RS = CollectiveKind::reduce_scatter;
constexpr auto A2A = CollectiveKind::all_to_all;

}  // namespace

// aiconfigurator collectives_*.csv (nccl-tests on one NVSwitch node).
TEST_CASE("collectives inside a node reach the bus bandwidth that nccl-tests printed") {
  check_rows(kA100,
             {{AR, 8, 64, 197},
              {AR, 8, 512, 222},
              {AR, 2, 512, 193},
              {AG, 8, 512, 205},
              {AG, 2, 512, 150},
              {AG, 8, 64, 167},
              {RS, 8, 512, 213},
              {RS, 2, 512, 167},
              {A2A, 8, 512, 203},
              {A2A, 2, 512, 164},
              {A2A, 8, 64, 169}},
             0.10);
  check_rows(kH100,
             {{AR, 8, 64, 362},
              {AR, 8, 512, 445},
              {AR, 2, 512, 318},
              {AG, 8, 512, 336},
              {AG, 2, 512, 258},
              {AG, 8, 64, 282},
              {A2A, 8, 512, 315},
              {A2A, 2, 512, 280},
              {A2A, 8, 64, 267}},
             0.06);
  check_rows(kB200,
             {{AR, 8, 512, 704},
              {AR, 8, 128, 602},
              {AR, 2, 512, 534},
              {AG, 8, 512, 617},
              {AG, 2, 512, 439},
              {A2A, 8, 512, 563},
              {A2A, 2, 512, 332},
              {A2A, 8, 64, 423}},
             0.20);
}

TEST_CASE("an all-reduce of one mebibyte is bound by latency") {
  CHECK(within(busbw(machine(kA100), AR, kMiB, 8, 8), 47, 0.25));
  CHECK(within(busbw(machine(kH100), AR, kMiB, 8, 8), 72, 0.25));
  CHECK(within(busbw(machine(kB200), AR, kMiB, 8, 8), 61, 0.25));
}

// nccl_logs h100x8_1node_all_reduce_8B-16GiB.txt.
TEST_CASE("a switch that adds lifts all-reduce above its link") {
  Machine m = machine(kH100);
  CHECK(within(busbw(m, AR, 1024 * kMiB, 8, 8), 466, 0.05));
  CHECK(within(busbw(m, AR, 16384 * kMiB, 8, 8), 480, 0.06));
  CHECK(busbw(m, AR, 16384 * kMiB, 8, 8) > 450);
  CHECK(busbw(m, AG, 16384 * kMiB, 8, 8) < 390);
  m.network[0].reduction = hw_profiles::InNetwork::none;
  CHECK(busbw(m, AR, 16384 * kMiB, 8, 8) < 400);
}

// nccl_logs h100_clusterB_N2_G8 and N10_G8.
TEST_CASE("all-to-all between H100 nodes is bound by each rank's own NIC") {
  Machine m = machine(kH100);
  CHECK(within(busbw(m, A2A, 8192 * kMiB, 16, 8), 92, 0.05));
  CHECK(within(busbw(m, A2A, 8192 * kMiB, 80, 8), 50.5, 0.07));
}

TEST_CASE("ring collectives between H100 nodes reach what ten nodes reached") {
  Machine m = machine(kH100);
  CHECK(within(busbw(m, AG, 17179868160, 80, 8), 324, 0.05));
  CHECK(within(busbw(m, AG, 33553920, 80, 8), 48.6, 0.10));
  CHECK(within(busbw(m, RS, 2147482880, 80, 8), 312, 0.08));
  CHECK(within(busbw(m, AG, 17179869120, 20, 2), 97.3, 0.04));
  CHECK(within(busbw(m, AG, 33554240, 20, 2), 76.4, 0.15));
}

TEST_CASE("all-reduce over eighty H100 reaches what it reached") {
  Machine m = machine(kH100);
  CHECK(within(busbw(m, AR, 1024 * kMiB, 80, 8), 345, 0.15));
  CHECK(within(busbw(m, AR, 8192 * kMiB, 80, 8), 316, 0.09));  // 364 at 2 GiB: it falls with the message
  CHECK(within(busbw(m, AR, 64 * kMiB, 80, 8), 141, 0.15));
  CHECK(within(busbw(m, AR, 1024 * kMiB, 20, 2), 97.7, 0.06));
}

TEST_CASE("a group with one rank in each node has one NIC to itself") {
  Machine m = machine(kH100);
  double alone = busbw(m, AG, 4096 * kMiB, 10, 1), eight = busbw(m, AG, 4096 * kMiB, 80, 8);
  CHECK(within(alone, 49, 0.04));  // 49 GB/s seen with one GPU in a node
  CHECK(eight > 6 * alone);
  CHECK(eight < 8 * alone);
}

// nccl_logs h100_clusterB sendrecv: 15-25 of 50 GB/s.
TEST_CASE("a message between nodes gets a third to a half of the NIC") {
  double rate = 1e9 / machine(kH100).seconds(SendRecv{{1e9}, 1}) / 1e9;
  CHECK(rate > 15);
  CHECK(rate < 25);
  // vidur network_a100_dgx_send_recv.csv: 67,108,864 B in 0.294 ms between neighbours of a node
  CHECK(within(machine(kA100).seconds(SendRecv{{67108864}, 0}), 0.294e-3, 0.1));
}

// nccl_logs h100_clusterB N2_G1 sendrecv: 39.1 to 43.8 of 50 GB/s between nodes with one GPU each.
TEST_CASE("a message along a rail gets most of the NIC, and where no such row is what other messages get") {
  const Machine m = machine(kH100);
  const auto rate = [&](bool along_rail) {
    return 4.295 / m.seconds(SendRecv{.bytes = {4.295e9}, .tier = 1, .along_rail = along_rail});
  };
  CHECK(within(rate(true), 41, 0.03));
  CHECK(rate(true) > 2 * rate(false));
  const Machine v100 = machine(kV100);
  CHECK(v100.seconds(SendRecv{.bytes = {1e9}, .tier = 1, .along_rail = true}) ==
        v100.seconds(SendRecv{.bytes = {1e9}, .tier = 1}));
  // There is none inside a node.
  CHECK(m.seconds(SendRecv{.bytes = {1e9}, .tier = 0, .along_rail = true}) ==
        m.seconds(SendRecv{.bytes = {1e9}, .tier = 0}));
}

TEST_CASE("latency grows with the group, and a small all-reduce takes a tree") {
  Machine m = machine(kH100);
  double last = 0;
  for (int64_t nodes : {1, 2, 4, 16, 64, 512}) {
    double seconds = m.seconds(collective(AR, 1024, 8 * nodes, 8));
    CHECK(seconds > last);
    last = seconds;
  }
  CHECK(last < 1e-3);  // a ring of 4096 ranks takes 8190 steps
  CHECK(m.seconds(collective(AG, 1024, 4096, 8)) > 10 * last);
}

TEST_CASE("oversubscription divides the bandwidth between nodes and leaves the inside alone") {
  Machine m = machine(kH100);
  double before = m.seconds(collective(AG, 1e9, 64, 8)), inside = m.seconds(collective(AG, 1e9, 8, 8));
  m.network[1].oversubscription = 2;
  CHECK(m.seconds(collective(AG, 1e9, 64, 8)) > 1.5 * before);
  CHECK(m.seconds(collective(AG, 1e9, 8, 8)) == inside);
}

TEST_CASE("a third tier counts only for a group that crosses it") {
  Machine m = machine(kH100);
  m.network[1].size = 64;
  m.network.push_back({"infiniband", 0, {50e9}, {5e-6}, 4, hw_profiles::InNetwork::none});
  Collective rack{AG, {1e9}, {64, {8, 64, 64}}}, pod{AG, {1e9}, {128, {8, 64, 128}}};
  CHECK(m.seconds(rack) == doctest::Approx(machine(kH100).seconds(collective(AG, 1e9, 64, 8))));
  CHECK(m.seconds(pod) > 3 * m.seconds(rack));
}

TEST_CASE("one rank, or nothing to send, costs nothing") {
  Machine m = machine(kA100);
  CHECK(m.seconds(collective(AR, 1e9, 1, 1)) == 0);
  CHECK(m.seconds(collective(AR, 0, 8, 8)) == 0);
  CHECK(m.seconds(SendRecv{{0}, 1}) == 0);
}

TEST_CASE("a tier without rows gets the default, marked assumed") {
  Machine m = machine(kA100);
  m.network[1].name = "carrier-pigeon";
  CHECK(cost(collective(AR, 1e9, 16, 8), m.device()).provenance == Provenance::assumed);
}

TEST_CASE("copies that cross between nodes once: the NICs carry their share, the inside spreads every byte") {
  Machine m = machine(kH100);
  Collective even = collective(A2A, 1e9, 64, 8), once = even;
  once.crossing = 0.5;
  const double latency = m.seconds(collective(A2A, 1, 64, 8));
  CHECK(within((m.seconds(once) - latency) / (m.seconds(even) - latency), 0.5, 0.03));  // the NICs are slower here
  once.crossing = 1e-6;  // now the inside is: 7/8 of all bytes at the rate of a node
  CHECK(within(m.seconds(once), m.seconds(collective(A2A, 1e9, 8, 8)), 0.15));
}

// collectives_nvl72_and_multi_node.csv: 16 B300 with 16 x 400 Gb/s a node.
TEST_CASE("two nodes whose switches add exchange their sums, which a ring would carry twice") {
  Machine m = machine(kB200);
  m.network[1].bandwidth = {100e9};
  CHECK(within(busbw(m, AR, 1024 * kMiB, 16, 8), 770, 0.1));
  CHECK(within(busbw(m, AR, 8192 * kMiB, 16, 8), 870, 0.15));
  const double two = m.seconds(collective(AR, 1024 * kMiB, 16, 8));
  CHECK(two > m.seconds(collective(AR, 1024 * kMiB, 8, 8)));
  CHECK(two < m.seconds(collective(AR, 1024 * kMiB, 32, 8)));
  Collective integers = collective(AR, 1024 * kMiB, 16, 8);
  integers.in_switch = false;
  CHECK(m.seconds(integers) > 1.1 * two);
}

// moe_alltoall_deepep_b200_sxm_1node.csv: 4096 tokens of 4096 in bf16, 8 of 128 experts, 20 SMs.
TEST_CASE("tokens dealt by a kernel have a row of their own, and without one that of an all-to-all") {
  Collective combine = collective(A2A, 4096.0 * 5.337 * 4096 * 2, 8, 8), plain = combine;
  combine.dealt = true;
  CHECK(within(machine(kB200).seconds(combine), 576e-6, 0.1));
  CHECK(machine(kB200).seconds(plain) < 0.6 * machine(kB200).seconds(combine));
  CHECK(machine(kA100).seconds(combine) == machine(kA100).seconds(plain));
}

TEST_CASE("what crosses counts for groups of several nodes only") {
  Machine m = machine(kH100);
  double last = 0;
  for (double crossing : {0.25, 0.5, 0.75, 1.0}) {
    Collective inside = collective(A2A, 1e8, 8, 8), across = collective(A2A, 1e8, 32, 8);
    inside.crossing = across.crossing = crossing;
    CHECK(m.seconds(inside) == m.seconds(collective(A2A, 1e8, 8, 8)));
    CHECK(m.seconds(across) >= last);
    last = m.seconds(across);
  }
}

TEST_CASE("switches that add on every way halve the bytes of an all-reduce, and of nothing else") {
  Machine ring = machine(kA100), adds = ring, inside = ring;
  for (hw_profiles::Tier& tier : adds.network) tier.reduction = hw_profiles::InNetwork::half_bytes;
  inside.network[0].reduction = hw_profiles::InNetwork::half_bytes;
  for (const int64_t ranks : {8, 32}) {
    const double less = ring.seconds(collective(AR, 512 * kMiB, ranks, 8));
    CHECK(adds.seconds(collective(AR, 1024 * kMiB, ranks, 8)) <= less);
    for (const auto kind : {AG, RS, A2A})
      CHECK(adds.seconds(collective(kind, 512 * kMiB, ranks, 8)) ==
            ring.seconds(collective(kind, 512 * kMiB, ranks, 8)));
  }
  // All tiers on the way have to add.
  CHECK(inside.seconds(collective(AR, 512 * kMiB, 32, 8)) == ring.seconds(collective(AR, 512 * kMiB, 32, 8)));
  CHECK(adds.seconds(collective(AR, 512 * kMiB, 32, 8)) == ring.seconds(collective(AR, 256 * kMiB, 32, 8)));
  CHECK(adds.seconds(collective(AR, 512 * kMiB, 1, 1)) == 0);
}

// Pati 2024, section 8.6.1: each rank has a link to each other one, and a chunk one step to its owner.
TEST_CASE("fully connected ranks take the ring's time for the bytes, and one step for each half") {
  Machine m = machine(kV100);
  Machine linked = m;
  linked.network[0].wiring = hw_profiles::Wiring::fully_connected;
  const double hop = collective_row(m.device(), 0, CollectivePart::reduce_scatter).step.value + 0.6e-6;
  for (const CollectiveKind kind : {RS, AG})
    for (int64_t ranks : {2, 8}) {
      linked.network[0].size = ranks;
      const Collective op = collective(kind, 64 * kMiB, ranks, ranks);
      CHECK(m.seconds(op) - linked.seconds(op) == doctest::Approx(static_cast<double>(ranks - 2) * hop));
    }
  linked.network[0].size = 8;
  CHECK(linked.seconds(collective(AR, kMiB, 8, 8)) < m.seconds(collective(AR, kMiB, 8, 8)));
  // Half of the ranks reach each other by three of seven links.
  const double all = busbw(linked, RS, 4096 * kMiB, 8, 8), half = busbw(linked, RS, 4096 * kMiB, 4, 4);
  CHECK(half / all == doctest::Approx(3.0 / 7).epsilon(0.02));
  // A group that leaves its node goes around as before.
  const Collective far = collective(AR, 64 * kMiB, 16, 8);
  CHECK(linked.seconds(far) == m.seconds(far));
}
