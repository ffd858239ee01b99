#include "planner/search/scout.h"

#include <algorithm>
#include <random>

#include "planner/search/complete.h"
#include "planner/search/coster.h"
#include "planner/search/goal.h"
#include "planner/search/refusals.h"

namespace planner {
namespace {

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

}  // namespace

Collector scout(const OpenScenario& open, const SearchOptions& options, const std::vector<size_t>& order,
                double candidates, SharedParts& shared) {
  if (options.top == 0 || options.shards > 1 || open.space.together() || candidates < kSmall) return Collector(options);
  return Scout(open, options, order, shared, candidates > kLarge).run();
}

}  // namespace planner
