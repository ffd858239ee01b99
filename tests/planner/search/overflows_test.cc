// What a microbatch that overflows says of larger ones.
#include "planner/search/overflows.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "planner/plan/memory.h"
#include "planner/plan/violations.h"
#include "planner/schedule/schedule.h"
#include "planner/workload/passes/passes.h"
#include "tests/planner/search/open_sample.h"
#include "tests/planner/search/result_text.h"
#include "tests/planner/workload/lower/mixtures.h"

using planner::SearchResult;
using sample::Sets;
using sample::operator+;

TEST_CASE("a larger microbatch takes no less memory, whatever the layout") {
  int compared = 0;
  for (const char* text : {sample::kGpt, sample::kLlama, mixtures::kMixture})
    for (const planner::ScheduleRow& schedule : planner::schedules())
      for (const char* more : {"parallelism.interleave=1", "parallelism.interleave=2", "parallelism.recompute=full",
                               "parallelism.recompute_every=2", "parallelism.zero=1", "software.memory.kept_logits=1"})
        for (const char* pp : {"parallelism.pp=1", "parallelism.pp=2", "parallelism.pp=4"}) {
          double before = 0;
          for (const int microbatch : {1, 2, 4, 8, 16}) {
            const Sets sets{"cluster.gpus=16", more, pp, fmt::format("parallelism.schedule={}", schedule.name),
                            fmt::format("parallelism.microbatch={}", microbatch)};
            dsl::Diagnostics diagnostics;
            const auto open = sample::try_open(text, sets, diagnostics);
            if (!open || planner::first_broken_layout_rule(open->sample) < planner::layout_rule_count()) continue;
            const planner::Scenario& s = open->sample;
            const double peak = planner::make_memory(s, planner::build_workload(s)).device.peak_bytes;
            CAPTURE(fmt::format("{}", fmt::join(sets, " ")));
            CHECK(peak >= before);
            compared += before > 0;
            before = peak;
          }
        }
  CHECK(compared > 50);
}

TEST_CASE("layouts that a smaller microbatch decides are refused as if each had been looked at") {
  int64_t refused = 0;
  for (const char* microbatches : {"[1, 2, 4, 8, 16]", "[16, 8, 4, 2, 1]", "divisors(job.global_batch)"})
    for (const char* text : {sample::kGpt, sample::kLlama, mixtures::kMixture}) {
      const planner::OpenScenario open = sample::opened(
          text, Sets{"job.tokens=1e9", "cluster.gpus=16", "parallelism.tp=[1, 2]", "parallelism.pp=[1, 2, 4]",
                     "parallelism.recompute=[none, selective, full]", "parallelism.zero=[0, 1]",
                     "parallelism.offload.optimizer=[0, 1]", "cluster.host.memory=[1 GB, 20 GB]",
                     "cluster.gpu.memory=[6 GB, 12 GB, 24 GB]", std::string("parallelism.microbatch=") + microbatches});
      const SearchResult each = planner::search(open, {.top = 3, .exhaustive = true});
      CHECK(sample::text(each) == sample::text(planner::search(open, {.top = 3})));
      if (each.rejected.contains("memory")) refused += each.rejected.at("memory");
    }
  CHECK(refused > 100);
}

TEST_CASE("one microbatch has no gradients to accumulate: it may fit where smaller ones do not") {
  const auto with = [](const std::string& microbatch, const std::string& memory) {
    return Sets{"software={use: transformers}", "parallelism.zero=3", "cluster.gpus=8",
                "job.global_batch=32",          "job.sequence=8",     "parallelism.microbatch=" + microbatch,
                "cluster.gpu.memory=" + memory};
  };
  const auto peak = [&](const char* microbatch) {
    const planner::Scenario s = sample::opened(sample::kLlama, with(microbatch, "80 GB")).sample;
    return planner::make_memory(s, planner::build_workload(s)).device.peak_bytes;
  };
  const double two = peak("2"), one = peak("4");
  REQUIRE(one < 0.95 * two);
  const std::string between = fmt::format("{} B", 0.9 * two + 0.1 * one);
  for (const char* open : {"[2, 4]", "[4, 2]", "[1, 2, 4]"})
    for (const bool exhaustive : {false, true})
      for (const int threads : {1, 3}) {
        CAPTURE(open);
        CAPTURE(exhaustive);
        const SearchResult found = planner::search(sample::opened(sample::kLlama, with(open, between)),
                                                   {.top = 3, .threads = threads, .exhaustive = exhaustive});
        CHECK(found.feasible == 1);
      }
}
