// Low-rank adapters: frozen weights, added weights, and that shards of adapters add up. Packed documents.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/planner/sample.h"

using operator_models::Attention;
using operator_models::Vector;
using planner::Block;
using planner::Parameters;
using planner::Saved;
using planner::Scenario;
using planner::StageClass;
using planner::StepPhase;
using planner::Weight;
using planner::Workload;
using planner::WorkOp;
using sample::gpt;
using sample::llama;
using sample::near;
using sample::only;
using sample::operator+;
using sample::Sets;

namespace {

const Sets kRank8{"job.lora.rank=8"};
const Sets kAll{"job.lora.rank=8", "job.lora.targets=all"};

/// Experts beside a shared one, every second layer dense.
constexpr const char* kMixture = R"(
model: {layers: 4, hidden: 1024, ffn: 2816, heads: 16, kv_heads: 4, vocab: 32000, gated_mlp: true, rotary: true,
        bias: false, norm: rmsnorm, activation: silu,
        experts: {count: 8, top_k: 2, ffn: 1408, shared: 1, every: 2}}
job: {sequence: 2048, global_batch: 64, lora: {rank: 8, targets: all}}
cluster: {use: dgx-a100-80gb, gpus: 8}
software: {use: megatron-core}
)";

Scenario on_one(const std::string& model, const Sets& sets) {
  return sample::scenario("model: {use: " + model +
                              "}\njob: {sequence: 512, global_batch: 1}\n"
                              "cluster: {use: dgx-h100, gpus: 1}\nsoftware: {use: megatron-core}\n",
                          sets);
}

/// Trained parameters of the whole model, from all ranks of all stages.
double trained(const Scenario& s) {
  const Workload w = planner::build_workload(s);
  double sum = 0;
  for (int id : w.class_of_stage) {
    const Parameters& p = w.classes[static_cast<size_t>(id)].trained;
    sum += static_cast<double>(s.parallelism.tp) * p.common;
    sum += static_cast<double>(s.parallelism.etp * s.parallelism.ep) * p.routed;
  }
  return sum;
}

template <class Counts> double gemm_flops(const std::vector<WorkOp>& ops, Counts counts) {
  double sum = 0;
  for (const WorkOp& op : ops)
    if (counts(op)) sum += sample::gemm_flops(op);
  return sum;
}

/// FLOPs of the GEMMs of one step on all ranks.
double step_flops(const Scenario& s) {
  const Workload w = planner::build_workload(s);
  double sum = 0;
  for (int id : w.class_of_stage)
    sum += w.sum(w.classes[static_cast<size_t>(id)].total(),
                 [](const Block& b) { return gemm_flops(b.ops, [](const WorkOp&) { return true; }); });
  const auto& p = s.parallelism;
  return sum * static_cast<double>(w.microbatches * p.tp * p.cp * p.dp);
}

const Saved* saved(const Block& block, const std::string& name) {
  const auto found = std::ranges::find(block.saved, name, [](const Saved& each) { return each.name.str(); });
  return found == block.saved.end() ? nullptr : &*found;
}

bool has(const Block& block, const std::string& name) { return !sample::named(block.ops, name).empty(); }

}  // namespace

TEST_CASE("published numbers of trained parameters") {
  const Sets apart{"software.fusion.qkv=false"};
  // Hu et al. 2021, table 5: GPT-3 175B, rank 2 on Wq, Wk, Wv and Wo: 18M. Section 4.2: 2 x matrices x d x r.
  CHECK(trained(on_one("gpt3-175b", apart + Sets{"job.lora.rank=2"})) == 2.0 * 4 * 96 * 12288 * 2);
  // PEFT prints 16777216 for rank 16 on the four matrices of LLaMA 7B, 6,815,744 for rank 8 on those of Llama 3 8B.
  CHECK(trained(on_one("llama-7b", apart + Sets{"job.lora.rank=16"})) == 16777216);
  CHECK(trained(on_one("llama3-8b", apart + Sets{"job.lora.rank=8"})) == 6815744);
  // MLPerf's reference (llama2_70b_lora): rank 16 on qkv_proj (8192 to 8192 + 2 x 1024) and o_proj.
  CHECK(trained(on_one("llama2-70b", {"job.lora.rank=16"})) == 80 * 16 * ((8192.0 + 10240) + (8192 + 8192)));
}

TEST_CASE("adapters beside queries, keys and values alone") {
  const Sets qkv{"job.lora.rank=16", "job.lora.targets=qkv"};
  CHECK(trained(on_one("llama2-70b", qkv)) == 80 * 16 * (8192.0 + 10240));
  const Workload w = sample::workload(on_one("llama2-7b", qkv));
  CHECK(has(w.layer(), "attention.qkv.lora-a"));
  CHECK_FALSE(has(w.layer(), "attention.projection.lora-a"));
  CHECK(saved(w.layer(), "attention.input"));
  CHECK(saved(w.layer(), "attention.context"));  // fused attention reads it again
  const Workload unfused = sample::workload(on_one("llama2-7b", qkv + Sets{"software.attention=unfused"}));
  CHECK_FALSE(saved(unfused.layer(), "attention.context"));
}

TEST_CASE("twice the rank are twice the adapters, parameters and FLOPs") {
  for (const char* targets : {"qkv", "attention", "all"}) {
    const Sets which{std::string("job.lora.targets=") + targets};
    const Scenario one = llama(which + Sets{"job.lora.rank=8"}), two = llama(which + Sets{"job.lora.rank=16"});
    CHECK(near(trained(two), 2 * trained(one), 1e-12));
    auto flops = [](const Scenario& s) {
      return gemm_flops(sample::workload(s).layer().ops, [](const WorkOp& w) { return w.adapter; });
    };
    CHECK(flops(one) > 0);
    CHECK(near(flops(two), 2 * flops(one), 1e-12));
  }
}

TEST_CASE("only adapters are trained: no other weight has a gradient") {
  for (const Scenario& s :
       {gpt(kAll), llama(kRank8), llama(kRank8 + Sets{"software.fusion.gradient=false"}), sample::scenario(kMixture)}) {
    const Workload w = sample::workload(s);
    for (const Block& block : w.blocks) {
      for (const Weight& weight : block.weights)
        CHECK_MESSAGE(weight.frozen == (weight.name.str().find(".lora-") == std::string::npos), weight.name);
      for (const WorkOp& op : block.ops) {
        CAPTURE(op.name);
        if (op.phase != StepPhase::backward || op.adapter) continue;
        CHECK_FALSE(op.weight_gradient);
        CHECK_FALSE(op.of_weights);
        CHECK_FALSE(std::holds_alternative<operator_models::Lookup>(op.op));
        if (const auto* v = std::get_if<Vector>(&op.op)) CHECK(v->kind != operator_models::VectorKind::reduction);
      }
    }
    for (const WorkOp& op : w.embedding().ops) CHECK(op.phase == StepPhase::forward);
    CHECK(w.embedding().saved.empty());
  }
}

TEST_CASE("the base costs 4N: as much backward as forward, attention aside; its adapters 6 per parameter") {
  const Workload w = sample::workload(llama(kAll));
  const double tokens = 2048;
  for (const Block* block : {&w.layer(), &w.head()}) {
    auto flops = [&](StepPhase phase, bool adapter) {
      return gemm_flops(block->ops, [&](const WorkOp& op) { return op.phase == phase && op.adapter == adapter; });
    };
    double frozen = 0, adapters = 0;
    for (const Weight& weight : block->weights)
      if (!weight.name.str().ends_with("norm")) (weight.frozen ? frozen : adapters) += weight.parameters;
    CHECK(near(flops(StepPhase::forward, false), 2 * tokens * frozen, 1e-12));
    CHECK(near(flops(StepPhase::backward, false), 2 * tokens * frozen, 1e-12));
    CHECK(near(flops(StepPhase::forward, true) + flops(StepPhase::backward, true), 6 * tokens * adapters, 1e-12));
  }
}

TEST_CASE("sharding conserves adapters: parameters and GEMMs over all ranks are those of one GPU") {
  const Scenario one = llama(kAll + Sets{"cluster.gpus=1"});
  for (int64_t tp : {1, 2, 4})
    for (int64_t pp : {1, 2})
      for (int64_t cp : {1, 2}) {
        CAPTURE(tp);
        CAPTURE(pp);
        CAPTURE(cp);
        auto set = [](const char* name, int64_t n) { return std::string(name) + "=" + std::to_string(n); };
        const Scenario s = llama(kAll + Sets{set("cluster.gpus", 2 * tp * pp * cp), set("parallelism.tp", tp),
                                             set("parallelism.pp", pp), set("parallelism.cp", cp),
                                             "software.attention=flash2", "parallelism.sequence_parallel=true"});
        REQUIRE(planner::layout_violations(s).empty());
        CHECK(near(trained(s), trained(one), 1e-12));
        CHECK(near(step_flops(s), step_flops(one), 1e-12));
      }
}

TEST_CASE("every routed expert has adapters of its own, dealt out with it") {
  const Scenario one = sample::scenario(kMixture, {"cluster.gpus=1"});
  const double r = 8, h = 1024, dense = r * ((h + 2 * 2816) + (2816 + h));
  const double attention = r * ((h + 1024 + 2 * 256) + (1024 + h)), expert = r * ((h + 2 * 1408) + (1408 + h));
  CHECK(trained(one) == 4 * attention + 2 * dense + 2 * (8 + 1) * expert);
  const Sets tensor{"parallelism.ep=2", "parallelism.tp=2", "parallelism.sequence_parallel=true"};
  for (const Sets& layout : {Sets{"parallelism.ep=4"}, tensor, tensor + Sets{"parallelism.etp=2"}}) {
    const Scenario s = sample::scenario(kMixture, layout);
    CHECK(near(trained(s), trained(one), 1e-12));
    CHECK(near(step_flops(s), step_flops(one), 1e-12));
  }
}

TEST_CASE("gradients and optimizer states are those of the adapters, weights those of all") {
  const Scenario s = llama(kRank8 + Sets{"parallelism.tp=2"});
  const Workload w = sample::workload(s);
  const planner::StageMemory m = planner::make_memory(s, w).stages.front();
  const double adapters = 8 * 8 * ((1024.0 + 1536) + (1024 + 1024)) / 2;  // layers, rank, two ranks
  const planner::MemoryHabits& habits = s.software.memory;
  CHECK(near(m.gradients, habits.gradient * adapters));
  CHECK(near(m.optimizer, habits.optimizer * adapters));
  const double base = sample::workload(llama({"parallelism.tp=2"})).classes.front().held.sum();
  CHECK(near(m.weights, habits.weight * (base + adapters)));
  const Scenario zero = llama(kRank8 + Sets{"parallelism.tp=2", "parallelism.zero=1"});
  CHECK(near(planner::make_memory(zero, sample::workload(zero)).stages.front().optimizer,
             habits.optimizer * adapters / 4));
}

TEST_CASE("gradient reduction, parameter gathers and the update are those of the adapters") {
  const Scenario s = llama(kRank8 + Sets{"parallelism.zero=1"});
  const StageClass c = sample::workload(s).classes.front();
  const double adapters = trained(s);
  CHECK(near(sample::collective(only(c.step_ops, "data.reduce-scatter", StepPhase::backward)).bytes.value,
             s.software.reduce_bytes * adapters));
  CHECK(near(sample::collective(only(c.step_ops, "data.all-gather-parameters", StepPhase::optimizer)).bytes.value,
             s.software.gather_bytes * adapters));
  const WorkOp update = only(c.step_ops, "adam", StepPhase::optimizer);
  CHECK(near(std::get<operator_models::Update>(update.op).parameters, adapters / 8));
}

TEST_CASE("FSDP gathers frozen weights, and reduces gradients of adapters only") {
  const Sets fsdp{"software={use: torchtitan}", "parallelism.zero=3"};
  const Scenario s = llama(kRank8 + fsdp);
  const Block layer = sample::workload(s).layer();
  const double adapters = trained(s) / 8;
  CHECK(near(sample::collective(only(layer.ops, "fsdp.all-gather-forward")).bytes.value,
             s.software.gather_bytes * layer.parameters()));
  CHECK(near(sample::collective(only(layer.ops, "fsdp.reduce-scatter", StepPhase::backward)).bytes.value,
             s.software.reduce_bytes * adapters));
  auto temporary = [](const Scenario& of) {
    return planner::make_memory(of, sample::workload(of)).stages.front().temporary;
  };
  const double root = 2 * 32000 * 1024.0 + 1024;  // embedding, head and its norm: larger than a layer
  const double kept = 2 * s.software.memory.gathered_units * adapters;
  CHECK(near(temporary(llama(fsdp)) + kept - temporary(s), s.software.reduce_bytes * (root - adapters)));
}

TEST_CASE("inputs are kept for the weight gradients of adapters only") {
  const Block full = sample::workload(llama()).layer(), some = sample::workload(llama(kRank8)).layer(),
              all = sample::workload(llama(kAll)).layer();
  for (const char* name : {"mlp.input", "mlp.output"}) {
    CHECK(saved(full, name));
    CHECK_FALSE(saved(some, name));
    CHECK(saved(all, name));
  }
  for (const Saved& each : full.saved) {
    if (each.name == "mlp.input" || each.name == "mlp.output") continue;
    REQUIRE_MESSAGE(saved(some, each.name), each.name);  // attention's inputs, and what data gradients read
    CHECK(saved(some, each.name)->bytes == each.bytes);
  }
  CHECK(saved(some, "attention.qkv.lora-a.output")->bytes == 2.0 * 2048 * 8);
  CHECK(saved(all, "mlp.fc2.lora-a.output")->bytes == 2.0 * 2048 * 8);
  CHECK_FALSE(saved(sample::workload(llama(kRank8)).head(), "head.input"));
  CHECK(saved(sample::workload(llama(kRank8)).head(), "head.norm.input"));
}

TEST_CASE("the shared expert reads the router's input: it stays where that expert has an adapter") {
  const Block all = sample::workload(sample::scenario(kMixture)).layer(1);
  REQUIRE(all.layer.experts);
  CHECK(saved(all, "router.input"));
  const Block some = sample::workload(sample::scenario(kMixture, {"job.lora.targets=attention"})).layer(1);
  for (const char* name : {"router.input", "experts.input", "experts.output", "shared.output"})
    CHECK_FALSE_MESSAGE(saved(some, name), name);
  for (const char* name : {"router.scores", "experts.hidden", "shared.hidden"}) CHECK_MESSAGE(saved(some, name), name);
}

TEST_CASE("tensor ranks gather or sum the narrow result, and sum its gradient") {
  const double tokens = 2048, r = 8, h = 1024;
  for (const char* sp : {"false", "true"}) {
    const Block layer =
        sample::workload(llama(kRank8 + Sets{"parallelism.tp=4", std::string("parallelism.sequence_parallel=") + sp}))
            .layer();
    auto sent = [&](const char* name, StepPhase phase) {
      return sample::collective(only(layer.ops, name, phase)).bytes.value;
    };
    const char* narrow = "attention.qkv.lora-a.all-gather";
    const char* wide = "attention.projection.lora-b.all-gather";
    CHECK(sent(narrow, StepPhase::forward) == 2 * tokens * r);
    CHECK(sent("attention.qkv.lora-b.dgrad.all-reduce", StepPhase::backward) == 2 * tokens * r);
    CHECK(sent("attention.projection.lora-a.all-reduce", StepPhase::forward) == 2 * tokens * r);
    CHECK(sent(wide, StepPhase::forward) == 2 * tokens * h);
    CHECK(sample::named(layer.ops, narrow).size() == 1);
    const bool scattered = std::string(sp) == "true";  // its gradient is gathered where its result was scattered
    CHECK(sample::named(layer.ops, wide).size() == (scattered ? 2 : 1));
    if (scattered) CHECK(sent(wide, StepPhase::backward) == 2 * tokens * h);
    CHECK(saved(layer, "attention.input")->bytes == 2 * tokens * h);  // gathered
  }
}

TEST_CASE("no weight gradient: nothing to hide under, no input gathered again, no gradient for the embedding") {
  const Sets tensor{"parallelism.tp=4", "parallelism.sequence_parallel=true"};
  const Workload w = sample::workload(llama(kRank8 + tensor)), full = sample::workload(llama(tensor));
  CHECK(has(full.layer(), "mlp.fc1.dgrad.all-gather-input"));
  CHECK_FALSE(has(w.layer(), "mlp.fc1.dgrad.all-gather-input"));
  for (const char* name : {"attention.qkv.dgrad.reduce-scatter", "mlp.fc1.dgrad.reduce-scatter"}) {
    CHECK(only(full.layer().ops, name, StepPhase::backward).hide == planner::Hide::cover);
    CHECK(only(w.layer().ops, name, StepPhase::backward).hide == planner::Hide::nothing);
  }
  CHECK(has(full.embedding(), "embedding.word.all-gather"));
  CHECK_FALSE(has(w.embedding(), "embedding.word.all-gather"));
  CHECK(has(w.embedding(), "embedding.word.reduce-scatter"));
}

TEST_CASE("covers point at what they covered before") {
  const Sets overlapped{"software.experts.overlap_shared=true", "parallelism.ep=4"};
  const Workload w = planner::build_workload(sample::scenario(kMixture, overlapped));
  const Block& layer = w.layer(1);
  auto cover = [&](const char* name, StepPhase phase) {
    return layer.ops.at(static_cast<size_t>(only(layer.ops, name, phase).cover)).name;
  };
  CHECK(cover("experts.dispatch", StepPhase::forward) == "shared.fc1");
  CHECK(cover("experts.combine-gradient", StepPhase::backward) == "shared.fc2.dgrad");
}

TEST_CASE("a tied embedding has no gradient to sum between the ends of a pipeline") {
  const Sets stages{"parallelism.pp=4", "parallelism.tp=2"};
  CHECK_FALSE(sample::named(sample::workload(gpt(stages)).classes.front().step_ops, "embedding.all-reduce").empty());
  for (const StageClass& c : sample::workload(gpt(kRank8 + stages)).classes)
    CHECK(sample::named(c.step_ops, "embedding.all-reduce").empty());
}

TEST_CASE("eight-bit jobs: adapters and their inputs have 16 bits, and nothing is cast for a weight gradient") {
  const Sets eight{"cluster={use: dgx-h100, gpus: 8}", "job.precision=fp8"};
  const Block full = sample::workload(llama(eight)).layer(), layer = sample::workload(llama(kRank8 + eight)).layer();
  CHECK(sample::gemm(only(layer.ops, "attention.qkv")).precision == planner::Precision::fp8);
  CHECK(sample::gemm(only(layer.ops, "attention.qkv.lora-a")).precision == planner::Precision::bf16);
  CHECK(saved(layer, "attention.input")->bytes == 2 * saved(full, "attention.input")->bytes);
  auto written = [](const Block& block, const char* name, StepPhase phase) {
    return std::get<Vector>(only(block.ops, name, phase).op).written.value;
  };
  for (const char* name : {"mlp.fc2.cast-input", "mlp.fc2.cast-output-gradient", "mlp.fc2.cast-weight"}) {
    const StepPhase phase = std::string(name).ends_with("gradient") ? StepPhase::backward : StepPhase::forward;
    const bool weight = std::string(name).ends_with("weight");
    CHECK(written(layer, name, phase) == written(full, name, phase) * (weight ? 1 : 0.5));
  }
}

TEST_CASE("recompute repeats adapters with their layers") {
  const Block layer = sample::workload(llama(kAll + Sets{"parallelism.recompute=full"})).layer();
  auto flops = [&](StepPhase phase) {
    return gemm_flops(layer.ops, [&](const WorkOp& w) { return w.adapter && w.phase == phase; });
  };
  CHECK(flops(StepPhase::recompute) == flops(StepPhase::forward));
  CHECK(layer.saved.size() == 1);
}

TEST_CASE("model FLOPs of a job with adapters: two passes over the model, three over the adapters") {
  for (const Sets& layout :
       {Sets{}, Sets{"parallelism.tp=4"}, Sets{"parallelism.pp=2", "parallelism.recompute=full"}}) {
    const Scenario s = llama(kAll + layout);
    const planner::Throughput t = *sample::plan(s).throughput;
    const double tokens = 64 * 2048;
    CHECK(near(t.model_flops_per_step,
               2 * planner::forward_flops(s.model, tokens, 2048, true) + 6 * tokens * trained(s), 1e-12));
    CHECK(t.hfu >= t.mfu);
  }
}

TEST_CASE("a step of a large model is shorter with adapters than without, and needs less memory") {
  const Sets layout{"cluster.gpus=8", "job.global_batch=8", "job.sequence=4096", "parallelism.tp=8"};
  auto plan = [&](const Sets& lora) { return sample::plan(on_one("llama2-70b", layout + lora)); };
  const planner::Plan full = plan({}), some = plan(kRank8), all = plan(kAll);
  CHECK(some.step->seconds < full.step->seconds);
  CHECK(some.step->seconds < all.step->seconds);
  CHECK(some.memory->device.peak_bytes < all.memory->device.peak_bytes);
  CHECK(all.memory->device.peak_bytes < full.memory->device.peak_bytes);
}

TEST_CASE("packed documents do not see each other: attention falls with their length, nothing else does") {
  const Scenario whole = llama(), packed = llama({"job.document=256"});
  const Block one = sample::workload(whole).layer(), eight = sample::workload(packed).layer();
  const auto a = std::get<Attention>(only(eight.ops, "attention.fused").op);
  CHECK(a.batch == 8);
  CHECK(a.queries == 256);
  CHECK(a.keys == 256);
  for (const Saved& each : one.saved) CHECK(saved(eight, each.name)->bytes == each.bytes);
  auto everything = [](const WorkOp&) { return true; };
  CHECK(gemm_flops(one.ops, everything) == gemm_flops(eight.ops, everything));
  const double tokens = 64 * 2048;
  CHECK(near(sample::plan(packed).throughput->model_flops_per_step,
             3 * planner::forward_flops(packed.model, tokens, 256, true), 1e-12));
  CHECK(sample::plan(packed).step->seconds < sample::plan(whole).step->seconds);
}

TEST_CASE("unfused attention computes the whole square of a packed sequence") {
  const Sets unfused{"software.attention=unfused"};
  const Block one = sample::workload(llama(unfused)).layer(),
              packed = sample::workload(llama(unfused + Sets{"job.document=256"})).layer();
  CHECK(sample::gemm_flops(only(packed.ops, "attention.score")) ==
        sample::gemm_flops(only(one.ops, "attention.score")));
}
