#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/commands/commands.h"
#include "cli/commands/flags.h"
#include "cli/pages/list_report.h"

namespace cli {
namespace {

/// An entry that may be meant.
struct NamedEntry {
  const EntryKind* kind = nullptr;
  std::string name;
};

/// The entries of this name; if there are none, those with this alias, as `use` accepts them. "calibration/a100-sxm"
/// selects one kind.
std::vector<NamedEntry> entries_named(std::string& name, const Session& session) {
  const size_t slash = name.find('/');
  const EntryKind* asked = slash == std::string::npos ? nullptr : find_kind(name.substr(0, slash));
  if (asked) name = name.substr(slash + 1);
  std::vector<NamedEntry> found, others;
  for (const EntryKind& kind : entry_kinds()) {
    if (!kind.schema || (asked && asked != &kind)) continue;
    const std::vector<std::string> names = dsl::catalog_names(session.catalog, kind.name);
    if (std::ranges::find(names, name) != names.end()) found.push_back({&kind, name});
    const std::string_view entry = session.catalog.builtin.vocabulary.entry_of(kind.name, name);
    if (entry != name) others.push_back({&kind, std::string(entry)});
  }
  return found.empty() ? others : found;
}

/// A file to show instead of a catalogue name: NAME.yaml itself, or one that lies flat in a --catalog folder.
std::string file_of(const std::string& name, const std::vector<std::string>& directories) {
  if (name.ends_with(".yaml")) return name.starts_with('/') ? name : "./" + name;
  std::error_code error;
  for (const std::string& directory : directories) {
    std::string flat = directory + "/" + name + ".yaml";
    if (std::filesystem::is_regular_file(flat, error)) return flat;
  }
  return "";
}

/// The kind of a file that `show` can show; null (diagnosed) if it cannot be read or is a scenario.
const EntryKind* kind_to_show(const std::string& file, Streams& streams, Session& session) {
  const dsl::Source* source = read_input(file, streams, session);
  if (!source) return nullptr;
  const EntryKind& kind = kind_of_file(*source);
  if (kind.schema) return &kind;
  session.diagnostics.error({}, "'" + file + "' is a scenario, not a catalogue entry",
                            "`trainplan plan` shows what it means");
  return nullptr;
}

void diagnose_unknown(const std::string& name, Session& session) {
  if (name == "-")
    return session.diagnostics.error({}, "`show` reads a catalogue entry or a file, and standard input is neither",
                                     "write it into a file first: `trainplan show ./model.yaml`");
  std::vector<std::string> names;
  for (const EntryKind& kind : entry_kinds())
    for (std::string& entry : dsl::catalog_names(session.catalog, kind.name)) names.push_back(std::move(entry));
  const EntryKind* kind = find_kind(name);
  const std::string hint =
      kind ? fmt::format("`trainplan list {}` prints their names", kind->name) : dsl::did_you_mean(name, names);
  session.diagnostics.error({}, "no catalogue entry '" + name + "'",
                            hint.empty() ? "`trainplan list` prints the kinds" : hint);
}

/// Other meanings of the name.
void print_notes(const std::string& name, const std::vector<NamedEntry>& found, const CommonFlags& common,
                 Streams& streams) {
  if (common.quiet || found.empty()) return;
  if (found[0].name != name)
    streams.err << fmt::format("note: '{}' is another name of {} {}\n", name, found[0].kind->name, found[0].name);
  for (size_t i = 1; i < found.size(); ++i)
    streams.err << fmt::format("note: there is also a {0}: trainplan show {0}/{1}\n", found[i].kind->name,
                               found[i].name);
}

int run_show(const PlainFlags& options, Streams& streams) {
  Session session = open_session(options.common);
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  std::string name = options.common.inputs.at(0);
  std::vector<NamedEntry> found = entries_named(name, session);
  std::string file = found.empty() || found[0].name != name ? file_of(name, options.common.catalog) : "";
  if (!file.empty()) {
    const EntryKind* kind = kind_to_show(file, streams, session);
    found.clear();
    if (kind) found.push_back({kind, name});
  } else if (found.empty()) {
    diagnose_unknown(name, session);
  }
  Entry entry;
  if (!found.empty()) entry = read_entry(*found[0].kind, file.empty() ? found[0].name : file, session);
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  print_notes(name, found, options.common, streams);
  return print(show_report(found[0].name, entry), options.common, streams, "show");
}

constexpr Example kShowExamples[] = {
    {"a machine, every figure with its source", "trainplan show dgx-h100"},
    {"a model as JSON", "trainplan show llama3-70b --format json"},
};

}  // namespace

Command show_command() {
  return command_of<kPlainFlags, run_show>({.name = "show",
                                            .summary = "one catalogue entry, every figure with its source",
                                            .argument = "NAME",
                                            .examples = kShowExamples});
}

}  // namespace cli
