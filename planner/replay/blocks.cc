#include "planner/replay/blocks.h"

#include <algorithm>
#include <cmath>

namespace planner::replay {

size_t usual_blocks(const Round& round) {
  return static_cast<size_t>(std::lround(std::sqrt(static_cast<double>(round.size()))));
}

std::vector<ForwardBlock> blocks_of(const Round& round, size_t blocks) {
  const auto weight = [&](const ForwardUnit& unit) { return std::max(0.0, unit.kept_bytes); };
  double all = 0, sum = 0;
  for (const ForwardUnit& unit : round) all += weight(unit);
  const bool is_known = all > 0;
  if (!is_known) all = static_cast<double>(round.size());
  std::vector<ForwardBlock> made;
  for (size_t i = 0; i < round.size(); ++i) {
    const ForwardUnit& unit = round[i];
    const double share = all / static_cast<double>(std::max<size_t>(1, blocks));
    if (made.empty() || (made.size() < blocks && sum >= share * static_cast<double>(made.size())))
      made.push_back({.first = i, .last = i, .kept_bytes = 0, .input_bytes = unit.input_bytes});
    made.back().last = i;
    made.back().kept_bytes += unit.kept_bytes;
    sum += is_known ? weight(unit) : 1;
  }
  for (ForwardBlock& block : made) {
    block.kept_bytes = std::max(0.0, block.kept_bytes);
    block.input_bytes = std::min(block.input_bytes, block.kept_bytes);
  }
  return made;
}

double kept_bytes(const std::vector<ForwardBlock>& blocks, size_t recomputed) {
  double before = 0, most = 0;
  for (size_t b = 0; b < blocks.size(); ++b) {
    most = std::max(most, before + blocks[b].kept_bytes);
    before += b < recomputed ? blocks[b].input_bytes : blocks[b].kept_bytes;
  }
  return most;
}

}  // namespace planner::replay
