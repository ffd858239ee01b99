#include "planner/tuning/trace_tuner.h"

#include <algorithm>
#include <utility>

#include "planner/tuning/last_rounds.h"

namespace planner::tuning {
namespace {

/// A choice, and the step that comes of it.
struct TriedChoice {
  TraceChoice choice;
  double seconds = 0, bytes = 0;
};

class TraceTuner {
 public:
  TraceTuner(const TraceRun& run, std::optional<double> budget, const AllowedTracePass& allowed) : run_(run) {
    found_.budget_bytes = budget;
    now_ = *tried({});
    found_.step_before = now_.seconds;
    found_.peak_before = now_.bytes;
    for (const TracePass& pass : trace_passes())
      if (allowed(pass)) look_at(pass);
  }

  TunedTrace run() {
    if (!fits(now_)) save_memory();
    if (fits(now_)) save_time();
    found_.fits = fits(now_);
    weigh();
    found_.choice = now_.choice;
    found_.step_after = now_.seconds;
    found_.peak_after = now_.bytes;
    for (TracedPass& each : found_.passes) each.taken = is_taken(*each.pass);
    return std::move(found_);
  }

 private:
  struct Usable {
    const TracePass* pass;
    std::vector<TraceWay> ways;
    bool saves;  // memory
  };

  bool fits(const TriedChoice& one) const { return !found_.budget_bytes || one.bytes <= *found_.budget_bytes; }

  // nullopt: the run waits for itself.
  std::optional<TriedChoice> tried(const TraceChoice& choice) {
    ++found_.replays;
    const std::optional<double> seconds = run_.step_seconds(choice);
    if (!seconds) return std::nullopt;
    return TriedChoice{.choice = choice, .seconds = *seconds, .bytes = run_.peak_bytes(choice)};
  }

  // A single pass: for memory its smallest way, else the shortest step.
  void look_at(const TracePass& pass) {
    TracedPass row{.pass = &pass, .why_not = pass.why_not(run_)};
    std::optional<TriedChoice> best;
    std::vector<TraceWay> ways = row.why_not.empty() ? pass.ways(run_) : std::vector<TraceWay>();
    for (const TraceWay& way : ways) {
      TraceChoice choice;
      way.set(choice);
      const std::optional<TriedChoice> one = tried(choice);
      if (!one) continue;
      const bool better = !best || (pass.for_memory ? one->bytes < best->bytes : one->seconds < best->seconds);
      if (better) best = one, row.setting = way.setting;
    }
    if (!best && row.why_not.empty()) row.why_not = "there is no other way to do it";
    if (best) row.gain_seconds = found_.step_before - best->seconds;
    if (best) row.memory_bytes = best->bytes - found_.peak_before;
    if (best) usable_.push_back({&pass, std::move(ways), row.memory_bytes < 0});
    found_.passes.push_back(std::move(row));
  }

  void take(const TracePass& pass, const TraceWay& way) {
    const auto same = std::ranges::find(found_.decisions, &pass, &TraceDecision::pass);
    if (same != found_.decisions.end()) same->setting = way.setting;
    else found_.decisions.push_back({&pass, way.setting, std::nullopt});
  }

  /// Ways of different passes, taken together.
  using Together = std::vector<std::pair<const TracePass*, const TraceWay*>>;

  // One pass, or else any two or three.
  void save_memory() {
    std::vector<Together> single, all;
    for (const Usable& each : usable_)
      if (each.saves)
        for (const TraceWay& way : each.ways) single.push_back({{each.pass, &way}});
    if (try_all(single)) return;
    std::vector<Together> before = single;
    for (int more = 0; more < 2; ++more) {
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
    std::optional<TriedChoice> of_best;
    for (const Together& each : ways) {
      TraceChoice choice = now_.choice;
      TraceMemoryWay row;
      for (const auto& [pass, way] : each) {
        way->set(choice);
        row.passes += (row.passes.empty() ? "" : ", ") + std::string(pass->name);
        row.setting += (row.setting.empty() ? "" : "; ") + way->setting;
      }
      const std::optional<TriedChoice> one = tried(choice);
      if (!one) continue;
      row.step_seconds = one->seconds, row.peak_bytes = one->bytes, row.fits = fits(*one);
      found_.memory.push_back(std::move(row));
      if (fits(*one) && (!best || one->seconds < of_best->seconds)) best = &each, of_best = one;
    }
    if (!best) return false;
    for (const auto& [pass, way] : *best) take(*pass, *way);
    now_ = *of_best;
    return true;
  }

  bool is_taken(const TracePass& pass) const {
    return std::ranges::find(found_.decisions, &pass, &TraceDecision::pass) != found_.decisions.end();
  }

  void save_time() {
    LastRounds rounds(now_.seconds);
    while (true) {
      const double before = now_.seconds;
      for (const Usable& each : usable_)
        if (!each.pass->for_memory || is_taken(*each.pass)) shorten(each);  // less of what saves memory is faster
      if (now_.seconds == before || rounds.are_enough(now_.seconds)) return;
    }
  }

  void shorten(const Usable& usable) {
    const TraceWay* best = nullptr;
    std::optional<TriedChoice> of_best;
    for (const TraceWay& way : usable.ways) {
      TraceChoice choice = now_.choice;
      way.set(choice);
      if (choice == now_.choice) continue;
      const std::optional<TriedChoice> one = tried(choice);
      if (!one || !fits(*one) || one->seconds >= (best ? *of_best : now_).seconds) continue;
      best = &way;
      of_best = one;
    }
    if (!best) return;
    now_ = *of_best;
    take(*usable.pass, *best);
  }

  // What the others have made unnecessary is taken back.
  void weigh() {
    for (size_t i = 0; i < found_.decisions.size(); ++i) {
      TraceDecision& decision = found_.decisions[i];
      TraceChoice others = now_.choice;
      decision.pass->clear(others);
      const std::optional<TriedChoice> without = tried(others);
      const bool needed = !without || (fits(now_) && !fits(*without));
      decision.gain_seconds = needed ? std::nullopt : std::optional(without->seconds - now_.seconds);
      if (needed || *decision.gain_seconds > 0) continue;
      found_.decisions.erase(found_.decisions.begin() + static_cast<std::ptrdiff_t>(i));
      now_ = *without;
      return weigh();
    }
  }

  const TraceRun& run_;
  std::vector<Usable> usable_;
  TriedChoice now_;
  TunedTrace found_;
};

}  // namespace

TunedTrace tune_trace(const TraceRun& run, std::optional<double> budget_bytes, const AllowedTracePass& allowed) {
  return TraceTuner(run, budget_bytes, allowed).run();
}

}  // namespace planner::tuning
