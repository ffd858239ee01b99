#include "planner/search/search.h"

#include <algorithm>
#include <cmath>
#include <memory>
#include <thread>

#include "planner/search/candidate.h"
#include "planner/search/collector.h"
#include "planner/search/evaluator.h"
#include "planner/search/goal.h"
#include "planner/step.h"
#include "planner/uncertainty.h"

namespace planner {
namespace {

constexpr double kParts = 512;  // that a space is cut into: enough for many threads and shards

// The first items whose values make about so many parts. The same for any number of threads.
size_t split_depth(const dsl::Space& space) {
  double parts = 1;
  size_t depth = 0;
  while (depth < space.items().size() && parts < kParts) {
    const dsl::OpenItem& item = space.items()[depth++];
    if (item.is_choice) parts *= item.values.empty() ? 2 : static_cast<double>(item.values.size());
  }
  return depth;
}

const char* name(dsl::Refusal refusal) {
  switch (refusal) {
    case dsl::Refusal::divisibility:
      return "divisibility";
    case dsl::Refusal::value:
      return "value";
    case dsl::Refusal::where:
      return "where";
    case dsl::Refusal::none:
      break;
  }
  return nullptr;
}

// The rule that a plan's memory breaks; null: it fits.
const char* overflow(const MemoryPeaks& memory) {
  if (memory.peak_bytes > memory.capacity_bytes) return "memory";
  return memory.host_bytes > memory.host_capacity_bytes ? "host-memory" : nullptr;
}

std::vector<const char*> overflows(const MemoryPeaks& memory) {
  std::vector<const char*> rules;
  if (memory.peak_bytes > memory.capacity_bytes) rules.push_back("memory");
  if (memory.host_bytes > memory.host_capacity_bytes) rules.push_back("host-memory");
  return rules;
}

Found found_at(const dsl::Space& space, const dsl::Cursor& cursor, const Scenario& s, const Results& results) {
  return {.position = {},
          .choices = chosen(space, cursor),
          .results = results,
          .parallelism = s.parallelism,
          .global_batch = s.job.global_batch,
          .microbatches = s.job.global_batch / (s.parallelism.dp * s.parallelism.microbatch),
          .tied_with = {}};
}

/// One thread's walk.
class Worker {
 public:
  Worker(const OpenScenario& open, const SearchOptions& options, double base)
      : collector(options),
        open_(open),
        options_(options),
        base_(base),
        goal_(open, base > 0),
        cursor_(open.space),
        candidate_(open),
        evaluator_(open) {}

  void run(std::atomic<int64_t>& next_part) {
    int64_t mine = claim(next_part);
    cursor_.split(split_depth(open_.space), [&](int64_t part) {
      if (part != mine) return false;
      mine = claim(next_part);
      return true;
    });
    int64_t part = -1, index = 0;
    while (cursor_.next()) {
      if (options_.stop && options_.stop->load(std::memory_order_relaxed)) return;
      index = cursor_.part() == part ? index + 1 : 0;
      part = cursor_.part();
      visit({part, index});
    }
  }

  Collector collector;

 private:
  int64_t claim(std::atomic<int64_t>& next_part) const {
    return options_.shard + options_.shards * next_part.fetch_add(1, std::memory_order_relaxed);
  }

  void visit(Position position) {
    if (const char* refused = name(cursor_.refusal())) {
      candidate_.skip(cursor_);
      evaluator_.skip(cursor_);
      return collector.reject(refused);
    }
    const Scenario& s = candidate_.at(cursor_);
    evaluator_.follow(cursor_);
    if (const char* rule = evaluator_.broken_rule(s)) return collector.reject(rule);
    const PlanFigures figures = evaluator_.figures(s);
    if (const char* rule = overflow(figures.memory)) return collector.reject_costed(rule);
    Results results = results_of(figures);
    if (base_ > 0) results.scaling_efficiency = results.tokens_per_second / static_cast<double>(results.gpus) / base_;
    double objective = 0;
    if (const char* rule = goal_.broken(cursor_, results, objective)) return collector.reject_costed(rule);
    if (!collector.wanted(results, objective, position)) return;
    for (const CommunicationRow& row : make_figures(s).communication) results.hidden_comm += row.hidden_seconds;
    Found found = found_at(open_.space, cursor_, s, results);
    found.position = position;
    found.objective = objective;
    collector.keep(found);
  }

  const OpenScenario& open_;
  const SearchOptions& options_;
  double base_;  // tokens per second and GPU on the fewest GPUs; 0: not known yet
  GoalCheck goal_;
  dsl::Cursor cursor_;
  Candidate candidate_;
  Evaluator evaluator_;
};

Collector walk(const OpenScenario& open, const SearchOptions& options, double base) {
  std::atomic<int64_t> next_part{0};
  std::vector<std::unique_ptr<Worker>> workers;
  for (int64_t i = 0; i < std::max<int64_t>(1, options.threads); ++i)
    workers.push_back(std::make_unique<Worker>(open, options, base));
  std::vector<std::thread> threads;
  for (size_t i = 1; i < workers.size(); ++i) threads.emplace_back([&, i] { workers[i]->run(next_part); });
  workers[0]->run(next_part);
  for (std::thread& thread : threads) thread.join();
  Collector all(options);
  for (const auto& worker : workers) all.merge(worker->collector);
  return all;
}

// Errors of one kind point the same way in both steps, and cancel. Of what the operators do not explain half the
// variance is taken to be common to all layouts of a problem.
double difference_error(const KindErrors& a, const KindErrors& b) {
  double squares = (a.software * a.software + b.software * b.software) / 2;
  for (size_t i = 0; i < a.kinds.size(); ++i) squares += (a.kinds[i] - b.kinds[i]) * (a.kinds[i] - b.kinds[i]);
  return std::sqrt(squares);
}

bool tied(const Found& a, const Found& b, bool timed) {
  if (!timed || a.objective * b.objective <= 0) return a.objective == b.objective;
  return std::fabs(std::log(a.objective / b.objective)) <=
         kTenthPercentile * difference_error(a.results.errors, b.results.errors);
}

void mark_ties(std::vector<Found>& plans, bool timed) {
  for (size_t i = 0; i < plans.size(); ++i)
    for (size_t j = 0; j < plans.size(); ++j)
      if (i != j && tied(plans[i], plans[j], timed)) plans[i].tied_with.push_back(j + 1);
}

}  // namespace

std::vector<std::string> choice_names(const dsl::Space& space) {
  std::vector<std::string> names;
  for (const dsl::OpenItem& item : space.items())
    if (item.is_choice) names.push_back(item.path);
  return names;
}

std::vector<dsl::Value> chosen(const dsl::Space& space, const dsl::Cursor& cursor) {
  std::vector<dsl::Value> values;
  for (size_t i = 0; i < space.items().size(); ++i)
    if (space.items()[i].is_choice) values.push_back(cursor.value(i));
  return values;
}

SearchResult search(const OpenScenario& open, const SearchOptions& options) {
  Collector all = walk(open, options, 0);
  const double base = all.base_throughput();
  if (base > 0 && reads_scaling(open)) all = walk(open, options, base);
  SearchResult result = std::move(all.result);
  for (std::vector<Found>* rows : {&result.plans, &result.pareto})
    for (Found& found : *rows)
      found.results.scaling_efficiency =
          found.results.tokens_per_second / static_cast<double>(found.results.gpus) / base;
  if (!all.throughput().empty()) {
    result.fewest_gpus = all.throughput().begin()->first;
    result.most_gpus = all.throughput().rbegin()->first;
  }
  mark_ties(result.plans, GoalCheck(open, true).timed());
  result.stopped = options.stop && options.stop->load();
  return result;
}

namespace {

// Conditions over fields that do not hold; a walk stops at the first of them, a plan names all.
size_t unmet_conditions(const dsl::Space& space, dsl::Cursor& cursor) {
  size_t unmet = 0;
  for (const dsl::Condition& condition : space.conditions()) {
    const std::optional<dsl::Value> holds = cursor.evaluate(*condition.expression, {});
    if (!holds || !std::get<bool>(holds->v)) ++unmet;
  }
  return unmet;
}

// Everything that `plan` would say of the candidate under the cursor.
Swept sweep_one(const OpenScenario& open, const GoalCheck& goal, dsl::Cursor& cursor, const Scenario& s) {
  Swept swept{.choices = chosen(open.space, cursor), .broken = {}, .found = {}};
  for (const Violation& v : layout_violations(s)) swept.broken.push_back(v.rule);
  if (!swept.broken.empty()) return swept;
  const Plan plan = make_figures(s);
  swept.found = found_at(open.space, cursor, s, results_of(plan));
  for (const char* rule : overflows(*plan.memory)) swept.broken.emplace_back(rule);
  swept.broken.insert(swept.broken.end(), unmet_conditions(open.space, cursor), name(dsl::Refusal::where));
  for (const char* rule : goal.all_broken(cursor, swept.found->results)) swept.broken.emplace_back(rule);
  return swept;
}

}  // namespace

void sweep(const OpenScenario& open, const std::function<bool(const Swept&)>& row) {
  const GoalCheck goal(open, false);
  dsl::Cursor cursor(open.space);
  Candidate candidate(open);
  for (int64_t index = 0; cursor.next(); ++index) {
    const dsl::Refusal refusal = cursor.refusal();
    const bool valueless = refusal == dsl::Refusal::divisibility || refusal == dsl::Refusal::value;
    Swept swept{.choices = {}, .broken = {}, .found = {}};
    if (valueless) {
      candidate.skip(cursor);
      swept.broken.emplace_back(name(refusal));
    } else {
      swept = sweep_one(open, goal, cursor, candidate.at(cursor));
    }
    swept.index = index;
    if (!row(swept)) return;
  }
}

}  // namespace planner
