// Expert parallelism (GShard: Lepikhin et al. 2020, arXiv:2006.16668; expert tensor parallelism and the own data
// parallelism of experts: Megatron-Core, Liu et al. 2025, arXiv:2504.14960).
//
// `ep` ranks hold count/ep experts each. Every rank sends k copies of each of its tokens to the ranks that hold their
// experts and gets the results back: two exchanges forward, two backward. An expert then sees the tokens of ep * etp
// ranks, of which tensor and sequence parallelism have left each 1/tp.
#include <algorithm>
#include <cmath>
#include <vector>

#include "planner/workload/dimensions.h"
#include "planner/workload/insert.h"
#include "planner/workload/passes/passes.h"
#include "planner/workload/placement.h"

namespace planner {
namespace {

// Routed tokens of the fullest rank, over those of an unsharded microbatch.
double load(const Scenario& s) {
  const Parallelism& p = s.parallelism;
  return static_cast<double>(p.etp) / static_cast<double>(p.tp) * s.job.routing.skew;
}

// A product may lie above a whole number by rounding alone.
int64_t whole_up(double tokens) { return static_cast<int64_t>(std::ceil(tokens * (1 - 1e-12))); }

void deal(const Scenario& s, WorkOp& w) {
  const double ep = static_cast<double>(s.parallelism.ep);
  const Dimensions d = dimensions_of(w);
  if (d.batch) *d.batch = std::max<int64_t>(1, *d.batch / s.parallelism.ep);
  if (d.tokens) *d.tokens = std::max<int64_t>(1, whole_up(static_cast<double>(*d.tokens) * ep * load(s)));
  if (d.traffic) multiply(*d.traffic, w.of_weights ? 1 / ep : load(s));
}

/// Ways to draw k of n.
double choose(double n, double k) {
  double ways = k < 0 ? 0 : 1;
  for (double i = 0; i < k; ++i) ways *= std::max(0.0, n - i) / (i + 1);
  return ways;
}

// How many of `places` (ranks or nodes of the group) the k experts of a token lie in, if its groups of experts are
// drawn evenly, and then its experts from them.
double distinct(const Scenario& s, double places) {
  const Experts& e = s.model.experts;
  const double count = static_cast<double>(e.count), groups = static_cast<double>(e.groups);
  const double drawn = static_cast<double>(std::min(e.groups_per_token, e.groups)), reachable = count * drawn / groups;
  const double k = std::min(static_cast<double>(e.top_k), reachable);
  const double held = std::max(1.0, std::floor(groups / places));  // groups of a place, or a part of one
  const double experts = count / places / held;                    // of each in the place
  double missed = 0;                                               // share of tokens without an expert in it
  for (double j = 0; j <= std::min(held, drawn); ++j)
    missed += choose(held, j) * choose(groups - held, drawn - j) / choose(groups, drawn) *
              choose(reachable - j * experts, k) / choose(reachable, k);
  return places * (1 - missed);
}

struct ExpertExchange {
  Label name;
  Role role;
  StepPhase phase;
  bool to_experts;
  Role cover;  // linear layer of the shared expert whose product may hide it; backward its data gradient
};
constexpr ExpertExchange kExchanges[] = {
    {"experts.dispatch", Role::dispatch, StepPhase::forward, true, Role::fc1},
    {"experts.combine", Role::combine, StepPhase::forward, false, Role::fc2},
    {"experts.combine-gradient", Role::combine, StepPhase::backward, true, Role::fc2},
    {"experts.dispatch-gradient", Role::dispatch, StepPhase::backward, false, Role::fc1},
};

// What one rank sends (all-to-all), or what all ranks have together (all-gather, reduce-scatter).
Collective transfer(const Scenario& s, const Group& group, const ExpertExchange& x, double tokens, int64_t width) {
  const ExpertHabits& habits = s.software.experts;
  const double element = x.to_experts ? habits.dispatch_bytes : habits.combine_bytes;
  const double token = element * static_cast<double>(width);
  if (habits.dispatch == Dispatch::all_gather)
    return {.kind = x.to_experts ? CollectiveKind::all_gather : CollectiveKind::reduce_scatter,
            .bytes = {tokens * token * static_cast<double>(group.ranks)},
            .group = group};
  // Sent once to each rank, and across nodes once to each node; or once for each expert.
  const bool once = habits.dispatch == Dispatch::per_node || habits.dispatch == Dispatch::hybrid;
  const double ranks = static_cast<double>(group.ranks), nodes = ranks / static_cast<double>(group.inside.front());
  const double copies = once ? distinct(s, ranks) : static_cast<double>(s.model.experts.top_k);
  const double full = (s.job.routing.capacity > 0 ? s.job.routing.capacity : 1) * s.job.routing.skew;
  Collective c{.kind = CollectiveKind::all_to_all, .bytes = {tokens * copies * full * token}, .group = group};
  c.dealt = habits.dispatch == Dispatch::per_node;
  if (once && nodes > 1) c.crossing = distinct(s, nodes) / copies;
  return c;
}

int find_shared(const Block& block, Role role, StepPhase phase) {
  for (size_t i = 0; i < block.ops.size(); ++i) {
    const WorkOp& w = block.ops[i];
    const bool product = w.product > 0 && !w.weight_gradient;
    if (w.role == role && w.phase == phase && product && !w.routed) return static_cast<int>(i);
  }
  return -1;
}

// Operators of the routed tokens that read something else, or that something else reads.
Numbers border(Inserter& put, StepPhase phase, bool first) {
  Numbers found;
  auto outside = [&](int i) { return i < 0 || !put[i].routed; };
  std::vector<bool> left(static_cast<size_t>(put.size()), false);  // something else reads it
  for (int i = 0; i < put.size() && !first; ++i)
    if (put[i].phase == phase && !put[i].routed)
      for (int input : put[i].inputs)
        if (input >= 0) left[static_cast<size_t>(input)] = true;
  for (int i = 0; i < put.size(); ++i) {
    if (put[i].phase != phase || !put[i].routed || put[i].inputs.empty()) continue;
    const bool ends =
        first ? std::ranges::any_of(put[i].inputs, outside) : left[static_cast<size_t>(i)] || put[i].result;
    if (ends) found.push_back(i);
  }
  return found;
}

void exchange(const Scenario& s, Block& block) {
  const Parallelism& p = s.parallelism;
  const double tokens = static_cast<double>(p.microbatch * s.job.sequence) / static_cast<double>(p.cp) /
                        (p.sequence_parallel ? static_cast<double>(p.tp) : 1);
  const Group group = expert_group(s);
  const int64_t width = block.routed_width > 0 ? block.routed_width : s.model.hidden;
  Inserter put(block);
  for (const ExpertExchange& x : kExchanges) {
    if (x.phase == StepPhase::backward && s.job.phase == Phase::forward) continue;
    WorkOp w{.name = x.name,
             .role = x.role,
             .phase = x.phase,
             .sublayer = Sublayer::experts,
             .op = transfer(s, group, x, tokens, width),
             .purpose = Purpose::ep};
    if (s.software.experts.overlap) w.hide = Hide::block;
    else if (s.software.experts.overlap_shared) w.cover = find_shared(block, x.cover, x.phase);
    if (w.cover >= 0) w.hide = Hide::cover;
    if (x.to_experts) put.before(border(put, x.phase, true), std::move(w));
    else put.after(border(put, x.phase, false), std::move(w));
  }
  put.finish();
}

}  // namespace

void apply_experts(const Scenario& s, Workload& w) {
  for (Block& block : w.blocks) {
    if (!block.layer.experts) continue;
    for (WorkOp& op : block.ops)
      if (op.routed) deal(s, op);
    for (Weight& weight : block.weights)
      if (weight.routed) weight.parameters /= static_cast<double>(s.parallelism.ep);
    block.each_saved([&](Saved& saved) {
      if (saved.routed) saved.bytes *= load(s);
    });
    if (s.parallelism.ep > 1) exchange(s, block);
  }
}

}  // namespace planner
