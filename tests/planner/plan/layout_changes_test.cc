// Changes of one setting: which there are, and that each is what `--set` makes of it.
#include "planner/plan/layout_changes.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <utility>

#include "tests/planner/plan/changes_sample.h"

using planner::LayoutChange;
using planner::LoadedScenario;
using sample::kRun;
using sample::Sets;
using sample::texts;
using sample::operator+;

namespace {

/// All changes as `--set` takes them, several sets joined by blanks, without "parallelism.".
std::set<std::string> changes(const char* text, const Sets& sets) {
  std::set<std::string> out;
  for (const LayoutChange& change : planner::layout_changes(sample::load(text, sets))) {
    std::string all;
    for (std::string one : texts(change.sets)) {
      if (one.starts_with("parallelism.")) one = one.substr(12);
      all += (all.empty() ? "" : " ") + one;
    }
    CHECK(out.insert(all).second);
  }
  return out;
}

const char* const kExperts = R"(
model: {layers: 4, hidden: 1024, ffn: 2816, heads: 16, vocab: 32000, experts: {count: 8, top_k: 2, ffn: 1024}}
job: {sequence: 2048, global_batch: 16}
cluster: {use: dgx-a100-80gb, gpus: 8}
)";

}  // namespace

TEST_CASE("every change is what --set makes of it") {
  const Sets base = kRun + Sets{"parallelism.tp=2", "parallelism.pp=2", "parallelism.interleave=4",
                                "parallelism.microbatch=4", "cluster.gpus=16"};
  const LoadedScenario loaded = sample::load(sample::kLlama, base);
  const std::vector<LayoutChange> changes = planner::layout_changes(loaded);
  CHECK(changes.size() > 15);
  std::optional<size_t> setting;
  for (const LayoutChange& change : changes) {
    CHECK(!change.sets.empty());
    if (std::exchange(setting, change.setting) == change.setting) continue;
    const LoadedScenario read = sample::load(sample::kLlama, base + texts(change.sets));
    CAPTURE(change.sets.front().first);
    CHECK(sample::members(change.loaded.scenario) == sample::members(read.scenario));
    CHECK(change.loaded.record.find("parallelism.tp")->value == read.record.find("parallelism.tp")->value);
    CHECK(!planner::broken_layout_rule(read.scenario));
  }
}

TEST_CASE("which changes there are") {
  const struct {
    const char* what;
    const char* text;
    Sets sets;
    std::set<std::string> offered, not_offered;
  } rows[] = {
      {"of a plain layout all of memory's",
       sample::kLlama,
       {},
       {"zero=1", "zero=2", "zero=3", "recompute=selective", "recompute=full", "tp=2", "tp=4", "tp=8", "pp=2", "pp=4",
        "cp=2", "cp=4", "cluster.gpus=16", "cluster.gpus=64", "cluster.gpus=4", "cluster.gpus=1"},
       {"sequence_parallel=true", "microbatch=0", "tp=16", "cluster.gpus=8", "cluster.gpus=24"}},
      {"tensor ranks share norms too, and stay inside a node",
       sample::kLlama,
       {"parallelism.tp=4"},
       {"sequence_parallel=true", "tp=8"},
       {"tp=16", "tp=4"}},
      {"what is there already is not offered",
       sample::kLlama,
       {"parallelism.zero=2", "parallelism.recompute=full", "parallelism.tp=2", "parallelism.sequence_parallel=true"},
       {"zero=3"},
       {"zero=1", "zero=2", "recompute=selective", "recompute=full", "sequence_parallel=true"}},
      {"microbatches are halved as far as they go",
       sample::kLlama,
       {"parallelism.microbatch=2"},
       {"microbatch=1"},
       {"microbatch=2", "microbatch=0"}},
      {"twice the stages hold half the chunks",
       sample::kLlama,
       {"parallelism.pp=2", "parallelism.interleave=4"},
       {"pp=4 interleave=2"},
       {"pp=4"}},
      {"a degree that is written is written again", sample::kLlama, {"parallelism.dp=8"}, {"tp=2 dp=4"}, {"tp=2"}},
      {"a model without experts divides none", sample::kLlama, {}, {}, {"ep=2"}},
      {"experts are divided", kExperts, {}, {"ep=2", "ep=4", "ep=8"}, {"ep=16"}},
      {"offloading", sample::kLlama, {"parallelism.zero=1"}, {"offload.optimizer=1", "offload.activations=1"}, {}},
      {"no offloading without a link to the host",
       sample::kLlama,
       {"cluster.host={bandwidth: 0 B/s}"},
       {},
       {"offload.optimizer=1", "offload.activations=1"}},
      {"data ranks divide the batch, and are at most sixteen times as many",
       sample::kLlama,
       {"cluster.gpus=1", "job.global_batch=96"},
       {"cluster.gpus=2", "cluster.gpus=3", "cluster.gpus=12", "cluster.gpus=16"},
       {"cluster.gpus=5", "cluster.gpus=24", "cluster.gpus=96"}},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.what));
    const std::set<std::string> all = changes(row.text, row.sets);
    for (const std::string& change : row.offered) CHECK_MESSAGE(all.contains(change), change);
    for (const std::string& change : row.not_offered) CHECK_MESSAGE(!all.contains(change), change);
  }
}
