// ZeRO by hand: who holds what, what travels when, and how software differs in carrying it out.
#include <doctest/doctest.h>

#include <map>

#include "planner/plan/ops.h"
#include "tests/planner/sample.h"

using operator_models::CollectiveKind;
using planner::CommunicationRow;
using planner::Scenario;
using planner::StageMemory;
using planner::Workload;
using planner::WorkOp;
using sample::gpt;
using sample::llama;
using sample::near;
using sample::Sets;
using sample::operator+;

namespace {

std::string stage(int64_t zero) { return "parallelism.zero=" + std::to_string(zero); }
std::string group(int64_t n) { return "parallelism.zero_group=" + std::to_string(n); }

StageMemory memory(const Scenario& s) { return planner::make_memory(s, sample::workload(s)).stages.front(); }
double parameters(const Scenario& s) { return sample::workload(s).classes.front().held.sum(); }

std::map<std::string, CommunicationRow> rows(const Scenario& s) {
  std::map<std::string, CommunicationRow> found;
  for (const CommunicationRow& r : sample::plan(s).communication) {
    CommunicationRow& sum = found[r.name];
    const double bytes = sum.bytes * sum.count + r.bytes * r.count;
    sum = r;
    sum.count = 1;  // bytes: of a whole step, all blocks together
    sum.bytes = bytes;
  }
  return found;
}

const Sets kFsdp{"software={use: torchtitan}"}, kNodes{"cluster.gpus=64"};

}  // namespace

TEST_CASE("parameters that are gathered tensor by tensor: the same bytes in more calls, without the small ones") {
  const Sets sharded = kNodes + Sets{stage(3)}, tensors = sharded + Sets{"software.gather_tensors=true"};
  const auto gathers = [](const Scenario& s) {
    const Workload w = sample::workload(s);
    std::vector<WorkOp> found;
    for (const WorkOp& op : w.layer().ops)
      if (op.name == "fsdp.all-gather-forward" || op.name == "fsdp.all-gather-backward") found.push_back(op);
    return found;
  };
  const auto bytes = [](const WorkOp& op) {
    return op.count * std::get<operator_models::Collective>(op.op).bytes.value;
  };
  const planner::Block layer = sample::workload(llama(sharded)).layer();
  const std::vector<WorkOp> whole = gathers(llama(sharded)), split = gathers(llama(tensors));
  REQUIRE(whole.size() == 2);
  REQUIRE(split.size() == 2);
  for (size_t i = 0; i < 2; ++i) {
    CHECK(whole[i].count == 1);
    CHECK(split[i].count == static_cast<double>(layer.weights.size()));
    CHECK(near(bytes(split[i]), bytes(whole[i])));
  }
  // Norms stay; where all do, nothing is gathered.
  double large = 0, count = 0;
  for (const planner::Weight& w : layer.weights)
    if (w.parameters >= 1e5) large += w.parameters, ++count;
  CHECK(count < static_cast<double>(layer.weights.size()));
  const std::vector<WorkOp> some = gathers(llama(tensors + Sets{"software.persistence=1e5"}));
  CHECK(some.at(0).count == count);
  CHECK(near(bytes(some.at(0)), 2 * large));
  CHECK(gathers(llama(tensors + Sets{"software.persistence=1e12"})).empty());
  // A ring's latency is paid once a tensor.
  const auto seconds = [](const Scenario& s) { return sample::plan(s).step->seconds; };
  const Sets bare{"software.overlap.parameters=false"};
  CHECK(seconds(llama(tensors + bare)) > seconds(llama(sharded + bare)));
}

TEST_CASE(
    "collectives of lists copy what they carry rank by rank: the same bytes in as many kernels as there are ranks") {
  const Sets copies = kNodes + Sets{stage(3), "software.gathered_bytes=4", "software.unit_bytes=4"};
  const Sets by_rank = copies + Sets{"software.copies_by_rank=true"};
  const auto of = [](const Sets& sets) {
    std::vector<WorkOp> found;
    const Workload w = sample::workload(llama(sets));
    for (const WorkOp& op : w.layer().ops)
      if (op.name.str().find(".copy-") != std::string::npos) found.push_back(op);
    return found;
  };
  const auto bytes = [](const WorkOp& op) {
    const auto& copy = std::get<operator_models::Vector>(op.op);
    return op.count * (copy.read.value + copy.written.value);
  };
  const std::vector<WorkOp> one = of(copies), each = of(by_rank);
  const std::vector<WorkOp> tensors = of(by_rank + Sets{"software.gather_tensors=true"});
  REQUIRE(one.size() == 3);  // of the parameters for forward and backward, of the gradient
  REQUIRE(each.size() == 3);
  REQUIRE(tensors.size() == 3);
  const auto weights = static_cast<double>(sample::workload(llama(copies)).layer().weights.size());
  const auto ranks = static_cast<double>(llama(copies).parallelism.dp);
  CHECK(ranks > 1);
  for (size_t i = 0; i < 3; ++i) {
    CHECK(one[i].count == 1);
    CHECK(each[i].count == ranks);
    CHECK(tensors[i].count == ranks * weights);
    CHECK(near(bytes(each[i]), bytes(one[i])));
  }
  // A block of small tensors alone gathers nothing and still reduces its gradients.
  const Scenario small = llama(by_rank + Sets{"software.gather_tensors=true", "software.persistence=1e12"});
  CHECK(std::isfinite(sample::plan(small).step->seconds));
  CHECK(sample::plan(llama(by_rank)).step->seconds > sample::plan(llama(copies)).step->seconds);
}

TEST_CASE("each stage divides one more part, by its group and nothing else") {
  struct Row {
    int64_t zero;
    double weights, gradients, optimizer;  // divisors
  };
  for (int64_t n : {2, 8, 64}) {
    const double N = static_cast<double>(n);
    for (const Row& r : {Row{0, 1, 1, 1}, Row{1, 1, 1, N}, Row{2, 1, N, N}, Row{3, N, N, N}}) {
      CAPTURE(r.zero);
      const Scenario s = llama(kNodes + Sets{stage(r.zero), group(n)});
      const double p = parameters(s);
      CHECK(near(memory(s).weights, 2 * p / r.weights));
      CHECK(near(memory(s).gradients, 4 * p / r.gradients));
      CHECK(near(memory(s).optimizer, 12 * p / r.optimizer));
      CHECK(near(planner::owned_parameters(s, sample::workload(s).classes.front()), p / r.optimizer));
    }
  }
}

TEST_CASE("FSDP shards fp32 weights, gradients and states alike") {
  for (int64_t n : {8, 64})
    for (int64_t zero : {2, 3}) {
      const Scenario s = llama(kNodes + kFsdp + Sets{stage(zero), group(n)});
      const double share = parameters(s) / static_cast<double>(n);
      CHECK(near(memory(s).weights, 4 * share));
      CHECK(near(memory(s).gradients, 4 * share));
      CHECK(near(memory(s).optimizer, 8 * share));
    }
}

TEST_CASE("what a software keeps outside ZeRO is never divided") {
  const Scenario s = llama({stage(1), "software.memory.optimizer_unsharded=4"});
  CHECK(near(memory(s).optimizer, parameters(s) * (12.0 / 8 + 4)));
}

TEST_CASE("a copy that lives in the optimizer step counts where it exceeds the activations") {
  const Sets small{"job.sequence=128", "model.vocab=1024", "software.memory.stand_in=0",
                   "software.memory.workspaces=0 B"};
  const Scenario without = llama(small), with = llama(small + Sets{"software.memory.step_copy=40"});
  const double copy = 40 * parameters(with);
  REQUIRE(copy > memory(with).activations + memory(without).temporary);
  CHECK(near(memory(with).temporary + memory(with).activations, copy));
  const Scenario sharded = llama(small + Sets{"software.memory.step_copy=40", stage(1)});
  CHECK(near(memory(sharded).temporary, std::max(memory(without).temporary, copy / 8 - memory(sharded).activations)));
  const Scenario hidden = llama({"software.memory.step_copy=1"});  // less than the activations of 2048 tokens
  CHECK(memory(hidden).temporary == memory(llama()).temporary);
}

TEST_CASE("volumes of a step: plain 1, ZeRO-1 1 and 1, ZeRO-2 a reduction per microbatch, ZeRO-3 all of it") {
  const double p = parameters(llama()), m = 8;    // 64 sequences on 8 ranks
  const double root = 2.0 * 32000 * 1024 + 1024;  // embedding, head and last norm
  CHECK(near(rows(llama()).at("data.all-reduce").bytes, 4 * p));
  const auto one = rows(llama({stage(1)}));
  CHECK(one.size() == 2);
  CHECK(near(one.at("data.reduce-scatter").bytes, 4 * p));
  CHECK(near(one.at("data.all-gather-parameters").bytes, 2 * p));
  const auto two = rows(llama({stage(2)}));
  CHECK(two.size() == 2);
  CHECK(near(two.at("data.reduce-scatter").bytes, m * 4 * p));
  CHECK(near(two.at("data.all-gather-parameters").bytes, 2 * p));
  const auto three = rows(llama({stage(3)}));
  CHECK(three.size() == 3);
  CHECK(near(three.at("fsdp.all-gather-forward").bytes, m * 2 * p));
  CHECK(near(three.at("fsdp.all-gather-backward").bytes, m * 2 * (p - root)));
  CHECK(near(three.at("fsdp.reduce-scatter").bytes, m * 4 * p));
}

TEST_CASE("beside a pipeline ZeRO-2 keeps whole gradients and reduces them once a step") {
  const Sets stages{"parallelism.pp=2"};
  const auto of = [&](int64_t zero) { return llama(stages + Sets{stage(zero)}); };
  CHECK(rows(of(2)).at("data.reduce-scatter").bytes == rows(of(1)).at("data.reduce-scatter").bytes);
  CHECK(memory(of(2)).gradients == memory(of(1)).gradients);
  CHECK(memory(llama({stage(2)})).gradients < memory(llama({stage(1)})).gradients);
}

TEST_CASE("a tied head has no gradient of its own where it computes with the embedding's matrix") {
  const double p = parameters(gpt());
  CHECK(near(rows(gpt({stage(2)})).at("data.reduce-scatter").bytes, 8 * 2 * p));
  CHECK(near(rows(gpt({stage(3)})).at("fsdp.all-gather-forward").bytes, 8 * 2 * p));
}

TEST_CASE("software that reduces after every microbatch does so with ZeRO-1 too, not without ZeRO") {
  const double p = parameters(llama());
  const Sets each{"software.reduce_each_microbatch=true"};
  CHECK(near(rows(llama(each + Sets{stage(1)})).at("data.reduce-scatter").bytes, 8 * 4 * p));
  CHECK(near(rows(llama(each)).at("data.all-reduce").bytes, 4 * p));
}

TEST_CASE("HSDP: shards in the node, replicas between nodes") {
  for (int64_t zero : {1, 2, 3}) {
    CAPTURE(zero);
    const Scenario s = llama(kNodes + Sets{stage(zero), group(8)});
    const auto found = rows(s);
    const CommunicationRow& replicas = found.at("data.all-reduce-shards");
    CHECK(replicas.kind == "all-reduce");
    CHECK(replicas.ranks == 8);
    CHECK(near(replicas.bytes, 4 * parameters(s) / 8));
    CHECK(replicas.tiers == std::vector<std::string>{"infiniband"});
    for (const auto& [name, r] : found) {
      const auto& said = name;
      if (name != "data.all-reduce-shards") CHECK_MESSAGE(r.tiers == std::vector<std::string>{"nvlink"}, said);
    }
  }
  CHECK_FALSE(rows(llama(kNodes + Sets{stage(1)})).contains("data.all-reduce-shards"));
}

TEST_CASE("gathers by broadcast: an owner sends its tensors, no more owners than tensors") {
  struct Row {
    int64_t gpus;
    int layers;
  };
  for (const Row& r : {Row{8, 8}, Row{64, 8}, Row{64, 1}, Row{512, 8}}) {
    CAPTURE(r.gpus);
    const Scenario s = llama({"cluster.gpus=" + std::to_string(r.gpus), "job.global_batch=512", stage(1),
                              "model.layers=" + std::to_string(r.layers), "software.gather_by_broadcast=true"});
    // A layer: two norms, QKV, projection and the MLP's two; in addition embedding, last norm and head.
    const double tensors = 6.0 * r.layers + 3, owners = std::min(static_cast<double>(r.gpus), tensors);
    const Workload w = sample::workload(s);
    const WorkOp op =
        sample::only(w.classes.front().step_ops, "data.broadcast-parameters", planner::StepPhase::optimizer);
    CHECK(op.count == owners);
    CHECK(sample::collective(op).kind == CollectiveKind::broadcast);
    CHECK(near(sample::collective(op).bytes.value * owners, 2 * parameters(s)));
    CHECK(sample::collective(op).group.ranks == r.gpus);
    CHECK(sample::named(w.classes.front().step_ops, "data.all-gather-parameters").empty());
  }
}

TEST_CASE("software that reduces to everybody moves an all-reduce in place of a reduce-scatter") {
  const Sets everybody{"software.reduce_scatter=false"};
  const auto found = rows(llama(everybody + Sets{stage(1)}));
  CHECK_FALSE(found.contains("data.reduce-scatter"));
  CHECK(found.at("data.all-reduce").kind == "all-reduce");
  CHECK(near(found.at("data.all-reduce").bytes, 4 * parameters(llama())));
  CHECK(found.at("data.all-reduce").seconds > rows(llama({stage(1)})).at("data.reduce-scatter").seconds);
  CHECK(memory(llama(everybody + Sets{stage(1)})).optimizer == memory(llama({stage(1)})).optimizer);
}

TEST_CASE("each rank updates its own share, and clears the gradients it holds") {
  for (int64_t zero : {0, 1, 2, 3}) {
    CAPTURE(zero);
    const Scenario s = llama({stage(zero)});
    const double p = parameters(s), owned = zero == 0 ? p : p / 8, held = zero >= 2 ? p / 8 : p;
    for (const planner::OperatorRow& r : planner::operator_rows(s)) {
      if (r.name == "adam") CHECK(near(r.bytes_read + r.bytes_written, owned * (16 + 14)));
      if (r.name == "optimizer.norm-and-scale") CHECK(near(r.bytes_read + r.bytes_written, owned * 4));
      if (r.name == "optimizer.zero-gradients") CHECK(near(r.bytes_written, held * 4));
    }
  }
}

TEST_CASE("more sharding is never more memory; the update shrinks with it") {
  double peak = 1e300, update = 1e300;
  for (int64_t n : {1, 2, 8, 32, 64}) {
    const planner::Plan p = sample::plan(llama(kNodes + Sets{stage(1), group(n)}));
    CHECK(p.memory->device.peak_bytes < peak);
    CHECK(p.breakdown->optimizer < update);
    peak = p.memory->device.peak_bytes;
    update = p.breakdown->optimizer;
  }
  double by_stage = 1e300;
  for (int64_t zero : {0, 1, 2}) {
    const double now = memory(llama(kNodes + Sets{stage(zero)})).total();
    CHECK(now < by_stage);
    by_stage = now;
  }
}

TEST_CASE("nothing to gather is no broadcast, and counts nothing else") {
  const auto found = rows(llama({stage(1), "software.gather_by_broadcast=true", "software.gather_bytes=0"}));
  CHECK(found.size() == 1);
  CHECK(near(found.at("data.reduce-scatter").bytes, 4 * parameters(llama())));
}

TEST_CASE("FSDP2 copies each gathered unit out of its buffer, in each pass that gathers it") {
  const Scenario s = llama(kNodes + kFsdp + Sets{stage(3), "software.gathered_bytes=4"});
  const Workload w = sample::workload(s);
  for (const planner::StepPhase phase : {planner::StepPhase::forward, planner::StepPhase::backward}) {
    const WorkOp copy = sample::only(w.layer().ops, "fsdp.copy-parameters", phase);
    const auto& v = std::get<operator_models::Vector>(copy.op);
    CHECK(near(v.read.value + v.written.value, 4 * w.layer().parameters()));
  }
  const Sets once = kNodes + kFsdp + Sets{stage(3), "software.gathered_bytes=4", group(1)};
  CHECK(sample::named(sample::workload(llama(once)).layer().ops, "fsdp.copy-parameters").empty());
}

TEST_CASE("flat gradients of FSDP are copied whole on every rank, in each microbatch and unit") {
  const Sets copies{"software.unit_bytes=18"};
  const Scenario s = llama(kNodes + kFsdp + Sets{stage(3)} + copies);
  const Workload w = sample::workload(s);
  for (const planner::Block& block : w.blocks) {
    const WorkOp copy = sample::only(block.ops, "fsdp.copy-gradient", planner::StepPhase::backward);
    const auto& v = std::get<operator_models::Vector>(copy.op);
    CHECK(near(v.read.value + v.written.value, 18 * block.parameters()));
  }
  const auto has = [](const Workload& of) { return !sample::named(of.layer().ops, "fsdp.copy-gradient").empty(); };
  CHECK(!has(sample::workload(llama(kNodes + kFsdp + Sets{stage(3), "software.unit_bytes=0"}))));
  CHECK(!has(sample::workload(llama(kNodes + Sets{stage(1)} + copies))));  // no units
}
