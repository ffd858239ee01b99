#include "tests/operator_models/devices.h"

namespace test {

namespace {

/// The node under a key of its own.
dsl::Node below(const char* key, dsl::Node node) {
  dsl::Node map(dsl::Node::Kind::map, node.span);
  map.entries.push_back({key, node.span, std::move(node)});
  return map;
}

}  // namespace

CalibratedGpu read_gpu(const std::string& name) {
  std::string root = TRAINPLAN_SOURCE_DIR, why;
  dsl::Catalog catalog{{.files = {}, .vocabulary = planner::vocabulary()},
                       {root + "/hw_profiles", root + "/operator_models"}};
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  const dsl::Source* source = dsl::find_source(catalog, "accelerator", name, "", sources, why);
  REQUIRE_MESSAGE(source, name << ": " << why);
  dsl::Node tree = dsl::load(*source, {}, {{"calibration", "calibration"}}, catalog, sources, diagnostics);
  // Where scenarios have it: fields refer to each other by their whole paths.
  constexpr const char* kPlace = "cluster.gpu.";
  dsl::Schema schema = dsl::schema_of<CalibratedGpu>(kPlace);
  dsl::Record record = dsl::evaluate(below("cluster", below("gpu", std::move(tree))), schema, {}, diagnostics);
  for (const dsl::Diagnostic& d : diagnostics.list) FAIL_CHECK(dsl::render(d));
  REQUIRE(diagnostics.list.empty());
  return dsl::bind<CalibratedGpu>(record, kPlace);
}

Machine machine(const MachineNames& names) {
  using hw_profiles::InNetwork;
  Machine m;
  CalibratedGpu read = read_gpu(names.gpu);
  m.gpu = read.gpu;
  m.calibration = read.calibration;
  m.gpu.near_memory = {
      .channels = 64, .banks = 16, .column = {32}, .command = {3.33e-9}, .row_switch = {28e-9}, .registers = 16};
  m.network = {{"nvlink", 8, {names.nvlink}, {0.6e-6}, 1, names.reduces ? InNetwork::all_reduce : InNetwork::none},
               {"infiniband", 0, {names.nic}, {2.7e-6}, 1, InNetwork::none}};
  return m;
}

double geomean_error(const std::vector<std::pair<double, double>>& predicted_and_measured) {
  double sum = 0;
  for (auto [predicted, measured] : predicted_and_measured) sum += std::abs(std::log(predicted / measured));
  return std::exp(sum / static_cast<double>(predicted_and_measured.size())) - 1;
}

bool within(double predicted, double measured, double tolerance) {
  return std::abs(predicted / measured - 1) <= tolerance;
}

}  // namespace test
