// Shared by commands: common flags, reading of scenarios, and printing of results and mistakes.
#pragma once

#include <chrono>
#include <limits>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "cli/args/flag.h"
#include "cli/input/session.h"
#include "cli/report/report.h"
#include "planner/plan/field_sets.h"
#include "planner/plan/violations.h"
#include "planner/scenario/scenario.h"

namespace cli {

/// Every command has these.
struct CommonFlags {
  std::vector<std::string> inputs;  // SCENARIO, FILE..., NAME
  std::string format = "table";
  std::vector<std::string> columns;  // empty: all
  std::string sort;
  std::optional<int64_t> top;
  std::string output;                // the file that `Streams::out` writes; empty: none
  std::vector<std::string> catalog;  // directories, the first wins
  bool all_columns = false;          // not only those that people use
  bool crlf = false;
  bool timing = false, quiet = false, no_color = false;
};

/// Commands that read a scenario, or change the fields of one, have these.
struct ScenarioFlags {
  std::vector<std::string> set;    // "PATH=EXPR", in order
  std::string prices;              // the user's price list; empty: none
  std::string measured;            // the user's measured step, of the scenario as written; empty: none
  std::optional<int64_t> threads;  // as many as have enough to do; changes no result
  std::string pick;                // "", "first", "best", "3"
  planner::Sets chosen = {};       // of the choices, not a flag: a row of a search (planner/resolve/read.cc)
};

/// Returns what --prices and --set write, in order.
std::vector<dsl::Override> set_overrides(const ScenarioFlags& flags);
/// What --threads takes: more than any machine has.
inline constexpr int64_t kMostThreads = 1024;
/// Returns --threads, or the number of cores; at most as many as have enough candidates to be worth their start.
int64_t thread_count(const ScenarioFlags& flags, double candidates = std::numeric_limits<double>::infinity());

/// A session with the catalogue of --catalog.
Session open_session(const CommonFlags& common);

/// Reads the command's one scenario with its --set values; nullopt on a mistake (diagnosed).
std::optional<planner::LoadedScenario> load_scenario(const CommonFlags& common, const ScenarioFlags& flags,
                                                     Streams& streams, Session& session);

/// Diagnoses a run of several sequence lengths, if `command` supports only one.
void refuse_lengths(const planner::Lengths& lengths, const dsl::Record& record, const char* command,
                    dsl::Diagnostics& diagnostics);

/// The scenario for a command about one step: a run of several sequence lengths is refused.
std::optional<planner::LoadedScenario> load_one_length(const CommonFlags& common, const ScenarioFlags& flags,
                                                       const char* command, Streams& streams, Session& session);

/// --timing: prints milliseconds since the last mark, or since it was made, on standard error on request.
class Stopwatch {
 public:
  Stopwatch(bool on, std::ostream& err) : on_(on), err_(err) {}
  void mark(std::string_view what, int decimals = 3);

 private:
  bool on_;
  std::ostream& err_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// Reports a mistake in the flags or the inputs on `err`. Returns kWrongUsage.
int refuse_usage(const char* command, const std::string& message, Streams& streams);

/// Reports on `err` which rules a plan breaks; returns whether there are any.
bool tell_violations(const std::vector<planner::Violation>& violations, Streams& streams);

/// Prints warnings on `err`, except with --quiet.
void tell_warnings(const std::vector<std::string>& warnings, const CommonFlags& common, Streams& streams);

/// Prints the diagnostics: text on `err` (warnings not with --quiet), and with --format json
/// errors as trainplan.diagnostics/1 on `out`. Returns kInvalidInput if there were errors, else kDone.
int report_diagnostics(const CommonFlags& common, Streams& streams, const Session& session);

/// Prints what of a scenario's assertions does not hold, on `err` (with --quiet too); kNotAsserted if any.
int report_assertions(const dsl::Diagnostics& failed, const CommonFlags& common, Streams& streams);

/// Whether --format requests only the picture of the report.
bool wants_picture(const CommonFlags& common);
/// Whether --format shows the picture of the report, alone or with the rest.
bool shows_picture(const CommonFlags& common);

/// Applies --columns, --sort and --top and prints the report. A selection that names no column is
/// wrong usage: kWrongUsage with one line on `err`.
int print(Report report, const CommonFlags& common, Streams& streams, const char* command);

}  // namespace cli
