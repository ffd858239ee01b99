#include "planner/trace/gradients.h"

#include <algorithm>
#include <map>
#include <unordered_map>

namespace planner::trace {
namespace {

/// All gradients of a rank.
std::vector<Gradient> gradients_of(const RankTrace& rank) {
  std::vector<Gradient> gradients;
  std::unordered_map<uint32_t, std::vector<uint32_t>> open;  // by thread: operators, the outermost first
  std::unordered_map<uint32_t, size_t> within;               // by operator: how many gradients it is next around
  std::vector<uint32_t> around;                              // by gradient
  for (uint32_t i = 0; i < rank.events.size(); ++i) {
    const Event& event = rank.events[i];
    if (event.kind != EventKind::op) continue;
    std::vector<uint32_t>& stack = open[event.lane];
    while (!stack.empty() && rank.events[stack.back()].end_ns() <= event.start_ns) stack.pop_back();
    if (rank.name(event) == kGradient) {
      around.push_back(stack.empty() ? kNone : stack.back());
      ++within[around.back()];
      gradients.push_back({.event = i, .launched_ns = event.end_ns()});
    }
    stack.push_back(i);
  }
  for (size_t g = 0; g < gradients.size(); ++g)
    if (around[g] != kNone && within[around[g]] == 1) gradients[g].launched_ns = rank.events[around[g]].end_ns();
  return gradients;
}

/// All-reduces of a rank by their event, those whose size is known.
using Known = std::map<size_t, GradientReduction>;

std::vector<Known> known_reductions(const Trace& trace, const Matched& matched) {
  std::vector<Known> known(trace.size());
  for (size_t c = 0; c < matched.collectives.size(); ++c) {
    const Collective& each = matched.collectives[c];
    if (each.kind != CollectiveKind::all_reduce || each.bytes <= 0) continue;
    for (const Collective::Part& part : each.parts)
      known[part.rank][part.event] = {.collective = c,
                                      .event = static_cast<uint32_t>(part.event),
                                      .launched_ns = launched_ns(trace[part.rank], part.event)};
  }
  return known;
}

GradientStep step_of(const RankTrace& rank, const Step& marked, const std::vector<Gradient>& gradients,
                     const Known& known) {
  GradientStep step;
  for (const size_t i : marked.events)
    if (const auto found = known.find(i); found != known.end()) step.reductions.push_back(found->second);
  std::ranges::stable_sort(step.reductions, {}, &GradientReduction::launched_ns);
  for (Gradient gradient : gradients) {
    const int64_t begin = rank.events[gradient.event].start_ns;
    if (marked.is_marked() && (begin < marked.host.begin_ns || begin >= marked.host.end_ns)) continue;
    const auto behind = std::ranges::lower_bound(step.reductions, begin, {}, &GradientReduction::launched_ns);
    gradient.bucket = static_cast<size_t>(behind - step.reductions.begin());
    step.gradients.push_back(gradient);
  }
  return step;
}

}  // namespace

std::vector<std::vector<GradientStep>> gradients_of(const Trace& trace, const RankSteps& steps,
                                                    const Matched& matched) {
  const std::vector<Known> known = known_reductions(trace, matched);
  std::vector<std::vector<GradientStep>> all(trace.size());
  for (size_t r = 0; r < trace.size(); ++r) {
    const std::vector<Gradient> gradients = gradients_of(trace[r]);
    for (const Step& marked : steps[r]) all[r].push_back(step_of(trace[r], marked, gradients, known[r]));
  }
  return all;
}

}  // namespace planner::trace
