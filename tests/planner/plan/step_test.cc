// From operators to a step: rows of communication, what hides and what shows, host time, stragglers.

#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <set>

#include "tests/planner/sample.h"

using planner::CommunicationRow;
using planner::Plan;
using planner::Scenario;
using sample::gpt;
using sample::llama;
using sample::near;
using sample::Sets;
using sample::operator+;

namespace {

std::map<std::string, CommunicationRow> rows(const Scenario& s) {
  std::map<std::string, CommunicationRow> found;
  for (const CommunicationRow& r : sample::plan(s).communication) found[r.name] = r;
  return found;
}

std::set<std::string> names(const Scenario& s) {
  std::set<std::string> found;
  for (const auto& [name, r] : rows(s)) found.insert(name);
  return found;
}
using Names = std::set<std::string>;

double seconds(const Scenario& s) { return sample::plan(s).step->seconds; }

constexpr double kActivation = 2.0 * 1024 * 1024;  // s b h e of the sample

}  // namespace

TEST_CASE("tensor parallelism: a row per collective, with its ranks, bytes and calls") {
  struct Expected {
    const char *name, *kind;
    double bytes, count;
  };
  const auto found = rows(gpt({"parallelism.tp=8"}));  // 64 microbatches of 8 layers
  const Expected all[] = {{"embedding.word.all-reduce", "all-reduce", kActivation, 64},
                          {"attention.projection.all-reduce", "all-reduce", kActivation, 64 * 8},
                          {"mlp.fc2.all-reduce", "all-reduce", kActivation, 64 * 8},
                          {"attention.qkv.dgrad.all-reduce", "all-reduce", kActivation, 64 * 8},
                          {"mlp.fc1.dgrad.all-reduce", "all-reduce", kActivation, 64 * 8},
                          {"head.logits.dgrad.all-reduce", "all-reduce", kActivation, 64},
                          {"head.loss.all-reduce", "all-reduce", 4 * 1024, 3 * 64}};
  CHECK(found.size() == std::size(all));
  for (const Expected& e : all) {
    CAPTURE(e.name);
    REQUIRE(found.contains(e.name));
    const CommunicationRow& r = found.at(e.name);
    CHECK(r.kind == e.kind);
    CHECK(r.bytes == e.bytes);
    CHECK(r.count == e.count);
    CHECK(r.ranks == 8);
    CHECK(r.tiers == std::vector<std::string>{"nvlink"});
  }
}

TEST_CASE("sequence parallelism: all-gathers and reduce-scatters in place of all-reduces") {
  const Scenario s = gpt({"parallelism.tp=8", "parallelism.sequence_parallel=true"});
  CHECK(names(s) == Names{"embedding.word.reduce-scatter", "embedding.word.all-gather", "attention.qkv.all-gather",
                          "attention.projection.reduce-scatter", "mlp.fc1.all-gather", "mlp.fc2.reduce-scatter",
                          "mlp.fc2.dgrad.all-gather", "mlp.fc1.dgrad.all-gather-input", "mlp.fc1.dgrad.reduce-scatter",
                          "attention.projection.dgrad.all-gather", "attention.qkv.dgrad.all-gather-input",
                          "attention.qkv.dgrad.reduce-scatter", "head.logits.all-gather",
                          "head.logits.dgrad.all-gather-input", "head.logits.dgrad.reduce-scatter",
                          "head.loss.all-reduce"});
  for (const auto& [name, r] : rows(s)) {
    const auto& said = name;
    if (name != "head.loss.all-reduce") CHECK_MESSAGE(r.bytes == kActivation, said);
  }
}

TEST_CASE("full recompute repeats the forward collectives of the layers, under names of their own") {
  const Sets layout{"parallelism.tp=8", "parallelism.recompute=full"};
  const auto found = rows(gpt(layout));
  CHECK(found.at("mlp.fc2.all-reduce.recompute").count == found.at("mlp.fc2.all-reduce").count);
  CHECK(found.at("attention.projection.all-reduce.recompute").bytes == kActivation);
  CHECK(found.size() == 7 + 2);
}

TEST_CASE("a pipeline sends activations there and gradients back, in as many pieces as there are tensor ranks") {
  for (int tp : {1, 2})
    for (int chunks : {1, 2}) {
      const auto found = rows(gpt({"parallelism.pp=4", "parallelism.tp=" + std::to_string(tp),
                                   "parallelism.interleave=" + std::to_string(chunks)}));
      const CommunicationRow& r = found.at("pipeline.activation");
      CHECK(r.kind == "send-recv");
      CHECK(r.ranks == 4);
      CHECK(r.bytes == kActivation / tp);
      CHECK(r.count == 2 * chunks * 64 / (8 / (4 * tp)));
      CHECK(r.tiers == std::vector<std::string>{"nvlink"});
    }
  const auto whole = rows(gpt({"parallelism.pp=4", "parallelism.tp=2", "software.scatter_gather=false"}));
  CHECK(whole.at("pipeline.activation").bytes == kActivation);
}

TEST_CASE("between nodes the data ranks use the fabric, tensor ranks stay on the links of their node") {
  const auto found = rows(gpt({"cluster.gpus=64", "parallelism.tp=8"}));
  CHECK(found.at("data.all-reduce").tiers == std::vector<std::string>{"infiniband"});
  CHECK(found.at("mlp.fc2.all-reduce").tiers == std::vector<std::string>{"nvlink"});
  const auto mixed = rows(gpt({"cluster.gpus=64", "parallelism.tp=4", "parallelism.pp=2"}));
  CHECK(mixed.at("data.all-reduce").tiers == std::vector<std::string>{"nvlink", "infiniband"});
  CHECK(mixed.at("pipeline.activation").tiers == std::vector<std::string>{"infiniband"});
  CHECK(mixed.at("embedding.all-reduce").ranks == 2);
  CHECK(mixed.at("embedding.all-reduce").bytes == 2.0 * 51200 * 1024 / 4);
}

TEST_CASE("one GPU talks to nobody") {
  CHECK(sample::plan(gpt({"cluster.gpus=1"})).communication.empty());
  CHECK(sample::plan(gpt({"cluster.gpus=1"})).breakdown->exposed_comm == 0);
}

TEST_CASE("each overlap switch hides its own collectives and no others") {
  struct Case {
    const char* flag;
    Sets layout;
    Names hidden;
  };
  const Case cases[] = {
      {"gradients", {"parallelism.tp=2"}, {"data.all-reduce"}},
      {"gradients", {"parallelism.zero=1"}, {"data.reduce-scatter"}},
      {"parameters", {"parallelism.zero=1"}, {"data.all-gather-parameters"}},
      {"parameters",
       {"software={use: torchtitan}", "parallelism.zero=3"},
       {"fsdp.all-gather-forward", "fsdp.all-gather-backward"}},
      {"gradients", {"software={use: torchtitan}", "parallelism.zero=3"}, {"fsdp.reduce-scatter"}},
      {"tensor",
       {"parallelism.tp=4"},
       {"attention.projection.all-reduce", "mlp.fc2.all-reduce", "attention.qkv.dgrad.all-reduce",
        "mlp.fc1.dgrad.all-reduce"}},
      {"tensor_backward",
       {"parallelism.tp=4"},
       {"attention.qkv.dgrad.all-reduce", "mlp.fc1.dgrad.all-reduce", "head.logits.dgrad.all-reduce"}},
      {"pipeline", {"parallelism.pp=4", "parallelism.interleave=2"}, {"pipeline.activation"}},
  };
  const Sets off{"software.overlap.gradients=false", "software.overlap.parameters=false",
                 "software.overlap.tensor=false", "software.overlap.tensor_backward=false",
                 "software.overlap.pipeline=false"};
  for (const Case& c : cases) {
    CAPTURE(c.flag);
    const Sets base = Sets{"model.hidden=4096", "model.ffn=11008", "model.heads=32"} + c.layout + off;
    const Scenario blocking = llama(base),
                   overlapping = llama(base + Sets{std::string("software.overlap.") + c.flag + "=true"});
    for (const auto& [name, r] : rows(blocking)) {
      const auto& said = name;
      if (name != "pipeline.activation") CHECK_MESSAGE(std::abs(r.hidden_seconds) <= 1e-12 * r.seconds, said);
    }
    Names hidden;
    for (const CommunicationRow& r : sample::plan(overlapping).communication)
      if (r.hidden_seconds > 1e-9 * r.seconds) hidden.insert(r.name);
    for (const std::string& name : c.hidden) CHECK_MESSAGE(hidden.contains(name), name);
    for (const std::string& name : hidden)
      CHECK_MESSAGE((c.hidden.contains(name) || name == "pipeline.activation" || name.starts_with("head.")), name);
    CHECK(seconds(overlapping) < seconds(blocking));
  }
}

TEST_CASE("the last bucket of an overlapped reduction stays exposed: one layer's share") {
  for (int layers : {4, 8, 16}) {
    Scenario s = llama({"model.layers=" + std::to_string(layers), "job.sequence=4096", "job.global_batch=512",
                        "parallelism.microbatch=8", "parallelism.zero=1"});
    s.calibration.contention.clear();
    for (const char* name : {"data.reduce-scatter", "data.all-gather-parameters"}) {
      const CommunicationRow r = rows(s).at(name);
      CHECK_MESSAGE(near(r.exposed_seconds, r.seconds / layers), name);
    }
  }
}

TEST_CASE("a host slower than the device sets the pace: kernels times launch") {
  const Sets lone{"cluster.gpus=1"};
  const planner::Workload w = sample::workload(gpt(lone));
  double kernels = 0;
  for (const auto& [block, times] : {std::pair{&w.embedding(), 1.0}, {&w.layer(), 8.0}, {&w.head(), 1.0}})
    for (const planner::WorkOp& op : block->ops) kernels += times * op.count;
  const Plan slow = sample::plan(gpt(lone + Sets{"software.launch=10 ms"}));
  const planner::Breakdown& b = *slow.breakdown;
  CHECK(near(b.forward + b.backward + b.overhead, 64 * kernels * 10e-3));
  const Plan none = sample::plan(gpt(lone + Sets{"software.launch=0 s"}));
  CHECK(none.breakdown->overhead == 0);
  CHECK(none.breakdown->forward == b.forward);
  // A host that waits for every kernel adds its launches to them.
  const Plan blocking = sample::plan(gpt(lone + Sets{"software.launch=10 us", "software.launch_blocking=true"}));
  CHECK(near(blocking.breakdown->overhead, 64 * kernels * 10e-6));
  CHECK(near(blocking.step->seconds, none.step->seconds + 64 * kernels * 10e-6));
}

TEST_CASE("where token counts are read back, the routed part of a layer races the host alone") {
  const auto mixture = [](const Sets& more) {
    return sample::scenario(
        "model: {use: qwen3-30b-a3b, layers: 4}\njob: {sequence: 1024, global_batch: 8}\n"
        "cluster: {use: dgx-h100, gpus: 8}\nsoftware: {use: megatron-core, launch: 0 s, step_overhead: 0 s, experts: "
        "{wait: 1 us}}\n"
        "parallelism: {ep: 8}\n",
        more);
  };
  const auto step = [&](const Sets& more) { return *sample::plan(mixture(more)).breakdown; };
  const Sets slow{"software.experts.wait=100 ms"};
  const planner::Breakdown fast = step({}), late = step(slow);
  const Scenario s = mixture({});
  double device = 0;  // of the routed operators of a layer
  const planner::CostedWorkload costed = planner::cost_workload(s, sample::workload(s));
  for (const planner::CostedOp& op : costed.blocks.at(1).ops)
    if (op.work->routed) device += op.work->count * (op.communication ? op.exposed : op.cost.seconds.value);
  CHECK(fast.overhead == 0);
  CHECK(near(late.overhead, 4 * (2 * 0.1 - device)));  // nothing of the rest of the layer hides it
  CHECK(late.forward == fast.forward);
  // A machine that does not exist has a host that keeps pace; a Grace's launches do not count here.
  CHECK(step(slow + Sets{"cluster.host.launch=3"}).overhead == late.overhead);
  CHECK(step(slow + Sets{"cluster.gpu.speedup=2"}).overhead < late.overhead);
  // Dropped tokens leave shapes that are known; a graph of the whole step needs no host.
  CHECK(step(slow + Sets{"job.routing.capacity=1"}).overhead == 0);
  CHECK(step(slow + Sets{"software.graphs=step"}).overhead == 0);
}

TEST_CASE("ranks out of step: a blocking collective waits for every doubling of its ranks, a hidden one does not") {
  const Sets skewed{"software.skew=1 ms"};
  for (const auto& [tp, doublings] : {std::pair{"2", 1.0}, {"4", 2.0}, {"8", 3.0}}) {
    const auto& said = tp;
    CAPTURE(said);
    const Sets layout{std::string("parallelism.tp=") + tp, "software.overlap.tensor_backward=true"};
    const auto level = rows(gpt(layout)), late = rows(gpt(layout + skewed));
    double waits = 0;
    for (const auto& [name, r] : level) {
      const auto& said = name;
      const bool blocks = r.ranks > 1 && r.hidden_seconds == 0 && r.name.find("dgrad") == std::string::npos;
      const double wait = blocks ? r.count * std::log2(static_cast<double>(r.ranks)) * 1e-3 : 0;
      CHECK_MESSAGE(near(late.at(name).seconds, r.seconds + wait), said);
      waits += wait;
    }
    const double m = static_cast<double>(sample::workload(gpt(layout)).microbatches);
    CHECK(waits >= m * 8 * 2 * doublings * 1e-3);  // two all-reduces forward in each of 8 layers
    CHECK(near(seconds(gpt(layout + skewed)), seconds(gpt(layout)) + waits));
  }
}

TEST_CASE("ranks that a machine keeps out of step wait as those of a software do") {
  const Sets tensor{"parallelism.tp=4"};
  const double machine = seconds(gpt(tensor + Sets{"cluster.skew=1 ms"}));
  CHECK(machine > seconds(gpt(tensor)));
  CHECK(machine == seconds(gpt(tensor + Sets{"software.skew=1 ms"})));
  CHECK(near(seconds(gpt(tensor + Sets{"cluster.skew=400 us", "software.skew=600 us"})), machine));
}

TEST_CASE("caps of clock and power slow kernels that compute, and no other") {
  const auto part = [](const Sets& sets, const char* name) {
    double sum = 0;
    const Scenario s = gpt(sets);
    const planner::CostedWorkload costed = planner::cost_workload(s, sample::workload(s));
    for (const planner::CostedOp& op : costed.blocks.at(1).ops)
      if (op.work->name.str() == name) sum += op.cost.seconds.value - op.cost.launch.value;
    return sum;
  };
  const Sets roofline{"operator_models.gemm=roofline"}, large{"job.sequence=2048", "parallelism.microbatch=4"};
  const auto slower = [&](const char* cap, const char* name) {
    return part(roofline + large + Sets{cap}, name) / part(roofline + large, name);
  };
  const char *power = "cluster.gpu.power_cap=cluster.gpu.power / 16",
             *clock = "cluster.gpu.clock_cap=cluster.gpu.clock / 2";
  CHECK(near(slower(power, "mlp.fc1"), 2));
  CHECK(near(slower(clock, "mlp.fc1"), 2));
  CHECK(slower(power, "mlp.norm") == 1);
  CHECK(slower("cluster.gpu.power_cap=cluster.gpu.power * 2", "mlp.fc1") == 1);
  // The lower of two caps decides; the peak that MFU counts against is the datasheet's.
  CHECK(slower("cluster.gpu.power_cap=cluster.gpu.power / 81", "mlp.fc1") == doctest::Approx(3));
  CHECK(sample::plan(gpt({clock})).throughput->peak_flops_per_gpu ==
        sample::plan(gpt()).throughput->peak_flops_per_gpu);
}

TEST_CASE("small models are bound by the host, large ones hardly") {
  const auto share = [](const char* hidden) {
    const Plan p = sample::plan(
        llama({std::string("model.hidden=") + hidden, "model.ffn=4 * model.hidden", "model.heads=8", "job.sequence=256",
               "model.vocab=1000", "software.launch=20 us", "software.step_overhead=0 s"}));
    return p.breakdown->overhead / p.step->seconds;
  };
  CHECK(share("256") > 0.1);
  CHECK(share("8192") < 0.01);
  CHECK(share("256") > share("1024"));
}

TEST_CASE("host work per step counts once, per microbatch as often as there are any") {
  for (const Sets& layout : {Sets{}, Sets{"parallelism.tp=4"}, Sets{"parallelism.pp=4", "parallelism.tp=2"}}) {
    const Scenario s = gpt(layout);
    const double base = seconds(s), m = static_cast<double>(sample::workload(s).microbatches);
    CHECK(near(seconds(gpt(layout + Sets{"software.step_overhead=0.5 s"})), base + 0.5));
    CHECK(near(seconds(gpt(layout + Sets{"software.microbatch_overhead=1 ms"})), base + m * 1e-3));
  }
}

TEST_CASE("stragglers cost their share for every doubling of nodes beyond one") {
  for (const auto& [gpus, doublings] : {std::pair{8, 0.0}, {16, 1.0}, {64, 3.0}}) {
    const Sets layout{"cluster.gpus=" + std::to_string(gpus), "software.step_overhead=10 ms"};
    const double base = seconds(gpt(layout)), late = seconds(gpt(layout + Sets{"software.straggling=0.02"}));
    CHECK(near(late, base * (1 + 0.02 * doublings)));
  }
  CHECK(seconds(gpt({"cluster.gpus=4", "software.straggling=0.5"})) == seconds(gpt({"cluster.gpus=4"})));
}
