// Traces of a training run of one rank, made by a small simulation: layers forward, autograd's thread back, an
// optimizer.
#pragma once

#include <algorithm>
#include <string>

#include "tests/planner/trace/kineto_text.h"

namespace sample {

/// Times in microseconds. A layer is a product, and two element-wise kernels of which the second is in place.
struct Training {
  int layers = 9, steps = 2;
  int64_t rows = 64, width = 256;
  int64_t product_us = 40, vector_us = 12;
  int64_t host_us = 10;        // of the host for each operator
  std::string type = "float";  // of all tensors; "": shapes are not recorded
  bool allocations = false;    // whether the profiler recorded them
  std::string optimizer = "Adam";
  std::string product = "sgemm_128x64";  // the kernel of a forward product
  std::string product_back = "sgemm_64x64";
  bool nested = false;        // products are inside "aten::linear", which has its own number
  int64_t total_bytes = -1;   // allocated, as the profiler says; -1: it does not
  bool other_device = false;  // as much is allocated there
  bool marked = true;         // steps
};

class TrainingRun {
 public:
  explicit TrainingRun(const Training& run) : run_(run) {
    for (int step = 0; step < run.steps; ++step) play(step);
  }
  const KinetoText& text() const { return text_; }

 private:
  // An operator of a thread that launches one kernel of a stream.
  void op(const char* thread, const std::string& name, const std::string& more, const std::string& kernel,
          int64_t duration) {
    text_.event("cpu_op", name, 100, thread, std::to_string(host_), std::to_string(run_.host_us - 1), more);
    const std::string correlation = R"("correlation": )" + std::to_string(++calls_);
    text_.event("cuda_runtime", "cudaLaunchKernel", 100, thread, std::to_string(host_ + 2), "3", correlation);
    const int64_t begin = std::max(host_ + 8, device_ + 1);
    text_.event("kernel", kernel, 0, "7", std::to_string(begin), std::to_string(duration),
                correlation + R"(, "device": 0, "stream": 7)");
    device_ = begin + duration;
    host_ += run_.host_us;
  }
  std::string inputs(const std::string& dims, int count) const {
    if (run_.type.empty()) return "";
    std::string types;
    for (int i = 0; i < count; ++i) types += (i > 0 ? ", \"" : "\"") + run_.type + "\"";
    return R"(, "Input Dims": [)" + dims + R"(], "Input type": [)" + types + "]";
  }
  std::string matrix() const { return "[" + std::to_string(run_.rows) + ", " + std::to_string(run_.width) + "]"; }
  std::string weight() const { return "[" + std::to_string(run_.width) + ", " + std::to_string(run_.width) + "]"; }
  static std::string forward(int64_t sequence) {
    return R"("Sequence number": )" + std::to_string(sequence) + R"(, "Fwd thread id": 0)";
  }
  static std::string backward(int64_t sequence) {
    return R"("Sequence number": )" + std::to_string(sequence) + R"(, "Fwd thread id": 1)";
  }
  void allocate(int64_t bytes) {
    if (!run_.allocations) return;
    const std::string total = run_.total_bytes < 0 ? "" : R"(, "Total Allocated": )" + std::to_string(run_.total_bytes);
    for (int device = 0; device <= (run_.other_device ? 1 : 0); ++device)
      text_.raw(R"({"ph": "i", "name": "[memory]", "pid": 100, "tid": 1, "ts": )" + std::to_string(host_ + 1) +
                R"(, "args": {"Device Type": 1, "Device Id": )" + std::to_string(device) + R"(, "Bytes": )" +
                std::to_string(bytes) + total + "}}");
  }

  void play(int step) {
    const int64_t begin = host_, bytes = run_.rows * run_.width * 4;
    for (int i = 0; i < run_.layers; ++i) {
      allocate(bytes);
      if (run_.nested)
        text_.event("cpu_op", "aten::linear", 100, "1", std::to_string(host_ - 1), std::to_string(run_.host_us),
                    forward(sequence_ + 4 * i - 1) + inputs(matrix() + ", " + weight(), 2));
      op("1", "aten::mm", forward(sequence_ + 4 * i) + inputs(matrix() + ", " + weight(), 2), run_.product,
         run_.product_us);
      op("1", "aten::mul", forward(sequence_ + 4 * i + 1) + inputs(matrix() + ", " + matrix(), 2),
         "vectorized_elementwise_kernel<mul>", run_.vector_us);
      op("1", "aten::gelu_", forward(sequence_ + 4 * i + 2) + inputs(matrix(), 1),
         "vectorized_elementwise_kernel<gelu>", run_.vector_us);
    }
    for (int i = run_.layers - 1; i >= 0; --i) {
      op("2", "GeluBackward0", backward(sequence_ + 4 * i + 2) + inputs(matrix(), 1),
         "vectorized_elementwise_kernel<gelu_back>", run_.vector_us);
      op("2", "MmBackward0", backward(sequence_ + 4 * i) + inputs(matrix(), 1), run_.product_back, 2 * run_.product_us);
      op("2", "torch::autograd::AccumulateGrad", R"("Fwd thread id": 1)" + inputs(weight(), 1),
         "vectorized_elementwise_kernel<add>", 2);
      allocate(-bytes);
    }
    sequence_ += 4L * run_.layers;
    const int64_t before = host_;
    op("1", "aten::_fused_adam_", R"("External id": 1)", "multi_tensor_apply_kernel", 30);
    text_.event("user_annotation", "Optimizer.step#" + run_.optimizer + ".step", 100, "1", std::to_string(before - 1),
                std::to_string(run_.host_us + 1));
    const int64_t done = std::max(device_ + 2, host_ + 6);
    text_.event("cuda_runtime", "cudaDeviceSynchronize", 100, "1", std::to_string(host_ + 1),
                std::to_string(done - host_ - 1));
    if (run_.marked)
      text_.event("user_annotation", "ProfilerStep#" + std::to_string(step), 100, "1", std::to_string(begin - 1),
                  std::to_string(done + 1 - begin));
    host_ = done + 5;
  }

  const Training run_;
  KinetoText text_ = ranked(0, 1);
  int64_t host_ = 5, device_ = 0, sequence_ = 100;
  int calls_ = 0;
};

inline KinetoText training(const Training& run = {}) { return TrainingRun(run).text(); }

}  // namespace sample
