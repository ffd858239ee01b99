// The operator table: its rows add up to the plan, and each row says what it is and how large.
#include "planner/plan/ops.h"

#include <doctest/doctest.h>

#include <map>
#include <set>

#include "tests/planner/sample.h"

using planner::OperatorRow;
using planner::Plan;
using planner::Scenario;
using sample::gpt;
using sample::llama;
using sample::near;
using sample::Sets;

namespace {

using Rows = std::vector<OperatorRow>;

const Sets kNoOverlap{"software.overlap={tensor: false, tensor_backward: false, gradients: false, parameters: false}"};

/// One pipeline stage each: the table then holds all that the breakdown counts.
std::vector<Scenario> one_stage() {
  return {gpt(),
          llama(),
          gpt({"parallelism.tp=8"}),
          gpt({"parallelism.tp=4", "parallelism.sequence_parallel=true", "parallelism.recompute=full"}),
          gpt({"parallelism.recompute=selective", "parallelism.microbatch=2"}),
          llama({"parallelism.zero=1", "parallelism.tp=2"}),
          llama({"software={use: torchtitan}", "parallelism.zero=3", "parallelism.recompute=selective"}),
          gpt({"job.optimizer=lamb", "job.precision=fp32"})};
}

double total(const OperatorRow& r) { return r.count * r.seconds; }

double seconds_of(const Rows& rows, const std::string& phase) {
  double sum = 0;
  for (const OperatorRow& r : rows)
    if (r.phase == phase && r.op_class != "communication") sum += total(r);
  return sum;
}

double communication(const Rows& rows) {
  double sum = 0;
  for (const OperatorRow& r : rows)
    if (r.op_class == "communication") sum += total(r);
  return sum;
}

OperatorRow row(const Rows& rows, const std::string& name, const std::string& phase) {
  Rows found;
  for (const OperatorRow& r : rows)
    if (r.name == name && r.phase == phase) found.push_back(r);
  REQUIRE_MESSAGE(found.size() == 1, name, " ", phase);
  return found.front();
}

std::map<std::string, double> shape(const Rows& rows, const std::string& name, const std::string& phase = "forward") {
  const OperatorRow r = row(rows, name, phase);
  return {r.shape.begin(), r.shape.end()};
}

}  // namespace

TEST_CASE("count times seconds of the rows of a phase is that phase of the breakdown") {
  for (const Scenario& s : one_stage()) {
    CAPTURE(s.software.name);
    const Plan p = sample::plan(s);
    const Rows rows = planner::operator_rows(s);
    CHECK(near(seconds_of(rows, "forward"), p.breakdown->forward));
    CHECK(near(seconds_of(rows, "backward"), p.breakdown->backward));
    CHECK(near(seconds_of(rows, "recompute"), p.breakdown->recompute));
    CHECK(near(seconds_of(rows, "optimizer"), p.breakdown->optimizer));
  }
}

TEST_CASE("without overlap the communication rows are the communication of the breakdown") {
  for (const Sets& layout : {Sets{"parallelism.tp=8"}, Sets{"parallelism.tp=2", "parallelism.zero=1"},
                             Sets{"parallelism.tp=4", "parallelism.sequence_parallel=true"},
                             Sets{"software={use: torchtitan}", "parallelism.zero=3"}}) {
    const Scenario s = llama(sample::operator+(layout, kNoOverlap));
    const Plan p = sample::plan(s);
    CHECK(near(communication(planner::operator_rows(s)), p.breakdown->serialized_comm + p.breakdown->exposed_comm));
  }
}

TEST_CASE("shares are shares of all operator seconds, and sum to one") {
  for (const Scenario& s : one_stage()) {
    const Rows rows = planner::operator_rows(s);
    double sum = 0, shares = 0;
    for (const OperatorRow& r : rows) sum += total(r);
    for (const OperatorRow& r : rows) {
      CHECK(near(r.share, total(r) / sum));
      shares += r.share;
    }
    CHECK(near(shares, 1));
  }
}

TEST_CASE("FLOPs of the matrix rows, on every GPU, are what HFU counts") {
  for (const Scenario& s : one_stage()) {
    const Plan p = sample::plan(s);
    double flops = 0;
    for (const OperatorRow& r : planner::operator_rows(s))
      if (r.kind == "gemm" || r.kind == "attention") flops += r.count * r.flops;
    const double gpus = static_cast<double>(s.cluster.gpus);
    CHECK(near(flops * gpus, p.throughput->hfu * p.step->seconds * gpus * p.throughput->peak_flops_per_gpu));
  }
}

TEST_CASE("intensity is FLOPs per byte, and every word of a row is one of its list") {
  const std::set<std::string> phases{"forward", "backward", "recompute", "optimizer"},
      layers{"embedding", "layer", "head", "step"}, bounds{"compute", "memory", "network", "launch"},
      provenances{"measured", "interpolated", "extrapolated", "datasheet", "assumed"},
      classes{"linear-gemm", "attention-gemm", "fc-gemm",   "attention",
              "vector",      "embedding",      "optimizer", "communication"};
  for (const Scenario& s : one_stage())
    for (const OperatorRow& r : planner::operator_rows(s)) {
      CAPTURE(r.name);
      const double bytes = r.bytes_read + r.bytes_written;
      CHECK(near(r.intensity, bytes > 0 ? r.flops / bytes : 0));
      CHECK(phases.contains(r.phase));
      CHECK(layers.contains(r.layer));
      CHECK(bounds.contains(r.bound));
      CHECK(provenances.contains(r.provenance));
      CHECK(classes.contains(r.op_class));
      CHECK(r.count > 0);
      CHECK(r.seconds > 0);
      CHECK(r.relative_error > 0);
      CHECK_FALSE(r.model.empty());
      CHECK_FALSE(r.shape.empty());
      for (const auto& [name, size] : r.shape) {
        const auto& said = name;
        CHECK_MESSAGE(size == std::floor(size), said);
      }
    }
}

TEST_CASE("each operator stands in its class, kind and sublayer") {
  struct Expected {
    const char *name, *phase, *op_class, *kind, *sublayer, *layer;
  };
  const Rows unfused = planner::operator_rows(gpt({"parallelism.tp=4"})), fused = planner::operator_rows(llama());
  for (const Expected& e : {Expected{"attention.qkv", "forward", "linear-gemm", "gemm", "attention", "layer"},
                            {"attention.projection.wgrad", "backward", "linear-gemm", "gemm", "attention", "layer"},
                            {"attention.score", "forward", "attention-gemm", "gemm", "attention", "layer"},
                            {"attention.context.dgrad", "backward", "attention-gemm", "gemm", "attention", "layer"},
                            {"attention.softmax", "forward", "vector", "softmax", "attention", "layer"},
                            {"mlp.fc1", "forward", "fc-gemm", "gemm", "mlp", "layer"},
                            {"mlp.fc2.dgrad", "backward", "fc-gemm", "gemm", "mlp", "layer"},
                            {"mlp.activation", "backward", "vector", "activation", "mlp", "layer"},
                            {"mlp.norm", "forward", "vector", "normalization", "residual", "layer"},
                            {"attention.dropout-add", "forward", "vector", "elementwise", "residual", "layer"},
                            {"embedding.word", "forward", "embedding", "lookup", "embedding", "embedding"},
                            {"head.logits", "forward", "linear-gemm", "gemm", "head", "head"},
                            {"head.loss", "forward", "vector", "cross-entropy", "head", "head"},
                            {"mlp.fc2.all-reduce", "forward", "communication", "all-reduce", "mlp", "layer"},
                            {"data.all-reduce", "backward", "communication", "all-reduce", "data-parallel", "step"},
                            {"adam", "optimizer", "optimizer", "update", "optimizer", "step"},
                            {"optimizer.zero-gradients", "optimizer", "vector", "elementwise", "optimizer", "step"}}) {
    CAPTURE(e.name);
    const OperatorRow r = row(unfused, e.name, e.phase);
    CHECK(r.op_class == e.op_class);
    CHECK(r.kind == e.kind);
    CHECK(r.sublayer == e.sublayer);
    CHECK(r.layer == e.layer);
  }
  CHECK(row(fused, "attention.fused", "backward").op_class == "attention");
  CHECK(row(fused, "attention.rope", "forward").kind == "rope");
}

TEST_CASE("shapes follow tensor parallelism, microbatch and grouped heads") {
  for (double t : {1.0, 2.0, 4.0, 8.0})
    for (double b : {1.0, 4.0}) {
      const auto set = [](double n) { return std::to_string(static_cast<int>(n)); };
      const Sets layout{"parallelism.tp=" + set(t), "parallelism.microbatch=" + set(b)};
      const Rows rows = planner::operator_rows(gpt(layout));
      const double tokens = 1024 * b, h = 1024;
      using Shape = std::map<std::string, double>;
      CHECK(shape(rows, "attention.qkv") == Shape{{"batch", 1}, {"m", 3 * h / t}, {"n", tokens}, {"k", h}});
      CHECK(shape(rows, "attention.projection") == Shape{{"batch", 1}, {"m", h}, {"n", tokens}, {"k", h / t}});
      CHECK(shape(rows, "attention.score") == Shape{{"batch", 16 * b / t}, {"m", 1024}, {"n", 1024}, {"k", 64}});
      CHECK(shape(rows, "mlp.fc1.dgrad", "backward") == Shape{{"batch", 1}, {"m", h}, {"n", tokens}, {"k", 4 * h / t}});
      CHECK(shape(rows, "mlp.fc2.wgrad", "backward") == Shape{{"batch", 1}, {"m", 4 * h / t}, {"n", h}, {"k", tokens}});
      CHECK(shape(rows, "head.logits") == Shape{{"batch", 1}, {"m", 51200 / t}, {"n", tokens}, {"k", h}});
      CHECK(shape(rows, "embedding.word") == Shape{{"rows", tokens}, {"width", h}});
      CHECK(shape(rows, "mlp.activation") == Shape{{"elements", tokens * 4 * h / t}});
      const Rows grouped = planner::operator_rows(llama(layout));
      const double kv = std::max(1.0, 4 / t);
      CHECK(
          shape(grouped, "attention.fused") ==
          Shape{
              {"batch", b}, {"heads", 16 / t}, {"kv_heads", kv}, {"queries", 2048}, {"keys", 2048}, {"head_dim", 64}});
    }
}

TEST_CASE("counts are microbatches, times layers of the stage, times calls") {
  const Rows rows = planner::operator_rows(gpt({"parallelism.tp=2"}));  // dp 4: 16 microbatches
  CHECK(row(rows, "attention.qkv", "forward").count == 16 * 8);
  CHECK(row(rows, "embedding.word", "backward").count == 16);
  CHECK(row(rows, "head.logits", "forward").count == 16);
  CHECK(row(rows, "head.loss.all-reduce", "forward").count == 3 * 16);
  CHECK(row(rows, "adam", "optimizer").count == 1);
  const Rows staged = planner::operator_rows(gpt({"parallelism.pp=4"}));  // dp 2: 32 microbatches, 2 layers a stage
  CHECK(row(staged, "attention.qkv", "forward").count == 32 * 2);
  CHECK(row(staged, "pipeline.activation", "forward").count == 2 * 32);
  const Rows folded = planner::operator_rows(gpt({"parallelism.pp=4", "parallelism.interleave=2"}));
  CHECK(row(folded, "attention.qkv", "forward").count == 32 * 2);
  CHECK(row(folded, "pipeline.activation", "forward").count == 2 * 2 * 32);
}

TEST_CASE("rows of the optimizer cover what the rank owns") {
  const double p = planner::parameters(llama().model);
  for (double n : {1.0, 2.0, 8.0}) {
    const Rows rows = planner::operator_rows(
        llama({"parallelism.zero=1", "parallelism.zero_group=" + std::to_string(static_cast<int>(n))}));
    CHECK(shape(rows, "adam", "optimizer")["parameters"] == p / n);
    CHECK(near(row(rows, "adam", "optimizer").bytes_read, 16 * p / n));
    CHECK(near(row(rows, "adam", "optimizer").bytes_written, 14 * p / n));
  }
}

TEST_CASE("rows stand in step order: embedding, layer, head, then what happens once") {
  const std::vector<std::string> order{"embedding", "layer", "head", "boundary", "step"};
  size_t at = 0;
  std::set<std::string> seen;
  for (const OperatorRow& r : planner::operator_rows(gpt({"parallelism.pp=2", "parallelism.tp=2"}))) {
    const size_t here = static_cast<size_t>(std::find(order.begin(), order.end(), r.layer) - order.begin());
    CAPTURE(r.name);
    REQUIRE(here < order.size());
    CHECK(here >= at);
    at = here;
    seen.insert(r.layer);
  }
  CHECK(seen.size() == order.size());
}
