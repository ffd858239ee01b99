#include <set>
#include <string>

#include "operator_models/standard_error.h"
#include "tests/operator_models/devices.h"

using namespace operator_models;
using namespace test;

namespace {

/// One operator of each kind.
std::vector<Operator> samples() {
  return {Gemm{.m = 4096, .n = 4096, .k = 4096},
          Attention{.kernel = "flash3", .heads = 32, .kv_heads = 32, .queries = 2048, .keys = 2048, .head_dim = 128},
          Vector{VectorKind::softmax, 1e7, {2e7}, {2e7}, 5},
          Lookup{.rows = 4096, .width = 4096},
          Update{.algorithm = "adam", .parameters = 1e8, .read_bytes = 16, .written_bytes = 14},
          Collective{CollectiveKind::all_reduce, {1e8}, {8, {8, 8}}},
          SendRecv{{1e7}, 1},
          HostCopy{{1e7}},
          HostUpdate{{.algorithm = "adam", .parameters = 1e8, .read_bytes = 16, .written_bytes = 14}},
          NearUpdate{{.algorithm = "adam", .parameters = 1e8, .read_bytes = 16, .written_bytes = 14}},
          ConcurrentGemms{{.m = 512, .n = 1024, .k = 1024}, 4},
          Scan{.rule = ScanRule::delta, .heads = 32, .key_heads = 16, .length = 4096, .key_dim = 128, .value_dim = 128},
          Selection{.queries = 4096, .keys = 4096, .heads = 64, .head_dim = 128, .top_k = 2048}};
}

}  // namespace

/// Models that leave to another what the calibration holds no measurement of.
bool falls_back(const ModelRow& row) {
  const std::string_view name = row.name;
  return name == "baseline" || name == "table" || name == "three_region" || name == "pmnf";
}

TEST_CASE("every row of the registry runs on a sample operator of its kind") {
  Machine m = machine(kH100);
  size_t rows = 0;
  for (const Operator& op : samples())
    for (const ModelRow& row : registry()) {
      if (row.kind != kind_of(op)) continue;
      ++rows;
      INFO(std::string(row.kind) << " " << std::string(row.name));
      Cost c = cost(op, m.device(), {{std::string(row.kind), std::string(row.name)}});
      CHECK(c.seconds.value > 0);
      CHECK((falls_back(row) || c.model == row.name));
      CHECK(c.relative_error > 0);
      CHECK(std::string(row.summary).size() > 20);
    }
  CHECK(rows == registry().size());
}

/// Every row of a calibration that prices a sample operator states this error.
void state_error(Calibration& c, double error) {
  for (auto& [precision, row] : c.gemm) row.relative_error = error;
  for (auto& [kernel, row] : c.attention) row.relative_error = error;
  for (auto& [kind, row] : c.vector) row.relative_error = error;
  for (auto& [tier, row] : c.collective) row.relative_error = error;
  for (auto& [rule, row] : c.scan) row.relative_error = error;
  c.scan["delta"].relative_error = c.selection["default"].relative_error = error;
  c.host.relative_error = error;
  c.concurrency.relative_error = error;
}

TEST_CASE("a row's own error is used, and that of its provenance where it states none") {
  for (const Operator& op : samples()) {
    INFO(std::string(kind_of(op)));
    Machine m = machine(kH100);
    state_error(m.calibration, 0.07);
    const bool has_row = !std::holds_alternative<NearUpdate>(op);  // no measurements exist
    CHECK((!has_row || cost(op, m.device()).relative_error == 0.07));
    state_error(m.calibration, 0);
    const Cost c = cost(op, m.device());
    CHECK(c.relative_error == standard_error(c.provenance));
  }
}

TEST_CASE("figures further from a measurement have larger errors") {
  CHECK(standard_error(Provenance::measured) > 0);
  CHECK(standard_error(Provenance::measured) < standard_error(Provenance::interpolated));
  CHECK(standard_error(Provenance::interpolated) < standard_error(Provenance::datasheet));
  CHECK(standard_error(Provenance::datasheet) < standard_error(Provenance::assumed));
  CHECK(standard_error(Provenance::interpolated) < standard_error(Provenance::extrapolated));
  CHECK(standard_error(Provenance::extrapolated) < standard_error(Provenance::assumed));
}

TEST_CASE("the first row of a kind is its default") {
  Machine m = machine(kH100);
  std::set<std::string> seen;
  for (const ModelRow& row : registry()) {
    if (!seen.insert(std::string(row.kind)).second) continue;
    for (const Operator& op : samples())
      if (row.kind == kind_of(op)) {
        const Cost c = cost(op, m.device()),
                   chosen = cost(op, m.device(), {{std::string(row.kind), std::string(row.name)}});
        CHECK(c.seconds == chosen.seconds);
        CHECK(std::string(c.model) == chosen.model);
      }
  }
  CHECK(std::string(cost(Gemm{.m = 1, .n = 1, .k = 1}, m.device()).model) == "wave");
}

TEST_CASE("names of models are known by kind") {
  CHECK(known_model("gemm", "wave"));
  CHECK(known_model("gemm", "roofline"));
  CHECK(known_model("collective", "alpha-beta"));
  CHECK_FALSE(known_model("gemm", "alpha-beta"));
  CHECK_FALSE(known_model("gemm", ""));
  CHECK_FALSE(known_model("no-such-kind", "wave"));
}

TEST_CASE("every calibration of the catalogue reads, and its tiles come in threes") {
  for (const MachineNames& names : kAllMachines) {
    INFO(std::string(names.calibration));
    Machine m = machine(names);
    CHECK(m.calibration.name == names.calibration);
    CHECK(m.calibration.launch.value > 0);
    CHECK(m.calibration.attention.count("default") == 1);
    CHECK(m.calibration.vector.count("default") == 1);
    CHECK(m.calibration.collective.count("default") == 1);
    for (const auto& [precision, row] : m.calibration.gemm) {
      const auto& said = precision;
      INFO(said);
      if (row.like) continue;  // another row's tiles
      CHECK(row.tile_m.size() == row.tile_n.size());
      CHECK(row.tile_m.size() == row.tile_efficiency.size());
      CHECK_FALSE(row.tile_m.empty());
    }
  }
}

TEST_CASE("every calibration knows the kernels that the planner names") {
  for (const MachineNames& names : kAllMachines) {
    if (std::string(names.calibration) == "v100-sxm") continue;  // no flash attention on Volta
    Machine m = machine(names);
    for (const char* kernel : {"flash2", "triton-flash", "te", "cudnn-fused", "sdpa", "flash1"}) {
      INFO(std::string(names.calibration) << " " << kernel);
      CHECK(m.calibration.attention.count(kernel) == 1);
    }
  }
}

TEST_CASE("a device without a calibration is priced by the documented defaults") {
  Machine m = machine(kH100);
  m.calibration = {};
  for (const Operator& op : samples()) {
    Cost c = cost(op, m.device());
    INFO(std::string(kind_of(op)));
    CHECK(c.seconds.value > 0);
    CHECK(c.provenance == Provenance::assumed);
  }
}
