// Hybrid models of Megatron-LM: the letters of their layers, and the parts of their pipeline.
#include <fmt/format.h>

#include <algorithm>

#include "planner/import/layer_draft.h"
#include "planner/import/megatron_flags.h"

namespace planner::megatron {
namespace {

constexpr const char *kPattern = "--hybrid-layer-pattern", *kOldPattern = "--hybrid-override-pattern",
                     *kAttention = "--hybrid-attention-ratio", *kMlp = "--hybrid-mlp-ratio",
                     *kOldPrediction = "--mtp-hybrid-override-pattern", *kDepths = "--mtp-num-layers",
                     *kStages = "--pipeline-model-parallel-size";

/// A stack of layers: its module and its name there.
bool spec_names(const Flags& f, const char* word) {
  return std::ranges::any_of(f.values("--spec"), [&](const ShellWord& w) { return w.text.find(word) != w.text.npos; });
}
bool names_hybrid(const Flags& f) { return spec_names(f, "mamba") || spec_names(f, "hybrid"); }

const char* pattern_flag(const Flags& f) { return f.has(kPattern) ? kPattern : f.has(kOldPattern) ? kOldPattern : ""; }

/// Until 0.16: shares of layers; without them all are Mamba.
void read_ratios(Flags& f) {
  const int64_t layers = f.count_of("model.layers", 0);
  const double attention = f.number(kAttention, 0), mlp = f.number(kMlp, 0);
  if (attention + mlp > 1)
    return f.error(f.has(kMlp) ? kMlp : kAttention,
                   fmt::format("attention and MLPs are {:g} of all layers: at most 1", attention + mlp));
  if (layers < 1 || layers > kMostLayers) return;
  f.hybrid.layers = pattern_of_ratios(layers, attention, mlp);
  f.hybrid.parts = {layers};
}

/// What each prediction layer is made of was a flag of its own once.
void read_old_prediction(Flags& f) {
  if (!f.has(kOldPrediction)) return;
  if (!f.has(kDepths)) return f.warn(kOldPrediction, std::string("has no effect without ") + kDepths);
  if (f.hybrid.depths > 0) return f.warn(kOldPrediction, "has no effect: the pattern lists prediction layers");
  const HybridPattern read = read_hybrid_pattern("M/" + f.text(kOldPrediction));
  if (!read.why.empty()) return f.error_in(kOldPrediction, read.wrong - 2, read.wrong_size, read.why, read.hint);
  f.hybrid.predicted = read.predicted;
  f.hybrid.depths = f.count(kDepths, 0);
}

void put_predictions(Flags& f, const char* flag) {
  const HybridPattern& h = f.hybrid;
  if (h.depths == 0 || h.layers.empty()) return;
  if (f.has(kDepths) && f.count(kDepths, 0) != h.depths)
    f.warn(kDepths, fmt::format("the pattern lists {} prediction layers, which Megatron-LM takes", h.depths));
  f.put("model.mtp", h.depths, h.predicted == f.text(kOldPrediction) ? kOldPrediction : flag);
}

/// Newer releases take the pattern's, whatever --num-layers says.
void check_length(Flags& f) {
  const char* layers = "--num-layers";
  const int64_t said = f.has(layers) ? f.count_of("model.layers", 0) : 0;
  const int64_t size = static_cast<int64_t>(f.hybrid.layers.size());
  if (said != 0 && said != size)
    f.warn(layers,
           fmt::format("the pattern lists {} layers: Megatron-LM takes these, or refuses both until 0.16", size),
           f.written(layers, std::to_string(size)) + " says what the pattern does");
}

void check_experts(Flags& f, const std::string& flag) {
  const size_t at = f.text(flag).find('E');
  if (at == std::string::npos || f.count_of("model.experts.count", 0) > 0) return;
  f.error_in(flag, at, 1, "a layer of experts ('E') without --num-experts",
             f.written("--num-experts", "8") + " says how many");
}

/// A stack of layers of the user's own is not seen from here.
void check_spec(Flags& f) {
  if (spec_names(f, "gated_delta_product")) f.error("--spec", "'M' is a gated delta product, which is not planned");
  if (f.has("--spec") && !names_hybrid(f) && f.text("--spec") != "local" && !spec_names(f, "megatron.core.models.gpt."))
    f.error("--spec", "--spec describes layers of its own, which is not planned",
            "take it out to plan the run with Megatron-Core's layers");
}

/// The pattern's own parts replace these flags of pipelines.
bool refuses_parts(Flags& f, bool parted) {
  constexpr const char* kNever[] = {"--num-layers-per-virtual-pipeline-stage", "--num-virtual-stages-per-pipeline-rank",
                                    "--pipeline-model-parallel-layout", "--account-for-embedding-in-pipeline-split",
                                    "--account-for-loss-in-pipeline-split"};
  constexpr const char* kUnparted[] = {"--decoder-first-pipeline-num-layers", "--decoder-last-pipeline-num-layers"};
  bool refused = false;
  const auto refuse = [&](const char* flag) {
    if (!f.has(flag)) return;
    refused = true;
    f.error(flag, std::string(flag) + " cannot be combined with " + kPattern,
            "take it out: '|' in the pattern parts the pipeline");
  };
  if (f.has(kPattern)) std::ranges::for_each(kNever, refuse);
  if (parted) std::ranges::for_each(kUnparted, refuse);
  return refused;
}

}  // namespace

bool is_hybrid(const Flags& f) {
  for (const char* flag : {kPattern, kOldPattern, kAttention, kMlp, "--is-hybrid-model"})
    if (f.has(flag)) return true;
  return f.script == "pretrain_mamba.py" || f.script == "pretrain_hybrid.py" || names_hybrid(f);
}

void read_hybrid(Flags& f) {
  check_spec(f);
  if (!is_hybrid(f)) return;
  const std::string flag = pattern_flag(f);
  if (flag.empty()) return read_ratios(f);
  if (f.has(kPattern) && f.has(kOldPattern))
    return f.error(kOldPattern, std::string(kOldPattern) + " is what " + kPattern + " was called before",
                   "give one of them");
  for (const char* ratio : {kAttention, kMlp})
    if (f.has(ratio)) f.warn(ratio, "has no effect beside " + flag);
  f.hybrid = read_hybrid_pattern(f.text(flag));
  if (!f.hybrid.why.empty()) return f.error_in(flag, f.hybrid.wrong, f.hybrid.wrong_size, f.hybrid.why, f.hybrid.hint);
  check_length(f);
  check_experts(f, flag);
  read_old_prediction(f);
  put_predictions(f, flag.c_str());
}

void hybrid_stages(Flags& f) {
  const int64_t pp = f.count_of("parallelism.pp", 1), parts = static_cast<int64_t>(f.hybrid.parts.size()),
                layers = static_cast<int64_t>(f.hybrid.layers.size());
  const char* flag = f.has(kPattern) ? kPattern : kOldPattern;
  if (refuses_parts(f, parts > 1)) return;
  if (parts == 1) {
    const bool ends = f.has("--decoder-first-pipeline-num-layers") || f.has("--decoder-last-pipeline-num-layers");
    if (!ends && layers % pp != 0)
      f.error(kStages, fmt::format("{} layers are not a multiple of {} {}", layers, kStages, pp),
              pp > layers ? "" : f.written(kPattern, "'" + parted_pattern(f.hybrid.layers, pp) + "'") + " parts them");
    return;
  }
  if (pp < 2 || parts % pp != 0)
    return f.error(flag,
                   fmt::format("the pattern has {} parts, the pipeline {} stage{}", parts, pp, pp == 1 ? "" : "s"),
                   f.written(kStages, std::to_string(parts)) + " gives each part a stage");
  if (parts > pp) f.put("parallelism.interleave", parts / pp, flag);
  f.put("parallelism.stages", fmt::format("[{}]", fmt::join(f.hybrid.parts, ", ")), flag);
}

}  // namespace planner::megatron
