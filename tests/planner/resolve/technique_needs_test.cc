// Requirements of techniques on the machine, reported where the scenario requests the technique.
#include <doctest/doctest.h>

#include <string>

#include "planner/resolve/read.h"

namespace {

std::string messages(const std::string& software, const std::string& gpu) {
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  const dsl::Source& source = sources.emplace_back(
      dsl::Source{"a.yaml",
                  "model: {use: gpt2}\njob: {sequence: 1024, global_batch: 8}\n"
                  "cluster: {use: dgx-a100-80gb, gpus: 8, gpu: {" +
                      gpu + "}}\nsoftware: {use: megatron-core, " + software + "}\nparallelism: {tp: 2}\n",
                  ""});
  const dsl::Catalog catalog{planner::builtin_catalog(), {}};
  planner::read_scenario(source, {}, catalog, sources, diagnostics);
  std::string out;
  for (const dsl::Diagnostic& d : diagnostics.list)
    out += d.span.source->name + ":" + std::to_string(d.span.line) + ": " + d.message + "\n";
  return out;
}

const std::string kAdds = "near_memory: {op_and_store: 2}";

}  // namespace

TEST_CASE("memory that adds is named, at the place of the way that needs it") {
  for (const std::string way : {"t3", "t3-mca", "ideal-nmc"}) {
    CHECK(messages("fused_collectives: " + way, "") ==
          "a.yaml:4: software.fused_collectives: " + way +
              " needs cluster.gpu.near_memory.op_and_store, which 'a100-sxm-80gb' does not have\n");
    CHECK(messages("fused_collectives: " + way, kAdds) == "");
  }
  for (const std::string way : {"none", "ideal", "cu-split"}) CHECK(messages("fused_collectives: " + way, "") == "");
}

TEST_CASE("a collective leaves units to the GEMM") {
  CHECK(messages("fused_collectives: cu-split, collective_units: 107", "") == "");
  CHECK(messages("fused_collectives: cu-split, collective_units: 108", "") ==
        "a.yaml:4: collective_units: 108 leaves none of the 108 compute units to the GEMM\n");
  CHECK(messages("collective_units: 108", "") == "");
}

TEST_CASE("units near memory are named by the first figure that is missing") {
  const auto lacks = [](const std::string& units) { return messages("optimizer_on: near-memory", units); };
  CHECK(lacks("near_memory: {use: hbm2-bank-units}") == "");
  CHECK(lacks("").find("cluster.gpu.near_memory.channels") != std::string::npos);
  CHECK(lacks("near_memory: {use: hbm2-bank-units, registers: 0}").find("near_memory.registers") != std::string::npos);
}

TEST_CASE("a predictor belongs to one device, and has a weight for each feature") {
  const std::string asks = "concurrency: goldyloc";
  CHECK(messages(asks, "").find("cluster.gpu.calibration.concurrency.predictor") != std::string::npos);
  CHECK(messages("concurrency: oracle", "") == "");
  CHECK(messages(asks + ", attention: unfused", "use: mi100-32gb") == "");
  CHECK(messages(asks + ", attention: unfused", "use: mi210, calibration: {use: mi100}") ==
        "a.yaml:4: software.concurrency: goldyloc: the predictor was trained for 'mi100-32gb', the accelerator is "
        "'mi210'\n");
  CHECK(messages(asks, "calibration: {concurrency: {predictor: {device: a100-sxm-80gb, weights: [1, 2]}}}")
            .find("holds 2 of the 80 numbers") != std::string::npos);
}

TEST_CASE("the word for what was set sets nothing itself, and stays where a resolved scenario says it") {
  const std::string units = "near_memory: {use: hbm2-bank-units}", word = "techniques: near-memory-optimizer";
  CHECK(messages(word, units) ==
        "a.yaml:4: software.techniques only says what `techniques` at the top of a scenario has set\n");
  CHECK(messages("techniques: no-such", units) != "");
  CHECK(messages(word + ", optimizer_on: near-memory", units) == "");
  CHECK(messages("techniques: \"\"", units) == "");
}
