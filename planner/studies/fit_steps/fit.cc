#include "planner/studies/fit_steps/fit.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace planner {
namespace {

constexpr int kLeastRows = 3;         // unless the number is named: then one row is enough, with its pull
constexpr double kLeastSlope = 0.01;  // of a row's residual, to be felt
constexpr double kLeastEffect = 0.2;

struct Effect {
  int rows = 0;
  double square = 0;
};

std::vector<Effect> effects_of(const StepProblem& problem, const std::vector<RowSlope>& slopes,
                               const std::vector<RowWeight>& weights) {
  std::vector<Effect> out(problem.instances().size());
  for (const RowSlope& s : slopes) {
    const double felt = std::hypot(weights[s.row].time * s.slope.time, weights[s.row].memory * s.slope.memory) / kNoise;
    out[s.instance].rows += felt > kLeastSlope;
    out[s.instance].square += felt * felt;
  }
  return out;
}

std::optional<Reason> reason_to_leave(const Instance& instance, const Effect& effect, bool is_named) {
  if (instance.parameter->pull == PriorPull::ratio && instance.shipped <= 0) return Reason::no_ratio;
  if (effect.square == 0) return Reason::unused;
  if (!is_named && effect.rows < kLeastRows) return Reason::few_rows;
  if (std::sqrt(effect.square) < kLeastEffect) return Reason::weak;
  return std::nullopt;
}

/// Numbers by precision; "": for all of them.
class BudgetSpent {
 public:
  void add(const Instance& i) { ++counts_[{i.parameter->owner, i.owner}][i.precision]; }
  int most(Owner owner, const std::string& name) const {
    const auto found = counts_.find({owner, name});
    if (found == counts_.end()) return 0;
    int shared = 0, own = 0;
    for (const auto& [precision, count] : found->second)
      if (precision.empty()) shared = count;
      else own = std::max(own, count);
    return shared + own;
  }
  bool affords(const Instance& i) const {
    BudgetSpent with = *this;
    with.add(i);
    return with.most(i.parameter->owner, i.owner) <= budget(i.parameter->owner);
  }

 private:
  std::map<std::pair<Owner, std::string>, std::map<std::string, int>> counts_;
};

bool named(const Instance& i, const std::vector<std::string>& only) {
  return only.empty() || std::any_of(only.begin(), only.end(), [&](const std::string& path) {
           return path == i.parameter->path || path == i.path;
         });
}

void check_names(const StepProblem& problem, const std::vector<std::string>& only, dsl::Diagnostics& diagnostics) {
  std::vector<std::string> known;
  for (const FitParameter& p : fit_parameters()) known.emplace_back(p.path);
  for (const Instance& i : problem.instances()) known.push_back(i.path);
  for (const std::string& path : only)
    if (std::find(known.begin(), known.end(), path) == known.end())
      diagnostics.error({}, fmt::format("no parameter '{}' can be fitted", path), dsl::did_you_mean(path, known));
}

void check_budgets(const StepProblem& problem, const std::vector<size_t>& instances, dsl::Diagnostics& diagnostics) {
  for (const OwnerCount& c : owner_counts(problem, instances))
    if (c.count > budget(c.owner))
      diagnostics.error({},
                        fmt::format("{} numbers of {} '{}' are asked for, its budget is {}", c.count, name(c.owner),
                                    c.name, budget(c.owner)),
                        "name fewer with --fit");
}

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

const char* text_of(Reason reason) {
  switch (reason) {
    case Reason::unused:
      return "no prediction depends on it";
    case Reason::few_rows:
      return "fewer than three rows feel it";
    case Reason::weak:
      return "it moves the predictions too little";
    case Reason::budget:
      return "beyond its owner's budget";
    case Reason::unmoved:
      return "it moved by less than 1.4 standard errors";
    case Reason::no_ratio:
      break;
  }
  return "shipped as 0, which no factor moves";
}

std::vector<OwnerCount> owner_counts(const StepProblem& problem, const std::vector<size_t>& instances) {
  BudgetSpent spent;
  std::vector<OwnerCount> out;
  for (size_t i : instances) {
    const Instance& instance = problem.instances()[i];
    spent.add(instance);
    const Owner owner = instance.parameter->owner;
    auto same = [&](const OwnerCount& c) { return c.owner == owner && c.name == instance.owner; };
    if (std::none_of(out.begin(), out.end(), same)) out.push_back({owner, instance.owner, 0});
  }
  for (OwnerCount& c : out) c.count = spent.most(c.owner, c.name);
  return out;
}

NumberChoice choose(const StepProblem& problem, const std::vector<RowSlope>& slopes,
                    const std::vector<RowWeight>& weights, const std::vector<std::string>& only,
                    dsl::Diagnostics& diagnostics) {
  check_names(problem, only, diagnostics);
  const std::vector<Effect> effects = effects_of(problem, slopes, weights);
  NumberChoice out;
  std::vector<size_t> able;
  for (size_t i = 0; i < problem.instances().size(); ++i) {
    if (!named(problem.instances()[i], only)) continue;
    if (const auto reason = reason_to_leave(problem.instances()[i], effects[i], !only.empty()))
      out.left_alone.push_back({i, *reason});
    else able.push_back(i);
  }
  std::stable_sort(able.begin(), able.end(), [&](size_t a, size_t b) { return effects[a].square > effects[b].square; });
  BudgetSpent spent;
  for (size_t i : able) {
    const Instance& instance = problem.instances()[i];
    if (!only.empty() || spent.affords(instance)) {
      spent.add(instance);
      out.instances.push_back(i);
    } else {
      out.left_alone.push_back({i, Reason::budget});
    }
  }
  std::sort(out.instances.begin(), out.instances.end());
  check_budgets(problem, out.instances, diagnostics);
  return out;
}

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
