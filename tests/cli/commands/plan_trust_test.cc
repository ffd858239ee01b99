// A plan's statements about its own figures: compared runs, and unwritten fields.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/dsl/folder.h"

using Json = nlohmann::ordered_json;

namespace {

const std::string kText =
    "model: {use: llama3-8b}\n"
    "job: {sequence: 8192, global_batch: 64, precision: bf16, tokens: 1e9}\n"
    "cluster: {use: dgx-h100, gpus: 8}\n"
    "parallelism: {tp: 2, microbatch: 1}\n";

Ran planned(const std::string& text, std::vector<std::string> flags = {}) {
  std::vector<std::string> args{"plan", "-"};
  args.insert(args.end(), flags.begin(), flags.end());
  return ran(args, text);
}

Json json(const std::string& text, std::vector<std::string> flags = {}) {
  flags.insert(flags.end(), {"--format", "json", "--quiet"});
  return Json::parse(planned(text, flags).out);
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("a plan says how many runs of its software were compared, or that none was") {
  const std::string nemo = kText + "software: {use: nemo}\n";
  CHECK(has(planned(nemo).out, "measured runs of nemo on hopper (dense, 16-bit):"));
  const Json compared = json(nemo)["accuracy"];
  CHECK(compared["generation"] == "hopper");
  CHECK(compared["kind"] == "dense");
  CHECK(compared["runs"].get<int>() > 10);
  CHECK(compared["relative_error"].get<double>() > 0.01);
  CHECK(json(nemo, {"--set", "cluster.gpu.speedup=2"})["accuracy"]["runs"] == 0);
  CHECK(has(planned(nemo, {"--set", "cluster={use: mi300x-oam}"}).out,
            "no measured run of nemo on cdna3 (dense, 16-bit)"));
}

TEST_CASE("a plan whose measured runs were far off is moved by them, and says so") {
  const std::string text = kText + "software: {use: torchtitan-compile}\n";
  const std::vector<std::string> on{"--set", "cluster={use: dgx-b200, gpus: 8}"};
  std::vector<std::string> still = on;
  still.insert(still.end(), {"--set", "software.errors.strays.family=0"});
  const Json moved = json(text, on), unmoved = json(text, still);
  const double shift = moved["accuracy"]["shift"];
  CHECK(shift > 0.1);
  CHECK(unmoved["accuracy"]["shift"] == 0);
  CHECK(moved["step"]["seconds"].get<double>() ==
        doctest::Approx((1 + shift) * unmoved["step"]["seconds"].get<double>()));
  const std::string plan = planned(text, on).out;
  CHECK(has(plan, fmt::format("they took {:.1f} %", 100 * shift)));
  CHECK(has(plan, "longer than their operators say"));
  CHECK(!has(planned(text, still).out, "operators say"));
}

TEST_CASE("a plan names the defaults that change it most") {
  const Ran open = planned(kText, {"--quiet"});
  CHECK(has(open.out, "Defaults that change this plan most"));
  CHECK(has(open.out, "Assumed, not written: software other"));
  const Json unwritten = json(kText)["unwritten"];
  std::vector<std::string> fields;
  for (const Json& f : unwritten) {
    fields.push_back(f["field"]);
    for (const Json& a : f["alternatives"]) {
      const Json there = json(kText, {"--set", f["field"].get<std::string>() + "=" + a["value"].get<std::string>()});
      CHECK(there["step"]["seconds"] == a["step_seconds"]);
      CHECK(there["memory"]["peak_bytes"] == a["peak_bytes"]);
      CHECK(there["feasible"] == a["feasible"]);
    }
  }
  CHECK(fields == std::vector<std::string>{"parallelism.recompute", "software.use", "software.attention"});
  // Written fields are not listed again; a resolved scenario writes everything.
  const Json resolved = json(json(kText)["scenario"].dump());
  CHECK(!resolved.contains("unwritten"));
  CHECK(resolved["step"] == json(kText)["step"]);
}

TEST_CASE("with the first of open choices the rest of the text is asked all the same") {
  const Json picked = json(kText, {"--set", "parallelism.tp=[2, 4]", "--pick", "first"});
  CHECK(picked.contains("unwritten"));
  CHECK(picked["unwritten"] == json(kText)["unwritten"]);
}

TEST_CASE("where more than half is assumed the page says so before its figures") {
  const Ran assumed = planned(kText, {"--quiet", "--set", "cluster.gpu.calibration.use=generic-cuda"});
  const size_t caution = assumed.out.find("More than half is assumed: ");
  REQUIRE(caution != std::string::npos);
  CHECK(caution < assumed.out.find("layout "));
  CHECK(!has(planned(kText, {"--quiet"}).out, "More than half is assumed"));
}

TEST_CASE("a kernel that the accelerator lacks is a preference of the profile, and a mistake of the user") {
  const std::string v100 =
      "model: {use: llama-7b}\njob: {sequence: 2048, global_batch: 8, precision: fp16}\n"
      "cluster: {use: dgx-1, gpus: 8}\nparallelism: {zero: 2, recompute: full}\nsoftware: {use: deepspeed";
  const Ran preferred = planned(v100 + "}\n");
  CHECK(preferred.status == 0);
  CHECK(has(preferred.err, "software deepspeed prefers an attention kernel that is not calibrated on v100"));
  const Ran said = planned(v100 + ", attention: default}\n");
  CHECK(!has(said.err, "prefers"));
  CHECK(said.out == preferred.out);
  const Ran wrong = planned(v100 + ", attention: sdpa}\n");
  CHECK(wrong.status == 1);
  CHECK(has(wrong.err, ":5:39: error: no attention kernel 'sdpa' is calibrated on v100"));
  // Measured by oneself, without a fused kernel: attention is unfused.
  TestFolder folder;
  const std::string machine =
      folder.add("mine.yaml", "gemm: {fp16: {tile_m: [128], tile_n: [128], tile_efficiency: [1]}}\n");
  const std::string own = v100 + "}\n";
  const Ran measured = ran({"plan", "-", "--set", "cluster.gpu.calibration={use: " + machine + "}"}, own);
  CHECK_MESSAGE(measured.status != 1, measured.err);
  CHECK(!has(measured.err, "no attention kernel"));
}
