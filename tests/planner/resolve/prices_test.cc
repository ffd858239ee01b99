// The user's price lists, and the contracts of a catalogue entry.
#include "planner/resolve/prices.h"

#include <doctest/doctest.h>

#include "planner/plan/plan.h"
#include "planner/search/search.h"
#include "tests/planner/texts.h"

namespace {

using Sets = std::vector<std::string>;

constexpr const char* kP5 = R"(model: {use: llama3-8b}
job: {sequence: 8192, global_batch: 64, tokens: 1e9}
cluster: {use: p5, gpus: 64}
parallelism: {zero: 1}
)";

std::vector<dsl::Override> overrides(const Sets& sets) {
  std::vector<dsl::Override> out;
  for (const std::string& set : sets) out.push_back({set});
  return out;
}

/// "2.1 USD/h reserved-3y 2026-10 eu-west", or the messages.
std::string priced(const Sets& sets, const std::string& text = kP5) {
  sample::Texts texts(text, overrides(sets));
  const planner::ScenarioText read = texts.text();
  const auto loaded =
      planner::read_scenario(read.source, read.overrides, read.catalog, texts.sources, texts.diagnostics);
  if (!loaded) return texts.told();
  const hw_profiles::Cluster& c = loaded->scenario.cluster;
  std::string out = c.price ? dsl::to_text(loaded->record.find("cluster.price")->value) : "none";
  for (const std::string& term : {c.price_terms.contract, c.price_terms.date, c.price_terms.region})
    if (!term.empty()) out += " " + term;
  return out + texts.told();
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

const std::string kOurs =
    "price_list={p5: {price: 2.10 USD/h, contract: reserved 3 years, date: 2026-10, region: eu-west, source: ours}}";

}  // namespace

TEST_CASE("a list's price comes with its terms, and nothing of the catalogue's stays") {
  CHECK(priced({}) == "6.88 USD/h on-demand 2026-11-09 us-east-1");
  CHECK(priced({kOurs}) == "2.1 USD/h reserved 3 years 2026-10 eu-west");
  CHECK(priced({"price_list={p5: {price: 2.10 USD/h}}"}) == "2.1 USD/h");
  CHECK(priced({"price_list={p5: {price: 4.20 USD/h / 2}, a4: {price: 1 USD/h}}"}) == "2.1 USD/h");
  CHECK(priced({"price_list={p5: {price: 2100 USD/h / 1e3, region: null}}"}) == "2.1 USD/h");
}

TEST_CASE("another name of an entry is the entry, in a list and in the scenario") {
  const Sets list{"price_list={dgx-a100: {price: 2 USD/h}}"};
  for (const char* use : {"cluster.use=dgx-a100", "cluster.use=dgx-a100-80gb"})
    CHECK(priced({list[0], use}) == "2 USD/h");
}

TEST_CASE("the source of a listed price is its comment") {
  sample::Texts texts(kP5, overrides({kOurs}));
  const planner::ScenarioText read = texts.text();
  const auto loaded =
      planner::read_scenario(read.source, read.overrides, read.catalog, texts.sources, texts.diagnostics);
  REQUIRE(loaded);
  CHECK(loaded->record.find("cluster.price")->comment == "ours");
}

TEST_CASE("what the scenario says of its price wins over a list, which is told") {
  const std::string wins = "warning: no entry of the price list is taken";
  CHECK(has(priced({kOurs, "cluster.price=3 USD/h"}), "3 USD/h on-demand"));
  CHECK(has(priced({kOurs, "cluster.price=3 USD/h"}), wins));
  CHECK(has(priced({kOurs, "cluster.price=3 USD/h"}), "the scenario says a price itself, which wins"));
  CHECK(priced({kOurs, "cluster.price=null"}).starts_with("none"));
  CHECK(priced({kOurs, "cluster.purchase.gpu_price=30e3 USD"}).starts_with("none"));
  CHECK(has(priced({"price_list={a4: {price: 1 USD/h}, p4d: {price: 1 USD/h}}"}),
            "hint: cluster.use is p5; the list has a4, p4d"));
}

TEST_CASE("the order of a price and a list does not matter") {
  CHECK(priced({"cluster.price=3 USD/h", kOurs}) == priced({kOurs, "cluster.price=3 USD/h"}));
}

TEST_CASE("a list is checked whole, whatever is taken of it") {
  struct Row {
    const char *list, *told;
  };
  for (const Row& row : {
           Row{"{dgx-h10: {price: 1 USD/h}}", "no cluster of the catalogue is called 'dgx-h10'"},
           Row{"{dgx-h10: {price: 1 USD/h}}", "hint: `trainplan list cluster` has their names"},
           Row{"{dxg-h100: {price: 1 USD/h}}", "hint: did you mean 'dgx-h100'"},
           Row{"{a4: {prise: 1 USD/h}}", "unknown field 'price_list.a4.prise'"},
           Row{"{a4: {price: 1 USD}}", "expected money per time for price_list.a4.price, got 1 USD"},
           Row{"{a4: {price: 2}}", "expected money per time for price_list.a4.price, got the plain number 2"},
           Row{"{a4: {price: -1 USD/h}}", "price_list.a4.price must be at least 0 USD/s"},
           Row{"{a4: {contract: spot}}", "price_list.a4.price"},
           Row{"{a4: 2 USD/h}", "price_list.a4"},
           Row{"ours", "expected a map of fields for price_list, got 'ours'"},
           Row{"{use: ./no-such.yaml}", "no file 'no-such.yaml'"},
           Row{"{a4: {price: [1 USD/h, 2 USD/h]}}", "price_list.a4.price"},
       }) {
    const std::string told = priced({std::string("price_list=") + row.list});
    CHECK_MESSAGE(has(told, "--set:1:"), row.list);
    CHECK_MESSAGE(has(told, "error: "), row.list);
    CHECK_MESSAGE(has(told, row.told), told);
  }
  CHECK(has(priced({}, std::string(kP5) + "price_list:\n  a4: {price: 1 USD/h}\n  a4: {price: 2 USD/h}\n"),
            "ask.yaml:7:3: error:"));
}

TEST_CASE("the contract that a scenario asks for is one of its entry's") {
  CHECK(priced({"cluster.price_terms.contract=reserved"}) == "4.92 USD/h reserved 2024 us-east-1");
  CHECK(priced({"cluster.price_terms.contract=on-demand"}) == "6.88 USD/h on-demand 2026-11-09 us-east-1");
  CHECK(priced({"cluster.price_terms.contract=\"\""}).starts_with("6.88 USD/h"));
  CHECK(priced({"cluster.use=a3-high", "cluster.price_terms.contract=spot"}) ==
        "4.42 USD/h spot 2025-03-06 us-central1");
  const std::string unknown = priced({"cluster.price_terms.contract=reservd"});
  CHECK(has(unknown, "--set:1:30: error: p5 has no price 'reservd'; it has: on-demand, reserved"));
  CHECK(has(unknown, "did you mean 'reserved'"));
  CHECK(has(priced({"cluster.use=hgx-h20", "cluster.price_terms.contract=spot"}), "hgx-h20 has no price by contract"));
}

TEST_CASE("a list's contract stands among the entry's, in place of one of the same name") {
  CHECK(priced({kOurs, "cluster.price_terms.contract=reserved"}) == "4.92 USD/h reserved 2024 us-east-1");
  CHECK(priced({kOurs, "cluster.price_terms.contract=reserved 3 years"}) ==
        "2.1 USD/h reserved 3 years 2026-10 eu-west");
  CHECK(priced({"price_list={p5: {price: 3 USD/h, contract: reserved}}", "cluster.price_terms.contract=reserved"}) ==
        "3 USD/h reserved");
  CHECK(priced({"price_list={hgx-h20: {price: 3 USD/h, contract: ours}}", "cluster.use=hgx-h20",
                "cluster.price_terms.contract=ours"}) == "3 USD/h ours");
}

TEST_CASE("an entry that extends another has none of its contracts") {
  for (const char* name : {"p5e", "p5en", "p4de", "rtx-pro-6000-8x"}) {
    const std::string told =
        priced({std::string("cluster.use=") + name, "cluster.price_terms.contract=no-such", "cluster.gpus=8"});
    CHECK_MESSAGE(!has(told, ", reserved\n"), told);
    CHECK_MESSAGE(has(told, "has no price 'no-such'; it has: "), told);
  }
  CHECK(priced({"cluster.use=rtx-6000-ada-8x", "cluster.gpus=8", "cluster.price_terms.contract=community"}) ==
        "0.74 USD/h community 2026-10");
}

TEST_CASE("contracts stand in a cluster's file, not in a scenario") {
  const std::string told = priced({"cluster.prices.spot={price: 1 USD/h}"});
  CHECK(has(told, "cluster.prices stands in a file of the cluster, not in a scenario"));
  CHECK(has(priced({"cluster.prices.spot={prise: 1 USD/h}"}), "unknown field 'cluster.prices.spot.prise'"));
}

TEST_CASE("several contracts are a choice of a search, and the cheapest is found") {
  sample::Texts texts(kP5, overrides({"cluster.price_terms.contract=[on-demand, reserved]", "goal={minimize: usd}",
                                      "parallelism.tp=[1, 2]", "software={use: megatron-core}"}));
  const planner::ScenarioText read = texts.text();
  auto open = planner::read_open_scenario(read.source, read.overrides, read.catalog, texts.sources, texts.diagnostics);
  REQUIRE_MESSAGE(open, texts.told());
  const planner::SearchResult found = planner::search(*open, {});
  REQUIRE(!found.plans.empty());
  CHECK(found.evaluated == 4);
  CHECK(dsl::to_text(found.plans.front().choices[0]).find("reserved") != std::string::npos);
  const std::string wrong = priced({"cluster.price_terms.contract=[on-demand, spot]"});
  CHECK(has(wrong, "p5 has no price 'spot'"));
}
