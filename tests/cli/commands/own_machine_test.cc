// A machine that the user owns: missing fields are assumed and listed; prices with their terms; CO2.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"

using Json = nlohmann::ordered_json;

namespace {

const std::string kOwnMachine = R"(model: {use: llama3-8b}
job: {sequence: 8192, global_batch: 64, tokens: 1e9}
cluster:
  gpus: 64
  gpus_per_node: 8
  gpu: {flops: {bf16: 500 TFLOP/s}, vector_flops: 40 TFLOP/s, compute_units: 120, clock: 1.7 GHz,
        cache: 60 MB, power: 700 W, memory: 96 GB, memory_bandwidth: 3 TB/s}
  network:
    - {name: inner, size: 8, bandwidth: 300 GB/s, latency: 1 us}
    - {name: outer, bandwidth: 50 GB/s, latency: 3 us}
)";
const std::string kRentedMachine =
    "model: {use: llama3-8b}\njob: {sequence: 8192, global_batch: 64, tokens: 1e9}\n"
    "cluster: {use: dgx-h100, gpus: 64}\nparallelism: {zero: 1}\n";

Json own_plan(const std::string& text, std::vector<std::string> more = {}) {
  std::vector<std::string> words{"plan", "-", "--format", "json", "--quiet"};
  words.insert(words.end(), more.begin(), more.end());
  const Ran plan = ran(words, text);
  REQUIRE_MESSAGE(plan.status != 1, plan.err);
  return Json::parse(plan.out);
}

/// A page without its lines: wherever it is wrapped.
std::string unwrapped(const std::string& page) {
  std::string text;
  for (const char c : page)
    if (c != '\n' && c != ' ') text += c;
    else if (!text.empty() && text.back() != ' ') text += ' ';
  return text;
}

}  // namespace

TEST_CASE("a machine that nobody has measured is planned in ten lines, all of it assumed") {
  const Ran page = ran({"plan", "-", "--pick", "best", "--quiet"}, kOwnMachine);
  CHECK_MESSAGE(page.status == 0, page.err);
  for (const char* part :
       {"calibration generic-cuda", "mtbf 50000 h", "node_power 10080 W", "checkpoint.save 1 min", "assumed 100.0 %"})
    CHECK_MESSAGE(unwrapped(page.out).find(part) != std::string::npos, part);
}

TEST_CASE("each class of accelerators has its calibration, and one that is written wins") {
  const Json cuda = own_plan(kOwnMachine, {"--pick", "best"});
  CHECK(cuda.at("scenario").at("cluster").at("gpu").at("calibration").at("name") == "generic-cuda");
  for (const char* platform : {"cuda", "rocm", "xla", "synapse"}) {
    const Json plan = own_plan(kOwnMachine, {"--set", std::string("cluster.gpu.platform=") + platform, "--set",
                                             "software.attention=flash2", "--set", "parallelism.zero=1"});
    CHECK(plan.at("scenario").at("cluster").at("gpu").at("calibration").at("name") ==
          std::string("generic-") + platform);
    CHECK(plan.at("step").at("seconds").get<double>() > 0);
  }
  const Json own =
      own_plan(kOwnMachine, {"--set", "cluster.gpu.calibration={use: a100-sxm}", "--set", "parallelism.zero=1"});
  CHECK(own.at("scenario").at("cluster").at("gpu").at("calibration").at("name") == "a100-sxm");
  // It need not lie between its neighbours, but a value far from them would be a mistake.
  const double steps = cuda.at("throughput").at("mfu").get<double>();
  CHECK(steps > 0.3);
  CHECK(steps < 0.7);
}

TEST_CASE("a price has its terms beside it, one's own has none") {
  const Ran catalogue = ran({"plan", "-", "--quiet"}, kRentedMachine);
  CHECK_MESSAGE(unwrapped(catalogue.out).find("; 2.99 USD per GPU hour (on-demand, 2025) ") != std::string::npos,
                catalogue.out);
  const Ran own = ran({"plan", "-", "--quiet", "--set", "cluster.price=2 USD/h"}, kRentedMachine);
  CHECK(unwrapped(own.out).find("; 2.00 USD per GPU hour ") != std::string::npos);
  CHECK(own.out.find("on-demand") == std::string::npos);
}

TEST_CASE("CO2 is the energy of the run by the grid's intensity") {
  CHECK(own_plan(kRentedMachine).at("cost").at("co2_kg").is_null());
  const Json cost = own_plan(kRentedMachine, {"--set", "cluster.carbon=0.4"}).at("cost");
  CHECK(cost.at("co2_kg").get<double>() == doctest::Approx(0.4 * cost.at("kwh").get<double>()));
}

TEST_CASE("every price of the catalogue says what kind of price it is") {
  const Json list = Json::parse(ran({"list", "cluster", "--format", "json"}).out);
  size_t priced = 0;
  for (const Json& row : list.at("entries")) {
    const std::string name = row.at("name");
    const Ran shown = ran({"show", name, "--format", "ndjson"});
    if (shown.out.find("\"name\":\"price\",\"value\":0.") == std::string::npos) continue;
    ++priced;
    CHECK_MESSAGE(shown.out.find("\"name\":\"price_terms.contract\",\"value\":\"\"") == std::string::npos, name);
  }
  CHECK(priced > 30);
}

TEST_CASE("a plan whose layout nobody wrote says who would choose it") {
  CHECK(unwrapped(ran({"plan", "-"}, kOwnMachine).out).find("--pick best takes the best that a search finds") !=
        std::string::npos);
  CHECK(ran({"plan", "-"}, kRentedMachine).out.find("--pick best") == std::string::npos);
}

TEST_CASE("check takes layouts that are left to a search, and lists of machines") {
  for (const char* more : {"parallelism: auto\n", "parallelism: {auto: true, tp: 8}\n"}) {
    const Ran check = ran({"check", "-"}, kOwnMachine + more);
    CHECK_MESSAGE(check.status == 0, check.err);
  }
  CHECK(ran({"check", "-"},
            "model: {use: llama3-8b}\njob: {sequence: 8192, global_batch: 64}\n"
            "cluster: {use: [dgx-h100, dgx-b200], gpus: 64}\nparallelism: auto\n")
            .status == 0);
  const Ran unknown = ran({"check", "-"},
                          "model: {use: llama3-8b}\njob: {sequence: 8192, global_batch: 64}\n"
                          "cluster: {use: [dgx-h100, dgx-h1000], gpus: 64}\n");
  CHECK(unknown.status == 1);
  CHECK(unknown.err.find("no cluster named 'dgx-h1000'") != std::string::npos);
  const Ran policy = ran({"check", "-"}, kOwnMachine + "parallelism: {auto: none.yaml}\n");
  CHECK(policy.status == 1);
}

TEST_CASE("roadmap searches a layout that is left to it") {
  const std::string steps =
      "parallelism: auto\nroadmap: {steps: [{name: today}, {name: twice, scale: {cluster.gpu.speedup: 2}}]}\n";
  const Ran roadmap = ran({"roadmap", "-", "--format", "json", "--quiet"}, kOwnMachine + steps);
  REQUIRE_MESSAGE(roadmap.status == 0, roadmap.err);
  const Json page = Json::parse(roadmap.out);
  for (const Json& cell : page.at("cells")) {
    CHECK(cell.at("feasible") == true);
    CHECK(cell.at("choices").contains("parallelism.tp"));
  }
}
