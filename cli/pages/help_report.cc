#include "cli/pages/help_report.h"

#include <array>

#include "cli/args/help.h"
#include "cli/report/row_fields.h"

namespace cli {
namespace {

/// What a program gives behind the flag.
std::string_view takes(const Flag& flag) {
  constexpr std::array<std::string_view, 13> kNames{"text",
                                                    "nothing",
                                                    "text",
                                                    "file",
                                                    "word",
                                                    "words joined by commas",
                                                    "texts joined by commas",
                                                    "one text, repeatable",
                                                    "whole number",
                                                    "whole number above 0",
                                                    "number",
                                                    "number above 0",
                                                    "numbers joined by commas"};
  static_assert(static_cast<size_t>(Takes::numbers) + 1 == kNames.size());
  return kNames[static_cast<size_t>(flag.takes)];
}

const RowFields<Flag>& flag_rows() {
  static const RowFields<Flag> kRows{{"name", &Flag::name},
                                     {"takes", takes},
                                     {"value", [](const Flag& f) { return text_or_null(f.placeholder); }},
                                     {"common", &Flag::common},
                                     {"summary", &Flag::help}};
  return kRows;
}

const RowFields<Example>& example_rows() {
  static const RowFields<Example> kRows{{"does", &Example::does}, {"line", &Example::line}};
  return kRows;
}

}  // namespace

Report help_report(std::span<const Command> commands) {
  const RowFields<Command> fields{{"name", &Command::name},
                                  {"argument", &Command::argument},
                                  {"summary", &Command::summary},
                                  {"usage", [](const Command& c) { return usage(c).substr(usage(c).find(' ') + 1); }},
                                  {"flags", [](const Command& c) { return flag_rows().list(c.flags); }},
                                  {"examples", [](const Command& c) { return example_rows().list(c.examples); }},
                                  {"has_picture", &Command::pictures},
                                  {"has_graph", &Command::graphs},
                                  {"has_places", &Command::places}};
  return rows_report("trainplan.help/1", "commands", fields.table(commands));
}

}  // namespace cli
