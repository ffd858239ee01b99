// The commands. Adding one: its file, which returns its row, a line here and one in commands.cc.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/args/command.h"

namespace cli {

Command calibrate_command();
Command check_command();
Command clusters_command();
Command comm_command();
Command compare_command();
Command completion_command();
Command emit_command();
Command explain_command();
Command export_command();
Command help_command();
Command import_command();
Command init_command();
Command list_command();
Command man_command();
Command merge_command();
Command ops_command();
Command plan_command();
Command replay_command();
Command roadmap_command();
Command scale_command();
Command schema_command();
Command search_command();
Command seqpoint_command();
Command serve_command();
Command shard_command();
Command show_command();
Command sweep_command();
Command tune_command();
Command validate_command();

std::span<const Command> commands();

/// "hf", "megatron", "deepspeed", "torchtitan": the first input of `import`.
std::vector<std::string> import_formats();

/// Prints the words that a shell may offer after `trainplan WORDS...`, one a line: commands, flags, names. Of `COMMAND
/// FLAG TYPED`: values of the flag.
int complete_words(const std::vector<std::string>& words, Streams& streams);

/// Everything main does with its arguments (without the program's name); returns the exit status.
int run(const std::vector<std::string>& args, Streams& streams);

}  // namespace cli
