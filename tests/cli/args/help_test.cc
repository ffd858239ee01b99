// `trainplan help`: pages, their order and their examples.
#include "cli/args/help.h"

#include <doctest/doctest.h>

#include "cli/commands/commands.h"
#include "tests/cli/harness.h"
#include "tests/cli/sample_files.h"

TEST_CASE("help COMMAND is COMMAND --help, and an unknown command is wrong usage") {
  for (const cli::Command& c : cli::commands()) {
    const Ran a = ran({"help", c.name}), b = ran({c.name, "--help"});
    CHECK(a.status == 0);
    CHECK(a.out == b.out);
  }
  CHECK(ran({"help"}).out == ran({"--help"}).out);
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

TEST_CASE("help --format json has every command and every flag") {
  const Json rows = Json::parse(ran({"help", "--format", "json"}).out).at("commands");
  REQUIRE(rows.size() == cli::commands().size());
  for (size_t i = 0; i < rows.size(); ++i) {
    const cli::Command& c = cli::commands()[i];
    CHECK(rows[i].at("name") == c.name);
    REQUIRE(rows[i].at("flags").size() == c.flags.size());
    for (size_t f = 0; f < c.flags.size(); ++f) {
      const Json& flag = rows[i].at("flags")[f];
      CHECK(flag.at("name") == c.flags[f].name);
      CHECK(flag.at("summary") == c.flags[f].help);
      CHECK((flag.at("takes") == "nothing") == (c.flags[f].takes == cli::Takes::nothing));
    }
    CHECK(rows[i].at("examples").size() == c.examples.size());
  }
  CHECK(Json::parse(ran({"help", "plan", "--format", "json"}).out).at("commands").size() == 1);
}

TEST_CASE("three ways to ask for the version") {
  const Ran version = ran({"--version"});
  CHECK(version.out.starts_with("trainplan "));
  for (const char* word : {"-V", "version"}) CHECK(ran({word}).out == version.out);
}
