#include "planner/plan/balance.h"

#include <algorithm>
#include <limits>

#include "planner/plan/violations.h"
#include "planner/workload/cost.h"
#include "planner/workload/partition.h"
#include "planner/workload/passes/passes.h"

namespace planner {
namespace {

constexpr double kNever = std::numeric_limits<double>::infinity();

// The layers of a part as a range of all, and how many parts are before it.
class PartsByCost {
 public:
  PartsByCost(const LayerCosts& costs, int64_t parts)
      : costs_(costs), parts_(static_cast<size_t>(parts)), sums_(costs.layers.size() + 1, 0) {
    for (size_t i = 0; i < costs.layers.size(); ++i) sums_[i + 1] = sums_[i] + costs.layers[i];
  }

  /// By dynamic programming over the ends of parts: first the least that the dearest costs, then the least sum of
  /// squares of all divisions that cost no more.
  std::vector<int64_t> best() {
    const double most = fill([](double before, double part) { return std::max(before, part); }, kNever);
    const double close = most * (1 + 1e-9);  // the same sums in another order
    fill([](double before, double part) { return before + part * part; }, close);
    return read();
  }

 private:
  size_t layers() const { return costs_.layers.size(); }
  double cost(size_t part, size_t from, size_t to) const {
    const double ends = (part == 0 ? costs_.first : 0) + (part + 1 == parts_ ? costs_.last : 0);
    return sums_[to] - sums_[from] + ends;
  }
  bool may_be_empty(size_t part) const { return part == 0 || part + 1 == parts_; }

  // Of the parts up to each one that end at each layer, the least of what `join` makes; no part costs more than `most`.
  template <class Join> double fill(Join join, double most) {
    best_.assign(parts_, std::vector<double>(layers() + 1, kNever));
    from_.assign(parts_, std::vector<size_t>(layers() + 1, 0));
    for (size_t part = 0; part < parts_; ++part)
      for (size_t to = 0; to <= layers(); ++to) {
        const size_t last = may_be_empty(part) ? to + 1 : to;
        for (size_t from = 0; from < (part == 0 ? 1 : last); ++from) {
          const double here = cost(part, from, to), before = part == 0 ? 0 : best_[part - 1][from];
          if (here > most || before == kNever || join(before, here) >= best_[part][to]) continue;
          best_[part][to] = join(before, here);
          from_[part][to] = from;
        }
      }
    return best_.back().back();
  }

  std::vector<int64_t> read() const {
    std::vector<int64_t> out(parts_);
    for (size_t part = parts_, to = layers(); part-- > 0; to = from_[part][to])
      out[part] = static_cast<int64_t>(to - from_[part][to]);
    return out;
  }

  const LayerCosts& costs_;
  size_t parts_;
  std::vector<double> sums_;
  std::vector<std::vector<double>> best_;
  std::vector<std::vector<size_t>> from_;
};

double seconds_of(const CostedBlock& block) {
  return block.forward.total() + block.backward.total() + block.recompute.total();
}

}  // namespace

std::vector<int64_t> balanced(const LayerCosts& costs, int64_t parts) { return PartsByCost(costs, parts).best(); }

LayerCosts layer_costs(const Scenario& s) {
  const CostedWorkload costed = cost_blocks(s, build_blocks(s));
  const std::vector<LayerKind> kinds = layer_kinds(s.model);
  LayerCosts costs{.first = seconds_of(costed.blocks.front()), .last = seconds_of(costed.blocks.back())};
  if (prediction_layers(s) > 0)
    costs.last += static_cast<double>(prediction_layers(s)) * seconds_of(costed.blocks[costed.blocks.size() - 2]);
  for (const LayerKind& layer : layers_of(s.model)) {
    const auto kind = std::ranges::find(kinds, layer);
    costs.layers.push_back(seconds_of(costed.blocks[static_cast<size_t>(1 + (kind - kinds.begin()))]));
  }
  return costs;
}

bool deals_by_cost(const Scenario& s) {
  const Parallelism& p = s.parallelism;
  return p.balance == Balance::cost && p.stages.empty() && p.pp * p.interleave > 1 && s.model.operators.empty();
}

void deal_by_cost(Scenario& s) {
  if (!deals_by_cost(s) || !layout_violations(s).empty()) return;
  s.parallelism.stages = balanced(layer_costs(s), s.parallelism.pp * s.parallelism.interleave);
}

}  // namespace planner
