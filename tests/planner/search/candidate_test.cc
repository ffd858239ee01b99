// A candidate's scenario is the one that is read with its choices written.
#include "planner/search/candidate.h"

#include <doctest/doctest.h>

#include "planner/resolve/read.h"
#include "planner/search/search.h"
#include "tests/planner/search/open_sample.h"

using sample::Sets;
using sample::operator+;

namespace {

using Members = std::map<std::string, std::string>;

/// What `read_scenario` makes of the choices under the cursor; nullopt where it refuses them.
std::optional<Members> read_with(const planner::OpenScenario& open, const dsl::Cursor& cursor, const char* text,
                                 Sets sets) {
  static dsl::Sources sources;
  for (size_t i = 0; i < open.space.items().size(); ++i)
    if (const dsl::OpenItem& item = open.space.items()[i]; item.is_choice)
      sets.push_back(item.path + "=" + dsl::to_text(cursor.value(i)));
  sources.push_back({.name = "test.yaml", .text = text, .directory = "/nonexistent"});
  dsl::Source& source = sources.back();
  std::vector<dsl::Override> overrides;
  for (const std::string& set : sets) overrides.push_back({set});
  const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
  dsl::Diagnostics diagnostics;
  const auto loaded = planner::read_scenario(source, overrides, catalog, sources, diagnostics);
  for (const dsl::Diagnostic& d : diagnostics.list) INFO(dsl::render(d));
  return loaded ? std::optional(sample::members(loaded->scenario)) : std::nullopt;
}

/// "path: mine, not theirs" of every member that differs.
std::string differences(const Members& mine, const Members& theirs) {
  std::string out;
  for (const auto& [path, value] : theirs)
    if (const auto it = mine.find(path); it == mine.end() || it->second != value)
      out += path + ": " + (it == mine.end() ? "absent" : it->second) + ", not " + value + "\n";
  for (const auto& [path, value] : mine)
    if (!theirs.contains(path)) out += path + ": " + value + ", not absent\n";
  return out;
}

constexpr const char* kWithLet = R"(
let: {half: tp / 2, sizes: [2, 4], more: half + 1}
model: {use: gpt3-1.3b}
job: {sequence: 1024, global_batch: 32 * more}
cluster: {use: dgx-a100-80gb, gpus: 8}
)";

const struct {
  const char *what, *text;
  Sets sets;
} kSpaces[] = {
    {"degrees, and what follows them",
     sample::kGpt,
     {"parallelism.tp=[1, 2]", "parallelism.pp=[1, 2, 4]", "parallelism.zero_group=[1, dp]",
      "parallelism.sequence_parallel=tp > 1"}},
    {"precision alone", sample::kLlama, {"job.precision=[bf16, fp32, tf32, fp16]"}},
    {"precision behind and before other choices",
     sample::kLlama,
     {"parallelism.tp=[1, 2]", "job.precision=[fp32, bf16]", "parallelism.microbatch=[1, 2]"}},
    {"precision that follows a degree",
     sample::kLlama,
     {"parallelism.tp=[1, 2, 4]", "job.precision=if(tp == 2, \"fp32\", \"bf16\")"}},
    {"precision and what it implies, both open",
     sample::kLlama,
     {"software.memory.weight=[2, 6]", "job.precision=[bf16, fp32]", "software.reduce_bytes=[2, 4]"}},
    {"a width that another follows, in fp32",
     sample::kLlama,
     {"job.precision=fp32", "software.memory.gradient=[2, 6]"}},
    {"a width that another follows, and precision",
     sample::kLlama,
     {"job.precision=[bf16, fp32]", "software.memory.gradient=[2, 6]", "software.memory.logits=[4, 8]"}},
    {"operator models", sample::kGpt, {"operator_models.gemm=[wave, roofline]", "parallelism.tp=[1, 2]"}},
    {"stages that follow a degree",
     sample::kGpt,
     {"parallelism.pp=[1, 2, 4, 8]", "parallelism.stages=[pp, model.layers - pp]"}},
    {"entries of let", kWithLet, {"parallelism.tp=sizes", "parallelism.pp=half", "parallelism.microbatch=[half, 1]"}},
    {"the network and a list item of it",
     sample::kGpt,
     {"cluster.network[0].bandwidth=[100 GB/s, 300 GB/s]", "cluster.network[1].latency=[1 us, 5 us]"}},
    {"the device",
     sample::kGpt,
     {"cluster.gpu.memory=[40 GB, 80 GB]", "cluster.gpu.flops.fp16=[100 TFLOP/s, 312 TFLOP/s]",
      "cluster.gpu.memory_bandwidth=cluster.gpu.memory / 40 ms"}},
    {"fields that may be absent",
     sample::kGpt,
     {"job.tokens=[1e9, 2e9]", "cluster.price=[1 USD/h, 2 USD/h]", "goal={minimize: usd, deadline: 3 d * tp}",
      "parallelism.tp=[1, 2]"}},
    {"the model",
     sample::kGpt,
     {"model.layers=[4, 8]", "model.hidden=[1024, 2048]", "model.heads=[8, 16]", "model.ffn=4 * model.hidden"}},
    {"defaults behind what they read",
     sample::kLlama,
     {"job.sequence=[1024, 2048]", "cluster.gpus=[8, 16]", "parallelism.tp=[1, 2, 3]", "job.global_batch=8 * dp"}},
    {"words and names",
     sample::kGpt,
     {"parallelism.schedule=[1f1b, gpipe]", "parallelism.recompute=[none, full]", "job.optimizer=[adam, sgd]",
      "software.attention=[unfused, flash2]"}},
};

}  // namespace

TEST_CASE("each candidate is the scenario that is read with its choices, member by member") {
  for (const auto& space : kSpaces) {
    INFO(std::string(space.what));
    const planner::OpenScenario open = sample::opened(space.text, space.sets);
    planner::Candidate candidate(open);
    int64_t compared = 0;
    for (dsl::Cursor cursor(open.space); cursor.next();) {
      if (cursor.refusal() != dsl::Refusal::none) {
        candidate.skip(cursor);
        continue;
      }
      const Members mine = sample::members(candidate.at(cursor));
      const std::optional<Members> theirs = read_with(open, cursor, space.text, space.sets);
      REQUIRE(theirs.has_value());
      CHECK(differences(mine, *theirs) == "");
      ++compared;
    }
    CHECK(compared > 1);
  }
}
