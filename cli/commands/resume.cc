#include "cli/commands/resume.h"

#include <fmt/format.h>

#include "cli/commands/common.h"
#include "cli/pages/partial_input.h"

namespace cli {
namespace {

std::string shard_of(const planner::SearchOptions& options) {
  return options.shards == 1 ? "no --shard" : fmt::format("--shard {}/{}", options.shard + 1, options.shards);
}

// Threads claim the part after their last one, which may lie behind the last part of the space.
bool lies_in(const planner::OpenScenario& open, const planner::Unfinished& left, int64_t shards) {
  const int64_t parts = planner::part_count(open);
  const bool begun = left.begun.empty() || left.begun.back().part < parts + shards * kMostThreads;
  return begun && left.next_part < parts + shards * (kMostThreads + 1);
}

}  // namespace

std::optional<Partial> read_interrupted(const std::string& path, const Partial& search,
                                        const planner::OpenScenario& open, Streams& streams, Session& session) {
  const dsl::Source* source = read_input(path, streams, session, kResultLimits.bytes);
  std::optional<Partial> before = source ? read_partial(*source, session.diagnostics) : std::nullopt;
  if (!before) return std::nullopt;
  check_same(*before, search, "this search", session.diagnostics);
  const std::string theirs = shard_of(before->options), ours = shard_of(search.options);
  if (theirs != ours)
    session.diagnostics.error(before->places.at("shard"), "made with " + theirs + ", and this search with " + ours);
  if (!before->result.unfinished)
    session.diagnostics.error(before->places.at("unfinished"), "this shard is finished: nothing is left to resume");
  else if (!lies_in(open, *before->result.unfinished, search.options.shards))
    session.diagnostics.error(before->places.at("unfinished"), "the space of this search has no such parts");
  return before;
}

}  // namespace cli
