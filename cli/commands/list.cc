#include "cli/args/words.h"
#include "cli/commands/commands.h"
#include "cli/commands/flags.h"
#include "cli/pages/list_report.h"

namespace cli {
namespace {

int run_list(const PlainFlags& options, Streams& streams) {
  Session session = open_session(options.common);
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  if (options.common.inputs.empty()) return print(list_overview(session), options.common, streams, "list");
  const std::string& name = options.common.inputs[0];
  for (const Listing& l : listings())
    if (name == l.name || name == std::string(l.name) + "s")
      return print(l.function(l.name, session), options.common, streams, "list");
  const std::string hint = dsl::did_you_mean(name, names_of(listings()));
  session.diagnostics.error({}, "unknown kind '" + name + "'",
                            hint.empty() ? "`trainplan list` prints the kinds" : hint);
  return report_diagnostics(options.common, streams, session);
}

constexpr Example kListExamples[] = {
    {"the kinds of entries", "trainplan list"},
    {"the clusters of the catalogue", "trainplan list cluster"},
};

}  // namespace

Command list_command() {
  return command_of<kPlainFlags, run_list>({.name = "list",
                                            .summary = "catalogue entries and other tables by kind",
                                            .argument = "[KIND]",
                                            .examples = kListExamples});
}

}  // namespace cli
