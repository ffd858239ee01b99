// What operators of a predicted rank call and launch, and what that waits for.
#include <algorithm>
#include <cmath>

#include "planner/replay/calls.h"
#include "planner/replay/kernel_shapes.h"
#include "planner/replay/predicted_rank.h"
#include "planner/replay/vector_shapes.h"
#include "planner/trace/kineto_table.h"

namespace planner::replay {
namespace {

using trace::EventKind;
using trace::ExecutionNode;
using trace::Role;

constexpr double kLeastNs = 1;  // of a host between two moments, so that nesting can be determined by times

}  // namespace

// Whether the models know an operator by its shapes.
bool PredictedRank::works(uint32_t node) const {
  return (multiplies(name(node)) || moves(name(node))) && reach_of(execution_.nodes[node]) == Reach::device;
}

// Without statistics, an operator with known shapes is a kernel: of nested ones the innermost. So is a call of NCCL.
void PredictedRank::launch_bare(ThreadCursor& cursor) {
  constexpr int64_t kComputes = 0, kCommunicates = 1;  // streams
  const uint32_t node = cursor.path.empty() ? trace::kNone : cursor.path.back();
  if (node == trace::kNone) return;
  const bool communicates = name(node).starts_with("nccl:");
  const bool works_inside = std::ranges::any_of(inner_[node], [&](uint32_t inner) { return works(inner); });
  if (!communicates && (!works(node) || works_inside)) return;
  call(cursor, {.name = "launch",
                .launched = {{.stream = communicates ? kCommunicates : kComputes,
                              .role = communicates ? Role::communication : Role::compute,
                              .name = multiplies(name(node)) ? name(node) + " gemm" : name(node)}}});
}

// The span of a thread between two ends of operators.
void PredictedRank::pass(ThreadCursor& cursor, std::string_view before, std::string_view after) {
  if (known_.spans.empty()) {
    cursor.lag_ns += kLeastNs;
    if (after.empty()) launch_bare(cursor);
    cursor.lag_ns += kLeastNs;
    return;
  }
  size_t level = 0;
  const HostSpan& span = known_.spans.find(place_of(cursor, before, after), level);
  ++spans_;
  unlike_ += level == Spans::kLevels;
  const double part = std::max(kLeastNs, span.host_ns / static_cast<double>(span.calls.size() + 1));
  for (const SpanCall& each : span.calls) {
    cursor.lag_ns += part;
    call(cursor, each);
  }
  cursor.lag_ns += part;
}

void PredictedRank::call(ThreadCursor& cursor, const SpanCall& made) {
  const std::string_view in = cursor.path.empty() || trace::is_step(name(cursor.path.back()))
                                  ? std::string_view()
                                  : std::string_view(name(cursor.path.back()));
  const uint32_t first = step_to(cursor, mean(TimeKind::call, made.name, in));
  const int64_t correlation = ++correlations_;
  for (const SpanKernel& kernel : made.launched) launch(cursor, kernel, first, correlation);
  if (made.waits) wait(cursor, made.name);
  events_.push_back({{.correlation = correlation,
                      .name = trace_.names.number(made.name),
                      .lane = cursor.lane,
                      .kind = EventKind::runtime},
                     first,
                     cursor.at});
}

// For the stream that was used last, or for all of the device.
void PredictedRank::wait(ThreadCursor& cursor, const std::string& call) {
  const bool all = role_of_call(call) == CallRole::sync_device;
  if (all ? tails_.empty() : cursor.stream == trace::kNone) return;
  const uint32_t last = graph_.add(ReplayNode{});
  graph_.add({.from = cursor.at, .to = last});
  for (const auto& [stream, kernel] : tails_)
    if (all || stream == cursor.stream)
      graph_.add({.from = kernel, .to = last, .lag_ns = mean(TimeKind::sync, call), .cause = Cause::sync});
  cursor.at = last;
}

uint32_t PredictedRank::launch(ThreadCursor& cursor, const SpanKernel& kernel, uint32_t from, int64_t correlation) {
  const uint32_t stream = lane_of({static_cast<int64_t>(number_), kernel.stream, true});
  const uint32_t node = graph_.add(ReplayNode{});
  graph_.add({.from = from,
              .to = node,
              .lag_ns = mean(TimeKind::launch, kernel.name),
              .cause = Cause::launch,
              .from_begin = true});
  if (const auto tail = tails_.find(stream); tail != tails_.end())
    graph_.add({.from = tail->second, .to = node, .lag_ns = mean(TimeKind::stream, kernel.name)});
  const bool communicates = kernel.role == Role::communication;
  if (communicates && cursor.stream != trace::kNone && cursor.stream != stream)
    graph_.add({.from = tails_[cursor.stream], .to = node, .cause = Cause::event});
  wait_for_tensors(cursor, stream, node);
  const uint32_t last = communicates ? graph_.add(ReplayNode{}) : node;
  if (communicates) graph_.add({.from = node, .to = last}), collectives_.insert(last);
  tails_[stream] = all_[stream] = last;
  if (!communicates) cursor.stream = stream;
  const uint32_t by = cursor.path.empty() ? trace::kNone : cursor.path.back();
  if (by != trace::kNone) ++launched_[by];
  events_.push_back({{.correlation = correlation,
                      .name = trace_.names.number(kernel.name),
                      .lane = stream,
                      .kind = kernel.kind,
                      .role = kernel.role},
                     node,
                     last,
                     by});
  return last;
}

// Of operators that it runs in, too: their tensors are what it works on.
void PredictedRank::wait_for_tensors(const ThreadCursor& cursor, uint32_t stream, uint32_t to) {
  Kernels waits;
  const auto add = [&](const Kernels& kernels) {
    for (const auto& [lane, kernel] : kernels)
      if (lane != stream) waits[lane] = std::max(waits[lane], kernel);
  };
  for (const uint32_t node : cursor.path) {
    for (const uint32_t from : needs_[node]) add(made_[from]);
    for (const trace::Tensor& tensor : execution_.nodes[node].inputs)
      if (const auto filled = communicated_.find(tensor.storage); filled != communicated_.end()) add(filled->second);
  }
  for (const auto& [lane, kernel] : waits) graph_.add({.from = kernel, .to = to, .cause = Cause::data});
}

// An operator that launches nothing, a view, hands on what it was given.
void PredictedRank::note_tensors(uint32_t node, const Kernels& outer) {
  Kernels& made = made_[node] = all_;
  if (made.empty())
    for (const uint32_t from : needs_[node])
      for (const auto& [lane, kernel] : made_[from]) made[lane] = std::max(made[lane], kernel);
  Kernels collectives;
  for (const auto& [lane, kernel] : all_)
    if (collectives_.contains(kernel)) collectives[lane] = kernel;
  if (!collectives.empty())
    for (const trace::Tensor& tensor : execution_.nodes[node].outputs) communicated_[tensor.storage] = collectives;
  for (const auto& [lane, kernel] : outer) all_.try_emplace(lane, kernel);
}

SpanPlace PredictedRank::place_of(const ThreadCursor& cursor, std::string_view before, std::string_view after) {
  SpanPlace place{.before = before, .after = after};
  for (auto node = cursor.path.rbegin(); node != cursor.path.rend(); ++node)
    if (!trace::is_step(name(*node))) place.path.emplace_back(name(*node));
  if (cursor.path.empty() || trace::is_step(name(cursor.path.back()))) return place;
  place.shapes = shapes_[cursor.path.back()];
  place.reach = reach_of(execution_.nodes[cursor.path.back()]);
  return place;
}

Reach PredictedRank::reach_of(const ExecutionNode& node) const {
  bool host = false, device = false;
  for (const auto* tensors : {&node.inputs, &node.outputs})
    for (const trace::Tensor& tensor : *tensors) {
      device |= trace::is_on_device(execution_, tensor);
      host |= trace::is_on_host(execution_, tensor);
    }
  return host && device ? Reach::both : host ? Reach::host : device ? Reach::device : Reach::unknown;
}

// Goes on to a new node.
uint32_t PredictedRank::step_to(ThreadCursor& cursor, int64_t duration_ns) {
  const uint32_t node = graph_.add({.duration_ns = duration_ns});
  graph_.add({.from = cursor.at, .to = node, .lag_ns = std::llround(cursor.lag_ns)});
  cursor.lag_ns = 0;
  return cursor.at = node;
}

int64_t PredictedRank::mean(TimeKind kind, std::string_view of, std::string_view in) const {
  return std::max<int64_t>(0, known_.times.mean_ns({.kind = kind, .begin = in, .end = in, .after = of}).value_or(0));
}

}  // namespace planner::replay
