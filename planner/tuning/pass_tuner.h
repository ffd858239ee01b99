// Passes that make a step fit a budget of memory, and then shorter (dPRO, Hu et al. 2022, section 5.2).
#pragma once

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "planner/tuning/last_rounds.h"

namespace planner::tuning {

/// Memory first: the fastest way of a single pass that fits, or of several passes if no single one does. Then time:
/// each pass with the way of the shortest step, until rounds gain little. Last, decisions that the others have made
/// unnecessary are taken back.
///
/// `Tried` has `seconds` and `bytes`; `Found` has `budget_bytes`, `fits` and `decisions`, each with `pass` and
/// `gain_seconds`. `Self` tries and has the passes:
///
///     kMostTogether               passes that save memory together
///     single_ways()               those that save memory
///     is_for_memory, may_gain     of a pass
///     ways_of(pass)               as it is now
///     try_together(together)      from nothing, with a row of it; nullopt: it cannot be tried
///     try_next(way)               on top of all decisions
///     without(decision)           all others
///     taken_back(tried)           the step after a decision was dropped; `tried`: without it
///     put(way, decision), finish()
template <class Self, class Pass, class Way, class Tried, class Found> class PassTuner {
 public:
  Found run() {
    if (!fits(now_)) save_memory(self().single_ways());
    if (fits(now_)) save_time();
    found_.fits = fits(now_);
    weigh_decisions();
    self().finish();
    return std::move(found_);
  }

 protected:
  using Decision = typename decltype(Found::decisions)::value_type;
  /// Ways of different passes.
  using Together = std::vector<std::pair<const Pass*, Way>>;

  bool fits(const Tried& tried) const {
    const std::optional<double> budget = found_.budget_bytes;
    return !budget || tried.bytes <= *budget;
  }
  bool is_taken(const Pass& pass) const {
    return std::ranges::find(found_.decisions, &pass, &Decision::pass) != found_.decisions.end();
  }

  std::vector<const Pass*> passes_;
  Tried now_;
  Found found_;

 private:
  Self& self() { return static_cast<Self&>(*this); }

  void take(const Pass& pass, const Way& way) {
    auto decision = std::ranges::find(found_.decisions, &pass, &Decision::pass);
    if (decision == found_.decisions.end()) decision = found_.decisions.insert(decision, {.pass = &pass});
    self().put(way, *decision);
  }

  void save_memory(const std::vector<Together>& single) {
    if (try_all(single)) return;
    std::vector<Together> all, before = single;
    for (int count = 1; count < Self::kMostTogether; ++count) {
      std::vector<Together> larger;
      for (const Together& a : before)
        for (const Together& b : single)
          if (a.back().first < b.front().first) larger.push_back(a), larger.back().push_back(b.front());
      all.insert(all.end(), larger.begin(), larger.end());
      before = std::move(larger);
    }
    try_all(all);
  }

  // Takes the fastest that fits; returns whether one does.
  bool try_all(const std::vector<Together>& ways) {
    const Together* best = nullptr;
    std::optional<Tried> of_best;
    for (const Together& each : ways) {
      std::optional<Tried> tried = self().try_together(each);
      if (!tried || !fits(*tried) || (best && tried->seconds >= of_best->seconds)) continue;
      best = &each;
      of_best = std::move(tried);
    }
    if (!best) return false;
    for (const auto& [pass, way] : *best) take(*pass, way);
    now_ = *std::move(of_best);
    return true;
  }

  void save_time() {
    LastRounds rounds(now_.seconds);
    while (true) {
      const double before = now_.seconds;
      for (const Pass* pass : passes_)  // less of what saves memory is faster
        if (self().is_for_memory(*pass) ? is_taken(*pass) : self().may_gain(*pass)) shorten(*pass);
      if (now_.seconds == before || rounds.are_enough(now_.seconds)) return;  // the same would be tried again
    }
  }

  void shorten(const Pass& pass) {
    const Way* best = nullptr;
    std::optional<Tried> of_best;
    const auto& ways = self().ways_of(pass);
    for (const Way& way : ways) {
      std::optional<Tried> tried = self().try_next(way);
      if (!tried || !fits(*tried) || tried->seconds >= (best ? *of_best : now_).seconds) continue;
      best = &way;
      of_best = std::move(tried);
    }
    if (!best) return;
    now_ = *std::move(of_best);
    take(pass, *best);
  }

  void weigh_decisions() {
    for (auto decision = found_.decisions.begin(); decision != found_.decisions.end(); ++decision) {
      std::optional<Tried> without = self().without(*decision);
      const bool needed = !without || (fits(now_) && !fits(*without));
      decision->gain_seconds = needed ? std::nullopt : std::optional(without->seconds - now_.seconds);
      if (needed || *decision->gain_seconds > 0) continue;
      found_.decisions.erase(decision);
      now_ = self().taken_back(*std::move(without));
      return weigh_decisions();
    }
  }
};

}  // namespace planner::tuning
