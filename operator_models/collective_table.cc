// Collectives inside one domain of a network as they were measured.
//
//     t(m, n)      linear in bytes between two sizes of the table (what alpha + beta * m gives exactly), and linear in
//                  log n between two groups (of an all-to-all over 2, 4, 16 and 64 GPUs of an NVL72 the inner two come
//                  out 8.6 % off; over nccl-tests' bus factors 24 %, their logarithms 11 %)
//     m outside    t of the table's nearest size, times the growth that alpha-beta gives
//     n outside    the nearest group's latency plus alpha-beta's difference of latencies; what grows with the message
//                  times the ratio of alpha-beta's growth
//                  (alpha-beta at the measured bandwidth in both: a faster tier changes nothing about the latency)
//     bandwidth    what grows with the message scales as measured bandwidth / (tier bandwidth * share)
//     integers     what grows with the message takes `integers` times as long where the ranks add them
//     latency      of a smallest message: more by what the tier's hops are longer than the measured ones, of as many
//                  hops as the algorithm with the fewest has
//
// Each step keeps t non-decreasing in m, and in the latency. Groups that leave the domain, and rows without a table:
// alpha-beta.
#include <algorithm>
#include <cmath>

#include "operator_models/collective.h"

namespace operator_models {
namespace {

constexpr double kMicro = 1e-6, kCurveEnd = 1e12;  // bytes: curves have no last message

/// REQUIRES: 0 <= octave.
double power_of_two(int64_t octave) {
  return octave < 63 ? real(int64_t{1} << octave) : std::ldexp(1.0, static_cast<int>(octave));
}

/// Messages that the rows of a table or a curve hold.
struct MessageSizes {
  double first = 1, last = kCurveEnd;
};

/// Growth of alpha-beta from the nearest message that was measured to this one.
template <class Curve> double beyond(const Curve& alpha_beta, const MessageSizes& sizes, double bytes, double ranks) {
  const double nearest = std::clamp(bytes, sizes.first, sizes.last);
  return bytes == nearest ? 1 : alpha_beta(bytes, ranks) / alpha_beta(nearest, ranks);
}

/// Latency and growth of a group that was not measured, from the nearest one that was.
struct GroupGrowth {
  double latency = 0, growth = 1;
};
template <class Curve> GroupGrowth continued(const Curve& alpha_beta, double last, double from, double to) {
  const double small_from = alpha_beta(1, from), small_to = alpha_beta(1, to);
  return {small_to - small_from, (alpha_beta(last, to) - small_to) / (alpha_beta(last, from) - small_from)};
}

/// `curve(i)`: seconds of the row's group i.
template <class Curve> double between_groups(const RankNeighbours& b, const Curve& curve) {
  if (b.below == b.above) return curve(b.below);
  return curve(b.below) * (1 - b.weight) + curve(b.above) * b.weight;
}

/// The latency of a smallest message if each of its hops takes `longer` more.
double with_hops(double latency, double hops, dsl::Seconds longer) {
  return std::max(0.0, latency + hops * longer.value);
}

dsl::Seconds measured_latency(const CollectiveCalibration& row, dsl::Seconds tier) {
  return row.measured_latency.value > 0 ? row.measured_latency : tier;
}

/// The bandwidth that a row was measured with over that of a tier.
double share_of_tier(const CollectiveCalibration& row, double bandwidth) {
  return row.measured_bandwidth.value > 0 ? row.measured_bandwidth.value / bandwidth : 1;
}

/// A row's measured curve at n ranks; `measured(i, bytes)`: microseconds of the row's group i, inside its sizes.
template <class Measured> double measured_seconds(const Collective& op, const Path& path, const Device& device,
                                                  const Share& share, const std::vector<int64_t>& ranks,
                                                  const MessageSizes& sizes, const CollectiveCalibration& row,
                                                  const Measured& measured) {
  const double n = path.ranks;
  const RankNeighbours b = between(ranks, n);
  const double nearest = b.outside ? real(ranks[b.below]) : n;
  const double tier = path.inner->bandwidth.value, measured_share = share_of_tier(row, tier);
  Path then = path;
  then.latency = measured_latency(row, path.latency);
  const auto alpha_beta = [&](double m, double group) {
    Collective other = op;
    other.bytes = {m};
    Path there = then;
    there.ranks = there.inside = group;
    return alpha_beta_seconds(other, there, device, {.bandwidth = measured_share});
  };
  const auto at = [&](double m) {
    const double inside = std::clamp(m, sizes.first, sizes.last);
    return kMicro * beyond(alpha_beta, sizes, m, nearest) *
           between_groups(b, [&](size_t i) { return measured(i, inside); });
  };
  const double slower = measured_share / share.bandwidth * (adds_integers(op) ? row.integers : 1);
  const double seconds = at(op.bytes.value);
  if (slower == 1 && !b.outside && then.latency == path.latency) return seconds;
  const double small = at(1);
  const GroupGrowth c = b.outside ? continued(alpha_beta, sizes.last, nearest, n) : GroupGrowth{};
  const double latency = std::max(0.0, small + c.latency);
  return with_hops(latency, least_hops(op, path, device), path.latency - then.latency) +
         (seconds - small) * slower * c.growth;
}

Provenance provenance_of(const CollectiveCalibration& row, const std::vector<int64_t>& ranks, const Path& path,
                         bool beyond_sizes) {
  if (row.provenance == Provenance::assumed || row.provenance == Provenance::datasheet) return row.provenance;
  return beyond_sizes || between(ranks, path.ranks).outside ? Provenance::extrapolated : row.provenance;
}

/// A message between two ranks has one curve, whatever group the row says.
template <class Measured> double measured_message(const SendRecv& op, const Device& device, const Share& share,
                                                  const MessageSizes& sizes, const CollectiveCalibration& row,
                                                  const Measured& measured) {
  const hw_profiles::Tier& tier = (*device.network)[tier_index(op, device)];
  const dsl::Seconds then = measured_latency(row, tier.latency);
  const double measured_share = share_of_tier(row, tier.bandwidth.value / tier.oversubscription);
  const auto alpha_beta = [&](double m, double) {
    return message_seconds({.bytes = {m}, .tier = op.tier, .along_rail = op.along_rail}, then, device,
                           {.bandwidth = measured_share});
  };
  const auto at = [&](double m) {
    return kMicro * beyond(alpha_beta, sizes, m, 2) * measured(std::clamp(m, sizes.first, sizes.last));
  };
  const double slower = measured_share / share.bandwidth, seconds = at(op.bytes.value);
  if (slower == 1 && then == tier.latency) return seconds;
  return with_hops(at(1), 1, tier.latency - then) + (seconds - at(1)) * slower;
}

MessageSizes sizes_of(const CollectiveCalibration& row) { return {power_of_two(row.table_octave), last_bytes(row)}; }

bool nothing(const Collective& op) { return op.group.ranks <= 1 || op.bytes.value <= 0; }

}  // namespace

bool has_table(const CollectiveCalibration& row) {
  const size_t groups = row.table_ranks.size();
  return groups > 0 && row.table_us.size() >= 2 * groups && row.table_us.size() % groups == 0;
}

bool has_regions(const CollectiveCalibration& row) {
  return !row.region_ranks.empty() && row.region.size() == kRegionNumbers * row.region_ranks.size();
}

double last_bytes(const CollectiveCalibration& row) {
  return power_of_two(row.table_octave + static_cast<int64_t>(row.table_us.size() / row.table_ranks.size()) - 1);
}

double table_us(const CollectiveCalibration& row, size_t group, double bytes) {
  const size_t sizes = row.table_us.size() / row.table_ranks.size();
  const double* us = &row.table_us[group * sizes];
  const int octave = std::ilogb(bytes), first = static_cast<int>(row.table_octave);
  if (octave < first) return us[0];
  const size_t below = static_cast<size_t>(octave - first);
  if (below + 1 >= sizes) return us[sizes - 1];
  const double over = bytes / power_of_two(octave) - 1;
  return us[below] + over * (us[below + 1] - us[below]);
}

RankNeighbours between(const std::vector<int64_t>& ranks, double n) {
  const size_t last = ranks.size() - 1;
  if (n <= real(ranks[0])) return {0, 0, 0, n < real(ranks[0])};
  if (n >= real(ranks[last])) return {last, last, 0, n > real(ranks[last])};
  size_t above = 1;
  while (real(ranks[above]) < n) ++above;
  const double to = real(ranks[above]), from = real(ranks[above - 1]);
  if (to == n) return {above, above, 0, false};
  return {above - 1, above, std::log(n / from) / std::log(to / from), false};
}

Cost collective_table(const Collective& op, const Device& device, const Share& share) {
  if (nothing(op)) return collective_alpha_beta(op, device, share);
  const Path path = path_of(op.group, *device.network);
  if (path.outer) return collective_alpha_beta(op, device, share);
  const CollectiveCalibration& row = inside_row(op, path, device);
  if (!has_table(row)) return collective_alpha_beta(op, device, share);
  const MessageSizes sizes = sizes_of(row);
  const double seconds = measured_seconds(op, path, device, share, row.table_ranks, sizes, row,
                                          [&](size_t i, double m) { return table_us(row, i, m); });
  Cost c;
  set_network_cost(c, "table", row, seconds, op.bytes.value);
  c.provenance =
      provenance_of(row, row.table_ranks, path, op.bytes.value > sizes.last || 2 * op.bytes.value < sizes.first);
  return c;
}

Cost send_recv_table(const SendRecv& op, const Device& device, const Share& share) {
  const CollectiveCalibration& row = collective_row(device, tier_index(op, device), part_of(op));
  if (op.peers > 1 || op.messages > 1 || op.bytes.value <= 0 || !has_table(row)) return send_recv(op, device, share);
  const double seconds =
      measured_message(op, device, share, sizes_of(row), row, [&](double m) { return table_us(row, 0, m); });
  Cost c;
  set_network_cost(c, "table", row, seconds, op.bytes.value);
  return c;
}

Cost collective_three_region(const Collective& op, const Device& device, const Share& share) {
  if (nothing(op)) return collective_alpha_beta(op, device, share);
  const Path path = path_of(op.group, *device.network);
  if (path.outer) return collective_alpha_beta(op, device, share);
  const CollectiveCalibration& row = inside_row(op, path, device);
  if (!has_regions(row)) return collective_alpha_beta(op, device, share);
  const double seconds = measured_seconds(op, path, device, share, row.region_ranks, {}, row,
                                          [&](size_t i, double m) { return region_us(region_of(row, i), m); });
  Cost c;
  set_network_cost(c, "three_region", row, seconds, op.bytes.value);
  c.provenance = provenance_of(row, row.region_ranks, path, false);
  return c;
}

Cost send_recv_three_region(const SendRecv& op, const Device& device, const Share& share) {
  const CollectiveCalibration& row = collective_row(device, tier_index(op, device), part_of(op));
  if (op.peers > 1 || op.messages > 1 || op.bytes.value <= 0 || !has_regions(row)) return send_recv(op, device, share);
  const double seconds =
      measured_message(op, device, share, {}, row, [&](double m) { return region_us(region_of(row, 0), m); });
  Cost c;
  set_network_cost(c, "three_region", row, seconds, op.bytes.value);
  return c;
}

}  // namespace operator_models
