// Mistakes in a scenario or on the command line of a search: the message, its place, the status.
#include <doctest/doctest.h>

#include "tests/cli/harness.h"

namespace {

const char* const kBase = R"(model: {use: gpt3-1.3b}
job: {sequence: 2048, global_batch: 64, tokens: 1e10}
cluster: {use: dgx-a100-80gb, gpus: 8}
)";

}  // namespace

TEST_CASE("search and sweep: mistakes in a file are told at their places") {
  const struct {
    const char *line, *says;
  } rows[] = {
      {"parallelism: {tp: []}", "<stdin>:4:19: error: parallelism.tp is an empty choice"},
      {"parallelism: {tp: [2, four]}", "<stdin>:4:23: error: unknown name 'four'"},
      {"parallelism: {tp: pp, pp: [tp, 1]}", "circle: parallelism.tp -> parallelism.pp -> parallelism.tp"},
      {"parallelism: {tp: [1, null]}", "<stdin>:4:23: error: expected a whole number for parallelism.tp, got nothing"},
      {"parallelism: {tp: [1, [2, 4]]}", "<stdin>:4:23: error: expected a whole number for parallelism.tp, got a list"},
      {"parallelism: {tp: [1, {two: 4}]}",
       "<stdin>:4:23: error: expected a whole number for parallelism.tp, got a map"},
      {"parallelism: {tp: [1, 2.5]}", "<stdin>:4:23: error: expected a whole number"},
      {"parallelism: {tp: [0, 1]}", "<stdin>:4:20: error:"},
      {"parallelism: {tp: [1, 2 GB]}", "<stdin>:4:23: error: expected a whole number"},
      {"parallelism: {tp: \"range(1, 10001)\"}", "<stdin>:4:20: error: a choice has at most 10000 values"},
      {"parallelism: {recompute: [none, some]}", "<stdin>:4:33: error:"},
      {"parallelism: {schedule: [1f1b, dualpipe]}", "did you mean 'dualpipe-v'?"},
      {"operator_models: {gemm: [wave, rofline]}", "did you mean 'roofline'?"},
      {"software: {attention: [unfused, flash9]}", "no attention kernel 'flash9' is calibrated on a100-sxm-80gb"},
      {"goal: {minimize: dollars}", "<stdin>:4:18: error: unknown name 'dollars'"},
      {"goal: {minimize: job.precision}", "expected a number or quantity for goal.minimize, got a string"},
      {"goal: {minimize: tp > 1}", "expected a number or quantity for goal.minimize, got true or false"},
      {"goal: {minimize: [step, usd]}", "expected an expression for goal.minimize, got a list"},
      {"goal: {minimize: step + usd}", "<stdin>:4:18: error:"},
      {"goal: {minimize: usd, maximize: mfu}", "a goal is minimized or maximized, not both"},
      {"goal: {deadline: 3}", "<stdin>:4:18: error:"},
      {"goal: {budget: 3 d}", "<stdin>:4:16: error:"},
      {"where: [step]", "<stdin>:4:9: error: expected a condition"},
      {"where: [days < 3]", "<stdin>:4:9: error:"},
      {"where: [memory.top < 3 GB]", "<stdin>:4:9: error: unknown name 'memory.top'"},
      {"parallelism: {tp: step}", "'step' is a result: it stands in 'where' and 'goal' only"},
  };
  for (const auto& row : rows)
    for (const char* command : {"search", "sweep"}) {
      INFO(std::string(row.line));
      const Ran r = ran({command, "-"}, std::string(kBase) + row.line + "\n");
      CHECK(r.status == 1);
      CHECK(r.out == "");
      CHECK_MESSAGE(r.err.find(row.says) != std::string::npos, r.err);
    }
}

TEST_CASE("search: a mistake in --set is told at its column, as JSON where that is wanted") {
  const Ran r = ran({"search", "-", "--format", "json", "--set", "parallelism.tp=[1, four]"}, kBase);
  CHECK(r.status == 1);
  CHECK(r.out.find("trainplan.diagnostics/1") != std::string::npos);
  CHECK(r.out.find("unknown name 'four'") != std::string::npos);
  CHECK(r.out.find("\"column\": 20") != std::string::npos);
}

TEST_CASE("search: what is impossible is no mistake, and says by which rule") {
  const struct {
    const char *line, *rule;
  } rows[] = {
      {"where: [tp > 1, tp < 2]\nparallelism: {tp: [1, 2]}", "where"},
      {"where: [mfu > 1]", "where"},
      {"goal: {budget: 1 USD}", "budget"},
      {"goal: {deadline: 1 s}", "deadline"},
      {"parallelism: {tp: [3, 5]}", "ranks"},
      {"parallelism: {tp: [3, 5], dp: cluster.gpus / tp}", "divisibility"},
      {"parallelism: {tp: [32, 64], dp: 1}", "ranks"},
      {"parallelism: {microbatch: [3, 5]}", "batch"},
  };
  for (const auto& row : rows) {
    INFO(std::string(row.line));
    const Ran r = ran({"search", "-"}, std::string(kBase) + row.line + "\n");
    CHECK(r.status == 3);
    CHECK(r.out.find("nothing is feasible") != std::string::npos);
    CHECK_MESSAGE(r.out.find(row.rule) != std::string::npos, r.out);
    CHECK(ran({"sweep", "-"}, std::string(kBase) + row.line + "\n").status == 3);
    CHECK(ran({"plan", "-", "--pick", "best"}, std::string(kBase) + row.line + "\n").status == 3);
  }
}
