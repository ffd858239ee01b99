// Traces as the data of `trainplan calibrate`.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"
#include "tests/dsl/folder.h"
#include "tests/planner/trace/kineto_text.h"

using Json = nlohmann::ordered_json;
using sample::KinetoText;
using Words = std::vector<std::string>;

namespace {

/// Products of growing sizes at 60 % of the peak of an A100's bf16, each three times.
std::string products() {
  KinetoText text;
  int64_t at = 0;
  for (const int64_t size : {512, 768, 1024, 1536, 2048, 2560, 3072, 4096, 5120, 6144, 8192, 8704, 9216, 10240, 12288})
    for (int repeat = 0; repeat < 3; ++repeat) {
      const auto us = static_cast<int64_t>(2e6 * static_cast<double>(size) * static_cast<double>(size) *
                                           static_cast<double>(size) / (0.6 * 312e12)) +
                      3;
      text.event(
          "cpu_op", "aten::mm", 100, "1", std::to_string(at), "8",
          fmt::format(R"("Input Dims": [[{0}, {0}], [{0}, {0}]], "Input type": ["c10::BFloat16", "c10::BFloat16"])",
                      size));
      text.kernel("gemm", 7, at + 5, us);
      at += us + 20;
    }
  return text.text();
}

/// Additions in 16 bits of growing sizes at a share of the bandwidth of an A100 (2039 GB/s), after an empty kernel of 2
/// us; and a kernel without shapes.
std::string additions(double share) {
  KinetoText text;
  int64_t at = 0;
  for (const int64_t rows : {4096, 8192, 16384, 24576, 32768, 49152, 65536, 98304}) {
    const double bytes = 3 * 2 * 4096 * static_cast<double>(rows);
    const auto us = static_cast<int64_t>(bytes / (share * 2039e9) * 1e6) + 2;
    text.event("cpu_op", "aten::add", 100, "1", std::to_string(at), "8",
               fmt::format(R"("Input Dims": [[{0}, 4096], [{0}, 4096], []], )", rows) +
                   R"("Input type": ["c10::BFloat16", "c10::BFloat16", "Scalar"])");
    text.kernel("vectorized_elementwise_kernel", 7, at + 5, us);
    at += us + 20;
  }
  return text.kernel("triton_fused", 7, at + 5, 9).text();
}

struct Files : TestFolder {
  Files() : trace(add("rank0.json", products())) {}
  Ran calibrate(const Words& more, const char* kind = "gemm") const {
    Words args{"calibrate", kind, trace, "--gpu", "a100-sxm-80gb"};
    args.insert(args.end(), more.begin(), more.end());
    return ran(args, "");
  }
  std::string trace;
};

}  // namespace

TEST_CASE("calibrate takes a trace with shapes, and fits what it measured") {
  const Files files;
  const Ran fitted = files.calibrate({});
  REQUIRE_MESSAGE(fitted.status == 0, fitted.err);
  CHECK_MESSAGE(fitted.out.find("gemm:\n") != std::string::npos, fitted.out.substr(0, 600));
  const Ran scored = files.calibrate({"--score", "a100-sxm", "--format", "json"});
  REQUIRE_MESSAGE(scored.status == 0, scored.err);
  CHECK(Json::parse(scored.out)["rows"] == 15);
}

TEST_CASE("--where selects rows of the table that a trace becomes") {
  const Files files;
  const Ran few = files.calibrate({"--score", "a100-sxm", "--format", "json", "--where", "m > 4000 and count == 3"});
  REQUIRE_MESSAGE(few.status == 0, few.err);
  CHECK(Json::parse(few.out)["rows"] == 8);
}

TEST_CASE("a trace and a table together") {
  const Files files;
  const std::string table = files.add("more.csv", "m,n,k,time_us\n4096,4096,4096,700\n");
  const Ran both = files.calibrate({table, "--score", "a100-sxm", "--format", "json"});
  REQUIRE_MESSAGE(both.status == 0, both.err);
  CHECK(Json::parse(both.out)["rows"] == 16);
}

TEST_CASE("calibrate vector takes a trace, fits what it moved, and tells what it left out") {
  TestFolder folder;
  const std::string trace = folder.add("rank0.json", additions(0.7));
  const Words args{"calibrate", "vector", trace, "--gpu", "a100-sxm-80gb"};
  const Ran fitted = ran(args, "");
  REQUIRE_MESSAGE(fitted.status == 0, fitted.err);
  CHECK_MESSAGE(fitted.out.find("  elementwise: {efficiency: 0.7") != std::string::npos, fitted.out);
  CHECK(
      fitted.err.find("warning: 1 vector kernels of 0.009 ms are of operators in no table, or of types or inputs that "
                      "it has not: operators without shapes (1, 0.009 ms)") != std::string::npos);
  folder.add("calibrations/mine.yaml", fitted.out + "name: mine\n");
  folder.add("accelerators/my-gpu.yaml", "extends: a100-sxm-80gb\nname: my-gpu\ncalibration: {use: mine}\n");
  const auto error_of = [&](const char* gpu) {
    const Ran r = ran(
        {"calibrate", "vector", trace, "--score", gpu, "--catalog", folder.name(), "--format", "json", "--quiet"}, "");
    REQUIRE_MESSAGE(r.status == 0, r.err);
    CHECK(Json::parse(r.out)["rows"] == 8);
    return Json::parse(r.out)["geomean_error"].get<double>();
  };
  CHECK(error_of("a100-sxm-80gb") > 0.2);
  CHECK(error_of("my-gpu") < 0.01);
}

TEST_CASE("traces that hold nothing of the kind are refused") {
  const Files files;
  const struct {
    const char* kind;
    Words more;
    const char* message;
  } rows[] = {
      {"vector", {}, "no row holds a measurement of kind 'vector'"},
      {"nccl-tests", {"--cluster", "dgx-a100"}, "no line of the log is a measurement of nccl-tests"},
      {"gemm", {"--precision", "fp16"}, "no row is in fp16"},
      {"attention", {}, "no row holds a measurement of kind 'attention'"},
      {"gemm", {files.add("cut.json", products().substr(0, 500))}, "the text ends here"},
      {"gemm",
       {files.add("nodes.json", R"({"schema": "1.0.1", "nodes": [{"id": 1, "name": "a", "rf_id": 1}]})")},
       "is an execution trace"},
  };
  for (const auto& row : rows) {
    const Ran r = files.calibrate(row.more, row.kind);
    CHECK(r.status == 1);
    CHECK_MESSAGE(r.err.find(row.message) != std::string::npos, r.err);
  }
}

TEST_CASE("a fit that is far from its own rows warns") {
  TestFolder folder;
  std::string log =
      "#  Rank  0 Group  0 Pid   1000 on      hosta device  0 [0x1b] NVIDIA H100 80GB HBM3\n"
      "#  Rank  1 Group  0 Pid   1001 on      hosta device  1 [0x43] NVIDIA H100 80GB HBM3\n"
      "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw "
      "#wrong\n"
      "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)            (us)  (GB/s)  (GB/s)\n";
  // The same size in thrice the time, out of place and in place.
  for (const double bytes : {33554432., 67108864., 134217728., 268435456.}) {
    const double us = 4e-6 * bytes, gb_s = bytes / us / 1e3;
    log += fmt::format("{0:.0f} {1:.0f} float sum -1 {2:.1f} {3:.2f} {3:.2f} 0 {4:.1f} {5:.2f} {5:.2f} 0\n", bytes,
                       bytes / 4, us, gb_s, 3 * us, gb_s / 3);
  }
  const Words args{"calibrate", "nccl-tests", folder.add("all_reduce.log", log + "# Avg bus bandwidth    : 166\n"),
                   "--gpu", "h100-sxm-80gb"};
  const Ran r = ran(args);
  CHECK(r.status == 0);
  CHECK_MESSAGE(r.err.find("the fit is off by 55 % on its own rows") != std::string::npos, r.err);
}
