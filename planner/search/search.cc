#include "planner/search/search.h"

#include <algorithm>
#include <memory>

#include "dsl/space_size.h"
#include "planner/search/beside.h"
#include "planner/search/bounds.h"
#include "planner/search/checkpoint.h"
#include "planner/search/collector.h"
#include "planner/search/complete.h"
#include "planner/search/coster.h"
#include "planner/search/goal.h"
#include "planner/search/large_pages.h"
#include "planner/search/parts.h"
#include "planner/search/prefixes.h"
#include "planner/search/refusals.h"
#include "planner/search/scout.h"
#include "planner/search/unite.h"

namespace planner {
namespace {

constexpr double kParts = 512;               // that a space is cut into: enough for many threads
constexpr double kPartsOfShard = 256;        // so many that all shards have about the same to cost
constexpr double kManyCandidates = 1 << 16;  // of a space whose parts take more memory than a few pages
constexpr int kDescents = 10;                // that its size is told from
constexpr double kMostParts = 1 << 18;       // each shard passes by all of them

// The first levels whose values make about so many parts. The same for any number of threads.
size_t split_depth(const dsl::Space& space, const std::vector<size_t>& order, int64_t shards) {
  const double wanted =
      shards == 1 ? kParts : std::clamp(kPartsOfShard * static_cast<double>(shards), kParts, kMostParts);
  double parts = 1;
  size_t depth = 0;
  const size_t most = space.together().value_or(space.items().size());  // lengths of a candidate stay in one part
  while (depth < most && parts < wanted) {
    const dsl::OpenItem& item = space.items()[order[depth++]];
    if (item.is_choice) parts *= item.values.empty() ? 2 : static_cast<double>(item.values.size());
  }
  return depth;
}

/// One thread's walk.
class Worker {
 public:
  Worker(const OpenScenario& open, const SearchOptions& options, double base, const std::vector<size_t>& order,
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

  void run(Parts& parts, Meeting& meeting) {
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
      const int64_t many = again ? pass(seen - at.candidates) : visit();
      at.candidates += many;
      if (!again) count(many);
    }
    tell();
  }

  Collector collector;
  std::vector<Begun> left;  // parts that it has claimed and not finished, where it stands still or was stopped

 private:
  static constexpr int64_t kTold = 1024;  // candidates between two notes of the progress

  bool stopped() const { return options_.stop && options_.stop->load(std::memory_order_relaxed); }

  void count(int64_t many) {
    if ((untold_ += many) >= kTold) tell();
  }

  void tell() {
    if (WalkProgress* progress = options_.progress) {
      progress->candidates.fetch_add(untold_, std::memory_order_relaxed);
      lower(progress->best, collector.best());
    }
    untold_ = 0;
  }

  const Position& here() {
    here_.part = cursor_.part();
    numbers_at(open_.space, cursor_, here_.at);
    return here_;
  }

  // Goes over candidates that were walked before the stop, of which so many are left: subtrees at a time.
  int64_t pass(int64_t left) {
    const int64_t one = cursor_.weight();
    coster_.skip(cursor_);
    if (open_.space.together() || cursor_.is_valueless()) return one;
    for (size_t level = std::max(cursor_.changed(), cursor_.settled_from()); level + 1 < cursor_.order().size();
         ++level)
      if (cursor_.combinations_behind(level) <= left) return 1 + cursor_.skip_behind(level);
    return one;
  }

  // Goes behind all combinations that the values of this one up to a level decide alike; returns how many they are.
  int64_t pass_alike(std::optional<size_t> decided) {
    if (options_.exhaustive || !decided) return 1;
    const size_t level = std::max(*decided, cursor_.settled_from());
    const std::optional<size_t> together = open_.space.together();
    if (together && level >= cursor_.level(*together)) return 1;
    return 1 + cursor_.skip_behind(level);
  }

  // The same where a rule refuses them, which may refuse them with the next values of that level, too.
  int64_t pass_refused(size_t level) {
    if (options_.exhaustive) return 1;
    const size_t more = coster_.also_refused(cursor_);
    const int64_t many = pass_alike(level);
    return more > 0 ? many + cursor_.skip_values(level, more) : many;
  }

  // Goes behind the neighbours that have no value for the same reason; returns how many it is with the one here.
  int64_t pass_valueless() {
    const int64_t each = cursor_.weight();
    return options_.exhaustive ? each : each * (1 + cursor_.skip_valueless());
  }

  // The memory alone refuses most candidates, and says of most that they are not the nearest miss. What a fitted model
  // has no time for is refused before.
  bool overflows(const MemoryPeaks& memory) {
    if (!open_.sample.fitted.empty() || !is_finite(memory)) return false;
    overflowing_ = overflow(memory);
    if (!overflowing_) return false;
    over_ = memory_excess(memory);
    return collector.is_far(over_) || !collector.nearer(over_, here());
  }

  bool fits(const MemoryPeaks& memory) const { return is_finite(memory) && !overflow(memory); }

  bool bound(const Bounds& bounds, const PlanFigures& least) {
    verdict_ = bounds.verdict(cursor_, results_of(least), here(), collector);
    return verdict_.has_value();
  }

  Early early() {
    Early early;
    early.by_memory = [this](const MemoryPeaks& memory) { return overflows(memory); };
    if (bounds_.help())
      early.by_bound = [this](const PlanFigures& least) { return fits(least.memory) && bound(bounds_, least); };
    if (options_.exhaustive || !open_.sample.fitted.empty()) return early;
    early.none_fits = [this](const MemoryPeaks& least) { return overflows(least) && collector.is_far(over_); };
    early.all_fit = [this](const MemoryPeaks& most) { return fits(most); };
    if (!bounds_of_all_.help()) return early;
    early.all_by_bound = [this](const PlanFigures& least) {
      if (!bound(bounds_of_all_, least)) return false;
      verdict_of_all_ = verdict_;
      return true;
    };
    early.one_by_bound = [this](const MemoryPeaks& memory) {
      if (!fits(memory)) return false;
      verdict_ = verdict_of_all_;
      return true;
    };
    return early;
  }

  // Returns how many candidates are decided with the one under the cursor.
  int64_t visit() {
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
      take(costed.decided ? *verdict_of_all_ : *verdict_, costed.scenario->cluster.gpus, many);
      return many;
    }
    judge(*costed.scenario, *costed.figures);
    return 1;
  }

  void take(const Bounds::Verdict& verdict, int64_t gpus, int64_t many) {
    collector.result.bounded += many;
    if (!verdict.rule) return collector.pass_feasible(gpus, many);
    note_unmet(verdict.unmet, many);
    collector.reject_costed(verdict.rule, many);
  }

  void note_unmet(size_t unmet, int64_t many = 1) {
    if (unmet < open_.space.result_conditions().size())
      Collector::count(collector.result.unmet, open_.space.conditions().size() + unmet, many);
  }

  // Of a combination without a value, or for which a condition does not hold.
  int64_t refuse(const Costed& costed) {
    const bool by_condition = costed.refusal == dsl::Refusal::where;
    const int64_t many = by_condition ? pass_alike(costed.decided) : pass_valueless();
    Collector::count(by_condition ? collector.result.unmet : collector.result.valueless, costed.refused_at, many);
    collector.reject(refusal_name(costed.refusal), many);
    return many;
  }

  void judge(const Scenario& s, const PlanFigures& figures) {
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
    if (!collector.wanted(results, objective, here())) return;
    results.hidden_comm = kNotYet;
    Found found = found_at(open_.space, cursor_, s, results);
    found.position = here();
    found.objective = objective;
    collector.keep(found);
  }

  void refuse(const char* rule, const PlanFigures& figures) {
    collector.reject_costed(rule);
    const double over = memory_excess(figures.memory);
    if (collector.is_far(over) || !collector.nearer(over, here())) return;
    const double excess = std::max(over, goal_.excess(cursor_, results_of(figures)));
    if (collector.nearer(excess, here())) collector.keep(Miss{excess, here(), chosen(open_.space, cursor_)});
  }

  const OpenScenario& open_;
  const SearchOptions& options_;
  double base_;  // tokens per second and GPU on the fewest GPUs; 0: not known yet
  GoalCheck goal_;
  Bounds bounds_, bounds_of_all_;
  dsl::Cursor cursor_;
  Coster coster_;
  Early early_;
  Position here_;
  const char* overflowing_ = nullptr;  // the rule that the memory breaks that was asked of last; null: it fits
  double over_ = 0;                    // the share by which it is exceeded
  std::optional<Bounds::Verdict> verdict_, verdict_of_all_;  // of one candidate; of the subtree around it
  int64_t untold_ = 0;                                       // candidates that the progress does not count yet
};

struct Walked {
  Collector all;
  std::optional<Unfinished> unfinished;
};

using Workers = std::vector<std::unique_ptr<Worker>>;

/// What the workers, who stand still, have walked together; `from`: what was walked before them, or null.
Walked walked_by(const Workers& workers, const Parts& parts, const SearchOptions& options, double base,
                 const SearchResult* from) {
  Walked walked{.all = Collector(options), .unfinished = {}};
  if (from) walked.all.merge(*from);
  std::vector<Begun> left;
  for (const auto& worker : workers) {
    walked.all.merge(worker->collector);
    left.insert(left.end(), worker->left.begin(), worker->left.end());
  }
  if (left.empty()) return walked;
  walked.unfinished = parts.left(std::move(left));
  walked.unfinished->base = base;
  return walked;
}

SearchResult result_of(const OpenScenario& open, Walked walked, double base) {
  complete(open, walked.all.result);
  SearchResult result = conclude(walked.all, base, GoalCheck(open, true).timed());
  result.unfinished = std::move(walked.unfinished);
  result.stopped = result.unfinished.has_value();
  return result;
}

using Due = Checkpointer::Clock::time_point;

/// `base`: as a worker's; `from`: the same walk, stopped, or null; `due`: when it is to be kept.
Walked walk(const OpenScenario& open, const SearchOptions& options, double base, const SearchResult* from, Due& due) {
  Parts parts(options, from ? &*from->unfinished : nullptr);
  SharedParts shared;
  const std::vector<size_t> order = walk_order(open);
  const bool helps = Bounds(open, options, GoalCheck(open, base > 0)).help();
  const double candidates = dsl::size_of(open.space, kDescents).candidates;
  const Collector scouted = helps ? scout(open, options, order, candidates, shared) : Collector(options);
  const std::vector<Found>& best = scouted.result.plans;
  std::atomic<double> reached = std::numeric_limits<double>::infinity();
  if (!best.empty() && best.size() == options.top) reached = best.back().objective;
  Workers workers;
  for (int64_t i = 0; i < std::max<int64_t>(1, options.threads); ++i)
    workers.push_back(std::make_unique<Worker>(open, options, base, order, shared, reached));
  for (const auto& worker : workers) worker->collector.note(scouted.throughput());
  workers.front()->collector.merge(scouted);
  Meeting meeting;
  {
    const Checkpointer checkpointer(options.checkpoints, due, meeting, [&]() -> std::optional<SearchResult> {
      Walked walked = walked_by(workers, parts, options, base, from);
      if (!walked.unfinished) return std::nullopt;
      return result_of(open, std::move(walked), base);
    });
    run_beside(workers.size(), [&](size_t i) {
      if (candidates > kManyCandidates) prefer_large_pages();
      workers[i]->run(parts, meeting);
    });
  }
  return walked_by(workers, parts, options, base, from);
}

}  // namespace

std::vector<std::string> choice_names(const dsl::Space& space) {
  std::vector<std::string> names;
  for (const dsl::OpenItem& item : space.items())
    if (item.is_choice) names.push_back(item.path);
  return names;
}

std::vector<dsl::Value> chosen(const dsl::Space& space, const dsl::Cursor& cursor) {
  std::vector<dsl::Value> values;
  for (size_t i = 0; i < space.items().size(); ++i)
    if (space.items()[i].is_choice) values.push_back(cursor.value(i));
  return values;
}

void numbers_at(const dsl::Space& space, const dsl::Cursor& cursor, std::vector<uint32_t>& at) {
  at.clear();
  for (size_t i = 0; i < space.items().size(); ++i) at.push_back(static_cast<uint32_t>(cursor.at(i)));
}

void note_outcome(const Scenario& s, const Results& results, Outcome& outcome) {
  outcome.results = results;
  outcome.parallelism = s.parallelism;
  outcome.global_batch = s.job.global_batch;
  outcome.microbatches = s.job.global_batch / (s.parallelism.dp * s.parallelism.microbatch);
}

Found found_at(const dsl::Space& space, const dsl::Cursor& cursor, const Scenario& s, const Results& results) {
  Found found;
  note_outcome(s, results, found);
  found.choices = chosen(space, cursor);
  return found;
}

int64_t part_count(const OpenScenario& open, int64_t shards) {
  dsl::Cursor cursor(open.space, walk_order(open));
  int64_t count = 0;
  cursor.split(split_depth(open.space, cursor.order(), shards), [&](int64_t part) { return count = part + 1, false; });
  while (cursor.next()) continue;
  return count;
}

SearchResult search(const OpenScenario& open, const SearchOptions& options) {
  Due due = Checkpointer::Clock::now();
  if (options.checkpoints) due += options.checkpoints->every;
  double base = options.resume ? options.resume->unfinished->base : 0;
  Walked walked = walk(open, options, base, options.resume, due);
  const bool again = base == 0 && !walked.unfinished && reads_scaling(open, options.pareto);
  if (again && walked.all.base_throughput() > 0) {
    base = walked.all.base_throughput();
    if (options.progress) options.progress->best = std::numeric_limits<double>::infinity();
    walked = walk(open, options, base, nullptr, due);
  }
  return result_of(open, std::move(walked), base);
}

}  // namespace planner
