#include <fmt/format.h>

#include "cli/commands/calibrate.h"
#include "cli/commands/elapsed.h"
#include "cli/commands/whole_file.h"
#include "cli/pages/calibrate_report.h"

namespace cli {
namespace {

constexpr double kFar = 3;  // standard errors of a prior

/// A flag of the other kinds, where one is given.
const char* strange_flag(const CalibrateFlags& o) {
  const std::pair<const char*, const std::string*> flags[] = {
      {"--gpu", &o.gpu},     {"--cluster", &o.cluster}, {"--precision", &o.precision}, {"--kernel", &o.kernel},
      {"--model", &o.model}, {"--score", &o.score},     {"--within", &o.within}};
  for (const auto& [name, value] : flags)
    if (!value->empty()) return name;
  return nullptr;
}

void warn(const planner::StepsFit& fit, std::vector<std::string>& warnings) {
  if (!fit.converged) warnings.emplace_back("the fit did not converge: its numbers are the best that were found");
  for (const planner::FittedNumber& n : fit.numbers) {
    const std::string what = n.path + " of " + n.owner_name;
    if (n.at_bound && n.fitted != n.shipped)
      warnings.push_back(what + " ends at its bound: the rows ask for more than it may say");
    if (n.pulls > kFar)
      warnings.push_back(fmt::format(
          "{} ends {:.1f} standard errors of its prior away: it may stand for something else", what, n.pulls));
  }
  if (fit.numbers.empty()) warnings.emplace_back("the rows determine no number: everything stays as shipped");
}

}  // namespace

int run_calibrate_steps(const CalibrateFlags& options, Streams& streams) {
  if (const char* flag = strange_flag(options))
    return refuse_usage("calibrate", fmt::format("{} is of no use to steps, whose rows say it", flag), streams);
  Session session = open_session(options.common);
  Stopwatch watch(options.common.timing, streams.err);
  FittedSteps steps{.problem = nullptr, .fit = {}, .files = file_names(options.common.inputs), .warnings = {}};
  std::vector<planner::Run> runs = read_all_runs(options, streams, session, steps.warnings);
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  std::vector<planner::MeasuredRun> rows = measured_runs(std::move(runs), options, session, steps.warnings);
  if (rows.empty() && !session.diagnostics.has_errors())
    session.diagnostics.error({}, "no row can be predicted and compared", "trainplan validate says why");
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  planner::StepProblem problem(std::move(rows));
  steps.problem = &problem;
  steps.fit = elapsed(options.common, streams, "fitting",
                      [&] { return planner::fit_steps(problem, options.fit, session.diagnostics); });
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  warn(steps.fit, steps.warnings);
  if (!options.write.empty()) write_new_files(options.write, steps_files(steps), session.diagnostics);
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  watch.mark(fmt::format("{} rows", problem.rows().size()), 1);
  tell_warnings(steps.warnings, options.common, streams);
  const int status = print(steps_report(steps), options.common, streams, "calibrate");
  if (status == kDone && options.common.format == "table") streams.out << '\n' << steps_fragments(steps);
  return status;
}

}  // namespace cli
