// What makes a plan fit: which changes the software has, that each does what is said of it, that the cheapest comes
// first, and that nothing is overlooked.
#include "planner/studies/whatif/advice.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <set>
#include <sstream>
#include <tuple>

#include "planner/plan/fits.h"
#include "planner/plan/goals.h"
#include "planner/resolve/recipes.h"
#include "tests/planner/studies/whatif/changes_sample.h"

using planner::ChangeKind;
using planner::FitAdvice;
using planner::FitRemedy;
using planner::LoadedScenario;
using planner::Plan;
using sample::kRun;
using sample::Sets;
using sample::texts;
using sample::operator+;

namespace {

const std::string kLarge = R"(
model: {use: llama3-70b}
job: {sequence: 2048, global_batch: 16, precision: bf16}
cluster: {use: dgx-a100-80gb, gpus: 16}
)";

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

bool fits(const LoadedScenario& loaded) {
  if (planner::broken_layout_rule(loaded.scenario)) return false;
  const Plan plan = planner::plan_with_goals(loaded);
  return plan.feasible && !plan.memory->overflows();
}
/// As `--set` reads it.
bool fits(const std::string& text, const Sets& sets) {
  const auto loaded = sample::reader(text, sets)({});
  return loaded && fits(*loaded);
}

std::string text_of(const FitRemedy& remedy) { return fmt::format("{}", fmt::join(texts(remedy.sets), " ")); }

/// All remedies of a kind, as texts.
std::set<std::string> remedies(const FitAdvice& advice, ChangeKind kind) {
  std::set<std::string> out;
  for (const FitRemedy& remedy : advice.remedies)
    if (remedy.kind == kind) out.insert(text_of(remedy));
  return out;
}

/// Each value of each row, written out for this scenario.
std::vector<Sets> single_changes(const std::string& text, const Sets& base) {
  const LoadedScenario loaded = sample::load(text, base);
  const auto value_at = [&](const std::string& expression) {
    dsl::Diagnostics told;
    const dsl::ExprPtr tree = dsl::parse_expression(expression, {}, told);
    return tree ? dsl::evaluate({tree, expression, {}}, loaded.record, {}, told) : std::nullopt;
  };
  const auto holds = [&](const std::string& when) {
    const auto value = when.empty() ? std::optional(dsl::Value{true}) : value_at(when);
    return value && std::get<bool>(value->v);
  };
  std::vector<Sets> all;
  for (const planner::ChangeRow& row : sample::change_rows(text, base).rows) {
    if (!holds(row.when) || row.kind == ChangeKind::cluster) continue;
    std::vector<Sets> of_row{{}};
    for (const planner::OpenedField& field : row.fields) {
      std::vector<std::string> values;
      if (const auto value = value_at(field.values); value && field.values.find('"') == std::string::npos) {
        const dsl::List* list = std::get_if<dsl::List>(&value->v);
        for (const dsl::Value& each : list ? *list : dsl::List{*value}) values.push_back(dsl::to_text(each));
      } else if (field.values.starts_with('[')) {
        std::stringstream words(field.values.substr(1, field.values.size() - 2));
        for (std::string word; std::getline(words >> std::ws, word, ',');) values.push_back(word);
      } else {
        values.push_back(field.values);
      }
      std::vector<Sets> longer;
      for (const Sets& sets : of_row)
        for (const std::string& value : values) longer.push_back(sets + Sets{field.path + "=" + value});
      of_row = longer;
    }
    all.insert(all.end(), of_row.begin(), of_row.end());
  }
  return all;
}

}  // namespace

TEST_CASE("which changes are offered: what the software can do, of the job that is there") {
  const struct {
    const char* what;
    std::string text;
    Sets sets;
    std::string first;                               // of the remedies; empty: none
    std::vector<const char*> never;                  // parts of all texts
    std::vector<const char*> with_another_job = {};  // one of the job's changes has this part
  } rows[] = {
      {"ZeRO of DeepSpeed moves its states to the hosts",
       kLarge,
       {"software={use: deepspeed}", "parallelism={microbatch: 1, zero: 3, recompute: full}"},
       "parallelism.offload.optimizer=1",
       {"parallelism.tp", "parallelism.pp", "parallelism.cp", "offload.activations", "lora"},
       {"job.optimizer="}},
      {"and shards parameters too",
       "model: {use: megatron-22b}\njob: {sequence: 2048, global_batch: 64, precision: fp16}\n"
       "cluster: {use: dgx-a100-80gb, gpus: 8}\n",
       {"software={use: deepspeed}", "parallelism={zero: 2, recompute: full, microbatch: 1}"},
       "parallelism.zero=3",
       {"parallelism.tp", "parallelism.pp"}},
      {"FSDP moves parameters and states to the hosts together",
       kLarge,
       {"software={use: transformers}", "parallelism={microbatch: 1, zero: 3, recompute: full}"},
       "parallelism.offload.optimizer=1 parallelism.offload.weights=1",
       {"parallelism.tp", "parallelism.pp", "offload.activations"},
       {"job.optimizer="}},
      {"a program without offloading has none",
       kLarge,
       {"software={use: nanotron}", "parallelism={tp: 8, microbatch: 1, zero: 1, recompute: full}",
        "cluster.gpu.memory=60 GB"},
       "",
       {"offload", "job.optimizer"}},
      {"two changes, of which one is of the job",
       "model: {use: llama3-70b}\njob: {sequence: 4096, global_batch: 8, task: sft}\n"
       "cluster: {use: dgx-h100, gpus: 8}\n",
       {"software={use: transformers}", "parallelism={zero: 3}"},
       "",
       {"parallelism.tp", "parallelism.pp"},
       {"job.task=lora job.lora.rank=16"}},
      {"tuning a model may train adapters",
       kLarge,
       {"software={use: transformers}", "parallelism={microbatch: 1, zero: 3, recompute: full}", "job.task=sft",
        "cluster.gpus=8", "job.global_batch=8"},
       "parallelism.offload.optimizer=1 parallelism.offload.weights=1",
       {},
       {"job.task=lora job.lora.rank=16"}},
  };
  for (const auto& row : rows) {
    CAPTURE(std::string(row.what));
    const FitAdvice advice = sample::advice(row.text, row.sets);
    std::string all;
    for (const FitRemedy& remedy : advice.remedies) all += text_of(remedy) + "\n";
    CAPTURE(all);
    if (!row.first.empty()) REQUIRE(!advice.remedies.empty());
    if (!row.first.empty()) CHECK(text_of(advice.remedies.front()) == row.first);
    for (const char* part : row.never) CHECK_MESSAGE(!has(all, part), part);
    for (const char* part : row.with_another_job) {
      const std::set<std::string> others = remedies(advice, ChangeKind::job);
      CHECK_MESSAGE(std::ranges::any_of(others, [&](const std::string& text) { return has(text, part); }), part);
    }
  }
}

TEST_CASE("a degree that is written is written again, and a group of all data ranks stays one of all") {
  Sets base{"parallelism={dp: 8, zero: 1, zero_group: 8, microbatch: 1, recompute: full}"};
  const double peak = sample::plan(sample::llama(base)).memory->device.peak_bytes;
  base.push_back(fmt::format("cluster.gpu.memory={} B", 0.8 * peak));
  const auto nearby = sample::neighbours(sample::kLlama, base)({}, sample::load(sample::kLlama, base));
  REQUIRE(nearby);
  CHECK(nearby->followers.size() == 2);
  int grown = 0;
  for (const FitRemedy& remedy : sample::advice(sample::kLlama, base).remedies) {
    CAPTURE(text_of(remedy));
    const auto sets = [&](const char* path) { return has(text_of(remedy), std::string(path) + "="); };
    if (!sets("parallelism.tp") && !sets("parallelism.pp")) continue;
    CHECK(sets("parallelism.dp"));
    CHECK(sets("parallelism.zero_group"));
    ++grown;
  }
  CHECK(grown > 0);
}

namespace {

/// A random layout on a machine whose memory is a random share of what it needs.
struct RandomMiss {
  explicit RandomMiss(unsigned seed) : random(seed) {
    text = one_of({sample::kGpt, sample::kLlama});
    sets = {one_of({"software={use: deepspeed}", "software={use: megatron-core}", "software={use: pytorch-fsdp}",
                    "software={use: other}", "software={use: nanotron}"}),
            one_of({"parallelism.tp=1", "parallelism.tp=2"}),
            one_of({"parallelism.pp=1", "parallelism.pp=2"}),
            one_of({"parallelism.microbatch=1", "parallelism.microbatch=4"}),
            one_of({"parallelism.recompute=none", "parallelism.recompute=selective"}),
            one_of({"job.task=pretrain", "job.task=sft"}),
            one_of({"goal={minimize: step}", "goal={fit: 0.9}"})};
    if (one_of({"", "priced"}) == "priced") sets = sets + kRun;
    const auto loaded = sample::reader(text, sets)({});
    if (!loaded || planner::broken_layout_rule(loaded->scenario)) return;
    const double peak = planner::make_unchecked_plan(loaded->scenario).memory->device.peak_bytes;
    const double share = std::uniform_real_distribution(0.03, 0.9)(random);
    sets.push_back(fmt::format("cluster.gpu.memory={} B", peak * share));
    works = !fits(text, sets);
  }
  std::string one_of(std::vector<std::string> values) {
    return values[std::uniform_int_distribution<size_t>(0, values.size() - 1)(random)];
  }
  std::mt19937 random;
  std::string text;
  Sets sets;
  bool works = false;
};

}  // namespace

TEST_CASE("random plans that do not fit: a change that is named fits, and no cheaper one was overlooked") {
  int named = 0, pairs = 0, nothing = 0;
  for (unsigned seed = 1; seed <= 24; ++seed) {
    RandomMiss miss(seed);
    if (!miss.works) continue;
    CAPTURE(fmt::format("{} {}", seed, fmt::join(miss.sets, " ")));
    const FitAdvice advice = sample::advice(miss.text, miss.sets);
    for (const FitRemedy& remedy : advice.remedies) {
      CAPTURE(text_of(remedy));
      ++named;
      pairs += remedy.sets.size() > 1;
      const LoadedScenario changed = sample::load(miss.text, miss.sets + texts(remedy.sets));
      CHECK(fits(changed));
      CHECK(planner::refusals_of_program(changed).empty());
      CHECK(planner::plan_with_goals(changed).step->seconds == remedy.plan.step->seconds);
    }
    const auto order = [](const FitRemedy& r) {
      return std::tuple(r.kind, planner::price_of(*r.plan.cost, r.plan.step->seconds));
    };
    CHECK(std::ranges::is_sorted(advice.remedies,
                                 [&](const FitRemedy& a, const FitRemedy& b) { return order(a) < order(b); }));
    // Each value of each row by itself, read as `--set` reads it.
    const planner::ChangeRows rows = sample::change_rows(miss.text, miss.sets);
    const auto restricted = [&](const std::string& set) {
      return std::ranges::any_of(rows.can, [&](const auto& row) { return set.starts_with(row.path + "="); });
    };
    double cheapest = std::numeric_limits<double>::infinity();
    const std::vector<Sets> singles = single_changes(miss.text, miss.sets);
    const auto is_of_layout = [](const std::string& set) { return set.starts_with("parallelism."); };
    for (const Sets& sets : singles) {
      if (std::ranges::any_of(sets, restricted) || !std::ranges::all_of(sets, is_of_layout)) continue;
      const auto loaded = sample::reader(miss.text, miss.sets + sets)({});
      if (!loaded || !fits(*loaded)) continue;
      const Plan plan = planner::plan_with_goals(*loaded);
      cheapest = std::min(cheapest, planner::price_of(*plan.cost, plan.step->seconds));
    }
    if (std::isfinite(cheapest)) {
      REQUIRE(!advice.remedies.empty());
      CHECK(advice.remedies.front().kind == ChangeKind::layout);
      CHECK(std::get<1>(order(advice.remedies.front())) <= cheapest);
    }
    if (!advice.remedies.empty() || ++nothing > 1) continue;
    // And two of them: what the program could do at all.
    for (size_t a = 0; a < singles.size(); ++a)
      for (size_t b = a + 1; b < singles.size(); b += 3) {
        const Sets both = singles[a] + singles[b];
        if (std::ranges::any_of(both, restricted)) continue;
        CHECK_MESSAGE(!fits(miss.text, miss.sets + both), fmt::format("{}", fmt::join(both, " ")));
      }
  }
  CHECK(named > 10);
  CHECK(pairs > 0);
  CHECK(nothing > 0);
}

TEST_CASE("the message of a plan names the changes in the order of their dollars, and a memory that may not fit") {
  const Sets base = kRun + Sets{"parallelism={microbatch: 8}", "cluster.gpu.memory=6 GiB"};
  const LoadedScenario loaded = sample::load(sample::kGpt, base);
  const Plan plan =
      planner::make_advised_plan(loaded, sample::neighbours(sample::kGpt, base), sample::reader(sample::kGpt, base));
  const FitAdvice advice = sample::advice(sample::kGpt, base);
  REQUIRE(!advice.remedies.empty());
  REQUIRE(!plan.violations.empty());
  const std::string& message = plan.violations.front().message;
  CAPTURE(message);
  CHECK(has(message, "it would fit with " + planner::remedy_text(advice.remedies.front(), plan)));
  for (const FitRemedy& remedy : advice.remedies) {
    const std::string text = planner::remedy_text(remedy, plan);
    CHECK(has(message, text));
    CHECK(has(text, "cost "));
    const double probability = remedy.plan.memory->probability();
    CHECK(has(text, "uncertain: fits with a probability of") == (probability < planner::kLeastFitting));
  }
}

TEST_CASE("where nothing helps it says so, and a plan that fits is left alone") {
  const auto advised = [](const Sets& base) {
    return planner::make_advised_plan(sample::load(sample::kGpt, base), sample::neighbours(sample::kGpt, base),
                                      sample::reader(sample::kGpt, base));
  };
  const Plan hopeless = advised({"cluster.gpu.memory=0.1 GiB"});
  REQUIRE(hopeless.violations.size() == 1);
  CHECK(has(hopeless.violations.front().message, "no change of one setting makes it fit, and none of two"));
  CHECK(!has(hopeless.violations.front().message, "it would fit"));
  CHECK(advised({}).violations.empty());
}
