#include "cli/commands/list.h"

#include "cli/commands/flags.h"
#include "cli/pages/list_report.h"

namespace cli {
namespace {

struct ListFlags {
  CommonFlags common;
};
constexpr auto kListFlags = plain_flags<ListFlags>();

int run_list(const ListFlags& options, Streams& streams) {
  Session session;
  open_catalog(session, options.common.catalog);
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  if (options.common.inputs.empty()) return print(list_overview(session), options.common, streams, "list");
  std::vector<std::string> names;
  for (const Listing& l : listings()) {
    if (options.common.inputs[0] == l.name || options.common.inputs[0] == std::string(l.name) + "s")
      return print(l.function(l.name, session), options.common, streams, "list");
    names.emplace_back(l.name);
  }
  std::string hint = dsl::did_you_mean(options.common.inputs[0], names);
  session.diagnostics.error({}, "unknown kind '" + options.common.inputs[0] + "'",
                            hint.empty() ? "`trainplan list` prints the kinds" : hint);
  return report_diagnostics(options.common, streams, session);
}

constexpr Example kListExamples[] = {
    {"the kinds of entries", "trainplan list"},
    {"the clusters of the catalogue", "trainplan list cluster"},
};

}  // namespace

Command list_command() {
  return {.name = "list",
          .summary = "catalogue entries and other tables by kind",
          .argument = "[KIND]",
          .flags = kListFlags.flags,
          .examples = kListExamples,
          .function = run_with<kListFlags, ListFlags, run_list>};
}

}  // namespace cli
