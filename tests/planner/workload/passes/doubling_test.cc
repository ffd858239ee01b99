// What doubles where one figure of a mixture, of latent attention or of a window doubles. One row each.
#include <doctest/doctest.h>

#include "tests/planner/workload/lower/mixtures.h"

using namespace mixtures;
using planner::StepPhase;
using sample::near;
using sample::only;
using sample::operator+;

namespace {

const Sets kEight{"parallelism.ep=8"};
const Sets kNodes{"parallelism.ep=32", "model.experts.count=32", "model.experts.groups=4",
                  "software.experts.dispatch=per-node"};
const Sets kLatent{"model.latent.rank=128", "model.latent.query_rank=256", "model.latent.rotary_dim=32",
                   "model.latent.value_dim=64"};

operator_models::Gemm expert_gemm(const Scenario& s) {
  return sample::gemm(only(expert_layer(sample::workload(s)).ops, "experts.fc1"));
}
operator_models::Collective dispatched(const Scenario& s) {
  return sample::collective(only(expert_layer(sample::workload(s)).ops, "experts.dispatch"));
}

// Of one rank.
double experts_held(const Scenario& s) { return static_cast<double>(expert_gemm(s).batch); }
double expert_tokens(const Scenario& s) { return static_cast<double>(expert_gemm(s).n); }
double gathered(const Scenario& s) {
  double bytes = 0;
  for (const WorkOp& op : expert_layer(sample::workload(s)).ops) {
    const bool gathers = op.routed && std::holds_alternative<operator_models::Collective>(op.op);
    if (gathers && sample::collective(op).kind == operator_models::CollectiveKind::all_gather)
      bytes += sample::collective(op).bytes.value;
  }
  return bytes;
}
double expert_width(const Scenario& s) { return static_cast<double>(expert_gemm(s).m); }
double routed_flops(const Scenario& s) {
  const Workload w = sample::workload(s);
  double flops = 0;
  for (const WorkOp& op : expert_layer(w).ops) flops += op.routed ? sample::gemm_flops(op) : 0;
  return flops;
}
double routed_weights(const Scenario& s) { return expert_layer(sample::workload(s)).held().routed; }
double routed_saved(const Scenario& s) {
  const Workload w = sample::workload(s);
  double bytes = 0;
  for (const planner::Saved& saved : expert_layer(w).saved) bytes += saved.routed ? saved.bytes : 0;
  return bytes;
}
double router_weights(const Scenario& s) {
  const Workload w = sample::workload(s);
  for (const planner::Weight& weight : expert_layer(w).weights)
    if (weight.name == "router") return weight.parameters;
  return 0;
}
double sent(const Scenario& s) { return dispatched(s).bytes.value; }
double sent_across_nodes(const Scenario& s) { return sent(s) * dispatched(s).crossing; }
double owned_routed(const Scenario& s) {
  const auto& p = s.parallelism;
  const double copies = static_cast<double>(p.tp * p.cp * p.dp) / static_cast<double>(p.ep * p.etp);
  return sample::workload(s).classes.front().held.routed / copies;
}
double latent_up(const Scenario& s) {
  return sample::gemm_flops(only(expert_layer(sample::workload(s)).ops, "attention.kv-up"));
}
double latent_kept(const Scenario& s) {
  const Workload w = sample::workload(s);
  double bytes = 0;
  for (const planner::Saved& saved : expert_layer(w).saved)
    if (saved.name.str().starts_with("attention.kv-norm")) bytes += saved.bytes;
  return bytes;
}
double window(const Scenario& s) {
  return static_cast<double>(
      std::get<operator_models::Attention>(only(expert_layer(sample::workload(s)).ops, "attention.fused").op).window);
}
double predictions(const Scenario& s) {
  const Workload w = sample::workload(s);
  const planner::Chunk held = w.classes.back().total();
  return static_cast<double>(held[held.size() - 2]);
}
double prediction_flops(const Scenario& s) {
  Sets none{"model.mtp=0", "cluster.gpus=1"};
  return gemm_flops(s) - gemm_flops(mixture(none));
}

struct Row {
  std::string what;
  Sets base;
  const char* field;
  int64_t from;  // then twice as much
  double (*of)(const Scenario&);
  double factor;
};
const Row kRows[] = {
    {"ep: experts held", {}, "parallelism.ep", 4, experts_held, 0.5},
    {"ep: tokens of an expert", {}, "parallelism.ep", 4, expert_tokens, 2},
    {"ep: work of a rank", {}, "parallelism.ep", 4, routed_flops, 1},
    {"ep: weights of a rank", {}, "parallelism.ep", 4, routed_weights, 0.5},
    {"ep: bytes sent", {}, "parallelism.ep", 4, sent, 1},
    {"ep: activations", {}, "parallelism.ep", 4, routed_saved, 1},
    {"ep: optimizer states", {}, "parallelism.ep", 4, owned_routed, 1},
    {"etp: width", {"parallelism.sequence_parallel=true"}, "parallelism.etp", 2, expert_width, 0.5},
    {"etp: tokens", {"parallelism.sequence_parallel=true"}, "parallelism.etp", 2, expert_tokens, 2},
    {"etp: messages of a tensor rank alone", {}, "parallelism.etp", 2, gathered, 2},
    {"etp: messages with sequence parallelism",
     {"parallelism.sequence_parallel=true"},
     "parallelism.etp",
     2,
     gathered,
     2},
    {"etp: work of a rank", {"parallelism.sequence_parallel=true"}, "parallelism.etp", 2, routed_flops, 1},
    {"etp: weights", {"parallelism.sequence_parallel=true"}, "parallelism.etp", 2, routed_weights, 0.5},
    {"experts: held", kEight, "model.experts.count", 16, experts_held, 2},
    {"experts: tokens of each", kEight, "model.experts.count", 16, expert_tokens, 0.5},
    {"experts: work", kEight, "model.experts.count", 16, routed_flops, 1},
    {"experts: weights", kEight, "model.experts.count", 16, routed_weights, 2},
    {"experts: router", kEight, "model.experts.count", 16, router_weights, 2},
    {"experts: bytes sent", kEight, "model.experts.count", 16, sent, 1},
    {"top k: tokens of an expert", kEight, "model.experts.top_k", 2, expert_tokens, 2},
    {"top k: work", kEight, "model.experts.top_k", 2, routed_flops, 2},
    {"top k: weights", kEight, "model.experts.top_k", 2, routed_weights, 1},
    {"top k: bytes sent", kEight, "model.experts.top_k", 2, sent, 2},
    {"top k: activations", kEight, "model.experts.top_k", 2, routed_saved, 2},
    {"groups of a token, as large as nodes, all of their experts: nodes", kNodes + Sets{"model.experts.top_k=8"},
     "model.experts.groups_per_token", 1, sent_across_nodes, 2 - 2.0 / 12870},  // of 16 over 8, one way misses a node
    {"capacity: tokens of an expert", kEight, "job.routing.capacity", 1, expert_tokens, 2},
    {"capacity: bytes sent", kEight, "job.routing.capacity", 1, sent, 2},
    {"capacity: weights", kEight, "job.routing.capacity", 1, routed_weights, 1},
    {"skew: tokens of an expert", kEight, "job.routing.skew", 1, expert_tokens, 2},
    {"skew: bytes sent", kEight, "job.routing.skew", 1, sent, 2},
    {"skew: activations", kEight, "job.routing.skew", 1, routed_saved, 2},
    {"latent: up-projection", kLatent, "model.latent.rank", 128, latent_up, 2},
    {"latent: kept", kLatent, "model.latent.rank", 128, latent_kept, 2},
    {"window", {}, "model.window.size", 256, window, 2},
    {"prediction layers: held by the last stage", {"parallelism.pp=2"}, "model.mtp", 1, predictions, 2},
    {"prediction layers: work", {"cluster.gpus=1"}, "model.mtp", 1, prediction_flops, 2},
};

}  // namespace

TEST_CASE("twice a figure: twice, half or as much of what follows from it") {
  for (const Row& row : kRows) {
    CAPTURE(row.what);
    const double one = row.of(mixture(row.base + Sets{set(row.field, row.from)})),
                 two = row.of(mixture(row.base + Sets{set(row.field, 2 * row.from)}));
    CHECK(one > 0);
    CHECK(near(two, row.factor * one, 1e-12));
  }
}
