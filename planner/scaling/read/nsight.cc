// Profiles of Nsight Systems, one of each rank and repetition of each configuration, as Extra-Deep aggregates them
// (section 2.2): medians over the steps of a profile (nsight_events.h), the ranks and the repetitions
// (nsight_aggregate.h).
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <tuple>

#include "planner/scaling/read/formats.h"
#include "planner/scaling/read/nsight_aggregate.h"
#include "planner/scaling/read/nsight_name.h"

namespace planner::scaling {
namespace {

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
