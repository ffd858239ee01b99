#include "planner/tuning/trace_tuner.h"

#include <algorithm>
#include <utility>

#include "planner/tuning/pass_tuner.h"

namespace planner::tuning {
namespace {

/// A choice, and the step that comes of it.
struct TriedChoice {
  TraceChoice choice;
  double seconds = 0, bytes = 0;
};

class TraceTuner : public PassTuner<TraceTuner, TracePass, TraceWay, TriedChoice, TunedTrace> {
 public:
  static constexpr int kMostTogether = 3;

  TraceTuner(const TraceRun& run, std::optional<double> budget, const AllowedTracePass& allowed) : run_(run) {
    found_.budget_bytes = budget;
    now_ = *tried({});
    found_.step_before = now_.seconds;
    found_.peak_before = now_.bytes;
    for (const TracePass& pass : trace_passes())
      if (allowed(pass)) look_at(pass);
  }

  std::vector<Together> single_ways() const {
    std::vector<Together> single;
    for (const Usable& each : usable_)
      if (each.saves)
        for (const TraceWay& way : each.ways) single.push_back({{each.pass, way}});
    return single;
  }

  static bool is_for_memory(const TracePass& pass) { return pass.for_memory; }
  static bool may_gain(const TracePass&) { return true; }
  const std::vector<TraceWay>& ways_of(const TracePass& pass) const {
    return std::ranges::find(usable_, &pass, &Usable::pass)->ways;
  }

  std::optional<TriedChoice> try_together(const Together& ways) {
    TraceChoice choice = now_.choice;
    TraceMemoryWay row;
    for (const auto& [pass, way] : ways) {
      way.set(choice);
      row.passes += (row.passes.empty() ? "" : ", ") + std::string(pass->name);
      row.setting += (row.setting.empty() ? "" : "; ") + way.setting;
    }
    const std::optional<TriedChoice> one = tried(choice);
    if (!one) return std::nullopt;
    row.step_seconds = one->seconds, row.peak_bytes = one->bytes, row.fits = fits(*one);
    found_.memory.push_back(std::move(row));
    return one;
  }
  std::optional<TriedChoice> try_next(const TraceWay& way) {
    TraceChoice choice = now_.choice;
    way.set(choice);
    return choice == now_.choice ? std::nullopt : tried(choice);
  }
  std::optional<TriedChoice> without(const TraceDecision& decision) {
    TraceChoice others = now_.choice;
    decision.pass->clear(others);
    return tried(others);
  }
  static TriedChoice taken_back(TriedChoice tried) { return tried; }

  static void put(const TraceWay& way, TraceDecision& decision) { decision.setting = way.setting; }
  void finish() {
    found_.choice = now_.choice;
    found_.step_after = now_.seconds;
    found_.peak_after = now_.bytes;
    for (TracedPass& each : found_.passes) each.taken = is_taken(*each.pass);
  }

 private:
  struct Usable {
    const TracePass* pass;
    std::vector<TraceWay> ways;
    bool saves;  // memory
  };

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
    found_.passes.push_back(row);
    if (!best) return;
    passes_.push_back(&pass);
    usable_.push_back({&pass, std::move(ways), row.memory_bytes < 0});
  }

  const TraceRun& run_;
  std::vector<Usable> usable_;
};

}  // namespace

TunedTrace tune_trace(const TraceRun& run, std::optional<double> budget_bytes, const AllowedTracePass& allowed) {
  return TraceTuner(run, budget_bytes, allowed).run();
}

}  // namespace planner::tuning
