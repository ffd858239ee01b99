// `trainplan replay --on` compared with the same operators measured on another machine.
//
// Forward operators of one layer of BERT-large, 8 sequences of 512, and of its embeddings and head, in fp32 without
// TF32: NeuSight (ASPLOS 2025, github.com/sitar-lab/NeuSight, MIT), dataset/test, those above 40 us, equal ones once.
// Nothing was fitted to their ratios; the efficiencies of vector kernels on V100 and A100 come from sweeps of the same
// authors. The limits are the accuracy reached so far: a change for the worse fails.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/dsl/folder.h"
#include "tests/planner/trace/kineto_text.h"

using Json = nlohmann::ordered_json;

namespace {

/// Microseconds on V100 PCIe 32 GB, A100 PCIe 80 GB, H100 SXM 80 GB. `op` null: a kernel without shapes.
struct OpRow {
  const char *op, *shapes;
  double us[3];
};
constexpr OpRow kOps[] = {
    {"aten::addmm", "[[1024], [4096, 1024], [1024, 1024]]", {848.1, 552.4, 191.8}},     // query
    {"aten::bmm", "[[128, 512, 64], [128, 64, 512]]", {581.8, 356.4, 214.2}},           // scores
    {"aten::bmm", "[[128, 512, 512], [128, 512, 64]]", {586.6, 533.3, 139.1}},          // context
    {"aten::addmm", "[[1024], [4096, 1024], [1024, 1024]]", {772.9, 551.1, 190.0}},     // output
    {"aten::addmm", "[[4096], [4096, 1024], [1024, 4096]]", {2669.8, 1846.5, 704.2}},   // FC-1
    {"aten::addmm", "[[1024], [4096, 4096], [4096, 1024]]", {2641.1, 2103.5, 690.2}},   // FC-2
    {"aten::addmm", "[[30522], [4096, 1024], [1024, 30522]]", {19101, 13695, 4964.9}},  // decoder
    {nullptr, "word embeddings", {81.5, 61.2, 35.7}},
    {nullptr, "token type embeddings", {96.3, 73.7, 41.2}},
    {nullptr, "add", {74.5, 41.6, 22.9}},
    {nullptr, "layer norm", {82.9, 48.5, 28.3}},
    {nullptr, "dropout", {76.0, 43.8, 23.9}},
    {nullptr, "scale", {343.6, 177.8, 96.6}},
    {nullptr, "mask", {374.6, 190.5, 119.7}},
    {nullptr, "softmax", {345.9, 179.6, 97.4}},
    {nullptr, "dropout of scores", {456.5, 227.5, 128.7}},
    {nullptr, "contiguous", {63.5, 37.5, 20.7}},
    {nullptr, "gelu", {177.2, 93.2, 52.1}},
    {nullptr, "gelu of head", {54.9, 29.9, 14.7}},
};
// V100 over PCIe has no entry of its own; its rates are of NVIDIA's V100 datasheet.
constexpr const char* kMachines[] = {"v100-pcie.yaml", "a100-pcie-80gb", "h100-sxm-80gb"};
constexpr const char* kV100 =
    "extends: v100-sxm2-32gb\nname: v100-pcie\nflops: {fp32: 14 TFLOP/s, fp16: 112 TFLOP/s}\nvector_flops: 14 "
    "TFLOP/s\n";

std::string trace_on(size_t machine) {
  sample::KinetoText text;
  int64_t at = 0;
  for (const OpRow& row : kOps) {
    if (row.op)
      text.event("cpu_op", row.op, 100, "1", std::to_string(at), "4",
                 fmt::format(R"("Input Dims": {}, "Input type": ["float", "float", "float"])", row.shapes));
    text.kernel(row.op ? "sgemm" : row.shapes, 7, at + 2, std::llround(row.us[machine]));
    at += std::llround(row.us[machine]) + 10;
  }
  return text.text();
}

double measured_on(size_t machine, bool matrix) {
  double us = 0;
  for (const OpRow& row : kOps) us += (row.op != nullptr) == matrix ? row.us[machine] : 0;
  return us * 1e-6;
}

/// Predicted over measured, in percent off: of GEMMs, of other kernels, of all.
struct Off {
  double matrix, vector, all;
};
Off off(size_t from, size_t to) {
  const TestFolder folder;
  const std::string v100 = folder.add(kMachines[0], kV100);
  const auto machine = [&](size_t i) { return i == 0 ? v100 : kMachines[i]; };
  const Ran r = ran({"replay", folder.add("trace.json", trace_on(from)), "--from-machine", machine(from), "--on",
                     machine(to), "--format", "json", "--quiet"});
  REQUIRE_MESSAGE(r.status == 0, r.err);
  double matrix = 0, vector = 0;
  const Json doc = Json::parse(r.out);
  for (const Json& row : doc["scaled"])
    (row["work"] == "matrix" ? matrix : vector) += row["changed_seconds"].get<double>();
  const double matrices = measured_on(to, true), vectors = measured_on(to, false);
  return {100 * (matrix / matrices - 1), 100 * (vector / vectors - 1),
          100 * ((matrix + vector) / (matrices + vectors) - 1)};
}

}  // namespace

TEST_CASE("operators of BERT-large taken from one accelerator to another") {
  const struct {
    size_t from, to;
    double matrix, vector, all;  // at most, in percent
  } rows[] = {{0, 1, 4, 6, 3}, {1, 2, 4, 2, 4}, {0, 2, 6, 7, 5}, {1, 0, 4, 7, 3}, {2, 1, 2, 2, 2}, {2, 0, 5, 8, 4}};
  for (const auto& row : rows) {
    const Off found = off(row.from, row.to);
    const std::string told = fmt::format("{} -> {}: GEMMs {:.1f} %, others {:.1f} %, all {:.1f} %", kMachines[row.from],
                                         kMachines[row.to], found.matrix, found.vector, found.all);
    CAPTURE(told);
    CHECK(std::abs(found.matrix) <= row.matrix);
    CHECK(std::abs(found.vector) <= row.vector);
    CHECK(std::abs(found.all) <= row.all);
  }
}
