// The backward pass of a scenario: its time and gradients are the plan's.
#include "planner/tuning/planned.h"

#include <doctest/doctest.h>

#include <numeric>

#include "planner/tuning/tuned.h"
#include "tests/planner/sample.h"

using namespace planner;
using namespace planner::tuning;

namespace {

Subject planned(const Scenario& s) {
  Tunable tunable = planned_pass(s);
  REQUIRE_MESSAGE(tunable.subject.has_value(), tunable.why_not);
  return *std::move(tunable.subject);
}

double gradient_bytes(const Subject& planned) {
  double bytes = 0;
  for (const Piece& piece : planned.pass.pieces) bytes += piece.gradient_bytes;
  return bytes;
}

/// The reductions of a plan, and their exposed part.
struct Reduced {
  double bytes = 0, seconds = 0, exposed = 0;
};
Reduced reduced(const Plan& plan) {
  Reduced sum;
  for (const CommunicationRow& row : plan.communication)
    if (row.purpose == Purpose::dp && row.kind != std::string("all-gather")) {
      sum.bytes += row.bytes * row.count;
      sum.seconds += row.seconds;
      sum.exposed += row.exposed_seconds;
    }
  return sum;
}

const char* const kLayouts[] = {"parallelism={dp: 8}", "parallelism={tp: 2, dp: 4}",
                                "parallelism={dp: 8, microbatch: 2, zero: 1}", "parallelism={pp: 2, dp: 4}",
                                "parallelism={dp: 8, recompute: full}"};

}  // namespace

TEST_CASE("gradients and time are those of the plan") {
  for (const char* const text : {sample::kGpt, sample::kLlama})
    for (const char* const layout : kLayouts) {
      INFO(layout);
      const Scenario s = sample::scenario(text, {layout});
      const Subject p = planned(s);
      const Plan plan = make_plan(s);
      const Reduced of_plan = reduced(plan);
      CHECK(gradient_bytes(p) == doctest::Approx(of_plan.bytes).epsilon(1e-6));
      CHECK(p.step_seconds == doctest::Approx(plan.step->seconds));
      // One reduction of all costs what the plan says; where nothing is reduced, what it hides is all that is left.
      const double all = p.sync(of_plan.bytes, 1);
      CHECK(all >= of_plan.seconds * (1 - 1e-6));
      const Sync none([](double, int) { return 0.0; }, 1);
      const double computed = replay(p.pass, FusionStrategy(p.pass.pieces.size()), none).step_seconds;
      CHECK(computed == doctest::Approx(p.step_seconds - of_plan.exposed).epsilon(1e-6));
    }
}

TEST_CASE("matrices of layers have their gradients where they are computed") {
  const Scenario s = sample::scenario(sample::kGpt, {"parallelism={dp: 8}"});
  const Subject p = planned(s);
  double largest = 0;
  for (const Piece& piece : p.pass.pieces) largest = std::max(largest, piece.gradient_bytes);
  CHECK(largest < 0.5 * gradient_bytes(p));
  CHECK(p.pass.pieces.front().name.starts_with("head."));
  CHECK(p.pass.pieces.back().name.starts_with("embedding."));
  const auto number_of = [&](const std::string& name) {
    return std::ranges::find(p.pass.pieces, name, &Piece::name) - p.pass.pieces.begin();
  };
  CHECK(number_of("layer 8.mlp.fc2.wgrad") < number_of("layer 8.mlp.fc1.wgrad"));
  CHECK(number_of("layer 8.mlp.fc1.wgrad") < number_of("layer 8.attention.qkv.wgrad"));
  CHECK(number_of("layer 8.attention.qkv.wgrad") < number_of("layer 7.mlp.fc2.wgrad"));
  CHECK(p.reduction == "all-reduce of 8 ranks");
}

TEST_CASE("servers: of several partitions the last one is on its way when the next gradient is pushed") {
  const Scenario s = sample::scenario(sample::kGpt, {"parallelism={dp: 8, servers: 8}"});
  const Subject p = planned(s);
  const double bytes = gradient_bytes(p);
  CHECK(p.reduction == "PUSH and PULL of 8 servers");
  CHECK(p.sync(bytes, 1) > 1.9 * p.sync(bytes / 2, 1));
  CHECK(p.sync(bytes, 4) > p.sync(bytes, 1));  // a base each
  CHECK(p.sync(bytes, 4) < 1.05 * p.sync(bytes, 1));
  CHECK(p.tail(bytes, 4) < 0.5 * p.tail(bytes, 1));
  CHECK(p.tail(bytes, 1) == doctest::Approx(p.sync(bytes, 1) / 2).epsilon(0.05));  // 4 bytes pushed, 2 pulled
  CHECK(Sync(p.sync, 64, p.tail).best(bytes).partitions > 1);
  const Scenario rings = sample::scenario(sample::kGpt, {"parallelism={dp: 8}"});
  const Subject ring = planned(rings);
  CHECK(Sync(ring.sync, 64).best(bytes).partitions == 1);
}

TEST_CASE("no framework's default or setting is better than the best, and faster networks are never slower") {
  for (const char* const layout : kLayouts) {
    const Scenario s = sample::scenario(sample::kGpt, {layout});
    const Subject p = planned(s);
    const Tuned tuned = tune(p.pass, Sync(p.sync, 64));
    const double best = tuned.best.replay.step_seconds * (1 - 1e-9);
    CHECK(tuned.gradients.replay.step_seconds >= best);
    CHECK(tuned.rounds.replay.step_seconds >= best);
    for (const TunedFramework& each : tuned.frameworks) {
      CHECK(each.best.step_seconds <= each.by_default.step_seconds);
      CHECK((each.framework->fuses_operators ? best : tuned.gradients.replay.step_seconds * (1 - 1e-9)) <=
            each.best.step_seconds);
    }
    const SyncSeconds faster = [&](double bytes, int partitions) { return 0.5 * p.sync(bytes, partitions); };
    CHECK(tune(p.pass, Sync(faster, 64)).best.replay.step_seconds <= tuned.best.replay.step_seconds);
  }
}

TEST_CASE("what has nothing to tune says why") {
  struct Row {
    const char *text, *set, *why;
  };
  const Row rows[] = {
      {sample::kGpt, "parallelism={tp: 8}", "no gradients are reduced"},
      {sample::kLlama, "parallelism={dp: 8, zero: 3}", "sharded units are reduced one by one"},
      {sample::kGpt, "job.phase=forward", "only training reduces gradients"},
  };
  for (const Row& row : rows) {
    const Tunable tunable = planned_pass(sample::scenario(row.text, {row.set}));
    CHECK_FALSE(tunable.subject);
    CHECK_MESSAGE(tunable.why_not.starts_with(row.why), tunable.why_not);
  }
}
