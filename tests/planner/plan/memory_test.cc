// Memory of a stage: bytes per parameter, stage classes, logits, gathered units.
#include <doctest/doctest.h>

#include <algorithm>

#include "planner/plan/fits.h"
#include "tests/planner/sample.h"

using planner::Memory;
using planner::Scenario;
using planner::StageMemory;
using planner::Workload;
using sample::gpt;
using sample::llama;
using sample::near;
using sample::Sets;
using sample::operator+;

namespace {

Memory memory(const Scenario& s) { return planner::make_memory(s, sample::workload(s)); }
double states(const StageMemory& m) { return m.weights + m.gradients + m.optimizer; }
double per_parameter(const Scenario& s) {
  return states(memory(s).stages.front()) / sample::workload(s).classes.front().held.sum();
}
std::string uses(const std::string& software) { return "software={use: " + software + "}"; }

}  // namespace

TEST_CASE("bytes per parameter: weights, gradients and optimizer of each software") {
  CHECK(near(per_parameter(llama({uses("megatron-core")})), 2 + 4 + 12));
  CHECK(near(per_parameter(gpt({uses("megatron-2021")})), 2 + 2 + 4 + 12));
  CHECK(near(per_parameter(llama({uses("megatron-bridge")})), 2 + 2 + 10));  // as the ZeRO paper counts
  CHECK(near(per_parameter(gpt({uses("megatron-deepspeed")})), 2 + (2 + 4) + 12));
  CHECK(near(per_parameter(llama({uses("torchtitan")})), 4 + 4 + 8));  // nothing sharded
}

TEST_CASE("ZeRO divides optimizer states, then gradients, then weights by its group") {
  for (int64_t group : {2, 4, 8}) {
    const double n = static_cast<double>(group);
    const Sets at{"parallelism.zero_group=" + std::to_string(group), "parallelism.zero=1"};
    CHECK(near(per_parameter(llama(at)), 6 + 12 / n));
    CHECK(near(per_parameter(gpt(sample::operator+(at, {uses("megatron-deepspeed")}))), 8 + 12 / n));
    CHECK(near(per_parameter(llama(sample::operator+(at, {"parallelism.zero=2"}))), 2 + 16 / n));
    CHECK(near(per_parameter(llama(sample::operator+(at, {"parallelism.zero=3"}))), 18 / n));
    CHECK(near(per_parameter(llama(sample::operator+(at, {"parallelism.zero=3", uses("torchtitan")}))), 16 / n));
  }
}

TEST_CASE("FSDP holds its shard, the root, two gathered units and one unreduced gradient") {
  const Scenario s = llama({uses("torchtitan"), "parallelism.zero=3"});
  const Workload w = sample::workload(s);
  const StageMemory m = memory(s).stages.front();
  const double unit = w.layer().parameters(), root = w.embedding().parameters() + w.head().parameters();
  const double gathered = 2 * (2 * unit + root), gradient = 4 * std::max(unit, root);
  CHECK(near(m.temporary, gathered + gradient + w.head().transient()));
  // Full sharding keeps less than sharding gradients and states only, which keeps all weights gathered.
  const Scenario gradients_only = llama({uses("torchtitan"), "parallelism.zero=2"});
  CHECK(memory(gradients_only).stages.front().temporary - m.temporary == doctest::Approx(2 * 6 * unit).epsilon(1e-9));
}

TEST_CASE("beside a pipeline FSDP holds all gathered weights, whole gradients, and every microbatch's logits") {
  const Sets layout{uses("torchtitan"), "parallelism.zero=3", "parallelism.pp=2"};
  const Scenario s = llama(layout);
  const Workload w = sample::workload(s);
  const auto stages = memory(s).stages;
  const double kept = w.microbatches - 1.0, logits = 2048 * 32000.0;
  CHECK(near(stages[0].temporary, (2 + 4) * w.classes[0].held.sum() + w.layer().transient()));
  CHECK(near(stages[1].temporary, (2 + 4) * w.classes[1].held.sum() + (12 + 2 * kept) * logits));
  const Scenario frees = llama(layout + Sets{"software.reshards_in_pipeline=true", "software.memory.kept_logits=0"});
  CHECK(memory(frees).stages[0].temporary < stages[0].temporary);
  CHECK(memory(frees).stages[0].weights == stages[0].weights);
}

TEST_CASE("logits follow how the loss is fused, and are divided by tensor parallelism") {
  const double rows = 1024;
  for (int64_t tp : {1, 4}) {
    const Scenario s = gpt({"parallelism.tp=" + std::to_string(tp)});
    CHECK(memory(s).stages.front().temporary == 10 * rows * 51200 / static_cast<double>(tp));
  }
  // Two bytes each: then their gradient counts, and that of the hidden states beside it.
  CHECK(memory(gpt({"software.memory.logits=2"})).stages.front().temporary == 2 * rows * (51200 + 1024));
  const Sets two{"parallelism.tp=2", "software.memory.parallel_logits=16"};
  CHECK(memory(gpt(two)).stages.front().temporary == 16 * rows * 51200 / 2);
  const Scenario bert = sample::scenario(
      "model: {use: bert-large}\njob: {sequence: 128, global_batch: 32, precision: fp16}\n"
      "cluster: {use: dgx-a100-80gb, gpus: 1}\nsoftware: {use: ddp-apex}\n"
      "parallelism: {microbatch: 32}\n");
  CHECK(memory(bert).stages.front().temporary == 10 * 640.0 * 30528);
}

TEST_CASE("the loss and the recomputation of a layer do not meet: the larger one counts") {
  const Scenario s = gpt({"parallelism.recompute=full", "parallelism.microbatch=1"});
  const Workload w = sample::workload(s);
  CHECK(memory(s).stages.front().temporary == std::max(w.layer().recompute_working_set, w.head().transient()));
  const Scenario small = gpt({"parallelism.recompute=full", "model.vocab=1024"});
  const planner::Block layer = sample::workload(small).layer();
  // Beside it the gradients of the MLP's hidden values and of the residual.
  CHECK(layer.transient() == 2 * 1024 * (4 * 1024.0 + 1024));
  CHECK(memory(small).stages.front().temporary == layer.recompute_working_set + layer.transient());
}

TEST_CASE("layers that are computed again together keep one input for each group within a chunk") {
  const auto every = [](int layers, const Sets& more = {}) {
    const Sets sets{"parallelism.recompute=full", "model.vocab=1024", "parallelism.microbatch=1",
                    "parallelism.recompute_every=" + std::to_string(layers)};
    return memory(gpt(sets + more)).stages.front();
  };
  const planner::Block layer = sample::workload(gpt({"parallelism.recompute=full"})).layer();
  CHECK(every(1).activations - every(3).activations == (8 - 3) * layer.input_bytes);  // 3, 3 and 2 layers
  // Of the three, the first one's input is kept.
  CHECK(every(3).temporary == 3 * layer.recompute_working_set + 2 * layer.input_bytes + layer.transient());
  CHECK(every(8).activations == every(1).activations - 7 * layer.input_bytes);
  CHECK(every(1000).total() == every(8).total());
  const Sets chunks{"parallelism.pp=2", "parallelism.interleave=2"};  // of two layers each
  CHECK(every(1000, chunks).total() == every(2, chunks).total());
  CHECK(every(1, chunks).activations > every(2, chunks).activations);
  // All layers at once: nothing is won, and nothing lost.
  const planner::StageMemory none = memory(gpt({"model.vocab=1024", "parallelism.microbatch=1"})).stages.front();
  CHECK(every(8).activations + every(8).temporary == none.activations + none.temporary);
}

TEST_CASE("of a list of operators recompute keeps the data, once, and no table's row numbers") {
  for (const char* model : {"resnet-50", "gnmt", "deepspeech2", "dlrm-small"})
    for (const char* how : {"none", "selective", "full"}) {
      CAPTURE(model);
      CAPTURE(how);
      const auto peak = [&](const char* which) {
        const bool sequences = model[0] == 'g' || model[2] == 'e';
        return memory(sample::scenario(std::string("model: {use: ") + model +
                                           "}\njob: {sequence: " + (sequences ? "32" : "1") +
                                           ", global_batch: 8}\ncluster: {use: dgx-a100-80gb, gpus: 1}\n"
                                           "software: {use: composer-fsdp}\n",
                                       {"parallelism.microbatch=8", "parallelism.recompute_every=3",
                                        std::string("parallelism.recompute=") + which}))
            .device.peak_bytes;
      };
      CHECK(peak(how) <= peak("none"));
    }
}

TEST_CASE("each stage of a pipeline is evaluated: the first holds most activations, the last the logits") {
  const Scenario s = gpt({"parallelism.pp=8"});
  const Memory m = memory(s);
  const Workload w = sample::workload(s);
  REQUIRE(m.stages.size() == 8);
  for (size_t r = 1; r < 8; ++r) CHECK(m.stages[r].activations < m.stages[r - 1].activations);
  CHECK(m.stages[7].temporary == w.head().transient());
  CHECK(m.stages[0].temporary == w.layer().transient());
  for (size_t r = 1; r < 7; ++r) CHECK(states(m.stages[r]) == states(m.stages[1]));
  CHECK(states(m.stages[0]) > states(m.stages[1]));
}

TEST_CASE("allocated, reserved and device are apart, and each is the maximum over stages") {
  const Scenario s = gpt({"parallelism.pp=4", "software.memory.fragmentation=1.1", "software.memory.context=1 GiB",
                          "software.memory.communicators=2 GiB"});
  const Memory m = memory(s);
  double allocated = 0, reserved = 0, device = 0;
  for (const StageMemory& stage : m.stages) {
    CHECK(near(stage.reserved(), 1.1 * stage.allocated()));
    CHECK(near(stage.total() - stage.reserved(), 3.0 * 1024 * 1024 * 1024));
    allocated = std::max(allocated, stage.allocated());
    reserved = std::max(reserved, stage.reserved());
    device = std::max(device, stage.total());
  }
  CHECK(m.allocated_bytes == allocated);
  CHECK(m.reserved_bytes == reserved);
  CHECK(m.device.peak_bytes == device);
  CHECK(m.device.peak_bytes == device);
}

TEST_CASE("one unread gradient stands for all matrices of a shape, where GEMMs add gradients up themselves") {
  auto stand_ins = [](const Sets& sets, const std::string& layers = "8") {
    const Sets all = sample::operator+({"model.layers=" + layers, "software.memory.stand_in=2"}, sets);
    const Sets none = sample::operator+(all, {"software.memory.stand_in=0"});
    return memory(llama(all)).stages.back().temporary - memory(llama(none)).stages.back().temporary;
  };
  const double h = 1024, qkv = h * (1024 + 2 * 256), mlp = h * 3 * 2816, head = h * 32000;
  const double all = 2 * (qkv + h * h + mlp + head);
  CHECK(near(stand_ins({}), all));
  CHECK(near(stand_ins({}, "16"), all));
  CHECK(near(stand_ins({"parallelism.tp=4"}), all / 4));
  CHECK(near(stand_ins({"parallelism.pp=2"}), all));
  CHECK(near(stand_ins({"model.ffn=512"}), 2 * (qkv + h * h + h * 512 + head)));  // both sides 1024: as the projection
  CHECK(stand_ins({"software.fusion.gradient=false"}) == 0);
  CHECK(stand_ins({"parallelism.zero=3", uses("torchtitan"), "software.memory.stand_in=2"}) == 0);
}

TEST_CASE("workspaces are allocated; those of grouped GEMMs where experts are held") {
  const double mib = 1024 * 1024;
  auto more = [&](const Sets& sets) {
    const Sets none = sample::operator+(sets, {"software.memory.workspaces=0 B", "software.experts.workspaces=0 B"});
    return memory(llama(sets)).allocated_bytes - memory(llama(none)).allocated_bytes;
  };
  CHECK(near(more({}), 64 * mib));
  CHECK(near(more({"model.experts={count: 8, top_k: 2, ffn: 1024}"}), 192 * mib));
}

TEST_CASE("inputs that tensor ranks gathered are kept whole, or as shards") {
  const Sets layout{"parallelism.tp=4", "parallelism.sequence_parallel=true"};
  auto saved = [&](const std::string& whole, auto block) {
    return block(sample::workload(llama(sample::operator+(layout, {"software.memory.keeps_gathered=" + whole}))));
  };
  auto layer = [](const Workload& w) { return w.layer().saved_bytes(); };
  auto head = [](const Workload& w) { return w.head().saved_bytes(); };
  const double input = 2.0 * 2048 * 1024;
  CHECK(near(saved("true", layer) - saved("false", layer), 2 * input * 3 / 4));  // of attention and of the MLP
  CHECK(near(saved("true", head) - saved("false", head), input * 3 / 4));
}

TEST_CASE("every way to save memory saves memory") {
  auto peak = [](const Sets& sets) {
    return memory(gpt(sample::operator+({"cluster.gpus=64", "parallelism.microbatch=2"}, sets))).device.peak_bytes;
  };
  const double base = peak({"parallelism.tp=2"});
  CHECK(peak({"parallelism.tp=4"}) < base);
  CHECK(peak({"parallelism.tp=2", "parallelism.sequence_parallel=true"}) < base);
  CHECK(peak({"parallelism.tp=2", "parallelism.zero=1"}) < base);
  CHECK(peak({"parallelism.tp=2", "parallelism.recompute=selective"}) < base);
  CHECK(peak({"parallelism.tp=2", "parallelism.recompute=full"}) <
        peak({"parallelism.tp=2", "parallelism.recompute=selective"}));
  CHECK(peak({"parallelism.tp=2", "parallelism.microbatch=1"}) < base);
  CHECK(peak({"parallelism.tp=2", "parallelism.pp=2"}) < base);
}

TEST_CASE("the overflow's figures are those of the fullest stage") {
  const Scenario s = gpt({"model.hidden=12288", "model.heads=96", "model.layers=32", "parallelism.pp=8"});
  const Memory m = memory(s);
  REQUIRE(m.device.peak_bytes > m.device.capacity_bytes);
  const auto worst = std::ranges::max_element(m.stages, {}, &StageMemory::total);
  const std::string message = planner::overflow_of(m)->text(),
                    expected = "stage " + std::to_string(worst->stage) + " needs ";
  CHECK(message.starts_with(expected));
  const double excess = (m.device.peak_bytes - m.device.capacity_bytes) / (1024.0 * 1024 * 1024);
  CHECK(std::abs(std::stod(message.substr(message.find("GiB, ") + 5)) - excess) <= 0.051);
}

TEST_CASE("an overflowing plan keeps all its figures") {
  const planner::Plan p = planner::make_plan(gpt({"model.hidden=20480", "model.heads=64"}));
  CHECK_FALSE(p.feasible);
  CHECK(p.step.has_value());
  CHECK(p.memory.has_value());
  CHECK(p.cost.has_value());
}

TEST_CASE("peaks are the largest of all stages, host memory that of the fullest node") {
  for (const Sets& layout :
       {Sets{"parallelism.pp=4", "parallelism.microbatch=2"}, Sets{"parallelism.pp=2", "parallelism.interleave=2"},
        Sets{"parallelism.pp=4", "parallelism.schedule=zb-h1"}, Sets{"parallelism.tp=2", "parallelism.pp=2"},
        Sets{"parallelism.pp=2", "parallelism.offload.activations=0.5"},
        Sets{"parallelism.zero=1", "parallelism.offload.optimizer=1"}}) {
    CAPTURE(layout.front());
    const Memory m = memory(llama(layout));
    double device = 0, reserved = 0, allocated = 0, host = 0;
    for (const StageMemory& stage : m.stages) {
      device = std::max(device, stage.total());
      reserved = std::max(reserved, stage.reserved());
      allocated = std::max(allocated, stage.allocated());
      host = std::max(host, stage.host);
    }
    CHECK(near(m.device.peak_bytes, device));
    CHECK(near(m.reserved_bytes, reserved));
    CHECK(near(m.allocated_bytes, allocated));
    CHECK(m.host.peak_bytes >= host);
    CHECK((m.host.peak_bytes > 0) == (host > 0));
  }
}
