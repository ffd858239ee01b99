#include "planner/plan/mean_plan.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "planner/plan/at_length.h"
#include "planner/plan/uncertainty.h"

namespace planner {
namespace {

constexpr double Throughput::*kRates[] = {&Throughput::tokens_per_second,
                                          &Throughput::tokens_per_second_per_gpu,
                                          &Throughput::samples_per_second,
                                          &Throughput::model_tflops_per_gpu,
                                          &Throughput::mfu,
                                          &Throughput::mfu_full_attention,
                                          &Throughput::hfu};

/// Means over the lengths: by weight, or by weight and time.
class LengthMeans {
 public:
  LengthMeans(const Lengths& lengths, std::span<const PlanFigures> figures) : figures_(figures) {
    for (size_t k = 0; k < figures.size(); ++k) {
      weights_.push_back(lengths.shares[k].weight);
      sum_ += weights_[k];
      time_ += weights_[k] * figures[k].step.seconds;
    }
  }

  /// of(figures of a length) by weight.
  template <class Of> double of(Of value) const {
    double sum = 0;
    for (size_t k = 0; k < figures_.size(); ++k) sum += weights_[k] * value(figures_[k]);
    return sum / sum_;
  }
  /// Returns the mean by weight and time.
  template <class Of> double in_time(Of value) const {
    double sum = 0;
    for (size_t k = 0; k < figures_.size(); ++k) sum += weights_[k] * figures_[k].step.seconds * value(figures_[k]);
    return sum / time_;
  }

 private:
  std::span<const PlanFigures> figures_;
  std::vector<double> weights_;
  double sum_ = 0, time_ = 0;
};

Breakdown mean_breakdown(const LengthMeans& mean) {
  Breakdown breakdown;
  for (const BreakdownPart& part : kBreakdownParts)
    breakdown.*part.seconds = mean.of([&](const PlanFigures& f) { return f.breakdown.*part.seconds; });
  return breakdown;
}

KindErrors mean_errors(const LengthMeans& mean) {
  KindErrors errors;
  for (size_t i = 0; i < errors.kinds.size(); ++i)
    errors.kinds[i] = mean.in_time([&](const PlanFigures& f) { return f.errors.kinds[i]; });
  errors.software = mean.in_time([](const PlanFigures& f) { return f.errors.software; });
  errors.operators = mean.in_time([](const PlanFigures& f) { return f.errors.operators; });
  errors.assumed = mean.in_time([](const PlanFigures& f) { return f.errors.assumed; });
  return errors;
}

Throughput mean_throughput(const LengthMeans& mean, const PlanFigures& longest) {
  Throughput t = longest.throughput;  // the peak is one
  for (double Throughput::*rate : kRates)
    t.*rate = mean.in_time([&](const PlanFigures& f) { return f.throughput.*rate; });
  t.model_flops_per_step = mean.of([](const PlanFigures& f) { return f.throughput.model_flops_per_step; });
  return t;
}

/// `memory`: of the fullest length; another may keep more on the host.
template <class M> M fullest_memory(M memory, std::span<const PlanFigures> figures) {
  for (const PlanFigures& f : figures)
    memory.host.peak_bytes = std::max(memory.host.peak_bytes, f.memory.host.peak_bytes);
  return memory;
}

double tokens_of(const PlanFigures& f) { return std::round(f.throughput.tokens_per_second * f.step.seconds); }

std::vector<CommunicationRow> mean_communication(const Scenario& s, const std::vector<Plan>& plans) {
  std::vector<CommunicationRow> rows;
  std::map<std::string, size_t> numbers;
  const std::vector<double> shares = length_shares(s);
  for (size_t k = plans.size(); k-- > 0;) {  // the longest first
    const double part = shares[k];
    for (const CommunicationRow& row : plans[k].communication) {
      const size_t number = numbers.try_emplace(identity_of(row), rows.size()).first->second;
      const bool is_new = number == rows.size();
      if (is_new) rows.push_back(row);
      CommunicationRow* at = &rows[number];
      if (is_new) at->bytes = at->count = at->seconds = at->hidden_seconds = at->exposed_seconds = 0;
      at->bytes += part * row.count * row.bytes;  // of all calls; of one below
      at->count += part * row.count;
      at->seconds += part * row.seconds;
      at->hidden_seconds += part * row.hidden_seconds;
      at->exposed_seconds += part * row.exposed_seconds;
    }
  }
  std::erase_if(rows, [](const CommunicationRow& row) { return row.count <= 0; });
  for (CommunicationRow& row : rows) row.bytes /= row.count;
  return rows;
}

std::vector<SourceShare> mean_sources(const Scenario& s, const std::vector<Plan>& plans) {
  std::vector<SourceShare> shares;
  double time = 0;
  for (size_t k = 0; k < plans.size(); ++k) time += s.lengths.shares[k].weight * plans[k].step->seconds;
  for (size_t k = 0; k < plans.size(); ++k)
    for (const SourceShare& source : plans[k].sources) {
      auto at = std::find_if(shares.begin(), shares.end(), [&](const SourceShare& other) {
        return other.kind == source.kind && other.provenance == source.provenance;
      });
      if (at == shares.end()) at = shares.insert(shares.end(), {source.kind, source.provenance, 0});
      at->share += s.lengths.shares[k].weight * plans[k].step->seconds / time * source.share;
    }
  std::stable_sort(shares.begin(), shares.end(),
                   [](const SourceShare& a, const SourceShare& b) { return a.share > b.share; });
  return shares;
}

/// A model that has no time at one length has none.
void join_fitted(const Scenario& s, const std::vector<Plan>& plans, Plan& mean) {
  const std::vector<double> shares = length_shares(s);
  for (size_t k = 0; k < plans.size(); ++k) {
    join_uses(s, plans[k].fitted, shares[k], mean.fitted);
    for (const Violation& v : plans[k].violations)
      if (std::none_of(mean.violations.begin(), mean.violations.end(),
                       [&](const Violation& told) { return told.message == v.message; }))
        mean.violations.push_back(v);
  }
  mean.feasible = mean.violations.empty();
}

}  // namespace

size_t fullest(std::span<const PlanFigures> figures) {
  size_t at = figures.size() - 1;  // of equals the longest
  for (size_t k = at; k-- > 0;)
    if (figures[k].memory.device.peak_bytes > figures[at].memory.device.peak_bytes) at = k;
  return at;
}

PlanFigures mean_figures(const Scenario& s, std::span<const PlanFigures> figures) {
  const LengthMeans mean(s.lengths, figures);
  PlanFigures f = figures.back();
  f.memory = fullest_memory(figures[fullest(figures)].memory, figures);
  f.breakdown = mean_breakdown(mean);
  f.errors = mean_errors(mean);
  const bool fitted = fitted_of(s, kWholeStep) != nullptr;  // its time is exact, the parts are rounded
  f.step = interval(fitted ? mean.of([](const PlanFigures& each) { return each.step.seconds; }) : f.breakdown.sum(),
                    step_error(f.errors));
  f.throughput = mean_throughput(mean, figures.back());
  f.cost = make_run_cost(s, f.step.seconds, mean.of(tokens_of));
  f.priced = std::all_of(figures.begin(), figures.end(), [](const PlanFigures& each) { return each.priced; });
  return f;
}

PlanFigures least_mean_figures(const Scenario& s, std::span<PlanFigures> least) {
  constexpr double kRounded = 1 - 1e-12;
  for (PlanFigures& each : least) {
    for (double* seconds : {&each.breakdown.forward, &each.step.seconds}) *seconds *= kRounded;
    for (double Throughput::*rate : kRates) each.throughput.*rate /= kRounded;
  }
  return mean_figures(s, least);
}

Plan mean_plan(const Scenario& s, const std::vector<Plan>& plans) {
  std::vector<PlanFigures> figures;
  for (const Plan& plan : plans) figures.push_back(plan_figures(plan));
  Plan plan;
  plan.fullest_share = fullest(figures);
  plan.memory = fullest_memory(*plans[plan.fullest_share].memory, figures);
  take_figures(mean_figures(s, figures), plan);
  plan.sources = mean_sources(s, plans);
  plan.communication = mean_communication(s, plans);
  join_fitted(s, plans, plan);
  return plan;
}

}  // namespace planner
