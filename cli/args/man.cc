#include "cli/args/man.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <string_view>

namespace cli {
namespace {

struct StatusRow {
  Status status;
  const char* means;
};
constexpr std::array kStatuses{
    StatusRow{kDone, "done"},
    StatusRow{kInvalidInput, "invalid input: a mistake in a file, an unreadable file, a bad --set, an unknown name"},
    StatusRow{kWrongUsage, "wrong usage: an unknown flag, command or column, a missing argument"},
    StatusRow{kNotFeasible, "nothing is feasible; a plan with violations is printed all the same"},
    StatusRow{kAboveLimit, "validate: the error is above --max-mape, or a figure of a study is missed"},
    StatusRow{kNotAsserted, "something that the scenario asserts does not hold of the plan"},
    StatusRow{kOutOfMemory, "out of memory"},
    StatusRow{kInterrupted, "interrupted, after printing what was found so far"},
};

/// A text for roff: '-' is the hyphen-minus, and no line is a request.
std::string roff(std::string_view text) {
  std::string out;
  for (const char c : text) out += c == '\\' ? std::string("\\e") : c == '-' ? std::string("\\-") : std::string(1, c);
  return (text.starts_with('.') || text.starts_with('\'') ? "\\&" : "") + out;
}

std::string head(std::string title, std::string_view name, std::string_view summary) {
  std::ranges::transform(title, title.begin(), [](unsigned char c) { return std::toupper(c); });
  return fmt::format(".TH \"{}\" 1 \"\" \"trainplan\" \"trainplan\"\n.SH NAME\n{} \\- {}\n", roff(title), roff(name),
                     roff(summary));
}

std::string item(const std::string& left, std::string_view right) {
  return fmt::format(".TP\n{}\n{}\n", left, roff(right));
}

std::string flags_of(const Command& command, const char* heading, bool common) {
  std::string out;
  for (const Flag& flag : command.flags) {
    if (flag.common != common) continue;
    if (out.empty()) out = fmt::format(".SH {}\n", heading);
    const std::string takes = flag.takes == Takes::nothing ? "" : fmt::format(" \\fI{}\\fR", roff(flag.placeholder));
    out += item(fmt::format("\\fB{}\\fR{}", roff(flag.name), takes), flag.help);
  }
  return out;
}

}  // namespace

std::string man_page(const Command& command) {
  const std::string name = fmt::format("trainplan-{}", command.name);
  std::string out = head(name, name, command.summary);
  out += fmt::format(".SH SYNOPSIS\n\\fBtrainplan {}\\fR {} [flags]\n", roff(command.name), roff(command.argument));
  out += flags_of(command, "OPTIONS", false) + flags_of(command, "OPTIONS OF EVERY COMMAND", true);
  if (!command.examples.empty()) out += ".SH EXAMPLES\n";
  for (const Example& example : command.examples)
    out += fmt::format(".PP\n{}:\n.PP\n.nf\n.RS\n{}\n.RE\n.fi\n", roff(example.does), roff(example.line));
  return out + ".SH SEE ALSO\ntrainplan(1)\n";
}

std::string man_page(std::span<const Command> commands) {
  std::string out = head("trainplan", "trainplan", "what a training run will take - time, memory, money");
  out += ".SH SYNOPSIS\n\\fBtrainplan\\fR \\fICOMMAND\\fR ... [flags]\n.SH COMMANDS\n";
  for (const Command& c : commands)
    out += item(fmt::format("\\fB{}\\fR {}", roff(c.name), roff(c.argument)), c.summary);
  out += ".SH EXIT STATUS\n";
  for (const StatusRow& row : kStatuses) out += item(fmt::format("{}", static_cast<int>(row.status)), row.means);
  out += ".SH SEE ALSO\n";
  for (const Command& c : commands)
    out += fmt::format("{}trainplan\\-{}(1)", &c == commands.data() ? "" : ",\n", roff(c.name));
  return out + "\n";
}

}  // namespace cli
