// Passes that change what computes, on the graph of a small training run: what each must and must not do.
#include "planner/replay/pass_edits.h"

#include <doctest/doctest.h>

#include "planner/replay/kernel_work.h"
#include "tests/planner/replay/replayed.h"
#include "tests/planner/trace/training.h"

using namespace planner::replay;
using sample::kUs;
using sample::Training;

namespace {

int64_t end_of(const sample::Replay& replay, const PassEdits& passes) {
  return replay.ends({.passes = passes}).front();
}

/// Runs that a host, or a device, holds up.
const Training kRuns[] = {
    {}, {.layers = 16, .host_us = 60}, {.layers = 4, .steps = 1, .vector_us = 3}, {.layers = 25, .product_us = 5}};

PassesCame came_of(const sample::Replay& replay, const PassEdits& passes) {
  Replayed changed = replay.replayed;
  return apply(passes, replay.trace, work_of(replay.trace, replay.steps), changed);
}

}  // namespace

TEST_CASE("work has the phase of its operator, and forward operators their blocks") {
  const sample::Replay replay({sample::training({.layers = 9, .steps = 2})});
  const RankWork work = work_of(replay.trace[0], replay.steps[0]);
  REQUIRE(work.steps.size() == 2);
  CHECK(work.kept == Kept::shapes);
  for (const StepWork& step : work.steps) {
    std::map<WorkPhase, int> counts;
    for (const PhaseWork& each : step.work) ++counts[each.phase];
    CHECK(counts[WorkPhase::forward] == 27);
    CHECK(counts[WorkPhase::backward] == 27);
    CHECK(counts[WorkPhase::optimizer] == 1);
    REQUIRE(step.rounds.size() == 1);
    CHECK(step.rounds[0].size() == 27);  // the multiplication between them has a sequence number as well
    CHECK(usual_blocks(step.rounds[0]) == 5);
    for (const ForwardUnit& unit : step.rounds[0]) CHECK(unit.kept_bytes == 64 * 256 * 4);
  }
}

TEST_CASE("nothing changes where nothing is asked: one part, no block, no pass") {
  for (const Training& run : kRuns) {
    const sample::Replay replay({sample::training(run)});
    CHECK(PassEdits{}.empty());
    CHECK(PassEdits{.blocks = 4}.empty());
    CHECK(came_of(replay, {}).repeated == 0);
    CHECK(end_of(replay, {}) == replay.ends().front());
    CHECK(replay.worst() <= 2 * kUs);
  }
}

TEST_CASE("operator fusion and 16 bits never take longer; recomputation and parts never less") {
  for (const Training& run : kRuns) {
    const sample::Replay replay({sample::training(run)});
    const int64_t now = end_of(replay, {});
    CHECK(end_of(replay, {.fuses_operators = true}) < now);
    CHECK(end_of(replay, {.matrix_factor = 0.5}) <= now);
    CHECK(end_of(replay, {.matrix_factor = 0.25}) <= end_of(replay, {.matrix_factor = 0.5}));
    int64_t before = now;
    for (size_t recomputed = 1; recomputed <= 4; ++recomputed) {
      const int64_t end = end_of(replay, {.blocks = 4, .recomputed = recomputed});
      CHECK(end >= before);
      before = end;
    }
    CHECK(before > now);
    before = now;
    for (const int parts : {2, 4, 8}) {
      const int64_t end = end_of(replay, {.parts = parts});
      CHECK(end > before);
      before = end;
    }
  }
}

TEST_CASE("what is computed again takes what the forward pass did, where the device holds the run up") {
  const Training run{.layers = 9, .steps = 1, .product_us = 400, .vector_us = 100};
  const sample::Replay replay({sample::training(run)});
  const int64_t added = end_of(replay, {.blocks = 3, .recomputed = 3}) - end_of(replay, {});
  const int64_t forward_us = 9 * (400 + 2 * 100);
  CHECK(added / kUs >= forward_us - 3 * 2);  // a block fills the gap before the backward pass
  CHECK(added / kUs <= forward_us + 60);
  CHECK(came_of(replay, {.blocks = 3, .recomputed = 3}).repeated == 27);
}

TEST_CASE("parts of a batch divide what is above an empty kernel, and repeat the host's time") {
  const Training run{.layers = 9, .steps = 1, .product_us = 400, .vector_us = 102};
  const sample::Replay replay({sample::training(run)});
  const int64_t added = end_of(replay, {.parts = 4}) - end_of(replay, {});
  // An empty kernel takes 2 us: 27 forward kernels, 18 back, and 9 of gradients, which stay, run three times more.
  const int64_t empties_us = 3 * (27 + 27) * 2;
  CHECK(added / kUs >= empties_us - 10);
  CHECK(added / kUs <= empties_us + 3 * 54 + 60);
  CHECK(came_of(replay, {.parts = 4}).repeated == 3 * 54);
}

TEST_CASE("a run that accumulates gradients has a round for each part, and each is computed again by itself") {
  sample::Replay replay({sample::training({.layers = 4, .steps = 2})});
  for (planner::trace::Step& step : replay.steps[0]) step.name.clear();
  std::vector<planner::trace::Step> whole{replay.steps[0].front()};
  for (const size_t event : replay.steps[0][1].events) whole.front().events.push_back(event);
  const RankWork work = work_of(replay.trace[0], whole);
  REQUIRE(work.steps.front().rounds.size() == 2);
  CHECK(work.steps.front().rounds[0].size() == 12);
  CHECK(work.steps.front().rounds[1].size() == 12);
}

TEST_CASE("only what takes single precision is halved, and only element-wise kernels become one") {
  struct Row {
    const char* type;
    size_t halved;  // forward and backward, but gradients
  };
  for (const Row& row : {Row{"float", 2 * 5 * 9}, Row{"c10::BFloat16", 0}, Row{"", 0}}) {
    const sample::Replay replay({sample::training({.layers = 9, .steps = 2, .type = row.type})});
    CHECK_MESSAGE(came_of(replay, {.matrix_factor = 0.5}).halved == row.halved, row.type);
    // of each layer one pair forward, and back the gradient's and the next layer's first
    CHECK(came_of(replay, {.fuses_operators = true}).fused == 2 * (9 + 8));
  }
}

TEST_CASE("an operator owns the sequence numbers of those in it: its backward pass is theirs") {
  for (const size_t blocks : {size_t{1}, size_t{3}, size_t{9}, size_t{27}}) {
    const PassEdits all{.blocks = blocks, .recomputed = blocks};
    const Training flat{.layers = 9, .steps = 1, .product_us = 400},
        nested{.layers = 9, .steps = 1, .product_us = 400, .nested = true};
    const sample::Replay is_flat({sample::training(flat)}), is_nested({sample::training(nested)});
    const RankWork work = work_of(is_nested.trace[0], is_nested.steps[0]);
    CHECK(work.steps.front().rounds.front().size() == 27);
    // With a block for each operator the multiplications stay: nothing of the backward pass is theirs.
    CHECK(came_of(is_nested, all).repeated == (blocks == 27 ? 18 : 27));
    CHECK(came_of(is_flat, all).repeated == came_of(is_nested, all).repeated);
    CHECK(came_of(is_nested, all).recomputed == (blocks == 27 ? 18 : blocks));
    CHECK(end_of(is_flat, all) - end_of(is_flat, {}) == end_of(is_nested, all) - end_of(is_nested, {}));
  }
}

TEST_CASE("kernels of 16 bits and less under an operator that takes single precision stay") {
  for (const char* product : {"ampere_bf16_s16816gemm_bf16_128x64", "hgemm_64x64", "cutlass_e4m3_gemm"}) {
    const sample::Replay replay({sample::training({.layers = 9, .steps = 2, .product = product})});
    CHECK_MESSAGE(came_of(replay, {.matrix_factor = 0.5}).halved == 2 * 4 * 9, product);
  }
}

TEST_CASE("kernels that one call launched stay apart") {
  sample::KinetoText text = sample::ranked(0, 1);
  const std::string graph = R"("correlation": 1)";
  text.event("cpu_op", "aten::mul", 100, "1", "5", "20", R"("Sequence number": 1, "Fwd thread id": 0)");
  text.event("cuda_runtime", "cudaGraphLaunch", 100, "1", "7", "3", graph);
  for (const char* begin : {"20", "31", "42"})
    text.event("kernel", "vectorized_elementwise_kernel<mul>", 0, "7", begin, "10",
               graph + R"(, "device": 0, "stream": 7)");
  const sample::Replay replay({text});
  CHECK(came_of(replay, {.fuses_operators = true}).fused == 0);
  CHECK(end_of(replay, {.fuses_operators = true}) == end_of(replay, {}));
}

TEST_CASE("two kernels in place, and those of an optimizer, are not taken for one tensor's") {
  sample::KinetoText text = sample::ranked(0, 1);
  for (int i = 0; i < 3; ++i) {
    const std::string call = R"("correlation": )" + std::to_string(i + 1), at = std::to_string(10 * i + 5);
    text.event("cpu_op", "aten::mul_", 100, "1", at, "9", R"("Input Dims": [[1024, 1024]], "Input type": ["float"])");
    text.event("cuda_runtime", "cudaLaunchKernel", 100, "1", std::to_string(10 * i + 7), "3", call);
    text.event("kernel", "vectorized_elementwise_kernel<mul>", 0, "7", std::to_string(100 * i + 50), "100",
               call + R"(, "device": 0, "stream": 7)");
  }
  const sample::Replay replay({text});
  CHECK(came_of(replay, {.fuses_operators = true}).fused == 2);
  CHECK(end_of(replay, {}) - end_of(replay, {.fuses_operators = true}) <= 2 * 100 * kUs);  // their launches alone
}

TEST_CASE("blocks hold each unit once, and what is kept falls with each that is computed again") {
  Round round;
  for (uint32_t i = 0; i < 37; ++i)
    round.push_back({.event = i, .sequence = i, .kept_bytes = 100.0 * ((i * 7) % 11), .input_bytes = 50.0});
  for (const size_t count : {size_t{1}, size_t{2}, size_t{6}, size_t{37}, size_t{80}}) {
    const std::vector<ForwardBlock> blocks = blocks_of(round, count);
    CHECK(blocks.size() <= count);
    size_t next = 0;
    double all = 0;
    for (const ForwardBlock& block : blocks) {
      CHECK(block.first == next);
      CHECK(block.input_bytes <= block.kept_bytes);
      next = block.last + 1;
      all += block.kept_bytes;
    }
    CHECK(next == round.size());
    CHECK(kept_bytes(blocks, 0) == doctest::Approx(all));
    for (size_t recomputed = 1; recomputed <= blocks.size(); ++recomputed)
      CHECK(kept_bytes(blocks, recomputed) <= kept_bytes(blocks, recomputed - 1));
  }
  CHECK(blocks_of({}, 3).empty());
}
