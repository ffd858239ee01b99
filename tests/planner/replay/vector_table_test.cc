// What a trace measured of kernels bound by memory, as the table that `calibrate vector` reads.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include "planner/replay/measured_operators.h"
#include "tests/planner/replay/machines.h"
#include "tests/planner/trace/kineto_text.h"

using namespace planner::replay;
using sample::KinetoText;

namespace {

/// An operator on tensors of one shape, and kernels of some microseconds that it launches.
void launch(KinetoText& text, const std::string& op, int64_t at, const std::string& shape, std::vector<int64_t> kernels,
            const char* kernel = "vectorized_elementwise_kernel", const char* type = "float") {
  text.event("cpu_op", op, 100, "1", std::to_string(at), "60",
             fmt::format(R"("Input Dims": [{0}, {0}], "Input type": ["{1}", "{1}"])", shape, type));
  for (const int64_t us : kernels) text.kernel(kernel, 7, at += 10, us);
}

/// Launches take 2 us, as do empty kernels.
CalibrationTable table(const std::vector<KinetoText>& ranks) {
  return vector_table(sample::trace(ranks), sample::machine());
}

constexpr const char* kHead = "op,rows,columns,precision,backward,read_bytes,written_bytes,operator,count,time_us\n";
constexpr const char* kAdd = "add,1024,1024,fp32,0,8388608,4194304,aten::add,";

}  // namespace

TEST_CASE("operators of the same shapes are one row: the median of a launch and what is no empty kernel") {
  KinetoText text;
  launch(text, "aten::add", 0, "[1024, 1024]", {10});
  launch(text, "aten::add", 100, "[1024, 1024]", {30});
  launch(text, "aten::add", 200, "[1024, 1024]", {12});
  CHECK(table({text}).text == fmt::format("{}{}3,12.000\n", kHead, kAdd));
  CHECK(table({text, text}).text == fmt::format("{}{}6,12.000\n", kHead, kAdd));
  CHECK(table({text}).notes.empty());
}

TEST_CASE("kernels of one operator are one time, of which each is an empty kernel shorter") {
  KinetoText text;
  launch(text, "aten::add", 0, "[1024, 1024]", {10, 5, 1});
  CHECK(table({text}).text == fmt::format("{}{}1,13.000\n", kHead, kAdd));
  operator_models::Machine machine = sample::machine();
  machine.calibration.empty_kernel = {1e-6};
  machine.calibration.launch = {5e-6};
  CHECK(vector_table(sample::trace({text}), machine).text == fmt::format("{}{}1,18.000\n", kHead, kAdd));
}

TEST_CASE("the innermost operator that is known has a kernel, a product's own are no rows") {
  KinetoText text;
  launch(text, "aten::layer_norm", 0, "[1024, 1024]", {});
  launch(text, "aten::mul", 1, "[1024, 1024]", {10});
  launch(text, "aten::addmm", 200, "[1024, 1024]", {10});
  CHECK(table({text}).text == fmt::format("{}mul,1024,1024,fp32,0,8388608,4194304,aten::mul,1,10.000\n", kHead));
  CHECK(table({text}).notes.empty());
}

TEST_CASE("what is left out is told: operators by their time, and small ones") {
  KinetoText text;
  launch(text, "aten::max_pool2d", 0, "[1024, 1024]", {10, 10});
  launch(text, "aten::add", 100, "[1024, 1024]", {3000}, "elementwise", "long int");
  launch(text, "aten::add", 4000, "[16, 16]", {3});
  launch(text, "aten::add", 4100, "[16, 16]", {3});
  text.kernel("triton_fused", 7, 5000, 40).kernel("sgemm", 7, 6000, 500).kernel("ncclDevKernel", 9, 7000, 50);
  const CalibrationTable found = table({text});
  CHECK(found.text == kHead);
  REQUIRE(found.notes.size() == 2);
  CHECK(
      found.notes[0] ==
      "4 vector kernels of 3.06 ms are of operators in no table, or of types or inputs that it has not: aten::add (1, "
      "3 ms), operators without shapes (1, 0.04 ms), aten::max_pool2d (2, 0.02 ms)");
  CHECK(found.notes[1] ==
        "2 operators move less than the memory does in an empty kernel (2 MB) and are no rows: their time is their "
        "launch");
}

TEST_CASE("of many names those of the longest are told") {
  KinetoText text;
  for (int i = 0; i < 7; ++i) launch(text, "aten::other" + std::to_string(i), 100 * i, "[4, 4]", {20 + i});
  const std::string note = table({text}).notes.at(0);
  CHECK(note.find("aten::other6 (1, 0.026 ms), aten::other5") != std::string::npos);
  CHECK(note.ends_with("aten::other2 (1, 0.022 ms) ..."));
}
