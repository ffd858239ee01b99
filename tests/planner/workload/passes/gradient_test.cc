// Where a microbatch's weight gradients go: into the buffer by the GEMM itself, or by kernels of their own.
#include <doctest/doctest.h>

#include <set>

#include "tests/planner/sample.h"

using planner::Block;
using planner::Scenario;
using planner::StepPhase;
using planner::Workload;
using planner::WorkOp;
using sample::gpt;
using sample::llama;
using sample::near;
using sample::Sets;
using sample::operator+;

namespace {

bool ends(const WorkOp& op, const char* with) { return op.name.str().ends_with(with); }

/// Bytes per weight that the kernels of that name move in a block and microbatch.
double per_weight(const Block& block, const char* kernel) {
  double bytes = 0, weights = 0;
  for (const WorkOp& op : block.ops) {
    if (ends(op, ".wgrad") && !is_core_attention(op.role)) {
      const operator_models::Gemm g = sample::gemm(op);
      weights += static_cast<double>(g.m * g.n);
    }
    if (!ends(op, kernel)) continue;
    const auto& v = std::get<operator_models::Vector>(op.op);
    bytes += op.count * (v.read.value + v.written.value);
  }
  return bytes / weights;
}
double added(const Block& block) { return per_weight(block, ".add-gradient") + per_weight(block, ".cast-gradient"); }

std::set<double> result_bytes(const Block& block) {
  std::set<double> found;
  for (const WorkOp& op : block.ops)
    if (ends(op, ".wgrad") && !is_core_attention(op.role)) found.insert(sample::gemm(op).c_bytes);
  return found;
}

const Sets kSeparate{"software.fusion.gradient=false"};

}  // namespace

TEST_CASE("a fused addition reads and writes the buffer in the GEMM, and launches nothing") {
  for (double buffer : {2.0, 4.0}) {
    const Workload w = sample::workload(llama({"software.memory.gradient=" + std::to_string(buffer)}));
    for (const Block* block : {&w.layer(), &w.head()}) {
      CHECK(added(*block) == 0);
      CHECK(result_bytes(*block) == std::set<double>{buffer});
    }
    for (const WorkOp& op : w.layer().ops)
      if (const auto* g = std::get_if<operator_models::Gemm>(&op.op)) CHECK(g->accumulate == ends(op, ".wgrad"));
  }
}

TEST_CASE("a separate addition moves 6, 10 or 18 bytes per weight and microbatch") {
  struct Row {
    const char *buffer, *cast;
    double bytes;
  };
  for (const Row& r : {Row{"2", "true", 2 + 2 + 2},           // new gradient and buffer in, buffer out
                       Row{"4", "true", 2 + 4 + 4},           // the addition widens
                       Row{"4", "false", 2 + 4 + 4 + 4 + 4},  // a kernel that widens first
                       Row{"2", "false", 2 + 2 + 2}}) {       // nothing to widen
    CAPTURE(r.bytes);
    for (const Sets& layout :
         {Sets{}, Sets{"parallelism.tp=4"}, Sets{"parallelism.zero=1", "parallelism.microbatch=2"}}) {
      const Workload w = sample::workload(llama(layout + kSeparate +
                                                Sets{std::string("software.memory.gradient=") + r.buffer,
                                                     std::string("software.fusion.gradient_cast=") + r.cast}));
      for (const Block* block : {&w.layer(), &w.head()}) {
        CHECK(near(added(*block), r.bytes));
        CHECK(result_bytes(*block) == std::set<double>{2});
      }
    }
  }
}

TEST_CASE("the accumulator may be narrower than all that a gradient takes") {
  const Sets wide = kSeparate + Sets{"software.memory.gradient=6"};
  CHECK(near(added(sample::workload(llama(wide + Sets{"software.memory.accumulator=4"})).layer()), 10));
  CHECK(near(added(sample::workload(llama(wide + Sets{"software.memory.accumulator=2"})).layer()), 6));
}

TEST_CASE("wide jobs have wide gradients: twelve bytes, and nothing to cast") {
  for (const char* precision : {"fp32", "tf32"}) {
    const Workload w = sample::workload(
        gpt(kSeparate + Sets{std::string("job.precision=") + precision, "software.fusion.gradient_cast=false"}));
    CHECK(near(added(w.layer()), 12));
    CHECK(per_weight(w.layer(), ".cast-gradient") == 0);
  }
}

TEST_CASE("each software of the catalogue adds as its profile says") {
  struct Row {
    const char* software;
    double bytes;
  };
  for (const Row& r : {Row{"megatron-core", 0}, Row{"megatron-2021", 6}, Row{"megatron-deepspeed", 18},
                       Row{"ddp-apex", 6}, Row{"internevo", 6}, Row{"nemo", 0}}) {
    CAPTURE(r.software);
    const std::string attention = "attention: unfused";
    const Workload w = sample::workload(gpt({std::string("software={use: ") + r.software + ", " + attention + "}"}));
    CHECK(near(added(w.layer()), r.bytes));
  }
}

TEST_CASE("FSDP adds nothing up: each microbatch's gradient is reduced as it is") {
  for (const char* zero : {"2", "3"})
    for (const char* fused : {"true", "false"}) {
      const Workload w = sample::workload(
          llama({"software={use: torchtitan}", std::string("parallelism.zero=") + zero,
                 std::string("software.fusion.gradient=") + fused, "software.fusion.gradient_cast=false"}));
      for (const Block* block : {&w.embedding(), &w.layer(), &w.head()})
        for (const WorkOp& op : block->ops) {
          CHECK_FALSE(ends(op, ".add-gradient"));
          CHECK_FALSE(ends(op, ".cast-gradient"));
          if (ends(op, ".wgrad")) CHECK_FALSE(sample::gemm(op).accumulate);
        }
    }
}

TEST_CASE("a job that adds separately is slower, and the more so the wider its buffer") {
  const auto backward = [](const Sets& sets) { return sample::plan(llama(sets)).breakdown->backward; };
  const double fused = backward({}), narrow = backward(kSeparate + Sets{"software.memory.gradient=2"}),
               wide = backward(kSeparate), cast = backward(kSeparate + Sets{"software.fusion.gradient_cast=false"});
  CHECK(fused < narrow);
  CHECK(narrow < wide);
  CHECK(wide < cast);
}
