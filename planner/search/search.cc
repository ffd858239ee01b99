#include "planner/search/search.h"

#include <algorithm>
#include <memory>
#include <random>

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#endif

#include "dsl/space_size.h"
#include "planner/search/bounds.h"
#include "planner/search/collector.h"
#include "planner/search/coster.h"
#include "planner/search/deal.h"
#include "planner/search/goal.h"
#include "planner/search/meeting.h"
#include "planner/search/prefixes.h"
#include "planner/search/refusals.h"
#include "planner/search/shared.h"
#include "planner/search/unite.h"
#include "planner/search/worker.h"

namespace planner {
namespace {

// A few thousand looks at a space before it is walked: how good the plans are that it has for sure.

constexpr double kSmall = 1e6;     // candidates of a space that is walked as quickly as it is scouted
constexpr double kLarge = 1e9;     // of one where tens of milliseconds are soon made up for
constexpr int kMostStarts = 4000;  // combinations that are tried until one is feasible
constexpr int kClimbs = 6;         // from different starts
constexpr double kNone = std::numeric_limits<double>::infinity();

using At = std::vector<uint32_t>;  // by level: number of the value, or that of another one as many values further

/// Smaller is better.
using Score = std::pair<double, double>;
constexpr Score kNoScore{kNone, kNone};

class Scout {
 public:
  Scout(const OpenScenario& open, const SearchOptions& options, const std::vector<size_t>& order, SharedParts& shared,
        bool pairs)
      : open_(open),
        pairs_(pairs),
        found_(options),
        goal_(open, false),
        cursor_(open.space, order),
        coster_(open, shared, order) {
    for (size_t item : order) values_.push_back(open.space.items()[item].values.size());
  }

  Collector run() {
    climb([](const Results& results, double) -> Score {
      return {static_cast<double>(results.gpus), results.step.seconds};
    });
    for (int i = 0; i < kClimbs; ++i)
      climb([](const Results& results, double objective) -> Score { return {objective, results.step.seconds}; });
    return std::move(found_);
  }

 private:
  // The score of a combination; kNoScore: it is not feasible.
  template <class ScoreOf> Score look(const At& at, ScoreOf score_of) {
    cursor_.seek(at);
    const Costed costed = coster_.cost(cursor_);
    if (!costed.figures || !costed.figures->priced) return kNoScore;
    const MemoryPeaks& memory = costed.figures->memory;
    if (overflow(memory) || !is_finite(memory) || !is_finite(costed.figures->step)) return kNoScore;
    const Results results = results_of(*costed.figures);
    double objective = 0;
    size_t unmet = 0;
    if (goal_.broken(cursor_, results, objective, unmet)) return kNoScore;
    note(*costed.scenario, results, objective);
    return score_of(results, objective);
  }

  void note(const Scenario& s, Results results, double objective) {
    found_.note({{results.gpus, results.tokens_per_second / static_cast<double>(results.gpus)}});
    results.hidden_comm = kNotYet;
    Found found = found_at(open_.space, cursor_, s, results);
    found.objective = objective;
    numbers_at(open_.space, cursor_, found.position.at);
    found_.keep(found);
  }

  // From a feasible combination to better ones, a choice at a time.
  template <class ScoreOf> void climb(ScoreOf score_of) {
    At at(values_.size());
    Score score = kNoScore;
    for (int i = 0; score == kNoScore && i < kMostStarts; ++i) {
      for (uint32_t& each : at) each = static_cast<uint32_t>(random_());
      score = look(at, score_of);
    }
    for (bool better = score < kNoScore; better;) {
      better = false;
      for (size_t level = 0; level < values_.size(); ++level) better |= improve(at, level, score, score_of);
      if (!better && pairs_) better = improve_pairs(at, score, score_of);
    }
  }

  // Two choices at a time, of those that are not free: a schedule and its chunks.
  template <class ScoreOf> bool improve_pairs(At& at, Score& score, ScoreOf score_of) {
    bool better = false;
    for (size_t first = 0; first < coster_.free_from(); ++first)
      for (size_t second = first + 1; second < coster_.free_from(); ++second) {
        if (values_[first] < 2 || values_[second] < 2) continue;
        const At before = at;
        At best = at;
        for (uint32_t value = 0; value < values_[first]; ++value) {
          at = before;
          at[first] = value;
          if (improve(at, second, score, score_of)) best = at, better = true;
        }
        at = best;
      }
    return better;
  }

  template <class ScoreOf> bool improve(At& at, size_t level, Score& score, ScoreOf score_of) {
    const uint32_t before = at[level];
    uint32_t best = before;
    for (uint32_t value = 0; value < std::max<size_t>(values_[level], kUnknown); ++value) {
      at[level] = value;
      const Score found = look(at, score_of);
      if (found < score) score = found, best = value;
    }
    at[level] = best;
    return best != before;
  }

  static constexpr size_t kUnknown = 8;  // values that are tried of a level whose values follow from others

  const OpenScenario& open_;
  bool pairs_;
  Collector found_;
  GoalCheck goal_;
  dsl::Cursor cursor_;
  Coster coster_;
  std::vector<size_t> values_;  // by level, how many; 0: not known
  std::mt19937 random_{1};
};

/// Returns the best feasible candidates that were found, and the best tokens per second and GPU by number of GPUs;
/// counts no candidate. Empty if the space is so small that a walk is as fast. The same for every run. `order`: the
/// items by level; `candidates`: about how many the space has. REQUIRES: `options` outlives it.
Collector scout(const OpenScenario& open, const SearchOptions& options, const std::vector<size_t>& order,
                double candidates, SharedParts& shared) {
  if (options.top == 0 || options.shards > 1 || open.space.together() || candidates < kSmall) return Collector(options);
  return Scout(open, options, order, shared, candidates > kLarge).run();
}

constexpr double kManyCandidates = 1 << 16;  // of a space whose parts take more memory than a few pages
constexpr int kDescents = 10;                // to estimate its size

struct WalkOutcome {
  Collector all;
  std::optional<Unfinished> unfinished;
};

using Workers = std::vector<std::unique_ptr<Worker>>;

/// The joint result of the stopped workers; `from`: the earlier walk, or null.
WalkOutcome walked_by(const Workers& workers, const WalkParts& parts, const SearchOptions& options, double base,
                      const SearchResult* from) {
  WalkOutcome walked{.all = Collector(options)};
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

SearchResult result_of(const OpenScenario& open, WalkOutcome walked, double base) {
  SearchResult result = conclude(std::move(walked.all), base);
  complete(open, result);
  result.unfinished = std::move(walked.unfinished);
  result.stopped = result.unfinished.has_value();
  return result;
}

/// Empty: all are its own.
std::vector<int64_t> parts_of(const OpenScenario& open, const std::vector<size_t>& order,
                              const SearchOptions& options) {
  return options.shards > 1 ? dealt_parts(open, order, options.shard, options.shards) : std::vector<int64_t>{};
}

using Due = Checkpointer::Clock::time_point;

/// Requests large pages for the thread's next allocations, if the system supports that: the kernel has fewer to clear,
/// and the processor fewer to look up.
// Memory freed at the end of a heap stays there for the next allocations (main.cc), with its advice.
void prefer_large_pages() {
#ifdef MADV_HUGEPAGE
  constexpr uintptr_t kBytes = 31 << 20, kPage = 4096;
  void* memory = std::malloc(kBytes);
  if (!memory) return;
  const uintptr_t begin = (reinterpret_cast<uintptr_t>(memory) + kPage - 1) / kPage * kPage;
  madvise(reinterpret_cast<void*>(begin), kBytes - kPage, MADV_HUGEPAGE);
  std::free(memory);
#endif
}

/// `base`: as a worker's; `from`: the same walk, stopped, or null; `due`: when it is to be kept.
WalkOutcome walk(const OpenScenario& open, const SearchOptions& options, double base, const SearchResult* from,
                 Due& due) {
  SharedParts shared;
  const std::vector<size_t> order = walk_order(open);
  WalkParts parts(from ? &*from->unfinished : nullptr, parts_of(open, order, options));
  const bool helps = StepBounds(open, options, GoalCheck(open, base > 0)).help();
  const double candidates = dsl::size_of(open.space, kDescents).candidates;
  const Collector scouted = helps ? scout(open, options, order, candidates, shared) : Collector(options);
  const Collector::TopPlans& best = scouted.plans();
  std::atomic<double> reached = std::numeric_limits<double>::infinity();
  if (!best.empty() && best.size() == options.top) reached = best.rbegin()->objective;
  Workers workers;
  for (int64_t i = 0; i < std::max<int64_t>(1, options.threads); ++i)
    workers.push_back(std::make_unique<Worker>(open, options, base, order, shared, reached));
  for (const auto& worker : workers) worker->collector.note(scouted.throughput());
  workers.front()->collector.merge(scouted);
  Meeting meeting;
  {
    const Checkpointer checkpointer(options.checkpoints, due, meeting, [&]() -> std::optional<SearchResult> {
      WalkOutcome walked = walked_by(workers, parts, options, base, from);
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

bool may_be_left(const OpenScenario& open, const Unfinished& left, const SearchOptions& options, int64_t threads) {
  const std::vector<size_t> order = walk_order(open);
  const std::vector<int64_t> dealt = dealt_parts(open, order, options.shard, options.shards);
  const int64_t count = dealt.back();
  const auto is_own = [&](int64_t part) { return part >= count || std::ranges::binary_search(dealt, part); };
  // Threads claim the part after their last one, which may lie behind the last part of the space.
  const bool begun = left.begun.empty() || left.begun.back().part < count + threads;
  return begun && left.next_part <= count + threads && is_own(left.next_part) &&
         std::ranges::all_of(left.begun, [&](const Begun& b) { return is_own(b.part); });
}

SearchResult search(const OpenScenario& open, const SearchOptions& options) {
  Due due = Checkpointer::Clock::now();
  if (options.checkpoints) due += options.checkpoints->every;
  double base = options.resume ? options.resume->unfinished->base : 0;
  WalkOutcome walked = walk(open, options, base, options.resume, due);
  const bool again = base == 0 && !walked.unfinished && reads_scaling(open, options.pareto);
  if (again && walked.all.base_throughput() > 0) {
    base = walked.all.base_throughput();
    if (options.progress) options.progress->best = std::numeric_limits<double>::infinity();
    walked = walk(open, options, base, nullptr, due);
  }
  return result_of(open, std::move(walked), base);
}

}  // namespace planner
