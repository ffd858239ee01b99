// Traces beside the planner's step: pairs, what one side lacks, and sums.
#include "planner/replay/against.h"

#include <doctest/doctest.h>

#include "tests/planner/replay/planned_trace.h"
#include "tests/planner/replay/replayed.h"
#include "tests/planner/sample.h"

using namespace planner::replay;
using planner::OperatorRow;
using sample::KinetoText;
using sample::PlannedTrace;
using sample::ranked;
using sample::Replay;

namespace {

/// A row of the planner.
OperatorRow row(const char* name, const char* kind, std::vector<std::pair<std::string, double>> shape, double count,
                double seconds, const char* phase = "forward") {
  OperatorRow r;
  r.name = name;
  r.kind = kind;
  r.phase = phase;
  r.shape = std::move(shape);
  r.count = count;
  r.seconds = seconds;
  if (r.shape.size() == 2 || r.kind == "send-recv") r.op_class = "communication";
  return r;
}
OperatorRow gemm(const char* name, double m, double n, double k, double batch = 1) {
  return row(name, "gemm", {{"batch", batch}, {"m", m}, {"n", n}, {"k", k}}, 2, 5e-6);
}
OperatorRow all_reduce(double bytes, double ranks = 2) {
  return row("sum", "all-reduce", {{"bytes", bytes}, {"ranks", ranks}}, 2, 5e-6);
}

std::vector<Paired> paired(const std::vector<OperatorRow>& measured, const std::vector<OperatorRow>& planned) {
  std::vector<OperatorUse> uses = planned_uses(measured);
  return pair_uses(uses, planned_uses(planned));
}
/// Whether one row of each side is a pair.
bool meet(const OperatorRow& measured, const OperatorRow& planned) { return paired({measured}, {planned}).size() == 1; }

Against compared(const std::vector<KinetoText>& ranks, const std::vector<OperatorRow>& rows, double seconds = 1) {
  const Replay run(ranks);
  return compare_with_plan(run.trace, run.steps, run.matched, {rows, seconds});
}

/// The trace that a scenario's operators make, beside the scenario.
Against compared_with_itself(const planner::Scenario& scenario) {
  const PlannedStep step = planned_step(scenario);
  return compared({PlannedTrace(ranked(0, 8)).of(step.rows)}, step.rows, step.seconds);
}

double sum_of(const std::vector<OperatorRow>& rows) {
  double sum = 0;
  for (const OperatorRow& each : rows) sum += each.count * each.seconds;
  return sum;
}

sample::Sets small(sample::Sets more) {
  more.insert(more.end(), {"model.layers=2", "job.global_batch=16"});
  return more;
}

}  // namespace

TEST_CASE("GEMMs are the same by batch and their sizes in any order") {
  const OperatorRow forward = gemm("up", 64, 32, 16);
  for (const OperatorRow& other : {gemm("a", 64, 32, 16), gemm("b", 64, 16, 32), gemm("c", 16, 32, 64),
                                   gemm("d", 32, 64, 16), gemm("e", 32, 16, 64), gemm("f", 16, 64, 32)})
    CHECK(meet(other, forward));
  CHECK_FALSE(meet(gemm("g", 64, 32, 17), forward));
  CHECK_FALSE(meet(gemm("h", 64, 32, 16, 2), forward));
  CHECK_FALSE(meet(gemm("i", 1, 32, 16, 64), forward));  // the batch is no size of the set
  CHECK_FALSE(meet(row("j", "gemm", {}, 1, 1), forward));
}

TEST_CASE("collectives are the same by kind and ranks, and by bytes within 1 %") {
  CHECK(meet(all_reduce(1000), all_reduce(1000)));
  CHECK(meet(all_reduce(1009), all_reduce(1000)));
  CHECK(meet(all_reduce(991), all_reduce(1000)));
  CHECK_FALSE(meet(all_reduce(1011), all_reduce(1000)));
  CHECK_FALSE(meet(all_reduce(989), all_reduce(1000)));
  CHECK_FALSE(meet(all_reduce(1000, 4), all_reduce(1000)));
  CHECK_FALSE(meet(row("r", "reduce-scatter", {{"bytes", 1000}, {"ranks", 2}}, 1, 1), all_reduce(1000)));
  CHECK(meet(row("s", "send-recv", {{"bytes", 1005}}, 1, 1), row("t", "send-recv", {{"bytes", 1000}}, 1, 1)));
}

TEST_CASE("attention is the same by its sizes and its pass, whatever the heads of keys") {
  const auto attention = [](double keys, double kv_heads, const char* phase) {
    return row("core", "attention",
               {{"batch", 2}, {"heads", 8}, {"kv_heads", kv_heads}, {"queries", 64}, {"keys", keys}, {"head_dim", 32}},
               1, 1e-6, phase);
  };
  CHECK(meet(attention(64, 2, "forward"), attention(64, 8, "forward")));
  CHECK(meet(attention(64, 8, "forward"), attention(64, 8, "recompute")));
  CHECK_FALSE(meet(attention(64, 8, "forward"), attention(128, 8, "forward")));
  CHECK_FALSE(meet(attention(64, 8, "forward"), attention(64, 8, "backward")));
}

TEST_CASE("pairs have the planner's names and sizes; the longest of either side is first") {
  std::vector<OperatorRow> planned{gemm("up", 64, 32, 16), gemm("up.wgrad", 64, 16, 32), gemm("up", 64, 32, 16),
                                   gemm("only", 8, 8, 8)};
  planned[3].seconds = 1;
  const std::vector<Paired> pairs = paired({gemm("", 16, 64, 32), gemm("", 7, 7, 7)}, planned);
  REQUIRE(pairs.size() == 3);
  CHECK(pairs[0].names == std::vector<std::string>{"only"});
  CHECK_FALSE(pairs[0].measured);
  CHECK(pairs[1].names == std::vector<std::string>{"up", "up.wgrad"});
  CHECK(pairs[1].sizes == std::vector<double>{1, 64, 32, 16});
  CHECK(pairs[1].planned->count == 6);
  CHECK(pairs[1].planned->seconds == doctest::Approx(30e-6));
  CHECK(pairs[1].measured->count == 2);
  CHECK(pairs[2].sizes == std::vector<double>{1, 7, 7, 7});
  CHECK_FALSE(pairs[2].planned);
}

TEST_CASE("a trace of the planner's own operators is the plan") {
  const planner::Scenario scenarios[] = {
      sample::gpt(small({"parallelism.tp=2"})),
      sample::gpt(small({"parallelism.tp=2", "parallelism.recompute=full"})),
      sample::llama(small({"parallelism.tp=2", "parallelism.pp=2"})),
      sample::llama(small({"parallelism.zero=3"})),
  };
  for (const planner::Scenario& scenario : scenarios) {
    const Against against = compared_with_itself(scenario);
    for (const Paired& pair : against.pairs) {
      INFO(std::string(pair.kind->name), " ", pair.names.empty() ? "" : pair.names.front());
      REQUIRE((pair.measured && pair.planned));
      CHECK(pair.measured->count == doctest::Approx(pair.planned->count));
      CHECK(pair.measured->seconds == doctest::Approx(pair.planned->seconds).epsilon(1e-3));
    }
    CHECK(against.all.measured.seconds == doctest::Approx(against.busy_seconds));
    CHECK(against.planned_step_seconds == planner::make_plan(scenario).step->seconds);
  }
}

TEST_CASE("sums of the pairs are those of the trace, of the plan, and of the kinds of work") {
  const std::vector<OperatorRow> rows = planner::operator_rows(sample::gpt(small({"parallelism.tp=2"})));
  const std::vector<OperatorRow> others = planner::operator_rows(sample::llama(small({"parallelism.tp=4"})));
  const KinetoText a = PlannedTrace(ranked(0, 8)).of(rows);
  const Against against = compared({a}, others);
  Spent measured, planned;
  for (const WorkSum& work : against.works) {
    measured.seconds += work.measured.seconds;
    planned.seconds += work.planned.seconds;
  }
  CHECK(measured.seconds == doctest::Approx(sum_of(rows)).epsilon(1e-3));
  CHECK(planned.seconds == doctest::Approx(sum_of(others)));
  CHECK(against.all.measured.seconds == doctest::Approx(measured.seconds));
  CHECK(against.all.planned.seconds == doctest::Approx(planned.seconds));
  CHECK(std::ranges::is_sorted(against.pairs, std::greater(), &Paired::longest_seconds));
  CHECK(std::ranges::any_of(against.pairs, [](const Paired& pair) { return !pair.measured; }));
  CHECK(std::ranges::any_of(against.pairs, [](const Paired& pair) { return !pair.planned; }));
}

TEST_CASE("step and busy time are means over ranks and steps; what overlaps is busy once") {
  const auto rank = [](int number, int64_t length) {
    KinetoText text = ranked(number, 2);
    sample::span(text, "user_annotation", "ProfilerStep#1", 0, length);
    return text.kernel("a", 7, 10, 20).kernel("b", 8, 20, 20);
  };
  const Against against = compared({rank(0, 100), rank(1, 140)}, {}, 3);
  CHECK(against.measured_step_seconds == doctest::Approx(120e-6));
  CHECK(against.busy_seconds == doctest::Approx(30e-6));
  CHECK(against.all.measured.seconds == doctest::Approx(40e-6));
  CHECK(against.all.measured.count == 2);
  CHECK(against.all.planned.count == 0);
  CHECK(against.planned_step_seconds == 3);
}

TEST_CASE("a device behind its host is busy in a step with what it still does of an earlier one") {
  KinetoText text = ranked(0, 1);
  const auto launched = [&](int number, const std::string& stream, int call, int begin, int duration) {
    const std::string same = R"("correlation": )" + std::to_string(number);
    text.event("cuda_runtime", "cudaLaunchKernel", 100, "1", std::to_string(call), "2", same);
    text.event("kernel", "gemm", 0, stream, std::to_string(begin), std::to_string(duration),
               same + R"(, "stream": )" + stream);
  };
  sample::span(text, "user_annotation", "ProfilerStep#0", 100, 100);
  sample::span(text, "user_annotation", "ProfilerStep#1", 200, 100);
  launched(1, "8", 10, 90, 110);  // before the first step
  launched(2, "7", 110, 150, 10);
  launched(3, "7", 120, 240, 10);
  launched(4, "7", 210, 250, 100);
  const Against against = compared({text}, {});
  CHECK(against.measured_step_seconds == doctest::Approx(125e-6));
  CHECK(against.busy_seconds == doctest::Approx(105e-6));  // 60 by what the steps launched
}
