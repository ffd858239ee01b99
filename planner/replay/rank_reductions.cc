#include "planner/replay/rank_reductions.h"

#include <algorithm>
#include <limits>

#include "planner/trace/trace.h"

namespace planner::replay {
namespace {

/// The numbers of a step's reductions that have a gradient.
std::vector<size_t> used_by(const trace::GradientStep& step) {
  std::vector<size_t> used;
  for (const trace::Gradient& gradient : step.gradients)
    if (gradient.bucket < step.reductions.size() && (used.empty() || used.back() != gradient.bucket))
      used.push_back(gradient.bucket);
  return used;
}

}  // namespace

EdgesOf::EdgesOf(const Graph& graph, std::span<const uint32_t> nodes) {
  std::vector<bool> is_one(graph.nodes.size());
  for (const uint32_t node : nodes) is_one[node] = true;
  for (uint32_t e = 0; e < graph.edges.size(); ++e) {
    if (is_one[graph.edges[e].to]) in[graph.edges[e].to].push_back(e);
    if (is_one[graph.edges[e].from]) out[graph.edges[e].from].push_back(e);
  }
}

RankReductions::RankReductions(const trace::RankTrace& rank, size_t number, const std::vector<size_t>& buckets,
                               Replayed& replayed)
    : rank_(rank),
      number_(number),
      buckets_(buckets),
      replayed_(replayed),
      graph_(replayed.graph),
      costs_(rank, number, replayed),
      removed_(rank.events.size()) {
  for (uint32_t i = 0; i < rank.events.size(); ++i) {
    const trace::Event& event = rank.events[i];
    if (!trace::is_on_device(event.kind) || replayed.events[number][i].first == Run::kNone) continue;
    const std::pair launch{trace::launched_ns(rank, i), i};
    streams_[event.lane].push_back(launch);
    if (event.role != trace::Role::communication) computing_.push_back(launch);
  }
  for (auto& [lane, launches] : streams_) std::ranges::sort(launches);
  std::ranges::sort(computing_);
}

std::vector<uint32_t> RankReductions::mark(const trace::GradientStep& step) {
  std::vector<uint32_t> nodes;
  for (const size_t number : used_by(step)) {
    const uint32_t event = step.reductions[number].event;
    removed_[event] = true;
    nodes.push_back(replayed_.events[number_][event].first);
    nodes.push_back(replayed_.events[number_][event].last);
  }
  return nodes;
}

// Its stream passes over it at once, as it waits for nothing but what was before it there.
void RankReductions::take_out(const trace::GradientStep& step, const EdgesOf& edges) {
  const std::vector<size_t> used = used_by(step);
  for (const trace::Gradient& gradient : step.gradients)  // the last one of each launched it
    if (const bool is_last = &gradient == &step.gradients.back() || (&gradient + 1)->bucket != gradient.bucket;
        is_last && gradient.bucket < step.reductions.size())
      costs_.take_out(gradient, step.reductions[gradient.bucket]);
  for (const size_t number : used) {
    const EventNodes& nodes = replayed_.events[number_][step.reductions[number].event];
    graph_.nodes[nodes.first].duration_ns = 0;
    if (const auto in = edges.in.find(nodes.first); in != edges.in.end())
      for (const uint32_t e : in->second) {
        graph_.edges[e].lag_ns = std::min<int64_t>(graph_.edges[e].lag_ns, 0);
        graph_.edges[e].delays = graph_.edges[e].cause == Cause::order;
      }
    if (const auto out = edges.out.find(nodes.last); out != edges.out.end())
      for (const uint32_t e : out->second) {
        ReplayEdge& edge = graph_.edges[e];
        if (edge.cause != Cause::order || edge.to == replayed_.ends[number_]) continue;
        gaps_[edge.to] = std::max<int64_t>(edge.lag_ns, 0);
        edge.lag_ns = std::min<int64_t>(edge.lag_ns, 0);
      }
  }
}

std::vector<uint32_t> RankReductions::arrivals(const trace::Gradient& last, int partitions, int64_t wait_ns) {
  const LaunchCosts::LaunchPlace launch = costs_.put_in(last, partitions);
  const auto behind = std::ranges::upper_bound(computing_, last.launched_ns, {}, &Launches::value_type::first);
  std::vector<uint32_t> arrivals;
  for (int p = 0; p < partitions; ++p) {
    const uint32_t arrival = graph_.add(ReplayNode{});
    const int64_t lag = launch.behind_begin_ns + p * costs_.each_ns() + replayed_.typical_launch_ns[number_] + wait_ns;
    graph_.add({.from = launch.node, .to = arrival, .lag_ns = lag, .cause = Cause::launch, .from_begin = true});
    if (behind != computing_.begin())
      graph_.add({.from = replayed_.events[number_][(behind - 1)->second].last,
                  .to = arrival,
                  .lag_ns = wait_ns,
                  .cause = Cause::event});
    arrivals.push_back(arrival);
  }
  return arrivals;
}

void RankReductions::order(const trace::GradientStep& step, const Decisions& decisions, std::span<PutIn> made) {
  const uint32_t lane = rank_.events[step.reductions[used_by(step).front()].event].lane;
  Launches kept = streams_.at(lane);
  std::erase_if(kept, [&](const auto& launch) { return removed_[launch.second]; });
  const std::vector<EventNodes>& nodes = replayed_.events[number_];
  for (size_t i = 0; i < made.size(); ++i) {
    made[i].lane = lane;
    const int64_t launched = launched_ns(step, decisions, made[i]);
    const auto next = std::ranges::upper_bound(kept, launched, {}, &Launches::value_type::first);
    if (next != kept.begin()) graph_.add({.from = nodes[(next - 1)->second].last, .to = made[i].arrival});
    if (last_ != Run::kNone) graph_.add({.from = last_, .to = made[i].arrival});
    last_ = made[i].end;
    const bool is_next =
        next != kept.end() && (i + 1 == made.size() || next->first < launched_ns(step, decisions, made[i + 1]));
    if (!is_next) continue;
    const uint32_t behind = nodes[next->second].first;
    const auto gap = gaps_.find(behind);
    graph_.add({.from = made[i].end, .to = behind, .lag_ns = gap == gaps_.end() ? 0 : gap->second});
  }
}

// Of a call when it was made, of what it launched as well; of all else nothing is launched behind it.
int64_t RankReductions::moment_of(const EventPlace& place) const {
  return place.is_known() ? trace::launched_ns(rank_, place.event) : std::numeric_limits<int64_t>::max();
}

void RankReductions::redirect(const trace::GradientStep& step, const Decisions& decisions, std::span<const PutIn> made,
                              const EdgesOf& edges, std::span<const EventPlace> places) {
  std::vector<size_t> latest(step.reductions.size(), 0);  // one behind the new bucket
  for (size_t g = 0; g < step.gradients.size(); ++g)
    if (const size_t old = step.gradients[g].bucket; old < latest.size())
      latest[old] = std::max(latest[old], buckets_[g] + 1);
  for (const size_t number : used_by(step)) {
    const auto out = edges.out.find(replayed_.events[number_][step.reductions[number].event].last);
    if (out == edges.out.end()) continue;
    for (const uint32_t e : out->second) {
      ReplayEdge& edge = graph_.edges[e];
      const bool in_stream = edge.cause == Cause::order && edge.to != replayed_.ends[number_];
      if (in_stream || edge.cause == Cause::ranks) continue;
      const int64_t moment = moment_of(places[edge.to]);
      const auto fits = [&](const PutIn& one) {
        return one.bucket < latest[number] && launched_ns(step, decisions, one) <= moment;
      };
      const auto last = std::find_if(made.rbegin(), made.rend(), fits);
      if (last == made.rend()) edge.delays = false;
      else edge.from = last->end;
    }
  }
}

}  // namespace planner::replay
