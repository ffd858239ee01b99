// Traces of a data-parallel run, made by a small simulation of hosts, streams and all-reduces of PyTorch's DDP.
#pragma once

#include <algorithm>
#include <vector>

#include "tests/planner/trace/kineto_text.h"

namespace sample {

/// Times in microseconds.
struct DataParallel {
  std::vector<int64_t> elements;    // of the gradients, floats
  std::vector<int64_t> kernel_us;   // of what computes each
  std::vector<size_t> bucket_ends;  // one behind the last gradient of each bucket
  std::vector<int64_t> late_us{0};  // of each rank: when its host begins
  int steps = 2;
  int64_t call_us = 1;     // of a launching call; 0: below the resolution of the profiler's clock
  int64_t host_us = 10;    // of the host for each gradient
  int64_t launch_us = 4;   // of the host for each reduction
  int64_t latency_us = 5;  // of each reduction
  int64_t elements_per_us = 100;
};

class DataParallelRun {
 public:
  explicit DataParallelRun(const DataParallel& run) : run_(run) {
    for (size_t r = 0; r < run.late_us.size(); ++r) {
      ranks_.push_back({.text = ranked(static_cast<int>(r), static_cast<int>(run.late_us.size()))});
      ranks_.back().host = run.late_us[r];
    }
    for (int step = 0; step < run.steps; ++step) play(step);
  }
  std::vector<KinetoText> texts() const {
    std::vector<KinetoText> all;
    for (const Rank& rank : ranks_) all.push_back(rank.text);
    return all;
  }

 private:
  struct Rank {
    KinetoText text;
    int64_t host = 0, compute = 0, communication = 0, begin = 0, ready = 0;
    int calls = 0;
  };
  static constexpr int64_t kLaunchUs = 4;

  static void host(Rank& r, const char* category, const std::string& name, int64_t at, int64_t duration,
                   const std::string& arguments = "") {
    r.text.event(category, name, 100, "1", std::to_string(at), std::to_string(duration), arguments);
  }
  // A call and what it launches, which begins when it may and `free` is past.
  int64_t launch(Rank& r, const char* name, int stream, int64_t call, int64_t free, int64_t duration,
                 const std::string& more = "") const {
    const std::string correlation = R"("correlation": )" + std::to_string(++r.calls);
    const int64_t begin = std::max(call + kLaunchUs, free);
    host(r, "cuda_runtime", "cudaLaunchKernel", call, run_.call_us, correlation);
    r.text.event("kernel", name, 0, std::to_string(stream), std::to_string(begin), std::to_string(duration),
                 correlation + R"(, "device": 0, "stream": )" + std::to_string(stream) + more);
    return begin + duration;
  }

  void gradient(Rank& r, size_t i) const {
    r.compute = launch(r, "wgrad", 7, r.host + 1, r.compute, run_.kernel_us[i]);
    host(r, "cpu_op", "torch::autograd::AccumulateGrad", r.host + 4, 2,
         R"("Input Dims": [[)" + std::to_string(run_.elements[i]) + "], []]");
    r.host += run_.host_us;
  }

  // Each rank's kernel runs from its own arrival to the common end.
  void reduce(size_t first, size_t last) {
    int64_t elements = 0, joined = 0;
    for (size_t i = first; i < last; ++i) elements += run_.elements[i];
    for (Rank& r : ranks_) {
      r.ready = std::max({r.host + 2 + kLaunchUs, r.compute, r.communication});
      joined = std::max(joined, r.ready);
    }
    const int64_t end = joined + run_.latency_us + elements / run_.elements_per_us;
    for (Rank& r : ranks_) {
      host(r, "cpu_op", "c10d::allreduce_", r.host, run_.launch_us);
      host(r, "cuda_runtime", "cudaStreamWaitEvent", r.host, run_.call_us);
      const std::string count = std::to_string(elements);
      r.communication = launch(r, "ncclDevKernel_AllReduce_Sum_f32_RING_LL", 20, r.host + 2, r.ready, end - r.ready,
                               R"(, "Collective name": "allreduce", "dtype": "Float", "Group size": )" +
                                   std::to_string(ranks_.size()) + R"(, "Process Group Name": "0", "In msg nelems": )" +
                                   count + R"(, "Out msg nelems": )" + count);
      r.host += run_.launch_us;
    }
  }

  void play(int step) {
    for (Rank& r : ranks_) r.begin = r.host++;
    for (size_t i = 0, bucket = 0; i < run_.elements.size(); ++i) {
      for (Rank& r : ranks_) gradient(r, i);
      if (bucket >= run_.bucket_ends.size() || i + 1 != run_.bucket_ends[bucket]) continue;
      reduce(bucket == 0 ? 0 : run_.bucket_ends[bucket - 1], i + 1);
      ++bucket;
    }
    for (Rank& r : ranks_) {
      host(r, "cuda_runtime", "cudaStreamWaitEvent", r.host, 1);
      r.compute = launch(r, "adam", 7, r.host + 2, std::max(r.compute, r.communication + 1), 20);
      const int64_t done = std::max(r.compute + 2, r.host + 6);
      host(r, "cuda_runtime", "cudaDeviceSynchronize", r.host + 5, done - r.host - 5);
      host(r, "user_annotation", "ProfilerStep#" + std::to_string(step), r.begin, done + 1 - r.begin);
      r.host = done + 3;
    }
  }

  const DataParallel run_;
  std::vector<Rank> ranks_;
};

inline std::vector<KinetoText> data_parallel(const DataParallel& run) { return DataParallelRun(run).texts(); }

}  // namespace sample
