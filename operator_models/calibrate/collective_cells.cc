#include "operator_models/calibrate/collective_cells.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "operator_models/calibrate/score.h"
#include "operator_models/collective.h"

namespace operator_models {
namespace {

constexpr int64_t kLeastSwitchRanks = 3;     // NCCL's NVLS and its likes take no pairs
constexpr double kFar = 7, kLeastFar = 0.4;  // medians, and ln of a ratio, from which a sample is an outlier
constexpr size_t kMostOutliers = 8;
constexpr size_t kMostSamples = 400;

CollectivePart part_inside(const Collective& op, const Device& device) {
  const Path path = path_of(op.group, *device.network);
  // Without rows of their own both collectives read the same one: then the tier alone says what its switch adds.
  if (path.inner->reduction == hw_profiles::InNetwork::none) return part_of(op);
  const bool adds = &inside_row(op, path, device) == &collective_row(device, 0, CollectivePart::in_switch);
  return adds && op.kind == CollectiveKind::all_reduce ? CollectivePart::in_switch : part_of(op);
}

/// Seconds of the same message over the same ranks, by the type that is added.
struct MessagePair {
  std::vector<double> floats, integers;
};

double log_mean(const std::vector<double>& seconds) {
  double sum = 0;
  for (double s : seconds) sum += std::log(s);
  return sum / real(seconds.size());
}

std::map<double, MessagePair> pairs_of(const std::vector<const Sample*>& samples) {
  std::map<double, MessagePair> pairs;
  for (const Sample* s : samples) {
    MessagePair& pair = pairs[bytes_of(s->op)];
    (adds_integers(s->op) ? pair.integers : pair.floats).push_back(s->seconds);
  }
  return pairs;
}

}  // namespace

int64_t ranks_of(const Operator& op) {
  const auto* collective = std::get_if<Collective>(&op);
  return collective ? collective->group.ranks : 2;
}

double bytes_of(const Operator& op) {
  const auto* collective = std::get_if<Collective>(&op);
  return collective ? collective->bytes.value : std::get<SendRecv>(op).bytes.value;
}

CollectiveCell cell_of(const Sample& sample, const Device& device) {
  CollectiveCell cell;
  if (const auto* collective = std::get_if<Collective>(&sample.op)) {
    const Path path = path_of(collective->group, *device.network);
    cell.outer = path.outer != nullptr;
    cell.tier = cell.outer ? path.outer_index : 0;
    cell.part = cell.outer ? part_of(*collective) : part_inside(*collective, device);
  } else {
    const auto& message = std::get<SendRecv>(sample.op);
    cell.tier = tier_index(message, device);
    cell.part = part_of(message);
    cell.outer = cell.tier > 0;
  }
  cell.row = (*device.network)[cell.tier].name + "-" + name(cell.part);
  return cell;
}

std::vector<CollectiveCell> cells_of(const SampleSet& set, const Device& device) {
  std::vector<CollectiveCell> cells;
  for (const Sample& s : set.samples) {
    CollectiveCell mine = cell_of(s, device);
    auto found = std::find_if(cells.begin(), cells.end(),
                              [&](const CollectiveCell& c) { return c.row == mine.row && c.outer == mine.outer; });
    if (found == cells.end()) found = cells.insert(cells.end(), std::move(mine));
    found->groups[ranks_of(s.op)].push_back(&s);
  }
  // What leaves a node is fitted with the rates inside it, and a switch beside the ring that it competes with.
  std::stable_sort(cells.begin(), cells.end(), [](const CollectiveCell& a, const CollectiveCell& b) {
    return std::pair(a.outer, a.part) < std::pair(b.outer, b.part);
  });
  return cells;
}

CollectiveCalibration& own_row(Calibration& calibration, const CollectiveCell& cell, const Machine& machine) {
  Device device = device_of(machine, calibration);
  const CollectiveCalibration row = collective_row(device, cell.tier, cell.part);
  return calibration.collective.try_emplace(cell.row, row).first->second;
}

std::vector<double> cell_ratios(const CollectiveCell& cell, const Device& device, const ModelChoice& choice) {
  std::vector<double> logs;
  for (const auto& [ranks, samples] : cell.groups)
    for (size_t i = 0; i < samples.size(); i += samples.size() / kMostSamples + 1)
      logs.push_back(std::log(cost(samples[i]->op, device, choice).seconds.value / samples[i]->seconds));
  return logs;
}

Calibration with_switch_row(const Machine& machine) {
  Calibration calibration = machine.calibration;
  const hw_profiles::Tier& inner = machine.network.front();
  const std::string row = inner.name + "-" + name(CollectivePart::in_switch);
  if (inner.reduction == hw_profiles::InNetwork::none || calibration.collective.contains(row)) return calibration;
  CollectiveCalibration made = collective_row(device_of(machine, calibration), 0, CollectivePart::in_switch);
  made.least_ranks = kLeastSwitchRanks;
  calibration.collective[row] = made;
  return calibration;
}

std::function<bool(const Sample&)> covered_by(const SampleSet& set, const Machine& machine) {
  const Calibration calibration = with_switch_row(machine);
  std::map<std::pair<std::string, bool>, std::pair<int64_t, int64_t>> hulls;
  for (const CollectiveCell& cell : cells_of(set, device_of(machine, calibration)))
    hulls[{cell.row, cell.outer}] = {cell.groups.begin()->first, cell.groups.rbegin()->first};
  return [hulls, calibration, &machine](const Sample& s) {
    const CollectiveCell cell = cell_of(s, device_of(machine, calibration));
    const auto hull = hulls.find({cell.row, cell.outer});
    if (hull == hulls.end()) return false;
    return cell.outer || (ranks_of(s.op) >= hull->second.first && ranks_of(s.op) <= hull->second.second);
  };
}

std::vector<std::string> outliers(const SampleSet& set, const Device& device, const ModelChoice& choice) {
  const std::vector<double> seconds = predicted(set, device, choice);
  std::vector<double> logs;
  for (size_t i = 0; i < seconds.size(); ++i) logs.push_back(std::abs(std::log(seconds[i] / set.samples[i].seconds)));
  std::vector<double> sorted = logs;  // the inner half gives the usual range: an outlier does not widen it
  std::nth_element(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2), sorted.end());
  const double far = std::max(kFar * sorted[sorted.size() / 2], kLeastFar);
  std::vector<std::string> told;
  const auto count = std::count_if(logs.begin(), logs.end(), [&](double x) { return x >= far; });
  for (size_t i = 0; i < seconds.size() && told.size() < kMostOutliers; ++i) {
    const Sample& s = set.samples[i];
    if (logs[i] < far) continue;
    told.push_back(fmt::format("{}:{}: outlier: {} of {} B over {} took {:.4g} us, the fit says {:.4g} us",
                               s.place.source ? s.place.source->name : "", s.place.line, s.values[0], s.values[2],
                               s.values[1], 1e6 * s.seconds, 1e6 * seconds[i]));
  }
  if (count > static_cast<std::ptrdiff_t>(told.size())) told.push_back(fmt::format("{} outliers in all", count));
  return told;
}

bool adds_integers(const Operator& op) {
  const auto* collective = std::get_if<Collective>(&op);
  return collective && adds_integers(*collective);
}

std::optional<double> integer_factor(const CollectiveCell& cell) {
  double sum = 0, weight = 0;
  for (const auto& [ranks, samples] : cell.groups) {
    double least = 1e300;
    for (const Sample* s : samples) least = std::min(least, s->seconds);
    for (const auto& [bytes, pair] : pairs_of(samples)) {
      if (pair.floats.empty() || pair.integers.empty()) continue;
      const double whole = log_mean(pair.floats), grows = 1 - std::min(1.0, least / std::exp(whole));
      sum += grows * (log_mean(pair.integers) - whole);
      weight += grows * grows;
    }
  }
  return weight > 0 ? std::optional(std::exp(sum / weight)) : std::nullopt;
}

}  // namespace operator_models
