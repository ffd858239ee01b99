// Shared by the models of collectives: the path of a group's messages, and their alpha-beta times.
#pragma once

#include "operator_models/models.h"

namespace operator_models {

/// The path of a group: `inner` ranks in its innermost domain, `outer` the last tier it crosses.
struct Path {
  const hw_profiles::Tier* inner = nullptr;  // null: no two ranks share an innermost domain
  const hw_profiles::Tier* outer = nullptr;  // null: the group stays inside one innermost domain
  size_t outer_index = 0;                    // of `outer` in the network
  double ranks = 1, inside = 1;
  double outer_bandwidth = 0;  // of one rank's NIC, the slowest tier crossed
  dsl::Seconds latency;        // the longest hop: all steps of a ring wait for it
  bool linked = false;         // each rank has a link to each other one (hw_profiles::Wiring)
  double links = 1;            // part of the inner tier's links that lead to ranks of the group
};
Path path_of(const Group& group, const std::vector<hw_profiles::Tier>& network);

/// Whether all switches on the way of an all-reduce add (InNetwork::half_bytes).
bool adds_everywhere(const Collective& op, const Device& device);

/// Whether each part goes straight to the rank that owns it: an exchange, and sums and gathers where each rank has a
/// link to each other one.
bool goes_straight(const Collective& op, const Device& device);

/// Whether the ranks add integers: below 16 bits twice the additions of a byte, and none in a switch.
bool adds_integers(const Collective& op);

/// Seconds of model alpha-beta. REQUIRES: two ranks or more, bytes above zero.
double alpha_beta_seconds(const Collective& op, const Path& path, const Device& device, const Share& share);

/// Seconds in which a rank adds up the last chunk of a reduce-scatter or of the first half of an all-reduce, if the row
/// separates them: bytes / ranks read twice and written once. If all ranks send straight to the owner, one read from
/// each rank.
double last_reduction_seconds(const Collective& op, const CollectiveCalibration& row, const Device& device);

/// Hops that a smallest message waits for, by the algorithm that has the fewest.
double least_hops(const Collective& op, const Path& path, const Device& device);

/// The row of a message to one peer, or to several, which is sent as in an all-to-all.
CollectivePart part_of(const SendRecv& op);

/// Seconds of one message by model alpha-beta, on a tier of that latency. REQUIRES: bytes above zero.
double message_seconds(const SendRecv& op, dsl::Seconds latency, const Device& device, const Share& share);

/// Fills in the row and the time of a network operator's cost.
void set_network_cost(Cost& c, const char* model, const CollectiveCalibration& row, double seconds, double bytes);

/// The tier of a message; a message beyond the network crosses its last tier.
size_t tier_index(const SendRecv& op, const Device& device);

/// The row whose measured times price a group inside one innermost domain: where the switch adds, that of the switch.
const CollectiveCalibration& inside_row(const Collective& op, const Path& path, const Device& device);

/// Position of a number of ranks in an ascending list of measured ones.
struct RankNeighbours {
  size_t below = 0, above = 0;  // the same at, below and above a measured one
  double weight = 0;            // of `above`, by the logarithm of the ranks
  bool outside = false;
};
/// REQUIRES: at least one rank in the list.
RankNeighbours between(const std::vector<int64_t>& ranks, double n);

/// The eight numbers of a curve of Lin et al. (2024), section IV-A, in the order of the calibration's field `region`.
struct CollectiveCurve {
  double latency = 0;                                       // us: all messages up to 2^first bytes
  double first = 0, last = 0;                               // log2 of the boundaries in bytes
  double height = 0, middle = 0, steepness = 0, floor = 0;  // L, x0, k, b: log10 of bytes per us over log2 of bytes
  double bandwidth = 1;                                     // GB/s of large messages
};
inline constexpr size_t kRegionNumbers = 8;

/// Microseconds; continuous and non-decreasing in bytes. REQUIRES: first <= last, positive bandwidth and bytes.
double region_us(const CollectiveCurve& r, double bytes);
/// Curve number `i` of a row.
CollectiveCurve region_of(const CollectiveCalibration& row, size_t i);

/// Whether the row holds a table, or curves, of the right shape.
bool has_table(const CollectiveCalibration& row);
bool has_regions(const CollectiveCalibration& row);
/// A group's microseconds at a message, linear between two sizes; beyond the last one, those of the last one.
/// REQUIRES: has_table(row).
double table_us(const CollectiveCalibration& row, size_t group, double bytes);
/// The table's last message. REQUIRES: has_table(row).
double last_bytes(const CollectiveCalibration& row);

}  // namespace operator_models
