#include "planner/plan/stage_times.h"

#include <algorithm>
#include <cmath>

#include "planner/plan/timeline.h"

namespace planner {

bool alike(const PlayedStage& a, const PlayedStage& b) {
  const double length = a.forward + a.backward + a.weight_gradient + a.wait;
  const auto near = [&](double x, double y) { return std::abs(x - y) <= 1e-9 * length; };
  return near(a.forward, b.forward) && near(a.backward, b.backward) && near(a.weight_gradient, b.weight_gradient) &&
         near(a.wait, b.wait);
}

std::vector<PlayedStage> played_stages(const Scenario& s) {
  const double events = timeline_events(s);
  if (events == 0 || events > kMostPlayed || !s.lengths.shares.empty()) return {};
  return played_times(make_timeline(s), s.parallelism.pp);
}

std::vector<PlayedStage> played_times(const Timeline& timeline, int64_t stages) {
  std::vector<PlayedStage> times(static_cast<size_t>(stages));
  for (const Event& event : timeline.events) {
    PlayedStage& stage = times.at(static_cast<size_t>(event.stage));
    double& spent = event.work == Work::forward    ? stage.forward
                    : event.work == Work::backward ? stage.backward
                                                   : stage.weight_gradient;
    spent += event.end - event.start;
  }
  for (PlayedStage& stage : times)
    stage.wait = std::max(0.0, timeline.seconds - (stage.forward + stage.backward + stage.weight_gradient));
  return times;
}

}  // namespace planner
