#include "planner/trace/byteps.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

namespace planner::trace {
namespace {

constexpr int64_t kFirstWorker = 9;  // of ps-lite's numbers; servers have the even ones between

struct BytepsStageRow {
  std::string_view stage, request;  // how the name of a worker's event ends; how that of a server's begins
  EventKind kind;
};
constexpr std::array kStages{BytepsStageRow{".PUSH", "push-", EventKind::push},
                             BytepsStageRow{".PULL", "pull-", EventKind::pull}};

const char* word_of(EventKind kind) { return kind == EventKind::push ? "push" : "pull"; }

bool begins_or_ends(const RawEvent& raw) { return raw.phase == "B" || raw.phase == "E"; }

// The number behind "push-"; nullopt if there is none.
std::optional<int64_t> sender_of(std::string_view name, const BytepsStageRow& row) {
  if (!name.starts_with(row.request)) return std::nullopt;
  name.remove_prefix(row.request.size());
  int64_t sender = -1;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), sender);
  if (error != std::errc() || end != name.data() + name.size()) return std::nullopt;
  return sender;
}

/// Requests of a key by one worker.
struct RequestCount {
  int64_t pushes = 0, pulls = 0;
  int64_t& of(EventKind kind) { return kind == EventKind::push ? pushes : pulls; }
};

std::unordered_map<int64_t, RequestCount> counts_of(const RankTrace& trace) {
  std::unordered_map<int64_t, RequestCount> counts;
  for (const Event& event : trace.events) ++counts[trace.lane(event).thread].of(event.kind);
  return counts;
}

/// The number of complete rounds of a key. No worker can be more than one round ahead of another: it waits for its
/// PULL, and that for all others. If one is, the cause is not the end of the file, and all requests stay.
std::unordered_map<int64_t, int64_t> whole_rounds(const std::map<int64_t, RankTrace>& traces) {
  std::unordered_map<int64_t, int64_t> most, rounds_of;
  std::vector<std::unordered_map<int64_t, RequestCount>> counts;
  for (const auto& [sender, trace] : traces) counts.push_back(counts_of(trace));
  for (const auto& of_worker : counts)
    for (const auto& [key, count] : of_worker) most[key] = std::max(most[key], std::max(count.pushes, count.pulls));
  for (const auto& [key, rounds] : most) {
    int64_t whole = rounds;
    for (auto& of_worker : counts) {
      const RequestCount count = of_worker[key];
      whole = std::min(whole, std::min(count.pushes, count.pulls));
    }
    rounds_of[key] = whole + 1 < rounds ? rounds : whole;
  }
  return rounds_of;
}

bool share_keys(const RankTrace& a, const RankTrace& b) {
  return std::ranges::any_of(a.lanes,
                             [&](const Lane& lane) { return std::ranges::find(b.lanes, lane) != b.lanes.end(); });
}

void append(const RankTrace& more, RankTrace& trace) {
  const auto lanes = static_cast<uint32_t>(trace.lanes.size());
  trace.lanes.insert(trace.lanes.end(), more.lanes.begin(), more.lanes.end());
  for (Event event : more.events) {
    event.lane += lanes;
    event.name = trace.names.number(more.name(event));
    trace.events.push_back(event);
  }
  trace.launched_by.resize(trace.events.size(), kNone);
  trace.file += ", " + more.file;
  sort_events(trace);
}

}  // namespace

void BytepsReader::Keyed::add(Event event, std::string_view name, int64_t key) {
  const auto [lane, is_new] = lanes.try_emplace(key, static_cast<uint32_t>(trace->lanes.size()));
  if (is_new) trace->lanes.push_back({.process = 0, .thread = key, .on_device = true});
  event.lane = lane->second;
  event.name = trace->names.number(name);
  event.role = Role::communication;
  trace->events.push_back(event);
}

std::string BytepsReader::keep(const RawEvent& raw) {
  const bool is_worker = raw.phase == "X" && (raw.category == "Comm" || raw.category.empty());
  if (!is_worker && !begins_or_ends(raw)) return "";
  for (const BytepsStageRow& row : kStages) {
    if (is_worker && raw.name.starts_with("Comm.") && raw.name.ends_with(row.stage)) return keep_stage(raw, row.kind);
    const std::optional<int64_t> sender = is_worker ? std::nullopt : sender_of(raw.name, row);
    if (sender) return keep_request(raw, *sender, row.kind);
  }
  return "";
}

std::string BytepsReader::keep_stage(const RawEvent& raw, EventKind kind) {
  if (std::string wrong = wrong_of_event(raw); !wrong.empty()) return wrong;
  if (!raw.thread.is_number) return "the event's 'tid' is no key of a partition";
  own_.add({.start_ns = raw.start_ns, .duration_ns = raw.duration_ns, .kind = kind}, json_text(raw.name),
           raw.thread.value);
  return "";
}

std::string BytepsReader::keep_request(const RawEvent& raw, int64_t sender, EventKind kind) {
  if (std::string wrong = wrong_of_start(raw); !wrong.empty()) return wrong;
  if (!raw.process.is_number) return "the event's 'pid' is no key";
  if (sender < kFirstWorker || (sender - kFirstWorker) % 2 != 0)
    return fmt::format("'{}' is of no worker: in ps-lite these are 9, 11, 13 ...", raw.name);
  has_server_ = true;
  const Request request{raw.process.value, sender, kind};
  const auto what = [&] { return fmt::format("'{}' of key {}", raw.name, raw.process.value); };
  if (raw.phase == "B") {
    const auto [begun, is_new] = open_.try_emplace(request, raw.start_ns);
    if (is_new) return "";
    begun->second = raw.start_ns;
    return fmt::format("{} begins again before it has ended", what());
  }
  const auto begun = open_.find(request);
  if (begun == open_.end()) return fmt::format("{} ends and has not begun", what());
  const int64_t start_ns = begun->second, duration_ns = raw.start_ns - start_ns;
  open_.erase(begun);
  if (duration_ns < 0)
    return fmt::format("{} ends {} us before it begins", what(), static_cast<double>(-duration_ns) * 1e-3);
  end_request(request, start_ns, duration_ns);
  return "";
}

void BytepsReader::end_request(const Request& request, int64_t start_ns, int64_t duration_ns) {
  const auto [key, sender, kind] = request;
  RankTrace& trace = traces_[sender];
  trace.rank = (sender - kFirstWorker) / 2;
  Keyed& keyed = served_[sender];
  keyed.trace = &trace;
  keyed.add({.start_ns = start_ns, .duration_ns = duration_ns, .kind = kind}, fmt::format("{} {}", word_of(kind), key),
            key);
}

// Returns how many requests were of rounds that were not done.
int64_t BytepsReader::cut_rounds() {
  int64_t cut = 0;
  for (auto& [sender, trace] : traces_) sort_events(trace);
  const std::unordered_map<int64_t, int64_t> rounds = whole_rounds(traces_);
  for (auto& by_sender : traces_) {
    RankTrace& trace = by_sender.second;
    std::unordered_map<int64_t, RequestCount> seen;
    cut += static_cast<int64_t>(std::erase_if(trace.events, [&](const Event& event) {
      const int64_t key = trace.lane(event).thread;
      return ++seen[key].of(event.kind) > rounds.at(key);
    }));
  }
  return cut;
}

void BytepsReader::finish() {
  const int64_t cut = cut_rounds();
  const auto under_way = static_cast<int64_t>(open_.size());
  if (cut + under_way > 0)
    file_.notes.push_back(
        fmt::format("ends in the middle of rounds, whose requests are left out: {} that had not ended, {} that had",
                    under_way, cut));
  for (auto& [sender, trace] : traces_)
    if (!trace.events.empty()) workers_.push_back(std::move(trace));
}

std::vector<RankTrace> join_servers(std::vector<RankTrace> ranks) {
  std::vector<RankTrace> joined;
  for (RankTrace& rank : ranks) {
    const auto same = std::ranges::find_if(joined, [&](const RankTrace& other) {
      return !rank.clock.empty() && !other.clock.empty() && rank.rank == other.rank && !share_keys(rank, other);
    });
    if (same == joined.end()) joined.push_back(std::move(rank));
    else append(rank, *same);
  }
  return joined;
}

}  // namespace planner::trace
