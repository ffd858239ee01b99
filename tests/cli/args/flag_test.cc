// Rows of flags: from given values to the struct of a command.
#include "cli/args/flag.h"

#include <doctest/doctest.h>

#include "cli/args/help.h"
#include "cli/args/parse.h"

namespace {

using cli::flag;
using cli::Takes;

struct Shared {
  std::string format = "table";
  std::optional<int64_t> top;
};
struct ToyFlags {
  Shared shared;
  bool loud = false;
  std::optional<double> share;
  std::vector<std::string> names;
  std::vector<double> at;
};

/// Rows of a struct that commands share, for any command that has it as `shared`.
template <class Flags> constexpr std::array kShared{
    flag<&Flags::shared, &Shared::format>({"--format", "table|json", "how it is printed", Takes::word}),
    flag<&Flags::shared, &Shared::top>({"--top", "N", "the first N rows", Takes::positive_whole}),
};
constexpr std::array kOwn{
    flag<&ToyFlags::loud>({"--loud", "", "in capitals", Takes::nothing}),
    flag<&ToyFlags::share>({"--share", "X", "a fraction", Takes::number}),
    flag<&ToyFlags::names>({"--names", "A,B", "who is asked", Takes::list}),
    flag<&ToyFlags::at>({"--at", "X,Y", "where", Takes::numbers}),
};
constexpr auto kTable = cli::flag_table(kShared<ToyFlags>, kOwn);

constexpr cli::Command kToy{.name = "toy",
                            .summary = "says what it was given",
                            .argument = "[WHAT]",
                            .flags = kTable.flags,
                            .function = [](const cli::Arguments&, cli::Streams&) { return int{cli::kDone}; }};

cli::Request parsed(std::vector<std::string> args) {
  args.insert(args.begin(), "toy");
  return cli::parse(args, std::span(&kToy, 1));
}

ToyFlags flags_of(const cli::Arguments& arguments) {
  ToyFlags flags;
  for (size_t i = 0; i < arguments.values.size(); ++i)
    if (arguments.values[i].index()) kTable.write[i](flags, arguments.values[i]);
  return flags;
}

}  // namespace

TEST_CASE("each row writes its own member, inside a shared struct too, and what is not given keeps its default") {
  const ToyFlags all = flags_of(
      parsed({"--format", "json", "--top", "7", "--loud", "--share", "-0.5", "--names", "a,b", "--at", "1,2.5"})
          .arguments);
  CHECK(all.shared.format == "json");
  CHECK(all.shared.top == 7);
  CHECK(all.loud);
  CHECK(all.share == -0.5);
  CHECK(all.names == std::vector<std::string>{"a", "b"});
  CHECK(all.at == std::vector<double>{1, 2.5});
  const ToyFlags none = flags_of(parsed({}).arguments);
  CHECK(none.shared.format == "table");
  CHECK_FALSE(none.shared.top);
  CHECK_FALSE(none.loud);
  CHECK_FALSE(none.share);
  CHECK(none.names.empty());
}

TEST_CASE("parser, help and completion know a flag from its row alone") {
  CHECK(cli::flag_names(kToy) ==
        std::vector<std::string>{"--format", "--top", "--loud", "--share", "--names", "--at", "--help"});
  CHECK(cli::help(kToy) ==
        "usage: trainplan toy [WHAT] [flags]\n\nsays what it was given\n\nflags:\n"
        "  --format table|json   how it is printed\n"
        "  --top N               the first N rows\n"
        "  --loud                in capitals\n"
        "  --share X             a fraction\n"
        "  --names A,B           who is asked\n"
        "  --at X,Y              where\n");
  CHECK(parsed({"--format", "xml"}).text.find("xml") != std::string::npos);
  CHECK(parsed({"--top", "0"}).status == cli::kWrongUsage);
  CHECK(parsed({"--lout"}).text.find("did you mean '--loud'?") != std::string::npos);
}
