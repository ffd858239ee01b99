// Machines side by side, against searches by hand.
#include "planner/studies/machines/machines.h"

#include <doctest/doctest.h>

#include <limits>

#include "dsl/unit_sizes.h"
#include "planner/resolve/layout_policy.h"
#include "planner/search/rank_plans.h"
#include "tests/planner/texts.h"

using planner::MachineRow;

namespace {

std::string question(const std::string& cluster, const std::string& rest = "software: {use: megatron-core}\n") {
  return "model: {use: llama3-8b}\njob: {sequence: 4096, global_batch: 128, tokens: 1e11}\ncluster: {" + cluster +
         "}\n" + rest;
}

std::vector<MachineRow> rows(sample::Texts& texts) {
  const auto alternatives = planner::alternatives_of(texts.text(), texts.diagnostics);
  const planner::ScenarioText text = texts.text();
  const planner::MachineGroup group[] = {{text, alternatives}};
  auto all = planner::machine_rows(group, {}, texts.diagnostics);
  return all;
}

std::vector<MachineRow> rows(const std::string& text) {
  sample::Texts texts(text, {});
  auto all = rows(texts);
  CHECK_MESSAGE(!texts.diagnostics.has_errors(), texts.told());
  return all;
}

}  // namespace

TEST_CASE("without a goal a row is the cheapest, whatever the order of contracts") {
  for (const char* contracts : {"[on-demand, reserved]", "[reserved, on-demand]"}) {
    CAPTURE(contracts);
    const std::string text = question("use: p5, gpus: 32, price_terms: {contract: " + std::string(contracts) + "}");
    const std::vector<MachineRow> all = rows(text), asked = rows(text + "goal: {minimize: usd}\n");
    REQUIRE(all.size() == 1);
    REQUIRE(all[0].plan.has_value());
    CHECK(*all[0].plan->cost->usd == *asked[0].plan->cost->usd);
    CHECK(all[0].objective == *all[0].plan->cost->usd);
    CHECK(*all[0].price_usd_per_gpu_hour == *asked[0].price_usd_per_gpu_hour);
  }
}

TEST_CASE("a number of GPUs alone gives the row that it has among others") {
  // One number is read once, a list once more for each.
  for (const char* rest : {"software: {use: megatron-core}\n",
                           "software: {use: megatron-core}\nparallelism: {tp: 2, recompute: full, zero: 1}\n",
                           "software: {use: megatron-core}\ngoal: {minimize: step}\n",
                           "software: {use: megatron-core}\ngoal: {deadline: 30 d}\n"}) {
    CAPTURE(rest);
    const std::vector<MachineRow> both = rows(question("use: [dgx-h100, dgx-b200], gpus: [16, 32]", rest));
    REQUIRE(both.size() == 4);
    for (const MachineRow& row : both) {
      const std::string gpus = std::to_string(row.gpus);
      const std::vector<MachineRow> alone = rows(question("use: " + row.name + ", gpus: " + gpus, rest));
      REQUIRE(alone.size() == 1);
      CHECK(alone[0].gpus == row.gpus);
      CHECK(alone[0].evaluated == row.evaluated);
      CHECK(alone[0].choices == row.choices);
      CHECK(alone[0].meets_deadline == row.meets_deadline);
      REQUIRE(alone[0].plan.has_value() == row.plan.has_value());
      if (row.plan) CHECK(alone[0].plan->step->seconds == row.plan->step->seconds);
      if (row.plan) CHECK(*alone[0].plan->cost->usd == *row.plan->cost->usd);
    }
  }
}

TEST_CASE("without a goal days are never held against dollars") {
  const std::vector<MachineRow> all = rows(question("use: [dgx-h100, hgx-h20], gpus: 32"));
  REQUIRE(all.size() == 2);
  CHECK(all[0].objective == *all[0].plan->cost->usd);
  CHECK(all[1].plan.has_value());
  CHECK(all[1].objective == std::numeric_limits<double>::infinity());
  CHECK(planner::best_machine(all) == 0);
  // Where none has a price, by days; where the run has no length, by the step.
  const std::vector<MachineRow> unpriced = rows(question("use: hgx-h20, gpus: [16, 32]"));
  for (const MachineRow& row : unpriced) CHECK(row.objective == *row.plan->cost->days);
  CHECK(planner::best_machine(unpriced) == 1);
  std::string endless = question("use: [dgx-h100, dgx-b200], gpus: 32");
  endless.replace(endless.find(", tokens: 1e11"), 14, "");
  const std::vector<MachineRow> steps = rows(endless);
  for (const MachineRow& row : steps) CHECK(row.objective == row.plan->step->seconds);
  CHECK(planner::best_machine(steps) == 1);
}

TEST_CASE("another batch is offered whatever the price, the deadline and the budget") {
  const std::string software = "software: {use: megatron-core}\n";
  for (const std::string& rest : {software, software + "goal: {minimize: usd, deadline: 1 h, budget: 1 USD}\n"}) {
    CAPTURE(rest);
    const std::vector<MachineRow> all = rows(question("use: hgx-h20, gpus: 37, price: 2 USD/h", rest));
    REQUIRE(all.size() == 1);
    CHECK_FALSE(all[0].plan.has_value());
    REQUIRE(all[0].other_batch.has_value());
    CHECK(all[0].other_batch->gpus == 37);
  }
  const std::vector<MachineRow> unpriced = rows(question("use: hgx-h20, gpus: 37"));
  CHECK(unpriced[0].other_batch.has_value());
}

TEST_CASE("a machine that cannot be planned is a row that says why, and the others stand as they are alone") {
  // No such kernel is calibrated on a V100.
  const std::string choice = "software: {use: megatron-core, attention: te}\n";
  const std::vector<MachineRow> alone = rows(question("use: dgx-h100, gpus: [16, 32]", choice));
  for (const char* cluster : {"[dgx-1, dgx-h100]", "[dgx-h100, dgx-1]"}) {
    CAPTURE(std::string(cluster));
    std::vector<MachineRow> all = rows(question("use: " + std::string(cluster) + ", gpus: [16, 32]", choice));
    REQUIRE(all.size() == 3);
    const auto bad = std::ranges::find(all, "dgx-1", &MachineRow::name);
    REQUIRE(bad != all.end());
    CHECK(bad->mistake.find("is calibrated on v100") != std::string::npos);
    CHECK(bad->gpus == 0);
    CHECK_FALSE(bad->plan.has_value());
    all.erase(bad);
    for (size_t i = 0; i < all.size(); ++i) {
      CHECK(all[i].mistake.empty());
      REQUIRE(all[i].plan.has_value());
      CHECK(all[i].plan->step->seconds == alone[i].plan->step->seconds);
      CHECK(all[i].evaluated == alone[i].evaluated);
    }
  }
}

TEST_CASE("where no machine can be planned, or a name is mistyped, nothing is searched and all is said") {
  for (const char* cluster : {"[dgx-1, dgx-2]", "[dgx-h100, nowhere]", "[dgx-1, nowhere]", "dgx-1"}) {
    CAPTURE(std::string(cluster));
    const std::string choice = "software: {use: megatron-core, attention: te}\n";  // calibrated on no V100
    sample::Texts texts(question("use: " + std::string(cluster) + ", gpus: 16", choice), {});
    CHECK(rows(texts).empty());
    CHECK(texts.diagnostics.has_errors());
  }
}

TEST_CASE("a row names the choices that the scenario itself leaves open") {
  const std::string text = question("use: dgx-h100, gpus: 16", "where: [gpus > 1]\n");
  CHECK(rows(text)[0].written.empty());
  std::string batches = text;
  batches.replace(batches.find("global_batch: 128"), 17, "global_batch: [64, 128]");
  const std::vector<MachineRow> all = rows(batches);
  REQUIRE(all.size() == 1);
  CHECK(all[0].written == std::vector<std::string>{"job.global_batch"});
}

TEST_CASE("a row is the best of what the layout policy opens, by hand") {
  const std::vector<MachineRow> all = rows(question("use: dgx-h100, gpus: [16, 32]"));
  REQUIRE(all.size() == 2);
  for (const MachineRow& row : all) {
    CAPTURE(row.gpus);
    sample::Texts texts(question("use: dgx-h100, gpus: " + std::to_string(row.gpus)), {});
    auto open = planner::read_open_scenario(texts.text().source, texts.text().overrides, texts.text().catalog,
                                            texts.sources, texts.diagnostics);
    REQUIRE(open);
    std::vector<dsl::Override> sets;
    for (std::string& set :
         planner::sets_of(planner::fields_to_open(*open, texts.text(), planner::Opens::unwritten, texts.diagnostics)))
      sets.push_back({std::move(set)});
    const auto wide =
        planner::read_open_scenario(texts.text().source, sets, texts.text().catalog, texts.sources, texts.diagnostics);
    REQUIRE(wide);
    const planner::SearchResult found = planner::ranked_search(*wide, {.top = 1, .pareto = {}});
    REQUIRE(row.plan);
    CHECK(row.plan->step->seconds == found.plans[0].results.step.seconds);
    CHECK(row.evaluated == found.evaluated);
    CHECK(row.objective == *row.plan->cost->usd);  // no goal: dollars
    CHECK(row.gpu == "h100-sxm-80gb");
  }
}

TEST_CASE("more GPUs end sooner; a price twice as high costs twice as much and changes no layout") {
  const std::vector<MachineRow> all = rows(question("use: dgx-h100, gpus: [16, 32, 64]"));
  REQUIRE(all.size() == 3);
  for (size_t i = 1; i < all.size(); ++i) CHECK(*all[i].plan->cost->days < *all[i - 1].plan->cost->days);
  const std::vector<MachineRow> cheap = rows(question("use: dgx-h100, gpus: 16, price: 1 USD/h"));
  const std::vector<MachineRow> dear = rows(question("use: dgx-h100, gpus: 16, price: 2 USD/h"));
  CHECK(cheap[0].choices == dear[0].choices);
  CHECK(*dear[0].plan->cost->usd == doctest::Approx(2 * *cheap[0].plan->cost->usd));
}

TEST_CASE("deadline and budget of the goal are answered, not obeyed") {
  for (const char* limit : {"deadline: 10 d", "budget: 3e4 USD"}) {
    const std::vector<MachineRow> all =
        rows(question("use: dgx-h100, gpus: [8, 64]", std::string("goal: {") + limit + "}\n"));
    REQUIRE(all.size() == 2);
    for (const MachineRow& row : all) {
      REQUIRE(row.plan);
      const planner::RunCost& cost = *row.plan->cost;
      if (row.meets_deadline) CHECK(*row.meets_deadline == (*cost.days <= 10));
      if (row.meets_budget) CHECK(*row.meets_budget == (*cost.usd <= 3e4));
      CHECK(row.meets_deadline.has_value() != row.meets_budget.has_value());
    }
  }
}

TEST_CASE("the best row meets the limits and has the smallest objective; without one there is none") {
  std::vector<MachineRow> all(4);
  CHECK(!planner::best_machine(all));  // no plans
  for (size_t i = 0; i < all.size(); ++i) {
    all[i].plan.emplace();
    all[i].objective = 10 - static_cast<double>(i);
  }
  CHECK(planner::best_machine(all) == 3);
  all[3].meets_deadline = false;
  CHECK(planner::best_machine(all) == 2);
  all[2].meets_budget = false;
  all[1].meets_deadline = true;
  CHECK(planner::best_machine(all) == 1);
  all[0].objective = all[1].objective;
  CHECK(planner::best_machine(all) == 0);  // the first of equals
  for (MachineRow& row : all) row.objective = std::numeric_limits<double>::infinity();
  CHECK(!planner::best_machine(all));  // the goal has no value
}

TEST_CASE("a goal that a missing price leaves without a value: the fastest plan is shown, and is not the best") {
  const std::vector<MachineRow> all =
      rows(question("use: mi355x-oam, gpus: 16", "software: {use: megatron-core}\ngoal: {minimize: usd}\n"));
  REQUIRE(all.size() == 1);
  REQUIRE(all[0].plan);
  CHECK(!all[0].plan->cost->usd);
  CHECK(all[0].plan->step->seconds == rows(question("use: mi355x-oam, gpus: 16"))[0].plan->step->seconds);
  CHECK(!planner::best_machine(all));
}

TEST_CASE("where nothing fits a row says what refuses the candidates, most first") {
  const std::vector<MachineRow> all = rows(question("use: dgx-h100, gpus: 8, gpu: {memory: 2 GB}"));
  REQUIRE(all.size() == 1);
  CHECK(!all[0].plan);
  CHECK(all[0].evaluated > 0);
  CHECK(all[0].reason.starts_with("memory "));
}

TEST_CASE("a mistake in one alternative leaves no rows, and is told at its name") {
  sample::Texts texts(question("use: [dgx-h100, nowhere], gpus: 8"), {});
  CHECK(rows(texts).empty());
  CHECK_MESSAGE(texts.told().find("ask.yaml:3:27: error: no cluster named 'nowhere'") != std::string::npos,
                texts.told());
  sample::Texts follows(question("use: dgx-h100, gpus: tp * 8", "parallelism: {tp: [1, 2]}\n"), {});
  CHECK(rows(follows).empty());
  CHECK(follows.told().find("cluster.gpus follows other choices here") != std::string::npos);
}
