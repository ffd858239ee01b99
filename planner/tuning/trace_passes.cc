#include "planner/tuning/trace_passes.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "operator_models/models.h"
#include "planner/replay/kernel_shapes.h"
#include "planner/replay/kernel_work.h"
#include "planner/replay/site.h"
#include "planner/trace/data_types.h"
#include "planner/trace/inputs.h"

namespace planner::tuning {
namespace {

using hw_profiles::Precision;
using replay::PhaseWork;
using trace::RankTrace;

template <class Act> void each_work(const trace::Trace& trace, const replay::TraceWork& work, Act&& act) {
  for (size_t r = 0; r < trace.size(); ++r)
    for (const replay::StepWork& step : work[r].steps)
      for (const PhaseWork& each : step.work) act(trace[r], each);
}

bool is_training(const PhaseWork& work) {
  return work.phase == replay::WorkPhase::forward || work.phase == replay::WorkPhase::backward;
}

/// The most frequent precision of kernels of the forward and the backward pass; nullopt: unknown.
std::optional<Precision> usual_precision(const TraceRun& run) {
  std::map<Precision, size_t> counts;
  each_work(run.graph.trace(), run.graph.work(), [&](const RankTrace& rank, const PhaseWork& work) {
    if (!work.shaped || !is_training(work)) return;
    for (const trace::OperatorInput& input : trace::inputs_of(rank, *work.shaped))
      if (const auto precision = trace::precision_of_type(input.type)) return void(++counts[*precision]);
  });
  const auto most = std::ranges::max_element(counts, {}, [](const auto& each) { return each.second; });
  return most == counts.end() ? std::nullopt : std::optional(most->first);
}

/// Samples of the batch: the most frequent first size of tensors of three and more dimensions in forward products and
/// convolutions; if there are none, the rows of matrices, which may be tokens; 0: unknown.
int64_t batch_of(const TraceRun& run) {
  std::map<std::pair<bool, int64_t>, size_t> counts;  // whether of a matrix
  each_work(run.graph.trace(), run.graph.work(), [&](const RankTrace& rank, const PhaseWork& work) {
    if (!work.shaped || work.phase != replay::WorkPhase::forward || !replay::multiplies(rank.name(*work.shaped)))
      return;
    for (const trace::OperatorInput& input : trace::inputs_of(rank, *work.shaped))
      if (input.tensors.size() == 1 && input.tensors.front().size() > 1)
        return void(++counts[{input.tensors.front().size() == 2, input.tensors.front().front()}]);
  });
  const auto most =
      std::ranges::max_element(counts, {}, [](const auto& each) { return std::pair(!each.first.first, each.second); });
  return most == counts.end() ? 0 : most->first.second;
}

/// Blocks of the longest forward pass; 0 if there is none.
size_t blocks_of(const TraceRun& run) {
  size_t most = 0;
  for (const replay::RankWork& rank : run.graph.work())
    for (const replay::StepWork& step : rank.steps)
      for (const replay::Round& round : step.rounds) most = std::max(most, replay::usual_blocks(round));
  return most;
}

std::string no_activations(const TraceRun& run) {
  const replay::TraceWork& work = run.graph.work();
  if (blocks_of(run) == 0) return "no forward operator of the trace says its backward pass";
  const auto is_known = [](const replay::RankWork& rank) { return rank.kept != replay::Kept::unknown; };
  if (!std::ranges::all_of(work, is_known))
    return "what the forward pass keeps is not known: profile with record_shapes=True or profile_memory=True";
  return "";
}

// The first quarter of the blocks, the first half, three quarters, all.
std::vector<TraceWay> recompute(const TraceRun& run) {
  const size_t blocks = blocks_of(run);
  std::vector<TraceWay> ways;
  size_t before = 0;
  for (size_t quarter = 1; quarter <= 4; ++quarter) {
    const size_t recomputed = blocks * quarter / 4;
    if (recomputed == before) continue;
    before = recomputed;
    ways.push_back({fmt::format("the first {} of {} blocks", recomputed, blocks), [=](TraceChoice& choice) {
                      choice.passes.blocks = blocks, choice.passes.recomputed = recomputed;
                    }});
  }
  return ways;
}

constexpr int kMostParts = 16;

std::vector<TraceWay> accumulate(const TraceRun& run) {
  const int64_t batch = batch_of(run);
  std::vector<TraceWay> ways;
  for (int parts = 2; parts <= kMostParts; parts *= 2)
    if (batch == 0 || batch % parts == 0)
      ways.push_back({fmt::format("{} parts", parts), [=](TraceChoice& choice) { choice.passes.parts = parts; }});
  return ways;
}
std::string no_parts(const TraceRun& run) {
  if (std::string why = no_activations(run); !why.empty()) return why;
  return accumulate(run).empty() ? fmt::format("a batch of {} has no equal parts", batch_of(run)) : "";
}

// Of a run that is mixed already norms and losses are single still.
std::string no_single(const TraceRun& run) {
  double all = 0, single = 0;  // products
  bool takes = false;
  each_work(run.graph.trace(), run.graph.work(), [&](const RankTrace& rank, const PhaseWork& work) {
    const bool is_single = replay::takes_single(rank, work);
    takes = takes || is_single;
    const trace::Event& event = rank.events[work.event];
    if (!is_training(work) || replay::work_of(event, rank.name(event)) != replay::KernelWork::matrix) return;
    all += static_cast<double>(event.duration_ns);
    single += is_single ? static_cast<double>(event.duration_ns) : 0;
  });
  if (takes && single >= all / 2) return "";
  const std::optional<Precision> usual = usual_precision(run);
  if (takes) return "most of the time of matrix products is not in single precision";
  if (!usual) return "the trace has no input types: profile with record_shapes=True";
  if (usual == Precision::fp32) return "its kernels do not compute in single precision";
  return fmt::format("the run is in {}", hw_profiles::name(*usual));
}
std::vector<TraceWay> mixed_precision(const TraceRun& run) {
  return {{fmt::format("16 bits, matrix products in {:.0f} % of their time", run.matrix_factor * 100),
           [factor = run.matrix_factor](TraceChoice& choice) { choice.passes.matrix_factor = factor; }}};
}

std::string no_elementwise(const TraceRun& run) {
  size_t found = 0;
  each_work(run.graph.trace(), run.graph.work(),
            [&](const RankTrace& rank, const PhaseWork& work) { found += replay::is_elementwise(rank, work); });
  return found > 1 ? "" : "the trace has no element-wise kernels";
}
std::vector<TraceWay> operator_fusion(const TraceRun&) {
  return {{"element-wise neighbours", [](TraceChoice& choice) { choice.passes.fuses_operators = true; }}};
}

std::string no_reductions(const TraceRun& run) { return run.candidates.empty() ? run.reductions.why_not : ""; }
std::vector<TraceWay> tensor_fusion(const TraceRun& run) {
  std::vector<TraceWay> ways;
  for (size_t i = 1; i + 1 < run.candidates.size(); ++i)
    ways.push_back({fmt::format("{}, {} buckets", run.candidates[i].name, run.candidates[i].played.buckets.size()),
                    [i](TraceChoice& choice) { choice.candidate = i; }});
  return ways;
}
std::vector<TraceWay> tensor_partition(const TraceRun& run) {
  std::vector<TraceWay> ways;
  for (int partitions = 2; partitions <= run.most_partitions; partitions *= 2)
    ways.push_back(
        {fmt::format("{} of each bucket", partitions), [=](TraceChoice& choice) { choice.partitions = partitions; }});
  return ways;
}

constexpr std::array kPasses{
    TracePass{"recompute", true, no_activations, recompute,
              [](TraceChoice& c) { c.passes.blocks = c.passes.recomputed = 0; }},
    TracePass{"gradient-accumulation", true, no_parts, accumulate, [](TraceChoice& c) { c.passes.parts = 1; }},
    TracePass{"mixed-precision", false, no_single, mixed_precision,
              [](TraceChoice& c) { c.passes.matrix_factor.reset(); }},
    TracePass{"operator-fusion", false, no_elementwise, operator_fusion,
              [](TraceChoice& c) { c.passes.fuses_operators = false; }},
    TracePass{"tensor-fusion", false, no_reductions, tensor_fusion, [](TraceChoice& c) { c.candidate = 0; }},
    TracePass{"tensor-partition", false, no_reductions, tensor_partition, [](TraceChoice& c) { c.partitions = 1; }},
};

/// The precision of 16 bits that a machine has.
std::optional<Precision> half_of(const operator_models::Machine& machine) {
  for (const Precision half : {Precision::bf16, Precision::fp16})
    if (machine.gpu.flops.at(half)) return half;
  return std::nullopt;
}

std::optional<operator_models::Operator> at_half(operator_models::Operator op, Precision half) {
  if (auto* gemm = std::get_if<operator_models::Gemm>(&op)) {
    gemm->precision = half;
    gemm->a_bytes = gemm->b_bytes = gemm->c_bytes = operator_models::operand_bytes(half);
    return op;
  }
  if (auto* attention = std::get_if<operator_models::Attention>(&op)) {
    attention->precision = half;
    return op;
  }
  return std::nullopt;
}

}  // namespace

replay::Decisions TraceRun::decisions_of(const TraceChoice& choice) const {
  replay::Decisions decisions = tuning::decisions_of(*reductions.subject, candidates[choice.candidate].played);
  if (choice.partitions > 1)
    for (replay::DecidedBucket& bucket : decisions.buckets) bucket.partitions = choice.partitions;
  return decisions;
}

std::optional<double> TraceRun::step_seconds(const TraceChoice& choice) const {
  if (candidates.empty()) return graph.step_seconds(choice.passes, nullptr);
  const replay::Decisions decisions = decisions_of(choice);
  return graph.step_seconds(choice.passes, &decisions);
}

double matrix_factor_of(const trace::Trace& trace, const replay::TraceWork& work,
                        const operator_models::Machine* machine) {
  constexpr double kHalfTheBytes = 0.5;
  const std::optional<Precision> half = machine ? half_of(*machine) : std::nullopt;
  if (!half) return kHalfTheBytes;
  const operator_models::Device device = replay::device_of(*machine);
  double before = 0, after = 0;
  for (size_t r = 0; r < trace.size(); ++r) {
    const replay::KernelShapes shapes(trace[r]);
    for (const replay::StepWork& step : work[r].steps)
      for (const PhaseWork& each : step.work) {
        const trace::Event& event = trace[r].events[each.event];
        const replay::KernelWork kind = replay::work_of(event, trace[r].name(event));
        if (kind != replay::KernelWork::matrix && kind != replay::KernelWork::attention) continue;
        if (!replay::takes_single(trace[r], each)) continue;
        const auto shaped = shapes.of(each.event);
        const auto less = shaped ? at_half(shaped->op, *half) : std::nullopt;
        if (!less) continue;
        const double here = operator_models::cost(shaped->op, device).seconds.value;
        const double there = operator_models::cost(*less, device).seconds.value;
        if (here <= 0) continue;
        before += static_cast<double>(event.duration_ns);
        after += static_cast<double>(event.duration_ns) * std::min(1.0, there / here);
      }
  }
  if (before > 0) return after / before;
  const double single = operator_models::matrix_peak(machine->gpu, Precision::fp32).peak.value,
               peak = operator_models::matrix_peak(machine->gpu, *half).peak.value;
  return peak > 0 ? std::min(1.0, single / peak) : kHalfTheBytes;
}

std::span<const TracePass> trace_passes() { return kPasses; }

}  // namespace planner::tuning
