// How a plan answers to more GPUs and to other degrees: what may grow, what must not.
#include <doctest/doctest.h>

#include "tests/planner/sample.h"

using planner::Plan;
using planner::Scenario;
using sample::gpt;
using sample::llama;
using sample::near;
using sample::Sets;
using sample::operator+;

namespace {

std::string set(const char* path, int64_t n) { return std::string(path) + "=" + std::to_string(n); }

/// Eight sequences for each GPU.
Plan weak(int64_t gpus, const Sets& more = {}) {
  return sample::plan(llama(Sets{set("cluster.gpus", gpus), set("job.global_batch", 8 * gpus)} + more));
}
/// 512 sequences whatever the GPUs.
Plan strong(int64_t gpus, const Sets& more = {}) {
  return sample::plan(llama(Sets{set("cluster.gpus", gpus), "job.global_batch=512"} + more));
}

}  // namespace

TEST_CASE("more data ranks at a fixed batch per GPU: more tokens in all, no more of them per GPU") {
  for (const Sets& layout : {Sets{}, Sets{"parallelism.tp=4"}, Sets{"parallelism.pp=2", "parallelism.tp=2"},
                             Sets{"software={use: torchtitan}", "parallelism.zero=3"}}) {
    Plan last = weak(8, layout);
    for (int64_t gpus : {16, 64, 256, 1024}) {
      CAPTURE(gpus);
      const Plan now = weak(gpus, layout);
      CHECK(now.step->seconds >= last.step->seconds * (1 - 1e-9));
      CHECK(now.throughput->tokens_per_second > last.throughput->tokens_per_second);
      CHECK(now.throughput->tokens_per_second_per_gpu <= last.throughput->tokens_per_second_per_gpu * (1 + 1e-9));
      CHECK(near(now.breakdown->forward, last.breakdown->forward));
      CHECK(near(now.breakdown->backward, last.breakdown->backward));
      last = now;
    }
  }
}

TEST_CASE("more data ranks at a fixed global batch: shorter steps, less of each GPU") {
  Plan last = strong(8);
  for (int64_t gpus : {16, 32, 64, 128, 512}) {
    CAPTURE(gpus);
    const Plan now = strong(gpus);
    CHECK(now.step->seconds < last.step->seconds);
    CHECK(now.throughput->mfu <= last.throughput->mfu * (1 + 1e-9));
    CHECK(near(now.throughput->model_flops_per_step, last.throughput->model_flops_per_step));
    CHECK(now.memory->device.peak_bytes <= last.memory->device.peak_bytes * (1 + 1e-12));
    last = now;
  }
}

TEST_CASE("sharding over more ranks never holds more, and ends at what is not sharded") {
  double last = 1e300;
  for (int64_t gpus : {8, 16, 64, 256}) {
    const Plan p = weak(gpus, {"software={use: torchtitan}", "parallelism.zero=3"});
    const planner::StageMemory& m = p.memory->stages.front();
    CHECK(p.memory->device.peak_bytes < last);
    CHECK(near(m.weights + m.gradients + m.optimizer,
               16 * planner::parameters(llama().model) / static_cast<double>(gpus)));
    last = p.memory->device.peak_bytes;
  }
}

TEST_CASE("tensor parallelism divides compute, at the price of communication") {
  const Sets base{"model.hidden=4096", "model.ffn=11008", "model.heads=32", "model.kv_heads=8", "job.global_batch=8"};
  Plan last = sample::plan(llama(base + Sets{"cluster.gpus=1"}));
  for (int64_t t : {2, 4, 8}) {
    CAPTURE(t);
    const Plan now = sample::plan(llama(base + Sets{set("cluster.gpus", t), set("parallelism.tp", t)}));
    CHECK(now.breakdown->forward < last.breakdown->forward);
    CHECK(now.breakdown->forward > last.breakdown->forward / 2 * (1 - 1e-9));  // norms are whole on every rank
    CHECK(now.breakdown->serialized_comm > 0);
    CHECK(now.step->seconds < last.step->seconds);
    CHECK(now.memory->device.peak_bytes < last.memory->device.peak_bytes);
    last = now;
  }
}

TEST_CASE("more stages: fewer layers and less memory on each, more bubble") {
  Plan last = sample::plan(gpt({"cluster.gpus=8", "parallelism.pp=1"}));
  for (int64_t p : {2, 4, 8}) {
    CAPTURE(p);
    const Plan now = sample::plan(gpt({"cluster.gpus=8", set("parallelism.pp", p)}));
    CHECK(now.breakdown->bubble > last.breakdown->bubble);
    CHECK(now.memory->stages.size() == static_cast<size_t>(p));
    CHECK(now.memory->stages[1].weights < last.memory->stages.front().weights);
    last = now;
  }
}

TEST_CASE("a longer accumulation dilutes what happens once per step") {
  double last = 0;
  for (int64_t batch : {64, 128, 256, 1024}) {
    const Plan p = sample::plan(gpt({set("job.global_batch", batch)}));
    CHECK(p.throughput->mfu > last);
    CHECK(near(p.breakdown->optimizer, sample::plan(gpt()).breakdown->optimizer));
    CHECK(near(p.breakdown->forward / static_cast<double>(batch), sample::plan(gpt()).breakdown->forward / 64));
    last = p.throughput->mfu;
  }
}

TEST_CASE("a larger microbatch takes fewer, fuller kernels and more memory") {
  Plan last = sample::plan(llama());
  for (int64_t b : {2, 4, 8}) {
    const Plan now = sample::plan(llama({set("parallelism.microbatch", b)}));
    CHECK(now.breakdown->forward < last.breakdown->forward);
    CHECK(now.memory->stages.front().activations == 2 * last.memory->stages.front().activations);
    CHECK(now.memory->stages.front().weights == last.memory->stages.front().weights);
    last = now;
  }
}

TEST_CASE("a newer machine is faster, cluster by cluster") {
  double last = 1e300;
  for (const char* cluster : {"dgx-1", "dgx-a100-80gb", "dgx-h100", "dgx-b200"}) {
    const Scenario s = gpt({std::string("cluster={use: ") + cluster + ", gpus: 16}", "parallelism.microbatch=2"});
    const double seconds = sample::plan(s).step->seconds;
    CHECK_MESSAGE(seconds < last, std::string(cluster));
    last = seconds;
  }
}

TEST_CASE("energy and dollars of a run follow GPUs times days") {
  for (int64_t gpus : {8, 64, 512}) {
    const Plan p = strong(gpus, {"job.tokens=1e12", "cluster.price=2 USD/h"});
    const double hours = static_cast<double>(gpus) * *p.cost->days * 24;
    CHECK(near(*p.cost->gpu_hours, hours));
    CHECK(near(*p.cost->usd, 2 * hours));
    CHECK(near(*p.cost->kwh, hours * (6.5 / 8 + 0.04) * 1.2));
  }
}
