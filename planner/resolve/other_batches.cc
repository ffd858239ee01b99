#include "planner/resolve/other_batches.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <limits>

#include "dsl/expression_tree.h"
#include "planner/search/rank_plans.h"
#include "planner/search/sweep.h"

namespace planner {
namespace {

constexpr const char* kGpus = "cluster.gpus";
constexpr const char* kBatch = "job.global_batch";
constexpr double kFarthest = 1.25;   // times the batch, or one over it
constexpr double kWorseBy = 0.05;    // a nearer batch is preferred unless it is worse by more than this
constexpr int64_t kSingly = 10'000;  // candidates that are walked one by one

/// Multiples of the divisors of a number of GPUs next to the batch, nearest first: data-parallel ranks divide both.
std::vector<int64_t> batches_near(int64_t gpus, int64_t batch) {
  std::vector<int64_t> near;
  for (int64_t d = 1; d <= gpus; ++d) {
    if (gpus % d != 0) continue;
    for (const int64_t b : {batch / d * d, (batch / d + 1) * d}) {
      const bool is_near = static_cast<double>(b) <= kFarthest * static_cast<double>(batch) &&
                           kFarthest * static_cast<double>(b) >= static_cast<double>(batch);
      if (is_near && b != batch) near.push_back(b);
    }
  }
  std::ranges::sort(near);
  near.erase(std::unique(near.begin(), near.end()), near.end());
  std::ranges::stable_sort(near, {}, [batch](int64_t b) { return std::abs(b - batch); });
  return near;
}

/// The scenario with these GPUs and this batch; its messages were reported before.
std::optional<OpenScenario> read_with(const ScenarioText& text, int64_t gpus, int64_t batch, GoalLimits limits) {
  std::vector<dsl::Override> overrides = text.overrides;
  overrides.push_back({fmt::format("{}={}", kGpus, gpus)});
  if (batch > 0) overrides.push_back({fmt::format("{}={}", kBatch, batch)});
  dsl::Diagnostics told;
  auto open = read_open_scenario(text.source, overrides, text.catalog, text.sources, told);
  if (open && limits == GoalLimits::ignored) {
    open->sample.goal.deadline.reset();
    open->sample.goal.budget.reset();
  }
  return open;
}

/// Whether some layout works, however much it takes. For a scenario of many machines the answer usually comes soon: the
/// walk ends at the first such layout. If none comes in a while, a search skips more at once.
bool has_layout(const OpenScenario& open, const SearchOptions& options) {
  int64_t walked = 0;
  bool works = false;
  sweep(open, [&](const Swept& swept) {
    works = swept.found.has_value();
    return !works && ++walked < kSingly;
  });
  return works || (walked == kSingly && search(open, options).evaluated > 0);
}

/// Smaller is better, whatever the batch: a step of fewer sequences is not better for being shorter.
double worth(const OpenScenario& open, const Found& plan, int64_t batch) {
  const Goal& goal = open.sample.goal;
  const bool of_step = goal.minimize && dsl::reads(*goal.minimize->tree, "step");
  if ((goal.minimize || goal.maximize) && !of_step) return plan.objective;
  return plan.results.step.seconds / static_cast<double>(batch);
}

}  // namespace

std::vector<int64_t> gpu_counts(const OpenScenario& open) {
  const auto& items = open.space.items();
  const auto item = std::ranges::find(items, kGpus, &dsl::OpenItem::path);
  if (item == items.end()) return {open.sample.cluster.gpus};
  std::vector<int64_t> counts;
  for (const dsl::Value& value : item->values)
    if (const auto* number = std::get_if<dsl::Number>(&value.v)) counts.push_back(static_cast<int64_t>(number->value));
  return counts;
}

std::vector<int64_t> gpus_without_plan(const OpenScenario& open, const SearchResult& result) {
  const auto& items = open.space.items();
  if (std::ranges::find(items, kBatch, &dsl::OpenItem::path) != items.end()) return {};
  std::vector<int64_t> gpus = gpu_counts(open);
  std::erase_if(gpus,
                [&](int64_t n) { return std::ranges::find(result.feasible_gpus, n) != result.feasible_gpus.end(); });
  return gpus;
}

std::optional<OtherBatch> other_batch(const ScenarioText& text, int64_t gpus, const SearchOptions& search,
                                      GoalLimits limits) {
  SearchOptions one{.top = 1, .pareto = {}, .threads = search.threads, .stop = search.stop};
  const auto open = read_with(text, gpus, 0, limits);
  if (!open || has_layout(*open, one)) return std::nullopt;
  std::vector<std::pair<OtherBatch, double>> all;  // with their worth, the nearest batch first
  double best = std::numeric_limits<double>::infinity();
  for (const int64_t batch : batches_near(gpus, open->sample.job.global_batch)) {
    const auto other = read_with(text, gpus, batch, limits);
    const SearchResult found = other ? ranked_search(*other, one) : SearchResult{};
    if (found.stopped) return std::nullopt;
    if (found.plans.empty()) continue;
    const Found& plan = found.plans.front();
    all.emplace_back(OtherBatch{gpus, batch, plan.results}, worth(*other, plan, batch));
    best = std::min(best, all.back().second);
  }
  const double enough = best + kWorseBy * std::abs(best);
  const auto nearest = std::ranges::find_if(all, [enough](const auto& one) { return one.second <= enough; });
  return nearest == all.end() ? std::nullopt : std::optional(nearest->first);
}

void add_batches(const ScenarioText& text, const OpenScenario& open, const SearchResult& found,
                 const SearchOptions& search, const UsedEntries& entries, NamedBatches& all) {
  const bool asked = all.tries == TryBatches::on_all || gpu_counts(open).size() == 1;
  for (const int64_t gpus : gpus_without_plan(open, found)) {
    if (!asked || all.found.size() >= kMostBatches || all.tried >= kMostTried) {
      ++all.untried;
      continue;
    }
    ++all.tried;
    if (auto other = other_batch(text, gpus, search)) all.found.push_back({entries, *other});
  }
}

}  // namespace planner
