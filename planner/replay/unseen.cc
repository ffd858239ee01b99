#include "planner/replay/unseen.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <utility>

#include "planner/replay/moments.h"
#include "planner/trace/steps.h"

namespace planner::replay {
namespace {

using trace::RankTrace;

/// What devices take, as means by the name of a kernel and its place among those of its name in a step.
class Durations {
 public:
  void add(const RankTrace& rank, const trace::Step& step, const std::vector<EventNodes>& nodes, const Graph& graph) {
    each(rank, step, [&](size_t event, const std::pair<uint32_t, size_t>& key) {
      auto& [ns, count] = sums_[key];
      ns += static_cast<double>(graph.nodes[nodes[event].first].duration_ns);
      ++count;
    });
  }
  void put(const RankTrace& rank, const trace::Step& step, const std::vector<EventNodes>& nodes, Graph& graph) const {
    each(rank, step, [&](size_t event, const std::pair<uint32_t, size_t>& key) {
      if (const auto sum = sums_.find(key); sum != sums_.end())
        graph.nodes[nodes[event].first].duration_ns = std::llround(sum->second.first / sum->second.second);
    });
  }

 private:
  template <class Use> static void each(const RankTrace& rank, const trace::Step& step, Use use) {
    std::map<uint32_t, size_t> seen;
    for (const size_t event : step.events) {
      const uint32_t name = rank.events[event].name;
      use(event, std::pair(name, seen[name]++));
    }
  }
  std::map<std::pair<uint32_t, size_t>, std::pair<double, double>> sums_;
};

int64_t largest_stream(const RankTrace& rank, const trace::Step& step) {
  std::map<uint32_t, int64_t> sums;
  int64_t largest = 0;
  for (const size_t event : step.events) {
    int64_t& sum = sums[rank.events[event].lane];
    sum += rank.events[event].duration_ns;
    largest = std::max(largest, sum);
  }
  return largest;
}

/// Predicts one rank, or one step.
class UnseenPredictor {
 public:
  UnseenPredictor(const trace::Trace& trace, const trace::RankSteps& steps, const Replayed& replayed)
      : trace_(trace), steps_(steps), replayed_(replayed), measured_(run(replayed.graph).value()) {}

  void rank(size_t target, std::vector<Unseen>& out) const {
    note(target, with_others([=](size_t rank, int64_t) { return rank == target; }), out);
  }

  // Of one rank.
  void step(size_t target, std::vector<Unseen>& out) const {
    const trace::TimeInterval host = trace::period_of(steps_[0], target);
    Replayed changed =
        with_others([=](size_t, int64_t at_ns) { return at_ns >= host.begin_ns && at_ns < host.end_ns; });
    Durations durations;
    for (size_t s = 0; s < steps_[0].size(); ++s)
      if (s != target) durations.add(trace_[0], steps_[0][s], replayed_.events[0], replayed_.graph);
    durations.put(trace_[0], steps_[0][target], replayed_.events[0], changed.graph);
    std::vector<Unseen> all;
    note(0, changed, all);
    out.push_back(all[target]);
  }

 private:
  // Where `its` holds, of a rank and a time of its host, times are those of where it does not.
  Replayed with_others(const Takes& its) const {
    Statistics others;
    learn(trace_, replayed_, std::not_fn(its), others, &steps_);
    Replayed changed = replayed_;
    give(others, trace_, its, changed, &steps_);
    return changed;
  }

  void note(size_t rank, const Replayed& changed, std::vector<Unseen>& out) const {
    const std::vector<Run> runs = run(changed.graph).value();
    for (size_t s = 0; s < steps_[rank].size(); ++s)
      out.push_back({rank, s, period_ns(replayed_.steps[rank], s, measured_), period_ns(replayed_.steps[rank], s, runs),
                     largest_stream(trace_[rank], steps_[rank][s])});
  }

  const trace::Trace& trace_;
  const trace::RankSteps& steps_;
  const Replayed& replayed_;
  const std::vector<Run> measured_;
};

/// Of a rank the same step of the others; of one rank its other steps.
void set_means(std::vector<Unseen>& all, bool by_rank) {
  for (Unseen& each : all) {
    int64_t sum = 0, others = 0;
    for (const Unseen& other : all) {
      if (by_rank ? other.rank == each.rank || other.step != each.step : other.step == each.step) continue;
      sum += other.measured_ns, ++others;
    }
    each.others_mean_ns = others > 0 ? sum / others : 0;
  }
}

}  // namespace

std::vector<Unseen> predict_each(const trace::Trace& trace, const trace::RankSteps& steps, const Replayed& replayed) {
  const UnseenPredictor predictor(trace, steps, replayed);
  std::vector<Unseen> out;
  if (trace.size() > 1)
    for (size_t r = 0; r < trace.size(); ++r) predictor.rank(r, out);
  else if (steps[0].size() > 1)
    for (size_t s = 0; s < steps[0].size(); ++s) predictor.step(s, out);
  set_means(out, trace.size() > 1);
  return out;
}

}  // namespace planner::replay
