// What programs ask of a layout: refused by a plan and by a search alike, since a release and until another.
#include <doctest/doctest.h>

#include "planner/plan/goals.h"
#include "planner/search/search.h"
#include "tests/planner/search/open_sample.h"

namespace {

using sample::Sets;

constexpr const char* kMixture = R"(
model: {use: qwen3-30b-a3b}
job: {sequence: 4096, global_batch: 256}
cluster: {use: dgx-h100, gpus: 32}
software: {use: megatron-bridge, release: 26.04}
)";
constexpr const char* kDense = R"(
model: {use: llama3-8b}
job: {sequence: 4096, global_batch: 128}
cluster: {use: dgx-h100, gpus: 32}
software: {use: megatron-core}
)";
constexpr const char* kSinks = R"(
model: {use: gpt-oss-20b}
job: {sequence: 4096, global_batch: 128}
cluster: {use: dgx-h100, gpus: 32}
software: {use: megatron-core}
parallelism: {ep: 8, cp: 2, zero: 1}
)";

/// "program: 'microbatch == 1' does not hold (...)" of each violation.
std::string broken(const std::string& text, const Sets& sets) {
  std::string out;
  for (const planner::Violation& v : planner::plan_with_goals(sample::load(text, sets)).violations)
    out += v.rule + ": " + v.message + "\n";
  return out;
}

}  // namespace

TEST_CASE("a program's rules: the layout that it refuses, and the nearest that it takes") {
  const struct {
    const char* what;
    std::string text;
    Sets refused, taken;
    const char* message;
  } rows[] = {
      {"packed documents",
       kDense,
       {"job.task=sft", "job.document=512", "parallelism.microbatch=2"},
       {"parallelism.microbatch=1"},
       "packed sequences have no batch dimension"},
      {"overlapped exchanges",
       kMixture,
       {"parallelism.ep=8", "parallelism.pp=2", "software.experts.overlap=true"},
       {"parallelism.interleave=2"},
       "overlap_moe_expert_parallel_comm"},
      {"graphs of parts",
       kMixture,
       {"parallelism.ep=8", "software.graphs=static-parts", "parallelism.recompute=full"},
       {"parallelism.recompute=none"},
       "full recompute asks for a graph of the whole step"},
      {"mixtures and tensor ranks",
       kMixture,
       {"parallelism.ep=8", "parallelism.tp=2", "parallelism.etp=2", "parallelism.sequence_parallel=false"},
       {"parallelism.sequence_parallel=true"},
       "trains with sequence parallelism"},
      {"sinks and a ring", kSinks, {}, {"software.context=all-to-all"}, "sinks take an all-to-all alone"},
      {"biased experts",
       kSinks,
       {"parallelism.cp=1", "parallelism.tp=2", "parallelism.etp=2", "parallelism.ep=4"},
       {"parallelism.etp=1", "parallelism.sequence_parallel=true"},
       "experts with biases"},
      {"offload beside a pipeline",
       kDense,
       {"parallelism.offload.activations=0.5", "parallelism.pp=2", "parallelism.recompute=none"},
       {"parallelism.pp=1"},
       "cpu_offloading"},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.what));
    const std::string told = broken(row.text, row.refused);
    CHECK_MESSAGE(told.find("program: ") != std::string::npos, told);
    CHECK_MESSAGE(told.find(row.message) != std::string::npos, told);
    const std::string taken = broken(row.text, sample::operator+(row.refused, row.taken));
    CHECK_MESSAGE(taken.find(row.message) == std::string::npos, taken);
  }
}

TEST_CASE("a rule holds from a release until another; without one the newest holds") {
  const Sets latent{"parallelism.ep=8", "parallelism.cp=2"};
  const std::string text =
      "model: {use: deepseek-v2-lite}\njob: {sequence: 4096, global_batch: 64}\ncluster: {use: dgx-h100, gpus: 16}\n"
      "software: {use: nemo}\n";
  const auto refused = [&](const char* release) {
    return broken(text, sample::operator+(latent, {std::string("software.release=") + release})).find("program: ") !=
           std::string::npos;
  };
  CHECK(refused("25.04"));
  CHECK_FALSE(refused("25.07"));
  CHECK_FALSE(refused("any"));
  CHECK(broken(text, latent).find("program: ") == std::string::npos);
}

TEST_CASE("stages nearer than data-parallel ranks: experts and the rest need as many ranks") {
  const Sets near{"parallelism.order=tp-cp-ep-pp-dp", "parallelism.pp=2"};
  const auto has_rule = [](const std::string& told) { return told.find("order-ranks: ") != std::string::npos; };
  CHECK(has_rule(broken(kMixture, sample::operator+(near, {"parallelism.ep=8"}))));
  CHECK_FALSE(has_rule(broken(kMixture, sample::operator+(near, {"parallelism.ep=1"}))));
  CHECK_FALSE(has_rule(broken(kMixture, {"parallelism.ep=8", "parallelism.pp=2"})));
  CHECK(has_rule(broken(kDense, sample::operator+(near, {"parallelism.cp=2"}))));
  CHECK_FALSE(has_rule(broken(kDense, near)));
  CHECK_FALSE(has_rule(broken(kDense, sample::operator+(near, {"parallelism.cp=2", "software.use=deepspeed"}))));
}

TEST_CASE("a search refuses what the program refuses, and counts it apart; an own list takes the place of the rules") {
  const Sets open{"job.task=sft", "job.document=512", "parallelism={tp: [1, 2], microbatch: [1, 2]}"};
  const planner::SearchResult all = planner::search(sample::opened(kDense, open), {.top = 9, .pareto = {}});
  CHECK(all.rejected.at("program") == 2);
  for (const planner::Found& found : all.plans) CHECK(found.parallelism.microbatch == 1);
  const planner::SearchResult none =
      planner::search(sample::opened(kDense, sample::operator+(open, {"software.rules=[]"})), {.top = 9, .pareto = {}});
  CHECK(!none.rejected.contains("program"));
  const planner::SearchResult own = planner::search(
      sample::opened(kDense, sample::operator+(open, {"software.rules=[\"tp == 2\"]"})), {.top = 9, .pareto = {}});
  CHECK(own.rejected.at("program") == 2);
}

TEST_CASE("every rule of every profile can be read, in each release that one names") {
  for (const char* software : {"megatron-core", "nemo", "megatron-bridge", "primus", "megascale", "deepseek"})
    for (const char* release : {"any", "24.07", "25.01", "25.04", "25.07", "25.11", "26.04", "26.06", "26.08"})
      for (const std::string& text : {std::string(kMixture), std::string(kDense), std::string(kSinks)}) {
        dsl::Diagnostics diagnostics;
        CAPTURE(std::string(software) + " " + release);
        CHECK(sample::try_open(text, {std::string("software={use: ") + software + ", release: " + release + "}"},
                               diagnostics));
        CHECK(diagnostics.list.empty());
      }
}

TEST_CASE("a rule holds however its scenario says what it is about: by a word, an expression, a choice or a name") {
  const std::string text = std::string(kMixture) + "parallelism: {ep: 8, recompute: full}\n";
  for (const char* graphs :
       {"software.graphs=static-parts", "software.graphs='\"static-parts\"'",
        "software.graphs=if(tp == 1, \"static-parts\", \"none\")", "software.graphs=[static-parts]"}) {
    CAPTURE(std::string(graphs));
    const std::string told = broken(text, {std::string(graphs)});
    CHECK_MESSAGE(told.find("full recompute asks for a graph") != std::string::npos, told);
  }
  CHECK(broken(text, {"software.graphs=none"}).find("full recompute") == std::string::npos);
}
