#include "planner/studies/fit_steps/problem.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "planner/plan/plan.h"

namespace planner {
namespace {

constexpr double kFarthest = 12;  // standard errors of a prior that a value may go
constexpr double kStep = 0.01;    // of u, for a difference

double u_of(const Instance& instance, double value) {
  const FitParameter& p = *instance.parameter;
  const double u = p.pull == PriorPull::difference ? (value - instance.shipped) / p.error
                                                   : std::log(std::max(value, 1e-300) / instance.shipped) / p.error;
  return std::clamp(u, -kFarthest, kFarthest);
}

}  // namespace

double huber(double z) {
  const double size = std::fabs(z);
  return size <= kBend ? z : std::copysign(std::sqrt(kBend * (2 * size - kBend)), z);
}

double huber_slope(double z) {
  const double size = std::fabs(z);
  return size <= kBend ? 1 : kBend / std::sqrt(kBend * (2 * size - kBend));
}

std::vector<RowWeight> row_weights(const std::vector<MeasuredRun>& rows) {
  std::map<std::string, RowWeight> counts;
  auto timed = [](const MeasuredRun& run) { return run.measured.seconds.has_value(); };
  auto weighed = [](const MeasuredRun& run) { return run.measured.memory_kind != MemoryKind::none; };
  for (const MeasuredRun& run : rows) {
    counts[run.group].time += timed(run);
    counts[run.group].memory += weighed(run);
  }
  std::vector<RowWeight> out;
  for (const MeasuredRun& run : rows) {
    const RowWeight& n = counts[run.group];
    out.push_back({timed(run) ? std::pow(n.time, -0.25) : 0, weighed(run) ? std::pow(n.memory, -0.25) : 0});
  }
  return out;
}

double Instance::value_at(double u) const {
  const double value =
      parameter->pull == PriorPull::ratio ? shipped * std::exp(parameter->error * u) : shipped + parameter->error * u;
  return std::clamp(value, number.least, number.most);
}

double Instance::least_u() const { return u_of(*this, number.least); }
double Instance::most_u() const { return u_of(*this, number.most); }

void Instance::set(double u) const {
  const double value = value_at(u);
  for (const OwnerRow& in : rows) in.set(value);
}

StepProblem::StepProblem(std::vector<MeasuredRun> runs) : rows_(std::move(runs)) {
  for (const FitParameter& parameter : fit_parameters())
    for (size_t row = 0; row < rows_.size(); ++row) add(parameter, row);
}

void StepProblem::add(const FitParameter& parameter, size_t row) {
  Scenario& scenario = rows_[row].scenario;
  const Measurement& m = rows_[row].measured;
  if (parameter.memory ? m.memory_kind == MemoryKind::none : !m.seconds) return;
  const auto path = path_in(parameter, scenario);
  if (!path) return;
  const std::vector<ScenarioNumber> places = numbers_at(scenario, *path);
  if (places.empty()) return;
  Instance& instance = instance_of(parameter, *path, scenario, places.front());
  // A row with a value of its own does not count for the owner.
  Instance::OwnerRow in{.row = row};
  for (const ScenarioNumber& place : places) {
    if (*place.value != instance.shipped) continue;
    in.values.push_back(place.value);
    if (std::find(instance.paths.begin(), instance.paths.end(), place.path) == instance.paths.end())
      instance.paths.push_back(place.path);
  }
  if (!in.values.empty()) instance.rows.push_back(std::move(in));
}

Instance& StepProblem::instance_of(const FitParameter& parameter, const std::string& path, const Scenario& scenario,
                                   const ScenarioNumber& first) {
  const std::string& owner = owner_name(parameter.owner, scenario);
  for (Instance& i : instances_)
    if (i.parameter == &parameter && i.owner == owner && i.path == path && i.shipped == *first.value) return i;
  return instances_.emplace_back(Instance{.parameter = &parameter,
                                          .owner = owner,
                                          .path = path,
                                          .precision = precision_of(parameter, scenario),
                                          .shipped = *first.value,
                                          .number = first});
}

LogRatios StepProblem::log_ratios(size_t row) const {
  const MeasuredRun& run = rows_[row];
  const Plan plan = make_plan(run.scenario);
  LogRatios out;
  if (run.measured.seconds) out.time = std::log(plan.step->seconds / *run.measured.seconds);
  if (run.measured.memory_kind != MemoryKind::none)
    out.memory = std::log(peak_of(*plan.memory, run.measured.memory_kind) / *run.measured.memory_bytes);
  return out;
}

std::vector<RowSlope> StepProblem::slopes(const std::vector<size_t>& instances, const std::vector<double>& u,
                                          const std::vector<char>& wanted) const {
  std::vector<std::optional<LogRatios>> here(rows_.size());
  std::vector<RowSlope> out;
  for (size_t i : instances) {
    const Instance& instance = instances_[i];
    const double h = u[i] + kStep > instance.most_u() ? -kStep : kStep;
    const double moved = instance.value_at(u[i] + h);
    for (const Instance::OwnerRow& in : instance.rows) {
      if (!wanted[in.row]) continue;
      if (!here[in.row]) here[in.row] = log_ratios(in.row);
      const double before = *in.values.front();
      in.set(moved);
      const LogRatios there = log_ratios(in.row);
      in.set(before);
      const LogRatios slope{(there.time - here[in.row]->time) / h, (there.memory - here[in.row]->memory) / h};
      if (slope.time != 0 || slope.memory != 0) out.push_back({in.row, i, slope});
    }
  }
  return out;
}

}  // namespace planner
