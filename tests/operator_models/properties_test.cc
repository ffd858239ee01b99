#include <rapidcheck.h>

#include "tests/operator_models/devices.h"

using namespace operator_models;
using namespace test;

namespace {

/// A size of any magnitude, zero included.
int64_t size() {
  int64_t bits = *rc::gen::inRange<int64_t>(0, 18);
  return *rc::gen::inRange<int64_t>(0, (int64_t{1} << bits) + 1);
}
double bytes() { return std::pow(2.0, *rc::gen::inRange(0, 40)) * *rc::gen::inRange(0, 3); }

Precision precision() {
  return *rc::gen::element(Precision::fp32, Precision::tf32, Precision::fp16, Precision::bf16, Precision::fp8,
                           Precision::mxfp8, Precision::nvfp4);
}

Gemm any_gemm() {
  return {.batch = *rc::gen::inRange<int64_t>(0, 200),
          .m = size(),
          .n = size(),
          .k = size(),
          .precision = precision(),
          .accumulate = *rc::gen::arbitrary<bool>()};
}
Attention any_attention() {
  return {.kernel = *rc::gen::element<std::string>("flash2", "te", "flash3", "triton-flash", "unknown"),
          .batch = size() % 64,
          .heads = size() % 129,
          .kv_heads = size() % 129,
          .queries = size(),
          .keys = size(),
          .head_dim = size() % 257,
          .causal = *rc::gen::arbitrary<bool>(),
          .backward = *rc::gen::arbitrary<bool>(),
          .precision = precision(),
          .value_dim = size() % 257,
          .window = size()};
}
Scan any_scan() {
  return {.rule = static_cast<ScanRule>(*rc::gen::inRange<size_t>(0, kScanRuleNames.size())),
          .batch = size() % 64,
          .heads = size() % 129,
          .key_heads = size() % 129,
          .length = size(),
          .key_dim = size() % 257,
          .value_dim = size() % 257,
          .chunk = size(),
          .precision = precision(),
          .backward = *rc::gen::arbitrary<bool>()};
}
Selection any_selection() {
  return {.batch = size() % 64,
          .queries = size(),
          .keys = size(),
          .heads = size() % 129,
          .head_dim = size() % 257,
          .top_k = size(),
          .causal = *rc::gen::arbitrary<bool>(),
          .precision = precision(),
          .backward = *rc::gen::arbitrary<bool>()};
}
Collective any_collective() {
  auto kind = static_cast<CollectiveKind>(*rc::gen::inRange(0, 5));
  int64_t inside = *rc::gen::inRange<int64_t>(1, 9), nodes = *rc::gen::inRange<int64_t>(1, 600);
  return {kind, {bytes()}, {inside * nodes, {inside, inside * nodes}}, *rc::gen::inRange(1, 5) / 4.0};
}
Operator any_operator() {
  switch (*rc::gen::inRange(0, 13)) {
    case 0:
      return any_gemm();
    case 1:
      return any_attention();
    case 2:
      return Vector{static_cast<VectorKind>(*rc::gen::inRange(0, 9)), bytes(), {bytes()}, {bytes()}, 3};
    case 3:
      return Lookup{.rows = size(), .width = size(), .backward = *rc::gen::arbitrary<bool>()};
    case 4:
      return Update{
          .algorithm = "adam", .parameters = bytes(), .read_bytes = 16, .written_bytes = 14, .kernels = size()};
    case 5:
      return any_collective();
    case 6:
      return HostCopy{{bytes()}, static_cast<HostDirection>(*rc::gen::inRange(0, 2))};
    case 7:
      return HostUpdate{{.algorithm = "adam", .parameters = bytes(), .read_bytes = 16, .written_bytes = 14}};
    case 8:
      return NearUpdate{
          {.parameters = bytes(), .read_bytes = 16, .written_bytes = 14, .register_commands = 5, .sums = size()}};
    case 9:
      return any_scan();
    case 10:
      return any_selection();
    case 11:
      return ConcurrentGemms{std::get<Gemm>(Operator(any_gemm())), *rc::gen::inRange<int64_t>(1, 20)};
    default:
      return SendRecv{{bytes()}, *rc::gen::inRange<int64_t>(0, 3), *rc::gen::inRange<int64_t>(1, 3)};
  }
}

bool sane(double x) { return std::isfinite(x) && x >= 0; }

/// Peaks and bandwidths of the machine times a factor.
Machine faster(Machine m, double factor) {
  for (auto* peak : {&m.gpu.flops.fp32, &m.gpu.flops.tf32, &m.gpu.flops.fp16, &m.gpu.flops.bf16, &m.gpu.flops.fp8,
                     &m.gpu.flops.mxfp8, &m.gpu.flops.nvfp4})
    if (*peak) **peak *= factor;
  m.gpu.vector_flops *= factor;
  m.gpu.memory_bandwidth *= factor;
  for (hw_profiles::Tier& tier : m.network) tier.bandwidth *= factor;
  m.host.bandwidth *= factor;
  m.host.memory_bandwidth *= factor;
  return m;
}

std::vector<Machine> all_machines() {
  std::vector<Machine> machines;
  for (const MachineNames& names : kAllMachines) machines.push_back(machine(names));
  return machines;
}

}  // namespace

TEST_CASE("no operator of any shape costs NaN, infinity or less than nothing") {
  const std::vector<Machine> machines = all_machines();
  CHECK(rc::check([&] {
    const Machine& m = machines[*rc::gen::inRange<size_t>(0, machines.size())];
    Operator op = any_operator();
    for (const ModelRow& row : registry()) {
      if (std::string(row.kind) != kind_of(op)) continue;
      Cost c = row.function(op, m.device(), {});
      RC_ASSERT(sane(c.seconds.value));
      RC_ASSERT(sane(c.flops) && sane(c.bytes_read) && sane(c.bytes_written) && sane(c.launch.value));
      RC_ASSERT(sane(c.workgroups) && sane(c.waves) && sane(c.occupancy) && c.occupancy <= 1);
      RC_ASSERT(c.launch <= c.seconds);
    }
  }));
}

TEST_CASE("more peak and more bandwidth never slow an operator") {
  const std::vector<Machine> machines = all_machines();
  CHECK(rc::check([&] {
    const Machine& m = machines[*rc::gen::inRange<size_t>(0, machines.size())];
    Operator op = any_operator();
    Machine better = faster(m, 1 + *rc::gen::inRange(1, 100) / 20.0);
    RC_ASSERT(better.seconds(op) <= m.seconds(op) * (1 + 1e-12));
  }));
}

TEST_CASE("a faster tier slows no message that is smaller or larger than those that were measured") {
  for (const Machine& m : all_machines())
    for (const double bytes : {1.0, 100.0, 1e12})
      for (const double factor : {1.05, 2.0}) {
        const SendRecv message{{bytes}, 0};
        const Collective sum{CollectiveKind::all_reduce, {bytes}, {2, {2, 2}}};
        const Machine better = faster(m, factor);
        CHECK(better.seconds(message) <= m.seconds(message) * (1 + 1e-12));
        CHECK(better.seconds(sum) <= m.seconds(sum) * (1 + 1e-12));
      }
}

TEST_CASE("more bytes never make a collective or a message faster") {
  const std::vector<Machine> machines = all_machines();
  CHECK(rc::check([&] {
    const Machine& m = machines[*rc::gen::inRange<size_t>(0, machines.size())];
    Collective small = any_collective(), large = small;
    large.bytes = small.bytes + dsl::Bytes{bytes()};
    RC_ASSERT(m.seconds(small) <= m.seconds(large) * (1 + 1e-12));
    RC_ASSERT(m.seconds(SendRecv{small.bytes, 1}) <= m.seconds(SendRecv{large.bytes, 1}) * (1 + 1e-12));
  }));
}

TEST_CASE("a smaller share of the device never speeds an operator up") {
  Machine m = machine(kH100);
  CHECK(rc::check([&] {
    Operator op = any_operator();
    double part = *rc::gen::inRange(5, 100) / 100.0;
    Cost whole = cost(op, m.device()), shared = cost(op, m.device(), {}, {.compute_units = 1, .bandwidth = part});
    RC_ASSERT(shared.seconds.value >= whole.seconds.value * (1 - 1e-12));
  }));
}

TEST_CASE("a batch of GEMMs never takes less than one of them") {
  Machine m = machine(kA100);
  CHECK(rc::check([&] {
    Gemm one = any_gemm();
    one.batch = 1;
    Gemm many = one;
    many.batch = *rc::gen::inRange<int64_t>(2, 600);
    RC_ASSERT(m.seconds(many) >= m.seconds(one) * (1 - 1e-12));
  }));
}
