// Operators of a trace and of a plan, distinguished in the same way.
#include "planner/replay/operator_uses.h"

#include <doctest/doctest.h>

#include <numeric>

#include "tests/planner/replay/replayed.h"
#include "tests/planner/sample.h"

using namespace planner::replay;
using sample::KinetoText;
using sample::ranked;
using sample::Replay;
using Sizes = std::vector<double>;

namespace {

std::vector<OperatorUse> uses_of(const std::vector<KinetoText>& ranks) {
  const Replay run(ranks);
  return measured_uses(run.trace, run.steps, run.matched);
}

/// An operator with shapes, and the launch of a kernel in it.
KinetoText& product(KinetoText& text, int64_t at, const std::string& op, const std::string& dims, int64_t us,
                    const std::string& kernel = "gemm") {
  text.event("cpu_op", op, 100, "1", std::to_string(at - 2), "5",
             R"("Input Dims": )" + dims +
                 R"(, "Input type": ["c10::BFloat16", "c10::BFloat16", "c10::BFloat16", "c10::BFloat16"])");
  return text.kernel(kernel, 7, at, us);
}

std::string said(const char* name, int64_t in, int64_t out, int ranks) {
  return R"("Collective name": ")" + std::string(name) + R"(", "In msg nelems": )" + std::to_string(in) +
         R"(, "Out msg nelems": )" + std::to_string(out) + R"(, "dtype": "Byte", "Group size": )" +
         std::to_string(ranks) + R"(, "Process Group Name": "0")";
}

}  // namespace

TEST_CASE("what a kernel is follows from its operator's shapes, its collective or its name") {
  const struct {
    const char *op, *dims, *kernel;
    const char* kind;
    KernelWork work;
    Sizes sizes;
  } rows[] = {
      {"aten::mm", "[[64, 32], [32, 16]]", "gemm", "gemm", KernelWork::matrix, {1, 64, 16, 32}},
      {"aten::bmm", "[[4, 64, 32], [4, 32, 16]]", "gemm", "gemm", KernelWork::matrix, {4, 64, 16, 32}},
      {"aten::_flash_attention_forward",
       "[[2, 128, 8, 64], [2, 256, 2, 64], [2, 256, 2, 64]]",
       "flash",
       "attention",
       KernelWork::attention,
       {2, 8, 128, 256, 64}},
      {"aten::_flash_attention_backward",
       "[[2, 128, 8, 64], [2, 128, 8, 64], [2, 256, 2, 64], [2, 256, 2, 64]]",
       "flash",
       "attention-backward",
       KernelWork::attention,
       {2, 8, 128, 256, 64}},
      {"aten::other", "[[64, 32]]", "gemm", "gemm", KernelWork::matrix, {}},
      {"aten::other", "[[64, 32]]", "flash", "attention", KernelWork::attention, {}},
      {"aten::other", "[[64, 32]]", "elementwise", "vector", KernelWork::vector, {}},
  };
  for (const auto& row : rows) {
    INFO(row.op, " ", row.kernel);
    KinetoText text = ranked(0, 1);
    const std::vector<OperatorUse> uses = uses_of({product(text, 10, row.op, row.dims, 7, row.kernel)});
    REQUIRE(uses.size() == 1);
    CHECK(uses[0].kind->name == row.kind);
    CHECK(uses[0].kind->work == row.work);
    CHECK(uses[0].sizes == row.sizes);
    CHECK(uses[0].name == "");
    CHECK(uses[0].spent.count == 1);
    CHECK(uses[0].spent.seconds == doctest::Approx(7e-6));
  }
}

TEST_CASE("collectives have the bytes that the models go by, and no waits") {
  const struct {
    const char *said, *kind;
    int64_t in, out;
    Sizes sizes;
  } rows[] = {
      {"allreduce", "all-reduce", 800, 800, {800, 2}},
      {"_allgather_base", "all-gather", 400, 800, {800, 2}},
      {"_reduce_scatter_base", "reduce-scatter", 800, 400, {800, 2}},
      {"all_to_all", "all-to-all", 800, 800, {800, 2}},
      {"send", "send-recv", 800, 800, {800}},
      {"gather", "collective", 800, 800, {}},
  };
  for (const auto& row : rows) {
    INFO(row.said);
    const std::string arguments = said(row.said, row.in, row.out, 2);
    const KinetoText early = ranked(0, 2).kernel("ncclDevKernel", 9, 10, 50, arguments),
                     late = ranked(1, 2).kernel("ncclDevKernel", 9, 40, 20, arguments);
    const std::vector<OperatorUse> uses = uses_of({early, late});
    REQUIRE(uses.size() == 2);
    for (const OperatorUse& use : uses) {
      CHECK(use.kind->name == row.kind);
      CHECK(use.sizes == row.sizes);
      CHECK(use.spent.count == 0.5);                           // of two ranks' steps
      CHECK(use.spent.seconds == doctest::Approx(20e-6 / 2));  // the transfer
    }
  }
}

TEST_CASE("a use is of marked steps alone, and the mean over them") {
  KinetoText text = ranked(0, 1);
  text.kernel("warm-up", 7, 10, 5);
  sample::span(text, "user_annotation", "ProfilerStep#1", 100, 50);
  text.kernel("a", 7, 110, 4).kernel("b", 7, 120, 6);
  sample::span(text, "user_annotation", "ProfilerStep#2", 200, 50);
  text.kernel("a", 7, 210, 2);
  double count = 0, seconds = 0;
  for (const OperatorUse& use : uses_of({text})) count += use.spent.count, seconds += use.spent.seconds;
  CHECK(count == 1.5);
  CHECK(seconds == doctest::Approx(6e-6));
}

TEST_CASE("copies are what they cross, and all kernels of one operator one use") {
  KinetoText text = ranked(0, 1);
  product(text, 10, "aten::mm", "[[64, 32], [32, 16]]", 3).kernel("splitk_reduce", 7, 13, 2);
  int at = 30;
  for (const char* copy : {"Memcpy HtoD", "Memcpy DtoD", "Memcpy PtoP"}) {
    const std::string launch = R"("correlation": 9)" + std::to_string(at);
    text.event("cuda_runtime", "cudaMemcpyAsync", 100, "1", std::to_string(at), "1", launch);
    text.event("gpu_memcpy", copy, 0, "7", std::to_string(at + 2), "4", launch + R"(, "device": 0, "stream": 7)");
    at += 10;
  }
  std::vector<std::string_view> kinds;
  const std::vector<OperatorUse> uses = uses_of({text});
  for (const OperatorUse& use : uses) kinds.push_back(use.kind->name);
  CHECK(kinds == std::vector<std::string_view>{"gemm", "host-copy", "device-copy", "peer-copy"});
  CHECK(uses[0].spent.seconds == doctest::Approx(5e-6));
}

TEST_CASE("the planner's rows keep their names and sizes, and nothing of them is lost") {
  for (const sample::Sets& sets : {sample::Sets{}, {"parallelism.tp=2", "parallelism.pp=2"}}) {
    const std::vector<planner::OperatorRow> rows = planner::operator_rows(sample::llama(sets));
    const std::vector<OperatorUse> uses = planned_uses(rows);
    REQUIRE(uses.size() == rows.size());
    for (size_t i = 0; i < rows.size(); ++i) {
      CHECK(uses[i].name == rows[i].name);
      CHECK(uses[i].spent.count == rows[i].count);
      CHECK(uses[i].spent.seconds == rows[i].count * rows[i].seconds);
      const auto named = std::ranges::count_if(uses[i].kind->sizes, [](const char* size) { return size; });
      CHECK(std::ssize(uses[i].sizes) == named);
    }
  }
}

TEST_CASE("planner's rows by kind") {
  const struct {
    const char *kind, *phase, *use;
  } rows[] = {
      {"gemm", "backward", "gemm"},
      {"attention", "recompute", "attention"},
      {"attention", "forward", "attention"},
      {"attention", "backward", "attention-backward"},
      {"all-gather", "forward", "all-gather"},
      {"send-recv", "forward", "send-recv"},
      {"normalization", "forward", "vector"},
      {"lookup", "forward", "vector"},
      {"update", "optimizer", "vector"},
      {"host-copy", "optimizer", "host-copy"},
  };
  for (const auto& row : rows) {
    planner::OperatorRow planned;
    planned.kind = row.kind;
    planned.phase = row.phase;
    REQUIRE(planned_uses({planned}).size() == 1);
    CHECK(planned_uses({planned})[0].kind->name == row.use);
  }
  planner::OperatorRow on_host;
  on_host.kind = "host-update";
  CHECK(planned_uses({on_host}).empty());
}
