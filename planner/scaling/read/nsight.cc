// Profiles of Nsight Systems, one of each rank and repetition of each configuration, as Extra-Deep aggregates them
// (section 2.2): medians over the steps of a profile (nsight_events.h), the ranks and the repetitions.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "planner/scaling/read/experiment_builder.h"
#include "planner/scaling/read/formats.h"
#include "planner/scaling/read/nsight_events.h"
#include "planner/scaling/read/nsight_steps.h"

namespace planner::scaling {
namespace {

// Kernels of many profiles as series: medians over the ranks and over the repetitions (Extra-Deep, section 2.2, steps 2
// to 4), and sums of them by category for models of the whole application.

inline constexpr size_t kFewestConfigurations = 5;  // of a kernel that is modelled (Extra-Deep, section 2.2)

/// Series are called as their kernels are, those of validation steps "validation->NAME"; a value is the median over the
/// ranks of one repetition, and a rank without the kernel counts as zero. "application->computation" and its siblings
/// have one value at a point: the sum of the kernels' medians over the repetitions.
class Aggregate {
 public:
  /// `place`: where the series are named.
  Aggregate(ExperimentBuilder& builder, dsl::Diagnostics& diagnostics, dsl::Span place)
      : builder_(builder), diagnostics_(diagnostics), place_(place) {}

  /// Adds the kernels of one rank.
  void add(size_t point, long repetition, std::span<const StepKernel> kernels);
  void finish();

 private:
  using Values = std::array<double, 3>;  // time, visits, bytes
  struct SeenKernel {
    KernelCategory category = KernelCategory::none;
    bool has_bytes = false;
    std::map<size_t, std::map<long, std::vector<Values>>> ranks;  // by point and repetition: ranks that have it
  };
  using Key = std::pair<Phase, std::string>;

  static Values median(const std::vector<Values>& all, size_t count);
  std::map<size_t, std::vector<Values>> medians(Phase phase, const SeenKernel& seen);
  void add_kernel(const Key& key, const SeenKernel& seen);
  void add_application();
  void measure(const std::string& callpath, size_t metric, Phase phase, KernelCategory category, size_t point,
               double value);
  void tell_rare();

  ExperimentBuilder& builder_;
  dsl::Diagnostics& diagnostics_;
  dsl::Span place_;
  std::map<size_t, std::map<long, size_t>> ranks_;  // by point and repetition: how many
  std::map<Key, SeenKernel> seen_;
  std::map<std::tuple<Phase, KernelCategory, size_t>, std::map<size_t, double>> application_;  // by metric and point
  std::vector<Rare> rare_;
};

constexpr const char* kMetrics[] = {"time", "visits", "bytes"};
constexpr size_t kVisits = 1, kBytes = 2;

const char* name_of(KernelCategory category) {
  switch (category) {
    case KernelCategory::computation:
      return "computation";
    case KernelCategory::communication:
      return "communication";
    case KernelCategory::memory:
      return "memory";
    case KernelCategory::none:
      break;
  }
  return "none";
}

std::string in_phase(Phase phase, const std::string& name) {
  return (phase == Phase::validation ? "validation->" : "") + name;
}

void Aggregate::add(size_t point, long repetition, std::span<const StepKernel> kernels) {
  ++ranks_[point][repetition];
  for (const StepKernel& kernel : kernels) {
    SeenKernel& seen = seen_[{kernel.phase, kernel.callpath}];
    seen.category = kernel.category;
    seen.has_bytes |= kernel.has_bytes;
    seen.ranks[point][repetition].push_back({kernel.time, kernel.visits, kernel.bytes});
  }
}

void Aggregate::finish() {
  builder_.use_median();
  for (const auto& [key, seen] : seen_) add_kernel(key, seen);
  add_application();
  tell_rare();
}

Aggregate::Values Aggregate::median(const std::vector<Values>& all, size_t count) {
  Values medians = {};
  for (size_t metric = 0; metric < medians.size(); ++metric) {
    std::vector<double> values;
    for (const Values& v : all) values.push_back(v[metric]);
    medians[metric] = median_with_zeros(values, count);
  }
  return medians;
}

// By point, of each repetition; without the points where most ranks or repetitions do not have the kernel.
std::map<size_t, std::vector<Aggregate::Values>> Aggregate::medians(Phase phase, const SeenKernel& seen) {
  std::map<size_t, std::vector<Values>> found;
  for (const auto& [point, repetitions] : seen.ranks) {
    std::vector<Values> values;
    for (const auto& [repetition, ranks] : repetitions) values.push_back(median(ranks, ranks_[point][repetition]));
    const Values middle = median(values, ranks_[point].size());
    if (middle[kVisits] == 0) continue;
    for (size_t metric = 0; metric < middle.size() && seen.category != KernelCategory::none; ++metric)
      application_[{phase, seen.category, metric}][point] += middle[metric];
    found[point] = std::move(values);
  }
  return found;
}

void Aggregate::add_kernel(const Key& key, const SeenKernel& seen) {
  const auto points = medians(key.first, seen);
  const std::string callpath = in_phase(key.first, key.second);
  if (points.size() < kFewestConfigurations) return rare_.push_back({callpath, points.size()});
  for (size_t metric = 0; metric < std::size(kMetrics) - !seen.has_bytes; ++metric)
    for (const auto& [point, values] : points)
      for (const Values& v : values) measure(callpath, metric, key.first, seen.category, point, v[metric]);
}

void Aggregate::measure(const std::string& callpath, size_t metric, Phase phase, KernelCategory category, size_t point,
                        double value) {
  const size_t series = builder_.series(callpath, kMetrics[metric], place_, false);
  builder_.at(series).phase = phase;
  builder_.at(series).category = category;
  builder_.measure(series, point, value, place_);
}

void Aggregate::add_application() {
  for (const auto& [key, points] : application_) {
    const auto [phase, category, metric] = key;
    if (metric == kBytes && category != KernelCategory::memory) continue;
    const std::string callpath = in_phase(phase, fmt::format("application->{}", name_of(category)));
    for (const auto& [point, value] : points) measure(callpath, metric, phase, category, point, value);
  }
}

void Aggregate::tell_rare() {
  constexpr size_t kMostNamed = 5;
  if (rare_.empty()) return;
  std::string names;
  for (size_t i = 0; i < std::min(rare_.size(), kMostNamed); ++i)
    names += fmt::format("{}{} ({})", i ? ", " : "", rare_[i].callpath, rare_[i].configurations);
  diagnostics_.warning(place_,
                       fmt::format("{} kernel{} in fewer than {} configurations, without a model: {}{}", rare_.size(),
                                   rare_.size() == 1 ? " is" : "s are", kFewestConfigurations, names,
                                   rare_.size() > kMostNamed ? " ..." : ""),
                       "a model of a kernel needs it in five configurations");
  builder_.set_rare(rare_);
}

dsl::Span place_of(const MeasurementFile& file) {
  return {file.source, 1, 1, static_cast<int>(file.source->text.size())};
}

trace::DatabaseFile database_of(const MeasurementFile& file) {
  return {file.path, place_of(file), file.bytes ? &*file.bytes : nullptr};
}

struct Profile {
  const MeasurementFile* file;
  ProfileName name;
  size_t point = 0;
};

class ProfileReader {
 public:
  explicit ProfileReader(ReadContext& context) : builder_(context.builder), diagnostics_(context.diagnostics) {}

  void read(std::span<const MeasurementFile> files) {
    for (const MeasurementFile& file : files)
      if (const auto name = name_of(file)) profiles_.push_back({&file, *name});
    if (profiles_.size() < files.size() || !check_names() || !set_points()) return;
    Aggregate aggregate(builder_, diagnostics_, place(profiles_.front()));
    for (const Profile& profile : profiles_) read_profile(profile, aggregate);
    warn_of_steps();
    if (!diagnostics_.has_errors()) aggregate.finish();
  }

 private:
  // Whether it is a profile at all comes first: no name mends one that is damaged.
  std::optional<ProfileName> name_of(const MeasurementFile& file) {
    if (!Database(database_of(file), diagnostics_).good()) return std::nullopt;
    if (!file.bytes) return read_profile_name(*file.source, diagnostics_);
    diagnostics_.error({}, "a profile on standard input has no name that says its configuration",
                       "give it as a file with a name such as app.p4.r1.mpi0.sqlite: parameters, repetition, rank");
    return std::nullopt;
  }

  dsl::Span place(const Profile& profile) const { return place_of(*profile.file); }

  bool check_names() {
    const ProfileName& first = profiles_.front().name;
    std::set<std::tuple<std::vector<double>, long, long>> seen;
    for (const Profile& profile : profiles_) {
      const ProfileName& name = profile.name;
      if (name.app != first.app || name.parameters != first.parameters)
        diagnostics_.error(place(profile),
                           fmt::format("a profile of {} with {}, expected {} with {} as before", name.app,
                                       fmt::join(name.parameters, ", "), first.app, fmt::join(first.parameters, ", ")),
                           "profiles of one program are read together");
      else if (!seen.insert({name.values, name.repetition, name.rank}).second)
        diagnostics_.error(place(profile), "a second profile of this configuration, repetition and rank");
    }
    const auto order = [](const Profile& p) { return std::tie(p.name.values, p.name.repetition, p.name.rank); };
    std::sort(profiles_.begin(), profiles_.end(), [&](const auto& a, const auto& b) { return order(a) < order(b); });
    return !diagnostics_.has_errors();
  }

  // A parameter with one value in all names is not a parameter of the experiment.
  bool set_points() {
    const ProfileName& first = profiles_.front().name;
    std::vector<size_t> varied;
    for (size_t i = 0; i < first.parameters.size(); ++i) {
      const auto differs = [&](const Profile& profile) { return profile.name.values[i] != first.values[i]; };
      if (std::any_of(profiles_.begin(), profiles_.end(), differs)) varied.push_back(i);
      else if (first.parameters.size() > 1)
        diagnostics_.warning(place(profiles_.front()), fmt::format("parameter '{}' is {} in all profiles: left out",
                                                                   first.parameters[i], first.values[i]));
    }
    if (varied.empty()) varied.push_back(0);
    std::vector<PlacedName> names;
    for (const size_t i : varied) names.push_back({first.parameters[i], place(profiles_.front())});
    if (!builder_.parameters(names)) return false;
    for (Profile& profile : profiles_) {
      std::vector<double> coordinates;
      for (const size_t i : varied) coordinates.push_back(profile.name.values[i]);
      const auto point = builder_.point(coordinates, place(profile));
      if (!point) return false;
      profile.point = *point;
    }
    return true;
  }

  void read_profile(const Profile& profile, Aggregate& aggregate) {
    Database database(database_of(*profile.file), diagnostics_);
    const Strings strings(database);
    const StepWindows windows = read_windows(database, strings);
    const std::vector<StepKernel> kernels = read_kernels(database, windows, strings);
    if (!database.good()) return;
    unmarked_ += !windows.marked;
    warm_up_ += windows.warm_up;
    if (kernels.empty())
      database.fail("the profile has no events", "expected tables such as CUPTI_ACTIVITY_KIND_KERNEL");
    aggregate.add(profile.point, profile.name.repetition, kernels);
    builder_.profiled(profile.point, {.seconds = windows.marked_ns * kSecondsPerTick, .epochs = windows.epochs});
  }

  void warn_of_steps() {
    const dsl::Span first = place(profiles_.front());
    if (unmarked_ > 0)
      diagnostics_.warning(
          first,
          fmt::format("{} of {} profiles mark no steps: all of such a profile counts as one step", unmarked_,
                      profiles_.size()),
          "NVTX marks 'step:0,type:started' and 'step:0,type:ended', or ranges of category 'training_step', mark them");
    if (warm_up_ > 0)
      diagnostics_.warning(first,
                           fmt::format("{} of {} profiles have one epoch alone: its steps are taken, though they may "
                                       "hold the warm-up",
                                       warm_up_, profiles_.size()),
                           "of two epochs the first is dropped");
  }

  ExperimentBuilder& builder_;
  dsl::Diagnostics& diagnostics_;
  std::vector<Profile> profiles_;
  size_t unmarked_ = 0, warm_up_ = 0;  // profiles
};

}  // namespace

void read_nsight(std::span<const MeasurementFile> files, ReadContext& context) { ProfileReader(context).read(files); }

}  // namespace planner::scaling
