#include "cli/args/help.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/args/words.h"
#include "cli/commands/commands.h"
#include "cli/commands/flags.h"
#include "cli/pages/help_report.h"

namespace cli {
namespace {

int run_help(const PlainFlags& options, Streams& streams) {
  const bool for_people = options.common.format == "table";
  if (options.common.inputs.empty() && for_people) return streams.out << overview(commands()), kDone;
  if (options.common.inputs.empty()) return print(help_report(commands()), options.common, streams, "help");
  const std::string& name = options.common.inputs[0];
  const auto row = std::ranges::find(commands(), name, &Command::name);
  if (row == commands().end())
    return refuse_usage("help", fmt::format("unknown command '{}'{}", name, or_meant(name, names_of(commands()))),
                        streams);
  if (for_people) return streams.out << help(*row), kDone;
  return print(help_report({row, 1}), options.common, streams, "help");
}

constexpr Example kHelpExamples[] = {
    {"what a command takes", "trainplan help plan"},
    {"every command and flag, for a program", "trainplan help --format json"},
};

}  // namespace

Command help_command() {
  return command_of<kPlainFlags, run_help>({.name = "help",
                                            .summary = "what the commands and their flags do, as text or as JSON",
                                            .argument = "[COMMAND]",
                                            .examples = kHelpExamples});
}

}  // namespace cli
