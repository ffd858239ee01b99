#include <fmt/format.h>

#include <algorithm>

#include "cli/commands/commands.h"
#include "cli/commands/flags.h"
#include "cli/files/json_schema.h"
#include "cli/files/output_schema.h"

namespace cli {
namespace {

int run_schema(const PlainFlags& options, Streams& streams) {
  const std::string name = options.common.inputs.empty() ? "scenario" : options.common.inputs[0];
  if (const EntryKind* kind = find_kind(name)) {
    print_json(json_schema(*kind), streams.out);
    return kDone;
  }
  const std::vector<std::string_view> outputs = output_kinds();
  if (std::ranges::find(outputs, name) != outputs.end()) {
    print_json(output_schema(name), streams.out);
    return kDone;
  }
  std::vector<std::string> names(outputs.begin(), outputs.end());
  for (const EntryKind& kind : entry_kinds()) names.emplace_back(kind.name);
  Session session;
  const std::string hint = dsl::did_you_mean(name, names);
  session.diagnostics.error({}, "no schema of '" + name + "'",
                            hint.empty() ? fmt::format("known: {}", fmt::join(names, ", ")) : hint);
  return report_diagnostics(options.common, streams, session);
}

constexpr Example kSchemaExamples[] = {
    {"what editors complete in a scenario", "trainplan schema"},
    {"what each figure of a plan's JSON means", "trainplan schema output/plan"},
};

}  // namespace

Command schema_command() {
  return command_of<kPlainFlags, run_schema>(
      {.name = "schema",
       .summary = "JSON Schema of a scenario, of a catalogue file, or of what a command prints",
       .argument = "[KIND]",
       .examples = kSchemaExamples});
}

}  // namespace cli
