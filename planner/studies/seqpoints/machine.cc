#include "planner/studies/seqpoints/machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "planner/plan/plan.h"
#include "planner/search/candidate.h"

namespace planner::seqpoint {
namespace {

constexpr const char* kLength = "job.sequence";
constexpr size_t kChoices = 500;  // lengths that one reading of the scenario leaves open

dsl::List as_list(std::span<const int64_t> lengths) {
  dsl::List list;
  for (const int64_t length : lengths) list.push_back({dsl::Number{static_cast<double>(length), dsl::kNone}});
  return list;
}

/// The scenario at some of the lengths, one combination of its choices for each.
class LengthWalk {
 public:
  LengthWalk(const RoadmapStep& step, dsl::Diagnostics& diagnostics) : step_(step), diagnostics_(diagnostics) {}

  void walk(const OpenScenario& open) {
    for (const dsl::OpenItem& item : open.space.items())
      if (item.is_choice && item.path != kLength)
        diagnostics_.error(item.span,
                           fmt::format("'{}' is open: one machine and one layout run all lengths", item.path),
                           "close it, such as with --set");
    dsl::Cursor cursor(open.space);
    Candidate candidate(open);
    while (!diagnostics_.has_errors() && cursor.next())
      if (cursor.refusal() == dsl::Refusal::none) take(candidate.at(cursor));
      else refused(open, cursor);
  }

  void warn_of_memory() {
    if (too_large_.empty()) return;
    diagnostics_.warning({},
                         fmt::format("{} of {} lengths, from {}, do not fit the memory: their times are as if they did",
                                     too_large_.size(), times_.size(), too_large_.front()));
  }

  std::vector<double> times() { return std::move(times_); }

 private:
  std::string on() const { return step_.name.empty() ? "" : fmt::format(" on '{}'", step_.name); }

  void take(const Scenario& s) {
    const Plan plan = make_plan(s);
    if (!plan.step) {
      const Violation& v = plan.violations.front();
      return diagnostics_.error({}, fmt::format("cannot plan a step{} at a sequence length of {}: {}: {}", on(),
                                                s.job.sequence, v.rule, v.message));
    }
    times_.push_back(plan.step->seconds);
    if (plan.memory && plan.memory->device.peak_bytes > plan.memory->device.capacity_bytes)
      too_large_.push_back(s.job.sequence);
  }

  void refused(const OpenScenario& open, const dsl::Cursor& cursor) {
    const bool where = cursor.refusal() == dsl::Refusal::where;
    diagnostics_.error({}, fmt::format("cannot plan a step{} at one of the sequence lengths: {}", on(),
                                       where ? "a condition of `where` does not hold"
                                             : fmt::format("'{}' is not a value that its field can hold",
                                                           open.space.items()[cursor.refused_at()].path)));
  }

  const RoadmapStep& step_;
  dsl::Diagnostics& diagnostics_;
  std::vector<double> times_;
  std::vector<int64_t> too_large_;
};

}  // namespace

std::optional<std::vector<double>> planned_times(const ScenarioText& text, const RoadmapStep& step,
                                                 const std::vector<int64_t>& lengths, dsl::Diagnostics& diagnostics) {
  LengthWalk walk(step, diagnostics);
  for (size_t begin = 0; begin < lengths.size(); begin += kChoices) {
    std::vector<dsl::Override> overrides = text.overrides;
    for (const RoadmapSet& set : step.sets) overrides.push_back(override_of(set));
    const std::span<const int64_t> part = std::span(lengths).subspan(begin, std::min(kChoices, lengths.size() - begin));
    overrides.push_back(override_of({kLength, {as_list(part)}, {}}));
    const auto open = read_open_scenario(text.source, overrides, text.catalog, text.sources, diagnostics);
    if (open) walk.walk(*open);
    if (diagnostics.has_errors()) return std::nullopt;
  }
  if (step.name.empty()) walk.warn_of_memory();  // once, for the scenario itself
  return walk.times();
}

Machine project(const Epoch& epoch, const std::vector<Sample>& samples, const std::string& name,
                const std::vector<double>& times) {
  const std::vector<double> first = epoch.times();
  Machine machine{.name = name, .seconds = total_seconds(epoch, times)};
  machine.speedup = total_seconds(epoch, first) / machine.seconds;
  for (const Sample& sample : samples) {
    const double seconds = projected_seconds(epoch, sample, times);
    machine.projected.push_back({.seconds = seconds,
                                 .error = (seconds - machine.seconds) / machine.seconds,
                                 .speedup = projected_seconds(epoch, sample, first) / seconds});
  }
  return machine;
}

double geomean_error(const std::vector<Machine>& machines, size_t sample) {
  double sum = 0;
  for (const Machine& m : machines) sum += std::abs(std::log(m.projected[sample].seconds / m.seconds));
  return std::exp(sum / static_cast<double>(machines.size())) - 1;
}

}  // namespace planner::seqpoint
