// A trace that is as the planner says: each operator of a step as one event with its shapes.
#pragma once

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "planner/plan/ops.h"
#include "tests/planner/trace/kineto_text.h"

namespace sample {

/// Writes operators one after the other, each as long as it is planned to be, to the nanosecond.
class PlannedTrace {
 public:
  explicit PlannedTrace(KinetoText head) : text_(std::move(head)) {}

  KinetoText of(const std::vector<planner::OperatorRow>& rows) {
    for (const planner::OperatorRow& row : rows)
      for (int i = 0; i < static_cast<int>(row.count); ++i) add(row);
    return text_;
  }

 private:
  using Sizes = std::map<std::string, int64_t>;

  static std::string us(int64_t ns) { return fmt::format("{}.{:03}", ns / 1000, ns % 1000); }

  /// An operator of the host around a launch; "": no operator.
  void add(const std::string& op, const std::string& dims, const std::string& kernel, int64_t ns,
           const std::string& arguments = "") {
    if (!op.empty())
      text_.event("cpu_op", op, 100, "1", us(at_), "1.000",
                  R"("Input Dims": )" + dims + R"(, "Input type": [)" + types(dims) + "]");
    const std::string launch = fmt::format(R"("correlation": {})", ++launches_);
    text_.event("cuda_runtime", "cudaLaunchKernel", 100, "1", us(at_ + 100), "0.500", launch);
    text_.event("kernel", kernel, 0, "7", us(at_ + 1000), us(ns), launch + R"(, "device": 0, "stream": 7)" + arguments);
    at_ += ns + 2000;
  }
  /// One for each shape in a list of shapes.
  static std::string types(const std::string& dims) {
    std::string out;
    for (size_t i = 1; i < dims.size(); ++i)
      if (dims[i] == '[') out += std::string(out.empty() ? "" : ", ") + R"("c10::BFloat16")";
    return out;
  }
  static std::string collective(const std::string& kind, Sizes s) {
    const std::map<std::string, const char*> names{{"all-reduce", "allreduce"},
                                                   {"all-gather", "_allgather_base"},
                                                   {"reduce-scatter", "_reduce_scatter_base"},
                                                   {"all-to-all", "all_to_all"},
                                                   {"send-recv", "send"}};
    const int64_t ranks = s.contains("ranks") ? s["ranks"] : 2, part = s["bytes"] / ranks;
    return fmt::format(
        R"(, "Collective name": "{}", "In msg nelems": {}, "Out msg nelems": {}, "dtype": "Byte", "Group size": {}, )"
        R"("Process Group Name": "{}{}")",
        names.at(kind), kind == "all-gather" ? part : s["bytes"], kind == "reduce-scatter" ? part : s["bytes"], ranks,
        kind, ranks);
  }
  void add(const planner::OperatorRow& row) {
    Sizes s;
    for (const auto& [name, size] : row.shape) s[name] = std::llround(size);
    const int64_t ns = std::llround(row.seconds * 1e9);
    const std::string &kind = row.kind,
                      q = fmt::format("[{}, {}, {}, {}]", s["batch"], s["heads"], s["queries"], s["head_dim"]),
                      k = fmt::format("[{}, {}, {}, {}]", s["batch"], s["kv_heads"], s["keys"], s["head_dim"]);
    if (kind == "gemm")
      add("aten::bmm", fmt::format("[[{0}, {1}, {2}], [{0}, {2}, {3}]]", s["batch"], s["m"], s["k"], s["n"]), "gemm",
          ns);
    else if (kind == "attention" && row.phase == "backward")
      add("aten::_scaled_dot_product_flash_attention_backward", fmt::format("[{0}, {0}, {1}, {1}]", q, k), "flash", ns);
    else if (kind == "attention")
      add("aten::_scaled_dot_product_flash_attention", fmt::format("[{}, {}, {}]", q, k, k), "flash", ns);
    else if (row.op_class == "communication") add("", "", "ncclDevKernel", ns, collective(kind, s));
    else add("", "", "vector", ns);
  }

  KinetoText text_;
  int64_t at_ = 1'000'000;
  int launches_ = 0;
};

}  // namespace sample
