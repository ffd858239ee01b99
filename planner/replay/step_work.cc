#include "planner/replay/step_work.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "planner/replay/kernel_shapes.h"
#include "planner/trace/data_types.h"
#include "planner/trace/inputs.h"

namespace planner::replay {
namespace {

using trace::Event;
using trace::RankTrace;

/// Operators of PyTorch whose gradient needs none of their inputs (tools/autograd/derivatives.yaml): they view, add,
/// copy or sum. That of relu needs its result, which the next one takes.
constexpr std::array<std::string_view, 27> kKeepNothing{
    "aten::add",        "aten::add_",    "aten::sub",       "aten::view",    "aten::reshape", "aten::t",
    "aten::transpose",  "aten::permute", "aten::expand",    "aten::flatten", "aten::slice",   "aten::select",
    "aten::cat",        "aten::split",   "aten::unsqueeze", "aten::squeeze", "aten::to",      "aten::copy_",
    "aten::contiguous", "aten::clone",   "aten::mean",      "aten::sum",     "aten::chunk",   "aten::unbind",
    "aten::as_strided", "aten::relu",    "aten::relu_"};

// "aten::conv2d" and "CompiledFunction" are operators. "DistributedDataParallel.forward" only contains operators.
bool is_operator(std::string_view name) {
  return std::ranges::all_of(
      name, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == ':'; });
}
bool is_of_autograd(std::string_view name) {
  return name.starts_with("autograd::") || name.starts_with("torch::autograd::");
}

class Classifier {
 public:
  Classifier(const RankTrace& rank) : rank_(rank), operators_(rank) {}

  PhaseWork of(size_t event) const {
    PhaseWork work{.event = static_cast<uint32_t>(event), .launched_ns = trace::launched_ns(rank_, event)};
    const uint32_t call = rank_.launched_by[event];
    if (call == trace::kNone) return work;
    work.lane = rank_.events[call].lane;
    for (const Event* each : operators_.around(work.lane, rank_.events[call].start_ns)) look(*each, work);
    return work;
  }

 private:
  // The innermost one comes first.
  void look(const Event& event, PhaseWork& work) const {
    const std::string& name = rank_.name(event);
    const trace::Detail* detail = rank_.detail(event);
    if (name.starts_with("Optimizer.")) work.phase = WorkPhase::optimizer;
    if (event.kind != trace::EventKind::op) return;
    const bool goes_back = is_of_autograd(name) || (detail && detail->sequence >= 0 && detail->forward_thread > 0);
    work.of_gradient = work.of_gradient || name == "torch::autograd::AccumulateGrad";
    if (!work.shaped && trace::says_inputs(rank_, event)) work.shaped = &event;
    if (goes_back) {
      work.phase = WorkPhase::backward;
      work.outermost = number(event);
      if (detail && detail->sequence >= 0) work.sequence = detail->sequence;
    } else if (work.phase != WorkPhase::backward && work.phase != WorkPhase::optimizer && detail &&
               detail->sequence >= 0 && is_operator(name)) {
      work.phase = WorkPhase::forward;
      work.outermost = number(event);
      work.sequence = detail->sequence;
    }
  }
  uint32_t number(const Event& event) const { return static_cast<uint32_t>(&event - rank_.events.data()); }

  const RankTrace& rank_;
  const trace::Operators operators_;
};

double input_bytes(const RankTrace& rank, const Event& event) {
  if (!trace::says_inputs(rank, event)) return -1;
  const std::vector<trace::OperatorInput> inputs = trace::inputs_of(rank, event);
  for (size_t i = first_operand(rank.name(event)); i < inputs.size(); ++i) {
    const trace::OperatorInput& input = inputs[i];
    const bool floats = trace::precision_of_type(input.type).has_value();
    if (floats && input.tensors.size() == 1 && !input.tensors.front().empty())
      return trace::elements_of(input.tensors.front()) * static_cast<double>(trace::bytes_of_type(input.type));
  }
  return 0;
}

/// The allocated bytes of the device over time, from the first record on.
class Allocated {
 public:
  explicit Allocated(const RankTrace& rank) {
    const int64_t device = busiest_device(rank);
    for (const trace::Allocation& each : rank.allocations) {
      if (each.device != device) continue;
      sum_ += static_cast<double>(each.bytes);
      at_.push_back(each.at_ns);
      sums_.push_back(sum_);
    }
  }
  bool empty() const { return at_.empty(); }
  double at(int64_t ns) const {
    const auto behind = std::ranges::upper_bound(at_, ns);
    return behind == at_.begin() ? 0 : sums_[static_cast<size_t>(behind - at_.begin()) - 1];
  }

 private:
  double sum_ = 0;
  std::vector<int64_t> at_;
  std::vector<double> sums_;
};

bool keeps_nothing(std::string_view name) { return std::ranges::find(kKeepNothing, name) != kKeepNothing.end(); }

void write_kept(const RankTrace& rank, const Allocated& allocated, Kept kept, Round& units) {
  for (size_t i = 0; i < units.size(); ++i) {
    const Event& event = rank.events[units[i].event];
    units[i].input_bytes = std::max(0.0, input_bytes(rank, event));
    if (kept == Kept::shapes) units[i].kept_bytes = keeps_nothing(rank.name(event)) ? 0 : units[i].input_bytes;
    if (kept != Kept::allocations) continue;
    const int64_t end = i + 1 < units.size() ? rank.events[units[i + 1].event].start_ns : event.end_ns();
    units[i].kept_bytes = allocated.at(end - 1) - allocated.at(event.start_ns - 1);
  }
}

// The first and the last sequence number that goes back.
struct SequenceRange {
  int64_t first = std::numeric_limits<int64_t>::max(), last = -1;
};

SequenceRange backward_of(const StepWork& step) {
  SequenceRange range;
  for (const PhaseWork& each : step.work) {
    if (each.phase != WorkPhase::backward || each.sequence < 0) continue;
    range.first = std::min(range.first, each.sequence);
    range.last = std::max(range.last, each.sequence);
  }
  return range;
}

/// The outermost forward operators by begin.
Round forward_units(const RankTrace& rank, const StepWork& step) {
  std::set<uint32_t> events;
  for (const PhaseWork& each : step.work)
    if (each.phase == WorkPhase::forward) events.insert(each.outermost);
  Round units;
  for (const uint32_t event : events) {
    const int64_t sequence = rank.detail(rank.events[event])->sequence;
    if (!units.empty()) units.back().end_sequence = std::max(sequence, units.back().sequence);
    units.push_back({.event = event, .sequence = sequence, .end_sequence = std::numeric_limits<int64_t>::max()});
  }
  return units;
}

// Forward work behind backward work begins another round.
void find_rounds(const RankTrace& rank, StepWork& step) {
  const SequenceRange back = backward_of(step);
  std::map<uint32_t, ForwardUnit> units;  // that lie between the first and the last operator that goes back
  for (const ForwardUnit& unit : forward_units(rank, step))
    if (unit.sequence <= back.last && unit.end_sequence > back.first) units.emplace(unit.event, unit);
  std::vector<std::set<uint32_t>> rounds(1);
  bool goes_back = false;
  for (PhaseWork& each : step.work) {
    const bool is_unit = each.phase == WorkPhase::forward && units.contains(each.outermost);
    if (is_unit && std::exchange(goes_back, false)) rounds.emplace_back();
    if (is_unit) rounds.back().insert(each.outermost);
    goes_back = goes_back || each.phase == WorkPhase::backward;
    each.round = rounds.size() - 1;
  }
  for (const std::set<uint32_t>& round : rounds) {
    step.rounds.emplace_back();
    for (const uint32_t unit : round) step.rounds.back().push_back(units.at(unit));
  }
}

}  // namespace

int64_t busiest_device(const RankTrace& rank) {
  std::map<int64_t, std::pair<double, double>> devices;  // the allocated bytes there, and their peak
  for (const trace::Allocation& each : rank.allocations) {
    auto& [sum, most] = devices[each.device];
    sum += static_cast<double>(each.bytes);
    most = std::max({most, sum, static_cast<double>(each.total_bytes)});
  }
  const auto found = std::ranges::max_element(devices, {}, [](const auto& each) { return each.second.second; });
  return found == devices.end() ? -1 : found->first;
}

RankWork work_of(const RankTrace& rank, const std::vector<trace::Step>& steps) {
  const Classifier classifier(rank);
  const Allocated allocated(rank);
  RankWork all;
  bool has_shapes = false;
  for (const trace::Step& step : steps) {
    StepWork made;
    for (const size_t event : step.events) made.work.push_back(classifier.of(event));
    std::ranges::stable_sort(made.work, {}, &PhaseWork::launched_ns);
    find_rounds(rank, made);
    for (const Round& round : made.rounds)
      for (const ForwardUnit& unit : round) has_shapes = has_shapes || input_bytes(rank, rank.events[unit.event]) > 0;
    all.steps.push_back(std::move(made));
  }
  all.kept = !allocated.empty() ? Kept::allocations : has_shapes ? Kept::shapes : Kept::unknown;
  for (StepWork& step : all.steps)
    for (Round& round : step.rounds) write_kept(rank, allocated, all.kept, round);
  return all;
}

}  // namespace planner::replay
