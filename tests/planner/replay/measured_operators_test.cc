// What a trace measured, as rows of operators and as tables that `calibrate` reads.
#include "planner/replay/measured_operators.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include "operator_models/models.h"
#include "tests/planner/replay/machines.h"
#include "tests/planner/replay/replayed.h"

using namespace planner::replay;
using sample::KinetoText;
using sample::ranked;

namespace {

/// An operator with shapes, and its kernels of some microseconds each.
void product(KinetoText& text, const char* op, int64_t at, const std::string& shapes, std::vector<int64_t> kernels,
             const char* type = "c10::BFloat16") {
  const std::string quoted = std::string("\"") + type + "\"";
  text.event("cpu_op", op, 100, "1", std::to_string(at), "50",
             R"("Input Dims": )" + shapes + R"(, "Input type": [)" + quoted + ", " + quoted + ", " + quoted + "]");
  for (const int64_t us : kernels) text.kernel("gemm", 7, at += 10, us);
}

std::string gemms(const std::vector<KinetoText>& ranks) {
  return calibration_table("gemm", sample::trace(ranks), sample::machine()).text;
}

constexpr const char* kHead = "m,n,k,batch,precision,operator,count,time_us\n";

}  // namespace

TEST_CASE("operators of the same shapes are one row, whose time is the median") {
  KinetoText text = ranked(0, 1);
  product(text, "aten::mm", 0, "[[64, 32], [32, 16]]", {5});
  product(text, "aten::mm", 100, "[[64, 32], [32, 16]]", {9});
  product(text, "aten::mm", 200, "[[64, 32], [32, 16]]", {6});
  product(text, "aten::mm", 300, "[[64, 32], [32, 8]]", {4});
  CHECK(gemms({text}) == std::string(kHead) + "64,16,32,1,bf16,aten::mm,3,6.000\n64,8,32,1,bf16,aten::mm,1,4.000\n");
  product(text, "aten::mm", 400, "[[64, 32], [32, 8]]", {7});
  CHECK(gemms({text}).ends_with("64,8,32,1,bf16,aten::mm,2,5.500\n"));
}

TEST_CASE("kernels of one operator are one time, and ranks are pooled") {
  KinetoText a = ranked(0, 2), b = ranked(1, 2);
  product(a, "aten::bmm", 0, "[[4, 64, 32], [4, 32, 16]]", {5, 2}, "float");
  product(b, "aten::bmm", 0, "[[4, 64, 32], [4, 32, 16]]", {8, 3}, "float");
  CHECK(gemms({a, b}) == std::string(kHead) + "64,16,32,4,fp32,aten::bmm,2,9.000\n");
}

TEST_CASE("convolutions, operators without shapes and other kernels are no rows") {
  KinetoText text = ranked(0, 1);
  product(text, "aten::cudnn_convolution", 0, "[[4, 3, 8, 8], [16, 3, 3, 3]]", {5});
  text.kernel("gemm", 7, 200, 5);
  CHECK(gemms({text}) == kHead);
  REQUIRE(measured_operators(sample::trace({text})).size() == 1);
  CHECK(measured_operators(sample::trace({text}))[0].unfolded);
  CHECK(measured_operators(sample::trace({text}))[0].median_seconds() == doctest::Approx(5e-6));
}

TEST_CASE("attention has a table of its own") {
  KinetoText text = ranked(0, 1);
  product(text, "aten::_flash_attention_forward", 0, "[[2, 128, 8, 64], [2, 128, 8, 64], [2, 128, 8, 64]]", {30});
  const std::string table = calibration_table("attention", sample::trace({text}), sample::machine()).text;
  CHECK(table ==
        "batch,heads,kv_heads,queries,keys,head_dim,causal,backward,precision,operator,count,time_us\n"
        "2,8,8,128,128,64,0,0,bf16,aten::_flash_attention_forward,1,30.000\n");
}

TEST_CASE("collectives of all ranks are rows, with the launch that their model counts") {
  const std::string said =
      R"("Collective name": "allreduce", "In msg nelems": 1048576, "dtype": "Float", "Group size": 2)";
  const KinetoText a = ranked(0, 2).kernel("ncclDevKernel_AllReduce", 9, 10, 50, said),
                   b = ranked(1, 2).kernel("ncclDevKernel_AllReduce", 9, 30, 30, said);
  const operator_models::Machine machine = sample::machine();
  const double launch_us = operator_models::launch_of(device_of(machine)).value * 1e6;
  CHECK(calibration_table("collective", sample::trace({a, b}), machine).text ==
        fmt::format("op,ranks,size_bytes,count,time_us\nall-reduce,2,4194304,1,{:.3f}\n", 30 + launch_us));
  CHECK(calibration_table("collective", sample::trace({a}), machine).text == "op,ranks,size_bytes,count,time_us\n");
}

TEST_CASE("kinds that traces have no rows of") {
  CHECK(calibration_table("nccl-tests", sample::trace({ranked(0, 1).kernel("k", 7, 1, 1)}), sample::machine()).text ==
        "");
}

TEST_CASE("kernels bound by memory have a table of their own") {
  KinetoText text = ranked(0, 1);
  product(text, "aten::add", 0, "[[1024, 1024], [1024, 1024]]", {30});
  CHECK(calibration_table("vector", sample::trace({text}), sample::machine()).text ==
        "op,rows,columns,precision,backward,read_bytes,written_bytes,operator,count,time_us\n"
        "add,1024,1024,bf16,0,4194304,2097152,aten::add,1,30.000\n");
}
