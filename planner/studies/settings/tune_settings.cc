#include "planner/studies/settings/tune_settings.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "planner/tuning/last_rounds.h"

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
  double seconds() const { return plan.step->seconds; }
  double bytes() const { return plan.memory->device.peak_bytes; }
};

class SettingsTuner {
 public:
  SettingsTuner(const Reread& reread, const AllowedPass& allowed) : reread_(reread) {
    for (const SettingPass& pass : setting_passes())
      if (allowed(pass)) passes_.push_back(&pass);
    std::optional<TriedSettings> as_it_is = plan({});
    now_ = *std::move(as_it_is);
    found_.before = now_.plan;
    found_.budget_bytes = now_.plan.memory->device.usable_bytes;
  }

  TunedSettings run() {
    if (!fits(now_)) save_memory();
    if (fits(now_)) save_time();
    found_.fits = fits(now_);
    weigh_decisions();
    found_.after = std::move(now_.plan);
    return std::move(found_);
  }

 private:
  bool fits(const TriedSettings& tried) const { return tried.bytes() <= found_.budget_bytes; }

  // nullopt: this cannot be read, or has no plan.
  std::optional<TriedSettings> plan(const Sets& sets) {
    std::optional<LoadedScenario> loaded = reread_(sets);
    if (!loaded || !layout_violations(loaded->scenario).empty()) return std::nullopt;
    ++found_.plans;
    TriedSettings tried{.scenario = std::move(loaded->scenario)};
    tried.plan = make_unchecked_plan(tried.scenario);
    return tried;
  }

  void take(const SettingPass& pass, const Sets& sets) {
    const auto same = std::ranges::find(found_.decisions, &pass, &SettingDecision::pass);
    if (same != found_.decisions.end()) same->sets = sets;
    else found_.decisions.push_back({&pass, sets, std::nullopt});
  }

  struct MemoryPair {
    const SettingPass *pass = nullptr, *second = nullptr;
    Sets sets, second_sets;
  };

  // Those of the memory passes, and what of the others saves as well: 16 bits.
  std::vector<MemoryPair> single_ways() {
    constexpr double kSaves = 0.99;
    std::vector<MemoryPair> ways;
    for (const SettingPass* pass : passes_)
      for (const Sets& way : pass->ways(now_.scenario)) {
        const std::optional<TriedSettings> tried = pass->aim == PassAim::memory ? std::nullopt : plan(way);
        const bool saves = tried && tried->bytes() < kSaves * now_.bytes();
        if (pass->aim == PassAim::memory || saves) ways.push_back({pass, nullptr, way, {}});
      }
    return ways;
  }

  void save_memory() {
    const std::vector<MemoryPair> single = single_ways();
    if (try_all(single)) return;
    std::vector<MemoryPair> pairs;
    for (const MemoryPair& a : single)
      for (const MemoryPair& b : single)
        if (a.pass < b.pass) pairs.push_back({a.pass, b.pass, a.sets, b.sets});
    try_all(pairs);
  }

  // Takes the fastest that fits; returns whether one does.
  bool try_all(const std::vector<MemoryPair>& ways) {
    const MemoryPair* best = nullptr;
    std::optional<TriedSettings> of_best;
    for (const MemoryPair& way : ways) {
      const Sets sets = joined(way.sets, way.second_sets);
      std::optional<TriedSettings> tried = plan(sets);
      if (!tried) continue;
      const std::string names = way.second ? fmt::format("{}, {}", way.pass->name, way.second->name) : way.pass->name;
      found_.memory.push_back({names, sets, tried->seconds(), tried->bytes(), fits(*tried)});
      if (!fits(*tried) || (best && tried->seconds() >= of_best->seconds())) continue;
      best = &way;
      of_best = std::move(tried);
    }
    if (!best) return false;
    take(*best->pass, best->sets);
    if (best->second) take(*best->second, best->second_sets);
    now_ = *std::move(of_best);
    return true;
  }

  void save_time() {
    tuning::LastRounds rounds(now_.seconds());
    while (true) {
      const double before = now_.seconds();
      for (const SettingPass* pass : passes_)
        if (pass->aim == PassAim::time ? may_gain(*pass) : is_taken(*pass)) shorten(*pass);  // less of it is faster
      if (now_.seconds() == before || rounds.are_enough(now_.seconds())) return;  // the same would be tried again
    }
  }

  bool is_taken(const SettingPass& pass) const {
    return std::ranges::find(found_.decisions, &pass, &SettingDecision::pass) != found_.decisions.end();
  }
  bool may_gain(const SettingPass& pass) const {
    return pass.most_seconds(now_.plan) > tuning::LastRounds::kLeastGain * now_.seconds();
  }

  void shorten(const SettingPass& pass) {
    std::optional<TriedSettings> best;
    Sets best_sets;
    for (const Sets& way : pass.ways(now_.scenario)) {
      std::optional<TriedSettings> tried = plan(joined(found_.sets(), way));
      if (!tried || !fits(*tried) || tried->seconds() >= (best ? *best : now_).seconds()) continue;
      best = std::move(tried);
      best_sets = way;
    }
    if (!best) return;
    now_ = *std::move(best);
    take(pass, best_sets);
  }

  // What the others have made unnecessary is taken back: a smaller microbatch, where 16 bits have halved activations.
  void weigh_decisions() {
    for (size_t i = 0; i < found_.decisions.size(); ++i) {
      SettingDecision& decision = found_.decisions[i];
      decision.gain_seconds = gain_of(decision);
      if (!decision.gain_seconds || *decision.gain_seconds > 0) continue;
      found_.decisions.erase(found_.decisions.begin() + static_cast<std::ptrdiff_t>(i));
      now_ = *plan(found_.sets());
      return weigh_decisions();
    }
  }

  std::optional<double> gain_of(const SettingDecision& decision) {
    Sets others;
    for (const SettingDecision& each : found_.decisions)
      if (&each != &decision) others = joined(std::move(others), each.sets);
    const std::optional<TriedSettings> without = plan(others);
    if (!without || (fits(now_) && !fits(*without))) return std::nullopt;
    return without->seconds() - now_.seconds();
  }

  const Reread& reread_;
  std::vector<const SettingPass*> passes_;
  TriedSettings now_;
  TunedSettings found_;
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
