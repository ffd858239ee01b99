#include "planner/studies/fit_steps/choose.h"

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

}  // namespace planner
