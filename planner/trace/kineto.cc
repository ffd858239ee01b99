#include "planner/trace/kineto.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/trace/json_stream.h"
#include "planner/trace/kernel_names.h"
#include "planner/trace/kineto_table.h"

namespace planner::trace {
namespace {

constexpr std::string_view kAllocation = "[memory]";

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
  byteps_.finish();
  dpro_.finish();
  for (const auto& [category, count] : guessed_)
    trace_.notes.push_back(
        fmt::format("has {} events of category '{}': taken for what its name says", count, category));
  sort_events(trace_);
  std::ranges::stable_sort(trace_.allocations, {}, &Allocation::at_ns);
  for (const Lane& lane : trace_.lanes)
    if (const auto device = devices_.find(lane.process); lane.on_device && device != devices_.end())
      return void(trace_.device = device->second);
}

// False: nothing broken is to be left out.
bool KinetoReader::leave_out(const RawEvent& raw, const std::string& wrong) {
  ++trace_.left_out;
  if (!skip_broken_) return json_.fail_from(raw.at, wrong);
  trace_.note({trace_.read, raw.at, wrong});
  return true;
}

// nullopt: it is not kept.
std::optional<EventKind> KinetoReader::kind_of(const RawEvent& raw) {
  const Categorised found = categorised(raw.category);
  if (found.is == EventCategory::guessed) ++guessed_[std::string(raw.category)];
  return found.is == EventCategory::kept || found.is == EventCategory::guessed ? std::optional(found.kind)
                                                                               : std::nullopt;
}

// What runs in a stream runs on a device.
bool KinetoReader::is_of_unknown_device(const RawEvent& raw) {
  return raw.phase == "X" && raw.stream != RawEvent::kUnsaid && categorised(raw.category).is == EventCategory::unknown;
}

std::string KinetoReader::unknown(const RawEvent& raw) {
  return fmt::format("'{:.60}' runs in a stream, and what events of category '{:.60}' do is not known", raw.name,
                     raw.category);
}

// Allocations are instants; of the host's memory (device type 0 of c10) nothing is kept.
bool KinetoReader::keep_allocation(const RawEvent& raw) {
  if (raw.device_type == 0) return true;
  if (const std::string wrong = wrong_of_start(raw); !wrong.empty()) return leave_out(raw, wrong);
  if (trace_.allocations.size() == kMostEvents) return json_.fail_from(raw.at, too_many("events"));
  trace_.allocations.push_back({raw.start_ns, raw.change_bytes, raw.total_bytes, raw.device_id});
  return true;
}

bool KinetoReader::keep_dpro(const RawEvent& raw) {
  if (const std::string wrong = dpro_.keep(raw); !wrong.empty()) return leave_out(raw, wrong);
  return dpro_.events() < kMostEvents || json_.fail_from(raw.at, too_many("events"));
}

// False: it is broken, and nothing broken is to be left out.
bool KinetoReader::keep(const RawEvent& raw) {
  if (raw.phase == "i" && raw.name == kAllocation) return keep_allocation(raw);
  if (DproReader::writes(raw)) return keep_dpro(raw);
  const std::optional<EventKind> kind = raw.phase == "X" ? kind_of(raw) : std::nullopt;
  const std::string wrong = kind ? wrong_of_event(raw) : is_of_unknown_device(raw) ? unknown(raw) : byteps_.keep(raw);
  if (!wrong.empty()) return leave_out(raw, wrong);
  if (!kind) return true;
  if (trace_.events.size() == kMostEvents) return json_.fail_from(raw.at, too_many("events"));
  Event event{.start_ns = raw.start_ns,
              .duration_ns = raw.duration_ns,
              .correlation = raw.correlation,
              .external = raw.external};
  event.kind = *kind == EventKind::op && is_step(raw.name) ? EventKind::annotation : *kind;  // an 'Operator' in 2021
  event.name = name_of(raw.name);
  event.role = is_on_device(*kind) ? role_of(raw, *kind, event.name) : Role::compute;
  event.lane = lane_of(raw, *kind);
  if (raw.has_detail) event.detail = detail_of(raw);
  trace_.events.push_back(event);
  return true;
}

// What says which collective it is communicates, whatever its name.
Role KinetoReader::role_of(const RawEvent& raw, EventKind kind, uint32_t name) {
  if (kind == EventKind::kernel && !raw.collective.empty()) return Role::communication;
  if (kind != EventKind::kernel) return trace::role_of(kind, trace_.names[name]);
  if (name >= roles_.size()) roles_.resize(name + 1);
  std::optional<Role>& role = roles_[name];
  if (!role) role = trace::role_of(kind, trace_.names[name]);
  return *role;
}

uint32_t KinetoReader::name_of(std::string_view raw) {
  const bool plain = std::ranges::all_of(raw, [](char c) { return c >= ' ' && c < 127 && c != '\\'; });
  return plain ? trace_.names.number(raw) : trace_.names.number(json_text(raw));
}

uint32_t KinetoReader::lane_of(const RawEvent& raw, EventKind kind) {
  Lane lane{raw.process.value, raw.thread.value, is_on_device(kind) || kind == EventKind::sync};
  if (lane.on_device && raw.device >= 0) lane.process = raw.device;
  if (lane.on_device && raw.stream != RawEvent::kUnsaid) lane.thread = raw.stream;
  if (last_ < trace_.lanes.size() && trace_.lanes[last_] == lane) return last_;
  const auto [at, is_new] =
      lanes_.try_emplace({lane.on_device, lane.process, lane.thread}, static_cast<uint32_t>(trace_.lanes.size()));
  if (is_new) trace_.lanes.push_back(lane);
  return last_ = at->second;
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
  const auto hash = static_cast<uint64_t>(detail.sequence) * 31 + detail.shapes * 7ULL + detail.types;
  uint32_t& kept = details_[hash % details_.size()];
  if (kept > 0 && trace_.details[kept - 1] == detail) return kept - 1;
  trace_.details.push_back(detail);
  return (kept = static_cast<uint32_t>(trace_.details.size())) - 1;
}

}  // namespace planner::trace
