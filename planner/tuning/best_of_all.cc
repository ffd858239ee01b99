#include <algorithm>
#include <tuple>
#include <vector>

#include "planner/tuning/search.h"

namespace planner::tuning {
namespace {

/// How the pieces up to one can end.
struct PrefixEnd {
  double computed = 0, free = 0, reduced = 0;  // `free`: when the next reduction may begin
  size_t first = 0;                            // piece of the last group
  size_t before = 0;                           // which of the ends before that group
};

// Those that no other one is below, by `computed`.
void keep_best(std::vector<PrefixEnd>& ends) {
  std::ranges::sort(ends, {}, [](const PrefixEnd& end) { return std::tuple(end.computed, end.free, end.reduced); });
  std::vector<PrefixEnd> kept;
  for (const PrefixEnd& end : ends)
    if (std::ranges::none_of(kept, [&](const PrefixEnd& k) { return k.free <= end.free && k.reduced <= end.reduced; }))
      kept.push_back(end);
  ends = std::move(kept);
}

/// The groups of one pass; `ends[n]`: of its first n pieces.
class PassPrefixes {
 public:
  PassPrefixes(const Backward& pass, const Sync& sync, const Allowed& allowed)
      : pass_(pass), sync_(sync), allowed_(allowed), ends_(pass.pieces.size() + 1) {
    ends_[0] = {{.computed = pass.before_seconds, .free = pass.before_seconds, .reduced = pass.before_seconds}};
    for (size_t n = 1; n < ends_.size(); ++n) {
      add_groups(n);
      keep_best(ends_[n]);
    }
  }

  FusionStrategy best() const {
    const std::vector<PrefixEnd>& all = ends_.back();
    const auto best =
        std::ranges::min_element(all, {}, [](const PrefixEnd& end) { return std::max(end.computed, end.reduced); });
    FusionStrategy strategy(pass_.pieces.size());
    strategy.fuses_within = allowed_.operator_fusion;
    size_t n = pass_.pieces.size(), at = static_cast<size_t>(best - all.begin());
    while (n > 0) {
      const PrefixEnd& end = ends_[n][at];
      for (size_t i = end.first + 1; i < n; ++i) {
        strategy.joins_operator[i] = allowed_.operator_fusion;
        strategy.joins_gradient[i] = allowed_.gradient_fusion;
      }
      n = end.first;
      at = end.before;
    }
    return strategy;
  }

 private:
  // Each group that ends with piece n - 1, after each possible end of the pieces before it.
  void add_groups(size_t n) {
    double seconds = 0, saves = 0, bytes = 0;
    for (size_t first = n; first-- > 0;) {
      const Piece& piece = pass_.pieces[first];
      const bool may_fuse = allowed_.operator_fusion || allowed_.gradient_fusion;
      if (first + 1 < n && !may_fuse) return;
      if (first + 1 < n && allowed_.operator_fusion) saves += pass_.pieces[first + 1].joined_saves_seconds;
      seconds += seconds_of(piece, allowed_.operator_fusion);
      bytes += piece.gradient_bytes;
      add(n, first, seconds - saves, sync_.best(bytes));
    }
  }

  void add(size_t n, size_t first, double seconds, const Partitioned& sync) {
    for (size_t i = 0; i < ends_[first].size(); ++i) {
      const PrefixEnd& before = ends_[first][i];
      const double computed = before.computed + seconds;
      PrefixEnd end{.computed = computed, .free = before.free, .reduced = before.reduced, .first = first, .before = i};
      if (sync.seconds > 0) end.free = std::max(before.free, computed) + sync.seconds;
      if (sync.seconds > 0) end.reduced = std::max(before.reduced, end.free + sync.tail_seconds);
      ends_[n].push_back(end);
    }
  }

  const Backward& pass_;
  const Sync& sync_;
  const Allowed allowed_;
  std::vector<std::vector<PrefixEnd>> ends_;
};

}  // namespace

StrategyReplay best_of_all(const Backward& pass, const Sync& sync, const Allowed& allowed) {
  StrategyReplay found{.strategy = PassPrefixes(pass, sync, allowed).best()};
  found.replay = replay(pass, found.strategy, sync);
  return found;
}

}  // namespace planner::tuning
