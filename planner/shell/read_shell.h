// What bash makes of a launch script: its commands, word by word. Nothing is run.
//
//     script -> CommandNode (syntax.h) -> ScriptRunner -> ShellText
#pragma once

#include "dsl/node.h"
#include "planner/shell/shell_text.h"

namespace planner {

/// Returns the words of a text, as a command gets them.
std::vector<std::string> shell_words(const std::string& text);

/// Runs a script in thought: quotes, variables, lists, arithmetic, `if`, `case`, loops, functions, `source`, `eval`,
/// `bash -c`. A variable that nothing sets stays as written ("$NAME"); a test of whether it is set finds that it is
/// not. A condition that depends on anything else from outside is a question: every answer is followed. An open quote,
/// bracket or `if` is diagnosed.
ShellText read_shell(const dsl::Source& source, dsl::Diagnostics& diagnostics, const ShellInput& input = {});

}  // namespace planner
