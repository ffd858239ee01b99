// What Megatron-LM has: megatron/core/models/hybrid/hybrid_layer_allocation.py, megatron/core/ssm/mamba_mixer.py,
// megatron/core/transformer/transformer_config.py. What a flag means is what `import megatron` reads
// (planner/import/megatron_layers.h).
#include "planner/export/megatron_layers.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "planner/workload/partition.h"

namespace planner::exporting {
namespace {

/// What mixes tokens in a layer there.
enum class There { none, attention, sparse, mamba, delta, delta2, unknown };

struct StepShape {
  StepKind kind;
  int64_t out;
};

bool has_steps(const LayerRow& row, int64_t hidden, std::initializer_list<StepShape> shapes) {
  const std::vector<LayerStep> steps = settled_steps(row, hidden);
  return std::ranges::equal(steps, shapes, [](const LayerStep& step, const StepShape& shape) {
    return step.kind == shape.kind && step.out == shape.out;
  });
}

/// A recurrence is known by its rule and by the sizes of its steps (scenarios/layers/).
There recurrence_of(const LayerRow& row, int64_t hidden) {
  using enum StepKind;
  using operator_models::ScanRule;
  const int64_t h = row.heads, g = row.key_heads, keys = g * row.key_dim, values = h * row.value_dim,
                mixed = 2 * keys + values;
  const StepShape convolved{convolution, mixed}, scanned{scan, values}, normed{norm, values}, out{linear, hidden};
  if (row.rule == ScanRule::state_space &&
      has_steps(row, hidden, {{linear, mixed + values + h}, convolved, scanned, {weights, 3 * h}, normed, out}))
    return There::mamba;
  if (row.rule == ScanRule::delta &&
      has_steps(row, hidden,
                {{linear, mixed + values}, {linear, 2 * h}, convolved, scanned, {weights, 2 * h}, normed, out}))
    return There::delta;
  if (row.rule == ScanRule::channel_delta &&
      has_steps(row, hidden, {{linear, 2 * mixed + values}, convolved, scanned, {weights, g + keys}, normed, out}))
    return There::delta2;
  return There::unknown;
}

There mixer_of(const LayerRow& row, int64_t hidden) {
  if (row.mixer == Mixer::none) return There::none;
  if (row.mixer == Mixer::steps) return recurrence_of(row, hidden);
  return row.indexer.heads > 0 ? There::sparse : There::attention;
}

bool attends(There t) { return t == There::attention || t == There::sparse; }
bool is_linear(There t) { return t == There::delta || t == There::delta2; }
bool has_both(const LayerRow& r) { return r.mixer != Mixer::none && r.feed_forward != FeedForward::none; }
bool is_routed(const LayerRow& r) { return r.feed_forward == FeedForward::experts; }

/// A field of a kind that Megatron-LM does not take from it: what it has to be.
struct Demand {
  const char* field;
  bool (*applies)(There there, const LayerRow& row);
  bool (*holds)(const LayerRow& row, const Model& m);
  const char* why;
};
constexpr auto kAttends = [](There t, const LayerRow&) { return attends(t); };
constexpr auto kSparse = [](There t, const LayerRow&) { return t == There::sparse; };
constexpr auto kMamba = [](There t, const LayerRow&) { return t == There::mamba; };
constexpr auto kDelta = [](There t, const LayerRow&) { return is_linear(t); };
constexpr auto kWidth = [](There, const LayerRow& r) { return r.feed_forward == FeedForward::mlp; };
constexpr Demand kDemands[] = {
    {"mixer", [](There t, const LayerRow&) { return t == There::unknown; },
     [](const LayerRow&, const Model&) { return false; }, "it has no recurrence of these steps"},
    {"heads", kAttends, [](const LayerRow& r, const Model& m) { return r.heads == m.heads; },
     "attention has the model's heads in all layers"},
    {"kv_heads", kAttends, [](const LayerRow& r, const Model& m) { return r.kv_heads == m.kv_heads; },
     "attention has the model's heads in all layers"},
    {"head_dim", kAttends, [](const LayerRow& r, const Model& m) { return r.head_dim == m.head_dim; },
     "attention has the model's heads in all layers"},
    {"ffn", kWidth, [](const LayerRow& r, const Model& m) { return r.ffn == m.ffn; },
     "all MLPs must have the same width"},
    {"shared_values", kAttends, [](const LayerRow& r, const Model&) { return !r.shared_values; },
     "values have a projection of their own"},
    {"query_rank", kAttends,
     [](const LayerRow& r, const Model& m) {
       return r.query_rank == 0 || (m.latent.rank > 0 && r.query_rank == m.latent.query_rank);
     },
     "queries have one projection, or the model's latent"},
    {"output_rank", kAttends, [](const LayerRow& r, const Model&) { return r.output_rank == 0; },
     "the output has one projection"},
    {"compression", kAttends, [](const LayerRow& r, const Model&) { return r.compression == 1; },
     "each token has keys of its own"},
    {"overlap", kAttends, [](const LayerRow& r, const Model&) { return r.overlap == 0; },
     "each token has keys of its own"},
    {"residual_block", [](There, const LayerRow&) { return true; },
     [](const LayerRow& r, const Model&) { return r.residual_block == 0; }, "there is one sum of earlier layers"},
    {"gated", kAttends, [](const LayerRow& r, const Model& m) { return !r.gated || m.latent.rank == 0; },
     "latent attention has no gate"},
    {"window", kAttends, [](const LayerRow& r, const Model& m) { return r.window == 0 || m.latent.rank == 0; },
     "latent attention has no window"},
    {"indexer.heads", kSparse, [](const LayerRow&, const Model& m) { return m.latent.rank > 0; },
     "sparse attention has latents"},
    {"indexer.block", kSparse, [](const LayerRow& r, const Model&) { return r.indexer.block == 1; },
     "its indexer chooses keys, not blocks of them"},
    {"kernel", kMamba, [](const LayerRow& r, const Model&) { return r.kernel == 4; }, "Mamba convolves 4 tokens"},
    {"chunk", kMamba, [](const LayerRow& r, const Model&) { return r.chunk == 128; }, "Mamba's chunk has 128 tokens"},
    {"chunk", kDelta, [](const LayerRow& r, const Model&) { return r.chunk == 64; }, "a chunk has 64 tokens"}};

/// A flag whose value all layers of a mixer share.
struct SharedFlag {
  const char *field, *flag;
  bool (*applies)(There there, const LayerRow& row);
  int64_t (*of)(const LayerRow& row);
};
constexpr SharedFlag kShared[] = {
    {"heads", "--mamba-num-heads", kMamba, [](const LayerRow& r) { return r.heads; }},
    {"value_dim", "--mamba-head-dim", kMamba, [](const LayerRow& r) { return r.value_dim; }},
    {"key_heads", "--mamba-num-groups", kMamba, [](const LayerRow& r) { return r.key_heads; }},
    {"key_dim", "--mamba-state-dim", kMamba, [](const LayerRow& r) { return r.key_dim; }},
    {"heads", "--linear-num-value-heads", kDelta, [](const LayerRow& r) { return r.heads; }},
    {"value_dim", "--linear-value-head-dim", kDelta, [](const LayerRow& r) { return r.value_dim; }},
    {"key_heads", "--linear-num-key-heads", kDelta, [](const LayerRow& r) { return r.key_heads; }},
    {"key_dim", "--linear-key-head-dim", kDelta, [](const LayerRow& r) { return r.key_dim; }},
    {"kernel", "--linear-conv-kernel-dim", kDelta, [](const LayerRow& r) { return r.kernel; }},
    {"indexer.heads", "--dsa-indexer-n-heads", kSparse, [](const LayerRow& r) { return r.indexer.heads; }},
    {"indexer.head_dim", "--dsa-indexer-head-dim", kSparse, [](const LayerRow& r) { return r.indexer.head_dim; }},
    {"indexer.top_k", "--dsa-indexer-topk", kSparse, [](const LayerRow& r) { return r.indexer.top_k; }},
    {"expert_width", "--moe-latent-size", [](There, const LayerRow& r) { return is_routed(r); },
     [](const LayerRow& r) { return r.expert_width; }},
    {"streams", "--mhc-num-residual-streams", [](There, const LayerRow&) { return true; },
     [](const LayerRow& r) { return r.streams > 1 ? r.streams : 0; }}};

/// A Python list of zeros and ones, "([1]*3+[0]*2)".
std::string list_of(const std::vector<bool>& bits) {
  std::string out;
  for (size_t from = 0, to = 0; from < bits.size(); from = to) {
    while (to < bits.size() && bits[to] == bits[from]) ++to;
    out += fmt::format("{}[{}]*{}", out.empty() ? "" : "+", bits[from] ? 1 : 0, to - from);
  }
  return "(" + out + ")";
}

class LayerFlags {
 public:
  explicit LayerFlags(Writer& w) : w_(w), m_(w.s.model), layers_(layers_of(m_)) {
    for (const LayerRow& row : m_.kinds) there_.push_back(mixer_of(row, m_.hidden));
    used_ = layer_kinds(m_);
    if (m_.mtp > 0)
      for (const LayerKind& kind : prediction_kinds(m_))
        if (std::ranges::find(used_, kind) == used_.end()) used_.push_back(kind);
  }

  void put() {
    for (const LayerKind& kind : used_) check(kind);
    if (refused_) return;
    for (const SharedFlag& row : kShared) put_shared(row);
    put_switches();
    if (refused_) return;
    if (has_letters(w_.s)) put_letters();
    else put_lists();
  }

 private:
  const LayerRow& row(const LayerKind& kind) const { return m_.kinds[static_cast<size_t>(kind.row)]; }
  There there(const LayerKind& kind) const { return there_[static_cast<size_t>(kind.row)]; }

  void refuse(const LayerKind& kind, const char* field, const std::string& why, const std::string& hint = "") {
    refused_ = true;
    w_.refuse_at(fmt::format("model.kinds[{}].{}", kind.row, field), why, hint);
  }

  void check(const LayerKind& kind) {
    for (const Demand& demand : kDemands)
      if (demand.applies(there(kind), row(kind)) && !demand.holds(row(kind), m_))
        refuse(kind, demand.field, demand.why);
    if (has_letters(w_.s)) return;
    const bool mamba = there(kind) == There::mamba;
    if (!has_both(row(kind)) || mamba)
      refuse(kind, mamba ? "mixer" : "feed_forward",
             "a layer with one part is written as a letter, so every layer must have one part",
             "make two kinds of one with a mixer and a feed-forward part");
  }

  void put_shared(const SharedFlag& flag) {
    std::optional<int64_t> value;
    for (const LayerKind& kind : used_) {
      if (!flag.applies(there(kind), row(kind))) continue;
      const int64_t here = flag.of(row(kind));
      if (value && *value != here) return refuse(kind, flag.field, "all layers of this kind must have the same value");
      value = here;
    }
    if (value.value_or(0) == 0) return;
    if (std::string_view(flag.field) == "streams") w_.put_switch("--enable-mhc-connections");
    w_.put(flag.flag, *value);
  }

  /// Says of each layer whether it is chosen, and whether it could be.
  template <class Of> std::vector<bool> bits(Of of) const {
    std::vector<bool> out;
    for (const LayerKind& kind : layers_) out.push_back(of(kind));
    return out;
  }
  bool any(bool (*of)(There, const LayerRow&)) const {
    return std::ranges::any_of(used_, [&](const LayerKind& k) { return of(there(k), row(k)); });
  }

  void put_switches() {
    put_gate();
    put_windows();
    put_choices();
    const bool second = any([](There t, const LayerRow&) { return t == There::delta2; });
    const bool first = any([](There t, const LayerRow&) { return t == There::delta; });
    if (first && second) return w_.refuse("it allows one kind of linear attention"), void(refused_ = true);
    if (second || (first && !has_letters(w_.s))) w_.put("--experimental-attention-variant", second ? "gdn2" : "gdn");
    if (any(kSparse) && !has_letters(w_.s)) w_.put("--experimental-attention-variant", "dsa");
  }

  void put_gate() {
    std::optional<bool> gated;
    for (const LayerKind& kind : used_) {
      if (there(kind) != There::attention) continue;
      if (gated && *gated != row(kind).gated)
        return refuse(kind, "gated", "all attention layers must have the same value");
      gated = row(kind).gated;
    }
    if (gated.value_or(false)) w_.put_switch("--attention-output-gate");
  }

  void put_windows() {
    int64_t size = 0;
    bool all = true;
    for (const LayerKind& kind : used_) {
      if (there(kind) != There::attention) continue;
      const int64_t here = row(kind).window;
      if (size > 0 && here > 0 && here != size) return refuse(kind, "window", "all windows must have the same width");
      size = std::max(size, here);
      all = all && here > 0;
    }
    if (size == 0) return;
    w_.put_word("--window-size", fmt::format("({},0)", size));
    if (!all)
      w_.put_word("--window-attn-skip-freq",
                  list_of(bits([&](const LayerKind& k) { return there(k) == There::attention && row(k).window > 0; })));
  }

  /// Keys that a layer before has chosen: from some layer on all but each n-th.
  void put_choices() {
    const auto shares = [&](const LayerKind& k) { return there(k) == There::sparse && row(k).indexer.shared; };
    const std::vector<bool> shared = bits(shares);
    const auto first = std::ranges::find(shared, true) - shared.begin();
    const auto count = static_cast<std::ptrdiff_t>(shared.size());
    if (first == count) return;
    for (std::ptrdiff_t every = 2; every <= count + 1; ++every) {
      bool fits = first > 0;
      for (std::ptrdiff_t i = 0; fits && i < count; ++i)
        if (there(layers_[static_cast<size_t>(i)]) == There::sparse)
          fits = shared[static_cast<size_t>(i)] == (std::max<std::ptrdiff_t>(0, i + 1 - first) % every != 0);
      if (!fits) continue;
      w_.put("--dsa-indexer-topk-freq", every);
      return w_.put("--dsa-indexer-skip-topk-offset", first);
    }
    refuse(*std::ranges::find_if(layers_, shares), "indexer.shared", "each n-th layer behind the first chooses keys");
  }

  char letter(const LayerKind& kind) const {
    switch (there(kind)) {
      case There::none:
        return is_routed(row(kind)) ? 'E' : '-';
      case There::attention:
        return m_.latent.rank > 0 ? '+' : '*';
      case There::sparse:
        return 'D';
      case There::mamba:
        return 'M';
      default:
        return 'G';
    }
  }

  void put_letters() {
    const bool even = !has_pipeline(w_.s) || (is_even(w_.s) && !interleaves(w_.s));
    const std::vector<int64_t> parts = even ? std::vector{m_.layers} : layers_per_part(w_.s);
    std::string text;
    size_t at = 0;
    for (const int64_t part : parts) {
      if (at > 0) text += '|';
      for (int64_t i = 0; i < part && at < layers_.size(); ++i) text += letter(layers_[at++]);
    }
    std::string predicted;
    for (const LayerKind& kind : prediction_kinds(m_)) predicted += letter(kind);
    for (int64_t i = 0; i < m_.mtp; ++i) text += "/" + predicted;
    w_.put_word("--hybrid-layer-pattern", text);
    w_.put("--spec", "megatron.core.models.hybrid.hybrid_layer_specs hybrid_stack_spec");
  }

  void put_lists() {
    const std::vector<LayerKind> predicted = prediction_kinds(m_);
    if (m_.mtp > 0 && (predicted.size() > 1 || predicted.front() != layers_.back()))
      return w_.refuse_at("model.mtp_pattern", "a prediction layer is one like the last of the model");
    const auto linear = bits([&](const LayerKind& k) { return is_linear(there(k)); });
    if (std::ranges::find(linear, true) != linear.end()) w_.put_word("--linear-attention-freq", list_of(linear));
    const auto sparse = bits([&](const LayerKind& k) { return there(k) == There::sparse; });
    if (std::ranges::count(sparse, true) % static_cast<std::ptrdiff_t>(sparse.size()) != 0)
      return w_.refuse("sparse attention is in all layers, or each part is a layer of its own");
    const auto routed = bits([&](const LayerKind& k) { return is_routed(row(k)); });
    if (is_mixture(w_.s) && std::ranges::find(routed, false) != routed.end())
      w_.put_word("--moe-layer-freq", list_of(routed));
  }

  Writer& w_;
  const Model& m_;
  std::vector<LayerKind> layers_, used_;  // of each place; each once
  std::vector<There> there_;              // by kind
  bool refused_ = false;
};

}  // namespace

bool has_pattern(const Scenario& s) { return !s.model.pattern.empty(); }

bool has_letters(const Scenario& s) {
  if (!has_pattern(s)) return false;
  return std::ranges::none_of(layer_kinds(s.model),
                              [&](const LayerKind& k) { return has_both(*layer_row(s.model, k)); });
}

void put_layers(Writer& w) {
  if (has_pattern(w.s)) LayerFlags(w).put();
}

}  // namespace planner::exporting
