// Step times of `calibrate steps` and `validate` from traces, in place of seconds.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/dsl/folder.h"
#include "tests/planner/trace/kineto_text.h"

using Json = nlohmann::ordered_json;
using sample::KinetoText;

namespace {

const std::string kHeader =
    "id,group,family,layers,hidden,heads,vocab,seq_len,gpu,gpus_per_node,n_gpus,precision,software,global_batch,tp,pp,"
    "dp,microbatch,recompute,measured_iteration_s,measured_trace\n";

std::string run(int batch, const std::string& seconds, const std::string& trace) {
  return "r,g,dense,24,2048,16,51200,2048,A100-SXM-80GB,8,8,bf16,megatron-core," + std::to_string(batch) +
         ",1,1,,1,none," + seconds + "," + trace + "\n";
}

/// Rank `rank` of `size`; its steps begin `seconds` seconds apart.
std::string stepping(int rank, int size, int steps, int64_t seconds) {
  KinetoText text = sample::ranked(rank, size);
  for (int i = 0; i < steps; ++i)
    text.event("user_annotation", "ProfilerStep#" + std::to_string(i), 100, "1",
               std::to_string(i * seconds * 1'000'000), "900000");
  return text.kernel("gemm", 7, 10, 5).text();
}

struct Folder : TestFolder {
  Folder() {
    add("a/rank0.json", stepping(0, 2, 3, 2));
    add("a/rank1.json", stepping(1, 2, 3, 2));
    add("short.json", stepping(1, 2, 2, 2));
    add("one.json", stepping(0, 1, 1, 2));
    add("none.json", stepping(0, 1, 0, 2));
    add("nodes.json", R"({"schema": "1.0.1", "nodes": [{"id": 1, "name": "a", "rf_id": 1}]})");
    add("cut.json", stepping(0, 1, 3, 2).substr(0, 300));
    add("empty.json", R"({"traceEvents": []})");
  }
  Ran on(const std::string& rows, const char* command = "calibrate") {
    const std::string table = add("runs.csv", kHeader + rows);
    std::vector<std::string> args{command};
    if (args[0] == "calibrate") args.emplace_back("steps");
    args.insert(args.end(), {table, "--format", "json"});
    if (args[0] == "calibrate") args.insert(args.end(), {"--fit", "software.step_overhead"});
    return ran(args, "");
  }
};

}  // namespace

TEST_CASE("steps of traces are fitted as their seconds would be") {
  Folder folder;
  const Ran said = folder.on(run(64, "2", "") + run(128, "3", ""));
  REQUIRE_MESSAGE(said.status == 0, said.err);
  const Ran traced = folder.on(run(64, "", "a/rank0.json a/rank1.json") + run(128, "3", ""));
  REQUIRE_MESSAGE(traced.status == 0, traced.err);
  CHECK(Json::parse(traced.out)["parameters"] == Json::parse(said.out)["parameters"]);
  const Ran validated = folder.on(run(64, "", "a/rank0.json a/rank1.json"), "validate");
  REQUIRE_MESSAGE(validated.status == 0, validated.err);
  CHECK(Json::parse(validated.out)["rows"][0]["measured_seconds"].get<double>() == doctest::Approx(2));
}

TEST_CASE("a single step is its own time on the host, and told") {
  Folder folder;
  const Ran one = folder.on(run(64, "", "one.json"), "validate");
  REQUIRE_MESSAGE(one.status == 0, one.err);
  CHECK(Json::parse(one.out)["rows"][0]["measured_seconds"].get<double>() == doctest::Approx(0.9));
  CHECK_MESSAGE(one.err.find("runs.csv:2:") != std::string::npos, one.err);
  CHECK(one.err.find("only one step is marked: its time on the host is taken") != std::string::npos);
}

TEST_CASE("traces without a time of steps are mistakes at their cell") {
  Folder folder;
  const struct {
    const char *cell, *message;
  } rows[] = {
      {"none.json", "none.json' marks no steps"},
      {"a/rank0.json short.json", "a/rank0.json' marks 3 steps, '"},
      {"nodes.json", "is an execution trace: it has no times of steps"},
      {"gone.json", "cannot read '"},
      {"cut.json", "the text ends here"},
      {"empty.json", "of its 0 events none is an operator, a call, a kernel or a PUSH"},
  };
  for (const auto& row : rows)
    for (const char* command : {"calibrate", "validate"}) {
      const Ran r = folder.on(run(64, "2", "") + run(64, "", row.cell), command);
      CHECK(r.status == 1);
      CHECK_MESSAGE(r.err.find(row.message) != std::string::npos, r.err);
      CHECK_MESSAGE(r.err.find("runs.csv:3:") != std::string::npos, r.err);
    }
  const Ran both = folder.on(run(64, "2", "one.json"));
  CHECK(both.status == 1);
  CHECK(both.err.find("the time stands in 'measured_iteration_s' and in 'measured_trace'") != std::string::npos);
}
