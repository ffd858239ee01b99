// What software keeps otherwise than by default: frozen weights, narrow activations, units, gradients that come late.
#include <doctest/doctest.h>

#include <algorithm>

#include "planner/plan/memory.h"
#include "tests/planner/sample.h"

using planner::StageMemory;
using planner::Workload;
using sample::llama;
using sample::near;
using sample::Sets;
using sample::operator+;

namespace {

StageMemory stage(const Sets& sets) {
  const planner::Scenario s = llama(sets);
  return planner::make_memory(s, sample::workload(s)).stages.front();
}
double lasting(const StageMemory& m) { return m.weights + m.gradients + m.optimizer; }

const Sets kLora{"job.task=lora", "job.lora.rank=8", "parallelism.zero=0"};
const Sets kSharded{"software={use: torchtitan}", "parallelism.zero=3"};

}  // namespace

TEST_CASE("frozen weights of layers have a type of their own; embedding, head and adapters keep that of the others") {
  const Workload w = sample::workload(llama(kLora));
  const double frozen = 8 * (w.layer().parameters() - w.layer().trained().sum());
  const StageMemory wide = stage(kLora), narrow = stage(kLora + Sets{"software.memory.frozen=0.5"});
  CHECK(near(wide.weights, 2 * w.classes.front().held.sum()));
  CHECK(near(wide.weights - narrow.weights, 1.5 * frozen));
  CHECK(narrow.gradients == wide.gradients);
  CHECK(narrow.optimizer == wide.optimizer);
}

TEST_CASE("what is held in less than 16 bits is gathered as it is") {
  const Sets lora = kSharded + Sets{"job.task=lora", "job.lora.rank=8"};
  const Workload w = sample::workload(llama(lora));
  const double frozen = w.layer().parameters() - w.layer().trained().sum();
  const double before = stage(lora).temporary, after = stage(lora + Sets{"software.memory.frozen=0.5"}).temporary;
  CHECK(near(before - after, 2 * 1.5 * frozen, 1e-6));  // two gathered units
  CHECK(stage(lora + Sets{"software.memory.frozen=4"}).temporary == doctest::Approx(before));
}

TEST_CASE("the input of the MLP's activation may be kept in eight bits") {
  const double tokens = 2048, before = stage({}).activations, after = stage({"software.memory.hidden=1"}).activations;
  CHECK(near(before - after, 8 * tokens * 2 * 2816));
  CHECK(stage({"software.memory.hidden=4"}).activations == before);  // never wider than it is computed
}

TEST_CASE("embedding and head that are units of their own are gathered one at a time") {
  const Workload w = sample::workload(llama(kSharded));
  const double unit = w.layer().parameters(), end = w.head().parameters();
  const StageMemory m = stage(kSharded + Sets{"software.memory.root_unit=false"});
  const double gathered = 2 * std::max(2 * unit, end + unit), gradient = 4 * std::max(unit, end);
  CHECK(near(m.temporary, gathered + gradient + w.head().transient()));
}

TEST_CASE("gradients of a step's only microbatch take the place of activations") {
  const Sets late{"software.memory.late_gradients=true"}, one{"parallelism.microbatch=8"};
  const StageMemory before = stage(one), after = stage(one + late);
  REQUIRE(before.activations > before.gradients);
  CHECK(near(before.activations - after.activations, before.gradients));
  CHECK(lasting(after) == lasting(before));
  // Of several microbatches the sum is there all the while.
  CHECK(stage(late).activations == stage({}).activations);
  const Sets few = one + late + Sets{"parallelism.recompute=full", "job.sequence=64"};
  CHECK(stage(few).activations == 0);  // and zero is the least possible
}

TEST_CASE("sharded gradients follow an offloaded optimizer, whole ones stay") {
  const Sets offload{"parallelism.offload.optimizer=1"};
  CHECK(stage(kSharded).gradients > 0);
  CHECK(stage(kSharded + offload).gradients == 0);
  CHECK(stage(offload + Sets{"parallelism.zero=1"}).gradients == stage({"parallelism.zero=1"}).gradients);
}

TEST_CASE("FSDP that reduces once a step holds whole gradients while microbatches add up") {
  const Sets once = kSharded + Sets{"software.reduce_each_microbatch=false", "software.reduce_bytes=2"};
  const Sets one = once + Sets{"job.global_batch=8", "parallelism.microbatch=1"};
  const double ranks = 8, bytes = 4;  // of a sharded gradient
  const double parameters = stage(one).gradients * ranks / bytes;
  CHECK(near(stage(once).gradients - stage(one).gradients, 2 * parameters));
  CHECK(stage(kSharded).gradients == stage(one).gradients);
}

TEST_CASE("layers beyond those that are recomputed keep all they made") {
  const Sets full{"parallelism.recompute=full"};
  const StageMemory none = stage({}), all = stage(full), some = stage(full + Sets{"parallelism.recompute_layers=2"});
  CHECK(near(stage(full + Sets{"parallelism.recompute_layers=8"}).activations, all.activations));
  // Two of eight layers: a quarter of what recompute saves.
  CHECK(near(none.activations - some.activations, (none.activations - all.activations) / 4));
  CHECK(some.temporary == all.temporary);
}

TEST_CASE("tensor ranks may share what lies between their regions without sequence parallelism") {
  const Sets tensor{"parallelism.tp=4"}, splits{"software.memory.splits_hidden=true"};
  const Sets sequence{"parallelism.sequence_parallel=true"};
  CHECK(stage(tensor + splits).activations < stage(tensor).activations);
  CHECK(near(stage(tensor + splits).activations, stage(tensor + sequence).activations));
  CHECK(stage(tensor + sequence + splits).activations == stage(tensor + sequence).activations);
}
