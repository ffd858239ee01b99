#include "planner/replay/priced.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "operator_models/models.h"

namespace planner::replay {

Priced price(const trace::Trace& trace, const trace::Matched& matched, const Site& from, const Site* to) {
  Priced priced;
  const operator_models::Device device = device_of(*from.machine);
  for (const trace::Collective& collective : matched.collectives) {
    const TypedCollective typed = operator_of(collective, trace, from);
    const std::optional<CollectiveTime> time = predicted_time(typed, device);
    priced.collectives.push_back({time ? std::optional(time->seconds) : std::nullopt, typed.missing});
  }
  if (to) priced.other = rescale(trace, matched, from, *to);
  return priced;
}

PredictedSum sum_of(const Priced& priced, const trace::Matched& matched) {
  PredictedSum sum;
  for (size_t i = 0; i < priced.collectives.size(); ++i) {
    const std::optional<double> predicted = priced.collectives[i].seconds;
    if (!predicted) continue;
    const trace::Collective& collective = matched.collectives[i];
    const double measured = static_cast<double>(collective.transfer_ns) * 1e-9;
    ++sum.count;
    sum.alone += collective.parts.size() == 1 && collective.group_size != 1;
    sum.within += *predicted <= kWithin * measured && measured <= kWithin * *predicted;
    sum.measured_seconds += measured;
    sum.predicted_seconds += *predicted;
  }
  return sum;
}

namespace {

/// A sum, and of those whose rate is known what crossed the bus in which time.
struct CollectiveCount {
  CollectiveSum sum;
  double bus_bytes = 0;
  int64_t bus_ns = 0;
};

void add(const trace::Collective& collective, const SizedCollective& sized, CollectiveCount& counted) {
  CollectiveSum& sum = counted.sum;
  ++sum.count;
  sum.transfer_ns += collective.transfer_ns;
  sum.longest_wait_ns =
      std::max(sum.longest_wait_ns, std::ranges::max(collective.parts, {}, &trace::Collective::Part::wait_ns).wait_ns);
  if (collective.bytes >= 0) sum.bytes = sum.bytes.value_or(0) + static_cast<double>(collective.bytes);
  if (!sized.missing.empty() || collective.transfer_ns <= 0) return;
  const double factor = sized.model ? operator_models::bus_factor(*sized.model, static_cast<double>(sized.ranks)) : 1;
  counted.bus_bytes += sized.bytes * factor;
  counted.bus_ns += collective.transfer_ns;
}

}  // namespace

std::vector<CollectiveSum> collective_sums(const trace::Trace& trace, const trace::Matched& matched,
                                           const Priced& priced) {
  std::map<std::pair<std::string, int64_t>, CollectiveCount> all;
  for (size_t i = 0; i < matched.collectives.size(); ++i) {
    const trace::Collective& collective = matched.collectives[i];
    const SizedCollective sized = sized_of(collective, trace);
    CollectiveCount& counted = all[{collective.name, sized.ranks}];
    add(collective, sized, counted);
    if (i < priced.collectives.size() && priced.collectives[i].seconds)
      counted.sum.predicted_seconds = counted.sum.predicted_seconds.value_or(0) + *priced.collectives[i].seconds;
  }
  std::vector<CollectiveSum> sums;
  for (auto& [key, counted] : all) {
    counted.sum.name = key.first;
    counted.sum.ranks = key.second;
    if (counted.bus_ns > 0)
      counted.sum.bus_bandwidth = counted.bus_bytes / (static_cast<double>(counted.bus_ns) * 1e-9);
    sums.push_back(std::move(counted.sum));
  }
  std::ranges::stable_sort(sums, std::greater(), &CollectiveSum::transfer_ns);
  return sums;
}

}  // namespace planner::replay
