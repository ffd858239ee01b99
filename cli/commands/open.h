// Scenarios with open choices, for the commands that walk through them.
#pragma once

#include <optional>

#include "cli/commands/common.h"

namespace cli {

/// A scenario with the text that it was read from.
struct Opened {
  const dsl::Source* text = nullptr;
  std::optional<planner::OpenScenario> scenario;  // absent after a mistake (diagnosed)
  double candidates = 0;                          // of one shard, about
};

/// `limit`: combinations that one of `shards` may have.
Opened load_open(const CommonFlags& common, const ScenarioFlags& flags, Streams& streams, Session& session,
                 double limit, int64_t shards = 1);

/// "parallelism.tp=4 parallelism.pp=8", as --set takes them.
std::vector<std::string> sets_of(const std::vector<std::string>& names, const std::vector<dsl::Value>& values);

}  // namespace cli
