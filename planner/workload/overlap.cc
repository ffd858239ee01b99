#include "planner/workload/overlap.h"

#include <algorithm>
#include <array>
#include <variant>

#include "operator_models/contention.h"
#include "operator_models/kinds.h"
#include "planner/workload/placement.h"

namespace planner {
namespace {

using operator_models::Collective;
using operator_models::HostCopy;
using operator_models::SendRecv;

// Transfers of one stream wait for each other: all of the network, or one direction of the host link.
constexpr int kStreams = 3;
int stream_of(const operator_models::Operator& op) {
  const auto* copy = std::get_if<HostCopy>(&op);
  if (!copy) return 0;
  return copy->direction == operator_models::HostDirection::to_device ? 1 : 2;
}

// The last tier that widens the group.
int widest_tier(const operator_models::Group& group) {
  int64_t reached = 1;
  int widest = kNoWire;
  for (size_t t = 0; t < group.inside.size() && reached < group.ranks; ++t) {
    if (group.inside[t] > reached) widest = static_cast<int>(t);
    reached = group.inside[t];
  }
  return widest;
}

}  // namespace

bool is_communication(const operator_models::Operator& op) { return operator_models::kind(op).communicates; }

Movement movement_of(const Scenario& s, const operator_models::Operator& op) {
  if (const auto* c = std::get_if<Collective>(&op))
    return {operator_models::name(c->kind), c->group.ranks, c->bytes.value, tier_names(s, c->group)};
  if (const auto* m = std::get_if<SendRecv>(&op))
    return {"send-recv", m->peers + 1, m->bytes.value, {s.cluster.network[static_cast<size_t>(m->tier)].name}};
  return {"host-copy", 1, std::get<HostCopy>(op).bytes.value, {"host"}};
}

int wire_of(const operator_models::Operator& op) {
  if (const auto* m = std::get_if<SendRecv>(&op)) return static_cast<int>(m->tier);
  if (const auto* h = std::get_if<HostCopy>(&op)) return static_cast<int>(kMostTiers) + static_cast<int>(h->direction);
  const auto* c = std::get_if<Collective>(&op);
  return c ? widest_tier(c->group) : kNoWire;
}

double contention_of(const Scenario& s, const WorkOp& transfer) {
  if (!std::holds_alternative<Collective>(transfer.op)) return 1;
  const int tier = wire_of(transfer.op);
  if (tier == kNoWire) return 1;
  return operator_models::slowdown(s.calibration, "compute", s.cluster.network[static_cast<size_t>(tier)].name);
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

Transfer transfer_of(const Scenario& s, const CostedOp& c) {
  return {.seconds = c.cost.seconds.value,
          .count = c.work->count,
          .slowdown = contention_of(s, *c.work),
          .hidden = hidden_of(s, *c.work),
          .relative_error = c.cost.relative_error,
          .kind = c.work->op.index(),
          .wire = wire_of(c.work->op),
          .stream = stream_of(c.work->op)};
}

double Cover::busy_on(int wire) const {
  if (wire == kNoWire) return 0;
  return (busy ? (*busy)[static_cast<size_t>(wire)] : 0) + (wire == send_wire ? send_seconds : 0);
}

void Beside::add(const Transfer& t, const Cover& cover) {
  const double seconds = t.count * t.seconds;
  network += seconds;
  slowed += seconds * t.slowdown;
  hidden += seconds * t.hidden;
  busy += seconds * cover.busy_on(t.wire);
}

double Beside::exposed(double compute) const {
  if (network == 0) return 0;
  return exposed_seconds(std::max(0.0, compute - busy / network), network, slowed / network, hidden / network);
}

double expose(std::span<Transfer> transfers, const Cover& cover) {
  std::array<Beside, kStreams> all;
  std::array<double, kStreams> exposed{};
  for (const Transfer& t : transfers) all[static_cast<size_t>(t.stream)].add(t, cover);
  for (size_t i = 0; i < kStreams; ++i) exposed[i] = all[i].exposed(cover.seconds);
  const auto slowest = static_cast<size_t>(std::max_element(exposed.begin(), exposed.end()) - exposed.begin());
  double sum = 0;
  for (size_t i = 0; i < kStreams; ++i) {
    exposed[i] = std::max(i == slowest ? exposed[i] : 0, all[i].network * cover.last_share);
    sum += exposed[i];
  }
  for (Transfer& t : transfers) {
    const auto stream = static_cast<size_t>(t.stream);
    t.exposed = t.seconds > 0 ? exposed[stream] * t.seconds / all[stream].network : 0;
  }
  return sum;
}

double expose(const Scenario& s, std::vector<CostedOp>& ops, Hide hide, StepPhase phase, const Cover& cover) {
  std::vector<Transfer> transfers;
  const auto mine = [&](const CostedOp& c) {
    return c.communication && c.work->hide == hide && c.work->phase == phase;
  };
  for (const CostedOp& c : ops)
    if (mine(c)) transfers.push_back(transfer_of(s, c));
  if (transfers.empty()) return 0;
  const double sum = expose(transfers, cover);
  auto next = transfers.begin();
  for (CostedOp& c : ops)
    if (mine(c)) c.exposed = next++->exposed;
  return sum;
}

void add_busy(const std::vector<CostedOp>& ops, StepPhase phase, WireSeconds& busy) {
  for (const CostedOp& op : ops) {
    if (!op.communication || op.work->phase != phase) continue;
    const int wire = wire_of(op.work->op);
    if (wire == kNoWire) continue;
    busy[static_cast<size_t>(wire)] += op.work->count * op.cost.seconds.value;
  }
}

}  // namespace planner
