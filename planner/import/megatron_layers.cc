// Which layers have what, and the pattern that follows.
#include "planner/import/megatron_layers.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/import/field_tree.h"
#include "planner/import/list_pattern.h"

namespace planner::megatron {
namespace {

constexpr const char *kLinear = "--linear-attention-freq", *kWindow = "--window-attn-skip-freq",
                     *kRouted = "--moe-layer-freq", *kVariant = "--experimental-attention-variant";

struct VariantWord {
  const char* word;
  Variant variant;
};
constexpr VariantWord kVariants[] = {{"gdn", Variant::gated_delta},
                                     {"gdn2", Variant::gated_delta_2},
                                     {"gated_delta_net", Variant::gated_delta},
                                     {"dsa", Variant::sparse}};

/// `chooses`: whether a number n chooses layer i, counted from 0.
std::vector<int> choice(Flags& f, const char* flag, int64_t layers, bool (*chooses)(int64_t i, int64_t n)) {
  if (!f.has(flag) || layers < 1 || layers > kMostLayers) return {};
  const std::string text = f.text(flag);
  if (text.find('[') != std::string::npos) {
    std::optional<std::vector<int>> list = list_pattern(text);
    if (!list)
      return f.error(flag, "expected a whole number or a list for " + std::string(flag), "such as '([1]*3+[0])*2'"),
             std::vector<int>{};
    const int64_t size = static_cast<int64_t>(list->size());
    if (size == layers) return *list;
    f.error(flag, fmt::format("{} lists {} layers of the model's {}", flag, size, layers),
            f.written(flag, "4") + " takes any number of layers");
    return {};
  }
  const int64_t n = f.count(flag, 1);
  if (n < 1) return f.error(flag, fmt::format("expected 1 or more for {}, got '0'", flag)), std::vector<int>{};
  std::vector<int> out;
  for (int64_t i = 0; i < layers; ++i) out.push_back(chooses(i, n));
  if (n > layers) f.warn(flag, fmt::format("the model has {} layers, and no {}-th one", layers, n));
  return out;
}

bool all_but_each(int64_t i, int64_t n) { return (i + 1) % n != 0; }
bool each_from_first(int64_t i, int64_t n) { return i % n == 0; }

LayerDraft hybrid_layer(LayerKinds& kinds, char letter, size_t layer) {
  LayerDraft draft = kinds.of_letter(letter, layer);
  kinds.finish(draft, letter == 'E');
  return draft;
}

std::vector<LayerDraft> hybrid_layers(const Flags& f, LayerKinds& kinds) {
  std::vector<LayerDraft> layers;
  for (size_t i = 0; i < f.hybrid.layers.size(); ++i) layers.push_back(hybrid_layer(kinds, f.hybrid.layers[i], i));
  return layers;
}

/// The layers of one prediction layer, each as one of the letter would be at the model's end.
std::vector<LayerDraft> predicted_layers(const Flags& f, LayerKinds& kinds) {
  std::vector<LayerDraft> layers;
  if (f.hybrid.layers.empty()) return layers;
  for (const char letter : f.hybrid.predicted)
    layers.push_back(hybrid_layer(kinds, letter, f.hybrid.layers.size() - 1));
  return layers;
}

/// Attention, linear or whole, and a feed-forward part each.
std::vector<LayerDraft> block_layers(Flags& f, LayerKinds& kinds, const LayerChoices& choices) {
  const int64_t count = f.count_of("model.layers", 0);
  if (count > kMostLayers) return f.error("--num-layers", "more than 100,000 layers"), std::vector<LayerDraft>{};
  const bool mixes = f.count_of("model.experts.count", 0) > 0, sparse = variant_of(f) == Variant::sparse;
  const std::string said = f.comment_of(!mixes ? "--num-layers" : choices.routed.empty() ? "--num-experts" : kRouted);
  std::vector<LayerDraft> layers;
  for (size_t i = 0; i < static_cast<size_t>(count); ++i) {
    const bool routed = mixes && (choices.routed.empty() || choices.routed[i] == 1);
    const bool linear = !choices.linear.empty() && choices.linear[i] == 1;
    LayerDraft draft = linear ? kinds.gated_delta() : sparse ? kinds.sparse(i) : kinds.attention("block", i);
    put_feed_forward(draft, routed, said);
    kinds.finish(draft, routed);
    layers.push_back(std::move(draft));
  }
  return layers;
}

/// Flags that a kind of layers alone reads. `without`: what would make such layers.
struct FlagReader {
  const char *flag, *use, *without;
};
constexpr const char* kMamba = "layers of Mamba: 'M' in --hybrid-layer-pattern";
constexpr const char* kDelta = "--experimental-attention-variant gdn, or 'G' in --hybrid-layer-pattern";
constexpr const char* kSparse = "--experimental-attention-variant dsa, or 'D' in --hybrid-layer-pattern";
constexpr FlagReader kReaders[] = {{"--mamba-state-dim", "mamba2", kMamba},
                                   {"--mamba-head-dim", "mamba2", kMamba},
                                   {"--mamba-num-groups", "mamba2", kMamba},
                                   {"--mamba-num-heads", "mamba2", kMamba},
                                   {"--linear-conv-kernel-dim", "gated-delta", kDelta},
                                   {"--linear-key-head-dim", "gated-delta", kDelta},
                                   {"--linear-value-head-dim", "gated-delta", kDelta},
                                   {"--linear-num-key-heads", "gated-delta", kDelta},
                                   {"--linear-num-value-heads", "gated-delta", kDelta},
                                   {"--dsa-indexer-n-heads", "sparse-attention", kSparse},
                                   {"--dsa-indexer-head-dim", "sparse-attention", kSparse},
                                   {"--dsa-indexer-topk", "sparse-attention", kSparse},
                                   {"--dsa-indexer-topk-freq", "sparse-attention", kSparse},
                                   {"--dsa-indexer-skip-topk-offset", "sparse-attention", kSparse},
                                   {"--dsa-indexer-loss-coeff", "sparse-attention", kSparse}};

bool reads(const std::vector<LayerDraft>& layers, const char* use) {
  return std::ranges::any_of(layers, [&](const LayerDraft& d) { return d.use.starts_with(use); });
}

void warn_unread(Flags& f, const std::vector<LayerDraft>& layers) {
  const auto unread = [&](const char* flag, bool read, const std::string& without) {
    if (f.has(flag) && !read) f.warn(flag, "has no effect without " + without);
  };
  for (const FlagReader& row : kReaders) unread(row.flag, reads(layers, row.use), row.without);
  const bool hybrid = is_hybrid(f);
  const Variant variant = variant_of(f);
  const bool delta = variant == Variant::gated_delta || variant == Variant::gated_delta_2;
  unread(kLinear, delta && !hybrid, "--experimental-attention-variant gdn in a model of pretrain_gpt.py");
  if (hybrid && variant != Variant::none)
    unread(kVariant, reads(layers, delta ? "gated-delta" : "sparse-attention"),
           std::string("'") + (delta ? "G" : "D") + "' in --hybrid-layer-pattern");
  const bool mixes = f.count_of("model.experts.count", 0) > 0;
  if (!hybrid && f.text(kRouted, "1") != "1") unread(kRouted, mixes, "--num-experts");
  if (hybrid && f.text(kRouted, "1") != "1") f.warn(kRouted, "has no effect on a pattern of layers: 'E' has experts");
  unread(kWindow, f.has("--window-size"), "--window-size");
  unread("--moe-latent-size", mixes, "--num-experts");
  unread("--mhc-num-residual-streams", f.has("--enable-mhc-connections"), "--enable-mhc-connections");
  if (f.has("--attention-output-gate") && f.field("model.latent"))
    f.warn("--attention-output-gate", "latent attention has no gate in Megatron-LM: it is left out");
}

void check_variant(Flags& f) {
  const Variant variant = variant_of(f);
  if (f.has(kVariant) && variant == Variant::none)
    f.error(kVariant, "unknown variant of attention '" + f.text(kVariant) + "'", "known: gdn, gdn2, dsa");
  const bool delta = variant == Variant::gated_delta || variant == Variant::gated_delta_2;
  if (delta && !is_hybrid(f) && !f.has(kLinear))
    f.error(kVariant, "linear attention without --linear-attention-freq: it says which layers have it",
            f.written(kLinear, "4") + " leaves each fourth layer whole attention");
  if (variant == Variant::sparse && !is_hybrid(f) && !f.has("--multi-latent-attention"))
    f.error(kVariant, "sparse attention without --multi-latent-attention",
            "`--multi-latent-attention` gives it latents");
}

const char* list_flag(const Flags& f) {
  for (const char* flag : {"--hybrid-layer-pattern", "--hybrid-override-pattern", kVariant, "--attention-output-gate",
                           "--moe-latent-size", "--enable-mhc-connections", kRouted, kWindow})
    if (f.has(flag)) return flag;
  return "--hybrid-attention-ratio";
}

}  // namespace

Variant variant_of(const Flags& f) {
  for (const VariantWord& row : kVariants)
    if (f.text(kVariant) == row.word) return row.variant;
  return Variant::none;
}

LayerChoices layer_choices(Flags& f, int64_t layers) {
  if (is_hybrid(f)) return {{}, choice(f, kWindow, layers, all_but_each), {}};
  return {choice(f, kLinear, layers, all_but_each), choice(f, kWindow, layers, all_but_each),
          choice(f, kRouted, layers, each_from_first)};
}

bool has_unlike_layers(const Flags& f, const LayerChoices& choices) {
  const bool mixes = f.count_of("model.experts.count", 0) > 0;
  if (is_hybrid(f) || variant_of(f) != Variant::none || f.has("--enable-mhc-connections")) return true;
  if (f.has("--attention-output-gate") && !f.field("model.latent")) return true;
  if (mixes && (f.has("--moe-latent-size") || (!choices.routed.empty() && !f.field("model.experts.every"))))
    return true;
  return f.field("model.window.size") && !choices.windowed.empty() && !f.field("model.window.global_every");
}

void layer_rules(Flags& f, const LayerChoices& choices) {
  check_variant(f);
  std::vector<LayerDraft> layers, predicted;
  if (has_unlike_layers(f, choices)) {
    LayerKinds kinds(f, choices);
    layers = is_hybrid(f) ? hybrid_layers(f, kinds) : block_layers(f, kinds, choices);
    predicted = predicted_layers(f, kinds);
  }
  warn_unread(f, layers);
  if (layers.empty()) return;
  for (const char* field : {"model.window", "model.experts.first_dense", "model.experts.every"})
    drop_field(f.scenario, field);
  dsl::Node model;
  const char* flag = list_flag(f);
  put_layers(model, layers, f.place_of(flag), f.comment_of(flag), predicted);
  f.put_model(std::move(model));
}

}  // namespace planner::megatron
