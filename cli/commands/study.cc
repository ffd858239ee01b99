#include "cli/commands/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <deque>

#include "cli/pages/study_pages.h"
#include "planner/studies/published/study.h"

namespace cli {
namespace {

bool is_scenario(std::string_view file) { return file.ends_with(".yaml") || file.ends_with(".yml"); }

std::string wrong_flag(const ValidateFlags& options) {
  for (const std::string& file : options.common.inputs)
    if (!is_scenario(file)) return fmt::format("'{}' is no scenario: studies stand alone", file);
  if (!options.where.empty()) return "--where selects measured runs, and a study has none";
  if (!options.by.empty()) return "--by groups measured runs, and a study has none";
  return options.max_mape ? "--max-mape is of measured runs, and a study has none" : "";
}

}  // namespace

bool has_scenario(const std::vector<std::string>& files) { return std::ranges::any_of(files, is_scenario); }

int run_studies(const ValidateFlags& options, Streams& streams) {
  if (const std::string wrong = wrong_flag(options); !wrong.empty()) {
    streams.err << "trainplan validate: " << wrong << "\n";
    return kWrongUsage;
  }
  Session session;
  open_catalog(session, options.common.catalog);
  std::vector<dsl::Override> overrides = set_overrides(options.scenario);
  const auto start = std::chrono::steady_clock::now();
  std::deque<planner::Study> studies;  // the rows point into them
  std::vector<planner::StudyRow> rows;
  for (const std::string& file : options.common.inputs) {
    const dsl::Source* source = read_input(file, streams, session);
    if (!source) continue;
    dsl::Diagnostics found;
    if (auto study = planner::read_study(*source, session.catalog, session.sources, found)) {
      studies.push_back(std::move(*study));
      auto more = planner::run_study(studies.back(), *source, overrides, session.catalog, session.sources, found);
      if (more) rows.insert(rows.end(), more->begin(), more->end());
    }
    session.diagnostics.list.insert(session.diagnostics.list.end(), found.list.begin(), found.list.end());
  }
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - start;
  if (options.common.timing) streams.err << fmt::format("timing: {} figures {:.3f} ms\n", rows.size(), took.count());
  if (int status = print(study_report(rows), options.common, streams, "validate")) return status;
  const bool missed = std::ranges::any_of(rows, [](const auto& r) { return r.verdict() == planner::Verdict::missed; });
  return missed ? kAboveLimit : kDone;
}

}  // namespace cli
