#include "cli/commands/pages_of_rows.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/args/completion.h"
#include "cli/args/man.h"
#include "cli/commands/commands.h"
#include "cli/commands/flags.h"

namespace cli {
namespace {

struct RowsFlags {
  CommonFlags common;
};
constexpr auto kRowsFlags = plain_flags<RowsFlags>();

/// A name that no row has; wrong usage.
template <class Rows>
int unknown(const char* command, const char* what, const std::string& name, const Rows& rows, Streams& streams) {
  std::vector<std::string> names;
  for (const auto& row : rows) names.emplace_back(row.name);
  const std::string hint = dsl::did_you_mean(name, names);
  streams.err << fmt::format("trainplan {}: unknown {} '{}'{}{}; usage: trainplan {} {}\n", command, what, name,
                             hint.empty() ? "" : ", ", hint, command,
                             what == std::string("shell") ? "bash|zsh|fish" : "[COMMAND]");
  return kWrongUsage;
}

int run_completion(const RowsFlags& options, Streams& streams) {
  const std::string& name = options.common.inputs.at(0);
  const auto shell = std::ranges::find_if(shells(), [&](const Shell& s) { return name == s.name; });
  if (shell == shells().end()) return unknown("completion", "shell", name, shells(), streams);
  streams.out << shell->script(commands());
  return kDone;
}

int run_man(const RowsFlags& options, Streams& streams) {
  if (options.common.inputs.empty()) {
    streams.out << man_page(commands());
    return kDone;
  }
  const std::string& name = options.common.inputs[0];
  const auto command = std::ranges::find_if(commands(), [&](const Command& c) { return name == c.name; });
  if (command == commands().end()) return unknown("man", "command", name, commands(), streams);
  streams.out << man_page(*command);
  return kDone;
}

constexpr Example kCompletionExamples[] = {
    {"what bash completes, in this shell alone", "source <(trainplan completion bash)"},
    {"a file for zsh", "trainplan completion zsh"},
};
constexpr Example kManExamples[] = {
    {"the page of a command", "trainplan man plan"},
    {"the page of all", "trainplan man"},
};

}  // namespace

Command completion_command() {
  return {.name = "completion",
          .summary = "what a shell completes, as a script of it",
          .argument = "bash|zsh|fish",
          .flags = kRowsFlags.flags,
          .examples = kCompletionExamples,
          .function = run_with<kRowsFlags, RowsFlags, run_completion>};
}

Command man_command() {
  return {.name = "man",
          .summary = "a manual page of trainplan or of a command, in roff",
          .argument = "[COMMAND]",
          .flags = kRowsFlags.flags,
          .examples = kManExamples,
          .function = run_with<kRowsFlags, RowsFlags, run_man>};
}

}  // namespace cli
