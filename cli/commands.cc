#include "cli/commands.h"

#include <fmt/format.h>

#include <array>
#include <chrono>
#include <filesystem>

#include "cli/calibrate.h"
#include "cli/catalogue_report.h"
#include "cli/check.h"
#include "cli/comm.h"
#include "cli/compare.h"
#include "cli/export.h"
#include "cli/fitted_report.h"
#include "cli/graph_report.h"
#include "cli/import.h"
#include "cli/input.h"
#include "cli/merge.h"
#include "cli/ops_picture.h"
#include "cli/ops_report.h"
#include "cli/plan_report.h"
#include "cli/provenance.h"
#include "cli/roadmap.h"
#include "cli/scale.h"
#include "cli/schema.h"
#include "cli/search.h"
#include "cli/seqpoint.h"
#include "cli/timeline.h"
#include "cli/validate.h"
#include "planner/plan/step.h"

namespace cli {
namespace {

/// --timing: milliseconds since the last mark, on standard error.
class Stopwatch {
 public:
  Stopwatch(const Options& options, Streams& streams) : on_(options.timing), err_(streams.err) {}
  void mark(const char* what) {
    auto now = std::chrono::steady_clock::now();
    if (on_)
      err_ << fmt::format("timing: {} {:.3f} ms\n", what,
                          std::chrono::duration<double, std::milli>(now - last_).count());
    last_ = std::chrono::steady_clock::now();
  }

 private:
  bool on_;
  std::ostream& err_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

/// The events beside the plan; a file that cannot be written is a mistake like any other.
void write_timeline(const Options& options, const planner::Scenario& scenario, Session& session) {
  if (options.timeline.empty()) return;
  if (!write_file(options.timeline, trace_events(planner::make_timeline(scenario))))
    session.diagnostics.error({}, "cannot write '" + options.timeline + "'");
}

int run_one_plan(const Options& options, Streams& streams) {
  Session session;
  Stopwatch watch(options, streams);
  auto loaded = options.timeline.empty() ? load_scenario(options, streams, session)
                                         : load_one_length(options, "--timeline", streams, session);
  if (!loaded) return report_diagnostics(options, streams, session);
  watch.mark("read");
  planner::Plan plan = planner::make_plan(loaded->scenario);
  watch.mark("plan");
  planner::check_goals(plan, *loaded, session.diagnostics);
  warn_of_assumed(plan, loaded->scenario, session.diagnostics);
  warn_of_reach(plan, session.diagnostics);
  write_timeline(options, loaded->scenario, session);
  if (int status = report_diagnostics(options, streams, session)) return status;
  int status = print(plan_report(*loaded, plan), options, streams, "plan");
  watch.mark("print");
  return status == kDone && !plan.feasible ? int{kNotFeasible} : status;
}

int run_one_ops(const Options& options, Streams& streams) {
  Session session;
  Stopwatch watch(options, streams);
  auto loaded = load_one_length(options, "ops", streams, session);
  if (int status = report_diagnostics(options, streams, session)) return status;
  watch.mark("read");
  std::vector<planner::OperatorRow> rows = planner::operator_rows(loaded->scenario);
  watch.mark("operators");
  if (!rows.empty() && asks_graph(options)) return print_graph(loaded->scenario, options, streams);
  if (rows.empty()) {
    for (const planner::Violation& v : planner::make_plan(loaded->scenario).violations)
      streams.err << "not feasible: " << v.rule << ": " << v.message << "\n";
  }
  Report report = options.group.empty() ? ops_report(rows) : ops_grouped(rows, options.group);
  if (options.format == "svg") {
    if (options.group.empty()) report.picture = ops_roofline(loaded->scenario, rows);
    else report.picture = ops_bars(loaded->scenario, rows, options.group);
  }
  int status = print(std::move(report), options, streams, "ops");
  watch.mark("print");
  return status == kDone && rows.empty() ? int{kNotFeasible} : status;
}

int run_plan(const Options& options, Streams& streams) { return with_picked(options, streams, run_one_plan); }
int run_ops(const Options& options, Streams& streams) { return with_picked(options, streams, run_one_ops); }

int run_check(const Options& options, Streams& streams) {
  std::vector<Session> sessions(options.inputs.size());  // keep the sources that the diagnostics point into
  Session all;
  std::string good;
  for (size_t i = 0; i < sessions.size(); ++i) {
    check_file(options.inputs[i], options, streams, sessions[i]);
    const auto& found = sessions[i].diagnostics;
    all.diagnostics.list.insert(all.diagnostics.list.end(), found.list.begin(), found.list.end());
    if (!found.has_errors() && !options.quiet) good += options.inputs[i] + ": OK\n";
  }
  Options text = options;
  text.format = "table";
  int status = report_diagnostics(text, streams, all);
  if (options.format == "table") streams.out << good;
  else if (int wrong = print(diagnostics_report(all.diagnostics), options, streams, "check")) return wrong;
  return status;
}

int run_list(const Options& options, Streams& streams) {
  Session session;
  open_catalog(session, options);
  if (int status = report_diagnostics(options, streams, session)) return status;
  if (options.inputs.empty()) return print(list_overview(session), options, streams, "list");
  std::vector<std::string> names;
  for (const Listing& l : listings()) {
    if (options.inputs[0] == l.name || options.inputs[0] == std::string(l.name) + "s")
      return print(l.function(l.name, session), options, streams, "list");
    names.emplace_back(l.name);
  }
  std::string hint = dsl::did_you_mean(options.inputs[0], names);
  session.diagnostics.error({}, "unknown kind '" + options.inputs[0] + "'",
                            hint.empty() ? "`trainplan list` prints the kinds" : hint);
  return report_diagnostics(options, streams, session);
}

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
std::string file_of(const std::string& name, const Options& options) {
  if (name.ends_with(".yaml")) return name.starts_with('/') ? name : "./" + name;
  std::error_code error;
  for (const std::string& directory : options.catalog) {
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

int run_show(const Options& options, Streams& streams) {
  Session session;
  open_catalog(session, options);
  if (int status = report_diagnostics(options, streams, session)) return status;
  std::string name = options.inputs.at(0);
  std::vector<const EntryKind*> kinds = kinds_with(name, session);
  std::string file = kinds.empty() ? file_of(name, options) : "";
  if (!file.empty()) {
    if (const EntryKind* kind = kind_to_show(file, streams, session)) kinds = {kind};
  } else if (kinds.empty()) {
    diagnose_unknown(name, session);
  }
  Entry entry;
  if (!kinds.empty()) entry = read_entry(*kinds[0], file.empty() ? name : file, session);
  if (int status = report_diagnostics(options, streams, session)) return status;
  for (size_t i = 1; i < kinds.size() && !options.quiet; ++i)
    streams.err << "note: there is also a " << kinds[i]->name << ": trainplan show " << kinds[i]->name << "/" << name
                << "\n";
  return print(show_report(name, entry), options, streams, "show");
}

constexpr std::array kCommands{
    Command{"plan", "one configuration: step time, breakdown, memory, throughput, cost", "SCENARIO",
            kReads | kPick | kTimeline, run_plan},
    Command{"search", "every choice of the scenario: the best plans for its goal, and why the rest was rejected",
            "SCENARIO", kReads | kSearch | kLimit | kPicture, run_search},
    Command{"sweep", "one row per combination of the choices, in order", "SCENARIO", kReads | kLimit, run_sweep},
    Command{"merge", "unites the results of search --shard I/N, as one search would print them", "FILE...", kPicture,
            run_merge},
    Command{"compare",
            "two plans side by side: what differs, and how many seconds and dollars each difference is worth", "A B",
            kReads | kPick, run_compare},
    Command{"ops", "operator table: shape, FLOP, bytes, intensity, time, bound, provenance", "SCENARIO",
            kReads | kPick | kGroup | kPicture, run_ops},
    Command{"comm", "compute against communication: edge, slack, what is serialized, hidden and exposed", "SCENARIO",
            kReads | kPick | kComm | kPicture, run_comm},
    Command{"roadmap", "the scenario over steps of hardware and models, the best plan searched again on each",
            "SCENARIO", kReads | kPicture, run_roadmap},
    Command{"seqpoint", "a few iterations that stand for a run of varying sequence lengths, and for it elsewhere",
            "LOG", kReads | kSeqpoint, run_seqpoint},
    Command{"validate", "measured training runs, or a paper's figures (studies), against what is predicted", "FILE...",
            kValidate, run_validate},
    Command{"calibrate", "operator models from measurements: a profile fragment and its hold-out error",
            "[KIND] DATA...", kCalibrate, run_calibrate},
    Command{"scale", "scaling models of a handful of measured runs: speed-up, efficiency, cost, what to buy", "DATA...",
            kScale | kPicture, run_scale},
    Command{"list", "catalogue entries and other tables by kind", "[KIND]", 0, run_list},
    Command{"show", "one catalogue entry, every figure with its source", "NAME", 0, run_show},
    Command{"check", "mistakes in scenario and catalogue files", "FILE...", 0, run_check},
    Command{"import", "a Hugging Face configuration or a Megatron-LM command line as YAML", "hf|megatron INPUT...",
            kImport, run_import},
    Command{"export", "launch flags or files of a plan, for the program that runs it", "SCENARIO",
            kReads | kPick | kExport, run_export},
    Command{"schema", "JSON Schema of a scenario or of a catalogue file, for editors", "[KIND]", 0, run_schema},
};

/// Words a shell may offer after `trainplan WORDS...`, one a line: commands, flags, names.
int complete(const std::vector<std::string>& words, Streams& streams) {
  Session session{.sources = {}, .diagnostics = {}, .catalog = {planner::builtin_catalog(), {}}};
  for (const Command& c : kCommands) {
    if (words.size() < 2) streams.out << c.name << '\n';
    else if (words[0] == c.name)
      for (const std::string& flag : flag_names(c)) streams.out << flag << '\n';
  }
  if (words.size() > 1 && words[0] == "list")
    for (const Listing& l : listings()) streams.out << l.name << '\n';
  if (words.size() > 1 && words[0] == "import")
    for (const char* format : import_formats()) streams.out << format << '\n';
  if (words.size() > 1 && words[0] == "schema")
    for (const EntryKind& kind : entry_kinds()) streams.out << kind.name << '\n';
  if (words.size() > 1 && words[0] == "show")
    for (const EntryKind& kind : entry_kinds())
      for (const std::string& name : dsl::catalog_names(session.catalog, kind.name)) streams.out << name << '\n';
  return kDone;
}

}  // namespace

std::span<const Command> commands() { return kCommands; }

int run(const std::vector<std::string>& args, Streams& streams) {
  if (!args.empty() && args[0] == "__complete") return complete({args.begin() + 1, args.end()}, streams);
  Request request = parse(args, kCommands);
  if (request.command) return request.command->function(request.options, streams);
  (request.status == kDone ? streams.out : streams.err) << request.text;
  return request.status;
}

}  // namespace cli
