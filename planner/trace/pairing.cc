#include "planner/trace/pairing.h"

#include <fmt/format.h>

#include <algorithm>

namespace planner::trace {
namespace {

// The only rank with events of a process; kNone: there is none, or several have.
uint32_t rank_of_process(const std::vector<RankTrace>& ranks, int64_t process) {
  uint32_t found = kNone;
  for (uint32_t r = 0; r < ranks.size(); ++r) {
    const auto of_it = [&](const Lane& lane) { return !lane.on_device && lane.process == process; };
    if (process < 0 || std::ranges::none_of(ranks[r].lanes, of_it)) continue;
    if (found != kNone) return kNone;
    found = r;
  }
  return found;
}

}  // namespace

Pairing pair_files(const std::vector<RankTrace>& ranks, const std::vector<Execution>& executions) {
  Pairing pairing;
  std::vector<uint32_t> of_rank(ranks.size(), kNone), unknown;
  for (uint32_t e = 0; e < executions.size(); ++e) {
    const uint32_t rank = rank_of_process(ranks, executions[e].process);
    pairing.rank_of.push_back(rank);
    if (rank == kNone) {
      unknown.push_back(e);
      continue;
    }
    if (of_rank[rank] != kNone)
      pairing.wrong =
          fmt::format("'{}' and '{}' are both of process {}, whose events '{}' has", executions[of_rank[rank]].file,
                      executions[e].file, executions[e].process, ranks[rank].file);
    of_rank[rank] = e;
  }
  std::vector<uint32_t> left;
  for (uint32_t r = 0; r < ranks.size(); ++r)
    if (of_rank[r] == kNone) left.push_back(r);
  if (!pairing.wrong.empty() || unknown.empty()) return pairing;
  if (unknown.size() != left.size()) {
    pairing.wrong = fmt::format(
        "no events are of the process of '{}', and its place among the files does not say its "
        "rank: of {} execution traces and {} traces of events is not known what belongs together",
        executions[unknown.front()].file, unknown.size(), left.size());
    return pairing;
  }
  for (size_t i = 0; i < unknown.size(); ++i) {
    pairing.rank_of[unknown[i]] = left[i];
    pairing.notes.push_back(
        fmt::format("'{}' is taken as of the rank of '{}', by their order: it has no events of its "
                    "process",
                    executions[unknown[i]].file, ranks[left[i]].file));
  }
  return pairing;
}

}  // namespace planner::trace
