#include "planner/tables/local_search.h"

#include <random>

namespace planner::tables {
namespace {

constexpr int kKickedParts = 3;
/// Parts move to, and are swapped with those of, this many of the ranks with the least work.
constexpr size_t kIdle = 16;

class Search {
 public:
  Search(const PlacementProblem& problem, bool cuts, const SearchEffort& effort, const Watch& watch)
      : problem_(problem), cuts_(cuts), effort_(effort), watch_(watch), random_(effort.seed) {}

  Placement run(Placement start) {
    PlacementTrial best(problem_, std::move(start));
    descend(best);
    for (int64_t kick = 0; kick < effort_.kicks && tried_ < effort_.evaluations; ++kick) {
      tell(best);
      PlacementTrial other = best;
      shake(other);
      descend(other);
      if (better(other.score(), best.score())) best = std::move(other);
    }
    return best.placement();
  }

 private:
  void descend(PlacementTrial& trial) {
    while (tried_ < effort_.evaluations && (move_or_swap(trial) || (cuts_ && cut(trial)))) tell(trial);
  }

  /// The best single move or swap of a part on a rank that holds up the step, if any is better.
  bool move_or_swap(PlacementTrial& trial) {
    TrialScore least = trial.score();
    std::optional<PlacementMove> found;
    const auto consider = [&](const PlacementMove& move) {
      ++tried_;
      const TrialScore score = trial.after(move);
      if (!better(score, least)) return;
      least = score;
      found = move;
    };
    const std::vector<int32_t> critical = trial.critical(), idle = trial.idlest(kIdle);
    for (int32_t from : critical)
      for (size_t table : trial.tables_of(from))
        for (int32_t to : idle)
          if (to != from && tried_ < effort_.evaluations && !trial.holds(to, table))
            consider_pair(trial, {table, from, to, {}}, consider);
    if (found) trial.apply(*found);
    return found.has_value();
  }

  template <class Consider>
  static void consider_pair(const PlacementTrial& trial, PlacementMove move, const Consider& consider) {
    consider(move);
    for (size_t other : trial.tables_of(move.to))
      if (!trial.holds(move.from, other)) move.against = other, consider(move);
  }

  /// The best other cut of a table on a rank that holds up the step.
  bool cut(PlacementTrial& trial) {
    TrialScore least = trial.score();
    std::optional<std::pair<size_t, Placed>> found;
    const std::vector<int32_t> critical = trial.critical();
    for (int32_t rank : critical)
      for (size_t table : trial.tables_of(rank))
        for (size_t option = 0; option < problem_.options[table].size(); ++option) {
          if (option == trial.placement()[table].option || tried_ >= effort_.evaluations) continue;
          tried_ += trial.ranks();
          Placed placed = trial.recast(table, option);
          const TrialScore score = trial.after(table, placed);
          if (!better(score, least)) continue;
          least = score;
          found.emplace(table, std::move(placed));
        }
    if (found) trial.apply(found->first, std::move(found->second));
    return found.has_value();
  }

  /// Any option of a table on a rank that holds up the step: what it makes worse, moves may make good.
  void recut(PlacementTrial& trial) {
    const std::vector<int32_t> critical = trial.critical();
    const std::vector<size_t>& held = trial.tables_of(critical[random_() % critical.size()]);
    if (held.empty()) return;
    const size_t table = held[random_() % held.size()], option = random_() % problem_.options[table].size();
    trial.apply(table, trial.recast(table, option));
  }

  void shake(PlacementTrial& trial) {
    if (cuts_ && random_() % 2 == 0) return recut(trial);
    for (int i = 0; i < kKickedParts; ++i) {
      const size_t table = random_() % problem_.tables.size();
      const std::vector<int32_t>& ranks = trial.placement()[table].ranks;
      const int32_t from = ranks[random_() % ranks.size()],
                    to = static_cast<int32_t>(random_() % static_cast<uint64_t>(trial.ranks()));
      if (!trial.holds(to, table)) trial.apply({table, from, to, {}});
    }
  }

  void tell(const PlacementTrial& trial) const {
    if (watch_) watch_({std::min(1.0, tried_ / effort_.evaluations), trial.score().seconds});
  }

  const PlacementProblem& problem_;
  const bool cuts_;
  const SearchEffort effort_;
  const Watch& watch_;
  std::mt19937_64 random_;
  double tried_ = 0;
};

}  // namespace

Placement improve(const PlacementProblem& problem, Placement start, bool cuts, const SearchEffort& effort,
                  const Watch& watch) {
  return Search(problem, cuts, effort, watch).run(std::move(start));
}

}  // namespace planner::tables
