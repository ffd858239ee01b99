// Rules that are asked once for all candidates that are alike in what they read say what they say of each.
#include "planner/search/rule_memo.h"

#include <doctest/doctest.h>

#include "planner/plan/violations.h"
#include "planner/search/candidate.h"
#include "planner/search/evaluator.h"
#include "planner/search/prefixes.h"
#include "tests/planner/search/open_sample.h"

TEST_CASE("the rules that a candidate breaks are those of its scenario, in either order of the walk") {
  const sample::Sets spaces[] = {
      {"cluster.gpus=[8, 12, 16]", "parallelism.tp=[1, 2, 3, 8]", "parallelism.pp=[1, 2, 4, 7]",
       "parallelism.microbatch=[1, 2, 3]", "parallelism.interleave=[1, 2, 3]", "parallelism.zero=[0, 1, 3]"},
      {"cluster.gpus=16", "parallelism.dp=[1, 2, 3]", "parallelism.cp=[1, 2, 4]", "parallelism.zero_group=[1, 2, 3]",
       "parallelism.zero=[0, 1]", "parallelism.schedule=[1f1b, interleaved, zb-h1]", "parallelism.interleave=[1, 2]",
       "software.attention=[unfused, flash2]", "job.global_batch=[16, 30]"},
      {"cluster.gpus=8", "parallelism.order=[tp-cp-ep-dp-pp, dp-dp]", "parallelism.offload.optimizer=[0, 0.5]",
       "cluster.host.bandwidth=[0 B/s, 32 GB/s]", "job.precision=[bf16, fp8]", "model.layers=[4, 6]",
       "parallelism.pp=[1, 4, 5]", "cluster.checkpoint.save=[10 s, 50 s]"}};
  for (const sample::Sets& sets : spaces) {
    const planner::OpenScenario open = sample::opened(sample::kGpt, sets);
    size_t broken = 0;
    const std::vector<size_t> written = dsl::Cursor(open.space).order();
    for (const std::vector<size_t>& order : {written, planner::walk_order(open)}) {
      dsl::Cursor cursor(open.space, order);
      planner::Candidate candidate(open);
      planner::SharedParts shared;
      planner::Evaluator evaluator(open, shared, order);
      while (cursor.next()) {
        if (cursor.refusal() != dsl::Refusal::none) {
          candidate.skip(cursor);
          evaluator.skip(cursor);
          continue;
        }
        const planner::Scenario& s = candidate.at(cursor);
        evaluator.follow(cursor);
        std::vector<size_t> rules;
        for (size_t rule = 0; rule < planner::layout_rule_count(); ++rule)
          if (planner::breaks_layout_rule(rule, s)) rules.push_back(rule);
        CHECK(evaluator.broken_rule(s) == planner::first_broken_layout_rule(s));
        std::vector<size_t> found{0, 0};  // of another candidate
        evaluator.broken_rules(s, found);
        CHECK(found == rules);
        broken += rules.size();
      }
    }
    CHECK(broken > 20);
  }
}
