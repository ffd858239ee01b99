#include "planner/trace/collectives.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "planner/trace/data_types.h"
#include "planner/trace/kineto_table.h"

namespace planner::trace {
namespace {

/// Finds what a kernel's host said of its collective: the kernel's own arguments, or those of the operator that
/// launched it.
class Sayings {
 public:
  explicit Sayings(const RankTrace& rank) : rank_(rank) {
    for (const Event& event : rank.events)
      if (event.kind == Kind::op && says(rank.detail(event)))
        by_external_.try_emplace(event.external, rank.detail(event));
  }

  const Detail* of(size_t kernel) const {
    const Event& event = rank_.events[kernel];
    if (says(rank_.detail(event))) return rank_.detail(event);
    const uint32_t call = rank_.launched_by[kernel];
    const auto op = by_external_.find(call == kNone ? event.external : rank_.events[call].external);
    return op == by_external_.end() ? nullptr : op->second;
  }

 private:
  static bool says(const Detail* detail) { return detail && detail->collective != kNone; }
  const RankTrace& rank_;
  std::unordered_map<int64_t, const Detail*> by_external_;
};

/// A group's kernels on each rank, in their order.
struct Family {
  std::string group, shown;
  std::map<size_t, std::vector<Collective>> by_rank;  // of one part each
};

std::string text_of(const RankTrace& rank, uint32_t number) { return number == kNone ? "" : rank.names[number]; }

Collective collective_of(const RankTrace& rank, size_t rank_number, size_t event, const Detail* said) {
  Collective made;
  made.parts.push_back({.rank = rank_number, .event = event});
  made.name = said ? text_of(rank, said->collective) : std::string(without_parameters(rank.name(rank.events[event])));
  if (!said) return made;
  made.group = text_of(rank, said->group);
  made.group_size = said->group_size;
  const int64_t size = bytes_of_type(text_of(rank, said->data_type));
  if (said->elements_in >= 0 && size > 0) made.bytes = said->elements_in * size;
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
      const Detail* said = sayings.of(i);
      Collective made = collective_of(rank, r, i, said);
      std::string key = fmt::format("group {} of {}", made.group, said ? text_of(rank, said->members) : "");
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

}  // namespace planner::trace
