// What shells and man say of the commands: every row of every command, and nothing that a shell would read otherwise.
#include "cli/args/completion.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "cli/args/help.h"
#include "cli/args/man.h"
#include "cli/commands/commands.h"
#include "tests/cli/harness.h"

namespace {

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// The text from one heading to the next.
std::string between(const std::string& text, const std::string& from, const std::string& to) {
  const size_t begin = text.find(from);
  REQUIRE_MESSAGE(begin != std::string::npos, from);
  return text.substr(begin, text.find(to, begin + from.size()) - begin);
}

/// "\-\-set" as man has it.
std::string in_roff(std::string text) {
  for (size_t at = text.find('-'); at != std::string::npos; at = text.find('-', at + 2)) text.insert(at, 1, '\\');
  return text;
}

}  // namespace

TEST_CASE("every flag of every command stands in each completion and in its manual page") {
  const std::string bash = ran({"completion", "bash"}).out, zsh = ran({"completion", "zsh"}).out,
                    fish = ran({"completion", "fish"}).out;
  for (const cli::Command& c : cli::commands()) {
    const std::string name = c.name, page = ran({"man", name}).out;
    const std::string in_bash = between(bash, "    " + name + ") flags=", " ;;") + " ";
    const std::string in_zsh = between(zsh, "    " + name + ")\n", ";;");
    CHECK(page == cli::man_page(c));
    for (const cli::Flag& flag : c.flags) {
      CAPTURE(name);
      CAPTURE(flag.name);
      CHECK((has(in_bash, std::string(flag.name) + " ") || has(in_bash, std::string(flag.name) + "'")));
      CHECK(has(in_zsh, std::string(flag.name) + "["));
      CHECK(has(fish, "from " + name + "' -l " + (flag.name + 2)));
      CHECK(has(page, "\\fB" + in_roff(flag.name) + "\\fR"));
    }
    CHECK(has(zsh, "'" + name + ":"));
    CHECK(has(fish, "-a " + name + " -d "));
  }
}

TEST_CASE("flags that take one of some words are completed by these in every shell") {
  for (const cli::Command& c : cli::commands())
    for (const cli::Flag& flag : c.flags) {
      if (flag.takes != cli::Takes::word) continue;
      std::string words = flag.placeholder;
      std::replace(words.begin(), words.end(), '|', ' ');
      for (const cli::Shell& shell : cli::shells()) CHECK(has(shell.script(cli::commands()), words));
    }
}

TEST_CASE("texts with quotes, brackets and colons stay one word of a shell") {
  constexpr cli::Flag kFlags[] = {{"--odd", "A:B", "it's [odd]: very", cli::Takes::text}};
  const cli::Command odd{
      .name = "odd", .summary = "isn't: even", .argument = "X", .flags = kFlags, .function = nullptr};
  const std::span<const cli::Command> one(&odd, 1);
  CHECK(has(cli::shells()[1].script(one), R"('--odd[it'\''s \[odd\]\: very]:A\:B:_files')"));
  CHECK(has(cli::shells()[2].script(one), R"(-l odd -r -d 'it'\''s [odd]: very')"));
}

TEST_CASE("a manual page: no line of a text is a request, and the parts are in their order") {
  constexpr cli::Flag kFlags[] = {{"--own", "N", ".dots and \\ slashes", cli::Takes::whole},
                                  {"--all", "", "of all", cli::Takes::nothing, 0, true}};
  constexpr cli::Example kExamples[] = {{"says", "trainplan toy x-y"}};
  const cli::Command toy{
      .name = "toy", .summary = "a toy", .argument = "X", .flags = kFlags, .examples = kExamples, .function = nullptr};
  CHECK(cli::man_page(toy) ==
        ".TH \"TRAINPLAN\\-TOY\" 1 \"\" \"trainplan\" \"trainplan\"\n"
        ".SH NAME\ntrainplan\\-toy \\- a toy\n"
        ".SH SYNOPSIS\n\\fBtrainplan toy\\fR X [flags]\n"
        ".SH OPTIONS\n.TP\n\\fB\\-\\-own\\fR \\fIN\\fR\n\\&.dots and \\e slashes\n"
        ".SH OPTIONS OF EVERY COMMAND\n.TP\n\\fB\\-\\-all\\fR\nof all\n"
        ".SH EXAMPLES\n.PP\nsays:\n.PP\n.nf\n.RS\ntrainplan toy x\\-y\n.RE\n.fi\n"
        ".SH SEE ALSO\ntrainplan(1)\n");
  const std::string all = ran({"man"}).out;
  for (const cli::Command& c : cli::commands()) CHECK(has(all, "\\fB" + std::string(c.name) + "\\fR"));
}

TEST_CASE("an unknown shell or command is wrong usage") {
  CHECK(ran({"completion", "bsh"}).err ==
        "trainplan completion: unknown shell 'bsh', did you mean 'bash' or 'zsh'?; usage: trainplan completion "
        "bash|zsh|fish\n");
  CHECK(ran({"man", "pln"}).status == 2);
  CHECK(ran({"completion"}).status == 2);
}
