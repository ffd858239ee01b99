// The command of a script that launches a run.
#pragma once

#include "planner/import/shell_words.h"

namespace planner {

/// Returns the command with most flags, words inside of quotes ("bash -c '...'") taken apart; null where none has any.
const ShellCommand* launch_of(ShellText& text);

}  // namespace planner
