#include "cli/commands/schema.h"

#include <fmt/format.h>

#include "cli/commands/flags.h"
#include "cli/pages/json_schema.h"

namespace cli {
namespace {

struct SchemaFlags {
  CommonFlags common;
};
constexpr auto kSchemaFlags = plain_flags<SchemaFlags>();

int run_schema(const SchemaFlags& options, Streams& streams) {
  const std::string name = options.common.inputs.empty() ? "scenario" : options.common.inputs[0];
  if (const EntryKind* kind = find_kind(name)) {
    print_json(json_schema(*kind), streams.out);
    return kDone;
  }
  std::vector<std::string> names;
  for (const EntryKind& kind : entry_kinds()) names.emplace_back(kind.name);
  Session session;
  const std::string hint = dsl::did_you_mean(name, names);
  session.diagnostics.error({}, "no schema of '" + name + "'",
                            hint.empty() ? fmt::format("known: {}", fmt::join(names, ", ")) : hint);
  return report_diagnostics(options.common, streams, session);
}

constexpr Example kSchemaExamples[] = {
    {"what editors complete in a scenario", "trainplan schema"},
    {"and in a cluster of your own", "trainplan schema cluster"},
};

}  // namespace

Command schema_command() {
  return {.name = "schema",
          .summary = "JSON Schema of a scenario or of a catalogue file, for editors",
          .argument = "[KIND]",
          .flags = kSchemaFlags.flags,
          .examples = kSchemaExamples,
          .function = run_with<kSchemaFlags, SchemaFlags, run_schema>};
}

}  // namespace cli
