#include "planner/tuning/trace_memory.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "planner/trace/data_types.h"
#include "planner/trace/gradients.h"
#include "planner/trace/inputs.h"

namespace planner::tuning {
namespace {

using trace::RankTrace;

/// Tensors of a parameter's size that an optimizer keeps. The first name that an "Optimizer.step#" holds counts.
struct OptimizerStateRow {
  std::string_view name;
  double states;
  std::string_view only_with;  // an operator in its step; "": always
};
// torch/optim: exp_avg and exp_avg_sq; sum; square_avg; momentum_buffer, which is multiplied by the momentum.
constexpr std::array kOptimizers{
    OptimizerStateRow{"Adagrad", 1, ""}, OptimizerStateRow{"Adam", 2, ""},    OptimizerStateRow{"LAMB", 2, ""},
    OptimizerStateRow{"RMSprop", 1, ""}, OptimizerStateRow{"SGD", 1, "mul_"},
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
      kOptimizers, [&](const OptimizerStateRow& each) { return name.find(each.name) != std::string::npos; });
  if (row == kOptimizers.end()) return 0;
  if (row->only_with.empty()) return row->states;
  const bool has = std::ranges::any_of(rank.events, [&](const trace::Event& event) {
    return event.kind == trace::EventKind::op && event.start_ns >= optimizer.start_ns &&
           event.end_ns() <= optimizer.end_ns() && rank.name(event).find(row->only_with) != std::string::npos;
  });
  return has ? row->states : 0;
}

/// When gradients were added to, and their bytes by shapes up to then.
struct ShapedGradients {
  std::vector<int64_t> at_ns;
  std::vector<double> sums{0};

  explicit ShapedGradients(const RankTrace& rank) {
    std::vector<std::pair<int64_t, double>> all;
    for (const trace::Event& event : rank.events)
      if (rank.name(event) == trace::kGradient) all.emplace_back(event.start_ns, bytes_of(rank, event));
    std::ranges::sort(all);
    for (const auto& [at, bytes] : all) at_ns.push_back(at), sums.push_back(sums.back() + bytes);
  }
  double between(int64_t begin_ns, int64_t end_ns) const {
    const auto sum_before = [&](int64_t ns) {
      return sums[static_cast<size_t>(std::ranges::lower_bound(at_ns, ns) - at_ns.begin())];
    };
    return sum_before(end_ns) - sum_before(begin_ns);
  }

 private:
  static double bytes_of(const RankTrace& rank, const trace::Event& event) {
    const std::vector<trace::OperatorInput> inputs = trace::inputs_of(rank, event);
    if (inputs.empty() || inputs.front().tensors.size() != 1 || inputs.front().tensors.front().empty()) return 0;
    const int64_t width = std::max<int64_t>(1, trace::bytes_of_type(inputs.front().type));
    return trace::elements_of(inputs.front().tensors.front()) * static_cast<double>(width == 1 ? 4 : width);
  }
};

/// Of the step that has the most; each part of a batch adds to all of them.
double gradients_of(const RankTrace& rank, const std::vector<trace::Step>& steps, const replay::RankWork& work) {
  const ShapedGradients shaped(rank);
  double most = 0;
  for (size_t s = 0; s < steps.size(); ++s) {
    const bool marked = steps[s].is_marked();
    const int64_t begin = marked ? steps[s].host.begin_ns : std::numeric_limits<int64_t>::min(),
                  end = marked ? steps[s].host.end_ns : std::numeric_limits<int64_t>::max();
    const double parts = std::max(1.0, static_cast<double>(work.steps[s].rounds.size()));
    most = std::max(most, shaped.between(begin, end) / parts);
  }
  return most;
}

double kept_by(const replay::Round& round) { return replay::kept_bytes(replay::blocks_of(round, 1), 0); }

/// The forward pass of a rank that keeps the most; null if there is none.
const replay::Round* largest_round(const replay::RankWork& work) {
  const replay::Round* most = nullptr;
  for (const replay::StepWork& step : work.steps)
    for (const replay::Round& round : step.rounds)
      if (!most || kept_by(round) > kept_by(*most)) most = &round;
  return most;
}

/// The peak of allocations: the profiler's total, or the allocations since it began, without the earlier ones.
struct Peak {
  double bytes = 0;
  bool is_total = false;
};
Peak peak_of(const RankTrace& rank) {
  Peak peak;
  double sum = 0;
  const int64_t device = replay::busiest_device(rank);
  for (const trace::Allocation& each : rank.allocations) {
    if (each.device != device) continue;
    sum += static_cast<double>(each.bytes);
    peak.is_total = peak.is_total || each.total_bytes >= 0;
    peak.bytes = std::max(peak.bytes, each.total_bytes >= 0 ? static_cast<double>(each.total_bytes) : sum);
  }
  return peak;
}

TraceMemory memory_of(const RankTrace& rank, const std::vector<trace::Step>& steps, const replay::RankWork& work,
                      double gradient_bytes) {
  TraceMemory memory{.kept = work.kept};
  // Some gradients may have no shape.
  memory.gradient_bytes = std::max(gradients_of(rank, steps, work), gradient_bytes);
  memory.parameter_bytes = memory.gradient_bytes;
  if (const trace::Event* optimizer = optimizer_of(rank)) {
    memory.optimizer = name_of(rank, *optimizer);
    memory.state_bytes = memory.parameter_bytes * states_of(rank, *optimizer);
  }
  if (const replay::Round* round = largest_round(work)) memory.activation_bytes = kept_by(*round);
  const Peak peak = peak_of(rank);
  if (!peak.is_total) {
    memory.other_bytes = std::max(0.0, peak.bytes - memory.activation_bytes);
    return memory;
  }
  // Gradients that are set to none do not live at the same time as all activations: the recorded peak is what counts.
  double over = memory.peak_bytes() - peak.bytes;
  memory.other_bytes = std::max(0.0, -over);
  for (double* part :
       {&memory.gradient_bytes, &memory.activation_bytes, &memory.state_bytes, &memory.parameter_bytes}) {
    const double less = std::clamp(over, 0.0, *part);
    *part -= less;
    over -= less;
  }
  return memory;
}

}  // namespace

TraceMemory memory_of(const RealGraph& graph, double gradient_bytes) {
  TraceMemory most;
  for (size_t r = 0; r < graph.trace().size(); ++r) {
    TraceMemory one = memory_of(graph.trace()[r], graph.steps()[r], graph.work()[r], gradient_bytes);
    if (r == 0 || one.peak_bytes() > most.peak_bytes()) most = std::move(one);
  }
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
