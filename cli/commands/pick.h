// --pick, of commands that plan one configuration.
#pragma once

#include <functional>

#include "cli/commands/open.h"

namespace cli {

/// Runs a command that takes --pick. `best` first sets every choice as in the best plan of a search; a number sets it
/// as in that row. Returns kNotFeasible, with a message, if there is none. With `best` the command then runs on the
/// first candidate that can be planned, if there is one.
int with_picked(const CommonFlags& common, const ScenarioFlags& flags, planner::Opens opens, Streams& streams,
                const std::function<int(const ScenarioFlags&, Streams&)>& command);

/// The command as a function of its flags. REQUIRES: Flags has the members `common` and `scenario`.
template <class Flags> int with_picked(const Flags& flags, Streams& streams, int (*command)(const Flags&, Streams&)) {
  return with_picked(flags.common, flags.scenario, planner::Opens::unwritten, streams,
                     [&](const ScenarioFlags& picked, Streams& from) {
                       Flags one = flags;
                       one.scenario = picked;
                       return command(one, from);
                     });
}

}  // namespace cli
