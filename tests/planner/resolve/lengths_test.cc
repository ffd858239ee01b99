// Runs whose steps differ in sequence length: the plan is that of the mean step; SeqPoints represent a data set.
#include "planner/resolve/lengths.h"

#include <doctest/doctest.h>

#include <numeric>

#include "planner/plan/mean_plan.h"
#include "planner/resolve/read.h"
#include "planner/search/search.h"
#include "planner/search/sweep.h"
#include "planner/search/verify.h"
#include "tests/planner/search/open_sample.h"

using planner::Plan;
using planner::Scenario;
using sample::near;
using sample::Sets;
using sample::operator+;

namespace {

constexpr const char* kSources = TRAINPLAN_SOURCE_DIR "/scenarios";

/// An LSTM whose rows follow the length, in batches of 8.
constexpr const char* kRecurrent = R"(
model:
  operators:
    - {name: lstm, kind: lstm, rows: job.sequence, in: 256, out: 512}
    - {name: classifier, kind: linear, rows: job.sequence, in: 512, out: 1000, bias: true}
job: {sequence: 128, global_batch: 64, precision: fp32, optimizer: sgd, tokens: 1e9}
cluster: {use: dgx-a100-80gb, gpus: 4, gpus_per_node: 4, price: 2 USD/h}
software: {use: ddp-amp}
parallelism: {microbatch: 16}
)";

const Sets kPoints{"job.sequence={points: [64, 128, 512], weights: [3, 2, 1]}"};

Scenario at(const char* text, int64_t length, const Sets& sets = {}) {
  return sample::scenario(text, sets + Sets{"job.sequence=" + std::to_string(length)});
}

/// The weighted mean of a figure of the plans at 64, 128 and 512.
template <class Of> double mean(const char* text, const Sets& sets, Of of) {
  return (3 * of(sample::plan(at(text, 64, sets))) + 2 * of(sample::plan(at(text, 128, sets))) +
          of(sample::plan(at(text, 512, sets)))) /
         6;
}

std::string mistakes(const char* text, const Sets& sets, bool open) {
  dsl::Diagnostics diagnostics;
  if (open) {
    CHECK(!sample::try_open(text, sets, diagnostics, kSources));
  } else {
    dsl::Sources sources{{.name = "test.yaml", .text = text, .directory = kSources}};
    std::vector<dsl::Override> overrides;
    for (const std::string& set : sets) overrides.push_back({set});
    const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
    CHECK(!planner::read_scenario(sources.front(), overrides, catalog, sources, diagnostics));
  }
  std::string out;
  for (const dsl::Diagnostic& d : diagnostics.list) out += d.message + "\n";
  return out;
}

}  // namespace

TEST_CASE("a plan over several lengths is the mean of the plans at each") {
  for (const char* text : {sample::kGpt, sample::kLlama, kRecurrent}) {
    const Sets sets{"job.tokens=1e9"};
    const Plan p = sample::plan(sample::scenario(text, sets + kPoints));
    const auto of = [&](auto figure) { return mean(text, sets, figure); };
    CHECK(near(p.step->seconds, of([](const Plan& q) { return q.step->seconds; })));
    CHECK(near(p.breakdown->sum(), p.step->seconds));
    CHECK(near(p.breakdown->backward, of([](const Plan& q) { return q.breakdown->backward; })));
    CHECK(
        near(p.throughput->model_flops_per_step, of([](const Plan& q) { return q.throughput->model_flops_per_step; })));
    const double capacity = p.step->seconds * p.throughput->peak_flops_per_gpu * static_cast<double>(p.cost->gpus);
    CHECK(near(p.throughput->mfu, p.throughput->model_flops_per_step / capacity));
    const double tokens = 64 * (3 * 64 + 2 * 128 + 512) / 6.0;
    CHECK(near(p.throughput->tokens_per_second, tokens / p.step->seconds));
    CHECK(*p.cost->steps == std::ceil(1e9 / tokens));
    CHECK(near(*p.cost->days_ideal, *p.cost->steps * p.step->seconds / 86400));
  }
}

TEST_CASE("communication of several lengths is that of the mean step") {
  const Sets sets{"parallelism.tp=4"};
  const Plan p = sample::plan(sample::scenario(sample::kLlama, sets + kPoints));
  const auto seconds = [](const Plan& q) {
    return std::accumulate(q.communication.begin(), q.communication.end(), 0.0,
                           [](double sum, const planner::CommunicationRow& r) { return sum + r.seconds; });
  };
  const auto volume = [](const Plan& q) {
    return std::accumulate(q.communication.begin(), q.communication.end(), 0.0,
                           [](double sum, const planner::CommunicationRow& r) { return sum + r.count * r.bytes; });
  };
  CHECK(near(seconds(p), mean(sample::kLlama, sets, seconds)));
  CHECK(near(volume(p), mean(sample::kLlama, sets, volume)));
  CHECK(p.communication.size() == sample::plan(at(sample::kLlama, 512, sets)).communication.size());
  double shares = 0;
  for (const planner::SourceShare& source : p.sources) shares += source.share;
  CHECK(near(shares, 1));
}

TEST_CASE("the memory of several lengths is that of the longest, also where no weight is on it") {
  for (const char* last : {"1", "0"}) {
    const Plan p = sample::plan(sample::scenario(
        sample::kLlama, {"job.sequence={points: [64, 128, 512], weights: [3, 2, " + std::string(last) + "]}"}));
    CHECK(p.memory->device.peak_bytes == sample::plan(at(sample::kLlama, 512)).memory->device.peak_bytes);
  }
  const Plan two =
      sample::plan(sample::scenario(sample::kLlama, {"job.sequence={points: [64, 128, 512], weights: [3, 2, 0]}"}));
  const double a = sample::plan(at(sample::kLlama, 64)).step->seconds,
               b = sample::plan(at(sample::kLlama, 128)).step->seconds;
  CHECK(near(two.step->seconds, (3 * a + 2 * b) / 5));
}

TEST_CASE("the memory of several lengths is that of the one that needs most, which may be a shorter one") {
  const Sets budget{"parallelism.microbatch=floor(22600 / job.sequence)",
                    "job.global_batch=8 * floor(22600 / job.sequence)"};
  const Sets points{"job.sequence={points: [2048, 11400], weights: [5, 3]}"};
  const Plan p = sample::plan(sample::scenario(sample::kLlama, points + budget));
  const double both = p.memory->device.peak_bytes,
               shorter = sample::plan(at(sample::kLlama, 2048, budget)).memory->device.peak_bytes;
  CHECK(both == shorter);
  CHECK(shorter > sample::plan(at(sample::kLlama, 11400, budget)).memory->device.peak_bytes);
  const std::string fits = "cluster.gpu.memory=" + std::to_string(both * 0.8 / 1e9) + " GB";
  CHECK(!planner::make_plan(sample::scenario(sample::kLlama, points + budget + Sets{fits})).feasible);
  const planner::OpenScenario open =
      sample::opened(sample::kLlama, points + budget + Sets{fits, "parallelism.zero=[0, 1]"});
  CHECK(planner::search(open, {}).rejected.contains("memory"));
}

TEST_CASE("weights count by their ratios, and one point is a plain length") {
  const auto seconds = [](const char* weights) {
    return sample::plan(sample::scenario(sample::kGpt,
                                         {"job.sequence={points: [64, 512], weights: " + std::string(weights) + "}"}))
        .step->seconds;
  };
  CHECK(near(seconds("[3, 1]"), seconds("[300, 100]")));
  CHECK(near(seconds("[0, 1]"), sample::plan(at(sample::kGpt, 512)).step->seconds));
  CHECK(seconds("[1, 3]") > seconds("[3, 1]"));
  const Plan one = sample::plan(sample::scenario(sample::kGpt, {"job.sequence={points: [512], weights: [7]}"}));
  CHECK(near(one.step->seconds, sample::plan(at(sample::kGpt, 512)).step->seconds));
}

TEST_CASE("what an expression makes of the length holds at each") {
  // Batches of as many tokens: the longer, the fewer sequences.
  const Sets sets{"job.global_batch=65536 / job.sequence"};
  const Plan p = sample::plan(sample::scenario(sample::kGpt, sets + kPoints));
  CHECK(near(p.step->seconds, mean(sample::kGpt, sets, [](const Plan& q) { return q.step->seconds; })));
  CHECK(near(p.throughput->tokens_per_second, 65536 / p.step->seconds));
}

TEST_CASE("a layout that breaks at one length breaks") {
  const Scenario s = sample::scenario(sample::kGpt, {"job.sequence={points: [63, 128], weights: [1, 1]}",
                                                     "parallelism.tp=2", "parallelism.sequence_parallel=true"});
  const Plan p = planner::make_plan(s);
  REQUIRE(p.violations.size() == 1);
  CHECK(p.violations.front().rule == "sequence");
  CHECK(p.violations.front().message == "sequence 63 is not divisible by tp 2 (sequence parallelism)");
}

TEST_CASE("SeqPoints of a data set project what all its lengths come to") {
  const Sets sets{"job.sequence={lengths: " TRAINPLAN_SOURCE_DIR
                  "/scenarios/lengths/librispeech-dev-clean.samples16k.txt, batching: sorted, divide: 640}"};
  const planner::LoadedScenario loaded = sample::load(kRecurrent, sets, kSources);
  const planner::Lengths& found = loaded.scenario.lengths;
  CHECK(found.steps == 35);
  CHECK(found.distinct > 20);
  CHECK(found.shares.size() < static_cast<size_t>(found.distinct));
  CHECK(std::abs(found.error) <= 0.001);
  CHECK(found.padding > 0);
  CHECK(found.padding < 0.1);
  double weights = 0;
  for (const planner::LengthShare& share : found.shares) weights += share.weight;
  CHECK(weights == 35);
  // Every iteration separately.
  dsl::Sources sources{{.name = "a.yaml", .text = "", .directory = kSources}};
  dsl::Diagnostics diagnostics;
  std::string why;
  const dsl::Source* file = dsl::open_file("lengths/librispeech-dev-clean.samples16k.txt", "", kSources, sources, why);
  REQUIRE(file);
  const auto log = planner::seqpoint::read_log(*file, sources, diagnostics);
  const std::vector<int64_t> all = planner::seqpoint::batch_lengths(
      log->lengths, {.batch = 64, .order = planner::seqpoint::Order::sorted, .divide = 640});
  double sum = 0;
  for (const int64_t length : all) sum += sample::plan(at(kRecurrent, length)).step->seconds;
  CHECK(near(sample::plan(loaded.scenario).step->seconds, sum / 35, 0.0011));
  CHECK(loaded.scenario.job.sequence == *std::max_element(all.begin(), all.end()));
}

TEST_CASE("a search over several lengths finds what plan makes of each candidate") {
  for (const char* text : {sample::kLlama, kRecurrent}) {
    const Sets sets = kPoints + Sets{"parallelism.microbatch=[1, 4, 16]", "parallelism.zero=[0, 1]", "job.tokens=1e9",
                                     "where=[step < 1 h]"};
    const planner::OpenScenario open = sample::opened(text, sets);
    for (const int64_t threads : {1, 3}) {
      const planner::SearchResult result = planner::search(open, {.threads = threads});
      CHECK(result.candidates == 6);
      CHECK(result.feasible == result.evaluated);
      CHECK(planner::choice_names(open.space).size() == 2);
    }
    const auto replan = [&](const std::vector<dsl::Value>& choices) -> std::optional<Plan> {
      Sets closed = sets;
      const std::vector<std::string> names = planner::choice_names(open.space);
      for (size_t i = 0; i < names.size(); ++i) closed.push_back(names[i] + "=" + dsl::to_text(choices[i]));
      return planner::make_plan(sample::scenario(text, closed));
    };
    const planner::Verified verified = planner::verify(open, 6, 6, replan);
    CHECK(verified.candidates >= 4);
    CHECK(verified.mismatches.empty());
  }
}

TEST_CASE("a candidate that has no value, or no layout, at one length is refused as one") {
  const planner::OpenScenario whole = sample::opened(
      sample::kGpt, kPoints + Sets{"job.global_batch=if(parallelism.zero == 1 and job.sequence == 128, 64.5, 64)",
                                   "parallelism.zero=[0, 1]"});
  planner::SearchResult result = planner::search(whole, {});
  CHECK(result.candidates == 2);
  CHECK(result.rejected.at("divisibility") == 1);
  CHECK(result.evaluated == 1);
  const planner::OpenScenario layout =
      sample::opened(sample::kGpt, {"job.sequence={points: [63, 128], weights: [1, 1]}", "parallelism.tp=[1, 2]",
                                    "parallelism.sequence_parallel=tp > 1"});
  result = planner::search(layout, {});
  CHECK(result.candidates == 2);
  CHECK(result.rejected.at("sequence") == 1);
  int64_t rows = 0;
  planner::sweep(layout, [&](const planner::Swept& swept) {
    CHECK(swept.index == rows);
    CHECK(swept.broken == (rows++ == 0 ? std::vector<std::string>{} : std::vector<std::string>{"sequence"}));
    return true;
  });
  CHECK(rows == 2);
}

TEST_CASE("conditions see the longest length") {
  const planner::OpenScenario open = sample::opened(
      sample::kGpt, kPoints + Sets{"where=[job.sequence >= 512, step * 1 < 1 h]", "parallelism.zero=[0, 1]"});
  CHECK(planner::search(open, {}).feasible == 2);
  const planner::OpenScenario none =
      sample::opened(sample::kGpt, kPoints + Sets{"where=[job.sequence < 512]", "parallelism.zero=[0, 1]"});
  CHECK(planner::search(none, {}).rejected.at("where") == 2);
}

TEST_CASE("SeqPoints of an open scenario are those of its first layout that has a step at all lengths") {
  const Sets sets{"job.sequence={lengths: " TRAINPLAN_SOURCE_DIR
                  "/scenarios/lengths/librispeech-dev-clean.samples16k.txt, batching: sorted, divide: 640}"};
  dsl::Diagnostics diagnostics;
  const auto open =
      sample::try_open(kRecurrent, sets + Sets{"parallelism.microbatch=[5, 16, 4]"}, diagnostics, kSources);
  REQUIRE(open.has_value());
  const planner::Lengths closed = sample::load(kRecurrent, sets, kSources).scenario.lengths;
  REQUIRE(open->sample.lengths.shares.size() == closed.shares.size());
  for (size_t i = 0; i < closed.shares.size(); ++i) {
    CHECK(open->sample.lengths.shares[i].length == closed.shares[i].length);
    CHECK(open->sample.lengths.shares[i].weight == closed.shares[i].weight);
  }
}

TEST_CASE("open choices that the lengths cannot go with are refused") {
  const Sets data{"job.sequence={lengths: " TRAINPLAN_SOURCE_DIR
                  "/scenarios/lengths/librispeech-dev-clean.samples16k.txt, batching: sorted, divide: 640}"};
  CHECK(mistakes(kRecurrent, data + Sets{"job.global_batch=[32, 64]"}, true) ==
        "job.global_batch is open, and the data set's sequences make batches of one size\n");
  CHECK(mistakes(sample::kGpt, kPoints + Sets{"parallelism.microbatch=divisors(job.sequence)"}, true) ==
        "parallelism.microbatch is a choice that follows job.sequence, which has several values at once\n");
  CHECK(mistakes(kRecurrent, data + Sets{"job.global_batch=4096"}, false) ==
        "a batch of 4096 is larger than the data set: it has 2303 sequences\n");
  CHECK(mistakes(sample::kGpt, kPoints + Sets{"job.global_batch=96 / job.sequence"}, false) ==
        "expected a whole number for job.global_batch, got 0.1875\n");
  CHECK(mistakes(sample::kGpt,
                 kPoints + Sets{"job.global_batch=512 * 64 / job.sequence + if(job.sequence < 100, 0.5, 0)"},
                 false) == "expected a whole number for job.global_batch, got 512.5 (at a sequence length of 64)\n");
  for (const bool open : {false, true}) {
    CHECK(mistakes(kRecurrent, data + Sets{"job.global_batch=if(job.sequence > 200, 64, 128)"}, open) ==
          "job.global_batch follows the length, and the data set's batches are of one size\n");
    CHECK(mistakes(sample::kGpt, kPoints + Sets{"job.tokens=1000 * job.global_batch * job.sequence"}, open) ==
          "job.tokens follows job.sequence, which differs from step to step\n");
    CHECK(mistakes(sample::kGpt, kPoints + Sets{"cluster.price=if(job.sequence > 300, 1 USD/h, 9 USD/h)"}, open) ==
          "cluster.price follows job.sequence, which differs from step to step\n");
  }
}

TEST_CASE("a sweep says of a candidate what is wrong at any of its lengths") {
  const auto broken = [](const Sets& sets) {
    std::vector<std::vector<std::string>> rows;
    planner::sweep(sample::opened(sample::kGpt, kPoints + sets), [&](const planner::Swept& swept) {
      CHECK(swept.found.has_value() == swept.broken.empty());
      return rows.push_back(swept.broken), true;
    });
    return rows;
  };
  using Rows = std::vector<std::vector<std::string>>;
  CHECK(broken({"parallelism.microbatch=[1, 2]"}) == Rows{{}, {}});
  CHECK(broken({"parallelism.microbatch=if(job.sequence == 64, 1 / 3, 1)", "job.optimizer=[sgd, adam]"}) ==
        Rows{{"divisibility"}, {"divisibility"}});
  CHECK(broken({"parallelism.microbatch=if(job.sequence == 64, 5, 1)", "job.optimizer=[sgd, adam]"}) ==
        Rows{{"batch"}, {"batch"}});
  CHECK(broken({"parallelism.microbatch=if(job.sequence == 512, 5, 1)", "parallelism.tp=[1, 3]"}) ==
        Rows{{"batch"}, {"ranks", "batch", "heads", "width"}});
}

TEST_CASE("a value that is wrong only at lengths that no step has is right") {
  // The 63 longest sequences, of up to 817 steps, are behind the last full batch.
  const planner::LoadedScenario loaded =
      sample::load(kRecurrent, {"job.sequence={lengths: " + std::string(kSources) +
                                    "/lengths/librispeech-dev-clean.samples16k.txt, batching: sorted, divide: 640}",
                                "parallelism.microbatch=if(job.sequence > 600, 0, 16)"});
  CHECK(loaded.scenario.lengths.left_over == 63);
  CHECK(loaded.scenario.lengths.batched);
  CHECK(loaded.scenario.job.sequence < 600);
}

TEST_CASE("a padding share is what fills sequences up to their batch's longest") {
  using planner::seqpoint::Order;
  using planner::seqpoint::padding_share;
  const std::vector<int64_t> data{4, 2, 8, 6, 5};
  CHECK(near(padding_share(data, {.batch = 2}), 1 - 20.0 / 24));
  CHECK(near(padding_share(data, {.batch = 2, .order = Order::sorted}), 1 - 17.0 / 20));
  CHECK(near(padding_share(data, {.batch = 1}), 0));
  CHECK(near(padding_share(data, {.batch = 2, .quantum = 8}), 1 - 20.0 / 32));
  CHECK(near(padding_share(data, {.batch = 2, .divide = 2}), 1 - 10.0 / 12));
}
