// What the flags say of the job, and how it is laid out.
#include <fmt/format.h>

#include <algorithm>
#include <initializer_list>
#include <span>

#include "planner/import/field_tree.h"
#include "planner/import/megatron_flags.h"
#include "planner/import/megatron_table.h"
#include "planner/scenario/optimizers.h"

namespace planner::megatron {
namespace {

void precision(Flags& f) {
  if (f.has("--fp4-format")) return f.put("job.precision", "nvfp4", "--fp4-format");
  if (f.has("--fp8-format") && f.text("--fp8-recipe") == "mxfp8")
    return f.put("job.precision", "mxfp8", "--fp8-recipe");
  for (const char* flag : {"--fp8-format", "--fp8-hybrid", "--fp8-e4m3"})
    if (f.has(flag) && f.table.reads(flag)) return f.put("job.precision", "fp8", flag);
  if (f.has("--bf16")) return f.put("job.precision", "bf16", "--bf16");
  f.put("job.precision", f.has("--fp16") ? "fp16" : "fp32", f.has("--fp16") ? "--fp16" : "--bf16");
}

/// Settings of Muon; dist_muon deals whole matrices to the data ranks (core/optimizer/layer_wise_optimizer.py).
void muon(Flags& f, bool deals) {
  const char *mode = "--muon-tp-mode", *clip = "--qk-clip";
  const bool clips = f.has(clip);
  f.put("job.optimizer", clips ? "muon-clip" : "muon", clips ? clip : "--optimizer");
  std::string how = f.text(mode, "blockwise");
  std::ranges::replace(how, '_', '-');
  if (std::ranges::find(kMuonModeNames, how) == kMuonModeNames.end())
    f.error(mode, "unknown mode '" + f.text(mode) + "'", "known: blockwise, duplicated, distributed, layer_sharded");
  else f.put("job.muon.mode", how, mode);
  if (deals) f.put("parallelism.zero", 1, "--optimizer");
}

void optimizer(Flags& f) {
  const char* narrow = "--use-bnb-optimizer";
  if (f.has(narrow) && f.table.reads(narrow)) return f.put("job.optimizer", "adam-8bit", narrow);
  const std::string name = f.text("--optimizer", "adam");
  if (name == "adam" || name == "sgd" || name == "soap") return f.put("job.optimizer", name, "--optimizer");
  if (name == "muon" || name == "dist_muon") return muon(f, name == "dist_muon");
  f.warn("--optimizer", "'" + name + "' is planned as adam");
}

void run_length(Flags& f) {
  const double sequence = static_cast<double>(f.count_of("job.sequence", 0));
  if (sequence == 0) return;
  if (f.has("--train-samples"))
    return f.put("job.tokens", f.figure("--train-samples", "0") + " * job.sequence", "--train-samples");
  if (f.has("--train-iters"))
    f.put("job.tokens", f.figure("--train-iters", "0") + " * job.global_batch * job.sequence", "--train-iters");
}

/// Layers of each part of the pipeline where they are not even: the ends may hold fewer.
void stages(Flags& f) {
  const int64_t layers = f.layers(), pp = f.count_of("parallelism.pp", 1);
  const int64_t parts = pp * f.count_of("parallelism.interleave", 1);
  const char *first = "--decoder-first-pipeline-num-layers", *last = "--decoder-last-pipeline-num-layers";
  const char *embedding = "--account-for-embedding-in-pipeline-split", *loss = "--account-for-loss-in-pipeline-split";
  const char* method = "--pp-partition-method";
  if (layers == 0 || pp == 1 || parts > layers + 2) return;
  std::vector<int64_t> list(static_cast<size_t>(parts), 0);
  const bool both = f.is_deepspeed() && f.text(method) == "type:transformer|embedding";
  const bool counts_embedding = f.has(embedding) || both, counts_loss = f.has(loss) || both;
  const char* flag = f.has(first) ? first : f.has(last) ? last : both ? method : f.has(embedding) ? embedding : loss;
  if (f.has(first) || f.has(last)) {
    if (parts > pp) return f.warn(flag, "uneven ends of an interleaved pipeline are left out");
    const int64_t a = f.count(first, 0), b = f.count(last, 0), middle = pp - f.has(first) - f.has(last);
    if (a + b > layers || middle < 1) return f.error(flag, "the ends of the pipeline hold more layers than the model");
    std::fill(list.begin(), list.end(), (layers - a - b) / middle);
    if (f.has(first)) list.front() = a;
    if (f.has(last)) list.back() = b;
  } else if (counts_embedding || counts_loss) {
    const int64_t counted = layers + counts_embedding + counts_loss;
    if (counted % parts != 0)
      return f.warn(flag, fmt::format("{} layers in {} uneven parts are left out", counted, parts));
    std::fill(list.begin(), list.end(), counted / parts);
    list.front() -= counts_embedding;
    list.back() -= counts_loss;
  } else {
    return;
  }
  f.put("parallelism.stages", fmt::format("[{}]", fmt::join(list, ", ")), flag);
}

void interleave(Flags& f) {
  const char* flag = "--num-layers-per-virtual-pipeline-stage";
  const int64_t layers = f.layers(), pp = f.count_of("parallelism.pp", 1);
  const int64_t each = f.count(flag, 0);
  if (each < 1 || layers == 0) return;
  const int64_t counted =
      layers + f.has("--account-for-embedding-in-pipeline-split") + f.has("--account-for-loss-in-pipeline-split");
  if (counted % (pp * each) != 0)
    return f.error(flag, std::to_string(counted) + " layers are not a multiple of pp " + std::to_string(pp) + " x " +
                             std::to_string(each));
  f.put("parallelism.interleave", counted / (pp * each), flag);
}

/// Puts the known modules as a list, and warns of the others.
void modules(Flags& f, const char* flag, std::span<const ProgramWord> rows, const char* field) {
  std::string list;
  for (const ShellWord& module : f.values(flag)) {
    const std::string ours = ours_of(rows, module.text);
    if (ours.empty()) f.warn(flag, "'" + module.text + "' is left out");
    else list += (list.empty() ? "" : ", ") + ours;
  }
  if (!list.empty()) f.put(field, list.find(',') == list.npos ? list : "[" + list + "]", flag);
}

/// The first of the flags that is given; the last one where none is.
const char* first_given(const Flags& f, std::initializer_list<const char*> flags) {
  const auto given = std::ranges::find_if(flags, [&](const char* flag) { return f.has(flag); });
  return given == flags.end() ? *(flags.end() - 1) : *given;
}

/// Until 2022 Megatron-LM had --checkpoint-activations, then --activations-checkpoint-method, for whole layers.
void recompute(Flags& f) {
  const char *part = "--recompute-activations", *whole = "--checkpoint-activations",
             *before = "--activations-checkpoint-method";
  const char* flag = first_given(f, {part, whole, before, "--recompute-granularity"});
  const std::string kind = flag == part ? "selective" : flag == whole || flag == before ? "full" : f.text(flag, "none");
  if (kind == "none") return;
  if (kind != "selective" && kind != "full") return f.error(flag, "expected full or selective, got '" + kind + "'");
  f.put("parallelism.recompute", kind, flag);
  if (kind == "selective") modules(f, "--recompute-modules", kRecomputedModules, "software.selective");
  const char* each =
      first_given(f, {"--recompute-num-layers", "--activations-checkpoint-num-layers", "--checkpoint-num-layers"});
  if (kind == "selective" || !f.has(each)) return;
  const int64_t layers = f.count(each, 1);
  // This many layers of each chunk of a stage.
  if (f.text(first_given(f, {"--recompute-method", before})) == "block")
    return f.put("parallelism.recompute_layers", fmt::format("min(model.layers, {} * pp * interleave)", layers), each);
  f.put("parallelism.recompute_every", layers, each);
}

/// Ranks that exchange heads, and ranks that form a ring (arguments.py: their product is the whole group).
void context_sizes(Flags& f) {
  const char *flag = "--hierarchical-context-parallel-sizes", *type = "--cp-comm-type";
  const bool both = f.text(type) == "a2a+p2p";
  if (!f.has(flag)) {
    if (both) f.error(type, "a2a+p2p needs --hierarchical-context-parallel-sizes");
    return;
  }
  if (!both) return f.warn(flag, "no --cp-comm-type a2a+p2p: left out");
  const int64_t cp = f.count_of("parallelism.cp", 1), inner = f.count(flag, 1);
  if (f.values(flag).size() != 2)
    return f.error(flag, "expected two sizes: the ranks that exchange heads, then the ranks of the ring");
  if (f.values(flag)[1].text != std::to_string(inner > 0 ? cp / inner : 0) || cp % std::max<int64_t>(1, inner) != 0)
    return f.error(flag, fmt::format("{} x {} is not --context-parallel-size {}", inner, f.values(flag)[1].text, cp));
  f.put("parallelism.cp_inner", inner, flag);
}

/// ZeRO stage: the distributed optimizer, Megatron's FSDP with its strategy, or PyTorch's.
void sharding(Flags& f) {
  if (f.has("--use-torch-fsdp2")) {
    const bool keeps = f.has("--torch-fsdp2-no-reshard-after-forward");
    f.put("parallelism.zero", keeps ? 2 : 3, keeps ? "--torch-fsdp2-no-reshard-after-forward" : "--use-torch-fsdp2");
    return f.put("software.fsdp", "true", "--use-torch-fsdp2");
  }
  if (f.has("--use-megatron-fsdp") || f.has("--use-custom-fsdp")) {
    const char* flag = "--data-parallel-sharding-strategy";
    // The default changed with the name of its FSDP (megatron/training/arguments.py).
    const std::string stage =
        ours_of(kStrategies, f.text(flag, f.has("--use-megatron-fsdp") ? "optim_grads_params" : "no_shard"));
    return stage.empty() ? f.error(flag, "unknown strategy '" + f.text(flag) + "'")
                         : f.put("parallelism.zero", stage, flag);
  }
  if (f.has("--use-distributed-optimizer")) f.put("parallelism.zero", 1, "--use-distributed-optimizer");
  else if (!f.field("parallelism.zero")) return;  // of Muon
  const char* copies = "--num-distributed-optimizer-instances";
  if (f.count(copies, 1) > 1) f.put("parallelism.zero_group", "dp * cp / " + f.figure(copies, "1"), copies);
}

void offload(Flags& f) {
  const bool on = f.has("--optimizer-cpu-offload") || f.has("--cpu-offload");
  if (on)
    f.put("parallelism.offload.optimizer", f.figure("--optimizer-offload-fraction", "1"),
          f.has("--cpu-offload") ? "--cpu-offload" : "--optimizer-cpu-offload");
  const char* layers = "--cpu-offloading-num-layers";
  if (f.count(layers, 0) > 0)
    f.put("parallelism.offload.activations", "min(1, " + f.figure(layers, "0") + " * pp / model.layers)", layers);
  const char *fine = "--fine-grained-activation-offloading", *share = "--activation-offload-fraction";
  if (!f.has(fine)) return;
  if (!f.has("--offload-modules")) return f.error(fine, "no module is offloaded: --offload-modules is missing");
  modules(f, "--offload-modules", kOffloadedModules, "parallelism.offload.modules");
  f.put("parallelism.offload.activations", f.figure(share, "1"), f.has(share) ? share : fine);
}

}  // namespace

void job_rules(Flags& f) {
  if (!f.field("job.sequence")) f.error("--seq-length", "missing flag --seq-length");
  if (!f.has("--micro-batch-size")) f.error("--micro-batch-size", "missing flag --micro-batch-size");
  run_length(f);
  if (f.is_deepspeed()) deepspeed_length(f);
  precision(f);
  optimizer(f);
}

void layout_rules(Flags& f) {
  const bool hybrid = !f.hybrid.layers.empty();
  if (hybrid) hybrid_stages(f);
  if (f.has("--pipeline-model-parallel-layout") && !hybrid) {
    listed_stages(f);
  } else if (f.hybrid.parts.size() < 2) {
    interleave(f);
    stages(f);
  }
  const int64_t tp = f.count_of("parallelism.tp", 1);
  if (f.has("--sequence-parallel") && tp > 1) f.put("parallelism.sequence_parallel", "true", "--sequence-parallel");
  recompute(f);
  if (f.is_deepspeed()) return;
  context_sizes(f);
  sharding(f);
  offload(f);
}

}  // namespace planner::megatron
