#include "planner/trace/collectives.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "planner/trace/kineto_table.h"
#include "planner/trace/said.h"

namespace planner::trace {
namespace {

/// A group's kernels on each rank, in their order.
struct Family {
  std::string group, shown;
  std::map<size_t, std::vector<Collective>> by_rank;  // of one part each
};

Collective collective_of(const RankTrace& rank, size_t rank_number, size_t event, const Said& said) {
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

/// The families of all ranks, by what says that kernels belong together.
std::map<std::string, Family> families_of(const Trace& trace) {
  std::map<std::string, Family> families;
  for (size_t r = 0; r < trace.size(); ++r) {
    const RankTrace& rank = trace[r];
    const Sayings sayings(rank);
    std::vector<uint32_t> lanes;  // of kernels whose group nobody names
    for (size_t i = 0; i < rank.events.size(); ++i) {
      const Event& event = rank.events[i];
      if (event.role != Role::communication) continue;
      const Said said = sayings.of(i);
      Collective made = collective_of(rank, r, i, said);
      std::string key = fmt::format("group {} of {}", made.group, said.members);
      std::string shown = fmt::format("group '{}'", made.group);
      if (made.group.empty()) {
        const auto at = std::ranges::find(lanes, event.lane);
        shown = key = fmt::format("stream of communication {}", at - lanes.begin() + 1);
        if (at == lanes.end()) lanes.push_back(event.lane);
      }
      Family& family = families[key];
      family.group = made.group;
      family.shown = shown;
      made.index = family.by_rank[r].size();
      family.by_rank[r].push_back(std::move(made));
    }
  }
  return families;
}

void time(const Trace& trace, Collective& collective) {
  const auto event = [&](const Collective::Part& part) -> const Event& { return trace[part.rank].events[part.event]; };
  int64_t end = event(collective.parts.front()).end_ns();
  for (size_t i = 0; i < collective.parts.size(); ++i) {
    const Event &each = event(collective.parts[i]), &latest = event(collective.parts[collective.last]);
    if (each.start_ns > latest.start_ns) collective.last = i;
    end = std::max(end, each.end_ns());
  }
  const int64_t arrival = event(collective.parts[collective.last]).start_ns;
  collective.transfer_ns = end - arrival;
  collective.end_ns = end;
  for (Collective::Part& part : collective.parts)
    part.wait_ns = std::max<int64_t>(0, event(part).duration_ns - collective.transfer_ns);
}

// Joins the k-th of all ranks.
void join(const Trace& trace, Family& family, Matched& matched) {
  std::vector<size_t> counts;
  for (const auto& [rank, kernels] : family.by_rank) counts.push_back(kernels.size());
  if (std::ranges::adjacent_find(counts, std::not_equal_to<>()) != counts.end())
    return matched.mistakes.push_back(
        fmt::format("the ranks have different numbers of kernels of {}: {}", family.shown, fmt::join(counts, ", ")));
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
  const auto size = joined.front().group_size;
  if (size > static_cast<int64_t>(counts.size()))
    matched.notes.push_back(
        fmt::format("{} has {} ranks, of which {} {} here: who is missing is waited for as long as it was measured",
                    family.shown, size, counts.size(), counts.size() == 1 ? "is" : "are"));
  for (Collective& collective : joined) {
    time(trace, collective);
    matched.collectives.push_back(std::move(collective));
  }
}

}  // namespace

Matched match_collectives(const Trace& trace) {
  Matched matched;
  for (auto& [key, family] : families_of(trace)) join(trace, family, matched);
  std::ranges::stable_sort(matched.collectives, {}, &Collective::end_ns);
  return matched;
}

std::vector<std::vector<int64_t>> waits_of(const Trace& trace, const Matched& matched) {
  std::vector<std::vector<int64_t>> waits(trace.size(), std::vector<int64_t>(trace.size(), 0));
  for (const Collective& collective : matched.collectives)
    for (const Collective::Part& part : collective.parts)
      waits[part.rank][collective.parts[collective.last].rank] += part.wait_ns;
  return waits;
}

int64_t waited_in(const Matched& matched, size_t rank, const Step& step) {
  int64_t waited = 0;
  for (const Collective& collective : matched.collectives)
    for (const Collective::Part& part : collective.parts)
      if (part.rank == rank && std::ranges::binary_search(step.events, part.event)) waited += part.wait_ns;
  return waited;
}

}  // namespace planner::trace
