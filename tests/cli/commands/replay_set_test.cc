// `trainplan replay --on` with the file of a scenario, and --set.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/cli/sample_files.h"
#include "tests/dsl/folder.h"
#include "tests/planner/trace/kineto_text.h"

using Json = nlohmann::ordered_json;
using sample::KinetoText;
using Words = std::vector<std::string>;

namespace {

/// The first of 16 ranks that multiplies for 1 ms, adds for 1 ms, and then reduces 64 MiB with the others.
KinetoText rank() {
  return KinetoText(R"("deviceProperties": [{"id": 0, "name": "NVIDIA A100-SXM4-80GB"}],
                       "distributedInfo": {"rank": 0, "world_size": 16}, )")
      .event("cpu_op", "aten::mm", 100, "1", "5", "20",
             R"("Input Dims": [[8192, 8192], [8192, 8192]], "Input type": ["c10::BFloat16", "c10::BFloat16"])")
      .kernel("ampere_bf16_gemm", 7, 10, 1000)
      .kernel("triton_add", 7, 1010, 1000)
      .kernel("ncclKernel_AllReduce", 9, 2010, 5000,
              R"("Collective name": "allreduce", "Process Group Name": "0", "Group size": 16, "dtype": "Float",
                 "In msg nelems": 16777216)");
}

struct Files : TestFolder {
  Files() : trace(add("rank0.json", rank().text())), job(add("job.yaml", kSmallJob)) {}
  Ran replay(Words more) const {
    more.insert(more.begin(), {"replay", trace});
    return ran(more, "", 160);
  }
  /// What the step becomes.
  double changed(Words more) const {
    more.insert(more.end(), {"--format", "json"});
    const Ran r = replay(more);
    REQUIRE_MESSAGE(r.status == 0, r.err);
    return Json::parse(r.out)["ranks"][0]["changed_seconds"].get<double>();
  }
  std::string trace, job;
};

}  // namespace

TEST_CASE("--on takes the cluster of a scenario's file") {
  const Files files;
  CHECK(files.changed({"--on", files.job}) == files.changed({"--on", "dgx-a100-80gb"}));
  const std::string h100 = files.add("h100.yaml", "extends: job.yaml\ncluster: {use: dgx-h100}\n");
  CHECK(files.changed({"--on", h100}) == files.changed({"--on", "dgx-h100"}));
  // What else of it is open is nothing to a machine.
  const std::string open = files.add("open.yaml", "extends: job.yaml\nparallelism: {tp: [2, 4]}\n");
  CHECK(files.changed({"--on", open}) == files.changed({"--on", files.job}));
  const std::string gpus = files.add("gpus.yaml", "extends: job.yaml\ncluster: {gpus: [8, 16]}\n");
  CHECK(files.changed({"--on", gpus}) == files.changed({"--on", files.job}));
}

TEST_CASE("--set changes the machine of --on: a scenario's, the catalogue's, one's own") {
  const Files files;
  const std::string cluster = files.add("mine.yaml", "extends: dgx-a100-80gb\nname: mine\ngpus_per_node: 8\n");
  const std::string slower = "cluster.network.infiniband.bandwidth=2.5 GB/s";  // a tenth
  for (const std::string& machine : {files.job, std::string("dgx-a100-80gb"), cluster}) {
    CAPTURE(machine);
    const double as_it_is = files.changed({"--on", machine});
    const double changed = files.changed({"--on", machine, "--set", slower});
    CHECK(changed > as_it_is + 4e-3);
    CHECK(changed == files.changed({"--on", files.job, "--set", slower}));
  }
  const double gpu = files.changed({"--on", "a100-sxm-80gb"});
  CHECK(files.changed({"--on", "a100-sxm-80gb", "--set", "cluster.gpu.memory_bandwidth=1 GB/s"}) > 1 + gpu);
  CHECK(files.changed({"--on", "a100-sxm", "--set", "cluster.gpu.memory_bandwidth=1 GB/s"}) > 1 + gpu);
}

TEST_CASE("--set changes both where both are asked for, and of a catalogue's machine its own fields") {
  const Files files;
  const std::string slower = "cluster.network.infiniband.bandwidth=2.5 GB/s";
  const auto page = [&](Words more) {
    more.insert(more.end(), {"--against", files.job, "--set", "cluster.gpus=16", "--format", "json"});
    const Ran r = files.replay(more);
    REQUIRE_MESSAGE(r.status == 0, r.err);
    return Json::parse(r.out);
  };
  const auto planned = [](const Json& doc) { return doc["against_sums"].back()["planned_seconds"].get<double>(); };
  const auto changed = [](const Json& doc) { return doc["ranks"][0]["changed_seconds"].get<double>(); };
  for (const std::string& machine : {files.job, std::string("dgx-a100-80gb")}) {
    const Json before = page({"--on", machine}), after = page({"--on", machine, "--set", slower});
    CHECK(planned(after) > planned(before));
    CHECK(changed(after) > changed(before) + 4e-3);
    const Json other = page({"--on", machine, "--set", "parallelism.tp=4"});
    CHECK(planned(other) != planned(before));
    CHECK(changed(other) == changed(before));
  }
}

TEST_CASE("--set without anything to change, and what it cannot change") {
  const Files files;
  const std::string open =
      files.add("open.yaml", "extends: job.yaml\ncluster: {network: {infiniband: {bandwidth: [25 GB/s, 50 GB/s]}}}\n");
  const struct {
    Words flags;
    std::string message;
  } rows[] = {
      {{"--set", "cluster.gpus=8"}, "error: --set 'cluster.gpus=8' changes nothing\nhint: it changes the scenario of "},
      {{"--from-machine", "dgx-a100-80gb", "--set", "cluster.gpus=8"}, "changes nothing"},
      {{"--on", "dgx-a100-80gb", "--set", "parallelism.tp=2"}, "--set:1:1: error: "},
      {{"--on", "a100-sxm-80gb", "--set", "cluster.network=[]"}, "--set:1:9: error: "},
      {{"--on", "dgx-a100-80gb", "--set", "cluster.gpu.memory_bandwidth=1 GiB"}, "--set:1:"},
      {{"--on", files.job, "--set", "cluster.gpu.no=1"}, "--set:1:"},
      {{"--on", open}, "cluster.network[1].bandwidth' is open, and a machine has one value of it"},
      {{"--on", files.add("broken.yaml", "model: {use: none}\ncluster: {use: dgx-h100, gpus: 8}\n")}, "none"},
  };
  for (const auto& row : rows) {
    const Ran r = files.replay(row.flags);
    CAPTURE(row.message);
    CHECK(r.status == 1);
    CHECK(r.out.empty());
    CHECK_MESSAGE(holds(r.err, row.message), r.err);
  }
  const Ran said = files.replay({"--on", open, "--set", "cluster.network.infiniband.bandwidth=25 GB/s"});
  CHECK_MESSAGE(said.status == 0, said.err);
}

TEST_CASE("execution traces run on the machine of a scenario, as --set changes it") {
  const Files files;
  const char* const node = R"({"workload_graph": [{"Id": 1, "Name": "a", "NodeType": 7, "comm_type": 0,
      "comm_size": 67108864, "ctrlDeps": [], "data_deps": []}]})";
  Words paths;
  for (int r = 0; r < 16; ++r) paths.push_back(files.add("et" + std::to_string(r) + ".json", node));
  const auto end = [&](Words more) {
    more.insert(more.begin(), paths.begin(), paths.end());
    more.insert(more.begin(), "replay");
    more.insert(more.end(), {"--format", "json"});
    const Ran r = ran(more);
    REQUIRE_MESSAGE(r.status == 0, r.err);
    return Json::parse(r.out)["executed"][0]["end_seconds"].get<double>();
  };
  CHECK(end({"--on", files.job}) == end({"--from-machine", "dgx-a100-80gb"}));
  CHECK(end({"--on", files.job, "--set", "cluster.network.infiniband.bandwidth=2.5 GB/s"}) >
        5 * end({"--on", files.job}));
}
