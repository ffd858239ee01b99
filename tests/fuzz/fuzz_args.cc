// libFuzzer: any lines as the arguments of the program, one each. They must end in a command with values of the types
// that its flags take, or in a text with a status; no command runs.
#include <cmath>

#include "cli/args/parse.h"
#include "cli/commands/commands.h"
#include "tests/fuzz/fuzz.h"

namespace {

using fuzz::require;

void check(const cli::Flag& flag, const cli::FlagValue& value) {
  using cli::Takes;
  if (const auto* whole = std::get_if<int64_t>(&value))
    require(*whole <= flag.most && *whole >= (flag.takes == Takes::positive_whole ? 1 : 0));
  if (const auto* number = std::get_if<double>(&value); number && flag.takes == Takes::positive)
    require(std::isfinite(*number) && *number > 0);
  if (const auto* numbers = std::get_if<std::vector<double>>(&value))
    for (const double number : *numbers) require(std::isfinite(number));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string text = fuzz::text_of(data, size);
  std::vector<std::string> args;
  while (!text.empty()) args.push_back(fuzz::take_line(text));
  const cli::Request request = cli::parse(args, cli::commands());
  if (!request.command) {
    require(request.status == cli::kDone || request.status == cli::kWrongUsage);
    require(!request.text.empty());
    return 0;
  }
  require(request.arguments.values.size() == request.command->flags.size());
  for (size_t i = 0; i < request.command->flags.size(); ++i)
    check(request.command->flags[i], request.arguments.values[i]);
  return 0;
}
