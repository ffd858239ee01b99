#include <sstream>

#include "cli/args/completion.h"
#include "cli/args/help.h"
#include "cli/commands/commands.h"
#include "cli/files/emit.h"
#include "cli/files/output_schema.h"
#include "cli/input/catalogue.h"
#include "cli/pages/list_report.h"

namespace cli {
namespace {

/// Names that a shell may offer as inputs of a command: rows of tables, of which each command has its own.
void complete_inputs(const std::string& command, Streams& streams) {
  const Session session{.sources = {}, .diagnostics = {}, .catalog = {planner::builtin_catalog(), {}}};
  const auto print = [&](const auto& rows) {
    for (const auto& row : rows) streams.out << row.name << '\n';
  };
  const auto print_entries = [&](std::string_view kind) {
    for (const std::string& name : dsl::catalog_names(session.catalog, kind)) streams.out << name << '\n';
  };
  if (command == "list") print(listings());
  if (command == "import")
    for (const std::string& format : import_formats()) streams.out << format << '\n';
  if (command == "emit") print(emit_targets());
  if (command == "schema") {
    print(entry_kinds());
    for (const std::string_view kind : output_kinds()) streams.out << kind << '\n';
  }
  if (command == "completion") print(shells());
  if (command == "man" || command == "help") print(commands());
  if (command == "init")
    for (const char* kind : {"model", "cluster"}) print_entries(kind);
  if (command == "explain")
    for (const dsl::Field& f : planner::scenario_schema()) streams.out << f.path << '\n';
  if (command == "show")
    for (const EntryKind& kind : entry_kinds()) print_entries(kind.name);
}

/// "parallelism.recompute=full" of "parallelism.recompute=", of a field that takes words.
void complete_value(const std::string& path, Streams& streams) {
  for (const dsl::Field& f : planner::scenario_schema())
    if (f.path == any_item_path(path))
      for (const std::string_view word : f.words) streams.out << path << '=' << word << '\n';
}

/// Values of a flag, behind what is typed: names of the kinds that it takes.
void complete_value_of(const Flag& flag, const std::string& typed, Streams& streams) {
  if (const size_t equals = typed.find('='); equals != std::string::npos)
    return complete_value(typed.substr(0, equals), streams);
  const std::string before = typed.substr(0, typed.rfind(',') + 1);  // "dgx-h100," of "dgx-h100,dg"
  const Session session{.sources = {}, .diagnostics = {}, .catalog = {planner::builtin_catalog(), {}}};
  std::istringstream kinds{std::string(flag.names)};
  for (std::string kind; kinds >> kind;)
    if (kind == "scenario-field")
      for (const dsl::Field& f : planner::scenario_schema()) streams.out << first_item_path(f.path) << "=\n";
    else
      for (const std::string& name : dsl::catalog_names(session.catalog, kind)) streams.out << before << name << '\n';
}

}  // namespace

int complete_words(const std::vector<std::string>& words, Streams& streams) {
  if (words.size() > 2) {
    for (const Command& c : commands())
      for (const Flag& flag : c.flags)
        if (c.name == words[0] && flag.name == words[1]) complete_value_of(flag, words[2], streams);
    return kDone;
  }
  for (const Command& c : commands()) {
    if (words.size() < 2) streams.out << c.name << '\n';
    else if (words[0] == c.name)
      for (const std::string& flag : flag_names(c)) streams.out << flag << '\n';
  }
  if (words.size() > 1) complete_inputs(words[0], streams);
  return kDone;
}

}  // namespace cli
