#include "cli/commands/resume.h"

#include <fmt/format.h>

#include "cli/pages/partial_input.h"

namespace cli {
namespace {

std::string shard_of(const planner::SearchOptions& options) {
  return options.shards == 1 ? "no --shard" : fmt::format("--shard {}/{}", options.shard + 1, options.shards);
}

}  // namespace

std::optional<Partial> read_interrupted(const std::string& path, const Partial& search, Streams& streams,
                                        Session& session) {
  const dsl::Source* source = read_input(path, streams, session, kResultLimits.bytes);
  std::optional<Partial> before = source ? read_partial(*source, session.diagnostics) : std::nullopt;
  if (!before) return std::nullopt;
  check_same(*before, search, "this search", session.diagnostics);
  const std::string theirs = shard_of(before->options), ours = shard_of(search.options);
  if (theirs != ours)
    session.diagnostics.error(before->places.at("shard"), "made with " + theirs + ", and this search with " + ours);
  if (!before->result.unfinished)
    session.diagnostics.error(before->places.at("unfinished"), "this shard is finished: nothing is left to resume");
  return before;
}

}  // namespace cli
