#include "cli/commands/show.h"

#include <filesystem>

#include "cli/commands/flags.h"
#include "cli/pages/show_report.h"

namespace cli {
namespace {

struct ShowFlags {
  CommonFlags common;
};
constexpr auto kShowFlags = plain_flags<ShowFlags>();

/// The kinds that have an entry of this name; "calibration/a100-sxm" asks for one kind.
std::vector<const EntryKind*> kinds_with(std::string& name, const Session& session) {
  size_t slash = name.find('/');
  const EntryKind* asked = slash == std::string::npos ? nullptr : find_kind(name.substr(0, slash));
  if (asked) name = name.substr(slash + 1);
  std::vector<const EntryKind*> found;
  for (const EntryKind& kind : entry_kinds())
    if (kind.schema && (!asked || asked == &kind))
      for (const std::string& entry : dsl::catalog_names(session.catalog, kind.name))
        if (entry == name) found.push_back(&kind);
  return found;
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
  std::vector<std::string> names;
  for (const EntryKind& kind : entry_kinds())
    for (std::string& entry : dsl::catalog_names(session.catalog, kind.name)) names.push_back(std::move(entry));
  std::string hint = dsl::did_you_mean(name, names);
  session.diagnostics.error({}, "no catalogue entry '" + name + "'",
                            hint.empty() ? "`trainplan list` prints the kinds" : hint);
}

int run_show(const ShowFlags& options, Streams& streams) {
  Session session;
  open_catalog(session, options.common.catalog);
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  std::string name = options.common.inputs.at(0);
  std::vector<const EntryKind*> kinds = kinds_with(name, session);
  std::string file = kinds.empty() ? file_of(name, options.common.catalog) : "";
  if (!file.empty()) {
    if (const EntryKind* kind = kind_to_show(file, streams, session)) kinds = {kind};
  } else if (kinds.empty()) {
    diagnose_unknown(name, session);
  }
  Entry entry;
  if (!kinds.empty()) entry = read_entry(*kinds[0], file.empty() ? name : file, session);
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  for (size_t i = 1; i < kinds.size() && !options.common.quiet; ++i)
    streams.err << "note: there is also a " << kinds[i]->name << ": trainplan show " << kinds[i]->name << "/" << name
                << "\n";
  return print(show_report(name, entry), options.common, streams, "show");
}

}  // namespace

Command show_command() {
  return {.name = "show",
          .summary = "one catalogue entry, every figure with its source",
          .argument = "NAME",
          .flags = kShowFlags.flags,
          .function = run_with<kShowFlags, ShowFlags, run_show>};
}

}  // namespace cli
