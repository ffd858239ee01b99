#include "planner/studies/seqpoints/project.h"

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

class ProjectionRunner {
 public:
  ProjectionRunner(const Log& log, const dsl::Source& file, const ScenarioText* scenario,
                   const ProjectionOptions& options, dsl::Diagnostics& diagnostics)
      : log_(log), file_(file), scenario_(scenario), options_(options), diagnostics_(diagnostics) {}

  std::optional<Projection> run() {
    if (scenario_ && !read_base()) return std::nullopt;
    if (!set_epoch()) return std::nullopt;
    const std::optional<Epoch> counted = counted_epoch();
    if (!counted) return std::nullopt;
    projection_.by = options_.by;
    projection_.selection = select_seqpoints(*counted, options_.select);
    projection_.samples = {projection_.selection.sample};
    const auto points = static_cast<int64_t>(projection_.selection.sample.points.size());
    for (Sample& sample : alternatives(*counted, {.warmup = options_.warmup, .clusters = points}))
      projection_.samples.push_back(std::move(sample));
    for (const Statistic& s : statistics_) add_statistic(s);
    if (options_.truth || !options_.truth_sets.empty()) add_truth();
    if (base_ && base_->roadmap) add_machines();
    if (diagnostics_.has_errors()) return std::nullopt;
    return std::move(projection_);
  }

 private:
  /// The scenario at the longest sequence, which is what expressions of the road map see.
  bool read_base() {
    const int64_t longest = longest_of(log_, options_.batching);
    std::vector<dsl::Override> overrides = scenario_->overrides;
    overrides.push_back({fmt::format("job.sequence={}", longest)});
    auto open = read_open_scenario(scenario_->source, overrides, scenario_->catalog, scenario_->sources, diagnostics_);
    if (!open) return false;
    base_.emplace(std::move(*open));
    const auto or_unnamed = [](const std::string& name, const char* unnamed) { return name.empty() ? unnamed : name; };
    projection_.title = fmt::format("{} on {}", or_unnamed(base_->sample.model.name, "a model"),
                                    or_unnamed(base_->sample.cluster.gpu.name, "GPUs"));
    return true;
  }

  bool set_epoch() {
    Batching batching = options_.batching;
    if (base_) batching.batch = base_->sample.job.global_batch;
    std::optional<LogRun> run = run_of(log_, batching, {&file_, 1, 1, 0}, diagnostics_);
    if (!run) return false;
    projection_.epoch = std::move(run->epoch);
    projection_.left_over = run->left_over;
    statistics_ = std::move(run->statistics);
    for (const LengthTime& l : projection_.epoch.lengths) lengths_.push_back(l.length);
    if (!log_.seconds.empty()) return true;
    const auto times = planned_times(*scenario_, {}, lengths_, diagnostics_);
    for (size_t i = 0; times && i < times->size(); ++i) projection_.epoch.lengths[i].seconds = (*times)[i];
    return times.has_value();
  }

  /// The epoch for the selection: its counted quantity replaces the seconds.
  std::optional<Epoch> counted_epoch() {
    Epoch out = projection_.epoch;
    if (options_.by.empty()) return out;
    const Statistic& by = *std::ranges::find(statistics_, options_.by, &Statistic::name);
    if (total_seconds(out, by.values) <= 0) {
      diagnostics_.error({&file_, 1, 1, 0},
                         fmt::format("'{}' is 0 in all iterations: SeqPoints cannot be chosen by it", by.name));
      return std::nullopt;
    }
    for (size_t i = 0; i < by.values.size(); ++i) out.lengths[i].seconds = by.values[i];
    return out;
  }

  void add_statistic(const Statistic& s) {
    StatisticProjection out{
        .name = s.name, .by_length = s.values, .actual = total_seconds(projection_.epoch, s.values)};
    for (const Sample& sample : projection_.samples)
      out.projected.push_back(projected_seconds(projection_.epoch, sample, s.values));
    projection_.statistics.push_back(std::move(out));
  }

  void add_truth() {
    auto times = options_.truth
                     ? times_at(*options_.truth, projection_.epoch, {options_.truth_file, 1, 1, 0}, diagnostics_)
                     : planned_truth();
    if (!times) return;
    projection_.truth = project(projection_.epoch, projection_.samples, "truth", *times);
    projection_.truth_times = std::move(*times);
  }

  std::optional<std::vector<double>> planned_truth() {
    std::vector<dsl::Override> overrides = scenario_->overrides;
    overrides.insert(overrides.end(), options_.truth_sets.begin(), options_.truth_sets.end());
    const ScenarioText other{scenario_->source, overrides, scenario_->catalog, scenario_->sources};
    return planned_times(other, {}, lengths_, diagnostics_);
  }

  void add_machines() {
    const auto roadmap = read_roadmap(*base_, scenario_->catalog, scenario_->sources, diagnostics_);
    if (!roadmap) return;
    std::vector<double> planned = projection_.epoch.times();
    if (!log_.seconds.empty() && !planned_here(planned)) return;
    for (const RoadmapStep& hardware : roadmap->steps)
      for (const RoadmapStep& model : roadmap->models) {
        RoadmapStep step = hardware;
        if (roadmap->models.size() > 1) step.name += ", " + model.name;
        step.sets.insert(step.sets.end(), model.sets.begin(), model.sets.end());
        if (keeps_batches(step)) add_machine(step, planned);
      }
  }

  bool planned_here(std::vector<double>& planned) {
    auto times = planned_times(*scenario_, {}, lengths_, diagnostics_);
    if (times) planned = std::move(*times);
    return times.has_value();
  }

  void add_machine(const RoadmapStep& step, const std::vector<double>& planned) {
    auto times = planned_times(*scenario_, step, lengths_, diagnostics_);
    if (!times) return;
    const std::vector<double> here = projection_.epoch.times();
    if (!log_.seconds.empty())
      for (size_t i = 0; i < here.size(); ++i) (*times)[i] *= here[i] / planned[i];
    projection_.machines.push_back(project(projection_.epoch, projection_.samples, step.name, *times));
  }

  bool keeps_batches(const RoadmapStep& step) {
    for (const RoadmapSet& set : step.sets)
      if (set.path == "job.sequence" || set.path == "job.global_batch")
        diagnostics_.error(set.place,
                           fmt::format("'{}' is what the log says: SeqPoints stand for these batches", set.path),
                           "find the SeqPoints of other batches anew");
    return !diagnostics_.has_errors();
  }

  const Log& log_;
  const dsl::Source& file_;
  const ScenarioText* scenario_;
  const ProjectionOptions& options_;
  dsl::Diagnostics& diagnostics_;
  std::optional<OpenScenario> base_;
  std::vector<int64_t> lengths_;  // each once
  std::vector<Statistic> statistics_;
  Projection projection_;
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

std::optional<Projection> project_run(const Log& log, const dsl::Source& file, const ScenarioText* scenario,
                                      const ProjectionOptions& options, dsl::Diagnostics& diagnostics) {
  return ProjectionRunner(log, file, scenario, options, diagnostics).run();
}

}  // namespace planner::seqpoint
