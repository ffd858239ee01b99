// Batch sizes: train_batch_size = train_micro_batch_size_per_gpu x gradient_accumulation_steps x data-parallel ranks.
// DeepSpeed finds the ones that are not given (deepspeed/runtime/config.py: _set_batch_related_parameters).
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "planner/import/deepspeed_config.h"
#include "planner/import/launch_size.h"

namespace planner::deepspeed {
namespace {

constexpr const char *kBatch = "train_batch_size", *kMicro = "train_micro_batch_size_per_gpu",
                     *kSteps = "gradient_accumulation_steps";

/// A batch size. 0: the files do not say; open: a launch line says, and none is given.
struct BatchSize {
  int64_t value = 0;
  bool open = false;
};

/// A key, or the Trainer's flag where it says "auto"; both must say the same.
BatchSize size_of(Config& c, const char* key, const char* flag, int64_t otherwise) {
  if (c.has(key)) {
    const int64_t size = c.count(key, 0);
    const int64_t told = c.flags.count(flag, size);
    if (told != size)
      c.error(key, fmt::format("{} {} is not {} {} of the launch line", key, size, flag, told),
              "\"auto\" takes that of the launch line");
    return {size};
  }
  if (!c.is_auto(key) && !c.flags.has(flag)) return {};
  if (!c.launched) return {0, true};
  return {c.flags.count(flag, otherwise)};
}

/// Puts a field from its key, or from the Trainer's flag.
void put_size(Config& c, const char* field, int64_t size, const char* key, const char* flag) {
  if (c.has(key)) return c.put(field, std::to_string(size), key);
  if (c.flags.has(flag)) return c.flags.put(field, size, flag);
  c.put(field, std::to_string(size), key, std::string(flag) + " of the Trainer by default");
}

/// The product of the known sizes must be the batch, or divide it.
bool check(Config& c, int64_t batch, const BatchSize& micro, const BatchSize& steps, int64_t ranks) {
  double product = 1;
  std::string text;
  const auto factor = [&](int64_t n, const std::string& name) {
    if (n == 0) return;
    product *= static_cast<double>(n);
    text += (text.empty() ? "" : " x ") + name;
  };
  factor(micro.value, fmt::format("{} {}", kMicro, micro.value));
  factor(steps.value, fmt::format("{} {}", kSteps, steps.value));
  factor(ranks, fmt::format("{} data-parallel ranks", ranks));
  const bool all = micro.value > 0 && steps.value > 0 && ranks > 0;
  const auto whole = static_cast<double>(batch);
  if (all ? product == whole : std::fmod(whole, product) == 0) return true;
  const std::string hint = all ? fmt::format("{:.0f}, or leave one of the three out: DeepSpeed finds it", product) : "";
  c.error(kBatch, fmt::format("{} {} is {} {}", kBatch, batch, all ? "not" : "no multiple of", text), hint);
  return false;
}

void machine(Config& c, int64_t gpus, int64_t from_batch) {
  if (gpus > 0) return c.flags.put("cluster.gpus", gpus, flag_of_processes(c.flags));
  if (from_batch > 0)
    return c.put("cluster.gpus", std::to_string(from_batch), kBatch, "its ranks, from the three batch sizes");
  c.flags.leave_open("cluster.gpus", "GPUs of the job");
}

void put_batch(Config& c, int64_t batch, const BatchSize& micro, const BatchSize& steps) {
  const char *micro_flag = "--per_device_train_batch_size", *steps_flag = "--gradient_accumulation_steps";
  const int64_t times = std::max<int64_t>(steps.value, 1);
  if (micro.value > 0) put_size(c, "parallelism.microbatch", micro.value, kMicro, micro_flag);
  else if (micro.open) c.flags.leave_open("parallelism.microbatch", micro_flag);
  else if (!steps.open)
    c.put("parallelism.microbatch", fmt::format("job.global_batch / ({} * parallelism.dp)", times), kBatch);
  else c.flags.leave_open("parallelism.microbatch", steps_flag);
  if (batch > 0) return c.put("job.global_batch", std::to_string(batch), kBatch);
  if (steps.open) return c.flags.leave_open("job.global_batch", steps_flag);
  c.put("job.global_batch", fmt::format("{} * parallelism.microbatch * parallelism.dp", times), kSteps);
}

}  // namespace

void batch_rules(Config& c) {
  const int64_t batch = c.count(kBatch, 0), gpus = processes(c.flags);
  const int64_t tp = std::min(c.flags.count_of("parallelism.tp", 1), kMostRanks),
                replica = tp * std::min(c.flags.count_of("parallelism.cp", 1), kMostRanks);
  const BatchSize micro = size_of(c, kMicro, "--per_device_train_batch_size", 8);
  BatchSize steps = size_of(c, kSteps, "--gradient_accumulation_steps", 1);
  if (batch == 0 && micro.value == 0 && !micro.open)
    return c.error("", fmt::format("missing key {} or {}", kBatch, kMicro));
  if (micro.value == 0 && steps.value == 0 && !steps.open) steps.value = 1;
  if (gpus % tp != 0)
    return c.error("tensor_parallel.autotp_size", fmt::format("{} GPUs are no multiple of autotp_size {}", gpus, tp));
  if (gpus % replica != 0)
    return c.error("sequence_parallel_size",
                   fmt::format("{} GPUs are no multiple of {} that share a sequence", gpus, replica));
  if (batch > 0 && !check(c, batch, micro, steps, gpus / replica)) return;
  const bool all = batch > 0 && micro.value > 0 && steps.value > 0;
  machine(c, gpus, all ? batch / (micro.value * steps.value) * replica : 0);
  put_batch(c, batch, micro, steps);
}

}  // namespace planner::deepspeed
