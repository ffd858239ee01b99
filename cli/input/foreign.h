// Files of other programs where a scenario is expected.
#pragma once

#include "cli/input/session.h"
#include "planner/shell/shell_text.h"

namespace cli {

/// Returns what a script reads: the files that it names, relative to the current folder or to that of a source.
planner::ShellInput scripts_of(Session& session);

/// As read_input. A configuration of Hugging Face, a folder that holds one, a launch script of Megatron-LM, a job
/// configuration of torchtitan (NAME.toml) and the other kinds of planner/import/run_kinds.h are diagnosed with the
/// commands that read them (null).
const dsl::Source* read_scenario_text(const std::string& path, Streams& streams, Session& session);

/// Like read_scenario_text, for a known run. A file that `import` reads is read like that, without lines that no plan
/// depends on. The source holds its scenario.
const dsl::Source* read_run_text(const std::string& path, Streams& streams, Session& session);

}  // namespace cli
