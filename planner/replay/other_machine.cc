#include "planner/replay/other_machine.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "dsl/enum_words.h"
#include "operator_models/collective.h"
#include "planner/replay/kernel_shapes.h"
#include "planner/replay/priced_collectives.h"

namespace planner::replay {
namespace {

using operator_models::Provenance;

struct TimeFactor {
  double factor = 1;
  Basis basis = Basis::kept;
  bool modelled = false;  // by the operator models
};
/// Time there over time here of two rates, of which the larger is the faster.
TimeFactor by_rates(double here, double there) {
  return here > 0 && there > 0 ? TimeFactor{here / there, Basis::assumed} : TimeFactor{};
}
/// The same of two times of the models.
TimeFactor by_models(double here, Provenance from, double there, Provenance to) {
  const bool measured = from != Provenance::assumed && to != Provenance::assumed;
  return {there / here, measured ? Basis::shapes : Basis::assumed, true};
}

/// The bytes per second that a rank of the group sends with at most.
double network_rate(const operator_models::Group& group, const Site& site) {
  if (site.machine->network.empty()) return 0;
  const operator_models::Path path = operator_models::path_of(group, site.machine->network);
  return path.outer ? path.outer_bandwidth : path.inner->bandwidth.value;
}

double link_rate(const operator_models::Machine& machine) {
  return machine.host.bandwidth.value * machine.calibration.host.copy_efficiency;
}

/// The two machines, and their predictions for a piece of work.
class Rescaler {
 public:
  Rescaler(const Site& from, const Site& to)
      : from_(from), to_(to), here_(device_of(*from.machine)), there_(device_of(*to.machine)) {}

  TimeFactor of_kernel(KernelWork work, const KernelShapes& shapes, size_t event, std::string_view name) const {
    const bool same = from_.machine == to_.machine;
    if (same) return {};
    const bool multiplies = work == KernelWork::matrix || work == KernelWork::attention;
    if (const auto shaped = multiplies ? shapes.of(event) : std::nullopt) {
      const operator_models::Cost here = operator_models::cost(shaped->op, here_),
                                  there = operator_models::cost(shaped->op, there_);
      if (here.seconds.value > 0 && there.seconds.value > 0)
        return by_models(here.seconds.value, here.provenance, there.seconds.value, there.provenance);
    }
    const auto rate = [&](const operator_models::Machine& machine) {
      if (work == KernelWork::host_copy) return link_rate(machine);
      const double memory = machine.gpu.memory_bandwidth.value * machine.gpu.speedup;
      if (work == KernelWork::vector)
        return memory * operator_models::vector_row(machine.calibration, "elementwise").efficiency;
      if (!multiplies) return work == KernelWork::peer_copy ? 0.0 : memory;
      return operator_models::matrix_peak(machine.gpu, precision_of_kernel(name)).peak.value * machine.gpu.speedup;
    };
    return by_rates(rate(*from_.machine), rate(*to_.machine));
  }

  /// What an empty kernel takes is not scaled: it is that of each machine. A shorter one is as empty on both.
  void take_off_empty(Rescaled& kernel) const {
    const int64_t here = empty_ns(here_), empty = std::min(kernel.took_ns, here);
    kernel.changing_ns -= empty;
    kernel.added_ns = here > 0 ? empty * (empty_ns(there_) - here) / here : empty_ns(there_);
  }

  /// `predicted_ns`: here; -1: it is not predicted.
  TimeFactor of_collective(const trace::Collective& collective, const trace::Trace& trace,
                           int64_t& predicted_ns) const {
    const auto here = predicted_time(operator_of(collective, trace, from_), here_);
    const auto there = predicted_time(operator_of(collective, trace, to_), there_);
    const bool both = here && there && here->seconds > 0;
    predicted_ns = both ? std::llround(here->seconds * 1e9) : -1;
    if (both) return by_models(here->seconds, here->provenance, there->seconds, there->provenance);
    return by_rates(network_rate(group_of(collective, trace, from_), from_),
                    network_rate(group_of(collective, trace, to_), to_));
  }

 private:
  static int64_t empty_ns(const operator_models::Device& device) {
    return std::llround(device.calibration->empty_kernel.value * 1e9);
  }

  const Site &from_, &to_;
  const operator_models::Device here_, there_;
};

std::vector<Rescaled> rescale_kernels(const trace::RankTrace& rank, const Rescaler& rescaler) {
  const KernelShapes shapes(rank);
  std::vector<Rescaled> events(rank.events.size());
  for (size_t i = 0; i < rank.events.size(); ++i) {
    const trace::Event& event = rank.events[i];
    if (!trace::is_on_device(event.kind)) continue;
    const KernelWork work = work_of(event, rank.name(event));
    if (work == KernelWork::collective) {  // of no group: it is kept
      events[i] = {.work = work, .took_ns = event.duration_ns, .changing_ns = event.duration_ns};
      continue;
    }
    const TimeFactor factor = rescaler.of_kernel(work, shapes, i, rank.name(event));
    events[i] = {work, factor.basis, factor.factor, event.duration_ns, event.duration_ns};
    if (event.role == trace::Role::compute && !factor.modelled) rescaler.take_off_empty(events[i]);
  }
  return events;
}

}  // namespace

const char* name_of(Basis basis) { return dsl::word_of(basis); }

OtherMachine rescale(const trace::Trace& trace, const trace::Matched& matched, const Site& from, const Site& to) {
  const Rescaler rescaler(from, to);
  OtherMachine other;
  for (const trace::RankTrace& rank : trace) other.events.push_back(rescale_kernels(rank, rescaler));
  for (const trace::Collective& collective : matched.collectives) {
    int64_t predicted_ns = -1;
    const TimeFactor factor = rescaler.of_collective(collective, trace, predicted_ns);
    other.transfers.push_back(factor.factor);
    const bool alone = collective.parts.size() == 1 && predicted_ns >= 0;
    for (const trace::Collective::Part& part : collective.parts) {
      const int64_t took = trace[part.rank].events[part.event].duration_ns - part.wait_ns;
      other.events[part.rank][part.event] = {KernelWork::collective, factor.basis, factor.factor, took,
                                             alone ? std::min(took, predicted_ns) : took};
      if (part.push == trace::kNone) continue;
      const int64_t pushed = trace[part.rank].events[part.push].duration_ns;
      other.events[part.rank][part.push] = {KernelWork::collective, factor.basis, factor.factor, pushed, pushed};
    }
  }
  return other;
}

void apply(const OtherMachine& other, Replayed& replayed) {
  for (size_t r = 0; r < other.events.size(); ++r)
    for (size_t i = 0; i < other.events[r].size(); ++i) {
      const Rescaled& event = other.events[r][i];
      const EventNodes& nodes = replayed.events[r][i];
      if (event.took_ns <= 0 || nodes.first == Run::kNone || nodes.first != nodes.last) continue;
      int64_t& duration = replayed.graph.nodes[nodes.first].duration_ns;
      duration =
          std::llround(static_cast<double>(duration) * (event.becomes_ns() / static_cast<double>(event.took_ns)));
    }
  for (const Transfer& transfer : replayed.transfers) {
    int64_t& lag = replayed.graph.edges[transfer.edge].lag_ns;
    lag = std::llround(static_cast<double>(lag) * other.transfers[transfer.collective]);
  }
}

std::vector<WorkShare> shares_of(const OtherMachine& other) {
  std::map<std::pair<KernelWork, Basis>, WorkShare> shares;
  for (const std::vector<Rescaled>& rank : other.events)
    for (const Rescaled& event : rank) {
      if (event.took_ns <= 0) continue;
      WorkShare& share = shares[{event.work, event.basis}];
      share.work = event.work;
      share.basis = event.basis;
      ++share.events;
      share.took_ns += static_cast<double>(event.took_ns);
      share.becomes_ns += event.becomes_ns();
    }
  std::vector<WorkShare> all;
  for (const auto& [key, share] : shares) all.push_back(share);
  return all;
}

}  // namespace planner::replay
