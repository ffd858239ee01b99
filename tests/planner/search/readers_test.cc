// The table of readers: every field it names is opened, and each candidate held against its own plan.
#include "planner/search/readers.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

#include "planner/search/candidate.h"
#include "planner/search/evaluator.h"
#include "planner/search/search.h"
#include "tests/planner/search/open_sample.h"
#include "tests/planner/workload/lower/mixtures.h"

using planner::PlanFigures;
using planner::Scenario;
using sample::kGpt;
using sample::Sets;
using sample::operator+;

namespace {

/// Values of a field that move a figure of this scenario; of a field that a layout rule reads also some that break it.
/// A path may have several rows: other parts of a plan read it in other scenarios.
struct Opened {
  std::string path, values;
  Sets sets{};
  const char* text = kGpt;
};

const Sets kGpus{"cluster.gpus=16", "job.tokens=1e9"}, kZero{"parallelism.zero=1"}, kPipe{"parallelism.pp=2"},
    kInterval{"cluster.checkpoint.interval=1000 s"}, kOffload{"parallelism.offload.optimizer=0.5"},
    kExperts{"parallelism.ep=2", "parallelism.etp=parallelism.tp", "parallelism.sequence_parallel=true"},
    kBought{"cluster.purchase.gpu_price=20000 USD"}, kChunks{"parallelism.pp=2", "parallelism.interleave=2"},
    kNear{"cluster.gpu.near_memory={use: hbm2-bank-units}"}, kFusedRanks{"cluster.gpu.near_memory.op_and_store=2"},
    kUneven{"parallelism.pp=2", "cluster.spares=[1, 2, 5]", "cluster.price=0 USD/h", "cluster.node_idle_power=0 W"};

const Opened kOpened[] = {
    {"job.global_batch", "[64, 128, 36]"},
    {"job.global_batch", "[4, 64]", {"parallelism.pp=4"}},
    {"job.tokens", "[1e9, 2e9]"},
    {"job.optimizer", "[adam, lamb, sgd, muon, soap, adafactor, paged-adam-8bit]"},
    {"job.optimizer", "[adam, paged-adam, muon]", kZero + kOffload},
    {"job.muon.mode",
     "[duplicated, distributed, blockwise, layer-sharded]",
     {"job.optimizer=muon", "parallelism.tp=2"}},
    {"job.muon.steps", "[3, 5]", {"job.optimizer=muon"}},
    {"parallelism.pp", "[1, 2, 4, 8]", {"model.layers=4"}},
    {"parallelism.pp", "[1, 2, 4]", kZero + kOffload},
    {"parallelism.pp", "[1, 2, 4]", kZero + kExperts, mixtures::kMixture},
    {"parallelism.dp", "[1, 2, 3]", {"cluster.gpus=4 * parallelism.dp"}},
    {"parallelism.dp", "[2, 4]", kExperts + Sets{"cluster.gpus=4 * parallelism.dp"}, mixtures::kMixture},
    {"parallelism.interleave", "[1, 2, 8]", {"parallelism.pp=4", "model.layers=6"}},
    {"parallelism.microbatch", "[1, 2, 3]"},
    {"parallelism.microbatch", "[1, 2]", kPipe + kExperts, mixtures::kMixture},
    {"parallelism.microbatch", "[1, 2]", {"job.precision=fp8", "cluster.use=dgx-h100", "software.use=megatron-core"}},
    {"parallelism.sequence_parallel", "[false, true]", {"job.sequence=1022"}},
    {"parallelism.sequence_parallel", "[false, true]",
     kPipe + Sets{"parallelism.ep=2", "parallelism.etp=parallelism.tp", "software.rules=[]"}, mixtures::kMixture},
    {"parallelism.zero", "[0, 1, 2, 3]", kPipe},
    {"parallelism.zero", "[0, 1, 2, 3]", kOffload},
    {"parallelism.zero", "[0, 1, 2]", kExperts, mixtures::kMixture},
    {"parallelism.zero_group", "[2, 4, 3]", kZero},
    {"parallelism.expert_zero_group", "[1, 2, 3]", kZero + kExperts, mixtures::kMixture},
    {"parallelism.recompute", "[none, selective, full]"},
    {"parallelism.recompute", "[none, selective, full]", kPipe + kExperts, mixtures::kMixture},
    {"parallelism.recompute_every", "[1, 2]"},
    {"parallelism.recompute_layers", "[0, 2]"},
    {"parallelism.schedule", "[1f1b, gpipe, zb-h1, interleaved]", kPipe},
    {"parallelism.schedule", "[interleaved, zb-v]", kChunks},
    {"parallelism.order", "[tp-cp-ep-dp-pp, dp-cp-ep-pp-tp, dp-dp]"},
    {"parallelism.order", "[tp-cp-ep-dp-pp, dp-ep-cp-pp-tp, pp-ep-cp-dp-tp]", kPipe + kExperts, mixtures::kMixture},
    {"parallelism.order", "[tp-cp-ep-dp-pp, tp-cp-ep-pp-dp]", kPipe + kOffload + Sets{"cluster.gpus=32"}},
    // A list follows another choice. Of spares that cost nothing no part of a plan reads any.
    {"parallelism.stages", "[2 + cluster.spares, 'max(6 - cluster.spares, 2)']", kUneven},
    {"cluster.gpus", "[8, 16, 12]"},
    {"cluster.gpus", "[8, 16]", kPipe + kZero + kExperts, mixtures::kMixture},
    {"parallelism.offload.optimizer", "[0, 0.5, 1]"},
    {"parallelism.offload.optimizer", "[0, 0.5]", {"cluster.host.memory_bandwidth=0 B/s"}},
    {"parallelism.offload.weights", "[0, 0.5, 1]", kPipe},
    {"parallelism.offload.weights", "[0, 0.5]", kOffload + kZero},
    {"parallelism.offload.weights", "[0, 0.5]", {"cluster.host.bandwidth=0 B/s"}},
    {"parallelism.offload.activations", "[0, 0.5, 1]", kPipe},
    {"parallelism.offload.activations", "[0, 0.5]", {"parallelism.zero=3"}},
    {"parallelism.offload.activations", "[0, 0.5]", {"cluster.host.bandwidth=0 B/s"}},
    {"cluster.gpu.memory", "[40 GB, 80 GB]"},
    {"goal.fit", "[0.1, 0.99]"},
    {"cluster.gpu.memory_bandwidth", "[1 TB/s, 2 TB/s]", kPipe + kZero},
    {"cluster.gpu.memory_bandwidth", "[1 TB/s, 2 TB/s]", {"parallelism.zero=3", "software.unit_bytes=8"}},
    {"cluster.network[0].bandwidth", "[100 GB/s, 300 GB/s]", kPipe + kZero},
    {"cluster.network[0].bandwidth", "[100 GB/s, 300 GB/s]", {"parallelism.zero=3"}},
    {"cluster.network[0].latency", "[1 us, 1 ms]", kPipe + kZero},
    {"cluster.network[0].latency", "[1 us, 1 ms]", {"parallelism.zero=3"}},
    {"cluster.network[0].wiring", "[ring, fully-connected]",
     kPipe + kZero + Sets{"operator_models.collective=alpha-beta"}},
    {"cluster.network[0].wiring",
     "[ring, fully-connected]",
     {"parallelism.zero=3", "operator_models.collective=alpha-beta"}},
    {"cluster.network[0].wiring", "[ring, fully-connected]", kFusedRanks + Sets{"software.fused_collectives=t3"}},
    {"software.attention", "[unfused, flash2]", kPipe},
    {"software.attention", "[unfused, flash2]", {"parallelism.cp=2"}},
    {"software.fusion.bias_activation", "[false, true]", kPipe},
    {"software.fusion.bias_dropout_add", "[false, true]", kPipe},
    {"software.fusion.dropout", "[false, true]", kPipe + Sets{"software.fusion.bias_dropout_add=false"}},
    {"software.fusion.norm", "[false, true]", kPipe},
    {"software.fusion.softmax", "[false, true]", kPipe + Sets{"software.attention=unfused"}},
    {"software.fusion.gradient", "[false, true]", kPipe + kZero},
    {"software.fusion.norm_passes", "[false, true]", kPipe + Sets{"software.fusion.norm=false"}},
    {"software.fusion.qkv", "[false, true]", kZero + Sets{"software.gather_by_broadcast=true"}},
    {"software.fusion.cross_entropy", "[false, true]"},
    {"cluster.price", "[1 USD/h, 2 USD/h]"},
    {"cluster.price_terms.contract", "[on-demand, reserved]", Sets{"cluster.use=p5"}},
    {"cluster.purchase.gpu_price", "[10000 USD, 20000 USD]"},
    {"cluster.purchase.node_price", "[100000 USD, 200000 USD]"},
    {"cluster.purchase.amortisation", "[1000 d, 2000 d]", kBought},
    {"cluster.purchase.utilisation", "[0.5, 1]", kBought},
    {"cluster.spares", "[0, 2]"},
    {"cluster.power_price", "[0.1 USD/kWh, 0.2 USD/kWh]"},
    {"cluster.pue", "[1.1, 1.5]"},
    {"cluster.carbon", "[0.1, 0.4]"},
    {"cluster.mtbf", "[1000 h, 20000 h]"},
    {"cluster.node_failures", "[1 %/week, 20 %/week]"},
    {"cluster.checkpoint.save", "[10 s, 50 s, 2000 s]", kInterval},
    {"cluster.checkpoint.background", "[0 s, 50 s, 2000 s]", kInterval},
    {"cluster.checkpoint.interval", "[1000 s, 2000 s, 10 s]"},
    {"cluster.checkpoint.detect", "[1 min, 10 min]"},
    {"cluster.checkpoint.restart", "[1 min, 10 min]"},
    {"cluster.checkpoint.repair", "[0 h, 10 h]"},
    {"cluster.checkpoint.formula", "[young, daly]"},
    {"software.schedule", "[1f1b, gpipe, zb-h1]", kPipe},
    {"software.schedule", "[interleaved, zb-v, dualpipe-v]", kChunks + Sets{"job.global_batch=8"}},
    {"software.overlap.tensor", "[false, true]"},
    {"software.fused_collectives", "[none, ideal, t3, cu-split]", kFusedRanks},
    {"software.fused_collectives", "[none, t3-mca]", kPipe + kFusedRanks + Sets{"parallelism.sequence_parallel=true"}},
    {"software.collective_units", "[0, 8, 32]", kFusedRanks + Sets{"software.fused_collectives=cu-split"}},
    {"software.overlap.tensor_backward", "[false, true]"},
    {"software.overlap.gradients", "[false, true]"},
    {"software.overlap.gradients", "[false, true]", kZero + kExperts, mixtures::kMixture},
    {"software.overlap.parameters", "[false, true]", kZero},
    {"software.overlap.pipeline", "[false, true]", kChunks},
    {"software.reduce_scatter", "[false, true]", kZero},
    {"software.bucket_bytes", "[0 B, 1 MB, 100 MB]"},
    {"software.bucket_bytes", "[0 B, 1 MB, 100 MB]", kZero},
    {"software.partition_bytes", "[0 B, 4 MB]", {"parallelism.servers=8"}},
    {"software.sums_in_node", "[false, true]", {"parallelism.servers=8"}},
    {"software.fusion.vector", "[false, true]"},
    {"software.fusion.optimizer", "[false, true]"},
    {"software.optimizer_launch", "[0, 1e6]", kZero},
    {"software.concurrency",
     "[sequential, oracle, default]",
     {"model.hidden=256", "model.heads=4", "job.sequence=512"}},
    {"software.concurrency", "[sequential, default]", kPipe + Sets{"parallelism.schedule=zb-h1"}},
    {"software.optimizer_on", "[gpu, near-memory, near-memory-but-norm]", kNear},
    {"software.optimizer_on", "[gpu, near-memory]"},
    {"cluster.gpu.near_memory.registers", "[0, 16, 64]", kNear + Sets{"software.optimizer_on=near-memory"}},
    {"software.straggling", "[0, 0.01]"},
    {"software.step_overhead", "[0 s, 1 ms]"},
    {"software.microbatch_overhead", "[0 s, 1 ms]"},
};

std::vector<double> numbers(const PlanFigures& f) {
  const auto& [forward, backward, recompute, optimizer, serialized, exposed, bubble, overhead] = f.breakdown;
  const auto& [device, host, allocated, reserved] = f.memory;
  const planner::Throughput& t = f.throughput;
  const planner::RunCost& c = f.cost;
  std::vector<double> out{f.step.seconds,
                          f.step.low_seconds,
                          f.step.high_seconds,
                          forward,
                          backward,
                          recompute,
                          optimizer,
                          serialized,
                          exposed,
                          bubble,
                          overhead,
                          allocated,
                          reserved,
                          t.tokens_per_second,
                          t.model_flops_per_step,
                          t.mfu,
                          t.mfu_full_attention,
                          t.hfu,
                          t.peak_flops_per_gpu,
                          c.goodput,
                          c.checkpoint_interval_seconds,
                          c.recovery_seconds,

                          f.errors.software};
  for (const auto& [peak, capacity, usable, error] : {device, host})
    out.insert(out.end(), {peak, capacity, usable, error.mean, error.sd});
  for (const auto& x :
       {c.steps, c.days_ideal, c.days, c.usd, c.kwh, c.expected_failures, c.usd_per_gpu_hour, c.usd_power, c.co2_kg})
    out.push_back(x.value_or(-1));
  out.insert(out.end(), f.errors.kinds.begin(), f.errors.kinds.end());
  return out;
}

/// What a field does, seen from the other choices: candidates that differ in the field alone stand together.
struct Seen {
  std::vector<std::vector<double>> figures;
  int refused = 0;

  bool moves() const {
    return std::any_of(figures.begin(), figures.end(), [&](const auto& f) { return f != figures.front(); });
  }
};

/// Walks the space as a search does, and checks each candidate against a plan made of nothing that was kept.
std::map<std::string, Seen> walk(const planner::OpenScenario& open, const std::vector<std::string>& around) {
  std::map<std::string, Seen> out;
  const std::vector<std::string> names = planner::choice_names(open.space);
  planner::Candidate candidate(open);
  planner::SharedParts shared;
  dsl::Cursor cursor(open.space);
  planner::Evaluator evaluator(open, shared, cursor.order());
  while (cursor.next()) {
    if (cursor.refusal() != dsl::Refusal::none) {
      candidate.skip(cursor);
      evaluator.skip(cursor);
      continue;
    }
    const Scenario& s = candidate.at(cursor);
    evaluator.follow(cursor);
    const std::vector<dsl::Value> values = planner::chosen(open.space, cursor);
    std::string all, others;
    for (size_t i = 0; i < names.size(); ++i) {
      const std::string text = names[i] + "=" + dsl::to_text(values[i]) + " ";
      all += text;
      if (std::find(around.begin(), around.end(), names[i]) != around.end()) others += text;
    }
    INFO(all);
    const size_t rule = evaluator.broken_rule(s);
    REQUIRE(rule == planner::first_broken_layout_rule(s));
    Seen& seen = out[others];
    const bool refused = rule < planner::layout_rule_count();
    if (refused) ++seen.refused;
    if (refused) continue;
    seen.figures.push_back(numbers(planner::plan_figures(planner::make_unchecked_plan(s))));
    CHECK(numbers(evaluator.figures(s)) == seen.figures.back());
  }
  return out;
}

}  // namespace

TEST_CASE("candidates that differ in a field of the table of readers have the figures of their plans") {
  std::map<std::string, bool> moves;  // by path: whether it moves a figure
  for (const Opened& row : kOpened) {
    INFO(row.path);
    const std::string inner = row.path == "parallelism.recompute" ? "parallelism.microbatch" : "parallelism.recompute";
    const std::string others = inner == "parallelism.recompute" ? "=[none, full]" : "=[1, 2]";
    const Sets choices{"parallelism.tp=[2, 4]", row.path + "=" + row.values, inner + others};
    const auto seen = walk(sample::opened(row.text, kGpus + row.sets + choices), {"parallelism.tp", inner});
    bool matters = false;
    for (const auto& [where, s] : seen) {
      moves[row.path] |= s.moves();
      matters |= s.moves() || s.refused > 0;
    }
    CHECK(matters);
  }
  for (const auto& [path, moved] : moves) {
    const auto& said = path;
    CHECK_MESSAGE(moved, said);
  }
  for (std::string_view path : planner::read_fields()) {
    INFO(std::string(path));
    // An index may be any; a name may not: a field of the future would be read by what the row says, not by all parts.
    CHECK((path.find('*') == path.npos || path.find("[*]") != path.npos));
    const auto names = [&](const auto& field) { return planner::is_field_of(field.first, path); };
    CHECK_MESSAGE(std::ranges::any_of(moves, names), "no row of this test opens the field");
  }
}
