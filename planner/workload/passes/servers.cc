// Parameter servers (Li et al., "Scaling Distributed Machine Learning with the Parameter Server", OSDI 2014; Jiang et
// al., "BytePS", OSDI 2020): every rank pushes its gradients to k servers, which sum them, update the parameters that
// they hold, and send them back. Parameters are dealt evenly, so that a server's link carries 1/k of what all ranks
// push; a rank's link carries its own. The busier of the two decides:
//
//     bytes = w * max(P, sum of P over all ranks / k)          w: bytes per gradient, then per parameter
//
// A server has one adapter of the tier, and sums and updates as fast as that brings gradients.
#include <algorithm>
#include <string>
#include <utility>

#include "planner/workload/passes/passes.h"
#include "planner/workload/placement.h"

namespace planner {
namespace {

double pushed_by_all(const Scenario& s, const Workload& w) {
  double stages = 0;  // one rank of each
  for (int c : w.class_of_stage) stages += w.classes[static_cast<size_t>(c)].trained.sum();
  return stages * static_cast<double>(stage_ranks(s.parallelism));
}

void send(StageClass& c, const Label& name, StepPhase phase, Hide hide, operator_models::SendRecv message) {
  if (message.bytes.value <= 0) return;
  WorkOp w;
  w.name = name;
  w.phase = phase;
  w.sublayer = Sublayer::data_parallel;
  w.purpose = Purpose::dp;
  w.op = message;
  w.hide = hide;
  c.step_ops.push_back(std::move(w));
}

}  // namespace

void exchange_with_servers(const Scenario& s, Workload& w) {
  const double per_server = pushed_by_all(s, w) / static_cast<double>(s.parallelism.servers);
  const int64_t tier = tier_beyond(s, data_group(s));
  for (StageClass& c : w.classes) {
    const double own = c.trained.sum(), parameters = std::max(own, per_server);
    const int64_t peers = own < per_server ? s.cluster.gpus : s.parallelism.servers;  // of the busier link
    send(c, "servers.push", StepPhase::backward, gradients_under(s, Hide::last_backward),
         {.bytes = {parameters * s.software.reduce_bytes}, .tier = tier, .peers = peers});
    send(c, "servers.pull", StepPhase::optimizer, parameters_under(s, Hide::first_forward),
         {.bytes = {parameters * s.software.gather_bytes}, .tier = tier, .peers = peers});
  }
}

}  // namespace planner
