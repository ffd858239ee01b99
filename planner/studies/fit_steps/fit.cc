#include "planner/studies/fit_steps/fit.h"

#include <algorithm>

namespace planner {
namespace {

Ratios ratios_of(const StepProblem& problem) {
  Ratios out;
  for (size_t row = 0; row < problem.rows().size(); ++row) out.push_back(problem.log_ratios(row));
  return out;
}

/// The ratios of the measured values in some rows.
std::vector<double> picked(const StepProblem& problem, const Ratios& ratios, bool memory, const std::string* group) {
  std::vector<double> out;
  for (size_t row = 0; row < ratios.size(); ++row) {
    const MeasuredRun& run = problem.rows()[row];
    if (group && run.group != *group) continue;
    if (memory ? run.measured.memory_kind != MemoryKind::none : run.measured.seconds.has_value())
      out.push_back(memory ? ratios[row].memory : ratios[row].time);
  }
  return out;
}

std::vector<std::string> group_names(const StepProblem& problem) {
  std::vector<std::string> out;
  for (const MeasuredRun& run : problem.rows())
    if (std::find(out.begin(), out.end(), run.group) == out.end()) out.push_back(run.group);
  return out;
}

void tell_errors(const StepProblem& problem, const Ratios& before, const Ratios& after, const Ratios& left_out,
                 StepsFit& out) {
  auto errors = [&](const Ratios& ratios, bool memory, const std::string* group = nullptr) {
    return operator_models::errors_of(picked(problem, ratios, memory, group));
  };
  for (bool memory : {false, true})
    for (const std::string& group : group_names(problem)) {
      GroupResult result{group, memory, errors(before, memory, &group), errors(after, memory, &group),
                         errors(left_out, memory, &group)};
      if (result.before.rows > 0) out.groups.push_back(std::move(result));
    }
  out.before = errors(before, false), out.after = errors(after, false), out.left_out = errors(left_out, false);
  out.memory_before = errors(before, true), out.memory_after = errors(after, true);
  out.memory_left_out = errors(left_out, true);
}

std::vector<size_t> all_of(const StepProblem& problem) {
  std::vector<size_t> out(problem.instances().size());
  for (size_t i = 0; i < out.size(); ++i) out[i] = i;
  return out;
}

}  // namespace

StepsFit fit_steps(StepProblem& problem, const std::vector<std::string>& only, dsl::Diagnostics& diagnostics) {
  StepsFit out;
  const std::vector<RowWeight> weights = row_weights(problem.rows());
  const std::vector<double> shipped(problem.instances().size(), 0);
  const std::vector<RowSlope> slopes =
      problem.slopes(all_of(problem), shipped, std::vector<char>(problem.rows().size(), 1));
  out.choice = choose(problem, slopes, weights, only, diagnostics);
  if (diagnostics.has_errors()) return out;
  const Ratios before = ratios_of(problem);
  Fitter fitter(problem, weights, out.choice.instances);
  out.converged = fitter.fit(slopes, only.empty());
  for (size_t i : out.choice.instances) {
    if (fitter.keeps(i)) out.numbers.push_back(fitter.number(i));
    else out.choice.left_alone.push_back({i, Reason::unmoved});
  }
  std::erase_if(out.choice.instances, [&](size_t i) { return !fitter.keeps(i); });
  out.counts = owner_counts(problem, out.choice.instances);
  const Ratios after = ratios_of(problem);
  out.ratios_left_out = fitter.left_out(after);
  tell_errors(problem, before, after, out.ratios_left_out, out);
  return out;
}

}  // namespace planner
