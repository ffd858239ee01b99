// `tune` of traces: the page of passes, budgets, and decisions that `replay` applies again.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/sample_files.h"
#include "tests/dsl/folder.h"
#include "tests/planner/trace/training.h"

using Json = nlohmann::ordered_json;
using sample::Training;

namespace {

struct Files {
  TestFolder files;
  std::string trace;
  explicit Files(const Training& run = {}) : trace(files.add("trace.json", sample::training(run).text())) {}
  Json document(std::vector<std::string> args) const {
    args.insert(args.end(), {"--format", "json"});
    const Ran r = ran(args);
    REQUIRE_MESSAGE(r.status == 0, r.err);
    return Json::parse(r.out);
  }
  std::string path(const char* name) const { return files.name() + "/" + name; }
};

}  // namespace

TEST_CASE("tune: a run without reductions has its other passes, each with its gain or why it does not apply") {
  const Files run;
  const Json doc = run.document({"tune", run.trace});
  REQUIRE(doc["passes"].size() == 6);
  for (const Json& pass : doc["passes"]) {
    const bool of_gradients = pass["pass"].get<std::string>().starts_with("tensor-");
    CHECK(pass["applies"] == !of_gradients);
    CHECK(pass["gain_seconds"].is_null() == of_gradients);
  }
  CHECK(doc["memory_estimate"]["source"] == "shapes");
  CHECK(doc["step_seconds_after"] < doc["step_seconds_before"]);
  CHECK(run.document({"tune", run.trace, "--passes", "none"})["passes"].empty());
  const Json one = run.document({"tune", run.trace, "--passes", "operator-fusion,recompute"});
  REQUIRE(one["passes"].size() == 2);
  CHECK(one["decisions"].size() == 1);
  CHECK(holds(ran({"tune", run.trace}, "", 160).out, "not applicable: the traces have no all-reduce"));
  CHECK(ran({"tune", run.trace, "--passes", "magic"}).status == 2);
}

TEST_CASE("replay --apply: passes that tune has written shorten the step by what it said") {
  const Files run(Training{.layers = 12, .steps = 3, .host_us = 30});
  for (const char* passes : {"operator-fusion", "mixed-precision", "operator-fusion,mixed-precision"}) {
    const Json doc =
        run.document({"tune", run.trace, "--passes", passes, "--write-decisions", run.path("passes.json")});
    const Json change = run.document({"replay", run.trace, "--apply", run.path("passes.json")})["change"];
    const double said = doc["step_seconds_before"].get<double>() - doc["step_seconds_after"].get<double>();
    const double came = change["measured_seconds"].get<double>() - change["changed_seconds"].get<double>();
    CHECK(said > 0);
    CHECK_MESSAGE(came == doctest::Approx(said).epsilon(0.02), passes);
  }
}

TEST_CASE(
    "tune: --memory is the budget of traces and of scenarios; what nothing fits is told with what comes nearest") {
  const Files run(Training{.layers = 30, .rows = 4096});
  const Json free = run.document({"tune", run.trace});
  const double held = free["memory_estimate"]["parameter_bytes"].get<double>();
  const std::string passes = "recompute,gradient-accumulation";
  const std::string budget = std::to_string(static_cast<int64_t>(free["peak_bytes_before"].get<double>() * 0.7)) + " B";
  const Json fits = run.document({"tune", run.trace, "--passes", passes, "--memory", budget});
  CHECK(fits["fits"] == true);
  CHECK(fits["peak_bytes_after"] <= fits["budget_bytes"]);
  CHECK(fits["step_seconds_after"] > fits["step_seconds_before"]);
  const Ran none = ran({"tune", run.trace, "--memory", std::to_string(static_cast<int64_t>(held)) + " B"});
  CHECK(none.status == 3);
  CHECK(holds(none.err, "not feasible: memory: no way to save memory fits"));
  CHECK(holds(none.err, "comes nearest, with"));
  for (const char* wrong : {"5 xx", "-3 GB", "0", "3 s"}) {
    const Ran r = ran({"tune", run.trace, "--memory", wrong});
    CHECK_MESSAGE(r.status == 1, wrong);
    CHECK(holds(r.err, std::string("--memory: '") + wrong + "' is no size"));
    const Ran scenario = ran({"tune", "scenarios/dpro-bert-base.yaml", "--memory", wrong});
    CHECK(scenario.status == 1);
    CHECK(holds(scenario.err, std::string("--memory: '") + wrong + "' is no size"));
  }
}

TEST_CASE("tune: a budget needs a trace that says what is kept; what is not known is null") {
  const Files run(Training{.type = ""});
  const Ran r = ran({"tune", run.trace, "--memory", "1 GB"});
  CHECK(r.status == 1);
  CHECK(holds(r.err, "--memory: the traces do not say what the run keeps in memory"));
  const Json doc = run.document({"tune", run.trace});
  for (const char* key : {"peak_bytes_before", "peak_bytes_after"}) CHECK(doc[key].is_null());
  for (const char* key : {"activation_bytes", "other_bytes"}) CHECK(doc["memory_estimate"][key].is_null());
}

TEST_CASE("replay --apply: what is wrong in passes is told at its place") {
  const Files run;
  const auto file = [&](const std::string& passes) {
    return run.files.add("wrong.json", R"({"format": "trainplan.decisions/1", "strategy": "", "measured_seconds": 1,
"replayed_seconds": 1, "gradients": 0, "unreduced": [], "reduction": null, "buckets": [], "decisions": [],
"passes": )" + passes + "}");
  };
  const std::string good =
      R"({"matrix_factor": null, "fuses_operators": true, "parts": 2, "blocks": 4, "recomputed": 1})";
  CHECK(ran({"replay", run.trace, "--apply", file(good)}).status == 0);
  struct Row {
    const char *from, *to, *message;
  };
  const Row rows[] = {
      {"\"parts\": 2", "\"parts\": 0", "expected a whole number from 1 for 'parts'"},
      {"\"parts\": 2", "\"parts\": 5000", "expected 1024 at most for 'parts'"},
      {"\"recomputed\": 1", "\"recomputed\": 5", "expected 4 at most for 'recomputed'"},
      {"null", "1.5", "expected 0 to 1 for 'matrix_factor'"},
      {"null", "0", "expected a share above zero for 'matrix_factor'"},
      {good.c_str(), R"({"matrix_factor": null, "fuses_operators": false, "parts": 1, "blocks": 4, "recomputed": 0})",
       "these decisions change nothing: no pass and no bucket"},
      {"\"blocks\"", "\"block\"", "unknown key 'block'"},
  };
  for (const Row& row : rows) {
    std::string text = good;
    text.replace(text.find(row.from), std::string(row.from).size(), row.to);
    const Ran r = ran({"replay", run.trace, "--apply", file(text)});
    CHECK(r.status == 1);
    CHECK_MESSAGE(holds(r.err, row.message), r.err);
  }
}
