#include <algorithm>
#include <array>
#include <utility>

#include "planner/workload/insert.h"
#include "planner/workload/passes/passes.h"

namespace planner {
namespace {

// Recompute comes after the passes that insert collectives into a layer, so that it repeats them. Data parallelism
// needs the stages; the optimizer needs the shards. Offloading takes part of the result of all of them, and units near
// memory the part that remains on the GPU.
void keep_forward(Block& block) {
  std::vector<bool> gone;
  for (const WorkOp& op : block.ops) gone.push_back(op.phase != StepPhase::forward);
  remove_ops(block, gone);
}

// Prompt processing and evaluation: forward operators only, nothing kept for a backward pass.
void apply_phase(const Scenario& s, Workload& w) {
  if (s.job.phase != Phase::forward) return;
  for (Block& block : w.blocks) {
    keep_forward(block);
    std::erase_if(block.moments, [](const Moment& m) { return m.phase != StepPhase::forward; });
    block.moments.push_back({.name = block.name, .phase = StepPhase::forward, .alive = block.saved});
    block.saved.clear();
  }
}

constexpr std::array kPasses{
    PassRow{"phase", "keeps the forward operators of a forward-only job", apply_phase},
    PassRow{"context", "divides the tokens of a sequence, moves keys and values or heads around", apply_context},
    PassRow{"tables", "deals embedding tables to data ranks, exchanges their rows", apply_tables},
    PassRow{"experts", "deals experts to ranks, sends tokens to them and back", apply_experts},
    PassRow{"adapters", "freezes the weights of the model and puts low-rank adapters beside them", apply_adapters},
    PassRow{"tensor", "divides heads and widths, inserts collectives of tensor and sequence parallelism", apply_tensor},
    PassRow{"fused", "runs reduce-scatters, and exchanges with experts, beside the GEMMs that write what they move",
            apply_fused},
    PassRow{"ungroup", "runs the experts of a rank one after the other where the software has no grouped kernel",
            apply_ungroup},
    PassRow{"recompute", "drops saved activations and repeats the forward operators that rebuild them",
            apply_recompute},
    PassRow{"fusion", "joins kernels bound by memory to the kernel whose result they read", apply_fusion},
    PassRow{"host-modules", "finds the kept tensors of the modules that go to host memory", apply_host_modules,
            PassOf::blocks, offloads_modules},
    PassRow{"pipeline", "deals layers, embedding and head to stages and chunks", apply_pipeline, PassOf::stages},
    PassRow{"units", "gathers parameters and reduces gradients in every microbatch: ZeRO-2, ZeRO-3, FSDP", apply_units,
            PassOf::units, works_on_units},
    PassRow{"host-layers", "moves weights and activations to host memory and back, layer by layer", apply_host_layers,
            PassOf::units, moves_layers},
    PassRow{"data", "reduces gradients and gathers parameters once a step: DDP, ZeRO, HSDP, or servers", apply_data,
            PassOf::steps},
    PassRow{"optimizer", "the update of the parameters a rank owns", apply_optimizer, PassOf::steps},
    PassRow{"offload", "moves optimizer states to the host, which updates them", apply_offload, PassOf::steps},
    PassRow{"near-memory", "has the parameters updated by units near the memory of the GPU", apply_near_memory,
            PassOf::steps},
};

bool acts(const PassRow& pass, const Scenario& scenario) { return !pass.acts || pass.acts(scenario); }

void apply_all(PassOf of, const Scenario& scenario, Workload& workload) {
  for (const PassRow& pass : kPasses)
    if (pass.of == of && acts(pass, scenario)) pass.apply(scenario, workload);
}

template <class Counts> Parameters parameters_where(const std::vector<Weight>& weights, Counts counts) {
  Parameters sum;
  for (const Weight& w : weights)
    if (counts(w)) (w.routed ? sum.routed : sum.common) += w.parameters;
  return sum;
}

double bytes_of(const std::vector<Saved>& tensors) {
  double sum = 0;
  for (const Saved& s : tensors) sum += s.bytes / static_cast<double>(s.of_layers);
  return sum;
}

}  // namespace

std::span<const PassRow> passes() { return kPasses; }

Workload build_blocks(const Scenario& scenario) {
  Workload workload = lower(scenario);
  apply_all(PassOf::blocks, scenario, workload);
  return workload;
}

void build_units(const Scenario& scenario, Workload& workload) { apply_all(PassOf::units, scenario, workload); }

bool has_units(const Scenario& scenario) {
  return std::ranges::any_of(kPasses,
                             [&](const PassRow& pass) { return pass.of == PassOf::units && acts(pass, scenario); });
}

void build_step_ops(const Scenario& scenario, Workload& workload) { apply_all(PassOf::steps, scenario, workload); }

Workload build_workload(const Scenario& scenario) {
  Workload workload = build_blocks(scenario);
  apply_all(PassOf::stages, scenario, workload);
  build_units(scenario, workload);
  build_step_ops(scenario, workload);
  return workload;
}

Workload::Workload(const Workload&) = default;
Workload::Workload(Workload&&) noexcept = default;
Workload& Workload::operator=(const Workload&) = default;
Workload& Workload::operator=(Workload&&) noexcept = default;
Workload::~Workload() = default;

Chunk StageClass::total() const {
  Chunk sum = chunks.front();
  for (size_t c = 1; c < chunks.size(); ++c)
    for (size_t i = 0; i < sum.size(); ++i) sum[i] += chunks[c][i];
  return sum;
}

Parameters Block::held(bool tied_shares) const {
  return parameters_where(weights, [&](const Weight& w) { return !(w.tied && tied_shares); });
}

Parameters Block::trained(bool tied_shares) const {
  return parameters_where(weights, [&](const Weight& w) { return !w.frozen && !(w.tied && tied_shares); });
}

double Moment::bytes() const { return bytes_of(alive); }
double Block::saved_bytes() const { return bytes_of(saved); }

double Block::transient() const {
  double most = 0;
  for (const Moment& m : moments) most = std::max(most, m.bytes());
  return most;
}

}  // namespace planner
