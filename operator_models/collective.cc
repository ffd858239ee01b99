// Collectives over the tiers of a network (Hockney's alpha-beta; rings and trees: Thakur et al., IJHPCA 2005;
// bus bandwidth factors: nccl-tests, PERFORMANCE.md).
//
//     seconds = base + steps * (step + latency) + bytes * factor / B * (1 + sqrt(half_size / bytes))
//
// Inside one domain of a tier, B = efficiency * its bandwidth. A group that leaves its node runs g = inside[0] parallel
// rings, one for each of its ranks in a node. Their hops inside and between nodes work at the same time but wait for
// each other. The times per byte are therefore joined by a norm (4: 16 % off where they are equal)
//     1/B = |1 / (efficiency * inner bandwidth), 1 / (efficiency * outer bandwidth * g / oversubscription)|.
// A step of the ring carries bytes/n, as a message of g/n of the bytes would inside one domain: the inner bandwidth is
// that of such a message (`inner_half_size`, if the row of the outer tier has it).
// If a row separates it (`reduction`), an adding ring ends with 3 bytes/n through the memory: compute units add the
// last chunk (Pati 2024, section 8.5.1.1: the interconnect hides this for all other steps).
// If each rank has a link to each other one, chunks go straight to their owner: one step in place of n - 1. The owner
// adds up the chunks of all ranks, (n + 1) bytes/n through the memory (section 8.6.1).
// All-to-all sends (n-g)/n of its bytes through each rank's own NIC while (g-1)/n stay inside: the slower decides.
// All-reduce takes the fastest of ring, tree and, inside a switch that adds, in-switch. Two nodes with such switches
// add inside, and exchange bytes / g over each of their g adapters (NCCL's NVLSTree). 16 B300 with 16 x 400 Gb/s a node
// take 2.61 ms for 1 GiB, where a ring would take 4.4.
#include "operator_models/collective.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace operator_models {
namespace {

using hw_profiles::Tier;

/// Ranks below one domain of tier t, where the group does not say.
double ranks_inside(const Group& group, const std::vector<Tier>& network, size_t t) {
  double ranks = real(group.ranks);
  if (t < group.inside.size()) return std::clamp(real(group.inside[t]), 1.0, ranks);
  if (!group.inside.empty() || network[t].size == 0) return ranks;
  return std::min(ranks, real(network[t].size));
}

}  // namespace

bool adds_integers(const Collective& op) {
  return !op.in_switch && (op.kind == CollectiveKind::all_reduce || op.kind == CollectiveKind::reduce_scatter);
}

Path path_of(const Group& group, const std::vector<Tier>& network) {
  assert(!network.empty() && "a cluster has at least one network tier");
  Path path;
  path.ranks = real(group.ranks);
  path.inside = ranks_inside(group, network, 0);
  if (path.inside > 1) path.inner = &network[0];
  double below = path.inside;
  for (size_t t = 1; t < network.size() && below < path.ranks; ++t) {
    double here = ranks_inside(group, network, t);
    if (here <= below) continue;
    double bandwidth = network[t].bandwidth.value / network[t].oversubscription;
    path.outer_bandwidth = path.outer ? std::min(path.outer_bandwidth, bandwidth) : bandwidth;
    path.outer = &network[t];
    path.outer_index = t;
    below = here;
  }
  if (!path.inner && !path.outer) path.inner = &network[0];
  for (const Tier* crossed : {path.inner, path.outer})
    if (crossed) path.latency = std::max(path.latency, crossed->latency);
  if (path.inner && path.inner->wiring == hw_profiles::Wiring::fully_connected) {
    path.linked = !path.outer;
    const double size = real(path.inner->size), inside = path.outer ? path.inside : path.ranks;
    if (size > inside) path.links = (inside - 1) / (size - 1);
  }
  return path;
}

namespace {

/// Time of `traffic` bytes at `bandwidth`, slower for short messages.
double transfer(double traffic, double bytes, double bandwidth, double half_size) {
  return traffic / bandwidth * (1 + std::sqrt(half_size / bytes));
}

struct PathRates {
  const CollectiveCalibration* row = nullptr;  // of the outermost tier crossed
  double inner = 0, outer = 0;                 // bytes/s; 0: not crossed. outer: of one rank
};

/// Two ranks cannot keep every link busy: factor `pair`, fading with the square of the group.
double group_efficiency(const CollectiveCalibration& row, double ranks) {
  double fade = std::min(1.0, 4 / (ranks * ranks));
  return row.efficiency * (1 - (1 - row.pair) * fade);
}

PathRates rates_of(const Path& path, const Device& device, const Collective& op, double bandwidth_share) {
  PathRates r;
  const auto add = [&](size_t index, double bandwidth, double ranks) {
    r.row = &collective_row(device, index, part_of(op));
    return bandwidth * group_efficiency(*r.row, ranks) * bandwidth_share;
  };
  if (path.inner)
    r.inner = add(0, path.links * path.inner->bandwidth.value, path.inside > 1 ? path.inside : path.ranks);
  if (adds_integers(op) && path.inner) r.inner /= r.row->integers;
  if (path.outer) r.outer = add(path.outer_index, path.outer_bandwidth, path.ranks);
  if (path.outer && path.inner && r.row->inner_half_size.value > 0)
    r.inner /= 1 + std::sqrt(r.row->inner_half_size.value * path.ranks / (op.bytes.value * path.inside));
  return r;
}

double ring_bandwidth(const Path& path, const PathRates& r) {
  if (!path.outer) return r.inner;
  double through_nics = r.outer * std::min<double>(path.inside, r.row->adapters);
  if (!path.inner) return through_nics;
  double slower = std::min(r.inner, through_nics), faster = std::max(r.inner, through_nics), norm = r.row->join;
  const double ratio = slower / faster;
  if (norm == 4) return slower / std::sqrt(std::sqrt(1 + ratio * ratio * ratio * ratio));  // what most rows say
  return slower / std::pow(1 + std::pow(ratio, norm), 1 / norm);
}

/// A ring of one step where chunks go straight to their owner. A broadcast has no owners.
double steps_of(const Collective& op, const Path& path) {
  const bool straight = path.linked && op.kind != CollectiveKind::broadcast;
  return (straight ? 1 : path.ranks - 1) * (op.kind == CollectiveKind::all_reduce ? 2 : 1);
}

double ring(const Collective& op, const Path& path, const PathRates& r, const Device& device) {
  const double steps = steps_of(op, path);
  const double last = r.row->reduction > 0 ? last_reduction_seconds(op, *r.row, device) : 0;
  return last + r.row->base.value + steps * (r.row->step + path.latency).value +
         transfer(op.bytes.value * bus_factor(op.kind, path.ranks), op.bytes.value, ring_bandwidth(path, r),
                  r.row->half_size.value);
}

/// Inside a node over ranks, else over nodes.
double tree_levels(const Path& path) {
  const double leaves = path.outer ? path.ranks / path.inside : path.ranks;
  return 2 * std::ceil(std::log2(std::max(2.0, leaves)));
}

/// Up and down a binary tree over nodes (inside a node over ranks); every link carries the buffer twice, and
/// each level passes a chunk on before the next one can start.
double tree(const Collective& op, const Path& path, const PathRates& r) {
  const double levels = tree_levels(path);
  double chunk = r.row->tree_step.value / (1 + r.row->tree_chunk.value / op.bytes.value);
  return r.row->base.value + levels * (r.row->step.value + path.latency.value + chunk) +
         transfer(2 * op.bytes.value, op.bytes.value, ring_bandwidth(path, r), r.row->half_size.value);
}

/// The switch adds: each rank sends its buffer once. The row's efficiency is that of the ring's bus bandwidth.
double in_switch(const Collective& op, const Path& path, const CollectiveCalibration& row, double bandwidth_share) {
  double bandwidth = path.inner->bandwidth.value * row.efficiency * bandwidth_share;
  return row.base.value + 2 * path.latency.value +
         transfer(op.bytes.value * bus_factor(op.kind, path.ranks), op.bytes.value, bandwidth, row.half_size.value);
}

/// Whether the switch of a node adds for its ranks of the group.
bool adds_in_node(const Collective& op, const Path& path, const Device& device) {
  if (!path.inner || !op.in_switch || path.inner->reduction == hw_profiles::InNetwork::none) return false;
  return path.inside >= real(collective_row(device, 0, CollectivePart::in_switch).least_ranks);
}

bool adds_in_switch(const Collective& op, const Path& path, const Device& device) {
  return !path.outer && adds_in_node(op, path, device);
}

/// Two nodes whose switches add exchange their sums: each adapter carries its part once, where a ring carries it twice.
double two_nodes(const Collective& op, const Path& path, const PathRates& r, const Device& device, double share) {
  const CollectiveCalibration& row = collective_row(device, 0, CollectivePart::in_switch);
  Path node = path;
  node.ranks = path.inside;
  const double inner = in_switch(op, node, row, share), bytes = op.bytes.value, norm = r.row->join;
  const double outer =
      transfer(bytes, bytes, r.outer * std::min<double>(path.inside, r.row->adapters), r.row->half_size.value);
  return r.row->base.value + tree_levels(path) * (r.row->step + path.latency).value +
         std::pow(std::pow(inner, norm) + std::pow(outer, norm), 1 / norm);
}

double all_reduce(const Collective& op, const Path& path, const PathRates& r, const Device& device, double share) {
  double seconds = std::min(ring(op, path, r, device), tree(op, path, r));
  if (path.outer && path.ranks == 2 * path.inside && adds_in_node(op, path, device))
    return std::min(seconds, two_nodes(op, path, r, device, share));
  if (!adds_in_switch(op, path, device)) return seconds;
  return std::min(seconds, in_switch(op, path, collective_row(device, 0, CollectivePart::in_switch), share));
}

double all_to_all(const Collective& op, const Path& path, const PathRates& r) {
  double n = path.ranks, g = path.inner ? path.inside : 1, bytes = op.bytes.value;
  // One copy per node is spread inside it: then every byte that arrives travels once more.
  const double spread = op.crossing < 1 ? g : n;
  double inner =
      path.inner ? transfer(bytes * ((path.outer ? g : n) - 1) / spread, bytes, r.inner, r.row->half_size.value) : 0;
  double outer = path.outer ? transfer(op.crossing * bytes * (n - g) / n, bytes, r.outer, r.row->half_size.value) : 0;
  return r.row->base.value + (n - 1) * r.row->step.value + path.latency.value + std::max(inner, outer);
}

double seconds_of(const Collective& op, const Path& path, const PathRates& r, const Device& device, double share) {
  switch (op.kind) {
    case CollectiveKind::all_reduce:
      return all_reduce(op, path, r, device, share);
    case CollectiveKind::all_to_all:
      return all_to_all(op, path, r);
    default:
      return ring(op, path, r, device);
  }
}

}  // namespace

double last_reduction_seconds(const Collective& op, const CollectiveCalibration& row, const Device& device) {
  const bool adds = op.kind == CollectiveKind::reduce_scatter || op.kind == CollectiveKind::all_reduce;
  if (!adds || row.reduction <= 0) return 0;
  const double ranks = real(op.group.ranks), chunk = op.bytes.value / ranks;
  const double reads = goes_straight(op, device) ? ranks : 2;
  return (reads + 1) * chunk / (row.reduction * device.gpu->memory_bandwidth.value);
}

bool adds_everywhere(const Collective& op, const Device& device) {
  if (op.kind != CollectiveKind::all_reduce || op.group.ranks <= 1) return false;
  const Path path = path_of(op.group, *device.network);
  for (size_t t = path.inner ? 0 : path.outer_index; t <= path.outer_index; ++t)
    if ((*device.network)[t].reduction != hw_profiles::InNetwork::half_bytes) return false;
  return true;
}

bool goes_straight(const Collective& op, const Device& device) {
  if (op.kind == CollectiveKind::all_to_all) return true;
  return op.kind != CollectiveKind::broadcast && path_of(op.group, *device.network).linked;
}

double least_hops(const Collective& op, const Path& path, const Device& device) {
  if (op.kind == CollectiveKind::all_to_all) return 1;
  if (op.kind != CollectiveKind::all_reduce) return steps_of(op, path);
  return adds_in_switch(op, path, device) ? 2 : std::min(steps_of(op, path), tree_levels(path));
}

double alpha_beta_seconds(const Collective& op, const Path& path, const Device& device, const Share& share) {
  return seconds_of(op, path, rates_of(path, device, op, share.bandwidth), device, share.bandwidth);
}

void set_network_cost(Cost& c, const char* model, const CollectiveCalibration& row, double seconds, double bytes) {
  c.bound = Bound::network;
  set_source(c, model, row);
  c.launch = {std::min(row.base.value, seconds)};
  c.seconds = {seconds};
  c.bytes_read = c.bytes_written = bytes;
}

size_t tier_index(const SendRecv& op, const Device& device) {
  assert(!device.network->empty() && "a cluster has at least one network tier");
  return static_cast<size_t>(std::clamp<int64_t>(op.tier, 0, static_cast<int64_t>(device.network->size()) - 1));
}

const CollectiveCalibration& inside_row(const Collective& op, const Path& path, const Device& device) {
  const bool adds = op.kind == CollectiveKind::all_reduce && adds_in_switch(op, path, device);
  return collective_row(device, 0, adds ? CollectivePart::in_switch : part_of(op));
}

Cost collective_alpha_beta(const Collective& op, const Device& device, const Share& share) {
  Cost c;
  c.model = "alpha-beta";
  c.bound = Bound::network;
  if (op.group.ranks <= 1 || op.bytes.value <= 0) return c;
  const Path path = path_of(op.group, *device.network);
  const CollectiveCalibration& row = collective_row(device, path.outer ? path.outer_index : 0, part_of(op));
  set_network_cost(c, "alpha-beta", row, alpha_beta_seconds(op, path, device, share), op.bytes.value);
  return c;
}

// One message has one channel pair; to several peers a rank sends as in an all-to-all.
CollectivePart part_of(const SendRecv& op) {
  if (op.peers > 1) return CollectivePart::all_to_all;
  return op.along_rail ? CollectivePart::rail : CollectivePart::send_recv;
}

static const CollectiveCalibration& message_row(const SendRecv& op, const Device& device) {
  return collective_row(device, tier_index(op, device), part_of(op));
}

double message_seconds(const SendRecv& op, dsl::Seconds latency, const Device& device, const Share& share) {
  const Tier& tier = (*device.network)[tier_index(op, device)];
  const CollectiveCalibration& row = message_row(op, device);
  const double bandwidth = tier.bandwidth.value / tier.oversubscription * row.efficiency * share.bandwidth;
  return real(op.messages) * row.base.value + latency.value +
         transfer(op.bytes.value, op.bytes.value, bandwidth, row.half_size.value);
}

Cost send_recv(const SendRecv& op, const Device& device, const Share& share) {
  Cost c;
  c.model = "alpha-beta";
  c.bound = Bound::network;
  if (op.bytes.value <= 0) return c;
  const dsl::Seconds latency = (*device.network)[tier_index(op, device)].latency;
  set_network_cost(c, "alpha-beta", message_row(op, device), message_seconds(op, latency, device, share),
                   op.bytes.value);
  return c;
}

}  // namespace operator_models
