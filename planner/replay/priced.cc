#include "planner/replay/priced.h"

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

}  // namespace planner::replay
