// From the rows of a command's flags to its struct, and the rows that commands share.
#pragma once

#include <algorithm>
#include <array>

#include "cli/args/command.h"
#include "cli/commands/common.h"
#include "cli/render/render.h"

namespace cli {

namespace detail {

/// "table|json|ndjson|csv|tsv|md|html|svg|dot", from the rows of the formats.
consteval auto format_names() {
  std::array<char, 256> text{};
  size_t end = 0;
  for (const ReportFormat& format : kFormats) {
    if (end > 0) text[end++] = '|';
    for (const char* c = format.name; *c; ++c) text[end++] = *c;
  }
  return text;
}
inline constexpr auto kFormatNames = format_names();

}  // namespace detail

/// What every command takes. REQUIRES: Flags has the member `common`.
template <class Flags> inline constexpr std::array kCommonRows = common_rows(std::array{
    flag<&Flags::common, &CommonFlags::format>({"--format", detail::kFormatNames.data(),
                                                "how the result is printed (table); svg is a picture, of commands that "
                                                "have one, dot the graph of ops --graph, "
                                                "github and sarif the mistakes of check",
                                                Takes::word}),
    flag<&Flags::common, &CommonFlags::columns>({"--columns", "A,B", "print only these columns, in this order",
                                                 Takes::list}),
    flag<&Flags::common, &CommonFlags::all_columns>(
        {"--all-columns", "", "csv and tsv of a plan: every column, not only those that people use"}),
    flag<&Flags::common, &CommonFlags::sort>(
        {"--sort", "KEY",
         "sort rows by a column: numbers largest first, text A to Z; KEY:asc or KEY:desc sets the order"}),
    flag<&Flags::common, &CommonFlags::top>({"--top", "N", "print only the first N rows"}),
    flag<&Flags::common, &CommonFlags::crlf>({"--crlf", "", "lines of csv end in CR and LF"}),
    flag<&Flags::common, &CommonFlags::output>(
        {"--output", "FILE", "write to this file; on failure an existing file stays as it was", Takes::output}),
    flag<&Flags::common, &CommonFlags::catalog>({"--catalog", "DIR",
                                                 "catalogue files that come before the built-in ones; repeatable"}),
    flag<&Flags::common, &CommonFlags::timing>({"--timing", "",
                                                "print how long trainplan itself took, to standard error"}),
    flag<&Flags::common, &CommonFlags::quiet>({"--quiet", "", "no warnings"}),
    flag<&Flags::common, &CommonFlags::no_color>(
        {"--no-color", "", "no colour in messages and tables (also: NO_COLOR in the environment)"}),
});

/// Are rows of commands that read a scenario. REQUIRES: Flags has the member `scenario`.
template <class Flags> inline constexpr std::array kSetRows{
    flag<&Flags::scenario, &ScenarioFlags::set>(naming(
        "scenario-field",
        {"--set", "PATH=EXPR", "override a field of the scenario; PATH*=X, /=, += and -= change it; repeatable"})),
};
/// Flags of commands that read a scenario whose prices may come from elsewhere.
template <class Flags> inline constexpr std::array kPricesRows{
    flag<&Flags::scenario, &ScenarioFlags::prices>(
        {"--prices", "FILE", "a file with your own cluster prices, such as {dgx-h100: {price: 2.10 USD/h}}"}),
};
/// Flags of commands that compare a plan with the user's own run.
template <class Flags> inline constexpr std::array kMeasuredRows{
    flag<&Flags::scenario, &ScenarioFlags::measured>(
        {"--measured", "TIME",
         "a measured step time of this scenario ('8.0 s'): it corrects the plan and narrows its interval"}),
};
template <class Flags> inline constexpr std::array kThreadsRows{
    flag<&Flags::scenario, &ScenarioFlags::threads>({"--threads", "N",
                                                     "number of threads, at most 1024; it never changes the result",
                                                     Takes::positive_whole, kMostThreads}),
};
template <class Flags> inline constexpr std::array kPickRows{
    flag<&Flags::scenario, &ScenarioFlags::pick>(
        {"--pick", "first|best|N",
         "value to take for an open choice: the first one, that of the best plan, or that of row N of a search"}),
};

/// Is a row of commands that walk through choices; `member`: where it goes.
template <auto member>
inline constexpr auto kLimitRow = flag<member>({"--limit", "N",
                                                "fail if the choices have more combinations than this (1e13)"});

/// Returns the flags of a command that reads no scenario; `own`: its own rows.
template <class Flags, size_t... counts> consteval auto plain_flags(const std::array<FlagRow<Flags>, counts>&... own) {
  return flag_table(own..., kCommonRows<Flags>);
}
/// For a command without flags of its own.
struct PlainFlags {
  CommonFlags common;
};
inline constexpr auto kPlainFlags = plain_flags<PlainFlags>();

/// Returns the flags of a command that changes fields of its input, and does not walk through choices.
template <class Flags, size_t... counts> consteval auto data_flags(const std::array<FlagRow<Flags>, counts>&... own) {
  return flag_table(own..., kSetRows<Flags>, kCommonRows<Flags>);
}
/// Returns the flags of one that reads a scenario.
template <class Flags, size_t... counts>
consteval auto scenario_flags(const std::array<FlagRow<Flags>, counts>&... own) {
  return flag_table(own..., kSetRows<Flags>, kPricesRows<Flags>, kThreadsRows<Flags>, kCommonRows<Flags>);
}

/// For a command that reads a scenario and has no flags of its own.
struct PlainScenarioFlags {
  CommonFlags common;
  ScenarioFlags scenario;
};

/// A command's function behind its arguments: the struct is filled row by row. --timing reports the total time.
template <class Flags, size_t count> int run_with(const FlagTable<Flags, count>& table,
                                                  int (*function)(const Flags&, Streams&), const Arguments& arguments,
                                                  Streams& streams) {
  Flags flags;
  flags.common.inputs = arguments.inputs;
  for (size_t i = 0; i < arguments.values.size(); ++i)
    if (!std::holds_alternative<std::monostate>(arguments.values[i])) table.write[i](flags, arguments.values[i]);
  Stopwatch total(flags.common.timing, streams.err);
  const int status = function(flags, streams);
  total.mark("in all");
  return status;
}

/// The row of a command with its flags and its function.
template <const auto& table, auto function> Command command_of(Command row) {
  row.flags = table.flags;
  row.function = [](const Arguments& arguments, Streams& streams) {
    return run_with(table, function, arguments, streams);
  };
  return row;
}

}  // namespace cli
