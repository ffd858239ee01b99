#include "planner/search/worker.h"

#include <algorithm>
#include <utility>

#include "planner/search/subtrees.h"
#include "planner/search/unite.h"

namespace planner {

Worker::Worker(const OpenScenario& open, const SearchOptions& options, double base, const std::vector<size_t>& order,
               SharedParts& shared, std::atomic<double>& reached)
    : collector(options, &reached),
      open_(open),
      options_(options),
      base_(base),
      goal_(open, base > 0),
      bounds_(open, options, goal_),
      bounds_of_all_(open, options, goal_, differs_in_subtree),
      cursor_(open.space, order),
      coster_(open, shared, order),
      early_(early()) {}

void Worker::run(WalkParts& parts, Meeting& meeting) {
  const Meeting::Walker walker(meeting);
  int64_t mine = parts.claim();
  cursor_.split(split_depth(open_.space, cursor_.order(), options_.shards), [&](int64_t part) {
    if (part != mine) return false;
    mine = parts.claim();
    return true;
  });
  int64_t seen = 0;  // of this part, before the stop that the walk goes on from
  for (Begun at{-1, 0}; cursor_.next();) {
    if (cursor_.part() != at.part) at = {cursor_.part(), 0}, seen = parts.walked(at.part);
    if (meeting.called() || stopped()) {
      left = {{at.part, std::max(at.candidates, seen)}, {mine, parts.walked(mine)}};
      if (stopped()) break;
      walker.stand();
      left.clear();
    }
    const bool again = at.candidates < seen;
    int64_t many = again ? pass(seen - at.candidates) : visit();
    many += std::exchange(aside_, 0);
    at.candidates += many;
    if (!again) count(many);
  }
  tell();
}

void Worker::count(int64_t many) {
  if ((untold_ += many) >= kTold) tell();
}

void Worker::tell() {
  if (WalkProgress* progress = options_.progress) {
    progress->candidates.fetch_add(untold_, std::memory_order_relaxed);
    lower(progress->best, collector.best());
  }
  untold_ = 0;
}

const Position& Worker::here() {
  here_.part = cursor_.part();
  numbers_at(open_.space, cursor_, here_.at);
  return here_;
}

// Skips `left` candidates that were walked before the stop: subtrees at a time.
int64_t Worker::pass(int64_t left) {
  const int64_t one = cursor_.weight();
  coster_.skip(cursor_);
  if (open_.space.together() || cursor_.is_valueless()) return one;
  for (size_t level = std::max(cursor_.changed(), cursor_.settled_from()); level + 1 < cursor_.order().size(); ++level)
    if (cursor_.combinations_behind(level) <= left) return 1 + cursor_.skip_behind(level);
  return one;
}

// Goes behind all combinations that the values of this one up to a level decide alike, and `more` values of that level;
// returns how many they are. Those that a condition refuses are set aside.
int64_t Worker::pass_alike(std::optional<size_t> decided, size_t more) {
  if (options_.exhaustive || !decided) return 1;
  const size_t level = cursor_.whole_behind(std::max(*decided, cursor_.settled_from()));
  if (is_within_candidate(level)) return 1;
  const int64_t aside = set_aside(level, static_cast<int64_t>(1 + more));
  int64_t many = 1 + cursor_.skip_behind(level);
  if (more > 0) many += cursor_.skip_values(level, more);
  return many - aside;
}

bool Worker::is_within_candidate(size_t level) const {
  const std::optional<size_t> together = open_.space.together();
  return together && level >= cursor_.level(*together);
}

// Counts, for each condition, the refused combinations behind a level, `times` times; returns how many they are.
int64_t Worker::set_aside(size_t level, int64_t times) {
  int64_t all = 0;
  for (const dsl::Cursor::Unmet& unmet : cursor_.unmet_behind(level)) {
    const int64_t many = unmet.combinations * times;
    Collector::count(collector.result.unmet, unmet.condition, many);
    collector.reject(refusal_name(open_.space.conditions()[unmet.condition]), many);
    all += many;
  }
  aside_ += all;
  return all;
}

// The same where a rule refuses them, which may refuse them with the next values of that level, too.
int64_t Worker::pass_refused(size_t level) {
  if (options_.exhaustive) return 1;
  return pass_alike(level, cursor_.whole_behind(level) == level ? coster_.also_refused(cursor_) : 0);
}

// The same where a condition refuses them.
int64_t Worker::pass_unmet(size_t known) {
  const size_t level = std::max(known, cursor_.settled_from());
  return options_.exhaustive || is_within_candidate(level) ? 1 : 1 + cursor_.skip_behind(level);
}

// Goes behind the neighbours that have no value for the same reason; returns how many it is with the one here.
int64_t Worker::pass_valueless() {
  const int64_t each = cursor_.weight();
  return options_.exhaustive ? each : each * (1 + cursor_.skip_valueless());
}

// The memory alone refuses most candidates, and says of most that they are not the nearest miss. What a fitted model
// has no time for is refused before.
bool Worker::overflows(const MemoryPeaks& memory) {
  if (!open_.sample.fitted.empty() || !is_finite(memory)) return false;
  overflowing_ = overflow(memory);
  if (!overflowing_) return false;
  over_ = memory_excess(memory);
  return collector.is_far(over_) || !collector.nearer(over_, here());
}

bool Worker::bound(const StepBounds& bounds, const PlanFigures& least) {
  verdict_ = bounds.verdict(cursor_, results_of(least), here(), collector);
  return verdict_.has_value();
}

Early Worker::early() {
  Early early;
  early.by_memory = [this](const MemoryPeaks& memory) { return overflows(memory); };
  if (bounds_.help())
    early.by_bound = [this](const PlanFigures& least) {
      uncertain_ = !least.memory.surely_fits();
      return fits(least.memory) && bound(bounds_, least);
    };
  if (options_.exhaustive || !open_.sample.fitted.empty()) return early;
  early.none_fits = [this](const MemoryPeaks& least) { return overflows(least) && collector.is_far(over_); };
  early.all_fit = [this](const MemoryPeaks& least, const MemoryPeaks& most) {
    uncertain_of_all_ = !least.surely_fits();
    return fits(most) && !most.surely_fits() == uncertain_of_all_;
  };
  if (!bounds_of_all_.help()) return early;
  early.all_by_bound = [this](const PlanFigures& least) {
    if (!bound(bounds_of_all_, least)) return false;
    verdict_of_all_ = verdict_;
    return true;
  };
  early.one_by_bound = [this](const MemoryPeaks& memory) {
    if (!fits(memory)) return false;
    uncertain_ = !memory.surely_fits();
    verdict_ = verdict_of_all_;
    return true;
  };
  return early;
}

// Returns how many candidates are decided with the one under the cursor.
int64_t Worker::visit() {
  const Costed costed = coster_.cost(cursor_, early_);
  if (costed.refusal != dsl::Refusal::none) return refuse(costed);
  if (costed.rule) {
    const int64_t many = pass_refused(*costed.decided);
    collector.reject(costed.rule, many);
    return many;
  }
  if (costed.overflows) {
    const int64_t many = collector.is_far(over_) ? pass_alike(costed.decided) : 1;
    collector.reject_costed(overflowing_, many);
    return many;
  }
  if (costed.bounded) {
    const int64_t many = pass_alike(costed.decided);
    if (costed.decided) uncertain_ = uncertain_of_all_;
    take(costed.decided ? *verdict_of_all_ : *verdict_, costed.scenario->cluster.gpus, many);
    return many;
  }
  judge(*costed.scenario, *costed.figures);
  return 1;
}

void Worker::take(const StepBounds::BoundVerdict& verdict, int64_t gpus, int64_t many) {
  collector.result.bounded += many;
  if (!verdict.rule) return collector.pass_feasible(gpus, many, uncertain_);
  note_unmet(verdict.unmet, many);
  collector.reject_costed(verdict.rule, many);
}

void Worker::note_unmet(size_t unmet, int64_t many) {
  if (unmet < open_.space.result_conditions().size())
    Collector::count(collector.result.unmet, open_.space.conditions().size() + unmet, many);
}

// Of a combination without a value, or for which a condition does not hold.
int64_t Worker::refuse(const Costed& costed) {
  const bool by_condition = costed.refusal == dsl::Refusal::where;
  const int64_t many = by_condition ? pass_unmet(*costed.decided) : pass_valueless();
  Collector::count(by_condition ? collector.result.unmet : collector.result.valueless, costed.refused_at, many);
  collector.reject(
      by_condition ? refusal_name(open_.space.conditions()[costed.refused_at]) : refusal_name(costed.refusal), many);
  return many;
}

void Worker::judge(const Scenario& s, const PlanFigures& figures) {
  if (!figures.priced) return collector.reject_costed(kFittedRule);
  if (!is_finite(figures.memory)) return collector.reject_costed(kFiniteRule);
  if (const char* rule = overflow(figures.memory)) return refuse(rule, figures);
  if (!is_finite(figures.step)) return collector.reject_costed(kFiniteRule);
  Results results = results_of(figures);
  if (base_ > 0) results.scaling_efficiency = results.tokens_per_second / static_cast<double>(results.gpus) / base_;
  double objective = 0;
  size_t unmet = 0;
  if (const char* rule = goal_.broken(cursor_, results, objective, unmet)) {
    note_unmet(unmet);
    return refuse(rule, figures);
  }
  const Departures departs = options_.window ? departures_of(s, results) : Departures{};
  if (!collector.wanted(results, objective, here(), !figures.memory.surely_fits(), departs)) return;
  results.hidden_comm = kNotYet;
  Found found = found_at(open_.space, cursor_, s, results);
  found.position = here();
  found.objective = objective;
  collector.keep(found);
}

void Worker::refuse(const char* rule, const PlanFigures& figures) {
  collector.reject_costed(rule);
  Excess excess = memory_excess(figures.memory);
  if (collector.is_far(excess) || !collector.nearer(excess, here())) return;
  excess.shares += goal_.excess(cursor_, results_of(figures));
  if (collector.nearer(excess, here())) collector.keep(Miss{excess, here(), chosen(open_.space, cursor_)});
}

}  // namespace planner
