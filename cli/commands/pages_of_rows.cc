#include <fmt/format.h>

#include <algorithm>

#include "cli/args/completion.h"
#include "cli/args/man.h"
#include "cli/args/words.h"
#include "cli/commands/commands.h"
#include "cli/commands/flags.h"

namespace cli {
namespace {

/// A name that no row has; wrong usage.
int unknown(const Command& command, const char* what, const std::string& name, const std::vector<std::string>& names,
            Streams& streams) {
  const std::string hint = or_meant(name, names);
  return refuse_usage(
      command.name,
      fmt::format("unknown {} '{}'{}; usage: trainplan {} {}", what, name, hint, command.name, command.argument),
      streams);
}

int run_completion(const PlainFlags& options, Streams& streams) {
  const std::string& name = options.common.inputs.at(0);
  const auto shell = std::ranges::find_if(shells(), [&](const Shell& s) { return name == s.name; });
  if (shell == shells().end()) return unknown(completion_command(), "shell", name, names_of(shells()), streams);
  streams.out << shell->script(commands());
  return kDone;
}

int run_man(const PlainFlags& options, Streams& streams) {
  if (options.common.inputs.empty()) {
    streams.out << man_page(commands());
    return kDone;
  }
  const std::string& name = options.common.inputs[0];
  const auto command = std::ranges::find_if(commands(), [&](const Command& c) { return name == c.name; });
  if (command == commands().end()) return unknown(man_command(), "command", name, names_of(commands()), streams);
  streams.out << man_page(*command);
  return kDone;
}

constexpr Example kCompletionExamples[] = {
    {"what bash completes, in this shell alone", "source <(trainplan completion bash)"},
    {"a file for zsh", "trainplan completion zsh"},
};
constexpr Example kManExamples[] = {
    {"the page of a command", "trainplan man plan"},
    {"the page of trainplan itself", "trainplan man"},
};

}  // namespace

Command completion_command() {
  return command_of<kPlainFlags, run_completion>({.name = "completion",
                                                  .summary = "print a shell completion script",
                                                  .argument = "bash|zsh|fish",
                                                  .examples = kCompletionExamples});
}

Command man_command() {
  return command_of<kPlainFlags, run_man>({.name = "man",
                                           .summary = "a manual page of trainplan or of a command, in roff",
                                           .argument = "[COMMAND]",
                                           .examples = kManExamples});
}

}  // namespace cli
