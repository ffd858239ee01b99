#include "cli/commands/common.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "cli/render/render.h"
#include "dsl/node.h"
#include "planner/resolve/read.h"

namespace cli {
namespace {

/// At most one byte more than `most`, so that the limit of whoever reads it speaks, whatever the size of the input.
std::string read_text(std::istream& in, size_t most) {
  std::string text;
  std::array<char, 1 << 16> part{};
  while (text.size() <= most && in) {
    in.read(part.data(), static_cast<std::streamsize>(std::min(part.size(), most + 1 - text.size())));
    text.append(part.data(), static_cast<size_t>(in.gcount()));
  }
  return text;
}

std::optional<std::string> read_file(const std::string& path, size_t most, std::string& why) {
  std::error_code error;
  if (!std::filesystem::exists(path, error)) return why = "no such file", std::nullopt;
  if (std::filesystem::is_directory(path, error)) return why = "is a directory", std::nullopt;
  std::ifstream file(path, std::ios::binary);
  if (!file) return why = "permission denied", std::nullopt;
  std::string text = read_text(file, most);
  if (file.bad()) return why = "read error", std::nullopt;
  return text;
}

std::string directory_of(const std::string& path) {
  std::string parent = std::filesystem::path(path).parent_path().string();
  return parent.empty() ? "." : parent;
}

Data place(int n) { return n > 0 ? Data(n) : Data(); }

}  // namespace

void open_catalog(Session& session, const Options& options) {
  session.catalog.builtin = planner::builtin_catalog();
  session.catalog.directories = options.catalog;
  std::error_code error;
  for (const std::string& directory : options.catalog)
    if (!std::filesystem::is_directory(directory, error))
      session.diagnostics.error({}, "cannot read the catalogue '" + directory + "': no such directory");
}

const dsl::Source* read_input(const std::string& path, Streams& streams, Session& session, size_t most) {
  if (path == "-") return &session.sources.emplace_back(dsl::Source{"<stdin>", read_text(streams.in, most), "."});
  std::string why;
  if (auto text = read_file(path, most, why))
    return &session.sources.emplace_back(dsl::Source{path, std::move(*text), directory_of(path)});
  session.diagnostics.error({}, "cannot read '" + path + "': " + why);
  return nullptr;
}

std::vector<dsl::Override> set_overrides(const Options& options) {
  std::vector<dsl::Override> overrides;
  for (const std::string& text : options.set) overrides.push_back({text});
  return overrides;
}

int64_t thread_count(const Options& options) {
  return options.threads > 0 ? options.threads : std::max<int64_t>(1, std::thread::hardware_concurrency());
}

std::optional<planner::LoadedScenario> load_scenario(const Options& options, Streams& streams, Session& session) {
  open_catalog(session, options);
  const dsl::Source* source = read_input(options.inputs.at(0), streams, session);
  if (!source || session.diagnostics.has_errors()) return std::nullopt;
  std::vector<dsl::Override> overrides = set_overrides(options);
  return planner::read_scenario(*source, overrides, session.catalog, session.sources, session.diagnostics,
                                {.pick_first = !options.pick.empty()});
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

std::optional<planner::LoadedScenario> load_one_length(const Options& options, const char* command, Streams& streams,
                                                       Session& session) {
  std::optional<planner::LoadedScenario> loaded = load_scenario(options, streams, session);
  if (loaded) refuse_lengths(loaded->scenario.lengths, loaded->record, command, session.diagnostics);
  return session.diagnostics.has_errors() ? std::nullopt : std::move(loaded);
}

Report diagnostics_report(const dsl::Diagnostics& diagnostics) {
  Report report{.format = "trainplan.diagnostics/1",
                .document = {{"diagnostics", {}}},
                .key = "diagnostics",
                .table = {},
                .text = {}};
  for (const char* name : {"file", "line", "column", "severity", "message", "hint"})
    report.table.columns.push_back({.name = name});
  for (const dsl::Diagnostic& d : diagnostics.list)
    report.table.rows.push_back({d.span.source ? Data(d.span.source->name) : Data(), place(d.span.line),
                                 place(d.span.column), d.severity == dsl::Severity::error ? "error" : "warning",
                                 d.message, d.hint});
  return report;
}

int report_diagnostics(const Options& options, Streams& streams, const Session& session) {
  bool errors = session.diagnostics.has_errors();
  for (const dsl::Diagnostic& d : session.diagnostics.list)
    if (d.severity == dsl::Severity::error || !options.quiet)
      streams.err << dsl::render(d, streams.color && !options.no_color);
  if (errors && options.format == "json") render(diagnostics_report(session.diagnostics), "json", {}, streams.out);
  return errors ? kInvalidInput : kDone;
}

int print(Report report, const Options& options, Streams& streams, const char* command) {
  std::string wrong = select(report, {.columns = options.columns, .sort = options.sort, .top = options.top});
  if (!wrong.empty()) {
    streams.err << "trainplan " << command << ": " << wrong << "\n";
    return kWrongUsage;
  }
  render(report, options.format, {.width = streams.width}, streams.out);
  return kDone;
}

}  // namespace cli
