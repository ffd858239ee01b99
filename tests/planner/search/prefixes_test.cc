// A search decides whole subtrees at once: against a walk that looks at each candidate by itself.
#include "planner/search/prefixes.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <set>

#include "dsl/space_size.h"
#include "planner/plan/violations.h"
#include "tests/planner/search/open_sample.h"
#include "tests/planner/search/result_text.h"
#include "tests/planner/workload/lower/mixtures.h"

using planner::SearchResult;
using sample::kGpt;
using sample::Sets;

namespace {

/// Choices of every kind, some of which have no value in places, or break a rule.
const Sets kDense{
    "parallelism.tp=[1, 2, 3, 4]",
    "parallelism.pp=divisors(model.layers)",
    "parallelism.dp=cluster.gpus / (tp * pp)",
    "cluster.gpus=[8, 12, 16]",
    "parallelism.microbatch=divisors(job.global_batch / dp)",
    "parallelism.interleave=if(parallelism.schedule == \"interleaved\", divisors(model.layers / pp), [1, 2])",
    "parallelism.schedule=[1f1b, interleaved, zb-h1, gpipe]",
    "parallelism.recompute=[none, full]",
    "parallelism.sequence_parallel=[false, true]",
    "parallelism.zero=[0, 1, 2, 3]",
    "parallelism.zero_group=[2, 4]",
    "parallelism.order=[tp-cp-ep-dp-pp, dp-dp, tp-cp-ep-pp-dp]",
    "parallelism.offload.optimizer=[0, 0.5]",
    "cluster.gpu.memory=[8 GB, 24 GB, 80 GB]",
    "cluster.gpu.memory_bandwidth=[1 TB/s, 2 TB/s]",
    "cluster.host.bandwidth=[0 B/s, 32 GB/s]",
    "cluster.network[0].bandwidth=[100 GB/s, 300 GB/s]",
    "cluster.checkpoint.save=[10 s, 50 s]",
    "cluster.price=[1 USD/h, 2 USD/h]",
    "job.precision=[bf16, fp32, fp8]",
    "job.global_batch=[16, 30]",
    "job.sequence=[512, 1022]",
    "model.layers=[4, 6]",
    "software.overlap.gradients=[false, true]",
    "software.overlap.pipeline=[false, true]",
    "software.fusion.cross_entropy=[false, true]",
    "software.attention=[unfused, flash2]",
    "software.straggling=[0, 0.01]"};
const Sets kConditions{"where=[tp * pp <= 8]", "where=[microbatch <= 4, mfu > 0.1]", "where=[zero < 2 or tp == 1]",
                       "where=[step < 1 s]", "where=[dp / 3 < 2]"};
const Sets kGoals{"goal={minimize: usd}", "goal={minimize: gpus}", "goal={maximize: mfu, deadline: 1 d}",
                  "goal={minimize: days, budget: 100 USD}", "goal={minimize: memory.peak}"};

/// Some of the rows, in any order.
Sets some_of(const Sets& rows, int most) {
  Sets left = rows, out;
  for (int n = *rc::gen::inRange(1, most + 1); n > 0 && !left.empty(); --n) {
    const auto at = left.begin() + *rc::gen::inRange<int>(0, static_cast<int>(left.size()));
    out.push_back(*at);
    left.erase(at);
  }
  return out;
}

Sets random_space() {
  Sets sets = some_of(kDense, 9);
  sets.insert(sets.begin(), {"job.tokens=1e9", "cluster.gpus=8"});
  if (*rc::gen::inRange(0, 3) == 0) sets.push_back(some_of(kConditions, 1).front());
  if (*rc::gen::inRange(0, 2) == 0) sets.push_back(some_of(kGoals, 1).front());
  return sets;
}

const std::vector<const planner::ResultRow*> kAxes{planner::find_result("step"), planner::find_result("memory.peak")};

}  // namespace

TEST_CASE("what is decided by prefixes is what each candidate says by itself") {
  int64_t candidates = 0, feasible = 0, spaces = 0;
  const bool good = rc::check([&] {
    const Sets sets = random_space();
    dsl::Diagnostics diagnostics;
    const auto open = sample::try_open(kGpt, sets, diagnostics);
    RC_PRE(open.has_value());
    RC_PRE(dsl::size_of(open->space, 10).candidates < 4000);
    for (const auto& axes : {std::vector<const planner::ResultRow*>{}, kAxes}) {
      const SearchResult each = planner::search(*open, {.top = 3, .pareto = axes, .exhaustive = true});
      const SearchResult quick = planner::search(*open, {.top = 3, .pareto = axes, .threads = 2});
      if (sample::text(each) != sample::text(quick))
        for (const std::string& set : sets) RC_LOG() << set << "\n";
      RC_ASSERT(sample::text(each) == sample::text(quick));
      candidates += each.candidates, feasible += each.feasible, ++spaces;
    }
  });
  CHECK(good);
  MESSAGE(spaces << " walks, " << candidates << " candidates, " << feasible << " feasible");
  CHECK(feasible > 0);
}

namespace {

/// What the rule says of each combination of the items that it reads: one thing.
void check_reads(const planner::OpenScenario& open, size_t rule) {
  std::map<std::string, bool> verdicts;
  planner::Candidate candidate(open);
  for (dsl::Cursor cursor(open.space); cursor.next();) {
    if (cursor.refusal() != dsl::Refusal::none) {
      candidate.skip(cursor);
      continue;
    }
    std::string key;
    for (size_t i = 0; i < open.space.items().size(); ++i)
      if (planner::layout_rule_reads(rule, open.space.items()[i].path, open.sample))
        key += dsl::to_text(cursor.value(i)) + " ";
    const bool broken = planner::breaks_layout_rule(rule, candidate.at(cursor));
    CHECK_MESSAGE(verdicts.try_emplace(key, broken).first->second == broken,
                  std::string(planner::layout_rule_name(rule)), " with ", key);
  }
}

}  // namespace

TEST_CASE("a layout rule depends on no field but those that it is said to read") {
  const Sets mixed{"parallelism.ep=[1, 2, 3]",   "parallelism.etp=[1, 2]", "job.routing.skew=[1, 4]",
                   "job.phase=[train, forward]", "job.lora.rank=[0, 6]",   "job.document=[128, 4096]",
                   "parallelism.servers=[0, 2]", "parallelism.cp=[1, 2]",  "software.context=[ring, all_to_all]"};
  for (size_t i = 0; i < kDense.size(); ++i)
    for (size_t j = 0; j < 6; ++j) {
      const Sets sets{"cluster.gpus=8", kDense[i], kDense[(i + 5 * j + 1) % kDense.size()],
                      mixed[(i + j) % mixed.size()], mixed[(i + 2 * j + 3) % mixed.size()]};
      for (const char* text : {kGpt, mixtures::kMixture}) {
        dsl::Diagnostics diagnostics;
        const auto open = sample::try_open(text, sets, diagnostics);
        if (!open) continue;
        for (size_t rule = 0; rule < planner::layout_rule_count(); ++rule) check_reads(*open, rule);
      }
    }
}

TEST_CASE("a walk in another order comes to the same combinations, and counts those without a value alike") {
  const Sets sets{"parallelism.zero=[0, 1]",
                  "parallelism.recompute=[none, full]",
                  "cluster.gpus=[8, 12]",
                  "parallelism.tp=[1, 2, 5]",
                  "parallelism.pp=divisors(cluster.gpus / tp)",
                  "parallelism.order=[tp-cp-ep-dp-pp]",
                  "parallelism.microbatch=[1, 2]",
                  "where=[tp * pp <= 8]"};
  const planner::OpenScenario open = sample::opened(kGpt, sets);
  const auto walk = [&](dsl::Cursor cursor) {
    std::map<std::string, int64_t> seen;
    while (cursor.next()) {
      std::string key = std::to_string(static_cast<int>(cursor.refusal())) + " " +
                        std::to_string(cursor.refusal() == dsl::Refusal::none ? 0 : cursor.refused_at());
      const bool whole = cursor.refusal() == dsl::Refusal::none || cursor.refusal() == dsl::Refusal::where;
      for (size_t i = 0; whole && i < open.space.items().size(); ++i) key += " " + dsl::to_text(cursor.value(i));
      seen[key] += cursor.weight();
    }
    return seen;
  };
  const std::vector<size_t> order = planner::walk_order(open);
  CHECK(!std::ranges::is_sorted(order));
  CHECK(walk(dsl::Cursor(open.space, order)) == walk(dsl::Cursor(open.space)));
}
