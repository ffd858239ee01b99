#include "planner/replay/priced_collectives.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <numeric>

#include "operator_models/models.h"

namespace planner::replay {
namespace {

using operator_models::Collective;
using operator_models::SendRecv;
using Kind = trace::CollectiveKind;
using Modelled = operator_models::CollectiveKind;

/// The model that prices a kind, and its measure of size: the bytes that a rank sends, or those of all ranks' parts.
struct CollectiveModelRow {
  Kind kind;
  Modelled model;
  bool gathered_in = false, gathered_out = false;  // what goes in, or comes out, holds a part of every rank
};
constexpr std::array kModels{
    CollectiveModelRow{Kind::all_reduce, Modelled::all_reduce},
    CollectiveModelRow{Kind::all_gather, Modelled::all_gather, false, true},
    CollectiveModelRow{Kind::reduce_scatter, Modelled::reduce_scatter, true, false},
    CollectiveModelRow{Kind::all_to_all, Modelled::all_to_all},
    CollectiveModelRow{Kind::broadcast, Modelled::broadcast},
    CollectiveModelRow{Kind::reduce, Modelled::broadcast},
};

/// The numbers of "[0, 1, 5]"; empty if it holds something else, such as a truncated group: "[0, ..., 7]".
std::vector<int64_t> numbers_of(std::string_view text) {
  std::vector<int64_t> numbers;
  for (size_t at = 0; at < text.size();) {
    if (const char c = text[at]; c == '[' || c == ']' || c == ',' || c == ' ') {
      ++at;
      continue;
    }
    int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data() + at, text.data() + text.size(), number);
    if (error != std::errc()) return {};
    numbers.push_back(number);
    at = static_cast<size_t>(end - text.data());
  }
  return numbers;
}

/// All ranks of a run, if hosts are given: otherwise neighbours fill the domains anyway.
std::vector<int64_t> all_of(int64_t ranks, const Site& site) {
  constexpr int64_t kMost = 1'000'000;
  if (site.hosts.empty() || ranks > kMost) return {};
  std::vector<int64_t> all(static_cast<size_t>(ranks));
  std::iota(all.begin(), all.end(), 0);
  return all;
}

std::vector<int64_t> members_of(const trace::Collective& c, int64_t ranks, const trace::Trace& trace,
                                const Site& site) {
  if (std::vector<int64_t> said = numbers_of(c.members); !said.empty()) return said;
  if (ranks == trace::world_of(trace)) return all_of(ranks, site);
  std::vector<int64_t> matched;
  for (const trace::Collective::Part& part : c.parts) matched.push_back(*trace[part.rank].rank);
  return matched;
}

/// Of the whole buffer, whichever side says it; negative: neither does.
double bytes_for(const CollectiveModelRow& row, const trace::Collective& c, int64_t ranks) {
  const auto in = static_cast<double>(c.bytes), out = static_cast<double>(c.bytes_out);
  const auto n = static_cast<double>(ranks);
  if (row.gathered_out) return out >= 0 ? out : in * n;
  if (row.gathered_in) return in >= 0 ? in : out * n;
  return in;
}

/// The innermost tier that all ranks share.
int64_t tier_of(const operator_models::Group& group) {
  for (size_t t = 0; t < group.inside.size(); ++t)
    if (group.inside[t] >= group.ranks) return static_cast<int64_t>(t);
  return group.inside.empty() ? 0 : static_cast<int64_t>(group.inside.size()) - 1;
}

}  // namespace

// A group of all ranks has as many as the run.
operator_models::Group group_of(const trace::Collective& c, const trace::Trace& trace, const Site& site) {
  const int64_t ranks = trace::ranks_of(trace, c);
  if (site.ranks && ranks == trace::world_of(trace)) return group_of(*site.ranks, all_of(*site.ranks, site), site);
  return group_of(ranks, members_of(c, ranks, trace, site), site);
}

SizedCollective sized_of(const trace::Collective& c, const trace::Trace& trace) {
  SizedCollective sized{.ranks = trace::ranks_of(trace, c)};
  const auto* const row = std::ranges::find(kModels, c.kind, &CollectiveModelRow::kind);
  if (c.kind == Kind::unknown) {
    sized.missing = "the trace does not say which collective it is";
  } else if (c.kind == Kind::send_recv) {
    sized.bytes = static_cast<double>(std::max(c.bytes, c.bytes_out));
  } else if (row == kModels.end()) {
    sized.missing = "no model prices its kind";
  } else {
    sized.model = row->model;
    sized.bytes = bytes_for(*row, c, sized.ranks);
  }
  if (sized.bytes < 0 && sized.missing.empty()) sized.missing = "the trace does not say how many bytes it moves";
  return sized;
}

TypedCollective operator_of(const trace::Collective& c, const trace::Trace& trace, const Site& site) {
  const SizedCollective sized = sized_of(c, trace);
  if (!sized.missing.empty()) return {{}, sized.missing};
  if (site.machine->network.empty()) return {{}, "the catalogue has no network of the machine"};
  const operator_models::Group group = group_of(c, trace, site);
  if (group.ranks <= 1) return {{}, "nothing says how many ranks take part, or one does"};
  if (!sized.model) return {SendRecv{.bytes = {sized.bytes}, .tier = tier_of(group)}, {}};
  return {Collective{.kind = *sized.model, .bytes = {sized.bytes}, .group = group}, {}};
}

std::optional<CollectiveTime> predicted_time(const TypedCollective& typed, const operator_models::Device& device) {
  if (!typed.op) return std::nullopt;
  const operator_models::Cost cost = operator_models::cost(*typed.op, device);
  return CollectiveTime{std::max(0.0, (cost.seconds - operator_models::launch_of(device)).value), cost.provenance};
}

}  // namespace planner::replay
