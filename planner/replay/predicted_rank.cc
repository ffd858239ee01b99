#include "planner/replay/predicted_rank.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "planner/trace/dependencies.h"
#include "planner/trace/inputs.h"
#include "planner/trace/kineto_table.h"

namespace planner::replay {
namespace {

using trace::Event;
using trace::EventKind;
using trace::ExecutionNode;

constexpr size_t kDeepest = 500;
constexpr int64_t kUserScope = 7;

/// The nodes of a process and of its threads, in which operators stand.
bool is_frame(const std::string& name) { return name.starts_with("[pytorch|profiler|"); }

/// Types of a node ('["Tensor(float)", "Int"]') as events say them: "['float', 'Int']".
std::string event_types(std::string_view types) {
  constexpr std::string_view kTensor = "Tensor(", kList = "GenericList[Tensor";
  std::string out = "[";
  for (size_t open = types.find('"'); open != std::string_view::npos;) {
    const size_t close = types.find('"', open + 1);
    if (close == std::string_view::npos) break;
    std::string_view word = types.substr(open + 1, close - open - 1);
    if (word.starts_with(kList)) word = "TensorList";
    if (word.starts_with(kTensor)) word = word.substr(kTensor.size(), word.size() - kTensor.size() - 1);
    out += fmt::format("{}'{}'", out.size() > 1 ? ", " : "", word);
    open = types.find('"', close + 1);
  }
  return out + "]";
}

}  // namespace

PredictedRank::PredictedRank(const trace::Execution& execution, size_t number, const HostKnowledge& known, Graph& graph)
    : execution_(execution), number_(number), known_(known), graph_(graph) {
  const size_t nodes = execution.nodes.size();
  inner_.resize(nodes), needs_.resize(nodes), made_.resize(nodes), launched_.resize(nodes), shapes_.resize(nodes);
  trace_.file = execution.file;
  trace_.rank = static_cast<int64_t>(number);
}

std::string PredictedRank::build(int64_t begin_ns) {
  find_threads();
  if (threads_.empty()) return fmt::format("'{}' has no operators", execution_.file);
  for (const trace::Dependency& each : trace::tensor_dependencies(execution_)) needs_[each.to].push_back(each.from);
  for (uint32_t i = 0; i < execution_.nodes.size(); ++i)
    if (execution_.nodes[i].shapes != trace::kNone)
      shapes_[i] = trace::shapes_alone(execution_.names[execution_.nodes[i].shapes]);
  hand_over();
  begin_ = graph_.add({.duration_ns = 0, .earliest_ns = begin_ns});
  cursors_.resize(threads_.size());
  for (size_t t = 0; t < threads_.size(); ++t) {
    cursors_[t].lane = lane_of({execution_.process, threads_[t].number, false});
    cursors_[t].at = begin_;
  }
  for (size_t t = 0; t < threads_.size(); ++t) run_tops(cursors_[t], threads_[t].tops, t == 0);
  if (is_too_deep_)
    return fmt::format("'{}': operators are nested, or wait for one another, more than {} deep", execution_.file,
                       kDeepest);
  if (!has_steps_) mark_step();
  return "";
}

// It lasts until hosts and devices are done.
void PredictedRank::mark_step() {
  const uint32_t end = graph_.add(ReplayNode{});
  for (const ThreadCursor& cursor : cursors_) graph_.add({.from = cursor.at, .to = end});
  for (const auto& [stream, kernel] : tails_) graph_.add({.from = kernel, .to = end, .cause = Cause::sync});
  const uint32_t step = trace_.names.number(fmt::format("{}0", trace::kStep));
  events_.push_back({{.name = step, .lane = cursors_[0].lane, .kind = EventKind::annotation}, begin_, end});
}

void PredictedRank::find_threads() {
  const auto places = trace::places_of(execution_);
  std::map<int64_t, size_t> by_number;
  for (const uint32_t i : trace::by_begin(execution_)) {
    const ExecutionNode& node = execution_.nodes[i];
    if (is_frame(name(i))) continue;
    has_steps_ = has_steps_ || trace::is_step(name(i));
    if (const uint32_t around = trace::around_of(execution_, places, node);
        around != trace::kNone && !is_frame(name(around))) {
      inner_[around].push_back(i);
      continue;
    }
    const auto [thread, is_new] = by_number.try_emplace(node.thread, threads_.size());
    if (is_new) threads_.push_back({node.thread, {}});
    threads_[thread->second].tops.push_back(i);
  }
}

// The node that waits for a backward pass: named by it, or by a node inside it; 0: by neither.
uint64_t PredictedRank::asker_of(uint32_t top, const std::unordered_map<uint64_t, uint32_t>& places) const {
  const auto said_by = [&](uint32_t node) -> uint64_t {
    const int64_t asker = execution_.nodes[node].asked_by;
    const auto at = asker > 0 ? places.find(static_cast<uint64_t>(asker)) : places.end();
    if (at == places.end() || at->first >= execution_.nodes[top].id) return 0;
    return execution_.nodes[at->second].thread == execution_.nodes[top].thread ? 0 : at->first;
  };
  uint64_t asker = said_by(top);
  for (const uint32_t inner : inner_[top])
    if (asker == 0) asker = said_by(inner);
  return asker;
}

// Operators of a thread belong to the last thread that requested one of them.
void PredictedRank::hand_over() {
  const auto places = trace::places_of(execution_);
  for (size_t t = 1; t < threads_.size(); ++t) {
    std::vector<uint32_t> own;
    HandedOver* last = nullptr;
    uint64_t asked = 0;
    for (const uint32_t top : threads_[t].tops) {
      if (const uint64_t asker = asker_of(top, places); asker != 0 && asker != asked) {
        asked = asker;
        last = &handed_[asker].emplace_back(HandedOver{execution_.nodes[top].id, t, {}});
      }
      (last ? last->tops : own).push_back(top);
    }
    threads_[t].tops = std::move(own);
  }
}

void PredictedRank::run_tops(ThreadCursor& cursor, const std::vector<uint32_t>& tops, bool closed) {
  std::string_view before;
  for (const uint32_t top : tops) {
    if (closed || top != tops.front()) pass(cursor, before, name(top));
    run(cursor, top);
    before = name(top);
  }
  if (closed) pass(cursor, before, "");
  step_to(cursor, 0);
}

// Operators of a thread that others wait for count, too: each stands on the stack of this program.
void PredictedRank::run(ThreadCursor& cursor, uint32_t node) {
  if (is_too_deep_ || depth_ >= kDeepest) return void(is_too_deep_ = true);
  ++depth_;
  cursor.path.push_back(node);
  const uint32_t first = step_to(cursor, 0);
  const Kernels outer = std::exchange(all_, {});
  std::vector<const HandedOver*> others;
  if (const auto handed = handed_.find(execution_.nodes[node].id); handed != handed_.end())
    for (const HandedOver& other : handed->second) others.push_back(&other);
  std::string_view before;
  const auto go_to = [&](std::string_view next) { pass(cursor, before, next), before = next; };
  auto other = others.begin();
  for (const uint32_t inner : inner_[node]) {
    for (; other != others.end() && (*other)->first_id < execution_.nodes[inner].id; ++other)
      go_to(kOtherThread), run_other(cursor, **other);
    go_to(name(inner));
    run(cursor, inner);
  }
  for (; other != others.end(); ++other) go_to(kOtherThread), run_other(cursor, **other);
  pass(cursor, before, "");
  add_operator(node, cursor.lane, first, step_to(cursor, 0));
  note_tensors(node, outer);
  cursor.path.pop_back();
  --depth_;
}

void PredictedRank::run_other(ThreadCursor& cursor, const HandedOver& other) {
  ThreadCursor& there = cursors_[other.thread];
  step_to(cursor, 0);
  const uint32_t begin = graph_.add(ReplayNode{});
  graph_.add({.from = cursor.at, .to = begin, .cause = Cause::hand_over});
  graph_.add({.from = there.at, .to = begin});
  there.at = begin;
  there.lag_ns = 0;
  run_tops(there, other.tops, false);
  const uint32_t back = graph_.add(ReplayNode{});
  graph_.add({.from = there.at, .to = back, .cause = Cause::hand_over});
  cursor.at = back;
}

uint32_t PredictedRank::lane_of(trace::Lane lane) {
  const auto at = std::ranges::find(trace_.lanes, lane);
  if (at != trace_.lanes.end()) return static_cast<uint32_t>(at - trace_.lanes.begin());
  trace_.lanes.push_back(lane);
  return static_cast<uint32_t>(trace_.lanes.size() - 1);
}

void PredictedRank::add_operator(uint32_t node, uint32_t lane, uint32_t first, uint32_t last) {
  const ExecutionNode& said = execution_.nodes[node];
  events_.push_back({{.external = said.record,
                      .name = trace_.names.number(name(node)),
                      .lane = lane,
                      .detail = trace_.add(detail_of(said)),
                      .kind = said.scope == kUserScope ? EventKind::annotation : EventKind::op},
                     first,
                     last});
}

trace::Detail PredictedRank::detail_of(const ExecutionNode& node) {
  trace::Detail detail{.sequence = node.sequence, .forward_thread = node.forward_thread};
  if (node.shapes != trace::kNone) detail.shapes = trace_.names.number(execution_.names[node.shapes]);
  if (node.types != trace::kNone) detail.types = trace_.names.number(event_types(execution_.names[node.types]));
  return detail;
}

trace::RankTrace PredictedRank::trace_of(const std::vector<Run>& runs, std::vector<uint32_t>& places) const {
  trace::RankTrace trace = trace_;
  std::vector<uint32_t> order(events_.size());
  std::iota(order.begin(), order.end(), 0U);
  const auto at = [&](uint32_t i) {
    Event event = events_[i].event;
    event.start_ns = runs[events_[i].first].begin_ns;
    event.duration_ns = runs[events_[i].last].end_ns - event.start_ns;
    return event;
  };
  // Operators are added behind the operators inside them: of equal times the outer one goes first.
  std::ranges::stable_sort(order, [&](uint32_t a, uint32_t b) {
    const Event &first = at(a), &second = at(b);
    if (first.start_ns != second.start_ns) return first.start_ns < second.start_ns;
    return first.duration_ns != second.duration_ns ? first.duration_ns > second.duration_ns : a > b;
  });
  for (const uint32_t i : order) trace.events.push_back(at(i));
  trace.launched_by = trace::launches_of(trace);
  trace.read = std::ssize(trace.events);
  places = std::move(order);
  return trace;
}

}  // namespace planner::replay
