#include "planner/workload/overlap.h"

#include <algorithm>
#include <variant>

#include "operator_models/contention.h"
#include "planner/workload/placement.h"

namespace planner {
namespace {

using operator_models::Collective;
using operator_models::HostCopy;
using operator_models::SendRecv;

const std::string& tier_of(const Scenario& s, const SendRecv& message) {
  return s.cluster.network[static_cast<size_t>(message.tier)].name;
}

// Transfers of one stream wait for each other: all of the network, or one direction of the host link.
const char* stream_of(const operator_models::Operator& op) {
  const auto* copy = std::get_if<HostCopy>(&op);
  return copy ? operator_models::name(copy->direction) : "network";
}

}  // namespace

bool is_communication(const operator_models::Operator& op) {
  return std::holds_alternative<Collective>(op) || std::holds_alternative<SendRecv>(op) ||
         std::holds_alternative<HostCopy>(op);
}

Movement movement_of(const Scenario& s, const operator_models::Operator& op) {
  if (const auto* c = std::get_if<Collective>(&op))
    return {operator_models::name(c->kind), c->group.ranks, c->bytes.value, tier_names(s, c->group)};
  if (const auto* m = std::get_if<SendRecv>(&op)) return {"send-recv", m->peers + 1, m->bytes.value, {tier_of(s, *m)}};
  return {"host-copy", 1, std::get<HostCopy>(op).bytes.value, {"host"}};
}

std::string wire_of(const Scenario& s, const operator_models::Operator& op) {
  if (const auto* m = std::get_if<SendRecv>(&op)) return tier_of(s, *m);
  if (const auto* h = std::get_if<HostCopy>(&op)) return operator_models::name(h->direction);
  const auto* c = std::get_if<Collective>(&op);
  const std::vector<std::string> tiers = c ? tier_names(s, c->group) : std::vector<std::string>{};
  return tiers.empty() ? "" : tiers.back();
}

double contention_of(const Scenario& s, const WorkOp& transfer) {
  if (!std::holds_alternative<Collective>(transfer.op)) return 1;
  const std::string tier = wire_of(s, transfer.op);
  return tier.empty() ? 1 : operator_models::slowdown(s.calibration, "compute", tier);
}

double hidden_of(const Scenario& s, const WorkOp& transfer) {
  if (!std::holds_alternative<Collective>(transfer.op)) return 1;
  if (transfer.sublayer == Sublayer::data_parallel) return s.software.overlap.hidden_data;
  return transfer.sublayer == Sublayer::experts ? s.software.overlap.hidden_experts : s.software.overlap.hidden_tensor;
}

double exposed_seconds(double compute, double network, double slowdown, double hidden) {
  const double together = hidden * std::min(compute, network);
  return network - together + together * (slowdown - 1);
}

void Beside::add(const Scenario& s, const CostedOp& c, double times, const Cover& cover) {
  const double seconds = times * c.cost.seconds.value;
  network += seconds;
  slowed += seconds * contention_of(s, *c.work);
  hidden += seconds * hidden_of(s, *c.work);
  if (cover.busy.empty()) return;
  const auto taken = cover.busy.find(wire_of(s, c.work->op));
  if (taken != cover.busy.end()) busy += seconds * taken->second;
}

double Beside::exposed(double compute) const {
  if (network == 0) return 0;
  return exposed_seconds(std::max(0.0, compute - busy / network), network, slowed / network, hidden / network);
}

double expose(const Scenario& s, std::vector<CostedOp>& ops, Hide hide, StepPhase phase, const Cover& cover) {
  struct Stream {
    Beside all;
    double exposed = 0;
  };
  const auto mine = [&](const CostedOp& c) {
    return c.communication && c.work->hide == hide && c.work->phase == phase && c.cost.seconds.value > 0;
  };
  std::map<std::string, Stream> streams;
  for (const CostedOp& c : ops)
    if (mine(c)) streams[stream_of(c.work->op)].all.add(s, c, c.work->count, cover);
  Stream* slowest = nullptr;
  for (auto& [name, stream] : streams) {
    stream.exposed = stream.all.exposed(cover.seconds);
    if (!slowest || stream.exposed > slowest->exposed) slowest = &stream;
  }
  double sum = 0;
  for (auto& [name, stream] : streams) {
    stream.exposed = std::max(&stream == slowest ? stream.exposed : 0, stream.all.network * cover.last_share);
    sum += stream.exposed;
  }
  for (CostedOp& c : ops) {
    if (!mine(c)) continue;
    const Stream& stream = streams[stream_of(c.work->op)];
    c.exposed = stream.exposed * c.cost.seconds.value / stream.all.network;
  }
  return sum;
}

WireSeconds busy_wires(const Scenario& s, const CostedWorkload& c, const Chunk& held, StepPhase phase) {
  WireSeconds busy;
  for (size_t i = 0; i < held.size(); ++i) {
    if (held[i] == 0) continue;
    for (const CostedOp& op : c.blocks[i].ops)
      if (op.communication && op.work->phase == phase)
        busy[wire_of(s, op.work->op)] += static_cast<double>(held[i]) * op.work->count * op.cost.seconds.value;
  }
  return busy;
}

}  // namespace planner
