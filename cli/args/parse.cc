// The only user of CLI11; its exceptions end here.
#include "cli/args/parse.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <cmath>
#include <limits>

#include "cli/args/help.h"
#include "cli/args/words.h"
#include "dsl/raw_text.h"

namespace cli {
namespace {

/// Where CLI11 writes what follows one flag, of the type that `add` gives it.
struct FlagSlot {
  const CLI::Option* option = nullptr;
  FlagValue value;
};

using Texts = std::vector<std::string>;

CLI::Option* last(CLI::Option* option) { return option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast); }

/// One of the words of the placeholder.
CLI::Validator one_of(const Flag& flag) {
  const std::vector<std::string> known = CLI::detail::split(flag.placeholder, '|');
  return {[known](std::string& word) -> std::string {
            if (std::ranges::find(known, word) != known.end()) return "";
            const std::string hint = dsl::did_you_mean(word, known);
            return fmt::format("'{}' is not one of {}{}{}", word, fmt::join(known, ", "), hint.empty() ? "" : "; ",
                               hint);
          },
          ""};
}

/// Reads a text as a number, also with a plus sign; nullopt: it is not a number, or does not fit the type.
template <class T> std::optional<T> number_of(std::string_view text) {
  if (text.starts_with('+')) text.remove_prefix(1);
  return number_in<T>(text);
}

/// For a wrong number, CLI11 reports that it is not a number or outside the range of its type, and prints that in full.
CLI::Validator whole(const Flag& flag) {
  const bool positive = flag.takes == Takes::positive_whole;
  const int64_t least = positive ? 1 : std::numeric_limits<int64_t>::min(), most = flag.most;
  return {[=](const std::string& text) -> std::string {
            const std::optional<int64_t> value = number_of<int64_t>(text);
            if (value && *value >= least && *value <= most) return "";
            const bool bounded = most < std::numeric_limits<int64_t>::max();
            return fmt::format("expected a whole number{}{}, got '{}'", positive ? " from 1" : "",
                               bounded ? fmt::format(" to {}", most) : "", dsl::shortened(text));
          },
          ""};
}
CLI::Validator number(const Flag& flag) {
  const bool positive = flag.takes == Takes::positive, any = flag.takes == Takes::number;
  return {[=](const std::string& text) -> std::string {
            const std::optional<double> value = number_of<double>(text);
            if (value && (any || std::isfinite(*value)) && (!positive || *value > 0)) return "";
            return fmt::format("expected a number{}, got '{}'", positive ? " above 0" : "", dsl::shortened(text));
          },
          ""};
}

/// One text for each time the flag is given: `--set a=1 FILE` keeps FILE.
CLI::Option* add(CLI::App& app, const Flag& flag, FlagValue& value) {
  switch (flag.takes) {
    case Takes::as_member:
      return nullptr;  // `flag` holds the mistake
    case Takes::nothing:
      return app.add_flag(flag.name, value.emplace<bool>());
    case Takes::text:
    case Takes::output:
      return last(app.add_option(flag.name, value.emplace<std::string>()));
    case Takes::word:
      return last(app.add_option(flag.name, value.emplace<std::string>())->check(one_of(flag)));
    case Takes::words:
      return app.add_option(flag.name, value.emplace<Texts>())
          ->check(one_of(flag))
          ->delimiter(',')
          ->allow_extra_args(false)
          ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    case Takes::list:
      return app.add_option(flag.name, value.emplace<Texts>())->delimiter(',')->allow_extra_args(false);
    case Takes::repeated:
      return app.add_option(flag.name, value.emplace<Texts>())->allow_extra_args(false);
    case Takes::whole:
    case Takes::positive_whole:
      return last(app.add_option(flag.name, value.emplace<int64_t>())->check(whole(flag)));
    case Takes::number:
    case Takes::positive:
      return last(app.add_option(flag.name, value.emplace<double>())->check(number(flag)));
    case Takes::numbers:
      return app.add_option(flag.name, value.emplace<std::vector<double>>())
          ->check(number(flag))
          ->delimiter(',')
          ->allow_extra_args(false);
  }
  return nullptr;
}

/// How many there may be is checked after parsing, for a message that names the one too many.
void add_inputs(CLI::App& app, const Command& command, std::vector<std::string>& inputs) {
  const std::string argument = command.argument;
  app.add_option(argument.substr(argument.rfind(' ') + 1), inputs)->required(argument.front() != '[');
}

/// How many inputs there may be: one for each word, any number behind "...".
size_t most_inputs(const Command& command) {
  const std::string_view argument = command.argument;
  if (argument.ends_with("...")) return std::numeric_limits<size_t>::max();
  return 1 + static_cast<size_t>(std::count(argument.begin(), argument.end(), ' '));
}

/// One input too many: often a field to set.
std::string unexpected_input(const Command& command, const std::string& word) {
  const std::vector<std::string> names = flag_names(command);
  const bool sets = word.find('=') != std::string::npos && std::ranges::find(names, "--set") != names.end();
  return fmt::format("unexpected argument '{}'{}", word, sets ? ", a field is set with --set " + word : "");
}

/// Returns "" or the mistake in the number of inputs. "A is required" is CLI11's message for the first; the others use
/// the same words.
std::string wrong_inputs(const Command& command, const std::vector<std::string>& inputs) {
  const size_t most = most_inputs(command);
  if (inputs.size() > most) return unexpected_input(command, inputs[most]);
  const std::string argument = command.argument;
  const bool fixed = argument.find_first_of("[.") == std::string::npos;
  return !fixed || inputs.size() == most ? "" : argument.substr(argument.rfind(' ') + 1) + " is required";
}

Request printed(std::string text) {
  return {.command = nullptr, .arguments = {}, .text = std::move(text), .status = kDone};
}

Request wrong(std::string message, const std::string& usage_line) {
  return {
      .command = nullptr, .arguments = {}, .text = fmt::format("{}; {}\n", message, usage_line), .status = kWrongUsage};
}

Request unknown_command(const std::string& name, std::span<const Command> commands) {
  std::string hint = or_meant(name, names_of(commands));
  if (hint.empty() && name.ends_with(".yaml")) hint = ", a file stands behind one: trainplan plan " + name;
  const char* what = name.starts_with('-') ? "flag" : "command";
  return wrong(fmt::format("trainplan: unknown {} '{}'{}", what, name, hint),
               "usage: trainplan COMMAND ... (trainplan --help lists the commands)");
}

/// What an unexpected argument was: a flag with a typing mistake, or one input too many.
std::string unexpected(const CLI::App& app, const Command& command) {
  std::vector<std::string> left = app.remaining();
  std::string word = left.empty() ? "" : left.front();
  if (!word.starts_with('-')) return unexpected_input(command, word);
  return fmt::format("unknown flag '{}'{}", word, or_meant(word.substr(0, word.find('=')), flag_names(command)));
}

/// A flag that ends the line and takes a value; `message` begins with its name.
std::string without_value(const Command& command, const std::string& message) {
  const std::string name = message.substr(0, message.find(':'));
  for (const Flag& flag : command.flags)
    if (flag.name == name) return fmt::format("{} needs a value: {} {}", name, name, flag.placeholder);
  return message;
}

/// "--num-layers 2 --hidden-size 64" as one argument is a text, though it begins like a flag: behind "--" it is an
/// input.
std::vector<std::string> texts_last(std::vector<std::string> args) {
  if (std::find(args.begin(), args.end(), "--") != args.end()) return args;
  const auto is_flag = [](const std::string& a) {
    return !a.starts_with("--") || a.find_first_of(" \t\n") >= std::min(a.find('='), a.size());
  };
  const auto texts = std::stable_partition(args.begin(), args.end(), is_flag);
  if (texts != args.end()) args.insert(texts, "--");
  return args;
}

Request parse_command(const Command& command, std::vector<std::string> args) {
  Request request{.command = &command, .arguments = {}, .text = "", .status = kDone};
  CLI::App app;
  app.name(fmt::format("trainplan {}", command.name));
  std::vector<FlagSlot> slots(command.flags.size());  // CLI11 writes into them: none moves
  for (size_t i = 0; i < slots.size(); ++i) slots[i].option = add(app, command.flags[i], slots[i].value);
  add_inputs(app, command, request.arguments.inputs);
  if (command.texts) args = texts_last(std::move(args));
  try {
    app.parse(std::vector<std::string>(args.rbegin(), args.rend()));
  } catch (const CLI::CallForHelp&) {
    return printed(help(command));
  } catch (const CLI::ExtrasError&) {
    return wrong_usage(command, unexpected(app, command));
  } catch (const CLI::ArgumentMismatch& e) {
    return wrong_usage(command, without_value(command, e.what()));
  } catch (const CLI::Error& e) {
    return wrong_usage(command, e.what());
  }
  if (const std::string message = wrong_inputs(command, request.arguments.inputs); !message.empty())
    return wrong_usage(command, message);
  for (FlagSlot& slot : slots)
    request.arguments.values.push_back(slot.option->count() > 0 ? std::move(slot.value) : FlagValue());
  return request;
}

}  // namespace

Request wrong_usage(const Command& command, const std::string& message) {
  return wrong(fmt::format("trainplan {}: {}", command.name, message), usage(command));
}

Request parse(const std::vector<std::string>& args, std::span<const Command> commands) {
  const std::string first = args.empty() ? "" : args[0];
  const std::string_view asks_version[] = {"--version", "-V", "version"};
  if (std::ranges::find(asks_version, first) != std::end(asks_version))
    return printed("trainplan " TRAINPLAN_VERSION "\n");
  if (first == "--help" || first == "-h") return printed(overview(commands));
  if (first.empty())
    return wrong("trainplan: no command", "usage: trainplan COMMAND ... (trainplan --help lists the commands)");
  for (const Command& c : commands)
    if (first == c.name) return parse_command(c, {args.begin() + 1, args.end()});
  return unknown_command(first, commands);
}

}  // namespace cli
