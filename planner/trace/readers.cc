#include "planner/trace/readers.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "dsl/foreign_table.h"
#include "planner/trace/chakra.h"
#include "planner/trace/json_nodes.h"
#include "planner/trace/json_trace.h"
#include "planner/trace/nsight.h"
#include "planner/trace/said.h"
#include "planner/unpack/byte_reader.h"
#include "planner/unpack/gzip.h"

namespace planner::trace {
namespace {

constexpr const char* kSkip = "--skip-broken leaves out what is broken, and says what that was";
// Clocks of a device and of what writes the trace tick in microseconds: what ends in one tick may begin the next
// before.
constexpr int64_t kTickNs = 2000;
// What a profiler's times of kernels are off by: those of one stream overlap by up to 3.7 us (TraceLens, eager on
// B200).
constexpr int64_t kJitterNs = 5000;

std::string told(const std::string& name, const Mistake& mistake, const char* what) {
  const std::string place =
      mistake.byte < 0 ? "" : fmt::format("{} {} (byte {}): ", what, mistake.event + 1, mistake.byte);
  return fmt::format("cannot read '{}': {}{}", name, place, mistake.message);
}

/// Kernels that begin before the one before them on their stream ends, by no more than the profiler's times are off.
struct Jitter {
  int64_t kernels = 0, longest_ns = 0;

  void add(int64_t overlap_ns) { ++kernels, longest_ns = std::max(longest_ns, overlap_ns); }
  std::string text() const {
    return fmt::format(
        "has {} kernels that begin up to {:.1f} us before the one before them on their stream ends: "
        "taken for the profiler's jitter",
        kernels, static_cast<double>(longest_ns) * 1e-3);
  }
};

// Events of one stream follow one another. A server may note that it has answered a PUSH when its worker's PULL is
// there already.
void check_streams(RankTrace& trace, bool skip_broken) {
  std::map<uint32_t, int64_t> ends;
  Jitter jitter;
  for (const Event& event : trace.events) {
    if (!is_on_device(event.kind) || is_with_server(event.kind)) continue;
    int64_t& end = ends.try_emplace(event.lane, event.start_ns).first->second;
    const int64_t overlap_ns = end - event.start_ns;
    if (overlap_ns > kTickNs && overlap_ns <= kJitterNs) jitter.add(overlap_ns);
    if (overlap_ns > kJitterNs) {
      const Lane& lane = trace.lane(event);
      trace.note({-1, -1,
                  fmt::format("'{:.60}' begins {:.3f} us before what runs on stream {} of device {} ends",
                              trace.name(event), static_cast<double>(overlap_ns) * 1e-3, lane.thread, lane.process)});
      if (!skip_broken) return;
    }
    end = std::max(end, event.end_ns());
  }
  if (jitter.kernels > 0) trace.notes.push_back(jitter.text());
}

// Reports the items that a reader could not use. False: they were required.
bool tell_mistakes(const FileReading& reading, const char* what, bool skip_broken, dsl::Diagnostics& diagnostics) {
  for (const Mistake& mistake : reading.mistakes) {
    if (!skip_broken) return diagnostics.error({}, told(reading.file, mistake, what), kSkip), false;
    diagnostics.warning({}, told(reading.file, mistake, what));
  }
  if (reading.untold > 0)
    diagnostics.warning({}, fmt::format("'{}' has {} more of such mistakes", reading.file, reading.untold));
  for (const std::string& note : reading.notes) diagnostics.warning({}, fmt::format("'{}' {}", reading.file, note));
  return true;
}

Read finish_events(RankTrace trace, bool skip_broken, dsl::Diagnostics& diagnostics) {
  Read read;
  trace.launched_by = launches_of(trace);
  mark_collectives(trace);
  check_streams(trace, skip_broken);
  if (!tell_mistakes(trace, "event", skip_broken, diagnostics)) return read;
  if (!trace.events.empty()) return read.ranks.push_back(std::move(trace)), std::move(read);
  diagnostics.error({}, fmt::format("cannot use '{}': of its {} events none is an operator, a call, a kernel or a PUSH",
                                    trace.file, trace.read));
  return read;
}

// A trace of each that can be used.
Read finish_ranks(std::vector<RankTrace> ranks, bool skip_broken, dsl::Diagnostics& diagnostics) {
  Read read;
  for (RankTrace& rank : ranks) {
    Read one = finish_events(std::move(rank), skip_broken, diagnostics);
    std::ranges::move(one.ranks, std::back_inserter(read.ranks));
  }
  return read;
}

// The workers that a parameter server describes, or the ranks of dPRO.
Read finish_workers(JsonTrace json, bool skip_broken, dsl::Diagnostics& diagnostics) {
  if (!tell_mistakes(json.rank, "event", skip_broken, diagnostics)) return {};
  if (!json.rank.events.empty()) {
    diagnostics.error(
        {}, fmt::format("cannot use '{}': it has events of one rank beside those of several", json.rank.file));
    return {};
  }
  for (RankTrace& worker : json.workers) {
    worker.file = fmt::format("{} (rank {})", json.rank.file, *worker.rank);
    worker.clock = worker.clock.empty() ? json.rank.file : fmt::format("{} {}", json.rank.file, worker.clock);
  }
  return finish_ranks(std::move(json.workers), skip_broken, diagnostics);
}

std::optional<Execution> finish_nodes(Execution execution, const char* what, Control control, bool skip_broken,
                                      dsl::Diagnostics& diagnostics) {
  if (execution.mistakes.empty() || skip_broken) check_nodes(execution, control, skip_broken);
  if (!tell_mistakes(execution, what, skip_broken, diagnostics)) return std::nullopt;
  if (!execution.nodes.empty()) return execution;
  diagnostics.error({}, fmt::format("cannot use '{}': it has no nodes", execution.file));
  return std::nullopt;
}

Read read_json_file(const std::string& name, unpack::ByteReader& bytes, bool skip_broken,
                    dsl::Diagnostics& diagnostics) {
  JsonTrace json = read_json(bytes, skip_broken);
  json.rank.file = json.execution.file = name;
  if (!json.workers.empty()) return finish_workers(std::move(json), skip_broken, diagnostics);
  if (json.kind == JsonKind::none || json.kind == JsonKind::events)
    return finish_events(std::move(json.rank), skip_broken, diagnostics);
  const bool pytorch = json.kind == JsonKind::pytorch;
  const std::string wrong = pytorch ? wrong_of_schema(json.execution.schema) : "";
  const bool whole = json.execution.mistakes.empty() || skip_broken;  // otherwise the schema may follow the mistake
  if (whole && !wrong.empty()) return diagnostics.error({}, fmt::format("cannot read '{}': {}", name, wrong)), Read{};
  const Control control = pytorch ? Control::all_there : Control::some_left;
  return {{}, finish_nodes(std::move(json.execution), "node", control, skip_broken, diagnostics)};
}

std::optional<Execution> read_chakra_file(const std::string& name, unpack::ByteReader& bytes, bool skip_broken,
                                          dsl::Diagnostics& diagnostics) {
  Execution execution;
  execution.file = name;
  if (const std::optional<Mistake> mistake = read_chakra(bytes, execution)) {
    diagnostics.error({}, told(name, *mistake, "message"), "it is no JSON, and was read as a trace of Chakra");
    return std::nullopt;
  }
  return finish_nodes(std::move(execution), "message", Control::some_left, skip_broken, diagnostics);
}

// All bytes of a database that is packed, or no file; nullopt: diagnosed.
std::optional<std::string> database_bytes(const std::string& name, unpack::ByteReader& bytes,
                                          dsl::Diagnostics& diagnostics) {
  constexpr size_t kPiece = size_t{1} << 20;
  std::string all;
  for (size_t got = 1; got > 0;) {
    const size_t before = all.size();
    all.resize(before + kPiece);
    got = bytes.read(all.data() + before, kPiece);
    all.resize(before + got);
    if (all.size() <= static_cast<size_t>(kMostDatabaseBytes)) continue;
    return diagnostics.error(
               {}, fmt::format("cannot read '{}': the database is larger than {} GiB", name, kMostDatabaseBytes >> 30)),
           std::nullopt;
  }
  if (!*bytes.wrong()) return all;
  return diagnostics.error({}, fmt::format("cannot read '{}': {}", name, bytes.wrong())), std::nullopt;
}

Read read_nsight_file(const TraceInput& input, unpack::ByteReader& bytes, bool skip_broken,
                      dsl::Diagnostics& diagnostics) {
  const bool in_place = !input.path.empty() && !bytes.is_packed();
  std::optional<std::string> all;
  if (!in_place && !(all = database_bytes(input.name, bytes, diagnostics))) return {};
  dsl::Diagnostics of_database;
  std::vector<RankTrace> ranks;
  Database database({input.path, {}, all ? &*all : nullptr}, of_database);
  if (database.good()) ranks = read_nsight(database, input.name, diagnostics);
  for (const dsl::Diagnostic& each : of_database.list)
    diagnostics.error({}, fmt::format("cannot read '{}': {}", input.name, each.message), each.hint);
  if (!database.good()) return {};
  const size_t count = ranks.size();
  Read read = finish_ranks(std::move(ranks), skip_broken, diagnostics);
  return read.ranks.size() == count ? std::move(read) : Read{};
}

bool is_blank(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

// The first two characters that are not blanks.
std::string marks_of(std::string_view head) {
  std::string marks;
  for (const char c : head)
    if (!is_blank(c) && marks.size() < 2) marks += c;
  return marks;
}

// Whether a text looks like JSON: a map or a list begins, or there is nothing but text. A trace of Chakra begins with
// the length of its metadata and the number of a field.
bool looks_like_json(std::string_view head) {
  const bool is_text = std::ranges::all_of(head, [](char c) { return is_blank(c) || (c > ' ' && c < 127); });
  const std::string marks = marks_of(head);
  return is_text || marks == "{\"" || marks == "[{";
}

}  // namespace

Read read_any(const TraceInput& input, bool skip_broken, dsl::Diagnostics& diagnostics) {
  unpack::ByteReader bytes(input.bytes);
  const std::string_view head = bytes.peek(kHeadBytes);
  if (const dsl::ForeignTable* table = dsl::find_foreign_table(head)) {
    diagnostics.error({}, fmt::format("'{}' is {}, which is not read", input.name, table->what), table->instead);
    return {};
  }
  if (head.starts_with(kDatabaseHead)) return read_nsight_file(input, bytes, skip_broken, diagnostics);
  if (looks_like_json(head)) return read_json_file(input.name, bytes, skip_broken, diagnostics);
  return {{}, read_chakra_file(input.name, bytes, skip_broken, diagnostics)};
}

bool is_trace(const std::string& head) {
  const std::string marks = marks_of(head);
  return unpack::is_gzip(head) || head.starts_with(kDatabaseHead) || marks.starts_with('[') || marks == "{" ||
         marks == "{\"" || marks == "{}";
}

std::optional<Trace> order_ranks(std::vector<RankTrace> ranks, dsl::Diagnostics& diagnostics) {
  std::map<int64_t, const RankTrace*> by_rank;
  const RankTrace* sized = nullptr;
  bool good = true;
  const auto refuse = [&](const std::string& message) { diagnostics.error({}, message), good = false; };
  for (const RankTrace& each : ranks) {
    if (each.world_size && sized && *sized->world_size != *each.world_size)
      refuse(fmt::format("'{}' is of a run of {} ranks, '{}' of one of {}", sized->file, *sized->world_size, each.file,
                         *each.world_size));
    if (each.world_size && !sized) sized = &each;
    if (!each.rank) continue;
    if (*each.rank < 0 || (each.world_size && *each.rank >= *each.world_size))
      refuse(fmt::format("'{}' is of rank {}, which a run of {} ranks does not have", each.file, *each.rank,
                         each.world_size.value_or(0)));
    const auto [other, is_new] = by_rank.try_emplace(*each.rank, &each);
    if (!is_new) refuse(fmt::format("'{}' and '{}' are both of rank {}", other->second->file, each.file, *each.rank));
  }
  if (!good) return std::nullopt;
  for (RankTrace& each : ranks) {
    if (each.rank) continue;
    int64_t free = 0;
    while (by_rank.contains(free)) ++free;
    by_rank[free] = &each;
    each.rank = free;
    diagnostics.warning({}, fmt::format("'{}' does not say its rank: it is taken as rank {}", each.file, free));
  }
  std::ranges::sort(ranks, {}, [](const RankTrace& each) { return *each.rank; });
  return ranks;
}

}  // namespace planner::trace
