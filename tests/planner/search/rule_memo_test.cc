// Rules evaluated once for all candidates that are alike in what they read give the verdict of each.
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

TEST_CASE("values that follow and break the same rule first are counted, and no others") {
  const planner::OpenScenario open =
      sample::opened(sample::kGpt, {"cluster.gpus=[8, 16]", "parallelism.microbatch=[1, 3, 5, 6, 8, 9, 12, 7, 64]"});
  const std::vector<size_t> order = dsl::Cursor(open.space).order();
  const size_t level = order.size() - 1;
  dsl::Cursor cursor(open.space, order);
  REQUIRE(open.space.items()[order[level]].path == "parallelism.microbatch");
  planner::Candidate candidate(open);
  planner::SharedParts shared;
  planner::Evaluator evaluator(open, shared, order);
  std::vector<std::string> said;
  while (cursor.next()) {
    const planner::Scenario& s = candidate.at(cursor);
    evaluator.follow(cursor);
    const size_t rule = evaluator.broken_rule(s);
    if (rule == planner::layout_rule_count()) continue;
    said.push_back(std::string(planner::layout_rule_name(rule)) + " " +
                   std::to_string(evaluator.also_broken(rule, level, candidate)));
    CHECK(evaluator.broken_rule(s) == rule);  // the scenario is as it was
    CHECK(s.parallelism.microbatch == candidate.at(cursor).parallelism.microbatch);
  }
  // Of a batch of 64 on 8 GPUs 1 and 8 divide what a rank has, on 16 GPUs 1 alone.
  const std::vector<std::string> expected{"batch 2", "batch 1", "batch 0", "batch 3", "batch 2",
                                          "batch 1", "batch 0", "batch 7", "batch 6", "batch 5",
                                          "batch 4", "batch 3", "batch 2", "batch 1", "batch 0"};
  CHECK(said == expected);
}

TEST_CASE("a rule that held is asked again where what it reads has changed, whatever changes together") {
  const planner::OpenScenario open = sample::opened(
      sample::kGpt, {"cluster.gpus=[8, 16]", "parallelism.tp=[1, 3, 2]", "parallelism.pp=[1, 5, 2]",
                     "parallelism.interleave=[1, 2]", "parallelism.microbatch=[1, 3]", "parallelism.zero=[0, 3]"});
  const std::vector<size_t> order = dsl::Cursor(open.space).order();
  // Some candidates are skipped: the next one is compared with the verdict on the last one evaluated.
  for (const size_t every : {size_t{1}, size_t{2}, size_t{3}, size_t{7}, size_t{40}}) {
    dsl::Cursor cursor(open.space, order);
    planner::Candidate candidate(open);
    planner::SharedParts shared;
    planner::Evaluator evaluator(open, shared, order);
    size_t asked = 0, broken = 0;
    for (size_t at = 0; cursor.next(); ++at) {
      if (cursor.refusal() != dsl::Refusal::none || at % every > 0) {
        candidate.skip(cursor);
        evaluator.skip(cursor);
        continue;
      }
      const planner::Scenario& s = candidate.at(cursor);
      evaluator.follow(cursor);
      const size_t rule = planner::first_broken_layout_rule(s);
      CHECK(evaluator.broken_rule(s) == rule);
      ++asked, broken += rule < planner::layout_rule_count();
    }
    CHECK(asked > 2);
    CHECK(broken > 0);
  }
}
