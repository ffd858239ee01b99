#include "planner/tuning/backward.h"

namespace planner::tuning {

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
