// What `comm` prints: the page, its rows, the region of interest, and a layout that cannot be.
#include <doctest/doctest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"

namespace {

using Json = nlohmann::json;

constexpr const char* kScenario = R"(
model: {use: gpt3-1.3b}
job: {sequence: 2048, global_batch: 8}
cluster: {use: dgx-a100-80gb, gpus: 8}
parallelism: {tp: 2}
)";

Ran comm(std::vector<std::string> args, int width = 120) {
  args.insert(args.begin(), {"comm", "-", "--quiet"});
  return ran(args, kScenario, width);
}
bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
size_t lines(const std::string& text) { return static_cast<size_t>(std::ranges::count(text, '\n')); }

TEST_CASE("the page says what it is of, and every figure under its name") {
  const Ran r = comm({});
  CHECK(r.status == 0);
  CHECK(holds(r.out.substr(0, r.out.find('\n')), "gpt3-1.3b on 8 x a100-sxm-80gb, tp 2 x pp 1 x dp 4: "));
  for (const char* part : {"edge", "that block them", "scaling", "serialized", "of the step", "overlapped", "exposed",
                           "tensor parallelism", "By parallelism and widest tier", "Communication, per step",
                           "Slack of one layer", "mlp.fc1", "data.all-reduce"}) {
    CAPTURE(part);
    CHECK(holds(r.out, part));
  }
  CHECK(!has_nan(r.out));
}

TEST_CASE("without tensor parallelism the page says that nothing blocks; alone a GPU has no communication") {
  const Ran data = comm({"--set", "parallelism.tp=1"});
  CHECK(holds(data.out, "nothing blocks the layers"));
  CHECK(!holds(data.out, "nothing may overlap"));
  const Ran alone = comm({"--set", "parallelism.tp=1", "--set", "cluster.gpus=1", "--set", "job.global_batch=1"});
  CHECK(alone.status == 0);
  CHECK(holds(alone.out, "nothing may overlap"));
  CHECK(!holds(alone.out, "Communication, per step"));
  CHECK(!has_nan(alone.out));
}

TEST_CASE("json holds the counts, the fractions and both tables") {
  const Json j = Json::parse(comm({"--format", "json"}).out);
  CHECK(j["format"] == "trainplan.comm/1");
  CHECK(j["edge_flops_per_byte"].get<double>() ==
        doctest::Approx(j["compute_flops"].get<double>() / j["serialized_bytes"].get<double>()));
  double seconds = 0, classes = 0;
  for (const Json& row : j["communication"]) seconds += row["seconds"].get<double>();
  for (const Json& row : j["classes"]) classes += row["seconds"].get<double>();
  CHECK(seconds == doctest::Approx(classes));
  for (const Json& row : j["layers"])
    CHECK(row["slack_flops_per_byte"].get<double>() ==
          doctest::Approx(row["flops"].get<double>() / row["overlapped_bytes"].get<double>()));
}

TEST_CASE("csv and ndjson have a row for each collective") {
  const size_t rows = Json::parse(comm({"--format", "json"}).out)["communication"].size();
  REQUIRE(rows > 2);
  const Ran csv = comm({"--format", "csv"}), nd = comm({"--format", "ndjson"});
  CHECK(lines(csv.out) == rows + 1);
  CHECK(csv.out.starts_with("name,class,kind,ranks,tiers,bytes,count,seconds,hidden_seconds,exposed_seconds"));
  REQUIRE(lines(nd.out) == rows);
  const Json first = Json::parse(nd.out.substr(0, nd.out.find('\n')));
  CHECK(first["format"] == "trainplan.comm/1");
  CHECK(first["class"] == "tp");
}

TEST_CASE("--roi shows rows of matrices and what leaving out the rest saves") {
  const Ran page = comm({"--roi"});
  CHECK(page.status == 0);
  for (const char* part : {"region of interest of the overlapped communication", "of the compute that may hide it",
                           "saved", "1.5x by the FLOP of GEMMs with weights", "biases and norms"}) {
    CAPTURE(part);
    CHECK(holds(page.out, part));
  }
  const Json j = Json::parse(comm({"--roi", "--format", "json"}).out);
  CHECK(j["serialized_fraction"].is_null());
  CHECK(j["communication"].empty());
  CHECK(j["roi"]["saving"] == 1.5);
  CHECK(j["roi"]["layers"].size() == j["layers"].size() + 1);
  CHECK(j["roi"]["region_operators"].get<double>() < j["roi"]["operators"].get<double>());
  CHECK(holds(comm({"--roi", "--set", "parallelism.tp=8"}).out, "nothing is reduced: dp is 1"));
}

TEST_CASE("rows of --roi are its matrices") {
  const Ran csv = comm({"--roi", "--format", "csv", "--columns", "name,collective_bytes"});
  CHECK(csv.out.starts_with("name,collective_bytes\nattention.qkv,"));
  const Json j = Json::parse(comm({"--roi", "--format", "json", "--top", "2"}).out);
  CHECK(j["roi"]["layers"].size() == 2);
  CHECK(j["roi"]["saving"] == 1.5);
}

TEST_CASE("a layout that cannot be is status 3, its rule on the error stream") {
  for (const bool region : {false, true}) {
    std::vector<std::string> args{"--set", "parallelism={tp: 3, dp: 2}"};
    if (region) args.emplace_back("--roi");
    const Ran r = comm(args);
    CHECK(r.status == 3);
    CHECK(r.out.empty());
    CHECK(holds(r.err, "not feasible: ranks: "));
  }
}

}  // namespace
