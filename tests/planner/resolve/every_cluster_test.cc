// Over every shipped cluster: nothing beats the links, the matrix engines or the memory that its datasheet has, and
// collectives that move the same bytes cost alike.
#include <fmt/format.h>

#include "dsl/catalog.h"
#include "operator_models/cost.h"
#include "planner/scenario/vocabulary.h"
#include "planner/workload/cost.h"
#include "tests/planner/sample.h"

using namespace operator_models;

namespace {

/// A device of each cluster of the catalogue.
struct Place {
  std::string cluster;
  planner::Scenario scenario;

  Device device() const {
    Device d = planner::device_of(scenario);
    d.launch = {};
    return d;
  }
  double seconds(const Operator& op) const { return cost(op, device()).seconds.value; }
  const hw_profiles::Tier& nearest() const { return scenario.cluster.network.front(); }
  /// Groups of GPUs below one innermost switch.
  std::vector<int64_t> groups() const {
    std::vector<int64_t> out;
    const int64_t most = nearest().size == 0 ? 16 : std::min<int64_t>(nearest().size, 72);
    for (int64_t n = 2; n <= most; n *= 2) out.push_back(n);
    return out;
  }
  Collective collective(CollectiveKind kind, int64_t ranks, double bytes) const {
    Collective c{.kind = kind, .bytes = {bytes}, .group = {.ranks = ranks, .inside = {}}};
    c.group.inside.resize(scenario.cluster.network.size(), ranks);
    return c;
  }
};

/// Parts older than 2020 have no bf16; without a layer in it nothing else of the scenario matters.
std::string precision_of(const std::string& cluster) {
  for (const char* old : {"dgx-1", "dgx-2", "dpro-v100", "gv100", "vega", "deep", "jureca"})
    if (cluster.find(old) != std::string::npos) return "job.precision=fp16";
  return "job.precision=bf16";
}

std::vector<Place> every_place() {
  std::vector<Place> out;
  for (const std::string& name : dsl::catalog_names({planner::builtin_catalog(), {}}, "cluster"))
    out.push_back({name, sample::scenario(sample::kLlama, {"cluster.use=" + name, "cluster.gpus=1",
                                                           "software.attention=unfused", precision_of(name)})});
  return out;
}

/// Bytes that a rank sends at least, over those of the collective: rings and pairs alike. A switch that adds takes the
/// buffer once.
double sent_share(const Collective& c, bool adds) {
  const double n = static_cast<double>(c.group.ranks), others = (n - 1) / n;
  return c.kind == CollectiveKind::all_reduce ? (adds ? 1 : 2 * others) : others;
}

}  // namespace

TEST_CASE("no collective inside a node beats its links") {
  for (const Place& place : every_place())
    for (const int64_t n : place.groups())
      for (const CollectiveKind kind : {CollectiveKind::all_reduce, CollectiveKind::all_gather,
                                        CollectiveKind::reduce_scatter, CollectiveKind::all_to_all})
        for (double bytes = 1 << 12; bytes <= 1 << 30; bytes *= 2) {
          const Collective c = place.collective(kind, n, bytes);
          const double least = sent_share(c, place.nearest().reduction != hw_profiles::InNetwork::none) * bytes /
                               place.nearest().bandwidth.value;
          CHECK_MESSAGE(place.seconds(c) >= 0.98 * least,
                        fmt::format("{}: {} of {} B over {}: {} us, links {} us", place.cluster, name(kind), bytes, n,
                                    1e6 * place.seconds(c), 1e6 * least));
        }
}

TEST_CASE("a reduce-scatter costs about what the all-gather of its bytes costs") {
  for (const Place& place : every_place())
    for (const int64_t n : place.groups())
      for (double bytes = 1 << 12; bytes <= 1 << 30; bytes *= 2) {
        const double gather = place.seconds(place.collective(CollectiveKind::all_gather, n, bytes)),
                     scatter = place.seconds(place.collective(CollectiveKind::reduce_scatter, n, bytes));
        CHECK_MESSAGE(std::max(gather / scatter, scatter / gather) < 1.7,
                      fmt::format("{}: {} B over {}: all-gather {} us, reduce-scatter {} us", place.cluster, bytes, n,
                                  1e6 * gather, 1e6 * scatter));
      }
}

TEST_CASE("no GEMM beats the matrix engines, and none the memory") {
  for (const Place& place : every_place())
    for (size_t i = 0; i < hw_profiles::kPrecisionNames.size(); ++i) {
      const auto precision = static_cast<Precision>(i);
      const auto peak = place.scenario.cluster.gpu.flops.at(precision);
      if (!peak) continue;
      for (const int64_t m : {1, 64, 1024, 8192, 65536})
        for (const int64_t n : {64, 1024, 8192, 32768})
          for (const int64_t k : {64, 1024, 8192, 32768}) {
            const double each = precision >= Precision::fp8 ? 1 : precision >= Precision::fp16 ? 2 : 4;
            const Gemm g{.m = m, .n = n, .k = k, .precision = precision, .a_bytes = each, .b_bytes = each};
            const double flops = 2.0 * static_cast<double>(m * n) * static_cast<double>(k);
            CHECK_MESSAGE(place.seconds(g) >= flops / peak->value,
                          fmt::format("{} {}: {} x {} x {} at {:.3g} of the peak", place.cluster, name(precision), m, n,
                                      k, flops / peak->value / place.seconds(g)));
          }
    }
}

TEST_CASE("no attention kernel beats the matrix engines") {
  for (const Place& place : every_place()) {
    const double peak = place.scenario.cluster.gpu.flops.at(Precision::bf16).value_or(dsl::FlopsPerSecond{0}).value;
    if (peak == 0) continue;
    for (const auto& [kernel, row] : place.scenario.calibration.attention)
      for (const int64_t s : {512, 4096, 32768})
        for (const int64_t head : {64, 128})
          for (const bool backward : {false, true}) {
            const Attention a{.kernel = kernel,
                              .heads = 32,
                              .kv_heads = 8,
                              .queries = s,
                              .keys = s,
                              .head_dim = head,
                              .backward = backward};
            const auto& said = kernel;
            const double flops =
                (backward ? 2.5 : 1) * 2 * 32.0 * static_cast<double>(s * s) * static_cast<double>(head);
            CHECK_MESSAGE(place.seconds(a) >= flops / peak, fmt::format("{} {} {} {}", place.cluster, said, s, head));
          }
  }
}

TEST_CASE("no kernel bound by memory beats it") {
  for (const Place& place : every_place()) {
    const double bandwidth = place.scenario.cluster.gpu.memory_bandwidth.value;
    for (size_t kind = 0; kind < kVectorKindNames.size(); ++kind)
      for (const int64_t width : {0, 1024, 8192}) {
        const double bytes = 16.0 * static_cast<double>(int64_t{1} << 30);  // beyond every cache
        const Vector v{.kind = static_cast<VectorKind>(kind),
                       .elements = bytes / 4,
                       .read = {bytes / 2},
                       .written = {bytes / 2},
                       .width = width};
        CHECK_MESSAGE(place.seconds(v) >= bytes / bandwidth,
                      fmt::format("{} {}", place.cluster, kVectorKindNames[kind]));
      }
    const Update u{.algorithm = "adam", .parameters = 1e9, .read_bytes = 16, .written_bytes = 14};
    CHECK(place.seconds(u) >= 30e9 / bandwidth);
  }
}
