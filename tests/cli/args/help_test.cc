// `trainplan help`: pages, their order and their examples.
#include "cli/args/help.h"

#include <doctest/doctest.h>

#include "cli/commands/commands.h"
#include "tests/cli/harness.h"

TEST_CASE("help COMMAND is COMMAND --help, and an unknown command is wrong usage") {
  for (const cli::Command& c : cli::commands()) {
    const Ran a = ran({"help", c.name}), b = ran({c.name, "--help"});
    CHECK(a.status == 0);
    CHECK(a.out == b.out);
  }
  CHECK(ran({"help"}).out == ran({"--help"}).out);
  CHECK(ran({"help", "--help"}).out == ran({"--help"}).out);
  const Ran r = ran({"help", "serch"});
  CHECK(r.status == 2);
  CHECK(r.err.find("did you mean 'search'?") != std::string::npos);
}

TEST_CASE("a command's own flags stand before those that every command has, and two examples end the page") {
  for (const cli::Command& c : cli::commands()) {
    CAPTURE(std::string(c.name));
    bool common = false;
    for (const cli::Flag& flag : c.flags) {
      CHECK_FALSE((common && !flag.common));
      common |= flag.common;
    }
    CHECK(common);
    CHECK(c.examples.size() == 2);
    const std::string page = cli::help(c);
    for (const cli::Example& example : c.examples)
      CHECK(page.find(std::string("  ") + example.does + ":\n    " + example.line + "\n") != std::string::npos);
    const size_t last = page.rfind("flags of every command:");
    CHECK(page.find("\nexamples:\n") > last);
  }
}
