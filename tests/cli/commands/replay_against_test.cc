// `trainplan replay --against`: the page, the document, and scenarios that cannot be compared with.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/sample_files.h"
#include "tests/dsl/folder.h"
#include "tests/planner/replay/planned_trace.h"
#include "tests/planner/replay/replayed.h"
#include "tests/planner/sample.h"

using Json = nlohmann::ordered_json;
using Words = std::vector<std::string>;

namespace {

constexpr const char* kScenario = R"(
model: {layers: 2, hidden: 1024, heads: 16, vocab: 51200, positions: 1024, tied_embeddings: true}
job: {sequence: 1024, global_batch: 16, precision: fp16}
cluster: {use: dgx-a100-80gb, gpus: 8}
parallelism: {tp: 2}
)";

/// A scenario, and a trace of the operators of kScenario.
struct Files : TestFolder {
  explicit Files(const std::string& text = kScenario) : scenario(add("job.yaml", text)) {
    sample::PlannedTrace planned(sample::ranked(0, 1));
    trace = add("rank0.json", planned.of(planner::operator_rows(sample::scenario(kScenario))).text());
  }
  Ran replay(Words more = {}) const {
    more.insert(more.begin(), {"replay", trace, "--against", scenario});
    return ran(more, "", 160);
  }
  std::string scenario, trace;
};

}  // namespace

TEST_CASE("replay --against: the plan's operators are rows, sums are others") {
  const Files files;
  const Ran r = files.replay({"--format", "json"});
  REQUIRE_MESSAGE(r.status == 0, r.err);
  const Json doc = Json::parse(r.out);
  double measured = 0, planned = 0;
  for (const Json& row : doc["against"]) {
    INFO(row.dump());
    CHECK(row["ratio"].get<double>() == doctest::Approx(1).epsilon(1e-3));
    CHECK(row["measured_count"] == row["planned_count"]);
    CHECK(row["shape"].is_null() == (row["kind"] == "vector"));
    measured += row["measured_seconds"].get<double>();
    planned += row["planned_seconds"].get<double>();
  }
  const Json& sums = doc["against_sums"];
  REQUIRE(sums.size() >= 5);
  const Json &all = sums[sums.size() - 3], &busy = sums[sums.size() - 2], &step = sums[sums.size() - 1];
  CHECK(all["work"] == "operators");
  CHECK(all["measured_seconds"].get<double>() == doctest::Approx(measured));
  CHECK(all["planned_seconds"].get<double>() == doctest::Approx(planned));
  CHECK(busy["work"] == "busy");
  CHECK(busy["planned_seconds"].is_null());
  CHECK(step["work"] == "step");
  CHECK(step["measured_seconds"] == doc["ranks"][0]["measured_seconds"]);
  const Json plan = Json::parse(ran({"plan", files.scenario, "--format", "json"}).out);
  CHECK(step["planned_seconds"] == plan["step"]["seconds"]);
}

TEST_CASE("replay --against: names, shapes and missing sides on the page") {
  const Files files;
  const std::string page = files.replay().out;
  for (const char* part :
       {"\nAgainst the plan\nwork ", "\nOperators against the plan\n", "batch=1 m=", "bytes=2097152 ranks=2", "\nstep ",
        "The plan lacks 0 rows (0 s) of what was measured; 0 rows (0 s) of the plan were not measured."})
    CHECK_MESSAGE(holds(page, part), page);
  const std::string changed =
      std::string(kScenario).replace(std::string(kScenario).find("hidden: 1024"), 12, "hidden: 2048");
  const std::string lacking = ran({"replay", files.trace, "--against", files.add("wide.yaml", changed)}).out;
  CHECK_MESSAGE(holds(lacking, "The plan lacks "), lacking);
  CHECK_FALSE(holds(lacking, "The plan lacks 0 rows"));
  CHECK_FALSE(holds(page, "Nothing of the trace is in the plan"));
}

TEST_CASE("replay --against: a trace of another run is reported before its tables") {
  const Files files;
  const std::string other =
      std::string(kScenario).replace(std::string(kScenario).find("hidden: 1024"), 12, "hidden: 1536");
  const std::string page =
      ran({"replay", files.trace, "--against", files.add("other.yaml", other), "--set", "job.sequence=768"}).out;
  const size_t said = page.find("Nothing of the trace is in the plan: is the scenario the one of this run?");
  CHECK_MESSAGE(said < page.find("Against the plan"), page);
}

TEST_CASE("replay without --against has neither the tables nor rows, and its rows stay those of ranks") {
  const Files files;
  CHECK_FALSE(holds(ran({"replay", files.trace}).out, "Against the plan"));
  const Json doc = Json::parse(ran({"replay", files.trace, "--format", "json"}).out);
  CHECK(doc["against"].empty());
  CHECK(doc["against_sums"].empty());
}

TEST_CASE("replay --against: rows of csv, --sort and --top are those of the operators, all of them") {
  const Files files;
  const Json doc = Json::parse(files.replay({"--format", "json"}).out);
  const std::string csv = files.replay({"--format", "csv"}).out;
  CHECK(csv.starts_with("work,kind,shape"));
  CHECK(static_cast<size_t>(std::ranges::count(csv, '\n')) == doc["against"].size() + 1);
  const std::string longest = files.replay({"--sort", "planned_seconds", "--top", "1", "--format", "ndjson"}).out;
  CHECK(Json::parse(longest)["planned_seconds"] == doc["against"][0]["planned_seconds"]);
  CHECK(doc["ranks"].size() == 1);
  CHECK(ran({"replay", files.trace, "--format", "csv"}).out.starts_with("rank,step,"));
}

TEST_CASE("replay --against: --set changes the plan, and not what was measured") {
  const Files files;
  const Json doc = Json::parse(files.replay({"--format", "json"}).out);
  const Json changed = Json::parse(files.replay({"--set", "job.global_batch=32", "--format", "json"}).out);
  const auto step = [](const Json& page, const char* column) { return page["against_sums"].back()[column]; };
  CHECK(step(changed, "measured_seconds") == step(doc, "measured_seconds"));
  const Ran plan = ran({"plan", files.scenario, "--set", "job.global_batch=32", "--format", "json"});
  CHECK(step(changed, "planned_seconds") == Json::parse(plan.out)["step"]["seconds"]);
  CHECK(step(changed, "planned_seconds") > step(doc, "planned_seconds"));
  const Ran wrong = files.replay({"--set", "parallelism.tpp=2"});
  CHECK(wrong.status == 1);
  CHECK_MESSAGE(holds(wrong.err, "--set:1:"), wrong.err);
  CHECK(files.replay({"--set", "parallelism.tp=3"}).status == 1);
}

TEST_CASE("replay --against: scenarios that are no one configuration are mistakes") {
  const struct {
    std::string text, message;
  } rows[] = {
      {"model: {use: none}\n", "none"},
      {std::string(kScenario) + "unknown: 1\n", "unknown"},
      {std::string(kScenario).replace(std::string(kScenario).find("tp: 2"), 5, "tp: one_of [1, 2]"), "tp"},
      {std::string(kScenario).replace(std::string(kScenario).find("tp: 2"), 5, "tp: 3"), "is not feasible: "},
  };
  for (const auto& row : rows) {
    const Files files(row.text);
    const Ran r = files.replay();
    INFO(row.text, r.err);
    CHECK(r.status == 1);
    CHECK(r.out.empty());
    CHECK(holds(r.err, row.message));
  }
  const Files files;
  const Ran none = ran({"replay", files.trace, "--against", files.name() + "/none.yaml"});
  CHECK(none.status == 1);
  CHECK(holds(none.err, "cannot read "));
}

TEST_CASE("replay --against: execution traces alone have no times") {
  const Files files;
  const Ran r = ran({"replay", "-", "--against", files.scenario},
                    R"({"schema": "1.0.1", "nodes": [{"id": 1, "name": "a", "parent": 1}]})");
  CHECK(r.status == 1);
  CHECK(holds(r.err, "--against compares measured times"));
}
