// Files in, diagnostics out: what every command that reads something shares.
#pragma once

#include <optional>
#include <string>

#include "cli/args/parse.h"
#include "cli/report/report.h"
#include "dsl/catalog.h"
#include "dsl/node.h"
#include "planner/scenario/scenario.h"

namespace cli {

/// Texts and mistakes of one run. Spans of the diagnostics point into the sources.
struct Session {
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  dsl::Catalog catalog;
};

/// --set, in order.
std::vector<dsl::Override> set_overrides(const Options& options);
/// --threads, or as many as there are cores.
int64_t thread_count(const Options& options);

/// The built-in catalogue below the directories of --catalog; a directory that cannot be read is diagnosed.
void open_catalog(Session& session, const Options& options);

/// The text of a file, or of standard input for "-"; null if it cannot be read (diagnosed).
const dsl::Source* read_input(const std::string& path, Streams& streams, Session& session,
                              size_t most = dsl::ParseLimits{}.bytes);

/// Reads the command's one scenario with its --set values; nullopt on a mistake (diagnosed).
std::optional<planner::LoadedScenario> load_scenario(const Options& options, Streams& streams, Session& session);

/// Diagnoses a run of several sequence lengths, of which `command` takes one.
void refuse_lengths(const planner::Lengths& lengths, const dsl::Record& record, const char* command,
                    dsl::Diagnostics& diagnostics);

/// The same for a command that asks about one step: a run of several sequence lengths is refused.
std::optional<planner::LoadedScenario> load_one_length(const Options& options, const char* command, Streams& streams,
                                                       Session& session);

/// Prints the diagnostics: text on `err` (warnings not with --quiet), and with --format json
/// errors as trainplan.diagnostics/1 on `out`. Returns kInvalidInput if there were errors, else kDone.
int report_diagnostics(const Options& options, Streams& streams, const Session& session);

/// trainplan.diagnostics/1.
Report diagnostics_report(const dsl::Diagnostics& diagnostics);

/// Applies --columns, --sort and --top and prints the report. A selection that names no column is
/// wrong usage: kWrongUsage with one line on `err`.
int print(Report report, const Options& options, Streams& streams, const char* command);

}  // namespace cli
