#include "planner/trace/join.h"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "planner/trace/alignment.h"

namespace planner::trace {
namespace {

// Elements in no pair: two threads that differ in more are two programs, and would take minutes.
constexpr int64_t kMostEdits = 60'000;

/// What began in a thread, by begin, and what that is called in numbers that both traces share.
struct Thread {
  std::vector<uint32_t> places, names;
};

bool is_operator(const ExecutionNode& node) { return node.on_host && node.type != NodeType::metadata; }
bool is_operator(const Event& event) { return event.kind == Kind::op || event.kind == Kind::annotation; }

class Joiner {
 public:
  Joiner(const RankTrace& rank, const Execution& execution) : rank_(rank), execution_(execution) {}

  Joined join() {
    joined_.node_of.assign(rank_.events.size(), kNone);
    joined_.event_of.assign(execution_.nodes.size(), kNone);
    read_events();
    read_nodes();
    for (const auto& [thread, lane] : alike()) join_threads(thread, lane);
    count_shapes();
    return std::move(joined_);
  }

 private:
  void read_events() {
    for (uint32_t i = 0; i < rank_.events.size(); ++i) {
      const Event& event = rank_.events[i];
      if (!is_operator(event)) continue;
      ++joined_.operators;
      add(lanes_[event.lane], i, rank_.name(event));
    }
  }

  void read_nodes() {
    std::vector<uint32_t> order;
    for (uint32_t i = 0; i < execution_.nodes.size(); ++i)
      if (is_operator(execution_.nodes[i])) order.push_back(i);
    std::ranges::stable_sort(order, {}, [&](uint32_t place) { return execution_.nodes[place].id; });
    joined_.nodes = std::ssize(order);
    for (const uint32_t place : order) {
      const ExecutionNode& node = execution_.nodes[place];
      add(threads_[node.thread], place, execution_.name(node));
    }
  }

  void add(Thread& thread, uint32_t place, const std::string& name) {
    thread.places.push_back(place);
    thread.names.push_back(names_.number(name));
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

  static int64_t common_names(const Thread& a, const Thread& b) {
    std::unordered_map<uint32_t, int64_t> counts;
    for (const uint32_t name : a.names) ++counts[name];
    return std::ranges::count_if(b.names, [&](uint32_t name) {
      const auto count = counts.find(name);
      return count != counts.end() && count->second-- > 0;
    });
  }

  void join_threads(int64_t number, uint32_t lane) {
    const Thread &nodes = threads_.at(number), &events = lanes_.at(lane);
    const std::optional<Pairs> pairs = align(nodes.names, events.names, kMostEdits);
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
      joined_.equal_shapes +=
          agree(shapes_of(execution_.names[execution_.nodes[i].shapes]), shapes_of(rank_.names[detail->shapes]));
    }
  }

  // Of "[[4, 3], [], [[8], [1]]]", by argument, what has numbers: "4,3;", "", "8;1;".
  static std::vector<std::string> shapes_of(std::string_view list) {
    const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
    std::vector<std::string> shapes(1);
    int depth = 0;
    for (const char c : list) {
      std::string& shape = shapes.back();
      const bool in_shape = !shape.empty() && is_digit(shape.back());
      depth += c == '[' ? 1 : c == ']' ? -1 : 0;
      if (c == ',' && depth == 1) shapes.emplace_back();
      else if (is_digit(c) || (c == ',' && in_shape)) shape += c;
      else if (c == ']' && in_shape) shape += ';';
    }
    return shapes;
  }

  // Kineto says nothing of lists of tensors.
  static bool agree(const std::vector<std::string>& of_node, const std::vector<std::string>& of_event) {
    if (of_node.size() != of_event.size()) return false;
    for (size_t i = 0; i < of_node.size(); ++i)
      if (!of_event[i].empty() && of_event[i] != of_node[i]) return false;
    return true;
  }

  const RankTrace& rank_;
  const Execution& execution_;
  Names names_;  // of both
  std::map<int64_t, Thread> threads_;
  std::map<uint32_t, Thread> lanes_;
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

}  // namespace planner::trace
