// Attention over a window, and packed documents: pairs of queries and keys against a count of every one of them.
#include <doctest/doctest.h>

#include "planner/workload/cost.h"
#include "tests/planner/sample.h"

using operator_models::Attention;
using planner::Scenario;
using planner::Split;
using planner::StepPhase;
using planner::Workload;
using sample::llama;
using sample::near;
using sample::only;
using sample::operator+;
using sample::Sets;

namespace {

constexpr int64_t kSequence = 2048;

std::string set(const char* path, int64_t n) { return std::string(path) + "=" + std::to_string(n); }
Sets window(int64_t size) { return {set("model.window.size", size)}; }

/// Pairs that a mask leaves: a query sees itself and the keys of its document before it, at most `window` in all.
double pairs(int64_t sequence, int64_t document, int64_t window) {
  double count = 0;
  for (int64_t query = 0; query < sequence; ++query)
    for (int64_t key = query / document * document; key <= query; ++key) count += query - key < window ? 1 : 0;
  return count;
}

/// Pairs that a rank's kernel works on, counted with the blocks of the kernel as small as one pair.
double executed(const Scenario& scenario) {
  Scenario s = scenario;
  for (auto& [name, row] : s.calibration.attention) row.block = 1;
  const Workload w = sample::workload(s);
  const planner::CostedWorkload c = planner::cost_workload(s, w);
  for (const planner::CostedOp& op : c.blocks[1].ops) {
    if (op.work->name != "attention.fused" || op.work->phase != StepPhase::forward) continue;
    const auto& a = std::get<Attention>(op.work->op);
    return op.work->count * op.cost.flops / (4.0 * static_cast<double>(a.heads * a.head_dim));
  }
  return 0;
}

double attention_flops(const Scenario& s, int64_t layer_kind = 0) {
  const planner::CostedWorkload c = planner::cost_workload(s, sample::workload(s));
  for (const planner::CostedOp& op : c.blocks[static_cast<size_t>(1 + layer_kind)].ops)
    if (op.work->name == "attention.fused" && op.work->phase == StepPhase::forward) return op.cost.flops;
  return 0;
}

}  // namespace

TEST_CASE("a windowed kernel works on the pairs of its band") {
  for (int64_t size : {64, 100, 512, 1024, 2000})
    CHECK(near(executed(llama(window(size))), pairs(kSequence, kSequence, size), 0.02));
  CHECK(near(executed(llama()), pairs(kSequence, kSequence, kSequence), 1e-3));
}

TEST_CASE("a window as long as the sequence is none") {
  for (int64_t size : {kSequence, 4 * kSequence}) CHECK(executed(llama(window(size))) == executed(llama()));
}

TEST_CASE("the model's FLOPs count the band too") {
  for (int64_t size : {64, 100, 512, 1024, 2000}) {
    const planner::Model m = llama(window(size)).model, whole = llama().model;
    const double tokens = 4 * kSequence;
    const double saved =
        planner::forward_flops(whole, tokens, kSequence, false) - planner::forward_flops(m, tokens, kSequence, false);
    const double square = static_cast<double>(kSequence * kSequence);
    CHECK(near(saved, 8 * 4 * 4.0 * 1024 * (square - pairs(kSequence, kSequence, size)), 0.002));
  }
}

TEST_CASE("each n-th layer sees the whole sequence, the others their window") {
  const Scenario s = llama(window(256) + Sets{"model.window.global_every=4"});
  const Workload w = sample::workload(s);
  CHECK(w.classes.front().total() == planner::Chunk{1, 6, 2, 1});
  CHECK(w.layer(0).layer.windowed);
  CHECK_FALSE(w.layer(1).layer.windowed);
  CHECK(attention_flops(s, 0) == attention_flops(llama(window(256))));
  CHECK(attention_flops(s, 1) == attention_flops(llama()));
}

TEST_CASE("documents that are packed see themselves only") {
  for (int64_t length : {64, 256, 1024, 2048})
    CHECK(near(executed(llama({set("job.document", length)})), pairs(kSequence, length, kSequence), 0.02));
  for (int64_t size : {64, 512})
    CHECK(near(executed(llama({set("job.document", 512), window(size)[0]})), pairs(kSequence, 512, size), 0.02));
}

TEST_CASE("of packed documents attention gets shorter, nothing else") {
  const Workload whole = sample::workload(llama()), packed = sample::workload(llama({"job.document=256"}));
  REQUIRE(whole.layer().ops.size() == packed.layer().ops.size());
  for (size_t i = 0; i < whole.layer().ops.size(); ++i)
    CHECK(sample::gemm_flops(whole.layer().ops[i]) == sample::gemm_flops(packed.layer().ops[i]));
  CHECK(whole.layer().saved_bytes() == packed.layer().saved_bytes());
  const auto a = std::get<Attention>(only(packed.layer().ops, "attention.fused").op);
  CHECK(a.batch == 8);
  CHECK(a.queries == 256);
}

TEST_CASE("context ranks share the band of a sequence evenly, and the documents") {
  for (int64_t cp : {2, 4, 8})
    for (const char* context : {"ring", "all-to-all"}) {
      const Sets ranks{set("parallelism.cp", cp), std::string("software.context=") + context};
      const double heads =
          context == std::string("ring") ? 1 : static_cast<double>(cp);  // pairs are counted for each head
      for (const Sets& more : {window(128), window(1000), window(2000), Sets{"job.document=256"}, Sets{}}) {
        INFO(cp, " ", std::string(context), " ", more.empty() ? "" : more[0]);
        const double whole = executed(llama(more + Sets{"model.kv_heads=16"})),
                     each = executed(llama(ranks + more + Sets{"model.kv_heads=16"}));
        CHECK(near(each * static_cast<double>(cp) / heads, whole, 0.02));
      }
    }
}

TEST_CASE("norms of query and key heads and post-norms: their weights, kernels and inputs") {
  const Workload plain = sample::workload(llama()), norms = sample::workload(llama({"model.qk_norm=true"})),
                 post = sample::workload(llama({"model.post_norm=true"})),
                 sinks = sample::workload(llama({"model.sinks=true"}));
  CHECK(norms.layer().parameters() - plain.layer().parameters() == 2 * 64);
  CHECK(norms.layer().saved_bytes() - plain.layer().saved_bytes() == 2.0 * kSequence * (16 + 4) * 64);
  CHECK(post.layer().parameters() - plain.layer().parameters() == 2 * 1024);
  CHECK(post.layer().saved_bytes() - plain.layer().saved_bytes() == 2 * 2.0 * kSequence * 1024);
  CHECK(sinks.layer().parameters() - plain.layer().parameters() == 16);
  CHECK(sample::named(norms.layer().ops, "attention.qk-norm").size() == 2);
  CHECK(sample::named(post.layer().ops, "mlp.post-norm").size() == 2);
}
