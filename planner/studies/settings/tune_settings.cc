#include "planner/studies/settings/tune_settings.h"

#include <algorithm>
#include <utility>

#include "planner/tuning/pass_tuner.h"

namespace planner {
namespace {

Sets joined(Sets sets, const Sets& more) {
  for (const auto& [path, value] : more) {
    const auto same = std::ranges::find(sets, path, &Sets::value_type::first);
    if (same != sets.end()) same->second = value;
    else sets.emplace_back(path, value);
  }
  return sets;
}

/// A scenario with fields set, and its plan.
struct TriedSettings {
  Scenario scenario;
  Plan plan;
  double seconds = 0, bytes = 0;
};

// The first pass's sets are written, then the others'.
class SettingsTuner : public tuning::PassTuner<SettingsTuner, SettingPass, Sets, TriedSettings, TunedSettings> {
 public:
  static constexpr int kMostTogether = 2;

  SettingsTuner(const Reread& reread, const AllowedPass& allowed) : reread_(reread) {
    for (const SettingPass& pass : setting_passes())
      if (allowed(pass)) passes_.push_back(&pass);
    std::optional<TriedSettings> as_it_is = plan({});
    now_ = *std::move(as_it_is);
    found_.before = now_.plan;
    found_.budget_bytes = now_.plan.memory->device.usable_bytes;
  }

  // Those of the memory passes, and what of the others saves as well: 16 bits.
  std::vector<Together> single_ways() {
    constexpr double kSaves = 0.99;
    std::vector<Together> ways;
    for (const SettingPass* pass : passes_)
      for (const Sets& way : pass->ways(now_.scenario)) {
        const std::optional<TriedSettings> tried = is_for_memory(*pass) ? std::nullopt : plan(way);
        const bool saves = tried && tried->bytes < kSaves * now_.bytes;
        if (is_for_memory(*pass) || saves) ways.push_back({{pass, way}});
      }
    return ways;
  }

  static bool is_for_memory(const SettingPass& pass) { return pass.aim == PassAim::memory; }
  bool may_gain(const SettingPass& pass) const {
    return pass.most_seconds(now_.plan) > tuning::LastRounds::kLeastGain * now_.seconds;
  }
  std::vector<Sets> ways_of(const SettingPass& pass) const { return pass.ways(now_.scenario); }

  std::optional<TriedSettings> try_together(const Together& ways) {
    std::string names;
    Sets sets;
    for (const auto& [pass, way] : ways) {
      names += (names.empty() ? "" : ", ") + std::string(pass->name);
      sets = joined(std::move(sets), way);
    }
    std::optional<TriedSettings> tried = plan(sets);
    if (tried) found_.memory.push_back({names, sets, tried->seconds, tried->bytes, fits(*tried)});
    return tried;
  }
  std::optional<TriedSettings> try_next(const Sets& way) { return plan(joined(found_.sets(), way)); }
  std::optional<TriedSettings> without(const SettingDecision& decision) {
    Sets others;
    for (const SettingDecision& each : found_.decisions)
      if (&each != &decision) others = joined(std::move(others), each.sets);
    return plan(others);
  }
  TriedSettings taken_back(const TriedSettings&) { return *plan(found_.sets()); }

  static void put(const Sets& way, SettingDecision& decision) { decision.sets = way; }
  void finish() { found_.after = std::move(now_.plan); }

 private:
  // nullopt: this cannot be read, or has no plan.
  std::optional<TriedSettings> plan(const Sets& sets) {
    std::optional<LoadedScenario> loaded = reread_(sets);
    if (!loaded || !layout_violations(loaded->scenario).empty()) return std::nullopt;
    ++found_.plans;
    TriedSettings tried{.scenario = std::move(loaded->scenario)};
    tried.plan = make_unchecked_plan(tried.scenario);
    tried.seconds = tried.plan.step->seconds;
    tried.bytes = tried.plan.memory->device.peak_bytes;
    return tried;
  }

  const Reread& reread_;
};

}  // namespace

Sets TunedSettings::sets() const {
  Sets all;
  for (const SettingDecision& each : decisions) all = joined(std::move(all), each.sets);
  return all;
}

TunedSettings tune_settings(const Reread& reread, const AllowedPass& allowed) {
  return SettingsTuner(reread, allowed).run();
}

}  // namespace planner
