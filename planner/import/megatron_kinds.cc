// Kinds of layers of Megatron-LM.
//
// Defaults: github.com/NVIDIA/Megatron-LM, megatron/core/transformer/transformer_config.py; what a layer of Mamba
// holds: megatron/core/ssm/mamba_mixer.py; which layers choose keys:
// core/transformer/experimental_attention_variant/dsa.py.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "planner/import/layer_letters.h"
#include "planner/import/megatron_layers.h"

namespace planner::megatron {

namespace {

constexpr const char *kNarrow = "--moe-latent-size", *kStreams = "--mhc-num-residual-streams";

}  // namespace

LayerKinds::LayerKinds(Flags& flags, const LayerChoices& choices) : f_(flags), choices_(choices) {
  if (const dsl::Node* size = f_.field("model.window.size")) window_ = size->text;
  if (f_.has(kNarrow)) narrow_ = std::to_string(f_.count(kNarrow, 0));
  if (f_.has("--enable-mhc-connections")) streams_ = std::to_string(f_.count(kStreams, 4));
}

DraftField LayerKinds::field(const char* name, const char* flag, int64_t otherwise) {
  return {name, std::to_string(f_.count(flag, otherwise)), f_.comment_of(flag)};
}

/// Of a field without a default in Megatron-LM. `usual`: of DeepSeek-V3.2.
DraftField LayerKinds::needed(const char* name, const char* flag, const char* usual) {
  if (!f_.has(flag)) f_.error(flag, std::string("missing flag ") + flag, f_.written(flag, usual) + ": DeepSeek-V3.2's");
  return field(name, flag, 1);
}

/// Heads share groups of keys evenly.
void LayerKinds::shared_keys(const LayerDraft& draft, const char* heads, const char* groups) {
  const int64_t n = std::stoll(draft.fields[0].value), by = std::stoll(draft.fields[2].value);
  if (by < 1 || n % by != 0)
    f_.error(groups, fmt::format("{} {} is no divisor of {} {}", groups, by, heads, n),
             f_.written(groups, std::to_string(std::gcd(std::max<int64_t>(1, n), by))) + " is one");
}

const LayerDraft& LayerKinds::mamba() {
  if (mamba_) return *mamba_;
  const char *heads = "--mamba-num-heads", *width = "--mamba-head-dim", *groups = "--mamba-num-groups";
  const int64_t channels = 2 * f_.count_of("model.hidden", 0), each = std::max<int64_t>(1, f_.count(width, 64));
  const bool fits = f_.has(heads) || channels % each == 0;
  mamba_ = LayerDraft{"mamba2",
                      {field("heads", heads, std::max<int64_t>(1, channels / each)),
                       {"value_dim", std::to_string(each), f_.comment_of(width)},
                       field("key_heads", groups, 8),
                       field("key_dim", "--mamba-state-dim", 128)}};
  if (fits) shared_keys(*mamba_, heads, groups);
  else
    f_.error(width, fmt::format("{} {} is no divisor of {}, twice --hidden-size", width, each, channels),
             f_.written(heads, mamba_->fields[2].value) + " says how many heads there are");
  return *mamba_;
}

LayerDraft LayerKinds::gated_delta() {
  if (delta_) return *delta_;
  const char *heads = "--linear-num-value-heads", *keys = "--linear-num-key-heads";
  delta_ = LayerDraft{
      variant_of(f_) == Variant::gated_delta_2 ? "gated-delta-2" : "gated-delta",
      {field("heads", heads, 32), field("value_dim", "--linear-value-head-dim", 128), field("key_heads", keys, 16),
       field("key_dim", "--linear-key-head-dim", 128), field("kernel", "--linear-conv-kernel-dim", 4)}};
  shared_keys(*delta_, heads, keys);
  return *delta_;
}

LayerDraft LayerKinds::attention(const char* use, size_t layer) {
  LayerDraft draft{use, {}};
  const bool windowed = choices_.windowed.empty() || choices_.windowed[layer] != 0;
  if (!window_.empty() && windowed) draft.fields.push_back({"window", window_, f_.comment_of("--window-size")});
  const char* gate = "--attention-output-gate";
  if (f_.has(gate) && !f_.field("model.latent")) draft.fields.push_back({"gated", "true", f_.comment_of(gate)});
  return draft;
}

LayerDraft LayerKinds::sparse(size_t layer) {
  const char *every = "--dsa-indexer-topk-freq", *first = "--dsa-indexer-skip-topk-offset";
  if (!sparse_) {
    sparse_ = LayerDraft{"sparse-attention",
                         {needed("indexer.heads", "--dsa-indexer-n-heads", "64"),
                          needed("indexer.head_dim", "--dsa-indexer-head-dim", "128"),
                          needed("indexer.top_k", "--dsa-indexer-topk", "2048")}};
    choice_every_ = f_.count(every, 1), choice_first_ = std::max<int64_t>(1, f_.count(first, 0));
    if (choice_every_ < 1) f_.error(every, std::string("expected 1 or more for ") + every + ", got '0'");
    if (f_.number("--dsa-indexer-loss-coeff", 0) > 0)
      f_.warn("--dsa-indexer-loss-coeff", "what the indexer's own loss costs is left out");
  }
  LayerDraft draft = *sparse_;
  const int64_t behind = std::max<int64_t>(0, static_cast<int64_t>(layer) + 1 - choice_first_);
  if (choice_every_ > 1 && behind % choice_every_ != 0)
    draft.fields.push_back({"indexer.shared", "true", f_.comment_of(every)});
  return draft;
}

LayerDraft LayerKinds::of_letter(char letter, size_t layer) {
  const std::string_view use = megatron_letter(letter)->use;
  if (use == "mamba2") return mamba();
  if (use == "gated-delta") return gated_delta();
  if (letter == '*') return attention("attention", layer);
  if (use != "sparse-attention") return {std::string(use), {}};
  LayerDraft draft = sparse(layer);
  draft.fields.push_back({"feed_forward", "none"});
  return draft;
}

void LayerKinds::finish(LayerDraft& draft, bool routed) const {
  if (routed && !narrow_.empty()) draft.fields.push_back({"expert_width", narrow_, f_.comment_of(kNarrow)});
  if (!streams_.empty()) draft.fields.push_back({"streams", streams_, f_.comment_of(kStreams)});
}

}  // namespace planner::megatron
