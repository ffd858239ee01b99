#include "planner/tuning/strategy.h"

#include <algorithm>
#include <cmath>

namespace planner::tuning {
namespace {

std::vector<double> ends_of(const Backward& pass, const FusionStrategy& strategy) {
  std::vector<double> ends(pass.pieces.size());
  double now = pass.before_seconds;
  for (size_t i = 0; i < ends.size(); ++i) {
    now += seconds_of(pass.pieces[i], strategy.fuses_within);
    if (strategy.joins_operator[i]) now -= pass.pieces[i].joined_saves_seconds;
    ends[i] = now;
  }
  for (size_t i = ends.size(); i-- > 1;)  // pieces of one operator end together
    if (strategy.joins_operator[i]) ends[i - 1] = ends[i];
  return ends;
}

// Without those that have no bytes.
std::vector<Bucket> buckets_of(const Backward& pass, const std::vector<bool>& joins) {
  std::vector<Bucket> buckets;
  for (size_t i = 0; i < pass.pieces.size(); ++i) {
    if (i == 0 || !joins[i]) buckets.push_back({.first = i, .last = i});
    buckets.back().last = i;
    buckets.back().bytes += pass.pieces[i].gradient_bytes;
  }
  std::erase_if(buckets, [](const Bucket& bucket) { return bucket.bytes <= 0; });
  return buckets;
}

// Whatever is larger than a partition is cut into as many as that takes.
Partitioned partitioned(double bytes, double largest, const Sync& sync) {
  const int partitions = std::max(1, static_cast<int>(std::ceil(bytes / largest)));
  return sync.in(bytes, partitions);
}

}  // namespace

double seconds_of(const Piece& piece, bool fused_within) {
  return piece.seconds - (fused_within ? piece.within_saves_seconds : 0);
}

double next_cycle_seconds(double seconds, double cycle_seconds) {
  constexpr double kRounding = 1e-9;
  return cycle_seconds > 0 ? std::ceil(seconds / cycle_seconds - kRounding) * cycle_seconds : seconds;
}

Replay replay(const Backward& pass, const FusionStrategy& strategy, const Sync& sync) {
  Replay played{.piece_ends = ends_of(pass, strategy), .buckets = buckets_of(pass, strategy.joins_gradient)};
  double free = pass.before_seconds, reduced = free;
  for (size_t i = 0; i < played.buckets.size(); ++i) {
    Bucket& bucket = played.buckets[i];
    bucket.sync = strategy.largest_partition_bytes ? partitioned(bucket.bytes, *strategy.largest_partition_bytes, sync)
                                                   : sync.best(bucket.bytes);
    bucket.ready_seconds = next_cycle_seconds(played.piece_ends[bucket.last], strategy.cycle_seconds);
    bucket.begin_seconds = std::max(free, bucket.ready_seconds);
    if (bucket.ready_seconds >= free) played.bound_by_communication = i;
    free = bucket.begin_seconds + bucket.sync.seconds;
    bucket.end_seconds = free + bucket.sync.tail_seconds;
    reduced = std::max(reduced, bucket.end_seconds);
  }
  const double computed = played.piece_ends.empty() ? pass.before_seconds : played.piece_ends.back();
  if (computed >= reduced) played.bound_by_communication = played.buckets.size();
  played.step_seconds = std::max(computed, reduced) + pass.after_seconds;
  return played;
}

std::vector<Piece> coarsened(const std::vector<Piece>& operators) {
  std::vector<Piece> pieces;
  bool is_open = false;  // the last piece has no gradient yet
  for (const Piece& op : operators) {
    if (is_open) {
      Piece& piece = pieces.back();
      piece.name = op.name;
      piece.seconds += op.seconds;
      piece.within_saves_seconds += op.joined_saves_seconds + op.within_saves_seconds;
      piece.gradient_bytes = op.gradient_bytes;
    } else {
      pieces.push_back(op);
    }
    is_open = op.gradient_bytes == 0;
  }
  return pieces;
}

Partitioned Sync::in(double bytes, int partitions) const {
  if (bytes <= 0) return {.partitions = partitions};
  return {.partitions = partitions,
          .seconds = seconds_(bytes, partitions),
          .tail_seconds = tail_ ? tail_(bytes, partitions) : 0};
}

Partitioned Sync::best(double bytes) const {
  Partitioned best = in(bytes, 1);
  for (int partitions = 2; partitions <= most_partitions_; partitions *= 2)
    if (const Partitioned one = in(bytes, partitions);
        one.seconds + one.tail_seconds < best.seconds + best.tail_seconds)
      best = one;
  return best;
}

}  // namespace planner::tuning
