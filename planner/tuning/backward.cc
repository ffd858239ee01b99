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

Partitioned Sync::best(double bytes) const {
  Partitioned best{.partitions = 1, .seconds = seconds(bytes, 1)};
  for (int partitions = 2; partitions <= most_partitions_; partitions *= 2)
    if (const double one = seconds(bytes, partitions); one < best.seconds)
      best = {.partitions = partitions, .seconds = one};
  return best;
}

}  // namespace planner::tuning
