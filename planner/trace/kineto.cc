#include "planner/trace/kineto.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "planner/trace/json_values.h"
#include "planner/trace/kineto_table.h"

namespace planner::trace {
namespace {

constexpr int64_t kMostNs = std::numeric_limits<int64_t>::max() / 4;

std::string wrong_of_event(const RawEvent& raw) {
  if (!raw.has_start) return "the event has no time 'ts'";
  if (!raw.has_duration) return "the event has no duration 'dur'";
  if (raw.duration_ns < 0)
    return fmt::format("the event's duration is negative: {} us", static_cast<double>(raw.duration_ns) * 1e-3);
  if (raw.start_ns < -kMostNs || raw.start_ns > kMostNs || raw.duration_ns > kMostNs)
    return "the event's time is out of range";
  if (raw.name.empty()) return "the event has no name";
  return "";
}

bool read_kineto_text(JsonStream& json, std::string& out) {
  std::string_view raw;
  if (!json.string(raw)) return false;
  out = json_text(raw);
  return true;
}

bool read_kineto_whole(JsonStream& json, std::optional<int64_t>& out) {
  if (!begins_number(json)) return json.skip();
  int64_t number = 0;
  if (!json.whole(number)) return false;
  out = number;
  return true;
}

}  // namespace

bool KinetoReader::group() {
  return json_.take([&] {
    return read_map(json_, [&](std::string_view name) {
      if (name == "rank") return read_kineto_whole(json_, trace_.rank);
      if (name == "world_size") return read_kineto_whole(json_, trace_.world_size);
      if (name == "backend" && json_.is('"')) return read_kineto_text(json_, trace_.backend);
      return json_.skip();
    });
  });
}

// Which of the machine's devices it is say the events.
bool KinetoReader::devices() {
  return json_.take([&] {
    devices_.clear();
    return read_list(json_, [&] {
      auto id = static_cast<int64_t>(devices_.size());
      std::string device;
      const auto member = [&](std::string_view name) {
        if (name == "id") return json_.whole(id);
        return name == "name" && json_.is('"') ? read_kineto_text(json_, device) : json_.skip();
      };
      if (!read_map(json_, member)) return false;
      devices_[id] = device;
      return true;
    });
  });
}

bool KinetoReader::events() {
  RawEvent raw;
  return json_.take([&] { return json_.expect('['); }) && take_elements(
                                                              json_, ']', [&] { return read_event(json_, raw = {}); },
                                                              [&] {
                                                                const bool kept = keep(raw);
                                                                trace_.read += kept;
                                                                return kept;
                                                              });
}

void KinetoReader::finish() {
  const auto order = [](const Event& event) { return std::pair(event.start_ns, -event.duration_ns); };
  if (!std::ranges::is_sorted(trace_.events, {}, order)) std::ranges::stable_sort(trace_.events, {}, order);
  for (const Lane& lane : trace_.lanes)
    if (const auto device = devices_.find(lane.process); lane.on_device && device != devices_.end())
      return void(trace_.device = device->second);
}

// False: it is broken, and nothing broken is to be left out.
bool KinetoReader::keep(const RawEvent& raw) {
  if (raw.phase != "X") return true;
  const std::optional<Kind> kind = kind_of(raw.category);
  if (!kind) return true;
  const std::string wrong = wrong_of_event(raw);
  if (!wrong.empty()) {
    ++trace_.left_out;
    if (!skip_broken_) return json_.fail_from(raw.at, wrong);
    trace_.note({trace_.read, raw.at, wrong});
    return true;
  }
  Event event{.start_ns = raw.start_ns,
              .duration_ns = raw.duration_ns,
              .correlation = raw.correlation,
              .external = raw.external};
  event.kind = *kind;
  event.name = name_of(raw.name);
  event.role = is_on_device(*kind) ? role_of(*kind, trace_.names[event.name]) : Role::compute;
  event.lane = lane_of(raw, *kind);
  if (raw.has_detail) event.detail = detail_of(raw);
  trace_.events.push_back(event);
  return true;
}

uint32_t KinetoReader::name_of(std::string_view raw) {
  const bool plain = std::ranges::all_of(raw, [](char c) { return c >= ' ' && c < 127 && c != '\\'; });
  return plain ? trace_.names.number(raw) : trace_.names.number(json_text(raw));
}

uint32_t KinetoReader::lane_of(const RawEvent& raw, Kind kind) {
  Lane lane{raw.process.value, raw.thread.value, is_on_device(kind) || kind == Kind::sync};
  if (lane.on_device && raw.device >= 0) lane.process = raw.device;
  if (lane.on_device && raw.stream != RawEvent::kUnsaid) lane.thread = raw.stream;
  if (last_ < trace_.lanes.size() && trace_.lanes[last_] == lane) return last_;
  const auto at = std::ranges::find(trace_.lanes, lane);
  last_ = static_cast<uint32_t>(at - trace_.lanes.begin());
  if (at == trace_.lanes.end()) trace_.lanes.push_back(lane);
  return last_;
}

uint32_t KinetoReader::detail_of(const RawEvent& raw) {
  Detail detail = raw.detail;
  const auto put = [&](std::string_view text, uint32_t& number) {
    if (!text.empty()) number = name_of(text);
  };
  put(raw.shapes, detail.shapes);
  put(raw.types, detail.types);
  put(raw.collective, detail.collective);
  put(raw.group, detail.group);
  put(raw.members, detail.members);
  put(raw.data_type, detail.data_type);
  put(raw.waits_for, detail.waits_for);
  trace_.details.push_back(detail);
  return static_cast<uint32_t>(trace_.details.size() - 1);
}

}  // namespace planner::trace
