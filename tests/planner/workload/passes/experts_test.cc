// Experts and expert parallelism: sharding conserves work and weights, bytes of the exchanges, memory, forward only.
#include <doctest/doctest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "tests/planner/workload/lower/mixtures.h"

using namespace mixtures;
using operator_models::Collective;
using operator_models::CollectiveKind;
using planner::StepPhase;
using sample::near;
using sample::only;
using sample::operator+;

namespace {

const Sets kBiases{"model.bias=true", "model.norm=layernorm"};

/// tp, cp, pp, ep, etp; tensor ranks with sequence parallelism, as ranks that share no experts need it.
Sets layout(int64_t tp, int64_t cp, int64_t pp, int64_t ep, int64_t etp) {
  return {set("parallelism.tp", tp), set("parallelism.cp", cp),   set("parallelism.pp", pp),
          set("parallelism.ep", ep), set("parallelism.etp", etp), "parallelism.sequence_parallel=true"};
}

std::vector<Sets> layouts() {
  return {layout(1, 1, 1, 2, 1), layout(1, 1, 1, 16, 1), layout(1, 1, 1, 1, 4), layout(1, 1, 1, 4, 2),
          layout(2, 1, 1, 8, 1), layout(4, 1, 1, 2, 4),  layout(4, 1, 1, 8, 2), layout(1, 4, 1, 8, 1),
          layout(2, 2, 1, 8, 1), layout(2, 2, 1, 2, 2),  layout(1, 1, 2, 4, 1), layout(1, 1, 4, 8, 1),
          layout(2, 1, 2, 4, 2), layout(2, 2, 2, 4, 1)};
}

double bytes(const Scenario& s, const char* name, StepPhase phase = StepPhase::forward) {
  return sample::collective(only(expert_layer(sample::workload(s)).ops, name, phase)).bytes.value;
}

Sets dispatch(const char* how) { return {std::string("software.experts.dispatch=") + how}; }

/// Ranks and nodes that the experts of a token lie in, counted over random routings: the groups of the token evenly
/// drawn, then its experts from theirs.
struct Copies {
  double ranks = 0, nodes = 0;
};
Copies random_routings(const planner::Experts& e, int64_t ranks, int64_t nodes) {
  std::mt19937_64 random(7);
  std::vector<int64_t> groups(static_cast<size_t>(e.groups));
  std::iota(groups.begin(), groups.end(), 0);
  constexpr int kDraws = 20000;
  Copies sum;
  for (int draw = 0; draw < kDraws; ++draw) {
    std::ranges::shuffle(groups, random);
    std::vector<int64_t> experts;
    for (int64_t g = 0; g < e.groups_per_token; ++g)
      for (int64_t i = 0; i < e.count / e.groups; ++i)
        experts.push_back(groups[static_cast<size_t>(g)] * (e.count / e.groups) + i);
    std::ranges::shuffle(experts, random);
    std::vector<bool> rank(static_cast<size_t>(ranks)), node(static_cast<size_t>(nodes));
    for (int64_t i = 0; i < e.top_k; ++i) {
      const int64_t expert = experts[static_cast<size_t>(i)];
      rank[static_cast<size_t>(expert * ranks / e.count)] = true;
      node[static_cast<size_t>(expert * nodes / e.count)] = true;
    }
    sum.ranks += static_cast<double>(std::ranges::count(rank, true));
    sum.nodes += static_cast<double>(std::ranges::count(node, true));
  }
  return {sum.ranks / kDraws, sum.nodes / kDraws};
}

/// Kernels over tokens that the ranks that share an expert have all of, each for itself.
bool gathered(const std::string& name) {
  return name == "experts.sort" || name == "experts.unsort" || name == "experts.fc1.cast-input" ||
         name == "experts.fc2.cast-output-gradient";
}

}  // namespace

TEST_CASE("sharding conserves the matrix work of a mixture: the sum over ranks is that of one GPU") {
  const double one = gemm_flops(mixture({"cluster.gpus=1"}));
  for (const Sets& sets : layouts())
    for (const char* grouped : {"true", "false"}) {
      INFO(sets[0], " ", sets[1], " ", sets[2], " ", sets[3], " ", sets[4]);
      CHECK(near(gemm_flops(mixture(sets + Sets{std::string("software.experts.grouped=") + grouped})), one, 1e-12));
    }
}

TEST_CASE("sharding conserves the weights of a mixture, biases of experts included") {
  for (const Sets& more : {Sets{}, kBiases, Sets{"model.experts.shared_gate=true"}}) {
    const Scenario one = mixture(Sets{"cluster.gpus=1"} + more);
    CHECK(near(weights(one), planner::parameters(one.model), 1e-12));
    for (const Sets& sets : layouts()) {
      INFO(sets[0], " ", sets[1], " ", sets[2], " ", sets[3], " ", sets[4]);
      CHECK(near(weights(mixture(sets + more)), weights(one), 1e-12));
    }
  }
}

TEST_CASE("sharding conserves what memory-bound kernels of a mixture read and write") {
  const Sets eight_bits{"cluster={use: dgx-h100, gpus: 32}", "job.precision=fp8"};
  for (const Sets& precision : {Sets{}, eight_bits, eight_bits + Sets{"software.experts.grouped=false"},
                                eight_bits + Sets{"software.scaling=current"}}) {
    const auto whole = traffic(mixture(precision + Sets{"cluster.gpus=1"}));
    for (const Sets& sets : layouts()) {
      INFO(sets[0], " ", sets[1], " ", sets[2], " ", sets[3], " ", sets[4]);
      const Scenario s = mixture(precision + sets);
      for (const auto& [name, sum] : traffic(s)) {
        const auto& said = name;
        CAPTURE(said);
        if (name == "attention.join-steps") continue;  // one GPU has no ring
        // What arrives is sorted where a rank has several experts, not all.
        const bool sort = name == "experts.sort" || name == "experts.unsort";
        const double copies = gathered(name) ? static_cast<double>(s.parallelism.etp) : 1;
        CHECK(near(sum, copies * whole.at(sort ? "experts.permute" : name), 1e-12));
      }
    }
  }
}

TEST_CASE("experts without a grouped kernel are as many kernels, and the same work") {
  for (const char* precision : {"bf16", "fp8"}) {
    const Sets sets = layout(1, 1, 1, 4, 1) + Sets{std::string("job.precision=") + precision, "cluster.use=dgx-h100"};
    const auto grouped = expert_layer(sample::workload(mixture(sets)));
    const auto single = expert_layer(sample::workload(mixture(sets + Sets{"software.experts.grouped=false"})));
    REQUIRE(grouped.ops.size() == single.ops.size());
    for (size_t i = 0; i < grouped.ops.size(); ++i) {
      const planner::WorkOp &a = grouped.ops[i], &b = single.ops[i];
      CAPTURE(a.name);
      CHECK(near(sample::gemm_flops(b), sample::gemm_flops(a), 1e-12));
      const auto* v = std::get_if<operator_models::Vector>(&a.op);
      if (v) CHECK(near(b.count * std::get<operator_models::Vector>(b.op).elements, a.count * v->elements, 1e-12));
      const bool own_kernels = a.routed && (!v || v->kind == operator_models::VectorKind::cast);
      CHECK(b.count == a.count * (own_kernels ? kExperts / 4 : 1));
    }
  }
}

TEST_CASE("one expert's GEMM sees the tokens of all ranks that send to it") {
  const Scenario s = mixture(layout(2, 1, 1, 4, 1));
  const auto fc1 = sample::gemm(only(expert_layer(sample::workload(s)).ops, "experts.fc1"));
  CHECK(fc1.batch == kExperts / 4);
  CHECK(static_cast<double>(fc1.n) == kTokens / 2 * kTopK / kExperts * 4);  // half a sequence from each of four ranks
  CHECK(fc1.m == 2 * 512);
  const Scenario shared = mixture(layout(2, 1, 1, 4, 2));
  const auto half = sample::gemm(only(expert_layer(sample::workload(shared)).ops, "experts.fc1"));
  CHECK(half.n == 2 * fc1.n);
  CHECK(half.m == fc1.m / 2);
}

TEST_CASE("experts that no kernel groups run one after the other, and are cast one after the other") {
  const Sets eight_bits{"cluster={use: dgx-h100, gpus: 32}", "job.precision=fp8"};
  const Workload together = sample::workload(mixture(layout(1, 1, 1, 4, 1) + eight_bits)),
                 apart = sample::workload(
                     mixture(layout(1, 1, 1, 4, 1) + eight_bits + Sets{"software.experts.grouped=false"}));
  for (const char* name : {"experts.fc1", "experts.fc2", "experts.fc1.cast-input"}) {
    const WorkOp one = only(expert_layer(together).ops, name), each = only(expert_layer(apart).ops, name);
    CHECK(one.count == 1);
    CHECK(each.count == kExperts / 4);
  }
  CHECK(sample::gemm(only(expert_layer(apart).ops, "experts.fc1")).batch == 1);
  const WorkOp shared = only(expert_layer(apart).ops, "shared.fc1");
  CHECK(shared.count == 1);
}

TEST_CASE("all-to-all: each rank sends k copies of each of its tokens, there and back, forward and backward") {
  for (const Sets& sets : layouts()) {
    const Scenario s = mixture(sets);
    if (s.parallelism.ep == 1) continue;
    const double tokens = kTokens / static_cast<double>(s.parallelism.cp * s.parallelism.tp);
    for (const char* name : {"experts.dispatch", "experts.combine"})
      CHECK(bytes(s, name) == tokens * kTopK * kHidden * 2);
    for (const char* name : {"experts.dispatch-gradient", "experts.combine-gradient"})
      CHECK(bytes(s, name, StepPhase::backward) == tokens * kTopK * kHidden * 2);
  }
  const Scenario narrow = mixture(layout(1, 1, 1, 4, 1) + Sets{"software.experts.dispatch_bytes=1"});
  CHECK(bytes(narrow, "experts.combine") == 2 * bytes(narrow, "experts.dispatch"));
  CHECK(bytes(narrow, "experts.combine-gradient", StepPhase::backward) == bytes(narrow, "experts.dispatch"));
}

TEST_CASE("all-gather: every rank gets all tokens, and none is copied") {
  const Scenario s = mixture(layout(2, 1, 1, 4, 1) + dispatch("all-gather"));
  const Workload w = sample::workload(s);
  const auto& ops = expert_layer(w).ops;
  const Collective there = sample::collective(only(ops, "experts.dispatch")),
                   back = sample::collective(only(ops, "experts.combine"));
  CHECK(there.kind == CollectiveKind::all_gather);
  CHECK(back.kind == CollectiveKind::reduce_scatter);
  CHECK(there.bytes.value == 4 * kTokens / 2 * kHidden * 2);
  CHECK(back.bytes.value == there.bytes.value);
}

TEST_CASE("per-node dispatch: one copy to each rank, one to each node, as random routings count them") {
  struct Routing {
    int64_t count, top_k, groups, groups_per_token, ep;
  };
  // Groups as nodes, wider and narrower than nodes and ranks; DeepSeek-V3's and Mixtral's numbers among them.
  for (const Routing& r : {Routing{16, 4, 1, 1, 16},
                           {16, 4, 4, 2, 16},
                           {64, 6, 1, 1, 8},
                           {64, 6, 8, 3, 32},
                           {256, 8, 8, 4, 32},
                           {256, 8, 8, 4, 16},
                           {256, 8, 2, 1, 32},
                           {32, 4, 16, 3, 32},
                           {8, 2, 1, 1, 8},
                           {128, 8, 1, 1, 16}}) {
    const Scenario s =
        mixture(layout(1, 1, 1, r.ep, 1) + dispatch("per-node") +
                Sets{set("model.experts.count", r.count), set("model.experts.top_k", r.top_k),
                     set("model.experts.groups", r.groups), set("model.experts.groups_per_token", r.groups_per_token)});
    const int64_t nodes = std::max<int64_t>(1, r.ep / 8);
    const Copies counted = random_routings(s.model.experts, r.ep, nodes);
    const Collective sent = sample::collective(only(expert_layer(sample::workload(s)).ops, "experts.dispatch"));
    const double copies = sent.bytes.value / (kTokens * kHidden * 2);
    INFO(r.count, " experts in ", r.groups, " groups on ", r.ep, " ranks");
    CHECK(near(copies, counted.ranks, 0.02));
    if (nodes > 1) CHECK(near(copies * sent.crossing, counted.nodes, 0.02));
    else CHECK(sent.crossing == 1);
  }
}

TEST_CASE("HybridEP sends what DeepEP sends, as an all-to-all and not as a kernel that deals") {
  const auto sent = [](const char* how) {
    const Scenario s = mixture(layout(1, 1, 1, 16, 1) + dispatch(how) + Sets{"model.experts.count=64"});
    return sample::collective(only(expert_layer(sample::workload(s)).ops, "experts.dispatch"));
  };
  const Collective dealt = sent("per-node"), hybrid = sent("hybrid"), plain = sent("all-to-all");
  CHECK(hybrid.bytes.value == dealt.bytes.value);
  CHECK(hybrid.crossing == dealt.crossing);
  CHECK(dealt.dealt);
  CHECK_FALSE(hybrid.dealt);
  CHECK(hybrid.bytes.value < plain.bytes.value);
}

TEST_CASE("ZeRO-1 shares the states of an expert among the ranks that hold it") {
  for (const Sets& sets : layouts()) {
    const Scenario s = mixture(sets + Sets{"parallelism.zero=1"});
    const Workload w = sample::workload(s);
    const auto& p = s.parallelism;
    const auto memory = planner::make_memory(s, w);
    CHECK(w.classes.back().held.routed > 0);
    for (int64_t r = 0; r < p.pp; ++r) {
      const planner::Parameters held = w.classes[static_cast<size_t>(w.class_of_stage[static_cast<size_t>(r)])].held;
      const double common = held.common / static_cast<double>(p.dp * p.cp),
                   routed = held.routed * static_cast<double>(p.ep * p.etp) / static_cast<double>(p.dp * p.cp * p.tp);
      CHECK(near(memory.stages[static_cast<size_t>(r)].optimizer, 12 * (common + routed), 1e-12));
    }
  }
}

TEST_CASE("gradients of experts are summed by the ranks that hold them, the others by all") {
  const Scenario s = mixture(layout(2, 1, 1, 8, 1));
  const Workload w = sample::workload(s);
  const auto& ops = w.classes.front().step_ops;
  const Collective common = sample::collective(only(ops, "data.all-reduce", StepPhase::backward)),
                   routed = sample::collective(only(ops, "data.experts-all-reduce", StepPhase::backward));
  CHECK(common.group.ranks == 16);
  CHECK(routed.group.ranks == 4);
  CHECK(near(routed.bytes.value,
             s.software.reduce_bytes * 3 * 2 * 3 * kHidden * 512));  // 3 layers, 2 experts, 3 matrices
  CHECK(near(common.bytes.value, s.software.reduce_bytes * w.classes.front().held.common));
}

TEST_CASE("FSDP gathers and shards experts among the ranks that hold them, the rest among all") {
  const Scenario s =
      mixture({"software={use: torchtitan, experts: {grouped: true}}", "parallelism.zero=3", "parallelism.ep=8"});
  const Workload w = sample::workload(s);
  const auto& ops = expert_layer(w).ops;
  const planner::Parameters held = expert_layer(w).held();
  CHECK(held.routed == 2 * 3 * kHidden * 512);
  const struct {
    const char* name;
    StepPhase phase;
    double bytes;
  } kTransfers[] = {{"all-gather-forward", StepPhase::forward, s.software.gather_bytes},
                    {"all-gather-backward", StepPhase::backward, s.software.gather_bytes},
                    {"reduce-scatter", StepPhase::backward, s.software.reduce_bytes}};
  for (const auto& t : kTransfers) {
    const Collective common = sample::collective(only(ops, std::string("fsdp.") + t.name, t.phase)),
                     routed = sample::collective(only(ops, std::string("fsdp.experts-") + t.name, t.phase));
    CHECK(common.group.ranks == 32);
    CHECK(routed.group.ranks == 4);
    CHECK(near(common.bytes.value, t.bytes * held.common));
    CHECK(near(routed.bytes.value, t.bytes * held.routed));
  }
  const planner::Parameters all = w.classes.front().held;
  CHECK(near(planner::make_memory(s, w).stages.front().optimizer,
             s.software.memory.optimizer * (all.common / 32 + all.routed / 4)));
}

TEST_CASE("a forward-only mixture dispatches and combines, and keeps nothing") {
  const Scenario s = mixture(layout(2, 1, 1, 4, 1) + Sets{"job.phase=forward", "software.experts.overlap_shared=true"});
  const Workload w = sample::workload(s);
  for (const Block& block : w.blocks) {
    CHECK(block.saved.empty());
    for (const WorkOp& op : block.ops) CHECK_MESSAGE(op.phase == StepPhase::forward, op.name);
  }
  const auto& ops = expert_layer(w).ops;
  CHECK(ops[static_cast<size_t>(only(ops, "experts.dispatch").cover)].name == "shared.fc1");
  const planner::Plan plan = sample::plan(s);
  CHECK(plan.breakdown->backward == 0);
  CHECK(plan.breakdown->forward > 0);
  CHECK(near(gemm_flops(s), gemm_flops(mixture(layout(2, 1, 1, 4, 1))) / 3, 1e-12));
}
