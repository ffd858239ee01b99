#include "cli/commands/common.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <thread>

#include "cli/input/foreign.h"
#include "cli/pages/diagnostics_report.h"
#include "cli/render/render.h"
#include "dsl/quoting.h"
#include "dsl/read_text.h"
#include "planner/resolve/prices.h"
#include "planner/resolve/read.h"

namespace cli {
namespace {

constexpr size_t kMostOfPage = 64 << 10;  // bytes of a file that a page shows; logs and tables have more

/// The files among the inputs, as they are on the disk.
std::vector<PageText> read_texts(const std::vector<std::string>& inputs) {
  std::vector<PageText> texts;
  std::string why;
  for (const std::string& path : inputs)
    if (std::optional<std::string> text = dsl::read_file(path, kMostOfPage, why))
      texts.push_back({path, *std::move(text)});
  return texts;
}

/// --prices as a scenario writes it. Messages point to the flag's text, which a run has to the end.
dsl::Override price_list(const std::string& path) {
  static std::map<std::string, dsl::Source> sources;
  static std::mutex mutex;
  const std::lock_guard lock(mutex);
  const dsl::Source& flag = sources.try_emplace(path, dsl::Source{"--prices", path, ""}).first->second;
  // A name alone would be one of the catalogue.
  const std::string file = path.find('/') == std::string::npos ? "./" + path : path;
  return {fmt::format("{}={{use: {}}}", planner::kPriceList, dsl::double_quoted(file)),
          {&flag, 1, 1, static_cast<int>(path.size())}};
}

// Candidates: some ten milliseconds. What a second thread has to prepare is a fifth of that.
constexpr double kOfThread = 1 << 14;

}  // namespace

std::vector<dsl::Override> set_overrides(const ScenarioFlags& flags) {
  std::vector<dsl::Override> overrides;
  if (!flags.prices.empty()) overrides.push_back(price_list(flags.prices));
  for (const std::string& text : flags.set) overrides.push_back({text});
  if (!flags.measured.empty()) overrides.push_back({fmt::format("measured.step={}", flags.measured)});
  return overrides;
}

int64_t thread_count(const ScenarioFlags& flags, double candidates) {
  if (flags.threads) return *flags.threads;
  const double cores = std::max(1u, std::thread::hardware_concurrency());
  return static_cast<int64_t>(std::clamp(candidates / kOfThread, 1.0, cores));
}

Session open_session(const CommonFlags& common) {
  Session session;
  open_catalog(session, common.catalog);
  return session;
}

std::optional<planner::LoadedScenario> load_scenario(const CommonFlags& common, const ScenarioFlags& flags,
                                                     Streams& streams, Session& session) {
  open_catalog(session, common.catalog);
  const dsl::Source* source = read_scenario_text(common.inputs.at(0), streams, session);
  if (!source || session.diagnostics.has_errors()) return std::nullopt;
  std::vector<dsl::Override> overrides = set_overrides(flags);
  return planner::read_scenario(*source, overrides, session.catalog, session.sources, session.diagnostics,
                                {.pick_first = !flags.pick.empty(), .chosen = flags.chosen});
}

void refuse_lengths(const planner::Lengths& lengths, const dsl::Record& record, const char* command,
                    dsl::Diagnostics& diagnostics) {
  if (lengths.shares.empty()) return;
  const int64_t shortest = lengths.shares.front().length, longest = lengths.shares.back().length;
  diagnostics.error(
      record.find("job.sequence")->span,
      fmt::format("{} takes one sequence length, and this run's are {} to {}", command, shortest, longest),
      fmt::format("--set job.sequence={} takes one of them; plan and search take all", longest));
}

std::optional<planner::LoadedScenario> load_one_length(const CommonFlags& common, const ScenarioFlags& flags,
                                                       const char* command, Streams& streams, Session& session) {
  std::optional<planner::LoadedScenario> loaded = load_scenario(common, flags, streams, session);
  if (loaded) refuse_lengths(loaded->scenario.lengths, loaded->record, command, session.diagnostics);
  return session.diagnostics.has_errors() ? std::nullopt : std::move(loaded);
}

void Stopwatch::mark(std::string_view what, int decimals) {
  const auto now = std::chrono::steady_clock::now();
  if (on_)
    err_ << fmt::format("timing: {} {:.{}f} ms\n", what, std::chrono::duration<double, std::milli>(now - last_).count(),
                        decimals);
  last_ = std::chrono::steady_clock::now();
}

int refuse_usage(const char* command, const std::string& message, Streams& streams) {
  streams.err << "trainplan " << command << ": " << message << "\n";
  return kWrongUsage;
}

bool tell_violations(const std::vector<planner::Violation>& violations, Streams& streams) {
  for (const planner::Violation& v : violations) streams.err << "not feasible: " << v.rule << ": " << v.message << "\n";
  return !violations.empty();
}

void tell_warnings(const std::vector<std::string>& warnings, const CommonFlags& common, Streams& streams) {
  if (common.quiet) return;
  for (const std::string& warning : warnings) streams.err << "warning: " << warning << '\n';
}

int report_diagnostics(const CommonFlags& common, Streams& streams, const Session& session) {
  bool errors = session.diagnostics.has_errors();
  for (const dsl::Diagnostic& d : session.diagnostics.list)
    if (d.severity == dsl::Severity::error || !common.quiet)
      streams.screen() << dsl::render(d, streams.color && !common.no_color);
  if (errors && common.format == "json") render(diagnostics_report(session.diagnostics), "json", {}, streams.out);
  return errors ? kInvalidInput : kDone;
}

int report_assertions(const dsl::Diagnostics& failed, const CommonFlags& common, Streams& streams) {
  for (const dsl::Diagnostic& d : failed.list) streams.screen() << dsl::render(d, streams.color && !common.no_color);
  return failed.has_errors() ? kNotAsserted : kDone;
}

bool wants_picture(const CommonFlags& common) {
  const ReportFormat* format = find_format(common.format);
  return format && format->draws == Draws::picture;
}

bool shows_picture(const CommonFlags& common) {
  const ReportFormat* format = find_format(common.format);
  return format && (format->draws == Draws::picture || format->whole);
}

int print(Report report, const CommonFlags& common, Streams& streams, const char* command) {
  const bool is_row = common.format == "csv" || common.format == "tsv";
  const bool is_usual = is_row && common.columns.empty() && !common.all_columns;
  std::string wrong = select(
      report, {.columns = is_usual ? report.usual_columns : common.columns, .sort = common.sort, .top = common.top});
  if (!wrong.empty()) return refuse_usage(command, wrong, streams);
  Page page{.width = streams.width,
            .crlf = common.crlf,
            .color = streams.color_out && !common.no_color,
            .command = streams.line};
  if (const ReportFormat* format = find_format(common.format); format && format->whole)
    page.texts = read_texts(common.inputs);
  render(report, common.format, page, streams.out);
  return kDone;
}

}  // namespace cli
