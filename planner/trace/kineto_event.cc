#include "planner/trace/kineto_event.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>

namespace planner::trace {
namespace {

constexpr int kNanoDigits = 3;  // of a microsecond
constexpr int64_t kMostNs = std::numeric_limits<int64_t>::max() / 4;

/// An argument that is kept: a whole number, or a raw text.
struct ArgumentRow {
  std::string_view name;
  int64_t RawEvent::*number = nullptr;
  int64_t Detail::*detail = nullptr;
  std::string_view RawEvent::*text = nullptr;
};
constexpr ArgumentRow kArguments[] = {
    {"External id", &RawEvent::external},
    {"external id", &RawEvent::external},
    {"correlation", &RawEvent::correlation},
    {"stream", &RawEvent::stream},
    {"device", &RawEvent::device},
    {"Device Type", &RawEvent::device_type},
    {"Device Id", &RawEvent::device_id},
    {"Bytes", &RawEvent::change_bytes},
    {"Total Allocated", &RawEvent::total_bytes},
    {"step", &RawEvent::step},
    {"loopId", &RawEvent::loop},
    {"channelId", &RawEvent::channel},
    {"chunkId", &RawEvent::chunk},
    {"sliceId", &RawEvent::slice},
    {"bytes", nullptr, &Detail::bytes},
    {"In msg nelems", nullptr, &Detail::elements_in},
    {"Out msg nelems", nullptr, &Detail::elements_out},
    {"Group size", nullptr, &Detail::group_size},
    {"Sequence number", nullptr, &Detail::sequence},
    {"Fwd thread id", nullptr, &Detail::forward_thread},
    {"wait_on_stream", nullptr, &Detail::wait_on_stream},
    {"wait_on_cuda_event_record_corr_id", nullptr, &Detail::wait_on_record},
    {"Input Dims", nullptr, nullptr, &RawEvent::shapes},
    {"Input dims", nullptr, nullptr, &RawEvent::shapes},
    {"Input type", nullptr, nullptr, &RawEvent::types},
    {"Collective name", nullptr, nullptr, &RawEvent::collective},
    {"Process Group Name", nullptr, nullptr, &RawEvent::group},
    {"Process Group Ranks", nullptr, nullptr, &RawEvent::members},
    {"dtype", nullptr, nullptr, &RawEvent::data_type},
    {"cuda_sync_kind", nullptr, nullptr, &RawEvent::waits_for},
};

// Most arguments are not kept: few have the length of a kept one, and of those few its first letter.
const ArgumentRow* find_argument(std::string_view name) {
  static constexpr std::array<uint32_t, 40> kFirst = [] {  // by length: a bit for each letter that a name begins with
    std::array<uint32_t, 40> first{};
    for (const ArgumentRow& row : kArguments) first[row.name.size()] |= uint32_t{1} << (row.name[0] & 31);
    return first;
  }();
  if (name.empty() || name.size() >= kFirst.size() || !(kFirst[name.size()] >> (name[0] & 31) & 1)) return nullptr;
  const auto* const row = std::ranges::find(kArguments, name, &ArgumentRow::name);
  return row == std::end(kArguments) ? nullptr : row;
}

bool read_time(JsonStream& json, int64_t& ns, bool& has) {
  has = true;
  return json.scaled(ns, kNanoDigits);
}

// "stream 7" is 7.
bool read_raw_number(JsonStream& json, RawNumber& out) {
  if (!json.is('"')) {
    if (!begins_number(json)) return json.skip();
    out.is_number = true;
    return json.whole(out.value);
  }
  std::string_view text;
  if (!json.string(text)) return false;
  out.text = text;
  if (text.starts_with("stream ")) text.remove_prefix(7);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out.value);
  out.is_number = error == std::errc() && end == text.data() + text.size();
  return true;
}

bool read_argument(JsonStream& json, const ArgumentRow& row, RawEvent& raw) {
  if (row.text) {
    raw.has_detail = true;
    std::string_view& out = raw.*row.text;
    return json.is('"') ? json.string(out) : json.skip(out);
  }
  RawNumber read;
  if (!read_raw_number(json, read)) return false;
  if (row.detail) raw.has_detail |= read.is_number;
  if (read.is_number) (row.detail ? raw.detail.*row.detail : raw.*row.number) = read.value;
  return true;
}

bool read_arguments(JsonStream& json, RawEvent& raw) {
  return read_map(json, [&](std::string_view name) {
    const ArgumentRow* row = find_argument(name);
    return row ? read_argument(json, *row, raw) : json.skip();
  });
}

bool read_short_member(JsonStream& json, std::string_view name, RawEvent& raw) {
  if (is_word(name, "ph")) return json.string(raw.phase);
  return is_word(name, "ts") ? read_time(json, raw.start_ns, raw.has_start) : json.skip();
}

}  // namespace

std::string wrong_of_start(const RawEvent& raw) {
  if (!raw.has_start) return "the event has no time 'ts'";
  return raw.start_ns < -kMostNs || raw.start_ns > kMostNs ? "the event's time is out of range" : "";
}

std::string wrong_of_event(const RawEvent& raw) {
  if (!raw.has_start) return wrong_of_start(raw);
  if (!raw.has_duration) return "the event has no duration 'dur'";
  if (raw.duration_ns < 0)
    return fmt::format("the event's duration is negative: {} us", static_cast<double>(raw.duration_ns) * 1e-3);
  if (raw.duration_ns > kMostNs) return "the event's time is out of range";
  if (std::string wrong = wrong_of_start(raw); !wrong.empty()) return wrong;
  return raw.name.empty() ? "the event has no name" : "";
}

bool begins_number(JsonStream& json) {
  const char c = json.peek();
  return c == '-' || (c >= '0' && c <= '9');
}

bool read_event(JsonStream& json, RawEvent& raw) {
  json.peek();
  raw.at = json.offset();
  return read_map(json, [&](std::string_view name) {
    if (name.size() == 2) return read_short_member(json, name, raw);
    if (is_word(name, "cat")) return json.is('"') ? json.string(raw.category) : json.skip();
    if (is_word(name, "pid")) return read_raw_number(json, raw.process);
    if (is_word(name, "tid")) return read_raw_number(json, raw.thread);
    if (is_word(name, "dur")) return read_time(json, raw.duration_ns, raw.has_duration);
    if (is_word(name, "name")) return json.is('"') ? json.string(raw.name) : json.skip();
    if (is_word(name, "args") && json.is('{')) return read_arguments(json, raw);
    return json.skip();
  });
}

}  // namespace planner::trace
