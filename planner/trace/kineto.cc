#include "planner/trace/kineto.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <limits>
#include <map>
#include <span>
#include <utility>

#include "planner/trace/json_stream.h"
#include "planner/trace/kineto_table.h"

namespace planner::trace {
namespace {

constexpr size_t kMostMistakes = 20;  // that are kept with their words
constexpr int kNanoDigits = 3;        // of a microsecond
constexpr int64_t kMostNs = std::numeric_limits<int64_t>::max() / 4;

/// A number of an event that may stand as a text: "stream 7", "Spans".
struct Number {
  int64_t value = -1;
  bool is_number = false;
};

/// One event as it stands; texts live until the window moves.
struct RawEvent {
  int64_t at = 0;  // its offset
  std::string_view phase, category, name;
  Number process, thread;
  int64_t start_ns = 0, duration_ns = 0;
  bool has_start = false, has_duration = false;
  // Of its arguments.
  int64_t device = -1, stream = kUnsaid, correlation = -1, external = -1;
  Detail detail;
  std::string_view shapes, types, collective, group, members, data_type, waits_for;
  bool has_detail = false;

  static constexpr int64_t kUnsaid = std::numeric_limits<int64_t>::min();
};

/// An argument that is kept: a whole number, or a text as it stands.
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
    {"bytes", nullptr, &Detail::bytes},
    {"In msg nelems", nullptr, &Detail::elements_in},
    {"Out msg nelems", nullptr, &Detail::elements_out},
    {"Group size", nullptr, &Detail::group_size},
    {"Sequence number", nullptr, &Detail::sequence},
    {"Fwd thread id", nullptr, &Detail::forward_thread},
    {"Input Dims", nullptr, nullptr, &RawEvent::shapes},
    {"Input dims", nullptr, nullptr, &RawEvent::shapes},
    {"Input type", nullptr, nullptr, &RawEvent::types},
    {"Collective name", nullptr, nullptr, &RawEvent::collective},
    {"Process Group Name", nullptr, nullptr, &RawEvent::group},
    {"Process Group Ranks", nullptr, nullptr, &RawEvent::members},
    {"dtype", nullptr, nullptr, &RawEvent::data_type},
    {"cuda_sync_kind", nullptr, nullptr, &RawEvent::waits_for},
};

// Most arguments are none of these: few have the length of one, and of those few its first letter.
const ArgumentRow* find_argument(std::string_view name) {
  static constexpr std::array<uint32_t, 32> kFirst = [] {  // by length: a bit for each letter that a name begins with
    std::array<uint32_t, 32> first{};
    for (const ArgumentRow& row : kArguments) first[row.name.size()] |= uint32_t{1} << (row.name[0] & 31);
    return first;
  }();
  if (name.empty() || name.size() >= kFirst.size() || !(kFirst[name.size()] >> (name[0] & 31) & 1)) return nullptr;
  const auto* const row = std::ranges::find(kArguments, name, &ArgumentRow::name);
  return row == std::end(kArguments) ? nullptr : row;
}

class KinetoReader {
 public:
  KinetoReader(unpack::ByteReader& bytes, bool skip_broken, RankTrace& trace)
      : json_(bytes), skip_broken_(skip_broken), trace_(trace) {}

  void read() {
    if (!document()) note(json_.wrong_at(), json_.wrong());
    else if (!found_) note(-1, "it has no list 'traceEvents': it is no trace of Kineto");
    name_device();
    const auto order = [](const Event& event) { return std::pair(event.start_ns, -event.duration_ns); };
    if (!std::ranges::is_sorted(trace_.events, {}, order)) std::ranges::stable_sort(trace_.events, {}, order);
  }

 private:
  // A map with the list of events, or the list alone.
  bool document() {
    bool is_map = false;
    if (!json_.take([&] { return is_map = json_.is('{'), is_map || json_.expect('['); })) return false;
    if (!is_map) return found_ = true, events() && end();
    json_.take([&] { return json_.expect('{'); });
    for (bool first = true, more = true;;) {
      std::string name;
      if (!json_.take([&] { return next(more, first, '}', [&] { return key(name); }); })) return false;
      if (!more) return end();
      if (!member(name)) return false;
    }
  }

  // Reads the next element by `read`; true without it where there is none.
  template <class Read> bool next(bool& more, bool& first, char close, Read read) {
    bool alone = first;
    more = json_.another(close, alone);
    if (!more) return !json_.starves() && json_.wrong().empty();
    if (!read()) return false;
    first = false;
    return true;
  }

  bool end() { return json_.ends() || (json_.wrong().empty() && json_.fail("more text stands behind the trace")); }

  bool key(std::string& name) {
    std::string_view raw;
    if (!json_.string(raw) || !json_.expect(':')) return false;
    name = raw;
    return true;
  }

  bool member(const std::string& name) {
    if (name == "traceEvents") {
      if (std::exchange(found_, true)) return json_.fail("'traceEvents' stands twice");
      return json_.take([&] { return json_.expect('['); }) && events();
    }
    if (name == "distributedInfo") return json_.take([&] { return group(); });
    if (name == "deviceProperties") return json_.take([&] { return devices(); });
    return json_.pass();
  }

  void name_device() {
    for (const Lane& lane : trace_.lanes)
      if (const auto device = devices_.find(lane.process); lane.on_device && device != devices_.end())
        return void(trace_.device = device->second);
  }

  // The members of a map, each read by `read(name)`.
  template <class Read> bool map(Read read) {
    if (!json_.expect('{')) return false;
    bool first = true;
    std::string_view name;
    while (json_.another('}', first))
      if (!json_.string(name) || !json_.expect(':') || !read(name)) return false;
    return !json_.starves() && json_.wrong().empty();
  }

  bool text(std::string& out) {
    std::string_view raw;
    if (!json_.string(raw)) return false;
    out = json_text(raw);
    return true;
  }

  bool group() {
    return map([&](std::string_view name) {
      if (name == "rank") return whole(trace_.rank);
      if (name == "world_size") return whole(trace_.world_size);
      if (name == "backend" && json_.is('"')) return text(trace_.backend);
      return json_.skip();
    });
  }

  bool whole(std::optional<int64_t>& out) {
    if (!begins_number()) return json_.skip();
    int64_t number = 0;
    if (!json_.whole(number)) return false;
    out = number;
    return true;
  }
  bool begins_number() {
    const char c = json_.peek();
    return c == '-' || (c >= '0' && c <= '9');
  }

  // Of the machine's devices; which of them it is say the events.
  bool devices() {
    devices_.clear();
    if (!json_.expect('[')) return false;
    for (bool first = true; json_.another(']', first);) {
      int64_t id = static_cast<int64_t>(devices_.size());
      std::string device;
      if (!map([&](std::string_view name) {
            if (name == "id") return json_.whole(id);
            return name == "name" && json_.is('"') ? text(device) : json_.skip();
          }))
        return false;
      devices_[id] = device;
    }
    return !json_.starves() && json_.wrong().empty();
  }

  bool events() {
    bool first = true, more = true;
    while (true) {
      RawEvent raw;
      if (!json_.take([&] { return next(more, first, ']', [&] { return event(raw = {}); }); })) return false;
      if (!more) return true;
      if (!keep(raw)) return false;
      ++trace_.read;
    }
  }

  bool event(RawEvent& raw) {
    json_.peek();
    raw.at = json_.offset();
    return map([&](std::string_view name) {
      if (name.size() == 2) return short_member(name, raw);
      if (name == "cat") return json_.is('"') ? json_.string(raw.category) : json_.skip();
      if (name == "pid") return number(raw.process);
      if (name == "tid") return number(raw.thread);
      if (name == "dur") return time(raw.duration_ns, raw.has_duration);
      if (name == "name") return json_.is('"') ? json_.string(raw.name) : json_.skip();
      if (name == "args" && json_.is('{')) return arguments(raw);
      return json_.skip();
    });
  }
  bool short_member(std::string_view name, RawEvent& raw) {
    if (name == "ph") return json_.string(raw.phase);
    return name == "ts" ? time(raw.start_ns, raw.has_start) : json_.skip();
  }

  bool time(int64_t& ns, bool& has) {
    has = true;
    return json_.scaled(ns, kNanoDigits);
  }

  // "stream 7" is 7.
  bool number(Number& out) {
    if (!json_.is('"')) {
      if (!begins_number()) return json_.skip();
      out.is_number = true;
      return json_.whole(out.value);
    }
    std::string_view text;
    if (!json_.string(text)) return false;
    if (text.starts_with("stream ")) text.remove_prefix(7);
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out.value);
    out.is_number = error == std::errc() && end == text.data() + text.size();
    return true;
  }

  bool arguments(RawEvent& raw) {
    return map([&](std::string_view name) {
      const ArgumentRow* row = find_argument(name);
      return row ? argument(*row, raw) : json_.skip();
    });
  }

  bool argument(const ArgumentRow& row, RawEvent& raw) {
    if (row.text) {
      raw.has_detail = true;
      std::string_view& out = raw.*row.text;
      return json_.is('"') ? json_.string(out) : json_.skip(out);
    }
    Number read;
    if (!number(read)) return false;
    if (row.detail) raw.has_detail |= read.is_number;
    if (read.is_number) (row.detail ? raw.detail.*row.detail : raw.*row.number) = read.value;
    return true;
  }

  // False: it is broken, and nothing broken is to be left out.
  bool keep(const RawEvent& raw) {
    if (raw.phase != "X") return true;
    const std::optional<Kind> kind = kind_of(raw.category);
    if (!kind) return true;
    const std::string wrong = wrong_of(raw);
    if (!wrong.empty()) {
      ++trace_.left_out;
      if (!skip_broken_) return json_.fail_from(raw.at, wrong);
      note(raw.at, wrong);
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

  static std::string wrong_of(const RawEvent& raw) {
    if (!raw.has_start) return "the event has no time 'ts'";
    if (!raw.has_duration) return "the event has no duration 'dur'";
    if (raw.duration_ns < 0)
      return fmt::format("the event's duration is negative: {} us", static_cast<double>(raw.duration_ns) * 1e-3);
    if (raw.start_ns < -kMostNs || raw.start_ns > kMostNs || raw.duration_ns > kMostNs)
      return "the event's time is out of range";
    if (raw.name.empty()) return "the event has no name";
    return "";
  }

  uint32_t name_of(std::string_view raw) {
    const bool plain = std::ranges::all_of(raw, [](char c) { return c >= ' ' && c < 127 && c != '\\'; });
    return plain ? trace_.names.number(raw) : trace_.names.number(json_text(raw));
  }

  uint32_t lane_of(const RawEvent& raw, Kind kind) {
    Lane lane{raw.process.value, raw.thread.value, is_on_device(kind) || kind == Kind::sync};
    if (lane.on_device && raw.device >= 0) lane.process = raw.device;
    if (lane.on_device && raw.stream != RawEvent::kUnsaid) lane.thread = raw.stream;
    if (last_ < trace_.lanes.size() && trace_.lanes[last_] == lane) return last_;
    const auto at = std::ranges::find(trace_.lanes, lane);
    last_ = static_cast<uint32_t>(at - trace_.lanes.begin());
    if (at == trace_.lanes.end()) trace_.lanes.push_back(lane);
    return last_;
  }

  uint32_t detail_of(const RawEvent& raw) {
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

  void note(int64_t byte, const std::string& message) {
    if (trace_.mistakes.size() < kMostMistakes) trace_.mistakes.push_back({trace_.read, byte, message});
  }

  JsonStream json_;
  const bool skip_broken_;
  RankTrace& trace_;
  std::map<int64_t, std::string> devices_;
  bool found_ = false;  // the list of events
  uint32_t last_ = 0;   // the lane of the last event
};

}  // namespace

void read_kineto(unpack::ByteReader& bytes, bool skip_broken, RankTrace& trace) {
  KinetoReader(bytes, skip_broken, trace).read();
}

}  // namespace planner::trace
