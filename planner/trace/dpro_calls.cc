#include "planner/trace/dpro_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <optional>
#include <utility>

#include "planner/trace/busy.h"

namespace planner::trace::dpro {
namespace {

/// A step by the begin of its first operator.
struct StepBegin {
  int64_t begin_ns = 0, number = -1;
};

std::vector<StepBegin> steps_of(const std::vector<DeviceEvent>& devices) {
  std::map<int64_t, int64_t> begins;
  for (const DeviceEvent& each : devices) {
    if (each.step < 0) continue;
    const auto [at, is_new] = begins.try_emplace(each.step, each.event.start_ns);
    at->second = std::min(at->second, each.event.start_ns);
  }
  std::vector<StepBegin> steps;
  for (const auto& [number, begin] : begins) steps.push_back({begin, number});
  std::ranges::stable_sort(steps, {}, &StepBegin::begin_ns);
  return steps;
}

/// Finds what ended last before a moment.
class EventEnds {
 public:
  explicit EventEnds(const std::vector<DeviceEvent>& devices) {
    for (uint32_t i = 0; i < devices.size(); ++i)
      by_role_[static_cast<size_t>(devices[i].event.role)].emplace_back(devices[i].event.end_ns(), i);
    for (auto& list : by_role_) std::ranges::sort(list);
  }

  std::optional<uint32_t> before(const DeviceEvent& each) const {
    std::pair<int64_t, uint32_t> best{std::numeric_limits<int64_t>::min(), kNone};
    for (const Role role : {Role::compute, Role::memory, Role::communication})
      if (waits_for(each, role)) best = std::max(best, last(by_role_[static_cast<size_t>(role)], each.event.start_ns));
    return best.second == kNone ? std::nullopt : std::optional(best.second);
  }

 private:
  using List = std::vector<std::pair<int64_t, uint32_t>>;  // ends and events

  static bool waits_for(const DeviceEvent& each, Role role) {
    if (each.waits == DeviceWait::work) return role != Role::communication;
    if (each.waits == DeviceWait::communication) return role != Role::compute;
    return each.waits == DeviceWait::others && role != each.event.role;
  }
  static std::pair<int64_t, uint32_t> last(const List& list, int64_t at) {
    const auto behind = std::ranges::upper_bound(list, std::pair(at, kNone));
    return behind == list.begin() ? std::pair(std::numeric_limits<int64_t>::min(), kNone) : *(behind - 1);
  }
  std::array<List, 3> by_role_;
};

/// Writes the calls of a rank in order.
class HostCalls {
 public:
  HostCalls(std::vector<DeviceEvent> devices, RankTrace& trace)
      : devices_(std::move(devices)), trace_(trace), steps_(steps_of(devices_)), ended_(devices_) {}

  void launch() {
    place();
    mark();
    std::vector<bool> recorded(devices_.size());
    for (const uint32_t i : order_)
      if (const auto source = source_of(i)) recorded[*source] = true;
    for (size_t at = 0; at < order_.size(); ++at) {
      const uint32_t i = order_[at];
      if (const auto source = source_of(i)) wait(i, *source);
      call("cudaLaunchKernel", i, numbers(i).launch);
      if (recorded[i]) call("cudaEventRecord", i, numbers(i).record);
      devices_[i].event.correlation = numbers(i).launch;
      trace_.events.push_back(devices_[i].event);
      const bool last = at + 1 == order_.size() || step_[order_[at + 1]] != step_[i];
      if (last) wait_for_step(step_[i]);
    }
  }

 private:
  /// Of the three calls that an event may have.
  struct CallNumbers {
    int64_t launch, record, wait;
  };
  static CallNumbers numbers(uint32_t i) { return {int64_t{3} * i, int64_t{3} * i + 1, int64_t{3} * i + 2}; }

  // Which step each event is of, and the order in which they are launched.
  void place() {
    if (steps_.empty() && !devices_.empty())
      steps_.push_back({std::ranges::min_element(devices_, {}, start_of)->event.start_ns, -1});
    std::map<int64_t, size_t> by_number;
    for (size_t s = 0; s < steps_.size(); ++s) by_number[steps_[s].number] = s;
    for (const DeviceEvent& each : devices_) {
      const auto said = by_number.find(each.step);
      const auto behind = std::ranges::upper_bound(steps_, each.event.start_ns, {}, &StepBegin::begin_ns);
      const auto in_time = static_cast<size_t>(std::max<std::ptrdiff_t>(0, behind - steps_.begin() - 1));
      step_.push_back(each.step >= 0 && said != by_number.end() ? said->second : in_time);
      order_.push_back(static_cast<uint32_t>(order_.size()));
    }
    done_.assign(steps_.size(), std::numeric_limits<int64_t>::min());
    for (size_t i = 0; i < devices_.size(); ++i)
      done_[step_[i]] = std::max(done_[step_[i]], devices_[i].event.end_ns());
    std::ranges::stable_sort(order_, {}, [&](uint32_t i) { return std::pair(step_[i], start_of(devices_[i])); });
    for (size_t at = 0; at < order_.size(); ++at) place_of_[order_[at]] = at;
  }
  static int64_t start_of(const DeviceEvent& each) { return each.event.start_ns; }

  // Where the next step begins; of the last where its work is done.
  int64_t end_of(size_t step) const { return step + 1 < steps_.size() ? steps_[step + 1].begin_ns : done_[step]; }

  void mark() {
    for (size_t s = 0; s < steps_.size(); ++s)
      if (steps_[s].number >= 0)
        add(EventKind::annotation, fmt::format("ProfilerStep#{}", steps_[s].number), {steps_[s].begin_ns, end_of(s)},
            -1);
  }

  // What an event waits for, if that was launched before it on another stream.
  std::optional<uint32_t> source_of(uint32_t i) const {
    const auto source = ended_.before(devices_[i]);
    const bool good =
        source && place_of_.at(*source) < place_of_.at(i) && devices_[*source].event.lane != devices_[i].event.lane;
    return good ? source : std::nullopt;
  }

  void wait(uint32_t i, uint32_t source) {
    call("cudaStreamWaitEvent", i, numbers(i).wait);
    Event& said = add(EventKind::sync, "Stream Wait Event", {launched_ns(i), launched_ns(i)}, numbers(i).wait);
    said.lane = devices_[i].event.lane;
    said.detail = trace_.add(
        {.wait_on_stream = trace_.lanes[devices_[source].event.lane].thread, .wait_on_record = numbers(source).record});
  }

  // A step that ends after the next one has begun does not hold the host.
  void wait_for_step(size_t step) {
    const int64_t begin = steps_[step].begin_ns + 1;
    if (done_[step] <= end_of(step) && done_[step] > begin)
      add(EventKind::runtime, "cudaDeviceSynchronize", {begin, done_[step]}, -1);
  }

  int64_t launched_ns(uint32_t i) const { return std::min(steps_[step_[i]].begin_ns, devices_[i].event.start_ns); }
  void call(const char* name, uint32_t i, int64_t number) {
    add(EventKind::runtime, name, {launched_ns(i), launched_ns(i)}, number);
  }
  Event& add(EventKind kind, std::string_view name, TimeInterval time, int64_t correlation) {
    return trace_.events.emplace_back(Event{.start_ns = time.begin_ns,
                                            .duration_ns = time.end_ns - time.begin_ns,
                                            .correlation = correlation,
                                            .name = trace_.names.number(name),
                                            .kind = kind});
  }

  std::vector<DeviceEvent> devices_;
  RankTrace& trace_;
  std::vector<StepBegin> steps_;
  EventEnds ended_;
  std::vector<size_t> step_;             // by event
  std::vector<uint32_t> order_;          // of events
  std::map<uint32_t, size_t> place_of_;  // in it
  std::vector<int64_t> done_;            // by step: the last end of its work
};

}  // namespace

void launch_all(std::vector<DeviceEvent> devices, RankTrace& trace) { HostCalls(std::move(devices), trace).launch(); }

}  // namespace planner::trace::dpro
