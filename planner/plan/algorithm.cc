#include "planner/plan/algorithm.h"

#include <algorithm>
#include <variant>

#include "operator_models/kinds.h"
#include "operator_models/scan_work.h"
#include "planner/plan/memory.h"
#include "planner/plan/violations.h"
#include "planner/workload/passes/passes.h"

namespace planner {
namespace {

double flops_of(const Gemm& g) {
  return 2 * static_cast<double>(g.batch) * static_cast<double>(g.m) * static_cast<double>(g.n) *
         static_cast<double>(g.k);
}

double flops_of(const operator_models::ConcurrentGemms& c) { return static_cast<double>(c.at_once) * flops_of(c.gemm); }

// Two products over the full square (a mask leaves the products as they are, 5.2.3), four backward.
double flops_of(const Attention& a) {
  const int64_t most = a.selected > 0 ? a.selected : a.window;
  const int64_t keys = most > 0 ? std::min(most, a.keys) : a.keys;
  const int64_t values = a.value_dim > 0 ? a.value_dim : a.head_dim;
  return (a.backward ? 4.0 : 2.0) * static_cast<double>(a.batch) * static_cast<double>(a.heads) *
         static_cast<double>(a.queries) * static_cast<double>(keys) * static_cast<double>(a.head_dim + values);
}

double flops_of(const operator_models::Scan& s) { return operator_models::scan_work(s).matrix_flops; }

// Scores of all keys, as of attention; backward those of the chosen ones, with both gradients.
double flops_of(const operator_models::Selection& s) {
  const double keys = static_cast<double>(s.backward ? 3 * std::min(s.top_k, s.keys) : s.keys);
  return 2 * static_cast<double>(s.batch * s.heads) * static_cast<double>(s.queries * s.head_dim) * keys;
}

// An operator that multiplies matrices has its own above, or does not compile.
template <class Op>
requires(!operator_models::kKinds[operator_models::alternative<Op>()].multiplies) double flops_of(const Op&) {
  return 0;
}

// Tensor parallelism blocks whatever the software hides of it; other dimensions only where nothing can.
double blocking_bytes(const WorkOp& w) {
  const auto* c = std::get_if<Collective>(&w.op);
  if (!c) return 0;
  const bool tensor = w.purpose == Purpose::tp || w.purpose == Purpose::sp;
  if (!tensor && (w.hide != Hide::nothing || w.purpose == Purpose::fsdp || w.purpose == Purpose::dp)) return 0;
  const bool half = c->kind == CollectiveKind::all_gather || c->kind == CollectiveKind::reduce_scatter;
  return w.count * c->bytes.value * (half ? 0.5 : 1);
}

SlackRow slack_row(const Block& block, const WorkOp& wgrad, bool several, double element) {
  const std::string matrix = matrix_of(wgrad);
  SlackRow row{.name = several ? block.name.str() + "/" + matrix : matrix, .flops = product_flops(wgrad)};
  row.overlapped_bytes = element * matrix_elements(wgrad);
  for (const WorkOp& w : block.ops)
    if (is_data_gradient_of(w, wgrad)) row.flops += product_flops(w);
  return row;
}

void count_block(Algorithm& a, const Block& block, double repeats) {
  for (const WorkOp& w : block.ops) {
    if (w.phase != StepPhase::forward && w.phase != StepPhase::backward) continue;
    a.compute_flops += repeats * product_flops(w);
    a.serialized_bytes += repeats * blocking_bytes(w);
  }
}

}  // namespace

bool is_weight_gradient(const WorkOp& w) { return w.weight_gradient && std::holds_alternative<Gemm>(w.op); }

bool is_data_gradient_of(const WorkOp& w, const WorkOp& wgrad) { return w.data_gradient && w.product == wgrad.product; }

double matrix_elements(const WorkOp& wgrad) {
  const auto& g = std::get<Gemm>(wgrad.op);
  return static_cast<double>(g.batch) * static_cast<double>(g.m) * static_cast<double>(g.n);
}

std::string matrix_of(const WorkOp& wgrad) {
  const std::string name = wgrad.name;
  return name.substr(0, name.rfind('.'));
}

double product_flops(const WorkOp& w) {
  return w.count * std::visit([](const auto& op) { return flops_of(op); }, w.op);
}

size_t fullest_class(const Workload& w) {
  const auto most = std::ranges::max_element(w.classes, {}, &StageClass::layers);
  return static_cast<size_t>(most - w.classes.begin());
}

Algorithm count_algorithm(const Scenario& s, const Workload& w) {
  Algorithm a;
  const Chunk held = w.classes[fullest_class(w)].total();
  const bool several = std::ranges::count(w.blocks, BlockKind::layer, &Block::kind) > 1;
  for (size_t i = 0; i < held.size(); ++i) {
    const Block& block = w.blocks[i];
    if (held[i] == 0 || block.kind != BlockKind::layer) continue;
    count_block(a, block, static_cast<double>(held[i] * w.microbatches));
    for (const WorkOp& op : block.ops)
      if (is_weight_gradient(op)) a.layers.push_back(slack_row(block, op, several, w.width_bytes));
  }
  if (a.serialized_bytes > 0) a.edge_flops_per_byte = a.compute_flops / a.serialized_bytes;
  const double sequence = static_cast<double>(s.job.sequence);
  a.edge_order = (static_cast<double>(s.model.hidden) + sequence) / static_cast<double>(s.parallelism.tp);
  a.slack_order = sequence * static_cast<double>(s.parallelism.microbatch);
  return a;
}

double required_tp(const Scenario& s, const TensorBase& base) {
  const double p = parameters(s.model) / base.parameters;
  return base.tp * p / (s.cluster.gpu.memory.value / base.memory_bytes);
}

std::optional<int64_t> fitting_tp(const Scenario& scenario) {
  Scenario s = scenario;
  for (const Degree& degree : degrees()) s.parallelism.*degree.value = 1;
  s.parallelism.interleave = s.parallelism.zero_group = 1;
  s.parallelism.stages.clear();
  s.job.global_batch = s.parallelism.microbatch;
  for (int64_t tp = 1; tp <= s.model.heads && s.model.heads % tp == 0; tp *= 2) {
    s.parallelism.tp = s.cluster.gpus = tp;
    if (!layout_violations(s).empty()) continue;
    if (!make_memory(s, build_workload(s)).device.overflows()) return tp;
  }
  return std::nullopt;
}

}  // namespace planner
