#include "planner/trace/readers.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "planner/trace/chakra.h"
#include "planner/trace/kineto.h"
#include "planner/trace/launches.h"
#include "planner/unpack/byte_reader.h"

namespace planner::trace {
namespace {

constexpr const char* kSkip = "--skip-broken leaves out what is broken, and says what that was";
// Clocks of a device and of what writes the trace tick in microseconds: what ends in one tick may begin the next
// before.
constexpr int64_t kTickNs = 2000;

std::string told(const std::string& name, const Mistake& mistake, const char* what) {
  const std::string place =
      mistake.byte < 0 ? "" : fmt::format("{} {} (byte {}): ", what, mistake.event + 1, mistake.byte);
  return fmt::format("cannot read '{}': {}{}", name, place, mistake.message);
}

// Events of one stream follow one another.
void check_streams(RankTrace& trace, bool skip_broken) {
  std::map<uint32_t, int64_t> ends;
  std::vector<Event> kept;
  for (const Event& event : trace.events) {
    if (!is_on_device(event.kind)) continue;
    int64_t& end = ends.try_emplace(event.lane, event.start_ns).first->second;
    if (event.start_ns < end - kTickNs) {
      const Lane& lane = trace.lane(event);
      trace.mistakes.push_back(
          {-1, -1,
           fmt::format("'{:.60}' begins {:.3f} us before what runs on stream {} of device {} ends", trace.name(event),
                       static_cast<double>(end - event.start_ns) * 1e-3, lane.thread, lane.process)});
      if (!skip_broken) return;
    }
    end = std::max(end, event.end_ns());
  }
}

}  // namespace

namespace {

std::optional<RankTrace> read_events(const std::string& name, unpack::ByteReader& bytes, bool skip_broken,
                                     dsl::Diagnostics& diagnostics) {
  RankTrace trace;
  trace.file = name;
  read_kineto(bytes, skip_broken, trace);
  trace.launched_by = launches_of(trace);
  check_streams(trace, skip_broken);
  for (const Mistake& mistake : trace.mistakes) {
    if (!skip_broken) return diagnostics.error({}, told(name, mistake, "event"), kSkip), std::nullopt;
    diagnostics.warning({}, told(name, mistake, "event"));
  }
  if (!trace.events.empty()) return trace;
  diagnostics.error(
      {}, fmt::format("cannot use '{}': of its {} events none is an operator, a call or a kernel", name, trace.read));
  return std::nullopt;
}

std::optional<Execution> read_execution(const std::string& name, unpack::ByteReader& bytes,
                                        dsl::Diagnostics& diagnostics) {
  Execution execution;
  execution.file = name;
  const std::optional<Mistake> mistake = read_chakra(bytes, execution);
  if (!mistake) return execution;
  diagnostics.error({}, told(name, *mistake, "message"), "it is no JSON, and was read as a trace of Chakra");
  return std::nullopt;
}

}  // namespace

std::optional<RankTrace> read_rank(const Input& input, bool skip_broken, dsl::Diagnostics& diagnostics) {
  unpack::ByteReader bytes(input.bytes);
  return read_events(input.name, bytes, skip_broken, diagnostics);
}

namespace {

// Whether a text looks like JSON: a map or a list begins, or there is nothing but text. A trace of Chakra begins with
// the length of its metadata and the number of a field.
bool looks_like_json(std::string_view head) {
  const auto is_blank = [](char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; };
  const bool is_text = std::ranges::all_of(head, [&](char c) { return is_blank(c) || (c > ' ' && c < 127); });
  std::string marks;  // the first two that are no blanks
  for (const char c : head)
    if (!is_blank(c) && marks.size() < 2) marks += c;
  return is_text || marks == "{\"" || marks == "[{";
}

}  // namespace

Read read_any(const Input& input, bool skip_broken, dsl::Diagnostics& diagnostics) {
  constexpr size_t kHead = 64;
  unpack::ByteReader bytes(input.bytes);
  if (looks_like_json(bytes.peek(kHead)))
    return {read_events(input.name, bytes, skip_broken, diagnostics), std::nullopt};
  return {std::nullopt, read_execution(input.name, bytes, diagnostics)};
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
