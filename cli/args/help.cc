#include "cli/args/help.h"

#include <fmt/format.h>

#include "cli/args/words.h"
#include "cli/args/wrapped.h"

namespace cli {
namespace {

constexpr size_t kLeft = 20, kIndent = 24, kWidth = 56;  // columns of a flag, and of what it does

/// A long left side stands on a line of its own.
std::string flag_lines(const Flag& flag) {
  const std::string left = fmt::format("{} {}", flag.name, flag.placeholder), margin = "\n" + std::string(kIndent, ' ');
  std::string text = "  " + left, gap = left.size() > kLeft ? margin : std::string(kLeft + 2 - left.size(), ' ');
  for (const std::string& line : wrapped(flag.help, kWidth)) {
    text += gap + line;
    gap = margin;
  }
  return text + '\n';
}

std::string flag_list(const Command& command, const char* heading, bool common) {
  std::string text;
  for (const Flag& flag : command.flags)
    if (flag.common == common) text += (text.empty() ? fmt::format("\n{}:\n", heading) : "") + flag_lines(flag);
  return text;
}

}  // namespace

std::string usage(const Command& command) {
  return fmt::format("usage: trainplan {} {} [flags]", command.name, command.argument);
}

std::string help(const Command& command) {
  std::string text = fmt::format("{}\n\n{}\n", usage(command), command.summary);
  text += flag_list(command, "flags", false) + flag_list(command, "flags of every command", true);
  if (!command.examples.empty()) text += "\nexamples:\n";
  for (const Example& example : command.examples) text += fmt::format("  {}:\n    {}\n", example.does, example.line);
  return text;
}

std::string overview(std::span<const Command> commands) {
  std::string text =
      "usage: trainplan COMMAND ... [flags]\n\nWhat a training run will take - time, memory, money - before anything "
      "is rented.\n\ncommands:\n";
  for (const Command& c : commands)
    text += fmt::format("  {:<20}  {}\n", fmt::format("{} {}", c.name, c.argument), c.summary);
  return text + "\ntrainplan help COMMAND says what a command takes; trainplan --version prints the version.\n";
}

std::vector<std::string> flag_names(const Command& command) {
  std::vector<std::string> names = names_of(command.flags);
  names.emplace_back("--help");
  return names;
}

}  // namespace cli
