#include "planner/workload/overlap.h"

#include <algorithm>
#include <array>
#include <variant>

#include "operator_models/contention.h"
#include "operator_models/kinds.h"
#include "planner/workload/placement.h"

namespace planner {
namespace {

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

// Transfers of one stream wait for each other: all of the network, or one direction of the host link.
constexpr int kStreams = 3;

/// Where an operator's bytes go. `contends`: kernels of the device move them, not an engine of their own.
struct Route {
  int wire = kNoWire, stream = 0;
  bool contends = false;
};
/// An operator that communicates has its own below, or does not compile.
template <class Op>
concept Computes = !operator_models::kKinds[operator_models::alternative<Op>()].communicates;
template <Computes Op> Route route(const Op&) { return {}; }
Route route(const Collective& c) { return {.wire = widest_tier(c.group), .contends = true}; }
Route route(const SendRecv& m) { return {.wire = static_cast<int>(m.tier)}; }
Route route(const HostCopy& h) {
  const int direction = static_cast<int>(h.direction);
  return {.wire = static_cast<int>(kMostTiers) + direction, .stream = 1 + direction};
}
Route route_of(const operator_models::Operator& op) {
  return std::visit([](const auto& o) { return route(o); }, op);
}

template <Computes Op> Movement movement(const Scenario&, const Op&) { return {}; }
Movement movement(const Scenario& s, const Collective& c) {
  return {operator_models::name(c.kind), c.group.ranks, c.bytes.value, tier_names(s, c.group)};
}
Movement movement(const Scenario& s, const SendRecv& m) {
  return {"send-recv", m.peers + 1, m.bytes.value, {s.cluster.network[static_cast<size_t>(m.tier)].name}};
}
Movement movement(const Scenario&, const HostCopy& h) { return {"host-copy", 1, h.bytes.value, {"host"}}; }

double bucket_share_of(const Scenario& s, const WorkOp& op) {
  const bool is_bucketed = s.software.bucket_bytes.value > 0 && op.purpose == Purpose::dp &&
                           op.hide == Hide::last_backward && std::holds_alternative<Collective>(op.op);
  return is_bucketed ? 1 / op.count : 0;
}

/// Transfers of one stream, by wire.
struct TransferStream {
  struct OfWire {
    CoverLoad transfers;
    double busy = 0;
  };
  std::array<OfWire, kMostTiers + 3> wires;  // the first: of no wire
  double network = 0;
  double last = 0, filling = 0;  // of it: what comes when the work is over; what would fill the first buckets

  void add(const HiddenTransfer& t, const Cover& cover) {
    OfWire& wire = wires[static_cast<size_t>(t.wire + 1)];
    wire.transfers.add(t);
    wire.busy = cover.busy_on(t.wire);
    const double seconds = t.count * t.seconds;
    network += seconds;
    last += seconds * (t.bucket_share > 0 ? t.bucket_share : cover.last_share);
    filling += seconds * t.bucket_share;
  }

  // One after the other, those on the busiest wire first: they have the least of the cover, and the part that they use
  // is subtracted from the others' cover.
  double exposed(double cover) {
    if (network > 0) cover *= 1 - filling / network;
    std::array<const OfWire*, std::tuple_size_v<decltype(wires)>> order{};
    size_t count = 0;
    for (const OfWire& wire : wires) {
      if (!(wire.transfers.network > 0)) continue;
      size_t at = count++;  // of equals the first stays first
      for (; at > 0 && order[at - 1]->busy < wire.busy; --at) order[at] = order[at - 1];
      order[at] = &wire;
    }
    double sum = 0, taken = 0;
    for (size_t i = 0; i < count; ++i) {
      const double left = std::max(0.0, cover - order[i]->busy - taken);
      sum += order[i]->transfers.exposed(left);
      taken += std::min(left, order[i]->transfers.network);
    }
    return sum;
  }
};

}  // namespace

bool is_communication(const operator_models::Operator& op) { return operator_models::kind(op).communicates; }

Movement movement_of(const Scenario& s, const operator_models::Operator& op) {
  return std::visit([&](const auto& o) { return movement(s, o); }, op);
}

int wire_of(const operator_models::Operator& op) { return route_of(op).wire; }

double contention_of(const Scenario& s, const WorkOp& transfer) {
  const Route route = route_of(transfer.op);
  if (!route.contends || route.wire == kNoWire) return 1;
  return operator_models::slowdown(s.calibration, "compute", s.cluster.network[static_cast<size_t>(route.wire)].name);
}

double hidden_of(const Scenario& s, const WorkOp& transfer) {
  if (!route_of(transfer.op).contends) return 1;
  if (transfer.sublayer == Sublayer::data_parallel) return s.software.overlap.hidden_data;
  return transfer.sublayer == Sublayer::experts ? s.software.overlap.hidden_experts : s.software.overlap.hidden_tensor;
}

double exposed_seconds(double compute, double network, double slowdown, double hidden) {
  const double together = hidden * std::min(compute, network);
  return network - together + together * (slowdown - 1);
}

HiddenTransfer transfer_of(const Scenario& s, const CostedOp& c) {
  return {.seconds = c.cost.seconds.value,
          .count = c.work->count,
          .slowdown = contention_of(s, *c.work),
          .hidden = hidden_of(s, *c.work),
          .relative_error = c.cost.relative_error,
          .kind = c.work->op.index(),
          .wire = route_of(c.work->op).wire,
          .stream = route_of(c.work->op).stream,
          .bucket_share = bucket_share_of(s, *c.work),
          .assumed = is_assumed(c.cost)};
}

double Cover::busy_on(int wire) const {
  if (wire == kNoWire) return 0;
  return (busy ? (*busy)[static_cast<size_t>(wire)] : 0) + (wire == send_wire ? send_seconds : 0);
}

void CoverLoad::add(const HiddenTransfer& t) {
  const double seconds = t.count * t.seconds;
  network += seconds;
  slowed += seconds * t.slowdown;
  hidden += seconds * t.hidden;
}

double CoverLoad::exposed(double compute) const {
  if (network == 0) return 0;
  return exposed_seconds(compute, network, slowed / network, hidden / network);
}

double expose(std::span<HiddenTransfer> transfers, const Cover& cover) {
  std::array<TransferStream, kStreams> all;
  std::array<double, kStreams> last{}, more{};  // always exposed; exposed beyond that
  for (const HiddenTransfer& t : transfers) all[static_cast<size_t>(t.stream)].add(t, cover);
  for (size_t i = 0; i < kStreams; ++i) {
    last[i] = all[i].last;
    more[i] = std::max(0.0, all[i].exposed(cover.seconds) - last[i]);
  }
  const auto slowest = static_cast<size_t>(std::max_element(more.begin(), more.end()) - more.begin());
  double sum = 0;
  std::array<double, kStreams> exposed{};
  for (size_t i = 0; i < kStreams; ++i) sum += exposed[i] = last[i] + (i == slowest ? more[i] : 0);
  for (HiddenTransfer& t : transfers) {
    const auto stream = static_cast<size_t>(t.stream);
    t.exposed = t.seconds > 0 ? exposed[stream] * t.seconds / all[stream].network : 0;
  }
  return sum;
}

double expose(const Scenario& s, std::span<CostedOp* const> ops, const Cover& cover) {
  if (ops.empty()) return 0;
  std::vector<HiddenTransfer> transfers;
  for (const CostedOp* op : ops) transfers.push_back(transfer_of(s, *op));
  const double sum = expose(transfers, cover);
  for (size_t i = 0; i < ops.size(); ++i) ops[i]->exposed = transfers[i].exposed;
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
