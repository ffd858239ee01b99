// Parameter servers (Li et al., "Scaling Distributed Machine Learning with the Parameter Server", OSDI 2014; Jiang et
// al., "BytePS", OSDI 2020): every rank pushes its gradients to k servers, which sum them, update the parameters that
// they hold, and send them back. Parameters are dealt evenly, so that a server's link carries 1/k of what all ranks
// push; a rank's link carries its own. Where they go in partitions, a hash of a partition's number chooses the machine
// that serves it (BytePS, common/global.cc, BYTEPS_KEY_HASH_FN: djb2), and some machine has more than its share. The
// busier of the two decides:
//
//     bytes = w * max(P, h * sum of P over all that push / k)      w: bytes per gradient, then per parameter
//     h = partitions of the fullest machine / their mean            1 where they are dealt evenly
//
// A server has one adapter of the tier, and sums and updates as fast as that brings gradients. Where the ranks of a
// node sum first (BytePS), they share the work: each reduces, pushes and pulls its part of P, and gathers the others'.
// All of this happens at the same time to different partitions: pushing is what takes longest, and of the rest one
// partition's time is left.
#include <algorithm>
#include <cmath>
#include <utility>

#include "planner/workload/passes/passes.h"
#include "planner/workload/placement.h"

namespace planner {
namespace {

/// Ranks of a node that each push a part of their common data.
operator_models::Group summing(const Scenario& s) {
  return s.software.sums_in_node ? inside_node(s, data_group(s)) : operator_models::Group{};
}

double pushed_by_all(const Scenario& s, const Workload& w) {
  double stages = 0;  // one rank of each
  for (int c : w.class_of_stage) stages += w.classes[static_cast<size_t>(c)].trained.sum();
  return stages * static_cast<double>(stage_ranks(s.parallelism)) / static_cast<double>(summing(s).ranks);
}

struct When {
  StepPhase phase;
  Hide hide;
};

void put(StageClass& c, const Label& name, When when, operator_models::Operator op) {
  c.step_ops.push_back({.name = name,
                        .phase = when.phase,
                        .sublayer = Sublayer::data_parallel,
                        .op = std::move(op),
                        .purpose = Purpose::dp,
                        .hide = when.hide});
}

/// What the busier link carries of a stage, and how many are at its other end.
struct ServerLink {
  double parameters = 0;
  int64_t tier = 0, peers = 0;

  operator_models::SendRecv message(double bytes, int64_t messages = 1) const {
    return {.bytes = {bytes}, .tier = tier, .peers = peers, .messages = messages};
  }
};

// Of what a stage pushes; no more than a whole number of messages can count.
int64_t partitions_of(const Scenario& s, const StageClass& c) {
  constexpr double kMost = 1e15;
  const double size = s.software.partition_bytes.value, all = c.trained.sum() * s.software.reduce_bytes;
  return size > 0 ? static_cast<int64_t>(std::clamp(std::ceil(all / size), 1.0, kMost)) : 1;
}

/// Of n partitions that a hash deals to m machines: those that the fullest is expected to have, over their mean. The
/// number of each is binomial; that they sum to n is left out (Raab and Steger 1998, "Balls into Bins").
double fullest_over_mean(double n, double m) {
  constexpr double kMost = 1e4, kWide = 12;  // of more, h is 1 but for little; deviations from the mean
  n = std::min(n, kMost);
  const double p = 1 / m, mean = n * p, wide = kWide * std::sqrt(mean * (1 - p)) + kWide;
  double fullest = std::max(0.0, std::floor(mean - wide)), below = 0;
  for (double i = fullest; i < std::min(n, mean + wide); ++i) {
    const double ways = std::lgamma(n + 1) - std::lgamma(i + 1) - std::lgamma(n - i + 1);
    below += std::exp(ways + i * std::log(p) + (n - i) * std::log1p(-p));
    fullest += 1 - std::pow(std::min(1.0, below), m);
  }
  return m > 1 ? std::max({fullest, mean, 1.0}) / mean : 1;
}

/// Servers are as many as they have adapters; one process serves those of a machine.
double crowding(const Scenario& s, const StageClass& c) {
  if (s.software.partition_bytes.value <= 0) return 1;
  const auto servers = static_cast<double>(s.parallelism.servers), each = static_cast<double>(s.cluster.gpus_per_node);
  return fullest_over_mean(static_cast<double>(partitions_of(s, c)), std::ceil(servers / each));
}

void push_and_pull(const Scenario& s, StageClass& c, const ServerLink& link, const When& pushing, const When& pulling) {
  const int64_t partitions = partitions_of(s, c);
  const double push = link.parameters * s.software.reduce_bytes, pull = link.parameters * s.software.gather_bytes,
               last = 1 / static_cast<double>(partitions);
  if (push > 0) put(c, "servers.push", pushing, link.message(push, partitions));
  const double left = std::max(pull * last, pull - push * (1 - last));
  if (left > 0) put(c, "servers.pull", pulling, link.message(left));
}

void in_node(const Scenario& s, StageClass& c, const When& when, operator_models::CollectiveKind kind, double width) {
  const operator_models::Group ranks = summing(s);
  const double bytes = c.trained.sum() * width / static_cast<double>(partitions_of(s, c));
  if (ranks.ranks <= 1 || bytes <= 0) return;
  const bool reduces = kind == operator_models::CollectiveKind::reduce_scatter;
  put(c, reduces ? Label("servers.reduce-scatter") : Label("servers.all-gather"), when,
      operator_models::Collective{.kind = kind, .bytes = {bytes}, .group = ranks});
}

}  // namespace

void exchange_with_servers(const Scenario& s, Workload& w) {
  using operator_models::CollectiveKind;
  const double mean = pushed_by_all(s, w) / static_cast<double>(s.parallelism.servers);
  const auto sharing = static_cast<double>(summing(s).ranks);
  const int64_t tier = tier_beyond(s, data_group(s));
  const When pushing{StepPhase::backward, gradients_under(s, Hide::last_backward)};
  const When pulling{StepPhase::optimizer, parameters_under(s, Hide::first_forward)};
  for (StageClass& c : w.classes) {
    const double own = c.trained.sum() / sharing, per_server = mean * crowding(s, c);
    const ServerLink link{.parameters = std::max(own, per_server),
                          .tier = tier,
                          .peers = own < per_server ? s.cluster.gpus : s.parallelism.servers};
    in_node(s, c, pushing, CollectiveKind::reduce_scatter, s.software.reduce_bytes);
    push_and_pull(s, c, link, pushing, pulling);
    in_node(s, c, pulling, CollectiveKind::all_gather, s.software.gather_bytes);
  }
}

}  // namespace planner
