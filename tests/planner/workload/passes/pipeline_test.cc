// Pipeline parallelism: the dealing of layers, stage classes, boundaries and activations in flight.
#include <doctest/doctest.h>

#include <numeric>

#include "planner/workload/partition.h"
#include "tests/planner/sample.h"

using planner::Chunk;  // here {embedding, layers, head}
using planner::StageClass;
using planner::Workload;
using sample::gpt;
using sample::Sets;
using sample::workload;

namespace {

using Parts = std::vector<int64_t>;

Parts parts(int64_t layers, int64_t pp, int64_t interleave = 1) {
  planner::Scenario s;
  s.model.layers = layers;
  s.parallelism.pp = pp;
  s.parallelism.interleave = interleave;
  return planner::layers_per_part(s);
}

Sets pipeline(int64_t pp, int64_t interleave = 1, const Sets& more = {}) {
  return sample::operator+
      ({"parallelism.pp=" + std::to_string(pp), "parallelism.interleave=" + std::to_string(interleave)}, more);
}

}  // namespace

TEST_CASE("layers that divide are dealt evenly") {
  CHECK(parts(96, 8) == Parts(8, 12));
  CHECK(parts(96, 8, 3) == Parts(24, 4));
  CHECK(parts(7, 1) == Parts{7});
}

TEST_CASE("where layers and both ends divide, an end takes the place of a layer: BLOOM's 70 layers on 12 stages") {
  CHECK(parts(70, 12) == Parts{5, 6, 6, 6, 6, 6, 6, 6, 6, 6, 6, 5});
  CHECK(parts(126, 16) == Parts{7, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 7});  // Llama 3.1 405B
  const Parts fine = parts(126, 16, 8);
  CHECK(fine.front() == 0);
  CHECK(fine.back() == 0);
  CHECK(std::accumulate(fine.begin(), fine.end(), int64_t{0}) == 126);
}

TEST_CASE("other layers are dealt as evenly as can be, the ends light") {
  CHECK(parts(10, 4) == Parts{2, 3, 3, 2});
  CHECK(parts(11, 4) == Parts{3, 3, 3, 2});  // one light stage: the one with the head
  CHECK(parts(9, 4) == Parts{2, 3, 2, 2});
  for (int64_t layers = 8; layers < 60; ++layers)
    for (int64_t pp = 2; pp <= 8; ++pp) {
      const Parts p = parts(layers, pp);
      CHECK(std::accumulate(p.begin(), p.end(), int64_t{0}) == layers);
      const auto [least, most] = std::minmax_element(p.begin(), p.end());
      CHECK(*most - *least <= 1);
    }
}

TEST_CASE("prediction layer and head take slots of the last part; where it counts, the embedding one of the first") {
  const auto deepseek = [](int64_t pp, bool counts_embedding) {
    planner::Scenario s;
    s.model.layers = 61, s.model.mtp = 1;
    s.parallelism.pp = pp;
    s.software.counts_embedding = counts_embedding;
    return planner::layers_per_part(s);
  };
  CHECK(deepseek(4, false) == Parts{16, 16, 16, 13});
  // NeMo's pretrain_deepseek_v3.py for 4, 8 and 16 stages.
  CHECK(deepseek(4, true) == Parts{15, 16, 16, 14});
  CHECK(deepseek(8, true) == Parts{7, 8, 8, 8, 8, 8, 8, 6});
  CHECK(deepseek(16, true) == Parts{3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 2});
  for (int64_t pp = 2; pp <= 70; ++pp) {
    const Parts p = deepseek(pp, true);
    CHECK(std::accumulate(p.begin(), p.end(), int64_t{0}) == 61);
    CHECK(*std::min_element(p.begin(), p.end()) >= 0);
  }
}

TEST_CASE("stages named by the scenario are taken as they are") {
  const planner::Scenario s = gpt(pipeline(4, 1, {"parallelism.stages=[1, 3, 3, 1]"}));
  CHECK(planner::layers_per_part(s) == Parts{1, 3, 3, 1});
  const Workload w = workload(s);
  CHECK(w.classes.size() == 3);
  CHECK(w.class_of_stage == std::vector<int>{0, 1, 1, 2});
  CHECK(w.classes[1].layers == 3);
}

TEST_CASE("equal stages are one class; first and last stage differ by embedding and head") {
  const Workload w = workload(gpt(pipeline(8)));
  CHECK(w.class_of_stage == std::vector<int>{0, 1, 1, 1, 1, 1, 1, 2});
  CHECK(w.classes[0].chunks == std::vector<Chunk>{{1, 1, 0}});
  CHECK(w.classes[2].chunks == std::vector<Chunk>{{0, 1, 1}});
}

TEST_CASE("one stage holds everything") {
  const Workload w = workload(gpt({"parallelism.tp=8"}));
  CHECK(w.classes.size() == 1);
  CHECK(w.classes[0].chunks == std::vector<Chunk>{{1, 8, 1}});
  CHECK(w.boundary.bytes.value == 0);
}

TEST_CASE("interleaving deals chunk k of stage r the part k p + r") {
  const Workload w = workload(gpt(pipeline(2, 4)));
  REQUIRE(w.classes.size() == 2);
  CHECK(w.classes[0].chunks.size() == 4);
  CHECK(w.classes[0].chunks[0] == Chunk{1, 1, 0});
  CHECK(w.classes[1].chunks[3] == Chunk{0, 1, 1});
  CHECK(w.classes[0].chunks[3] == Chunk{0, 1, 0});
}

TEST_CASE("a boundary carries sbh activations, a shard per tensor rank where they are sharded") {
  const double bytes = 2 * 1024 * 1024;
  CHECK(workload(gpt(pipeline(8))).boundary.bytes.value == bytes);
  CHECK(workload(gpt(pipeline(8, 1, {"parallelism.microbatch=2"}))).boundary.bytes.value == 2 * bytes);
  CHECK(workload(gpt(pipeline(2, 1, {"parallelism.tp=4"}))).boundary.bytes.value == bytes / 4);
  CHECK(workload(gpt(pipeline(2, 1, {"parallelism.tp=4", "software.scatter_gather=false"}))).boundary.bytes.value ==
        bytes);
  CHECK(
      workload(gpt(pipeline(
                   2, 1, {"parallelism.tp=4", "software.scatter_gather=false", "parallelism.sequence_parallel=true"})))
          .boundary.bytes.value == bytes / 4);
}

TEST_CASE("activations in flight: p - r microbatches on stage r, all with GPipe, more with interleaving") {
  const planner::Memory one =
      planner::make_memory(gpt(pipeline(4, 1, {"cluster.gpus=4"})), workload(gpt(pipeline(4, 1, {"cluster.gpus=4"}))));
  const Workload w = workload(gpt(pipeline(4, 1, {"cluster.gpus=4"})));
  const double layer = w.layer().saved_bytes(), mask = w.embedding().saved_bytes(), head = w.head().saved_bytes();
  CHECK(one.stages[0].activations == 4 * (2 * layer + mask));
  CHECK(one.stages[1].activations == 3 * 2 * layer);
  CHECK(one.stages[2].activations == 2 * 2 * layer);
  CHECK(one.stages[3].activations == 2 * layer + head);
  const planner::Scenario gpipe = gpt(pipeline(4, 1, {"cluster.gpus=4", "parallelism.schedule=gpipe"}));
  const planner::Memory all = planner::make_memory(gpipe, workload(gpipe));
  CHECK(all.stages[1].activations == 64 * 2 * layer);
  const planner::Scenario chunks = gpt(pipeline(4, 2, {"cluster.gpus=4"}));
  const planner::Memory interleaved = planner::make_memory(chunks, workload(chunks));
  // 2 (p-1-r) + (v-1) p + 1 chunks of one layer.
  CHECK(interleaved.stages[1].activations == (2 * 2 + 4 + 1) * layer);
}

TEST_CASE("few microbatches are all in flight") {
  const planner::Scenario s = gpt(pipeline(4, 1, {"cluster.gpus=4", "job.global_batch=2"}));
  const Workload w = workload(s);
  CHECK(planner::make_memory(s, w).stages[0].activations ==
        2 * (2 * w.layer().saved_bytes() + w.embedding().saved_bytes()));
}

TEST_CASE("doubling the stages halves the layers of a stage and adds bubble") {
  const planner::Plan two = sample::plan(gpt(pipeline(2, 1, {"cluster.gpus=2"}))),
                      four = sample::plan(gpt(pipeline(4, 1, {"cluster.gpus=4"})));
  CHECK(four.breakdown->bubble / four.step->seconds > two.breakdown->bubble / two.step->seconds);
  CHECK(four.memory->stages[1].weights < two.memory->stages[1].weights);
  const planner::Plan chunked = sample::plan(gpt(pipeline(4, 2, {"cluster.gpus=4"})));
  CHECK(chunked.breakdown->bubble < four.breakdown->bubble);
}

TEST_CASE("the schedule is the layout's, else interleaved if it interleaves, else the software's") {
  CHECK(planner::schedule_name(gpt(pipeline(4))) == "1f1b");
  CHECK(planner::schedule_name(gpt(pipeline(4, 2))) == "interleaved");
  CHECK(planner::schedule_name(gpt(pipeline(4, 1, {"parallelism.schedule=gpipe"}))) == "gpipe");
  CHECK(planner::schedule_name(gpt(pipeline(4, 1, {"software.schedule=gpipe"}))) == "gpipe");
}

TEST_CASE("dealt by work, a stage ends with the first layer beyond its share, and the head weighs its matrix") {
  const auto weighed = [](int64_t vocab, int64_t pp) {
    planner::Scenario s;
    s.model.layers = 24, s.model.hidden = 2048, s.model.ffn = 4096, s.model.vocab = vocab;
    s.model.heads = 32, s.model.head_dim = 64, s.model.gated_mlp = true;
    s.parallelism.pp = pp;
    s.software.weighs_stages = true;
    return planner::layers_per_part(s);
  };
  // By hand: a layer 10 h^2, the head 50257 h or 2.45 layers, a stage 26.45/8 or 26.45/4.
  CHECK(weighed(50257, 8) == Parts{4, 3, 3, 4, 3, 3, 4, 0});
  CHECK(weighed(50257, 4) == Parts{7, 7, 6, 4});
  CHECK(weighed(50257, 1) == Parts{24});
  for (int64_t pp = 2; pp <= 24; ++pp) {
    const Parts p = weighed(32000, pp);
    CHECK(std::accumulate(p.begin(), p.end(), int64_t{0}) == 24);
    CHECK(p.size() == static_cast<size_t>(pp));
  }
}
