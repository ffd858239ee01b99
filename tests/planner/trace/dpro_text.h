// The merged trace that dPRO writes of a run, for tests, in its very layout.
#pragma once

#include <fmt/format.h>

#include <string>

namespace sample {

/// Times in microseconds.
class DproText {
 public:
  /// An operator of a GPU, in a step: "FW.conv1".
  DproText& op(const std::string& pid, const std::string& name, double at, double duration, int64_t step,
               int64_t thread = 0) {
    return event(pid, fmt::format("\"operator{}\"", thread), "operator", name, at, duration,
                 fmt::format(R"("name": "{}", "step": {}, "cnt": {})", name, step, step));
  }
  /// What Horovod or the input did on a GPU: "Comm.3.QUEUE", "I\/O".
  DproText& stage(const std::string& pid, const std::string& name, double at, double duration) {
    return event(pid, "\"Comm\"", "Comm", name, at, duration, fmt::format(R"("name": "{}", "cnt": 0)", name));
  }
  /// A SEND or a RECV of a chunk.
  DproText& chunk(const std::string& pid, const std::string& name, int64_t place, double at, double duration) {
    return event(pid, "\"1\"", "Comm", name, at, duration,
                 fmt::format(R"("loopId": 0, "channelId": 0, "chunkId": {}, "sliceId": 0, "cnt": 0)", place));
  }
  /// A message of BytePS: "conv1.PUSH_REQ", of a part of the tensor.
  DproText& message(const std::string& from, const std::string& to, const std::string& name, int64_t part, double at,
                    double duration) {
    const std::string ends = from + "::" + to;
    return event(ends, "0", "Comm", fmt::format("Comm.{}~>{}::{}", name, ends, part), at, duration, R"("cnt": 0)");
  }
  DproText& event(const std::string& pid, const std::string& tid, const std::string& category, const std::string& name,
                  double at, double duration, const std::string& args) {
    return raw(fmt::format(
        R"({{"name": "{}", "ph": "X", "ts": {}, "dur": {}, "pid": "{}", "tid": {}, "cat": "{}", "args": {{{}}}}})",
        name, at, duration, pid, tid, category, args));
  }
  DproText& raw(const std::string& event) {
    text_ += (text_.back() == '[' ? "" : ", ") + event;
    return *this;
  }
  std::string text() const { return text_ + R"(], "all_prefix": ["host0.rank0"]})"; }

 private:
  std::string text_ = R"({"traceEvents": [)";
};

/// A round of a part of a tensor between worker 0 or 1 and server 0: four messages.
inline DproText& exchange(DproText& text, int64_t worker, const std::string& tensor, int64_t part, double push,
                          double pulled) {
  const std::string from = fmt::format("worker_{}", worker), to = "server_0";
  text.message(from, to, tensor + ".PUSH_REQ", part, push, 40)
      .message(to, from, tensor + ".PUSH_RES", part, push + 42, 5);
  text.message(from, to, tensor + ".PULL_REQ", part, push + 50, 5);
  return text.message(to, from, tensor + ".PULL_RES", part, pulled - 60, 60);
}

/// Steps of two machines of two GPUs each with BytePS; the second machine is 80 us late.
inline std::string merged_byteps(int64_t steps) {
  DproText text;
  for (int64_t s = 0; s < steps; ++s) {
    const double at = 1000.0 * static_cast<double>(s);
    for (int64_t w = 0; w < 2; ++w) {
      const double late = 80.0 * static_cast<double>(w);
      for (int64_t g = 0; g < 2; ++g) {
        const std::string gpu = fmt::format("traces_{}.rank{}", w, g);
        text.op(gpu, "FW.conv1", at, 100, s).op(gpu, "FW.dense", at + 100, 50, s);
        text.op(gpu, "BW.dense", at + 150, 100 + late, s).op(gpu, "BW.conv1", at + 250 + late, 150, s);
        text.op(gpu, "UPDATE_.dense", at + 700, 20, s).op(gpu, "UPDATE_.conv1", at + 850, 30, s);
      }
      exchange(text, w, "dense", 0, at + 250 + late, at + 690);
      exchange(text, w, "conv1", 0, at + 400 + late, at + 840);
      exchange(text, w, "conv1", 1, at + 400 + late, at + 840);
    }
    text.event("server_0_t1", "0", "ServerOp", "Comm.dense.SUM~>server_0_t1::0::~PART0", at + 400, 20, R"("cnt": 0)");
  }
  return text.text();
}

/// Steps of two machines of one GPU each with Horovod; the second one computes 60 us longer. Without chunks an
/// all-reduce is what Horovod says of it.
inline std::string merged_horovod(int64_t steps, bool chunks) {
  DproText text;
  for (int64_t s = 0; s < steps; ++s)
    for (int64_t h = 0; h < 2; ++h) {
      const std::string gpu = fmt::format("host{}.rank0", h);
      const double at = 1000.0 * static_cast<double>(s), late = 60.0 * static_cast<double>(h), end = at + 560;
      text.op(gpu, "FW.a", at, 150, s).op(gpu, "BW.a", at + 150, 200 + late, s);
      text.stage(gpu, "Comm.1.Sync", at + 350 + late, 1).stage(gpu, "Comm.1.QUEUE", at + 351 + late, 1);
      for (const char* tensor : {"1", "2"}) {
        text.stage(gpu, fmt::format("Comm.{}.MEMCPY_IN_FUSION_BUFFER", tensor), at + 352 + late, 8);
        if (!chunks)
          text.stage(gpu, fmt::format("Comm.{}.NCCL_ALLREDUCE", tensor), at + 360 + late, end - at - 360 - late);
        text.stage(gpu, fmt::format("Comm.{}.MEMCPY_OUT_FUSION_BUFFER", tensor), end + 2, 8);
      }
      for (int64_t c = 0; chunks && c < 2; ++c)
        for (const char* direction : {"SEND", "RECV"})
          text.chunk(gpu, fmt::format("Comm.1+2.{}", direction), c, at + 440 + 60 * static_cast<double>(c), 60);
      text.op(gpu, "UPDATE_0", end + 10, 40, s);
    }
  return text.text();
}

}  // namespace sample
