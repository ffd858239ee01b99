#include "cli/commands/replay_sharding.h"

#include <fmt/format.h>

#include <cmath>

#include "cli/input/json_object.h"
#include "dsl/json.h"

namespace cli {
namespace {

constexpr const char* kWritten = "`trainplan shard TABLES ... --format json` writes such a file";

planner::replay::Sharding read_best(const JsonObject& sharder, size_t ranks) {
  planner::replay::Sharding sharding;
  for (const dsl::Node& each : sharder.list("lookup_seconds_per_rank")) {
    const double seconds = json_number(each).value_or(-1);
    if (!(seconds >= 0 && seconds <= planner::replay::kMostKernelSeconds))
      sharder.wrong(each.span, fmt::format("expected seconds from 0 to {:.0f}", planner::replay::kMostKernelSeconds));
    sharding.lookup_seconds.push_back(seconds);
  }
  if (sharding.lookup_seconds.size() != ranks)
    sharder.wrong(sharder.place("lookup_seconds_per_rank"),
                  fmt::format("the tables are on {} ranks, and there are execution traces of {}",
                              sharding.lookup_seconds.size(), ranks));
  const double bytes = sharder.number("message_bytes");
  if (!(bytes >= 0 && bytes <= 1e18)) sharder.wrong(sharder.place("message_bytes"), "expected bytes from 0 to 1e18");
  if (sharder.good()) sharding.message_bytes = std::llround(bytes);
  return sharding;
}

}  // namespace

std::optional<planner::replay::Sharding> sharding_of(const std::string& path, size_t ranks, Streams& streams,
                                                     Session& session) {
  const dsl::Source* source = read_input(path, streams, session, dsl::kWrittenLimits.bytes);
  if (!source) return std::nullopt;
  const dsl::Node root = dsl::parse_json(*source, session.diagnostics, dsl::kWrittenLimits);
  if (session.diagnostics.has_errors()) return std::nullopt;
  const JsonObject top(root, session.diagnostics);
  if (root.kind != dsl::Node::Kind::map || !top.has("sharders"))
    return session.diagnostics.error(root.span, "expected placements of tables", kWritten), std::nullopt;
  const std::string best = top.text("best");
  for (const dsl::Node& each : top.list("sharders")) {
    const JsonObject sharder(each, session.diagnostics);
    if (sharder.text("name") != best) continue;
    planner::replay::Sharding sharding = read_best(sharder, ranks);
    return session.diagnostics.has_errors() ? std::nullopt : std::optional(std::move(sharding));
  }
  top.wrong(top.place("best"), fmt::format("no sharder is called '{}'", best), kWritten);
  return std::nullopt;
}

}  // namespace cli
