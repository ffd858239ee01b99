// `trainplan replay` with machines: predictions of collectives, --on, --ranks, --from-machine, and their mistakes.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "cli/commands/machine.h"
#include "planner/scenario/vocabulary.h"
#include "tests/cli/harness.h"
#include "tests/cli/sample_files.h"
#include "tests/dsl/folder.h"
#include "tests/planner/trace/kineto_text.h"

using Json = nlohmann::ordered_json;
using sample::KinetoText;
using Words = std::vector<std::string>;

namespace {

/// A rank of two that multiplies for 1 ms, adds for 1 ms, and then reduces 64 MiB with the other.
std::string rank(int number, const std::string& device, int size = 2) {
  KinetoText text(R"("deviceProperties": [{"id": 0, "name": ")" + device + R"("}], "distributedInfo": {"rank": )" +
                  std::to_string(number) + R"(, "world_size": )" + std::to_string(size) + "}, ");
  text.event("cpu_op", "aten::mm", 100, "1", "5", "20",
             R"("Input Dims": [[8192, 8192], [8192, 8192]], "Input type": ["c10::BFloat16", "c10::BFloat16"])");
  text.kernel("ampere_bf16_gemm", 7, 10, 1000);
  text.kernel("triton_add", 7, 1010, 1000);
  return text
      .kernel("ncclKernel_AllReduce", 9, 2010, 500,
              R"("Collective name": "allreduce", "Process Group Name": "0", "Group size": )" + std::to_string(size) +
                  R"(, "dtype": "Float", "In msg nelems": 16777216)")
      .text();
}

struct Run : TestFolder {
  explicit Run(const std::string& device = "NVIDIA A100-SXM4-40GB", int size = 2) {
    for (int r = 0; r < size; ++r) paths.push_back(add("rank" + std::to_string(r) + ".json", rank(r, device, size)));
  }
  Ran replay(const Words& more = {}) const {
    Words args{"replay"};
    args.insert(args.end(), paths.begin(), paths.end());
    args.insert(args.end(), more.begin(), more.end());
    return ran(args, "", 160);
  }
  Json json(Words more = {}) const {
    more.insert(more.end(), {"--format", "json"});
    const Ran r = replay(more);
    REQUIRE_MESSAGE(r.status == 0, r.err);
    return Json::parse(r.out);
  }
  Words paths;
};

double changed(const Json& doc) { return doc["ranks"][0]["changed_seconds"].get<double>(); }

}  // namespace

TEST_CASE("collectives are predicted on the machine that the trace names") {
  const Run run;
  const Json doc = run.json();
  const Json& collective = doc["collectives"][0];
  CHECK(collective["transfer_seconds"].get<double>() == doctest::Approx(500e-6));
  const double predicted = collective["predicted_seconds"].get<double>();
  CHECK(predicted > 64e6 / 300e9);
  CHECK(predicted < 1e-3);
  CHECK(collective["predicted_ratio"].get<double>() == doctest::Approx(predicted / 500e-6));
  CHECK(doc["scaled"].empty());
  CHECK(doc["ranks"][0]["changed_seconds"].is_null());
  const std::string page = run.replay().out;
  CHECK_MESSAGE(holds(page, "longest wait  bus bandwidth  predicted"), page);
  CHECK_MESSAGE(holds(page, "1 collective predicted: 500.0 us measured, "), page);
}

TEST_CASE("another machine changes what devices and networks take") {
  const Run run;
  const Json doc = run.json({"--on", "h100-sxm-80gb"});
  CHECK(changed(doc) < 2.4e-3);  // of 2.5 ms
  Words rows;
  double share = 0;
  for (const Json& row : doc["scaled"]) {
    rows.push_back(row["work"].get<std::string>() + " " + row["basis"].get<std::string>());
    CHECK(row["factor"].get<double>() < 1);
    share += row["share"].get<double>();
  }
  CHECK(rows == Words{"matrix shapes", "vector assumed", "collective shapes"});
  CHECK(share == doctest::Approx(1));
  // Memory: 0.86 of 1555 GB/s to 0.88 of 3352 GB/s, but for 2 us of 1 ms.
  const double memory = (1555 * 0.86) / (3352 * 0.88);
  CHECK(doc["scaled"][1]["factor"].get<double>() == doctest::Approx(0.002 + 0.998 * memory).epsilon(0.001));
  CHECK(holds(run.replay({"--on", "h100-sxm-80gb"}).out, "On the other machine\nwork        by       events"));
  // An older one is slower, and a cluster has a network of its own.
  CHECK(changed(run.json({"--on", "v100-sxm2-32gb"})) > 2.5e-3);
  CHECK(changed(run.json({"--on", "dgx-h100"})) == doctest::Approx(changed(doc)).epsilon(0.05));
}

TEST_CASE("more ranks, and ranks on nodes of their own, take longer over the network") {
  const Run run;
  const double two = run.json()["collectives"][0]["predicted_seconds"].get<double>();
  const Json many = run.json({"--ranks", "64"});
  CHECK(changed(many) > 2.5e-3);
  CHECK(many["scaled"][2]["basis"] == "assumed");  // InfiniBand's row is
  CHECK(many["scaled"][0]["basis"] == "kept");
  CHECK(many["scaled"][0]["factor"] == 1);
  CHECK(run.json({"--hosts", "0,1"})["collectives"][0]["predicted_seconds"].get<double>() > 3 * two);
  CHECK(run.json({"--hosts", "0-1"})["collectives"][0]["predicted_seconds"].get<double>() == two);
}

TEST_CASE("a device that the catalogue does not know is told, and its machine may be given") {
  const Run run("NVIDIA GeForce RTX 2080 Ti");
  const Ran page = run.replay();
  CHECK(page.status == 0);
  CHECK(page.err.empty());
  CHECK_MESSAGE(holds(page.out,
                      "Collectives are not predicted: the catalogue has no accelerator "
                      "'NVIDIA GeForce RTX 2080 Ti' (--from-machine NAME"),
                page.out);
  CHECK(!holds(page.out, "predicted  "));
  CHECK(run.json()["collectives"][0]["predicted_seconds"].is_null());
  for (const Words& asked : {Words{"--on", "dgx-1"}, {"--ranks", "8"}}) {
    const Ran r = run.replay(asked);
    CHECK(r.status == 1);
    CHECK_MESSAGE(holds(r.err, "error: the catalogue has no accelerator 'NVIDIA GeForce RTX 2080 Ti'"), r.err);
    CHECK_MESSAGE(holds(r.err, "--from-machine NAME says what the traces were measured on"), r.err);
  }
  CHECK(changed(run.json({"--from-machine", "dgx-1", "--on", "dgx-h100"})) < 2.2e-3);
  const Run unnamed("");
  CHECK(holds(unnamed.replay().out, "Collectives are not predicted: the traces do not say their device"));
}

TEST_CASE("machines that the catalogue does not have, and ranks of different devices") {
  const Run run;
  for (const char* flag : {"--on", "--from-machine"}) {
    const Ran r = run.replay({flag, "dgxh100"});
    CHECK(r.status == 1);
    CHECK_MESSAGE(holds(r.err, "error: no accelerator, cluster or calibration 'dgxh100'"), r.err);
    CHECK_MESSAGE(holds(r.err, "did you mean 'dgx-h100'"), r.err);
  }
  CHECK(run.replay({"--ranks", "0"}).status == 2);
  CHECK(run.replay({"--ranks", "2000000000"}).status == 2);
  CHECK(run.replay({"--on", "a100"}).status == 0);  // another name of a100-sxm-80gb
  const Run mixed;
  mixed.add("rank1.json", rank(1, "NVIDIA L40S"));
  const Ran r = mixed.replay({"--on", "dgx-h100"});
  CHECK(r.status == 1);
  CHECK_MESSAGE(holds(r.err, "the ranks ran on different devices: NVIDIA A100-SXM4-40GB, NVIDIA L40S"), r.err);
}

TEST_CASE("machines of one's own, by their files") {
  const Run run;
  const std::string cluster = run.add("mine.yaml", "extends: dgx-h100\nname: mine\ngpus_per_node: 8\n");
  const std::string gpu = run.add("gpu.yaml", "extends: h100-sxm-80gb\nname: gpu\nmemory_bandwidth: 1 GB/s\n");
  CHECK(changed(run.json({"--on", cluster})) == changed(run.json({"--on", "dgx-h100"})));
  CHECK(changed(run.json({"--on", gpu})) > 1);  // a kernel of 1 ms at 1555 GB/s
  const Ran none = run.replay({"--on", run.name() + "/none.yaml"});
  CHECK(none.status == 1);
  CHECK_MESSAGE(holds(none.err, "none.yaml"), none.err);
  CHECK(run.replay({"--on", run.add("bad.yaml", "name: [")}).status == 1);
  CHECK(run.replay({"--on", run.add("less.yaml", "name: less\n")}).status == 1);
}

TEST_CASE("a rank alone says that its time holds the wait for the others") {
  const TestFolder folder;
  const Ran r = ran({"replay", folder.add("rank0.json", rank(0, "NVIDIA A100-SXM4-40GB"))}, "", 160);
  CHECK(r.status == 0);
  CHECK_MESSAGE(holds(r.out, "of which 1 is here: what a collective took holds the wait for absent ranks."), r.out);
}

TEST_CASE("names that drivers give to devices are of accelerators in the catalogue") {
  cli::Session session;
  cli::open_catalog(session, {});
  const std::vector<std::string> names = dsl::catalog_names(session.catalog, "accelerator");
  for (const dsl::EntryAlias& alias : planner::vocabulary().aliases)
    if (alias.kind == "accelerator") CHECK(std::ranges::count(names, alias.name) == 1);
}

TEST_CASE("an accelerator by itself has the network whose nodes are joined fastest inside") {
  cli::Session session;
  cli::open_catalog(session, {});
  const auto machine = cli::machine_named("v100-sxm2-32gb", session);
  REQUIRE(machine);
  CHECK(machine->network.front().bandwidth.value == 150e9);
  CHECK(machine->gpus_per_node == 8);
  CHECK(machine->host.bandwidth.value > 0);
}
