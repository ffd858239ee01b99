// Data parallelism: volumes of plain, ZeRO-1/2/3, FSDP and HSDP, and what a rank owns.
#include <doctest/doctest.h>

#include <algorithm>
#include <string>

#include "tests/planner/sample.h"

using operator_models::CollectiveKind;
using planner::StageClass;
using planner::StepPhase;
using planner::Workload;
using planner::WorkOp;
using sample::collective;
using sample::gpt;
using sample::llama;
using sample::only;
using sample::Sets;
using sample::workload;

namespace {

const Sets kFsdp{"software={use: torchtitan}", "parallelism.zero=3"};

double parameters(const planner::Scenario& s) { return workload(s).classes.front().held.sum(); }

std::vector<WorkOp> communication(const std::vector<WorkOp>& ops) {
  std::vector<WorkOp> found;
  for (const WorkOp& op : ops)
    if (std::holds_alternative<operator_models::Collective>(op.op)) found.push_back(op);
  return found;
}

/// Bytes that the data-parallel collectives of a block move per microbatch.
double moved(const planner::Block& block, CollectiveKind kind) {
  double bytes = 0;
  for (const WorkOp& op : communication(block.ops))
    if (op.sublayer == planner::Sublayer::data_parallel && collective(op).kind == kind)
      bytes += op.count * collective(op).bytes.value;
  return bytes;
}

}  // namespace

TEST_CASE("plain data parallelism: one all-reduce of all gradients per step") {
  const planner::Scenario s = gpt();
  const StageClass stage = workload(s).classes.front();
  const std::vector<WorkOp> ops = communication(stage.step_ops);
  REQUIRE(ops.size() == 1);
  CHECK(collective(ops[0]).kind == CollectiveKind::all_reduce);
  CHECK(collective(ops[0]).bytes.value == 2 * stage.held.sum());  // fp16 gradients
  CHECK(collective(ops[0]).group.ranks == 8);
  CHECK(stage.held.sum() == planner::parameters(s.model));
}

TEST_CASE("gradients travel as wide as the software reduces them") {
  const StageClass stage = workload(llama()).classes.front();
  CHECK(collective(only(stage.step_ops, "data.all-reduce", StepPhase::backward)).bytes.value == 4 * stage.held.sum());
}

TEST_CASE("ZeRO-1: gradients reduce-scattered at 4 bytes, parameters gathered at 2, each rank updates its share") {
  const planner::Scenario s = llama({"parallelism.zero=1"});
  const StageClass stage = workload(s).classes.front();
  REQUIRE(communication(stage.step_ops).size() == 2);
  CHECK(collective(only(stage.step_ops, "data.reduce-scatter", StepPhase::backward)).bytes.value ==
        4 * stage.held.sum());
  CHECK(collective(only(stage.step_ops, "data.all-gather-parameters", StepPhase::optimizer)).bytes.value ==
        2 * stage.held.sum());
  CHECK(planner::owned_parameters(s, stage) == stage.held.sum() / 8);
  CHECK(std::get<operator_models::Update>(only(stage.step_ops, "adam", StepPhase::optimizer).op).parameters ==
        stage.held.sum() / 8);
}

TEST_CASE("a smaller shard group reduces its shards across the replicas") {
  const planner::Scenario s = llama({"parallelism.zero=1", "parallelism.zero_group=2"});
  const StageClass stage = workload(s).classes.front();
  CHECK(collective(only(stage.step_ops, "data.reduce-scatter", StepPhase::backward)).group.ranks == 2);
  const auto replicas = collective(only(stage.step_ops, "data.all-reduce-shards", StepPhase::backward));
  CHECK(replicas.group.ranks == 4);
  CHECK(replicas.bytes.value == 4 * stage.held.sum() / 2);
  CHECK(planner::owned_parameters(s, stage) == stage.held.sum() / 2);
}

TEST_CASE("FSDP: each unit is gathered forward and backward and its gradient scattered, in every microbatch") {
  const planner::Scenario s = llama(kFsdp);
  const Workload w = workload(s);
  const double unit = w.layer().parameters();
  CHECK(moved(w.layer(), CollectiveKind::all_gather) == 2 * 2 * unit);
  CHECK(moved(w.layer(), CollectiveKind::reduce_scatter) == 4 * unit);
  CHECK(collective(only(w.layer().ops, "fsdp.all-gather-forward")).group.ranks == 8);
  CHECK(communication(w.classes.front().step_ops).empty());
  // Embedding and head are the root unit, gathered once.
  CHECK(moved(w.embedding(), CollectiveKind::all_gather) + moved(w.head(), CollectiveKind::all_gather) ==
        2 * (w.embedding().parameters() + w.head().parameters()));
}

TEST_CASE("FSDP that shards gradients and states only gathers parameters once") {
  const Workload w = workload(llama({"software={use: torchtitan}", "parallelism.zero=2"}));
  CHECK(moved(w.layer(), CollectiveKind::all_gather) == 2 * w.layer().parameters());
  CHECK(moved(w.layer(), CollectiveKind::reduce_scatter) == 4 * w.layer().parameters());
}

TEST_CASE("beside a pipeline, PyTorch gathers units in the first microbatch and reduces them after the last") {
  const Sets pipeline = sample::operator+(kFsdp, {"parallelism.pp=2"});
  const Workload once = workload(llama(pipeline));
  CHECK(communication(once.layer().ops).empty());
  const StageClass& stage = once.classes.front();
  const WorkOp gather = only(stage.step_ops, "data.all-gather-parameters", StepPhase::optimizer);
  CHECK(collective(gather).bytes.value == 2 * stage.held.sum());
  CHECK(gather.hide == planner::Hide::first_forward);
  const WorkOp reduce = only(stage.step_ops, "data.reduce-scatter", StepPhase::backward);
  CHECK(collective(reduce).bytes.value == 4 * stage.held.sum());
  CHECK(reduce.hide == planner::Hide::nothing);
  // The reduction of one chunk hides under the passes of another.
  const Workload chunks = workload(llama(sample::operator+(pipeline, {"parallelism.interleave=2"})));
  CHECK(only(chunks.classes.front().step_ops, "data.reduce-scatter", StepPhase::backward).hide ==
        planner::Hide::last_backward);
  // Each microbatch's gradients are added to the sum of those before.
  CHECK_FALSE(sample::named(once.layer().ops, "mlp.fc1.add-gradient").empty());
  CHECK(sample::named(workload(llama(kFsdp)).layer().ops, "mlp.fc1.add-gradient").empty());
  const Workload always = workload(llama(sample::operator+(pipeline, {"software.reshards_in_pipeline=true"})));
  CHECK(moved(always.layer(), CollectiveKind::all_gather) == 2 * 2 * always.layer().parameters());
  CHECK(communication(always.classes.front().step_ops).empty());
}

TEST_CASE("full recompute gathers an FSDP unit no third time") {
  const Workload w = workload(llama(sample::operator+(kFsdp, {"parallelism.recompute=full"})));
  CHECK(moved(w.layer(), CollectiveKind::all_gather) == 2 * 2 * w.layer().parameters());
}

TEST_CASE("HSDP: shards within a node, an all-reduce of the shards between nodes") {
  const planner::Scenario s = llama(sample::operator+(kFsdp, {"cluster.gpus=32", "parallelism.zero_group=8"}));
  const Workload w = workload(s);
  CHECK(collective(only(w.layer().ops, "fsdp.reduce-scatter", StepPhase::backward)).group.ranks == 8);
  double replicas = 0;
  for (const StageClass& stage : w.classes)
    for (const WorkOp& op : communication(stage.step_ops)) {
      CHECK(collective(op).group.ranks == 4);
      replicas += collective(op).bytes.value;
    }
  for (const WorkOp& op : communication(w.layer().ops))
    if (collective(op).kind == CollectiveKind::all_reduce) replicas += 8 * collective(op).bytes.value;
  CHECK(replicas > 0);
}

TEST_CASE("all volumes grow with the model and shrink with its sharding, never with the batch") {
  auto reduced = [](const Sets& sets) {
    const Workload w = workload(llama(sample::operator+({"cluster.gpus=64"}, sets)));
    return collective(only(w.classes.front().step_ops, "data.all-reduce", StepPhase::backward)).bytes.value;
  };
  CHECK(reduced({"parallelism.tp=4"}) < reduced({"parallelism.tp=2"}));
  CHECK(reduced({"parallelism.tp=2"}) < reduced({}));
  CHECK(reduced({"model.layers=16"}) > reduced({}));
  CHECK(reduced({"job.global_batch=256"}) == reduced({}));
}

TEST_CASE("one data rank communicates nothing and owns everything") {
  for (const char* zero : {"parallelism.zero=0", "parallelism.zero=1", "parallelism.zero=3"}) {
    const planner::Scenario s = llama({"parallelism.tp=8", zero});
    const Workload w = workload(s);
    CHECK(communication(w.classes.front().step_ops).empty());
    CHECK(moved(w.layer(), CollectiveKind::all_gather) == 0);
    CHECK(planner::owned_parameters(s, w.classes.front()) == w.classes.front().held.sum());
  }
}

TEST_CASE("ends of a pipeline hold the tied embedding twice and sum its gradient") {
  const planner::Scenario s = gpt({"parallelism.pp=4"});
  const Workload w = workload(s);
  const double table = 51200 * 1024.0;
  for (int64_t stage = 0; stage < 4; ++stage) {
    CAPTURE(stage);
    const StageClass& c = w.classes[static_cast<size_t>(w.class_of_stage[static_cast<size_t>(stage)])];
    const auto sums = sample::named(c.step_ops, "embedding.all-reduce");
    CHECK(sums.size() == (stage == 0 || stage == 3 ? 1 : 0));
    for (const WorkOp& op : sums) {
      CHECK(collective(op).bytes.value == 2 * table);
      CHECK(collective(op).group.ranks == 2);
    }
  }
  auto held = [&](int64_t stage) {
    return w.classes[static_cast<size_t>(w.class_of_stage[static_cast<size_t>(stage)])].held.sum();
  };
  CHECK(held(0) - held(1) == table + 1024 * 1024);  // and position embeddings
  CHECK(held(3) - held(1) == table + 2 * 1024);     // and the final norm
  double all = 0;
  for (int64_t stage = 0; stage < 4; ++stage) all += held(stage);
  CHECK(all == planner::parameters(s.model) + table);
}

TEST_CASE("an untied model, or one stage, sums no embedding") {
  for (const planner::Scenario& s : {gpt({"parallelism.pp=4", "model.tied_embeddings=false"}), gpt()})
    for (const StageClass& c : workload(s).classes) CHECK(sample::named(c.step_ops, "embedding.all-reduce").empty());
  CHECK(parameters(gpt()) == planner::parameters(gpt().model));
}

TEST_CASE("the update moves what its optimizer needs") {
  auto bytes = [](const Sets& sets, const char* name) {
    const auto u = std::get<operator_models::Update>(
        only(workload(llama(sets)).classes.front().step_ops, name, StepPhase::optimizer).op);
    return u.read_bytes + u.written_bytes;
  };
  CHECK(bytes({}, "adam") == 30);  // gradient, master, two moments; written back with a bf16 copy
  CHECK(bytes({"job.precision=fp32"}, "adam") == 28);
  CHECK(bytes({"job.optimizer=sgd"}, "sgd") == 22);
  double lamb_reads = 0;
  const Sets lamb{"job.optimizer=lamb"};
  const auto stage1 = std::get<operator_models::Update>(
      only(workload(llama(lamb)).classes.front().step_ops, "lamb.stage1", StepPhase::optimizer).op);
  lamb_reads = stage1.read_bytes;
  CHECK(lamb_reads == 4 * 4);  // four times the model, in fp32 (Pati 2024, takeaway 4.7)
  CHECK(bytes(lamb, "lamb.global-norm") == 4);
}

TEST_CASE("LAMB's global norm comes before any of its updates") {
  const auto ops = workload(llama({"job.optimizer=lamb"})).classes.front().step_ops;
  auto place = [&](const char* name) {
    return std::ranges::find_if(ops, [&](const WorkOp& op) { return op.name.str() == name; }) - ops.begin();
  };
  CHECK(place("data.all-reduce") < place("lamb.global-norm"));
  CHECK(place("lamb.global-norm") < place("lamb.stage1"));
  CHECK(place("lamb.stage1") < place("lamb.layer-norms"));
  CHECK(place("lamb.layer-norms") < place("lamb.stage2"));
  CHECK(place("lamb.stage2") < static_cast<int64_t>(ops.size()));
}

TEST_CASE("doubling data parallelism halves the microbatches and leaves a rank's parameters") {
  const Workload four = workload(gpt({"cluster.gpus=4"})), eight = workload(gpt());
  CHECK(four.microbatches == 16);
  CHECK(eight.microbatches == 8);
  CHECK(four.classes.front().held.sum() == eight.classes.front().held.sum());
}
