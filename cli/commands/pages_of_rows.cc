#include <fmt/format.h>

#include <algorithm>

#include "cli/args/completion.h"
#include "cli/args/help.h"
#include "cli/args/man.h"
#include "cli/args/words.h"
#include "cli/commands/commands.h"
#include "cli/commands/flags.h"
#include "cli/pages/help_report.h"

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

/// The commands of a page: the one that is named, or all. Empty: no command has this name.
std::span<const Command> commands_of(const PlainFlags& options) {
  if (options.common.inputs.empty()) return commands();
  const auto command = std::ranges::find(commands(), options.common.inputs[0], &Command::name);
  return command == commands().end() ? std::span<const Command>() : std::span(command, 1);
}

int unknown_command(const Command& command, const PlainFlags& options, Streams& streams) {
  return unknown(command, "command", options.common.inputs[0], names_of(commands()), streams);
}

int run_man(const PlainFlags& options, Streams& streams) {
  const std::span<const Command> named = commands_of(options);
  if (named.empty()) return unknown_command(man_command(), options, streams);
  streams.out << (options.common.inputs.empty() ? man_page(named) : man_page(named.front()));
  return kDone;
}

int run_help(const PlainFlags& options, Streams& streams) {
  const std::span<const Command> named = commands_of(options);
  if (named.empty()) return unknown_command(help_command(), options, streams);
  if (options.common.format != "table") return print(help_report(named), options.common, streams, "help");
  streams.out << (options.common.inputs.empty() ? overview(named) : help(named.front()));
  return kDone;
}

constexpr Example kCompletionExamples[] = {
    {"what bash completes, in this shell alone", "source <(trainplan completion bash)"},
    {"a file for zsh", "trainplan completion zsh"},
};
constexpr Example kHelpExamples[] = {
    {"what a command takes", "trainplan help plan"},
    {"every command and flag, for a program", "trainplan help --format json"},
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

Command help_command() {
  return command_of<kPlainFlags, run_help>({.name = "help",
                                            .summary = "what the commands and their flags do, as text or as JSON",
                                            .argument = "[COMMAND]",
                                            .examples = kHelpExamples});
}

Command man_command() {
  return command_of<kPlainFlags, run_man>({.name = "man",
                                           .summary = "a manual page of trainplan or of a command, in roff",
                                           .argument = "[COMMAND]",
                                           .examples = kManExamples});
}

}  // namespace cli
