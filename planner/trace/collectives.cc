#include "planner/trace/collectives.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "planner/trace/kernel_names.h"
#include "planner/trace/said.h"

namespace planner::trace {
namespace {

/// A group's kernels on each rank, in order.
struct KernelFamily {
  std::string group, shown;
  const char* what = "kernels";
  std::map<size_t, std::vector<Collective>> by_rank;  // of one part each
};

Collective collective_of(const RankTrace& rank, size_t rank_number, size_t event, const CollectiveFacts& said) {
  Collective made;
  made.parts.push_back({.rank = rank_number, .event = event});
  made.name = said.name.empty() ? std::string(without_parameters(rank.name(rank.events[event]))) : said.name;
  made.group = said.group;
  made.kind = said.kind;
  made.bytes = said.bytes_in;
  made.bytes_out = said.bytes_out;
  made.group_size = said.group_size;
  made.members = said.members;
  return made;
}

// Ranks that a server serves: of a machine with several GPUs the first does it for all.
int64_t workers_of(const Trace& trace) {
  return std::ranges::count_if(trace, [](const RankTrace& rank) {
    return std::ranges::any_of(rank.events, [](const Event& event) { return is_with_server(event.kind); });
  });
}

/// The families of all ranks, by what says that kernels belong together.
std::map<std::string, KernelFamily> families_of(const Trace& trace) {
  std::map<std::string, KernelFamily> families;
  const int64_t workers = workers_of(trace);
  for (size_t r = 0; r < trace.size(); ++r) {
    const RankTrace& rank = trace[r];
    const Sayings sayings(rank);
    std::map<uint32_t, size_t> lanes;  // of kernels whose group is unknown, numbered from 1
    for (size_t i = 0; i < rank.events.size(); ++i) {
      const Event& event = rank.events[i];
      if (event.role != Role::communication) continue;
      const CollectiveFacts said = sayings.of(i);
      Collective made = collective_of(rank, r, i, said);
      std::string key = fmt::format("group {} of {}", made.group, said.members);
      std::string shown = fmt::format("group '{}'", made.group);
      if (made.group.empty()) {
        const size_t number = lanes.try_emplace(event.lane, lanes.size() + 1).first->second;
        shown = key = fmt::format("stream of communication {}", number);
      }
      const bool served = is_with_server(event.kind);
      if (served) shown = key = fmt::format("key {}", made.group);
      KernelFamily& family = families[key];
      if (served) family.what = "PUSHs and PULLs", made.group_size = workers;
      family.group = made.group;
      family.shown = shown;
      made.index = family.by_rank[r].size();
      family.by_rank[r].push_back(std::move(made));
    }
  }
  return families;
}

const Event& event_of(const Trace& trace, const Collective::Part& part) { return trace[part.rank].events[part.event]; }

// A server answers each rank separately.
void time_pulls(const Trace& trace, int64_t arrival, Collective& collective) {
  collective.transfer_ns = 0;
  for (size_t i = 0; i < collective.parts.size(); ++i) {
    Collective::Part& part = collective.parts[i];
    const Event& pull = event_of(trace, part);
    if (i != collective.last) part.wait_ns = std::clamp<int64_t>(arrival - pull.start_ns, 0, pull.duration_ns);
    collective.transfer_ns = std::max(collective.transfer_ns, pull.duration_ns - part.wait_ns);
  }
}

void time(const Trace& trace, Collective& collective) {
  const auto arrival = [&](size_t part) { return arrival_ns(trace, collective.parts[part]); };
  collective.end_ns = event_of(trace, collective.parts.front()).end_ns();
  for (size_t i = 0; i < collective.parts.size(); ++i) {
    if (arrival(i) > arrival(collective.last)) collective.last = i;
    collective.end_ns = std::max(collective.end_ns, event_of(trace, collective.parts[i]).end_ns());
  }
  if (collective.kind == CollectiveKind::push_pull) return time_pulls(trace, arrival(collective.last), collective);
  collective.transfer_ns = collective.end_ns - arrival(collective.last);
  for (Collective::Part& part : collective.parts)
    part.wait_ns = std::max<int64_t>(0, event_of(trace, part).duration_ns - collective.transfer_ns);
}

/// Merges each PUSH and its PULL. Returns the mistake; "": none.
std::string fold_rounds(const Trace& trace, const KernelFamily& family, std::vector<Collective>& requests) {
  std::vector<Collective> rounds;
  for (size_t k = 0; k < requests.size(); ++k) {
    const EventKind expected = k % 2 == 0 ? EventKind::push : EventKind::pull;
    for (const Collective::Part& part : requests[k].parts)
      if (event_of(trace, part).kind != expected)
        return fmt::format("rank {} has two {} of {} that follow one another", *trace[part.rank].rank,
                           expected == EventKind::push ? "PULLs" : "PUSHs", family.shown);
    if (k % 2 == 0) continue;
    Collective& pull = rounds.emplace_back(std::move(requests[k]));
    pull.index = k / 2;
    for (size_t p = 0; p < pull.parts.size(); ++p)
      pull.parts[p].push = static_cast<uint32_t>(requests[k - 1].parts[p].event);
  }
  if (requests.size() % 2 != 0) return fmt::format("the last PUSH of {} has no PULL", family.shown);
  requests = std::move(rounds);
  return "";
}

void note_absent(const KernelFamily& family, int64_t size, Matched& matched) {
  const auto here = std::ssize(family.by_rank);
  if (size <= here || ++matched.absent_groups > 1) return;
  matched.absent =
      fmt::format("{} has {} ranks, of which {} {} here", family.shown, size, here, here == 1 ? "is" : "are");
}

// Joins the k-th of all ranks.
void join(const Trace& trace, KernelFamily& family, Matched& matched) {
  std::vector<size_t> counts;
  for (const auto& [rank, kernels] : family.by_rank) counts.push_back(kernels.size());
  if (std::ranges::adjacent_find(counts, std::not_equal_to<>()) != counts.end())
    return matched.mistakes.push_back(fmt::format("the ranks have different numbers of {} of {}: {}", family.what,
                                                  family.shown, fmt::join(counts, ", ")));
  std::vector<Collective> joined = std::move(family.by_rank.begin()->second);
  for (auto other = std::next(family.by_rank.begin()); other != family.by_rank.end(); ++other)
    for (size_t k = 0; k < joined.size(); ++k) {
      joined[k].parts.push_back(other->second[k].parts.front());
      joined[k].bytes = std::max(joined[k].bytes, other->second[k].bytes);
      joined[k].bytes_out = std::max(joined[k].bytes_out, other->second[k].bytes_out);
      if (joined[k].name != other->second[k].name)
        return matched.mistakes.push_back(fmt::format("kernel {} of {} is '{}' on one rank and '{}' on another", k + 1,
                                                      family.shown, joined[k].name, other->second[k].name));
    }
  const bool served = joined.front().kind == CollectiveKind::push_pull;
  if (const std::string wrong = served ? fold_rounds(trace, family, joined) : ""; !wrong.empty())
    return matched.mistakes.push_back(wrong);
  note_absent(family, ranks_of(trace, joined.front()), matched);
  for (Collective& collective : joined) {
    time(trace, collective);
    matched.collectives.push_back(std::move(collective));
  }
}

/// Returns how long before the last PUSH of its round a PULL ended, where an answer on its way does not explain it;
/// else 0. Training that is synchronous, on clocks that are in step, has none.
int64_t early_ns(const Trace& trace, const Collective& collective, const Collective::Part& part) {
  if (part.push == kNone) return 0;
  const int64_t early = arrival_ns(trace, collective.parts[collective.last]) - event_of(trace, part).end_ns();
  return early > kAnswerNs ? early : 0;
}

void note_early(const Trace& trace, Matched& matched) {
  int64_t count = 0, most = 0;
  for (const Collective& collective : matched.collectives)
    for (const Collective::Part& part : collective.parts) {
      const int64_t early = early_ns(trace, collective, part);
      count += early > 0;
      most = std::max(most, early);
    }
  if (count > 0)
    matched.notes.push_back(fmt::format(
        "{} PULLs end before the last PUSH of their round, by up to {:.3f} ms: training is asynchronous, or "
        "clocks are not in step",
        count, static_cast<double>(most) * 1e-6));
}

}  // namespace

int64_t world_of(const Trace& trace) { return std::max(trace.front().world_size.value_or(0), std::ssize(trace)); }

int64_t ranks_of(const Trace& trace, const Collective& c) {
  if (c.group_size > 0) return c.group_size;
  return c.group.empty() ? world_of(trace) : std::ssize(c.parts);
}

int64_t arrival_ns(const Trace& trace, const Collective::Part& part) {
  return part.push == kNone ? event_of(trace, part).start_ns : trace[part.rank].events[part.push].end_ns();
}

Matched match_collectives(const Trace& trace) {
  Matched matched;
  for (auto& [key, family] : families_of(trace)) join(trace, family, matched);
  std::ranges::stable_sort(matched.collectives, {}, &Collective::end_ns);
  note_early(trace, matched);
  return matched;
}

std::string absent_text(const Matched& matched) {
  const size_t others = matched.absent_groups - 1;
  const std::string more =
      others == 0 ? "" : fmt::format(", and {} other group{} absent ones", others, others == 1 ? " has" : "s have");
  return fmt::format("{}{}: what a collective took holds the wait for absent ranks", matched.absent, more);
}

std::vector<std::vector<int64_t>> waits_of(const Trace& trace, const Matched& matched) {
  std::vector<std::vector<int64_t>> waits(trace.size(), std::vector<int64_t>(trace.size(), 0));
  for (const Collective& collective : matched.collectives)
    for (const Collective::Part& part : collective.parts)
      waits[part.rank][collective.parts[collective.last].rank] += part.wait_ns;
  return waits;
}

int64_t waited_in(const Trace& trace, const Matched& matched, size_t rank, TimeInterval window) {
  std::vector<TimeInterval> waits;
  for (const Collective& collective : matched.collectives)
    for (const Collective::Part& part : collective.parts) {
      if (part.rank != rank || part.wait_ns <= 0) continue;
      const int64_t begin = event_of(trace, part).start_ns;
      waits.push_back({std::max(begin, window.begin_ns), std::min(begin + part.wait_ns, window.end_ns)});
    }
  std::ranges::sort(waits, {}, &TimeInterval::begin_ns);
  Union waited;
  for (const TimeInterval& wait : waits) waited.add(wait);
  return waited.length_ns();
}

}  // namespace planner::trace
