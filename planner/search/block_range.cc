#include "planner/search/block_range.h"

#include <algorithm>
#include <bit>

namespace planner {
namespace {

constexpr double kMostBytes = 1e90;  // of a block
constexpr std::array<double BlockAmounts::*, 6> kAmounts{&BlockAmounts::saved_bytes,    &BlockAmounts::shared_bytes,
                                                         &BlockAmounts::repeated_bytes, &BlockAmounts::transient_bytes,
                                                         &BlockAmounts::kept_bytes,     &BlockAmounts::unit_bytes};

// The passes of a block, the backward pass whole and as a schedule splits it.
std::array<const PhaseTime*, 5> passes_of(const CostedBlock& b) {
  return {&b.forward, &b.backward, &b.recompute, &b.split.inputs, &b.split.weights};
}

BlockTimes times_at_work(const CostedBlock& block) {
  BlockTimes times{};
  std::ranges::transform(passes_of(block), times.begin(), [](const PhaseTime* pass) {
    PhaseTime at_work = *pass;
    at_work.host = 0;
    return at_work.total();
  });
  return times;
}

// Whether the memory of stages of such blocks is a finite number.
bool may_be_held(const BlockHoldings& held) {
  return held.saved_bytes + held.shared_bytes + held.repeated_bytes + held.transient_bytes + held.kept_bytes <
         kMostBytes;
}

bool are_same(const Parameters& a, const Parameters& b) { return a.common == b.common && a.routed == b.routed; }

// All that amounts do not say.
bool are_alike(const BlockHoldings& a, const BlockHoldings& b) {
  return std::ranges::equal(a.held, b.held, are_same) && std::ranges::equal(a.trained, b.trained, are_same) &&
         a.layers == b.layers && a.tensors == b.tensors && a.of_layers == b.of_layers && a.matrices == b.matrices;
}

}  // namespace

bool are_alike(const Blocks& a, const Blocks& b) {
  return a.costed.workload.width_bytes == b.costed.workload.width_bytes &&
         std::ranges::equal(a.holdings, b.holdings,
                            [](const BlockHoldings& x, const BlockHoldings& y) { return are_alike(x, y); });
}

KeyWords words_of(const Blocks& blocks) {
  KeyWords words;
  const auto add = [&words](auto... numbers) {
    (words.push_back(std::bit_cast<uint64_t>(static_cast<double>(numbers))), ...);
  };
  add(blocks.costed.workload.width_bytes);
  for (const Block& b : blocks.costed.workload.blocks) {
    add(static_cast<int>(b.kind), b.layer.experts, b.layer.windowed, b.kept.bytes, static_cast<int>(b.kept.split),
        b.kept.routed, b.input_bytes, static_cast<int>(b.input_split), b.recompute_working_set, b.layers,
        b.weights.size());
    for (const Weight& w : b.weights)
      add(w.listed, w.parameters, static_cast<int>(w.split), w.in, w.out, w.tied, w.routed, w.frozen);
  }
  for (const BlockHoldings& held : blocks.holdings) {
    for (const auto& parameters : {held.held, held.trained})
      for (const Parameters& p : parameters) add(p.common, p.routed);
    add(held.layers, held.tensors, held.of_layers, held.matrices.size());
    for (const HeldMatrix& m : held.matrices) add(m.in, m.out);
  }
  return words;
}

void start(BlockRange& range, std::shared_ptr<const Blocks> blocks) {
  if (!blocks->priced || !blocks->shared) return;
  if (!std::ranges::all_of(blocks->holdings, may_be_held)) return;
  // The bytes that modules move have no bound.
  if (std::ranges::any_of(blocks->costed.workload.blocks, [](const Block& b) { return b.host_bytes > 0; })) return;
  for (size_t i = 0; i < blocks->holdings.size(); ++i)
    range.least.push_back({blocks->holdings[i], blocks->costed.workload.blocks[i].saved_bytes()});
  for (const CostedBlock& block : blocks->costed.blocks) {
    range.shortest.push_back(times_of(block));
    range.shortest_at_work.push_back(times_at_work(block));
  }
  range.most = range.least;
  range.like = std::move(blocks);
}

BlockTimes times_of(const CostedBlock& block) {
  BlockTimes times{};
  std::ranges::transform(passes_of(block), times.begin(), &PhaseTime::total);
  return times;
}

void shorten(BlockTimes& times, const BlockTimes& other) {
  for (size_t i = 0; i < times.size(); ++i) times[i] = std::min(times[i], other[i]);
}

void lengthen(BlockTimes& times, const BlockTimes& other) {
  for (size_t i = 0; i < times.size(); ++i) times[i] = std::max(times[i], other[i]);
}

void widen(BlockRange& range, const BlockRange& other) {
  if (!range.like) return;
  if (!other.like || (other.like != range.like && !are_alike(*range.like, *other.like))) return range.like.reset();
  for (size_t i = 0; i < range.least.size(); ++i)
    for (double BlockAmounts::*amount : kAmounts) {
      range.least[i].*amount = std::min(range.least[i].*amount, other.least[i].*amount);
      range.most[i].*amount = std::max(range.most[i].*amount, other.most[i].*amount);
    }
  for (size_t i = 0; i < range.shortest.size(); ++i) {
    shorten(range.shortest[i], other.shortest[i]);
    shorten(range.shortest_at_work[i], other.shortest_at_work[i]);
  }
}

void BlockImage::take(const Blocks& like) {
  workload = {};
  workload.width_bytes = like.costed.workload.width_bytes;
  workload.blocks = like.costed.workload.blocks;
  holdings = like.holdings;
  times.assign(holdings.size(), {});
}

void BlockImage::put(const std::vector<BlockAmounts>& amounts) {
  for (size_t i = 0; i < amounts.size(); ++i) {
    static_cast<BlockBytes&>(holdings[i]) = amounts[i];
    workload.blocks[i].saved.front().bytes = amounts[i].unit_bytes;
  }
}

void BlockImage::put(const std::vector<BlockTimes>& passes) {
  for (size_t i = 0; i < passes.size(); ++i) {
    CostedBlock& b = times[i] = {};
    const std::array sums{&b.sums.forward, &b.sums.backward, &b.sums.recompute, &b.sums.inputs, &b.sums.weights};
    const std::array whole{&b.forward, &b.backward, &b.recompute, &b.split.inputs, &b.split.weights};
    for (size_t pass = 0; pass < whole.size(); ++pass) *whole[pass] = sums[pass]->time = {.compute = passes[i][pass]};
  }
}

}  // namespace planner
