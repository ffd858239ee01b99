#include "planner/tables/trial.h"

#include <algorithm>
#include <numeric>

namespace planner::tables {
namespace {

constexpr double kEqual = 1e-9;  // relative: sums of the same figures in another order

double beyond(const Load& load, double memory_bytes) { return std::max(0.0, load.memory_bytes - memory_bytes); }

}  // namespace

bool better(const TrialScore& a, const TrialScore& b) {
  if (a.overflow_bytes != b.overflow_bytes) return a.overflow_bytes < b.overflow_bytes;
  if (a.seconds < b.seconds * (1 - kEqual)) return true;
  if (a.seconds > b.seconds * (1 + kEqual)) return false;
  return a.unevenness < b.unevenness * (1 - kEqual);
}

void PlacementTrial::Largest::take(double value, int32_t rank) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (ranks[i] >= 0 && values[i] >= value) continue;
    for (size_t k = values.size() - 1; k > i; --k) values[k] = values[k - 1], ranks[k] = ranks[k - 1];
    values[i] = value, ranks[i] = rank;
    return;
  }
}

double PlacementTrial::Largest::without(int32_t a, int32_t b) const {
  for (size_t i = 0; i < values.size(); ++i)
    if (ranks[i] >= 0 && ranks[i] != a && ranks[i] != b) return values[i];
  return 0;
}

PlacementTrial::PlacementTrial(const PlacementProblem& problem, Placement placement)
    : problem_(&problem), placement_(std::move(placement)), exchange_(problem.site) {
  loads_ = loads_of(problem, placement_);
  held_.resize(loads_.ranks.size());
  for (size_t t = 0; t < placement_.size(); ++t)
    for (int32_t rank : placement_[t].ranks) held_[static_cast<size_t>(rank)].push_back(t);
  const double even = loads_.sent() / static_cast<double>(loads_.ranks.size());
  if (even > 0) seconds_per_byte_ = 2 * exchange_.seconds(even) / even;
  refresh();
}

bool PlacementTrial::holds(int32_t rank, size_t table) const {
  const std::vector<int32_t>& ranks = placement_[table].ranks;
  return std::ranges::find(ranks, rank) != ranks.end();
}

double PlacementTrial::work_of(const Load& load) const {
  return load.forward_seconds + load.backward_seconds + seconds_per_byte_ * load.sent_bytes;
}

TrialScore PlacementTrial::score_of(double forward, double backward, double sent_most, double sent, double reduced,
                                    double overflow, double squares) {
  if (reduced != reduced_bytes_) {
    reduced_bytes_ = reduced;
    reduced_seconds_ = collective_seconds(problem_->site, operator_models::CollectiveKind::all_reduce, reduced);
  }
  const double message = std::max(sent_most, sent / static_cast<double>(loads_.ranks.size()));
  const double launches = (forward > 0 ? problem_->launch_seconds : 0) + (backward > 0 ? problem_->launch_seconds : 0);
  return {
      overflow,
      problem_->site.dense_seconds + forward + backward + launches + 2 * exchange_.seconds(message) + reduced_seconds_,
      squares};
}

void PlacementTrial::refresh() {
  forward_ = backward_ = sent_most_ = {};
  sent_ = squares_ = overflow_ = 0;
  for (int32_t r = 0; r < ranks(); ++r) {
    const Load& load = loads_.ranks[static_cast<size_t>(r)];
    forward_.take(load.forward_seconds, r);
    backward_.take(load.backward_seconds, r);
    sent_most_.take(load.sent_bytes, r);
    sent_ += load.sent_bytes;
    squares_ += work_of(load) * work_of(load);
    overflow_ += beyond(load, problem_->site.memory_bytes);
  }
  score_ = score_of(forward_.values[0], backward_.values[0], sent_most_.values[0], sent_, loads_.reduced_bytes,
                    overflow_, squares_);
}

std::vector<int32_t> PlacementTrial::critical() const {
  std::vector<int32_t> ranks;
  const auto add = [&](int32_t rank) {
    if (rank >= 0 && std::ranges::find(ranks, rank) == ranks.end()) ranks.push_back(rank);
  };
  if (overflow_ > 0)
    add(static_cast<int32_t>(std::ranges::max_element(loads_.ranks, {}, &Load::memory_bytes) - loads_.ranks.begin()));
  add(forward_.ranks[0]);
  add(backward_.ranks[0]);
  add(sent_most_.ranks[0]);
  return ranks;
}

std::vector<int32_t> PlacementTrial::idlest(size_t count) const {
  std::vector<std::pair<double, int32_t>> order;
  for (int32_t rank = 0; rank < ranks(); ++rank)
    order.emplace_back(work_of(loads_.ranks[static_cast<size_t>(rank)]), rank);
  const auto end = order.begin() + static_cast<std::ptrdiff_t>(std::min(count, order.size()));
  std::partial_sort(order.begin(), end, order.end());
  std::vector<int32_t> idle;
  for (auto at = order.begin(); at != end; ++at) idle.push_back(at->second);
  return idle;
}

TrialScore PlacementTrial::after(const PlacementMove& move) {
  const Load &was_from = loads_.ranks[static_cast<size_t>(move.from)],
             &was_to = loads_.ranks[static_cast<size_t>(move.to)];
  Load from = was_from, to = was_to;
  from -= part(move.table);
  to += part(move.table);
  if (move.against) from += part(*move.against), to -= part(*move.against);
  const auto most = [&](const Largest& largest, double Load::*figure) {
    return std::max({largest.without(move.from, move.to), from.*figure, to.*figure});
  };
  const double memory = problem_->site.memory_bytes;
  double overflow = overflow_, squares = squares_;
  overflow += beyond(from, memory) + beyond(to, memory) - beyond(was_from, memory) - beyond(was_to, memory);
  for (const Load* load : {&from, &to}) squares += work_of(*load) * work_of(*load);
  for (const Load* load : {&was_from, &was_to}) squares -= work_of(*load) * work_of(*load);
  return score_of(most(forward_, &Load::forward_seconds), most(backward_, &Load::backward_seconds),
                  most(sent_most_, &Load::sent_bytes), sent_, loads_.reduced_bytes, overflow, squares);
}

void PlacementTrial::count(size_t table, const Placed& placed, bool there) {
  const Option& option = problem_->options[table][placed.option];
  for (int32_t rank : placed.ranks) {
    Load& load = loads_.ranks[static_cast<size_t>(rank)];
    there ? load += option.part : load -= option.part;
  }
  loads_.reduced_bytes += there ? option.reduced_bytes : -option.reduced_bytes;
}

void PlacementTrial::apply(const PlacementMove& move) {
  Placed placed = placement_[move.table];
  std::ranges::replace(placed.ranks, move.from, move.to);
  if (move.against) {
    Placed other = placement_[*move.against];
    std::ranges::replace(other.ranks, move.to, move.from);
    apply(*move.against, std::move(other));
  }
  apply(move.table, std::move(placed));
}

Placed PlacementTrial::recast(size_t table, size_t option) const {
  const Option& wanted = problem_->options[table][option];
  std::vector<int32_t> order(loads_.ranks.size());
  std::iota(order.begin(), order.end(), 0);
  if (wanted.ways < ranks()) {
    std::vector<std::pair<bool, double>> keys;  // no room, work
    for (int32_t rank = 0; rank < ranks(); ++rank) {
      Load load = loads_.ranks[static_cast<size_t>(rank)];
      if (holds(rank, table)) load -= part(table);
      keys.emplace_back(load.memory_bytes + wanted.part.memory_bytes > problem_->site.memory_bytes, work_of(load));
    }
    std::ranges::stable_sort(order, {}, [&](int32_t rank) { return keys[static_cast<size_t>(rank)]; });
  }
  order.resize(static_cast<size_t>(wanted.ways));
  std::ranges::sort(order);
  return {option, std::move(order)};
}

TrialScore PlacementTrial::after(size_t table, const Placed& placed) {
  const Option &was = problem_->options[table][placement_[table].option],
               &will = problem_->options[table][placed.option];
  std::vector<Load> loads = loads_.ranks;
  for (int32_t rank : placement_[table].ranks) loads[static_cast<size_t>(rank)] -= was.part;
  for (int32_t rank : placed.ranks) loads[static_cast<size_t>(rank)] += will.part;
  Load most;
  double sent = 0, overflow = 0, squares = 0;
  for (const Load& load : loads) {
    most.forward_seconds = std::max(most.forward_seconds, load.forward_seconds);
    most.backward_seconds = std::max(most.backward_seconds, load.backward_seconds);
    most.sent_bytes = std::max(most.sent_bytes, load.sent_bytes);
    sent += load.sent_bytes;
    overflow += beyond(load, problem_->site.memory_bytes);
    squares += work_of(load) * work_of(load);
  }
  return score_of(most.forward_seconds, most.backward_seconds, most.sent_bytes, sent,
                  loads_.reduced_bytes - was.reduced_bytes + will.reduced_bytes, overflow, squares);
}

void PlacementTrial::apply(size_t table, Placed placed) {
  for (int32_t rank : placement_[table].ranks) std::erase(held_[static_cast<size_t>(rank)], table);
  count(table, placement_[table], false);
  count(table, placed, true);
  for (int32_t rank : placed.ranks) held_[static_cast<size_t>(rank)].push_back(table);
  placement_[table] = std::move(placed);
  refresh();
}

}  // namespace planner::tables
