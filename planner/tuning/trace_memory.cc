#include "planner/tuning/trace_memory.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>

#include "planner/trace/data_types.h"
#include "planner/trace/gradients.h"
#include "planner/trace/inputs.h"
#include "planner/trace/operators.h"

namespace planner::tuning {
namespace {

using trace::RankTrace;

/// Tensors of a parameter's size that an optimizer keeps. The first name that an "Optimizer.step#" holds counts.
struct OptimizerRow {
  std::string_view name;
  double states;
  std::string_view only_with;  // an operator in its step; "": always
};
// torch/optim: exp_avg and exp_avg_sq; sum; square_avg; momentum_buffer, which is multiplied by the momentum.
constexpr std::array kOptimizers{
    OptimizerRow{"Adagrad", 1, ""}, OptimizerRow{"Adam", 2, ""},    OptimizerRow{"LAMB", 2, ""},
    OptimizerRow{"RMSprop", 1, ""}, OptimizerRow{"SGD", 1, "mul_"},
};

/// The first "Optimizer.step#NAME.step" of a rank; null: none.
const trace::Event* optimizer_of(const RankTrace& rank) {
  const auto found = std::ranges::find_if(
      rank.events, [&](const trace::Event& event) { return rank.name(event).starts_with("Optimizer.step#"); });
  return found == rank.events.end() ? nullptr : &*found;
}

std::string name_of(const RankTrace& rank, const trace::Event& optimizer) {
  const std::string name = rank.name(optimizer).substr(std::string_view("Optimizer.step#").size());
  return name.substr(0, name.find('.'));
}

double states_of(const RankTrace& rank, const trace::Event& optimizer) {
  const std::string name = name_of(rank, optimizer);
  const auto* const row = std::ranges::find_if(
      kOptimizers, [&](const OptimizerRow& each) { return name.find(each.name) != std::string::npos; });
  if (row == kOptimizers.end()) return 0;
  if (row->only_with.empty()) return row->states;
  const bool has = std::ranges::any_of(rank.events, [&](const trace::Event& event) {
    return event.kind == trace::Kind::op && event.start_ns >= optimizer.start_ns &&
           event.end_ns() <= optimizer.end_ns() && rank.name(event).find(row->only_with) != std::string::npos;
  });
  return has ? row->states : 0;
}

/// The gradients of a step by their shapes, of a trace without steps those before its first optimizer; 0: not said.
double shaped_gradients(const RankTrace& rank, const trace::Step& step) {
  const trace::Event* optimizer = step.is_marked() ? nullptr : optimizer_of(rank);
  double bytes = 0;
  for (const trace::Event& event : rank.events) {
    if (rank.name(event) != trace::kGradient) continue;
    if (step.is_marked() && (event.start_ns < step.host.begin_ns || event.start_ns >= step.host.end_ns)) continue;
    if (optimizer && event.start_ns > optimizer->start_ns) break;
    const trace::Detail* detail = rank.detail(event);
    if (!detail || detail->shapes == trace::kNone) continue;
    const auto inputs =
        trace::inputs_of(rank.names[detail->shapes], detail->types == trace::kNone ? "" : rank.names[detail->types]);
    if (inputs.empty() || inputs.front().tensors.size() != 1 || inputs.front().tensors.front().empty()) continue;
    const int64_t width = std::max<int64_t>(1, trace::bytes_of_type(inputs.front().type));
    bytes += trace::elements_of(inputs.front().tensors.front()) * static_cast<double>(width == 1 ? 4 : width);
  }
  return bytes;
}

double kept_by(const replay::Round& round) { return replay::kept_bytes(replay::blocks_of(round, 1), 0); }

/// The forward pass of a rank that keeps the most; null: there is none.
const replay::Round* largest_round(const replay::RankWork& work) {
  const replay::Round* most = nullptr;
  for (const replay::StepWork& step : work.steps)
    for (const replay::Round& round : step.rounds)
      if (!most || kept_by(round) > kept_by(*most)) most = &round;
  return most;
}

/// The peak of what was allocated: the profiler's total, or what came since it began, which misses what was there.
struct Peak {
  double bytes = 0;
  bool is_total = false;
};
Peak peak_of(const RankTrace& rank) {
  Peak peak;
  double sum = 0;
  for (const trace::Allocation& each : rank.allocations) {
    sum += static_cast<double>(each.bytes);
    peak.is_total = peak.is_total || each.total_bytes >= 0;
    peak.bytes = std::max(peak.bytes, each.total_bytes >= 0 ? static_cast<double>(each.total_bytes) : sum);
  }
  return peak;
}

TraceMemory memory_of(const RankTrace& rank, const replay::RankWork& work, double gradient_bytes) {
  TraceMemory memory{.kept = work.kept, .optimizer = {}};
  const std::vector<trace::Step> steps = trace::steps_of(rank);
  for (const trace::Step& step : steps)
    memory.gradient_bytes = std::max(memory.gradient_bytes, shaped_gradients(rank, step));
  memory.gradient_bytes = std::max(memory.gradient_bytes, gradient_bytes);  // some gradients may have no shape
  memory.parameter_bytes = memory.gradient_bytes;
  if (const trace::Event* optimizer = optimizer_of(rank)) {
    memory.optimizer = name_of(rank, *optimizer);
    memory.state_bytes = memory.parameter_bytes * states_of(rank, *optimizer);
  }
  if (const replay::Round* round = largest_round(work)) memory.activation_bytes = kept_by(*round);
  const Peak peak = peak_of(rank);
  const double held = memory.parameter_bytes + memory.gradient_bytes + memory.state_bytes;
  memory.other_bytes = std::max(0.0, peak.bytes - memory.activation_bytes - (peak.is_total ? held : 0));
  return memory;
}

}  // namespace

TraceMemory memory_of(const trace::Trace& trace, const replay::TraceWork& work, double gradient_bytes) {
  TraceMemory most;
  for (size_t r = 0; r < trace.size(); ++r)
    if (TraceMemory one = memory_of(trace[r], work[r], gradient_bytes); r == 0 || one.peak_bytes() > most.peak_bytes())
      most = std::move(one);
  return most;
}

double peak_with(const replay::PassEdits& passes, const TraceMemory& memory, const replay::TraceWork& work) {
  double share = passes.recomputed == 0 ? 1 : 0;
  for (const replay::RankWork& rank : work) {
    const replay::Round* round = largest_round(rank);
    if (!round || passes.recomputed == 0) continue;
    const std::vector<replay::ForwardBlock> blocks = replay::blocks_of(*round, passes.blocks);
    const double all = replay::kept_bytes(blocks, 0);
    share = std::max(share, all > 0 ? replay::kept_bytes(blocks, passes.recomputed) / all : 1);
  }
  const double kept = memory.activation_bytes * share / passes.parts;
  const double others = memory.peak_bytes() - memory.activation_bytes;
  return passes.matrix_factor ? others + kept / 2 + memory.parameter_bytes / 2 : others + kept;
}

}  // namespace planner::tuning
