// Host memory as a second level: what leaves the device, what travels, and how long the host takes.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "planner/plan/ops.h"
#include "planner/workload/overlap.h"
#include "tests/planner/sample.h"
#include "tests/planner/workload/lower/mixtures.h"

using operator_models::HostCopy;
using operator_models::HostDirection;
using planner::CommunicationRow;
using planner::Scenario;
using planner::StageMemory;
using planner::StepPhase;
using sample::gpt;
using sample::llama;
using sample::near;
using sample::Sets;
using sample::operator+;

namespace {

const Sets kHost{"cluster.host={bandwidth: 20 GB/s, memory: 1 TB, memory_bandwidth: 400 GB/s}"};

std::string share(const char* of, double x) {
  return "parallelism.offload." + std::string(of) + "=" + std::to_string(x);
}
Scenario with(const Sets& sets) { return llama(kHost + sets); }

StageMemory memory(const Scenario& s) { return planner::make_memory(s, sample::workload(s)).stages.front(); }
double parameters(const Scenario& s) { return sample::workload(s).classes.front().held.sum(); }

std::map<std::string, CommunicationRow> rows(const Scenario& s) {
  std::map<std::string, CommunicationRow> found;
  for (const CommunicationRow& r : sample::plan(s).communication) found[r.name] = r;
  return found;
}

/// Bytes of a whole step in one direction, by name.
std::map<std::string, double> moved(const Scenario& s, HostDirection direction) {
  const planner::Workload w = sample::workload(s);
  std::map<std::string, double> bytes;
  auto add = [&](const std::vector<planner::WorkOp>& ops, double count) {
    for (const planner::WorkOp& op : ops)
      if (const auto* copy = std::get_if<HostCopy>(&op.op); copy && copy->direction == direction)
        bytes[op.name] += count * op.count * copy->bytes.value;
  };
  const planner::Chunk held = w.classes.front().total();
  for (size_t i = 0; i < held.size(); ++i) add(w.blocks[i].ops, static_cast<double>(held[i] * w.microbatches));
  add(w.classes.front().step_ops, 1);
  return bytes;
}

}  // namespace

TEST_CASE("offloaded states leave the device by exactly their share, and nothing else does") {
  for (int64_t zero : {0, 1, 2}) {
    const Sets sharding{"parallelism.zero=" + std::to_string(zero)};
    const StageMemory all = memory(with(sharding));
    for (double x : {0.25, 0.5, 1.0}) {
      const StageMemory m = memory(with(sharding + Sets{share("optimizer", x)}));
      CHECK(near(m.optimizer, (1 - x) * all.optimizer));
      CHECK(m.weights == all.weights);
      CHECK(m.gradients == all.gradients);
      CHECK(m.activations == all.activations);
      CHECK(m.temporary == all.temporary);
      // 12 bytes of states and 4 of the gradient that the host adds in
      CHECK(near(m.host, x * all.optimizer / 12 * 16));
    }
    CHECK(all.host == 0);
  }
}

TEST_CASE("offloaded weights and activations leave all but the layers in use") {
  const StageMemory all = memory(with({}));
  const double layer = sample::workload(with({})).layer().parameters(), root = parameters(with({})) - 8 * layer;
  for (double x : {0.5, 1.0}) {
    const StageMemory w = memory(with({share("weights", x)}));
    CHECK(near(w.weights, (1 - x) * all.weights));
    CHECK(near(w.temporary - all.temporary, x * 2 * (root + 2 * layer)));
    CHECK(near(w.host, x * all.weights));
    const StageMemory a = memory(with({share("activations", x)}));
    CHECK(near(a.activations, (1 - x) * all.activations));
    CHECK(near(a.temporary - all.temporary, x * 2 * sample::workload(with({})).layer().saved_bytes()));
    CHECK(near(a.host, x * all.activations));
  }
}

TEST_CASE("gradients go down once a step, updated parameters come back") {
  const double p = parameters(with({}));
  for (int64_t zero : {0, 1, 2}) {
    const double owned = zero == 0 ? p : p / 8;
    const Scenario s = with({"parallelism.zero=" + std::to_string(zero), share("optimizer", 0.5)});
    const auto down = moved(s, HostDirection::to_host), up = moved(s, HostDirection::to_device);
    CHECK(down.size() == 1);
    CHECK(near(down.at("offload.gradients"), 0.5 * 4 * owned));
    CHECK(up.size() == 1);
    CHECK(near(up.at("offload.parameters"), 0.5 * 2 * owned));
  }
}

TEST_CASE("what forward stores, backward fetches; weights are fetched for both") {
  const Scenario a = with({share("activations", 0.5)});
  const double stored = moved(a, HostDirection::to_host).at("offload.activations");
  CHECK(near(stored, moved(a, HostDirection::to_device).at("offload.activations")));
  CHECK(near(stored, 8 * 0.5 * memory(with({})).activations));  // 8 microbatches, one in flight
  const Scenario w = with({share("weights", 0.5)});
  const double p = parameters(w), layers = 8 * sample::workload(w).layer().parameters();
  CHECK(near(moved(w, HostDirection::to_device).at("offload.weights"), 8 * 0.5 * 2 * (p + layers)));
  // The device updates them: what it keeps of the masters goes back once.
  CHECK(near(moved(w, HostDirection::to_host).at("offload.updated"), 0.5 * 2 * p));
}

TEST_CASE("weights that live where they are updated do not travel for it") {
  const Scenario s = with({share("weights", 1), share("optimizer", 1)});
  CHECK(moved(s, HostDirection::to_host).size() == 1);  // gradients
  CHECK(moved(s, HostDirection::to_device).size() == 1);
  const Scenario more = with({share("weights", 0.25), share("optimizer", 1)});
  CHECK(near(moved(more, HostDirection::to_device).at("offload.parameters"), 0.75 * 2 * parameters(more)));
  CHECK_FALSE(moved(more, HostDirection::to_host).contains("offload.updated"));
  // ZeRO-1 gathers the updated shards on the devices: all of them leave again.
  const Scenario gathered = with({"parallelism.zero=1", share("weights", 1), share("optimizer", 1)});
  CHECK(near(moved(gathered, HostDirection::to_device).at("offload.parameters"), 2 * parameters(gathered) / 8));
  CHECK(near(moved(gathered, HostDirection::to_host).at("offload.updated"), 2 * parameters(gathered)));
}

TEST_CASE("FSDP's shards are the masters: the host keeps its own and fetches nothing twice") {
  const Sets fsdp{"software={use: torchtitan}", "parallelism.zero=3"};
  const double shard = parameters(with(fsdp)) / 8;
  const StageMemory m = memory(with(fsdp + Sets{share("optimizer", 1)}));
  CHECK(m.optimizer == 0);
  CHECK(near(m.weights, 4 * shard));
  const double reduced = with(fsdp).software.reduce_bytes;
  CHECK(near(m.host, (8 + 4 + reduced) * shard));
  CHECK(near(memory(with(fsdp + Sets{share("optimizer", 1), share("weights", 1)})).host, (8 + 4 + reduced) * shard));
  const Scenario s = with(fsdp + Sets{share("weights", 1)});
  const double layers = sample::workload(s).layer().parameters();
  CHECK(near(moved(s, HostDirection::to_device).at("offload.weights"), 8.0 * 4 / 8 * (parameters(s) + 8 * layers)));
}

TEST_CASE("times by hand: the link's bytes, the host's memory traffic, and what the update hides") {
  Scenario s = with({share("optimizer", 1)});
  const operator_models::HostCalibration& host = s.calibration.host;
  const double p = parameters(s), link = host.copy_efficiency * 20e9, base = host.copy_base.value;
  const auto found = rows(s);
  CHECK(near(found.at("offload.gradients").seconds, base + 4 * p / link));
  const double up = base + 2 * p / link, update = p * (16 + 14) / (host.update_efficiency * 400e9 / 8);
  CHECK(near(found.at("offload.parameters").seconds, up));
  REQUIRE(update > up);
  CHECK(near(found.at("offload.parameters").exposed_seconds, up / 8));  // the last of eight layers
  double optimizer = 0;
  for (const planner::OperatorRow& r : planner::operator_rows(s)) {
    if (r.name == "offload.adam") CHECK(near(r.seconds, update));
    CHECK(r.name != "adam");  // the device has nothing left to update
    if (r.phase == "optimizer" && r.op_class != "communication") optimizer += r.seconds;
  }
  CHECK(near(sample::plan(s).breakdown->optimizer, optimizer));
  CHECK(optimizer > update);
  CHECK(found.at("offload.parameters").kind == "host-copy");
  CHECK(found.at("offload.parameters").tiers == std::vector<std::string>{"host"});
  CHECK(found.at("offload.parameters").ranks == 1);
}

TEST_CASE("device and host share an update by the share, LAMB's kernels too") {
  for (const char* optimizer : {"adam", "lamb", "sgd"}) {
    const Sets job{"job.optimizer=" + std::string(optimizer)};
    double device = 0, host = 0, whole = 0;
    for (const planner::OperatorRow& r : planner::operator_rows(with(job)))
      if (r.kind == "update") whole += r.bytes_read + r.bytes_written;
    for (const planner::OperatorRow& r : planner::operator_rows(with(job + Sets{share("optimizer", 0.25)}))) {
      if (r.kind == "update") device += r.bytes_read + r.bytes_written;
      if (r.kind == "host-update") host += r.bytes_read + r.bytes_written;
    }
    CHECK(near(host, 0.25 * whole));
    CHECK(near(device, 0.75 * whole));
  }
}

TEST_CASE("slower links and slower host memory never shorten a step, and offloading never does") {
  const Sets all{share("optimizer", 1), share("weights", 1), share("activations", 1)};
  const double none = sample::plan(with({})).step->seconds;
  double last = none;
  for (const char* rate : {"400 GB/s", "50 GB/s", "20 GB/s", "5 GB/s", "1 GB/s"}) {
    const double now = sample::plan(with(all + Sets{"cluster.host.bandwidth=" + std::string(rate)})).step->seconds;
    CHECK(now > last);
    last = now;
  }
  last = none;
  for (const char* rate : {"1000 GB/s", "400 GB/s", "100 GB/s"}) {
    const double now =
        sample::plan(with(all + Sets{"cluster.host.memory_bandwidth=" + std::string(rate)})).step->seconds;
    CHECK(now > last);
    last = now;
  }
  last = none;
  for (double x : {0.1, 0.5, 1.0}) {
    const double now = sample::plan(with({share("optimizer", x)})).step->seconds;
    CHECK(now > last);
    last = now;
  }
}

TEST_CASE("the two directions of the link work at the same time, and beside the network") {
  const Sets slow{"cluster.host.bandwidth=2 GB/s", "software.launch=0 s"};
  auto forward = [&](const Sets& sets) {
    Scenario s = with(slow + sets);
    s.calibration.contention.clear();
    const planner::CostedWorkload c = planner::cost_workload(s, sample::workload(s));
    return c.blocks[1].forward.exposed;
  };
  const double weights = forward({share("weights", 1)}), activations = forward({share("activations", 1)});
  REQUIRE(weights > 0);
  REQUIRE(activations > 0);
  CHECK(near(forward({share("weights", 1), share("activations", 1)}), std::max(weights, activations)));
  const Sets fsdp{"software={use: torchtitan}", "parallelism.zero=3", "cluster.network[0].bandwidth=1 GB/s"};
  const double gathers = forward(fsdp), fetches = forward(fsdp + Sets{share("weights", 1)});
  REQUIRE(gathers > 0);
  CHECK(fetches == gathers);  // an eighth of the bytes at twice the speed
}

TEST_CASE("every row's hidden and exposed seconds are its seconds, and the rows are the breakdown's communication") {
  const Sets all{share("optimizer", 0.5), share("weights", 0.5), share("activations", 0.5)};
  for (const Sets& layout : {Sets{}, Sets{"parallelism.tp=2", "parallelism.pp=2", "parallelism.zero=1"},
                             Sets{"parallelism.zero=3", "software={use: torchtitan}"}}) {
    const planner::Plan p = sample::plan(with(all + layout));
    double exposed = 0;
    for (const CommunicationRow& r : p.communication) {
      CHECK(near(r.hidden_seconds + r.exposed_seconds, r.seconds));
      exposed += r.exposed_seconds;
    }
    CHECK(near(exposed, p.breakdown->serialized_comm + p.breakdown->exposed_comm));
  }
}

TEST_CASE("without a backward pass there are weights to offload and nothing else") {
  const Sets forward{"job.phase=forward"};
  const Scenario none = with(forward);
  const Scenario states = with(forward + Sets{share("optimizer", 1), share("activations", 1)});
  CHECK(memory(states).host == 0);
  CHECK(sample::plan(states).step->seconds == sample::plan(none).step->seconds);
  const Scenario weights = with(forward + Sets{share("weights", 1)});
  CHECK(memory(weights).weights == 0);
  CHECK(near(moved(weights, HostDirection::to_device).at("offload.weights"), 8 * memory(none).weights));
  CHECK(moved(weights, HostDirection::to_host).empty());
  const Scenario sharded = with(forward + Sets{share("weights", 1), "parallelism.zero=3"});
  CHECK(near(moved(sharded, HostDirection::to_device).at("offload.weights"), memory(none).weights));  // an eighth
}

TEST_CASE("a node's host holds what all its ranks offload") {
  const Sets both{share("optimizer", 1), "cluster.gpus=16", "parallelism.pp=2"};
  for (const char* order : {"tp-cp-ep-dp-pp", "pp-tp-cp-ep-dp"}) {
    const Scenario s = with(both + Sets{"parallelism.order=" + std::string(order)});
    const planner::Memory m = planner::make_memory(s, sample::workload(s));
    const double first = m.stages[0].host, last = m.stages[1].host;
    REQUIRE(first != last);
    const bool mixed = std::string(order).starts_with("pp");
    CHECK(near(m.host.peak_bytes, mixed ? 4 * (first + last) : 8 * std::max(first, last)));
  }
  const Scenario half = with({share("optimizer", 1), "cluster.gpus=4"});
  CHECK(near(planner::make_memory(half, sample::workload(half)).host.peak_bytes, 4 * memory(half).host));
}

TEST_CASE("GPT-3 13B needs its host's memory on one node of 40 GB devices") {
  const std::string file = R"(
model: {use: gpt3-13b}
job: {sequence: 2048, global_batch: 512, precision: bf16}
cluster: {use: dgx-a100-40gb, gpus: 8}
software: {use: megatron-core}
parallelism: {zero: 2, microbatch: 2, recompute: full}
)";
  const planner::Plan without = sample::plan(sample::scenario(file));
  REQUIRE(without.violations.size() == 1);
  CHECK(without.violations.front().rule == "memory");
  const planner::Plan with_host = sample::plan(sample::scenario(file, {"parallelism.offload.optimizer=1"}));
  CHECK(with_host.feasible);
  CHECK(with_host.step->seconds > without.step->seconds);
}

// What the modules of a LLaMA layer of sample.h keep: tokens, width, of keys and values a quarter each.
TEST_CASE("a module's tensors leave the device, and nothing else does") {
  constexpr double kTokens = 2048, kHidden = 1024, kHeads = 16;
  struct {
    const char* modules;
    double bytes;
  } rows[] = {{"attention-norm", 2 * kTokens * kHidden},
              {"qkv", 2 * kTokens * kHidden},
              {"mlp-norm", 2 * kTokens * kHidden},
              {"attention-output", 2 * kTokens * kHidden},
              {"core-attention", kTokens * (3 * kHidden + 4 * kHeads)},
              {"[core-attention, attention-output]", kTokens * (5 * kHidden + 4 * kHeads)},
              {"[qkv, qkv]", 2 * kTokens * kHidden}};
  const StageMemory all = memory(with({}));
  for (const auto& row : rows) {
    CAPTURE(row.modules);
    for (double x : {0.5, 1.0}) {
      const Scenario s = with({share("activations", x), "parallelism.offload.modules=" + std::string(row.modules)});
      const StageMemory m = memory(s);
      const double moved_bytes = 8 * x * row.bytes;  // 8 layers
      CHECK(near(all.activations - m.activations, moved_bytes, 1e-6));
      CHECK(near(m.host, moved_bytes, 1e-6));
      CHECK(near(m.temporary - all.temporary, x * 2 * row.bytes, 1e-6));
      CHECK(near(moved(s, HostDirection::to_host).at("offload.activations"), 8 * moved_bytes, 1e-6));
      CHECK(near(moved(s, HostDirection::to_device).at("offload.activations"), 8 * moved_bytes, 1e-6));
    }
  }
}

TEST_CASE("expert modules offload tensors of routed experts alone, and nothing of dense layers") {
  const auto down = [](const char* modules) {
    const Scenario s = mixtures::mixture(kHost + Sets{"parallelism.ep=4", share("activations", 1),
                                                      "parallelism.offload.modules=" + std::string(modules)});
    std::vector<double> bytes;
    for (const planner::Block& block : sample::workload(s).blocks) bytes.push_back(block.host_bytes);
    return bytes;
  };
  const double copies = 2048 * mixtures::kTopK, input = 2 * copies * 1024, hidden = 2 * copies * 512;
  CHECK(down("expert-input") == std::vector<double>{0, 0, input, 0});
  CHECK(down("expert-activation") == std::vector<double>{0, 0, 2 * hidden, 0});
  CHECK(down("expert-mlp") == std::vector<double>{0, 0, input + 3 * hidden, 0});
  CHECK(down("[expert-input, expert-activation]") == std::vector<double>{0, 0, input + 2 * hidden, 0});
}

TEST_CASE("what is repeated is not offloaded, and each module more never leaves more on the device") {
  const Sets repeats{"parallelism.recompute=selective", "software.selective=norm"};
  const Sets qkv{share("activations", 1), "parallelism.offload.modules=qkv"};
  CHECK(memory(with(qkv + repeats)).host == 0);
  CHECK(memory(with(qkv + repeats)).activations == memory(with(repeats)).activations);
  double least = memory(with({})).activations, host = 0;
  std::string list;
  for (const char* module : {"mlp-norm", "core-attention", "attention-norm", "attention-output", "qkv"}) {
    list += (list.empty() ? "" : ", ") + std::string(module);
    const Scenario s = with({share("activations", 1), "parallelism.offload.modules=[" + list + "]"});
    CHECK(memory(s).activations < least);
    CHECK(memory(s).host > host);
    CHECK(sample::plan(s).step->seconds >= sample::plan(with({})).step->seconds);
    least = memory(s).activations, host = memory(s).host;
  }
  CHECK(least > memory(with({share("activations", 1)})).activations);  // the MLP's are of no module
}
