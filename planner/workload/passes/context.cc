// Context parallelism: every rank holds a piece of each sequence.
//
// ring (Liu et al. 2023): keys and values travel round the group while attention works on what has arrived, a kernel a
// step, whose result joins those before; with an early and a late piece per rank causal work is balanced, with one
// piece the last rank has most of it, and the others wait. all-to-all (Jacobs et al. 2023): heads are exchanged for
// tokens before attention and back after it. all-to-all-ring (Fang and Zhao 2024, arXiv:2405.07719): neighbours
// exchange heads, and of what they hold then a ring is formed with the ranks of the same heads elsewhere. A recurrence
// passes states on in place of keys: every rank runs its piece from an empty state, gathers the states at the ends of
// all pieces, and adds what those before it give.
#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

#include "planner/workload/dimensions.h"
#include "planner/workload/insert.h"
#include "planner/workload/passes/passes.h"
#include "planner/workload/placement.h"

namespace planner {
namespace {

void divide_tokens(WorkOp& w, int64_t cp) {
  if (w.of_weights) return;
  const Dimensions d = dimensions_of(w);
  if (d.tokens) *d.tokens = (*d.tokens + cp - 1) / cp;  // uneven only where experts take whole tokens
  if (d.traffic) divide(*d.traffic, static_cast<double>(cp));
}

// Keys that a query sees through a causal window, the mean over the last `piece` queries of a sequence.
int64_t keys_seen(int64_t window, int64_t length, int64_t piece) {
  const int64_t beyond = std::max<int64_t>(0, window - (length - piece));  // more than the first of them has before it
  return window - beyond * beyond / (2 * piece);
}

// A rank's queries see every key; causal, as many as the whole sequence does on average where the pieces are balanced,
// else as many as its last piece does: half of all keys, or (2 cp - 1) / (2 cp) of them. A step of the ring has its
// share of them: the one on the diagonal works on as many pairs as each of the others. A window ends after few steps.
void ring(WorkOp& w, Attention& a, int64_t cp, bool balanced) {
  const int64_t length = a.queries;
  a.queries = std::max<int64_t>(1, a.queries / cp);
  if (a.causal) {
    const int64_t piece = balanced ? length : a.queries;
    a.window = (keys_seen(a.window, length, piece) + 1) / 2;  // without a mask a band has two sides
    a.keys = std::max<int64_t>(1, keys_seen(a.keys, length, piece));
    a.causal = false;
  }
  if (a.window > 0) return;
  a.keys = std::max<int64_t>(1, a.keys / cp);
  a.selected = (a.selected + cp - 1) / cp;  // a step has its share of those that were chosen
  w.count *= static_cast<double>(cp);
}

void all_to_all(Attention& a, int64_t cp) {
  a.heads = std::max<int64_t>(1, a.heads / cp);
  a.kv_heads = std::max<int64_t>(1, a.kv_heads / cp);
}

// Tensor ranks carry their own heads only (Split::heads).
WorkOp transfer(const operator_models::Group& group, const Label& name, StepPhase phase, CollectiveKind kind,
                double bytes, int cover = -1) {
  return {.name = name,
          .role = Role::context_transfer,
          .phase = phase,
          .op = Collective{.kind = kind, .bytes = {bytes}, .group = group},
          .split = Split::heads,
          .purpose = Purpose::cp,
          .hide = cover < 0 ? Hide::nothing : Hide::cover,
          .cover = cover};
}

/// Attention of the whole sequence, and the positions of its kernels in the layer (-1: absent).
struct Core {
  Attention whole;
  int forward = -1, backward = -1;
};

int64_t value_width(const Attention& a) { return a.value_dim > 0 ? a.value_dim : a.head_dim; }

// Keys and values of the whole sequence pass every rank: once forward; again backward, and their gradients return.
void move_keys(const Scenario& s, Inserter& put, const Core& core, double element) {
  const Attention& a = core.whole;
  const operator_models::Group group = ring_group(s);
  const int64_t kv_heads = std::max<int64_t>(1, a.kv_heads / exchanging_ranks(s));
  const double bytes = element * static_cast<double>(a.batch * a.keys * kv_heads * (a.head_dim + value_width(a)));
  WorkOp keys = transfer(group, "attention.ring", StepPhase::forward, CollectiveKind::all_gather, bytes, core.forward);
  keys.inputs = put[core.forward].inputs;
  put.read_also(core.forward, put.add(std::move(keys)));
  if (core.backward < 0) return;
  WorkOp again =
      transfer(group, "attention.ring", StepPhase::backward, CollectiveKind::all_gather, bytes, core.backward);
  again.inputs = {kKept};
  again.forward = core.forward;
  put.read_also(core.backward, put.add(std::move(again)));
  put.after({core.backward}, transfer(group, "attention.ring-gradients", StepPhase::backward,
                                      CollectiveKind::reduce_scatter, bytes, core.backward));
}

// What a step made joins the sum of those before it. Balanced causal steps work on all queries and half of the keys
// that came, or on the later half of the queries and all keys: three quarters on average.
WorkOp join(const Scenario& s, const Core& core, const WorkOp& kernel, double elements, double element_bytes) {
  const double share = core.whole.causal && s.software.balanced_context ? 0.75 : 1;
  elements *= share / static_cast<double>(s.parallelism.cp);
  const dsl::Bytes half{element_bytes * elements / 2};
  return {.name = "attention.join-steps",
          .role = Role::fused_attention,
          .phase = kernel.phase,
          .op = Vector{.elements = elements,
                       .read = half,
                       .written = half,
                       .backward = kernel.phase == StepPhase::backward,
                       .joined = true},
          .count = static_cast<double>(s.parallelism.cp / exchanging_ranks(s) - 1),
          .split = Split::heads};
}

// Transformer Engine, context_parallel.py: flash_attn_fwd_out_correction, and the sums of dQ, dK and dV. They wait for
// no launch: steps take turns on two streams.
void join_steps(const Scenario& s, Inserter& put, const Core& core) {
  const Attention& a = core.whole;
  if (a.window > 0) return;
  const double rows = static_cast<double>(a.batch * a.queries);
  const double context = rows * static_cast<double>(a.heads * value_width(a));
  const double gradients =
      rows * static_cast<double>(a.heads * a.head_dim + a.kv_heads * (a.head_dim + value_width(a)));
  put.after({core.forward}, join(s, core, put[core.forward], context, s.software.ring.context_bytes));
  if (core.backward >= 0)
    put.after({core.backward}, join(s, core, put[core.backward], gradients, s.software.ring.gradient_bytes));
}

// The kernel keeps the context that it wrote, the projection what the exchange made of it (Transformer Engine,
// context_parallel.py, AttnFuncWithCPAndQKVOA2A).
void keep_both_contexts(Block& layer) {
  const auto context = std::ranges::find(layer.saved, SavedRole::context, &Saved::role);
  if (context == layer.saved.end()) return;
  Saved written = *context;
  written.name = "attention.exchanged-context";
  written.role = SavedRole::context_exchanged;
  layer.saved.push_back(written);
}

// Queries, keys, values and the context change hands: four exchanges forward and four backward.
void move_heads(const Scenario& s, Inserter& put, const Core& core, double element) {
  const Attention& a = core.whole;
  const double tokens = static_cast<double>(a.batch * a.queries) / static_cast<double>(s.parallelism.cp);
  auto exchange = [&](const Label& name, StepPhase phase, int64_t width) {
    return transfer(exchange_group(s), name, phase, CollectiveKind::all_to_all,
                    element * tokens * static_cast<double>(width));
  };
  for (StepPhase phase : {StepPhase::forward, StepPhase::backward}) {
    const bool forward = phase == StepPhase::forward;
    const int kernel = forward ? core.forward : core.backward;
    if (kernel < 0) continue;
    std::vector<WorkOp> heads{exchange("attention.exchange-query", phase, a.heads * a.head_dim),
                              exchange("attention.exchange-key", phase, a.kv_heads * a.head_dim),
                              exchange("attention.exchange-value", phase, a.kv_heads * value_width(a))};
    WorkOp context = exchange("attention.exchange-context", phase, a.heads * value_width(a));
    if (forward) put.before_each({kernel}, std::move(heads));
    else put.after_each({kernel}, std::move(heads));
    if (forward) put.after({kernel}, std::move(context));
    else put.before({kernel}, std::move(context));
  }
}

// A rank chooses for its own queries, among the keys of the whole sequence; causal, among half of them on average.
void divide_choice(WorkOp& w, int64_t cp) {
  auto* choice = std::get_if<operator_models::Selection>(&w.op);
  if (!choice) return;
  choice->queries = std::max<int64_t>(1, choice->queries / cp);
  if (choice->causal) choice->keys = (choice->keys + 1) / 2;
  choice->causal = false;
}

Core core_of(const Block& layer) {
  Core core;
  for (size_t i = 0; i < layer.ops.size(); ++i) {
    const auto* a = std::get_if<Attention>(&layer.ops[i].op);
    if (a) (a->backward ? core.backward : core.forward) = static_cast<int>(i);
  }
  return core;
}

// Heads are exchanged first: a ring goes round with those that a rank has then.
void divide_attention(const Scenario& s, Block& layer, double element) {
  const int64_t exchanging = exchanging_ranks(s), steps = s.parallelism.cp / exchanging;
  for (WorkOp& op : layer.ops) divide_choice(op, s.parallelism.cp);
  Core core;
  for (WorkOp& op : layer.ops) {
    auto* a = std::get_if<Attention>(&op.op);
    if (!a) continue;
    core.whole = *a;
    if (exchanging > 1) all_to_all(*a, exchanging);
    if (steps > 1) ring(op, *a, steps, s.software.balanced_context);
  }
  const auto insert = [&](auto move) {
    const Core at = core_of(layer);
    core.forward = at.forward, core.backward = at.backward;
    if (core.forward < 0) return;
    Inserter put(layer);
    move(put);
    put.finish();
  };
  if (exchanging > 1) insert([&](Inserter& put) { move_heads(s, put, core, element); });
  if (steps > 1) insert([&](Inserter& put) { move_keys(s, put, core, element), join_steps(s, put, core); });
  if (exchanging > 1 && core.forward >= 0) keep_both_contexts(layer);
}

// The states of all pieces, in fp32: each rank needs those before its own, backward the gradients of those behind.
void move_states(const Scenario& s, Block& layer) {
  constexpr double kStateBytes = 4;
  Numbers scans;
  for (size_t i = 0; i < layer.ops.size(); ++i)
    if (std::holds_alternative<operator_models::Scan>(layer.ops[i].op)) scans.push_back(static_cast<int>(i));
  if (scans.empty()) return;
  Inserter put(layer);
  for (int at : scans) {
    const auto scan = std::get<operator_models::Scan>(put[at].op);
    const double state = static_cast<double>(scan.batch * scan.heads * scan.key_dim * scan.value_dim);
    WorkOp w = transfer(context_group(s), "mixer.states", put[at].phase, CollectiveKind::all_gather,
                        kStateBytes * state * static_cast<double>(s.parallelism.cp));
    w.role = Role::state_transfer;
    w.sublayer = Sublayer::mixer;
    put.before({at}, std::move(w));
  }
  put.finish();
}

}  // namespace

void apply_context(const Scenario& s, Workload& w) {
  const int64_t cp = s.parallelism.cp;
  if (cp == 1) return;
  for (Block& block : w.blocks) {
    for (WorkOp& op : block.ops) divide_tokens(op, cp);
    block.each_saved([&](Saved& saved) { saved.bytes /= static_cast<double>(cp); });
    block.kept.bytes /= static_cast<double>(cp);
    block.input_bytes /= static_cast<double>(cp);
    divide_attention(s, block, w.width_bytes);
    move_states(s, block);
  }
}

}  // namespace planner
