#include "planner/studies/published/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>

#include "cli/commands/validate.h"
#include "cli/pages/study_pages.h"

namespace cli {
namespace {

bool is_scenario(std::string_view file) { return file.ends_with(".yaml") || file.ends_with(".yml"); }

std::string wrong_flag(const ValidateFlags& options) {
  for (const std::string& file : options.common.inputs)
    if (!is_scenario(file)) return fmt::format("'{}' is no scenario: studies stand alone", file);
  return wrong_run_flag(options, "a study");
}

}  // namespace

bool has_scenario(const std::vector<std::string>& files) { return std::ranges::any_of(files, is_scenario); }

int run_studies(const ValidateFlags& options, Streams& streams) {
  if (const std::string wrong = wrong_flag(options); !wrong.empty()) return refuse_usage("validate", wrong, streams);
  Session session = open_session(options.common);
  std::vector<dsl::Override> overrides = set_overrides(options.scenario);
  Stopwatch watch(options.common.timing, streams.err);
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
    add_mistakes(found, session.diagnostics);
  }
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  watch.mark(fmt::format("{} figures", rows.size()));
  if (int status = print(study_report(rows), options.common, streams, "validate")) return status;
  const bool missed = std::ranges::any_of(rows, [](const auto& r) { return r.verdict() == planner::Verdict::missed; });
  return missed ? kAboveLimit : kDone;
}

}  // namespace cli
