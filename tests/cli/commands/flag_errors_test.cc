// Mistakes in the flags of every command, from the rows of the commands themselves.
#include <doctest/doctest.h>

#include <algorithm>

#include "cli/args/help.h"
#include "cli/commands/commands.h"
#include "tests/cli/harness.h"

namespace {

using cli::Takes;

/// Values that a flag does not take, by what it takes.
std::vector<std::string> wrong_values(const cli::Flag& flag) {
  switch (flag.takes) {
    case Takes::word:
    case Takes::words:
      return {"no-such-word", "", "Best Of All"};
    case Takes::whole:
      return {"x", "1.5", "1e400"};
    case Takes::positive_whole:
      return {"x", "1.5", "0", "-1"};
    case Takes::number:
      return {"x", "1x", "--"};
    case Takes::positive:
      return {"x", "1x", "0", "-1"};
    case Takes::numbers:
      return {"x", "1,x"};
    default:
      return {};
  }
}

/// One line on standard error, which ends with how the command is used, and nothing on standard output.
void check_wrong(const cli::Command& command, const Ran& r) {
  CAPTURE(r.err);
  CHECK(r.status == 2);
  CHECK(r.out == "");
  CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
  CHECK(r.err.starts_with(std::string("trainplan ") + command.name + ": "));
  CHECK(r.err.ends_with("; " + cli::usage(command) + "\n"));
}

}  // namespace

TEST_CASE("a flag without its value is wrong usage, and the message names the flag") {
  for (const cli::Command& command : cli::commands())
    for (const cli::Flag& flag : command.flags) {
      if (flag.takes == Takes::nothing) continue;
      CAPTURE(std::string(command.name));
      CAPTURE(std::string(flag.name));
      const Ran r = ran({command.name, flag.name});
      check_wrong(command, r);
      CHECK(r.err.find(flag.name) != std::string::npos);
    }
}

TEST_CASE("a flag with a word or number that it does not take is wrong usage") {
  for (const cli::Command& command : cli::commands())
    for (const cli::Flag& flag : command.flags)
      for (const std::string& value : wrong_values(flag)) {
        CAPTURE(std::string(command.name));
        CAPTURE(std::string(flag.name));
        CAPTURE(value);
        const Ran r = ran({command.name, std::string(flag.name) + "=" + value});
        check_wrong(command, r);
        CHECK(r.err.find(flag.name) != std::string::npos);
      }
}

TEST_CASE("a flag given twice is as wrong as its last value") {
  for (const cli::Command& command : cli::commands())
    for (const cli::Flag& flag : command.flags) {
      if (flag.takes != Takes::word) continue;
      CAPTURE(std::string(command.name));
      CAPTURE(std::string(flag.name));
      const std::string words = flag.placeholder, good = words.substr(0, words.find('|'));
      check_wrong(command, ran({command.name, flag.name, good, flag.name, "no-such-word"}));
    }
}

TEST_CASE("an unknown flag is wrong usage in every command") {
  for (const cli::Command& command : cli::commands())
    for (const char* flag : {"--no-such-flag", "--no-such-flag=3", "-Z"}) {
      CAPTURE(std::string(command.name));
      CAPTURE(std::string(flag));
      check_wrong(command, ran({command.name, flag}));
    }
}

TEST_CASE("every flag of a command stands in its help, once, with its placeholder") {
  for (const cli::Command& command : cli::commands()) {
    CAPTURE(std::string(command.name));
    const Ran r = ran({command.name, "--help"});
    CHECK(r.status == 0);
    CHECK(r.err == "");
    CHECK(r.out.starts_with(cli::usage(command) + "\n"));
    for (const cli::Flag& flag : command.flags) {
      CAPTURE(std::string(flag.name));
      const std::string line = std::string("\n  ") + flag.name + " " + flag.placeholder;
      const size_t at = r.out.find(line);
      CHECK(at != std::string::npos);
      const size_t next = at == std::string::npos ? at : r.out.find(std::string("\n  ") + flag.name + " ", at + 1);
      CHECK(next == std::string::npos);
      CHECK((flag.takes == Takes::nothing) == (std::string(flag.placeholder) == ""));
    }
  }
}

TEST_CASE("a number that is none, or beyond its range, is told with its flag and in a few words") {
  const struct {
    std::vector<std::string> args;
    const char* says;
  } rows[] = {
      {{"search", "-", "--top", "0"}, "search: --top: expected a whole number from 1, got '0'"},
      {{"search", "-", "--top", "99999999999999999999"}, "--top: expected a whole number from 1, got '9999"},
      {{"search", "-", "--top=1.5"}, "--top: expected a whole number from 1, got '1.5'"},
      {{"seqpoint", "-", "--warmup=99999999999999999999"}, "--warmup: expected a whole number, got '9999"},
      {{"seqpoint", "-", "--threshold=1e999"}, "--threshold: expected a number, got '1e999'"},
      {{"scale", "-", "--reach", "0"}, "--reach: expected a number above 0, got '0'"},
      {{"scale", "-", "--at", "1,nan"}, "--at: expected a number, got 'nan'"},
      {{"plan", "-", "--threads", "1025"}, "--threads: expected a whole number from 1 to 1024, got '1025'"},
  };
  for (const auto& row : rows) {
    const Ran r = ran(row.args);
    CHECK(r.status == 2);
    CHECK_MESSAGE(r.err.find(row.says) != std::string::npos, r.err);
    CHECK(r.err.size() < 200);
  }
  CHECK(ran({"plan", "-", "--threads", "1024"}, "model: 3\n").status == 1);  // the flag is right
}
