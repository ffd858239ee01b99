#include "planner/trace/join.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_map>
#include <utility>

#include "planner/trace/alignment.h"
#include "planner/trace/inputs.h"
#include "planner/trace/kineto_table.h"

namespace planner::trace {
namespace {

// Elements in no pair: two threads that differ in more are two programs, and would take minutes.
constexpr int64_t kMostEdits = 60'000;

/// What began in a thread, by begin, what that is called in numbers that both traces share, and where steps begin.
struct ThreadNames {
  std::vector<uint32_t> places, names;
  std::vector<size_t> steps;
};

bool is_operator(const ExecutionNode& node) { return node.on_host && node.type != NodeType::metadata; }
bool is_operator(const Event& event) { return event.kind == EventKind::op || event.kind == EventKind::annotation; }

class Joiner {
 public:
  Joiner(const RankTrace& rank, const Execution& execution) : rank_(rank), execution_(execution) {}

  Joined join() {
    joined_.node_of.assign(rank_.events.size(), kNone);
    joined_.event_of.assign(execution_.nodes.size(), kNone);
    read_events();
    read_nodes();
    join_threads();
    count_shapes();
    return std::move(joined_);
  }

 private:
  void read_events() {
    size_t steps = 0;
    for (uint32_t i = 0; i < rank_.events.size(); ++i) {
      const Event& event = rank_.events[i];
      if (!is_operator(event)) continue;
      ++joined_.operators;
      if (event.kind == EventKind::annotation && is_step(rank_.name(event))) ++steps;
      add(lanes_[event.lane], i, rank_.name(event), steps);
    }
    for (auto& [lane, thread] : lanes_) begin_steps(thread, steps);
  }

  void read_nodes() {
    size_t steps = 0;
    for (const uint32_t place : by_begin(execution_)) {
      const ExecutionNode& node = execution_.nodes[place];
      if (!is_operator(node)) continue;
      ++joined_.nodes;
      if (is_step(execution_.name(node))) ++steps;
      add(threads_[node.thread], place, execution_.name(node), steps);
    }
    for (auto& [number, thread] : threads_) begin_steps(thread, steps);
  }

  // `steps`: how many have begun. Names before the first step belong to it.
  void add(ThreadNames& thread, uint32_t place, const std::string& name, size_t steps) {
    begin_steps(thread, steps);
    thread.places.push_back(place);
    thread.names.push_back(names_.number(name));
  }

  static void begin_steps(ThreadNames& thread, size_t steps) {
    if (thread.steps.empty()) thread.steps.push_back(0);
    while (thread.steps.size() < steps) thread.steps.push_back(thread.names.size());
  }

  // Threads of both that have most names in common, the most first; each once.
  std::vector<std::pair<int64_t, uint32_t>> alike() const {
    std::vector<std::tuple<int64_t, int64_t, uint32_t>> all;
    for (const auto& [number, thread] : threads_)
      for (const auto& [lane, events] : lanes_)
        if (const int64_t common = common_names(thread, events)) all.emplace_back(-common, number, lane);
    std::ranges::sort(all);
    std::vector<std::pair<int64_t, uint32_t>> found;
    for (const auto& each : all) {
      const std::pair both(std::get<1>(each), std::get<2>(each));
      const auto taken = [&](const auto& pair) { return pair.first == both.first || pair.second == both.second; };
      if (std::ranges::none_of(found, taken)) found.push_back(both);
    }
    return found;
  }

  static int64_t common_names(const ThreadNames& a, const ThreadNames& b) {
    std::unordered_map<uint32_t, int64_t> counts;
    for (const uint32_t name : a.names) ++counts[name];
    return std::ranges::count_if(b.names, [&](uint32_t name) {
      const auto count = counts.find(name);
      return count != counts.end() && count->second-- > 0;
    });
  }

  void join_threads() {
    const std::vector<std::pair<int64_t, uint32_t>> numbers = alike();
    std::vector<ThreadPair> threads;
    for (const auto& [number, lane] : numbers) {
      const ThreadNames &nodes = threads_.at(number), &events = lanes_.at(lane);
      threads.push_back({nodes.names, events.names, nodes.steps, events.steps});
    }
    const std::vector<std::optional<Pairs>> pairs = align_threads(threads, kMostEdits);
    for (size_t i = 0; i < pairs.size(); ++i) put(numbers[i].first, numbers[i].second, pairs[i]);
  }

  void put(int64_t number, uint32_t lane, const std::optional<Pairs>& pairs) {
    const ThreadNames &nodes = threads_.at(number), &events = lanes_.at(lane);
    joined_.threads.push_back({.thread = number,
                               .lane = lane,
                               .nodes = std::ssize(nodes.places),
                               .operators = std::ssize(events.places),
                               .joined = pairs ? std::ssize(*pairs) : 0,
                               .is_aligned = pairs.has_value()});
    if (!pairs) return;
    joined_.joined += std::ssize(*pairs);
    for (const auto& [node, event] : *pairs) {
      joined_.node_of[events.places[event]] = nodes.places[node];
      joined_.event_of[nodes.places[node]] = events.places[event];
    }
  }

  void count_shapes() {
    for (uint32_t i = 0; i < joined_.event_of.size(); ++i) {
      if (joined_.event_of[i] == kNone || execution_.nodes[i].shapes == kNone) continue;
      const Detail* detail = rank_.detail(rank_.events[joined_.event_of[i]]);
      if (!detail || detail->shapes == kNone) continue;
      ++joined_.shapes;
      joined_.equal_shapes += shapes_agree(execution_.names[execution_.nodes[i].shapes], rank_.names[detail->shapes]);
    }
  }

  const RankTrace& rank_;
  const Execution& execution_;
  NameTable names_;  // of both
  std::map<int64_t, ThreadNames> threads_;
  std::map<uint32_t, ThreadNames> lanes_;
  Joined joined_;
};

}  // namespace

Joined join(const RankTrace& rank, const Execution& execution) { return Joiner(rank, execution).join(); }

std::vector<Dependency> of_events(const std::vector<Dependency>& of_nodes, const Joined& joined) {
  std::vector<Dependency> found;
  for (const Dependency& each : of_nodes) {
    const Dependency event{joined.event_of[each.from], joined.event_of[each.to]};
    if (event.from != kNone && event.to != kNone) found.push_back(event);
  }
  return found;
}

namespace {

// The only rank with events of a process; kNone: no rank or several have.
uint32_t rank_of_process(const std::vector<RankTrace>& ranks, int64_t process) {
  uint32_t found = kNone;
  for (uint32_t r = 0; r < ranks.size(); ++r) {
    const auto of_it = [&](const Lane& lane) { return !lane.on_device && lane.process == process; };
    if (process < 0 || std::ranges::none_of(ranks[r].lanes, of_it)) continue;
    if (found != kNone) return kNone;
    found = r;
  }
  return found;
}

}  // namespace

Pairing pair_files(const std::vector<RankTrace>& ranks, const std::vector<Execution>& executions) {
  Pairing pairing;
  std::vector<uint32_t> of_rank(ranks.size(), kNone), unknown;
  for (uint32_t e = 0; e < executions.size(); ++e) {
    const uint32_t rank = rank_of_process(ranks, executions[e].process);
    pairing.rank_of.push_back(rank);
    if (rank == kNone) {
      unknown.push_back(e);
      continue;
    }
    if (of_rank[rank] != kNone)
      pairing.wrong =
          fmt::format("'{}' and '{}' are both of process {}, whose events '{}' has", executions[of_rank[rank]].file,
                      executions[e].file, executions[e].process, ranks[rank].file);
    of_rank[rank] = e;
  }
  std::vector<uint32_t> left;
  for (uint32_t r = 0; r < ranks.size(); ++r)
    if (of_rank[r] == kNone) left.push_back(r);
  if (!pairing.wrong.empty() || unknown.empty()) return pairing;
  if (unknown.size() != left.size()) {
    pairing.wrong = fmt::format(
        "no events are of the process of '{}', and its place among the files does not say its "
        "rank: of {} execution traces and {} traces of events is not known what belongs together",
        executions[unknown.front()].file, unknown.size(), left.size());
    return pairing;
  }
  for (size_t i = 0; i < unknown.size(); ++i) {
    pairing.rank_of[unknown[i]] = left[i];
    pairing.notes.push_back(
        fmt::format("'{}' is taken as of the rank of '{}', by their order: it has no events of its "
                    "process",
                    executions[unknown[i]].file, ranks[left[i]].file));
  }
  return pairing;
}

}  // namespace planner::trace
