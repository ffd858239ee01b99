// Passes on traced runs: which apply, what memory they leave, and that each gain is a replayed one.
#include "planner/tuning/trace_tuner.h"

#include <doctest/doctest.h>

#include "planner/studies/settings/setting_passes.h"
#include "planner/tuning/traced.h"
#include "tests/planner/replay/replayed.h"
#include "tests/planner/trace/data_parallel.h"
#include "tests/planner/trace/training.h"

using namespace planner::tuning;
using sample::Training;

namespace {

struct Run {
  sample::Replay replay;
  Tunable tunable;
  RealGraph graph;
  std::vector<Candidate> candidates;
  TraceRun run;

  explicit Run(const std::vector<sample::KinetoText>& texts)
      : replay(texts),
        tunable(traced_pass(replay.trace, replay.matched)),
        graph(replay.trace, replay.matched),
        candidates(tunable.subject
                       ? candidates_of(*tunable.subject, tune(tunable.subject->pass, Sync(tunable.subject->sync, 8)))
                       : std::vector<Candidate>()),
        run{.graph = graph,
            .reductions = tunable,
            .candidates = candidates,
            .memory = memory_of(graph, tunable.gradient_bytes()),
            .matrix_factor = 0.5,
            .most_partitions = 8} {
    if (tunable.subject) replay_candidates(graph, *tunable.subject, candidates);
  }
  explicit Run(const Training& training) : Run(std::vector{sample::training(training)}) {}
  TunedTrace tuned(std::optional<double> budget = {}) const {
    return tune_trace(run, budget, [](const TracePass&) { return true; });
  }
};

const TracedPass& row_of(const TunedTrace& tuned, std::string_view name) {
  return *std::ranges::find_if(tuned.passes, [&](const TracedPass& each) { return each.pass->name == name; });
}

}  // namespace

TEST_CASE("passes of traces are those of scenarios, in the same order") {
  const auto settings = planner::setting_passes();
  const auto traces = trace_passes();
  REQUIRE(settings.size() == traces.size());
  for (size_t i = 0; i < settings.size(); ++i) {
    CHECK(std::string(settings[i].name) == traces[i].name);
    CHECK((settings[i].aim == planner::PassAim::memory) == traces[i].for_memory);
  }
}

TEST_CASE("memory is that of gradients, the optimizer's states and what the forward pass keeps") {
  const double weight = 9.0 * 256 * 256 * 4, kept = 27.0 * 64 * 256 * 4;
  struct Row {
    const char* optimizer;
    double states;
  };
  for (const Row& row : {Row{"Adam", 2}, Row{"AdamW", 2}, Row{"SGD", 0}, Row{"Adagrad", 1}, Row{"Homemade", 0}}) {
    const Run run(Training{.optimizer = row.optimizer});
    CHECK(run.run.memory.optimizer == row.optimizer);
    CHECK(run.run.memory.gradient_bytes == weight);
    CHECK(run.run.memory.parameter_bytes == weight);
    CHECK(run.run.memory.state_bytes == row.states * weight);
    CHECK(run.run.memory.activation_bytes == kept);
    CHECK(run.run.memory.other_bytes == 0);
  }
}

TEST_CASE("recorded allocations say what the forward pass keeps") {
  const Run run(Training{.allocations = true});
  CHECK(run.run.memory.kept == planner::replay::Kept::allocations);
  CHECK(run.run.memory.activation_bytes == 9.0 * 64 * 256 * 4);
  CHECK(run.run.memory.other_bytes == 0);
}

TEST_CASE("a recorded total is the peak; what has no room in it does not live then") {
  const double weight = 9.0 * 256 * 256 * 4, kept = 9.0 * 64 * 256 * 4;
  struct Row {
    double total, gradients, others;
  };
  for (const Row& row : {Row{4 * weight + kept + 4096, weight, 4096}, Row{4 * weight + kept, weight, 0},
                         Row{3 * weight + kept + 8192, 8192, 0}, Row{3 * weight + kept, 0, 0}}) {
    const TraceMemory memory =
        Run(Training{.allocations = true, .total_bytes = static_cast<int64_t>(row.total)}).run.memory;
    CHECK(memory.peak_bytes() == row.total);
    CHECK(memory.gradient_bytes == row.gradients);
    CHECK(memory.other_bytes == row.others);
    CHECK(memory.activation_bytes == kept);
  }
}

TEST_CASE("allocations of another device do not count, and parts of a batch add to the same gradients") {
  const TraceMemory one = Run(Training{.allocations = true}).run.memory,
                    two = Run(Training{.allocations = true, .other_device = true}).run.memory;
  CHECK(one.peak_bytes() == two.peak_bytes());
  CHECK(Run(Training{.steps = 4, .marked = false}).run.memory.gradient_bytes == 9.0 * 256 * 256 * 4);
}

TEST_CASE("16 bits meet a budget as well, and less is computed again where they save some of it") {
  const Run run(Training{.layers = 30, .rows = 4096});
  const TraceMemory& memory = run.run.memory;
  const double peak = memory.peak_bytes(), held = peak - memory.activation_bytes;
  const auto only = [&](double budget, std::vector<std::string_view> names) {
    return tune_trace(run.run, budget,
                      [=](const TracePass& pass) { return std::ranges::find(names, pass.name) != names.end(); });
  };
  const TunedTrace half = only(0.8 * peak, {"mixed-precision"});
  CHECK(half.fits);
  CHECK(half.peak_after == doctest::Approx(held + memory.activation_bytes / 2 + memory.parameter_bytes / 2));
  const TunedTrace both = only(held + 0.4 * (peak - held), {"recompute", "mixed-precision"});
  const TunedTrace alone = only(held + 0.4 * (peak - held), {"recompute"});
  CHECK(both.fits);
  CHECK(both.step_after < alone.step_after);
  CHECK(both.choice.passes.recomputed < alone.choice.passes.recomputed);
}

TEST_CASE("memory falls with each block that is computed again and with each part, and never below what is held") {
  for (const Training& training : {Training{}, Training{.layers = 30}, Training{.allocations = true}}) {
    const Run run(training);
    const TraceMemory& memory = run.run.memory;
    double before = memory.peak_bytes();
    CHECK(peak_with({}, memory, run.graph.work()) == doctest::Approx(before));
    for (size_t recomputed = 1; recomputed <= 5; ++recomputed) {
      const double peak = peak_with({.blocks = 5, .recomputed = recomputed}, memory, run.graph.work());
      CHECK(peak <= before);
      CHECK(peak >= memory.peak_bytes() - memory.activation_bytes);
      before = peak;
    }
    CHECK(before < memory.peak_bytes());
    before = memory.peak_bytes();
    for (const int parts : {2, 4, 8}) {
      const double peak = peak_with({.parts = parts}, memory, run.graph.work());
      CHECK(peak == doctest::Approx(memory.peak_bytes() - memory.activation_bytes * (1 - 1.0 / parts)));
      CHECK(peak < before);
      before = peak;
    }
  }
}

TEST_CASE("a pass that does not apply says why") {
  struct Row {
    Training training;
    const char *pass, *why;
  };
  const Row rows[] = {
      {{.type = "c10::BFloat16"}, "mixed-precision", "the run is in bf16"},
      {{.type = ""}, "mixed-precision", "the trace has no input types"},
      {{.type = ""}, "recompute", "what the forward pass keeps is not known"},
      {{.type = ""}, "gradient-accumulation", "what the forward pass keeps is not known"},
      {{.product = "ampere_bf16_s16816gemm_bf16_128x64", .product_back = "hgemm_64x64"},
       "mixed-precision",
       "most of the time of matrix products is not in single precision"},
      {{.rows = 63}, "gradient-accumulation", "a batch of 63 has no equal parts"},
      {{}, "tensor-fusion", "the traces have no all-reduce whose size they tell"},
      {{}, "tensor-partition", "the traces have no all-reduce whose size they tell"},
  };
  for (const Row& row : rows) {
    const TunedTrace tuned = Run(row.training).tuned();
    CHECK_MESSAGE(row_of(tuned, row.pass).why_not.starts_with(row.why), row_of(tuned, row.pass).why_not);
    CHECK_FALSE(row_of(tuned, row.pass).taken);
  }
}

TEST_CASE("each gain is a replayed one, and what is taken makes the step shorter") {
  const Run run(Training{.layers = 16});
  const TunedTrace tuned = run.tuned();
  CHECK(tuned.step_before == doctest::Approx(run.graph.measured_seconds()).epsilon(0.01));
  CHECK(tuned.step_after == run.run.step_seconds(tuned.choice).value());
  CHECK(tuned.step_after < tuned.step_before);
  REQUIRE(tuned.decisions.size() == 2);
  for (const TraceDecision& each : tuned.decisions) {
    TraceChoice without = tuned.choice;
    each.pass->clear(without);
    CHECK(each.gain_seconds.value() == doctest::Approx(run.run.step_seconds(without).value() - tuned.step_after));
    CHECK(each.gain_seconds.value() > 0);
  }
  for (const TracedPass& each : tuned.passes) {
    if (!each.why_not.empty()) continue;
    CHECK((each.gain_seconds >= 0) == !each.pass->for_memory);
    if (each.pass->for_memory) CHECK(each.memory_bytes < 0);
  }
}

TEST_CASE("a budget is met by the fastest way of the memory passes; where nothing fits it says so") {
  const Run run(Training{.layers = 30, .rows = 4096});
  const double peak = run.run.memory.peak_bytes(), held = peak - run.run.memory.activation_bytes;
  const auto only_memory = [](const TracePass& pass) { return pass.for_memory; };
  const TunedTrace some = tune_trace(run.run, held + 0.6 * (peak - held), only_memory);
  CHECK(some.fits);
  CHECK(some.peak_after <= *some.budget_bytes);
  REQUIRE_FALSE(some.decisions.empty());
  CHECK_FALSE(some.decisions.front().gain_seconds);  // nothing else fits
  for (const TraceMemoryWay& way : some.memory)
    if (way.fits) CHECK(way.step_seconds >= some.step_after);
  const TunedTrace pair = tune_trace(run.run, held + 0.05 * (peak - held), only_memory);
  CHECK(pair.fits);
  const TunedTrace none = tune_trace(run.run, held / 2, only_memory);
  CHECK_FALSE(none.fits);
  CHECK(none.decisions.empty());
  CHECK(none.step_after == none.step_before);
}

TEST_CASE("bytes of gradients are those of the run, whatever is fused or partitioned") {
  sample::DataParallel parallel{.bucket_ends = {2, 6}, .late_us = {0, 9}};
  parallel.elements.assign(6, 4000);
  parallel.kernel_us.assign(6, 30);
  const Run run(sample::data_parallel(parallel));
  for (size_t candidate = 0; candidate + 1 < run.candidates.size(); ++candidate)
    for (const int partitions : {1, 4}) {
      double bytes = 0;
      for (const auto& bucket : run.run.decisions_of({.candidate = candidate, .partitions = partitions}).buckets) {
        if (partitions > 1) CHECK(bucket.partitions == partitions);
        bytes += bucket.bytes;
      }
      CHECK(bytes == doctest::Approx(6 * 4000 * 4));
    }
  const TunedTrace tuned = run.tuned();
  CHECK(row_of(tuned, "tensor-fusion").why_not.empty());
  CHECK(row_of(tuned, "tensor-partition").why_not.empty());
  CHECK(tuned.step_after <= tuned.step_before);
}
