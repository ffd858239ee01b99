#include "tests/planner/workload/lower/mixtures.h"

namespace mixtures {

Scenario mixture(const Sets& sets) { return sample::scenario(kMixture, sets); }

std::string set(const std::string& path, int64_t n) { return path + "=" + std::to_string(n); }

Block expert_layer(const Workload& w) {
  for (const Block& block : w.blocks)
    if (block.layer.experts) return block;
  FAIL("no layer has experts");
  return w.layer();
}

double gemm_flops(const Scenario& s) {
  return over_ranks(s, sample::workload(s), [](const Block& block) {
    double flops = 0;
    for (const WorkOp& op : block.ops) flops += sample::gemm_flops(op);
    return flops;
  });
}

std::map<std::string, double> traffic(const Scenario& s) {
  const Workload w = sample::workload(s);
  std::map<std::string, double> bytes;
  for (const Block& block : w.blocks)
    for (const WorkOp& op : block.ops)
      if (std::holds_alternative<operator_models::Vector>(op.op) && !op.of_weights) bytes[op.name] = 0;
  for (auto& [name, sum] : bytes)
    sum = over_ranks(s, w, [&name = name](const Block& block) {
      double of_block = 0;
      for (const WorkOp& op : sample::named(block.ops, name)) {
        const auto& v = std::get<operator_models::Vector>(op.op);
        of_block += op.count * (v.read + v.written).value;
      }
      return of_block;
    });
  return bytes;
}

double weights(const Scenario& s) {
  const Workload w = sample::workload(s);
  const auto& p = s.parallelism;
  double sum = 0;
  for (int id : w.class_of_stage)
    sum += w.sum(w.classes[static_cast<size_t>(id)].total(), [&](const Block& block) {
      double of_block = 0;
      for (const planner::Weight& weight : block.weights) {
        const bool whole = weight.split == Split::none || weight.split == Split::sequence;
        const double shards = static_cast<double>(whole ? 1 : weight.routed ? p.etp : p.tp);
        of_block += weight.parameters * shards * static_cast<double>(weight.routed ? p.ep : 1);
      }
      return of_block;
    });
  return sum;
}

}  // namespace mixtures
