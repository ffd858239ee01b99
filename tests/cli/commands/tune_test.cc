// `trainplan tune`: its page, its document, and how it ends.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "planner/studies/settings/setting_passes.h"
#include "tests/cli/harness.h"
#include "tests/cli/sample_files.h"
#include "tests/dsl/folder.h"

using Json = nlohmann::ordered_json;

namespace {

constexpr const char* kJob = R"(
model: {layers: 8, hidden: 1024, heads: 16, vocab: 51200, positions: 1024, tied_embeddings: true}
job: {sequence: 1024, global_batch: 32, precision: fp16}
cluster: {use: dgx-a100-80gb, gpus: 32}
software: {use: megatron-core}
parallelism: {dp: 32}
)";

Json tuned(const TestFolder& files, std::vector<std::string> more = {}) {
  std::vector<std::string> args{"tune", files.name() + "/job.yaml", "--format", "json"};
  args.insert(args.end(), more.begin(), more.end());
  const Ran r = ran(args);
  REQUIRE_MESSAGE(r.status == 0, r.err);
  return Json::parse(r.out);
}

double step_of(const Json& doc, const std::string& strategy) {
  for (const Json& row : doc["strategies"])
    if (row["strategy"] == strategy) return row["step_seconds"];
  FAIL(strategy);
  return 0;
}

}  // namespace

TEST_CASE("tune: the best strategy is no slower than any other, and its buckets hold all gradients") {
  TestFolder files;
  files.add("job.yaml", kJob);
  const Json doc = tuned(files);
  double best = step_of(doc, "best"), bytes = 0, before = 0;
  for (const Json& row : doc["strategies"]) CHECK(row["step_seconds"].get<double>() >= best * (1 - 1e-9));
  for (const Json& bucket : doc["buckets"]) {
    bytes += bucket["bytes"].get<double>();
    CHECK(bucket["begin_seconds"].get<double>() >= bucket["ready_seconds"].get<double>());
    CHECK(bucket["begin_seconds"].get<double>() >= before);
    CHECK(bucket["end_seconds"].get<double>() > bucket["begin_seconds"].get<double>());
    before = bucket["end_seconds"];
  }
  CHECK(before + doc["after_seconds"].get<double>() <= best * (1 + 1e-9));
  CHECK(doc["buckets"].size() > 1);
  // 8 layers of 12 h^2 and small tensors; both embeddings: 51200 and 1024 rows. Gradients of two bytes or four.
  const double parameters = 8 * 12 * 1024.0 * 1024.0 + 52224 * 1024.0;
  CHECK(std::min(std::abs(bytes / parameters - 2), std::abs(bytes / parameters - 4)) < 0.01);
}

TEST_CASE("tune: a setting is written as the framework takes it") {
  TestFolder files;
  files.add("job.yaml", kJob);
  const Json doc = tuned(files);
  for (const Json& row : doc["strategies"]) {
    const bool is_set = !row["setting"].is_null();
    CHECK(is_set == !row["size_bytes"].is_null());
    if (row["strategy"] == "ddp") CHECK(row["setting"] == "bucket_cap_mb=25");
    if (row["strategy"] == "byteps") CHECK(row["setting"] == "BYTEPS_PARTITION_BYTES=4096000");
    if (row["strategy"] == "xla") CHECK(row["operators"] == "one");
  }
}

TEST_CASE("tune: a page, rows and partitions") {
  TestFolder files;
  const std::string job = files.add("job.yaml", kJob);
  const Ran page = ran({"tune", job});
  CHECK(page.status == 0);
  for (const char* const text : {"all-reduce of 32 ranks", "Strategies", "Buckets of the best", "ddp", "best"})
    CHECK(holds(page.out, text));
  const Ran rows = ran({"tune", job, "--format", "csv", "--columns", "strategy,step_seconds"});
  CHECK(rows.out.starts_with("strategy,step_seconds"));
  const Json whole = tuned(files, {"--set", "parallelism.servers=4", "--most-partitions", "1"});
  for (const Json& bucket : whole["buckets"]) CHECK(bucket["partitions"] == 1);
  CHECK(step_of(tuned(files, {"--set", "parallelism.servers=4"}), "best") < step_of(whole, "best"));
}

TEST_CASE("tune: gradients that cannot be fused leave the other settings, with the reason") {
  TestFolder files;
  const std::string job = files.add("job.yaml", kJob);
  const Ran sharded = ran({"tune", job, "--set", "parallelism={dp: 32, zero: 3}"}, "", 160);
  CHECK(sharded.status == 0);
  CHECK(holds(sharded.out,
              "gradients: sharded units are reduced one by one, each by itself; tune a layout of "
              "parallelism.zero below 3"));
  CHECK(holds(sharded.out, "operator-fusion"));
  const Ran rows = ran({"tune", job, "--set", "parallelism={dp: 32, zero: 3}", "--format", "csv"});
  CHECK(rows.out.starts_with("pass,setting,replayed_gain_seconds"));
  const Ran wrong = ran({"tune", job, "--set", "parallelism={dp: 7}"});
  CHECK(wrong.status != 0);
  CHECK(ran({"tune", job, "--most-partitions", "0"}).status == 2);
  CHECK(ran({"tune"}).status == 2);
}

TEST_CASE("tune: decisions are settings that a plan takes, and come to the step that is said") {
  TestFolder files;
  const std::string job = files.add("job.yaml", kJob);
  for (const std::string& memory : {std::string("cluster.gpu.memory=80 GB"), std::string("cluster.gpu.memory=7 GB")}) {
    const Json doc = tuned(files, {"--set", memory});
    std::vector<std::string> args{"plan", job, "--set", memory, "--format", "json"};
    for (const Json& row : doc["decisions"]) {
      CHECK(row["setting"].get<std::string>().find(';') == std::string::npos);
      args.insert(args.end(), {"--set", row["setting"]});
    }
    const Json plan = Json::parse(ran(args).out);
    CHECK(plan["step"]["seconds"] == doc["step_seconds_after"]);
    CHECK(plan["memory"]["device_bytes"] == doc["peak_bytes_after"]);
    CHECK(doc["fits"] == true);
  }
}

TEST_CASE("tune: --passes names each pass of the table, and leaves the others alone") {
  TestFolder files;
  files.add("job.yaml", kJob);
  for (const planner::SettingPass& pass : planner::setting_passes()) {
    CAPTURE(pass.name);
    const Json doc = tuned(files, {"--passes", pass.name, "--set", "job.precision=fp32"});
    for (const Json& row : doc["decisions"]) CHECK(row["pass"] == pass.name);
  }
  const Json none = tuned(files, {"--passes", "none"});
  CHECK(none["decisions"].empty());
  CHECK(none["step_seconds_before"] == none["step_seconds_after"]);
  CHECK(ran({"tune", files.name() + "/job.yaml", "--passes", "magic"}).status == 2);
}

TEST_CASE("tune: a budget that nothing meets ends with what comes nearest") {
  TestFolder files;
  const std::string job = files.add("job.yaml", kJob);
  const Ran r = ran({"tune", job, "--set", "cluster.gpu.memory=100 MB"}, "", 160);
  CHECK(r.status == 3);
  CHECK(holds(r.out, "Ways to save memory"));
  CHECK(holds(r.err, "not feasible: memory: no way to save memory fits "));  // a peak of goal.fit
  CHECK(holds(r.err, "comes nearest, with "));
}

TEST_CASE("tune: traces are told by what they are, and have a row of what was measured") {
  TestFolder files;
  const auto event = [](const char* category, const char* name, int thread, int start, int duration,
                        const std::string& more) {
    return R"({"ph": "X", "cat": ")" + std::string(category) + R"(", "name": ")" + name + R"(", "pid": 1, "tid": )" +
           std::to_string(thread) + R"(, "ts": )" + std::to_string(start) + R"(, "dur": )" + std::to_string(duration) +
           R"(, "args": {)" + more + "}}";
  };
  const std::string call = R"("correlation": 1)", sum = R"("correlation": 2)";
  const std::string trace =
      files.add("trace.json",
                R"({"distributedInfo": {"rank": 0, "world_size": 1}, "traceEvents": [)" +
                    event("cuda_runtime", "launch", 1, 0, 1, call) + "," + event("kernel", "wgrad", 7, 2, 10, call) +
                    "," + event("cpu_op", "torch::autograd::AccumulateGrad", 1, 3, 2, "") + "," +
                    event("cuda_runtime", "launch", 1, 6, 1, sum) + "," +
                    event("kernel", "ncclDevKernel_AllReduce", 9, 13, 5,
                          sum + R"(, "Collective name": "allreduce", "dtype": "Float", "In msg nelems": 100)") +
                    "]}");
  const Ran r = ran({"tune", trace, "--format", "json"});
  REQUIRE_MESSAGE(r.status == 0, r.err);
  const Json doc = Json::parse(r.out);
  CHECK(step_of(doc, "measured") == doctest::Approx(16e-6));
  CHECK(doc["step_seconds"] == doctest::Approx(16e-6));
  CHECK(holds(r.err, "the traces say no shapes of gradients"));
  CHECK(holds(ran({"tune", trace}, "", 160).out, "the measured step takes 16.00 us"));
  CHECK(holds(ran({"tune", trace, "--set", "a=1"}).err, "--set and --pick change a scenario"));
  const std::string idle = files.add("idle.json", R"({"traceEvents": [)" + event("kernel", "a", 7, 2, 1, "") + "]}");
  CHECK(holds(ran({"tune", idle}).err, "no operator of the traces hands over a gradient"));
  const std::string job = files.add("job.yaml", kJob);
  CHECK(ran({"tune", job, job}).status == 2);
}
