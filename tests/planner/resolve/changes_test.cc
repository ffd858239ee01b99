// `--set PATH*=VALUE`: what a scenario has, changed.
#include <doctest/doctest.h>

#include "planner/resolve/read.h"
#include "planner/search/search.h"
#include "tests/planner/texts.h"

namespace {

using Sets = std::vector<std::string>;

constexpr const char* kRun = R"(model: {use: llama3-8b}
job: {sequence: 8192, global_batch: 128, tokens: 1e9}
cluster: {use: dgx-h100, gpus: 64, price: 2 USD/h}
goal: {deadline: 10 d}
)";

/// The field's value, "2.1 USD/h", or the messages.
std::string changed(const Sets& sets, const char* path) {
  std::vector<dsl::Override> overrides;
  for (const std::string& set : sets) overrides.push_back({set});
  sample::Texts texts(kRun, overrides);
  const planner::ScenarioText read = texts.text();
  const auto loaded =
      planner::read_scenario(read.source, read.overrides, read.catalog, texts.sources, texts.diagnostics);
  return loaded ? dsl::to_text(loaded->record.find(path)->value) : texts.told();
}

struct ChangeCase {
  Sets sets;
  const char *path, *value;
};
const ChangeCase kChanges[] = {
    {{"job.tokens*=1.5"}, "job.tokens", "1500000000"},
    {{"job.tokens/=4"}, "job.tokens", "250000000"},
    {{"job.tokens+=1e9", "job.tokens*=2"}, "job.tokens", "4000000000"},
    {{"job.tokens*=2", "job.tokens=3e9"}, "job.tokens", "6000000000"},  // a change comes after a value
    {{"cluster.price-=0.5 USD/h"}, "cluster.price", "0.00041666666666666664 USD/s"},
    {{"cluster.price*=0.5", "price_list={dgx-h100: {price: 3 USD/h}}"}, "cluster.price", "1 USD/h"},
    {{"goal.deadline*=2"}, "goal.deadline", "20 d"},
    {{"cluster.gpu.memory*=2"}, "cluster.gpu.memory", "163118 MiB"},                            // of the catalogue
    {{"cluster.network.infiniband.bandwidth*=2"}, "cluster.network[1].bandwidth", "100 GB/s"},  // by its name
    {{"cluster.network[1].bandwidth/=2"}, "cluster.network[1].bandwidth", "25 GB/s"},
    {{"cluster.carbon*=2"}, "job.tokens", "1000000000"},             // a machine may lack a figure: a warning
    {{"parallelism.microbatch*=2"}, "parallelism.microbatch", "2"},  // a default
    {{"job.tokens*=job.sequence / 4096"}, "job.tokens", "2000000000"}};

struct MistakeCase {
  const char *set, *told;
};
constexpr MistakeCase kMistakes[] = {
    {"cluster.network.ethernet.bandwidth*=2", "error: no item of this list is named 'ethernet'"},
    {"model*=2", "--set:1:1: error: a section has no value to change"},
    {"cluster.pricee*=2", "--set:1:9: error: unknown field 'cluster.pricee'"},
    {"model.name*=2", "--set:1:1: error: model.name is not a number: only numbers can be changed"},
    {"goal.budget*=2", "--set:1:6: error: there is no value to change"},
    {"job.tokens*=", "error: expected one value behind '*='"},
    {"job.tokens*=[1, 2]", "error: expected one value behind '*='"}};

}  // namespace

TEST_CASE("a change acts on what is written, on the catalogue's figure and on a default") {
  for (const ChangeCase& c : kChanges) {
    CAPTURE(c.sets.front());
    CHECK(changed(c.sets, c.path) == c.value);
  }
}

TEST_CASE("a change of nothing, of a section or of a name is refused") {
  for (const MistakeCase& c : kMistakes) {
    const std::string told = changed({c.set}, "job.tokens");
    CAPTURE(told);
    CHECK(told.find(c.told) != std::string::npos);
    CHECK(told.find("error:", told.find("error:") + 1) == std::string::npos);
  }
}

TEST_CASE("a change of a list changes each of its items") {
  sample::Texts texts(kRun, {{"parallelism.tp=[1, 2]"}, {"parallelism.tp*=4"}});
  const planner::ScenarioText read = texts.text();
  const auto open =
      planner::read_open_scenario(read.source, read.overrides, read.catalog, texts.sources, texts.diagnostics);
  REQUIRE_MESSAGE(open, texts.told());
  const planner::SearchResult result = planner::search(*open, {.top = 9, .pareto = {}});
  std::vector<double> found;
  for (const planner::Found& plan : result.plans) found.push_back(std::get<dsl::Number>(plan.choices[0].v).value);
  std::ranges::sort(found);
  CHECK(found == std::vector<double>{4, 8});
}
