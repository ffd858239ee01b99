// What becomes of each field: the TOML of torchtitan.
#include <doctest/doctest.h>

#include "dsl/write.h"
#include "planner/import/field_tree.h"
#include "planner/import/torchtitan.h"
#include "planner/plan/plan.h"
#include "planner/workload/partition.h"
#include "tests/planner/export/export_sample.h"
#include "tests/planner/import/stored_names.h"

namespace {

constexpr ExportCase kCases[] = {
    {"parallelism.tp=4",
     "+training.local_batch_size=32 +parallelism.data_parallel_shard_degree=2 +parallelism.tensor_parallel_degree=4"},
    {"parallelism.pp=4",
     "+training.local_batch_size=32 +parallelism.data_parallel_shard_degree=2 +parallelism.pipeline_parallel_degree=4 "
     "+parts=8,8,8,8"},
    {"parallelism.pp=1",
     "+training.local_batch_size=1 +parallelism.data_parallel_shard_degree=8 +parallelism.pipeline_parallel_degree=1 "
     "-parallelism.pipeline_parallel_microbatch_size=1 -parallelism.pipeline_parallel_schedule=1F1B "
     "-parts=16,16"},
    {"parallelism.cp=2",
     "+training.local_batch_size=32 +parallelism.data_parallel_shard_degree=2 +parallelism.context_parallel_degree=2 "
     "+parallelism.context_parallel_rotate_method=alltoall"},
    {"parallelism.cp=2; parallelism.zero=0", "refused: parallelism.zero: 0"},
    {"parallelism.cp=2; software.context=all-to-all", "refused: software.context: all-to-all"},
    {"parallelism.cp=2; software.context=all-to-all; software.attention=flash2",
     "refused: software.context: all-to-all"},
    {"parallelism.cp=2; software.attention=flash2",
     "+training.local_batch_size=32 +parallelism.data_parallel_shard_degree=2 +parallelism.context_parallel_degree=2 "
     "+parallelism.context_parallel_rotate_method=alltoall"},
    {"parallelism.cp=2; software.context=all-to-all; parallelism.sequence_parallel=true",
     "refused: software.context: all-to-all"},
    {"parallelism.interleave=2",
     "+parallelism.pipeline_parallel_schedule=Interleaved1F1B "
     "+parts=8,8,8,8"},
    {"parallelism.interleave=5; parallelism.pp=4",
     "+training.local_batch_size=32 +parallelism.data_parallel_shard_degree=2 +parallelism.pipeline_parallel_degree=4 "
     "+parallelism.pipeline_parallel_schedule=Interleaved1F1B "
     "+parts=1,2,2,2,2,2,2,2,2,2,2,2,2,1,1,1,1,1,1,1"},
    {"parallelism.schedule=gpipe", "+parallelism.pipeline_parallel_schedule=GPipe"},
    {"parallelism.schedule=zb-h1", "refused: parallelism.schedule: zb-h1"},
    {"parallelism.schedule=zb-v; parallelism.interleave=2",
     "+parallelism.pipeline_parallel_schedule=ZBVZeroBubble +parts=8,8,8,8"},
    {"software.schedule=gpipe", "+parallelism.pipeline_parallel_schedule=GPipe"},
    {"parallelism.sequence_parallel=false", "refused: parallelism.sequence_parallel: false"},
    {"parallelism.order=tp-cp-ep-pp-dp", "refused: parallelism.order: tp-cp-ep-pp-dp"},
    {"parallelism.order=dp-tp-cp-ep-pp", "refused: parallelism.order: dp-tp-cp-ep-pp"},
    {"parallelism.zero=0", "refused: job.precision: bf16"},
    {"parallelism.zero=0; job.precision=fp32",
     "+parallelism.data_parallel_replicate_degree=4 +parallelism.data_parallel_shard_degree=1 "
     "-training.mixed_precision_param=bfloat16 -parallelism.fsdp_reshard_after_forward=default"},
    {"parallelism.zero=2", "+parallelism.fsdp_reshard_after_forward=never"},
    {"parallelism.zero=3; parallelism.pp=1",
     "+training.local_batch_size=1 +parallelism.data_parallel_shard_degree=8 +parallelism.pipeline_parallel_degree=1 "
     "-parallelism.pipeline_parallel_microbatch_size=1 -parallelism.pipeline_parallel_schedule=1F1B "
     "-parts=16,16"},
    {"parallelism.zero=2; software.fsdp=true", "+parallelism.fsdp_reshard_after_forward=never"},
    {"parallelism.zero_group=2",
     "+parallelism.data_parallel_replicate_degree=2 +parallelism.data_parallel_shard_degree=2"},
    {"parallelism.zero=3; parallelism.pp=1; parallelism.zero_group=2",
     "+training.local_batch_size=1 +parallelism.data_parallel_replicate_degree=4 "
     "+parallelism.data_parallel_shard_degree=2 +parallelism.pipeline_parallel_degree=1 "
     "-parallelism.pipeline_parallel_microbatch_size=1 -parallelism.pipeline_parallel_schedule=1F1B "
     "-parts=16,16"},
    {"parallelism.servers=2; parallelism.zero=0; job.precision=fp32", "refused: parallelism.servers: 2"},
    {"parallelism.recompute=full", "+activation_checkpoint.mode=full"},
    {"parallelism.recompute=full; parallelism.recompute_every=2", "refused: parallelism.recompute_every: 2"},
    {"parallelism.recompute=selective",
     "+activation_checkpoint.mode=selective +activation_checkpoint.selective_ac_option=op"},
    {"parallelism.recompute=selective; software.selective=expert-activation",
     "refused: software.selective: expert-activation"},
    {"parallelism.recompute=selective; software.selective=latent-up-and-cheap",
     "refused: software.selective: latent-up-and-cheap"},
    {"parallelism.recompute=selective; software.selective=mlp-and-norm", "refused: software.selective: mlp-and-norm"},
    {"parallelism.recompute=selective; software.selective=every-second-layer",
     "+activation_checkpoint.mode=selective +activation_checkpoint.selective_ac_option=2"},
    {"parallelism.offload.optimizer=1", "refused: parallelism.offload.optimizer: 1 |parallelism.offload.weights: 0"},
    {"parallelism.offload.optimizer=0.5",
     "refused: parallelism.offload.optimizer: 0.5 |parallelism.offload.weights: 0"},
    {"parallelism.offload.weights=1", "refused: parallelism.offload.optimizer: 0 |parallelism.offload.weights: 1"},
    {"parallelism.offload.weights=1; parallelism.offload.optimizer=1", "+training.enable_cpu_offload=true"},
    {"parallelism.offload.weights=1; parallelism.zero=3; parallelism.pp=1",
     "refused: parallelism.offload.optimizer: 0 |parallelism.offload.weights: 1"},
    {"parallelism.offload.optimizer=0.5; parallelism.zero=3; parallelism.pp=1",
     "refused: parallelism.offload.optimizer: 0.5 |parallelism.offload.weights: 0"},
    {"parallelism.offload.activations=0.5", "refused: parallelism.offload.activations: 0.5"},
    {"parallelism.offload.activations=0.33", "refused: parallelism.offload.activations: 0.33"},
    {"parallelism.microbatch=2", "+parallelism.pipeline_parallel_microbatch_size=2"},
    {"parallelism.microbatch=2; parallelism.pp=1",
     "+training.local_batch_size=2 +parallelism.data_parallel_shard_degree=8 +parallelism.pipeline_parallel_degree=1 "
     "-parallelism.pipeline_parallel_microbatch_size=1 -parallelism.pipeline_parallel_schedule=1F1B "
     "-parts=16,16"},
    {"job.global_batch=128", "+training.local_batch_size=32 +training.global_batch_size=128"},
    {"job.sequence=1024", "+training.seq_len=1024"},
    {"job.document=512", "refused: job.document: 512"},
    {"job.tokens=1e9", "+training.steps=7630"},
    {"job.precision=fp32", "+training.mixed_precision_param=float32"},
    {"job.precision=tf32", "refused: job.precision: tf32"},
    {"job.precision=fp16", "refused: job.precision: fp16"},
    {"job.precision=fp16; software.reduce_bytes=2", "refused: job.precision: fp16 |software.reduce_bytes: 2"},
    {"job.precision=fp8", "refused: software.scaling: delayed"},
    {"job.precision=fp8; software.scaling=current",
     "+model.converters=[\"quantize.linear.float8\"] +quantize.linear.float8.recipe_name=tensorwise"},
    {"job.precision=fp8; software.scaling=block", "refused: software.scaling: block"},
    {"cluster.use=dgx-b200; job.precision=mxfp8",
     "+model.converters=[\"quantize.linear.mx\"] +quantize.linear.mx.recipe_name=mxfp8_cublas"},
    {"cluster.use=dgx-b200; job.precision=nvfp4", "refused: job.precision: nvfp4"},
    {"job.precision=fp8; software.narrow_attention=true",
     "refused: software.scaling: delayed |software.narrow_attention: true"},
    {"job.precision=fp8; software.narrow_head=true", "refused: software.scaling: delayed |software.narrow_head: true"},
    {"job.precision=fp8; software.gather_bytes=1; software.scaling=current",
     "+model.converters=[\"quantize.linear.float8\"] +quantize.linear.float8.recipe_name=tensorwise "
     "+quantize.linear.float8.enable_fsdp_float8_all_gather=true"},
    {"job.optimizer=sgd", "refused: job.optimizer: sgd"},
    {"job.optimizer=sgd; parallelism.zero=0; job.precision=fp32", "refused: job.optimizer: sgd"},
    {"job.optimizer=lamb", "refused: job.optimizer: lamb"},
    {"job.phase=forward", "refused: job.phase: forward"},
    {"job.lora.rank=8", "refused: job.lora.rank: 8"},
    {"job.lora.rank=8; job.lora.targets=all", "refused: job.lora.rank: 8"},
    {"model.layers=32", "refused: model.layers: 32"},
    {"model.kv_heads=8", "refused: model.kv_heads: 8"},
    {"model.head_dim=64", "refused: model.head_dim: 64"},
    {"model.vocab=51201", "refused: model.vocab: 51201"},
    {"model.vocab=51202", "refused: model.vocab: 51202"},
    {"model.positions=0; model.rotary=true", "refused: model.positions: 0 |model.rotary: true"},
    {"model.positions=0", "refused: model.positions: 0"},
    {"model.rotary=true", "refused: model.rotary: true"},
    {"model.token_types=2", "refused: model.token_types: 2"},
    {"model.gated_mlp=true; model.activation=silu", "refused: model.gated_mlp: true |model.activation: silu"},
    {"model.gated_mlp=true", "refused: model.gated_mlp: true"},
    {"model.activation=squared-relu", "refused: model.activation: squared-relu"},
    {"model.activation=relu", "refused: model.activation: relu"},
    {"model.tied_embeddings=false", "refused: model.tied_embeddings: false"},
    {"model.causal=false", "refused: model.causal: false"},
    {"model.bias=false", "refused: model.bias: false"},
    {"model.bias=false; model.qkv_bias=true", "refused: model.bias: false |model.qkv_bias: true"},
    {"model.embedding_norm=true", "refused: model.embedding_norm: true"},
    {"model.parallel_block=true", "refused: model.parallel_block: true"},
    {"model.norm=rmsnorm", "refused: model.norm: rmsnorm"},
    {"model.head=mlm", "refused: model.head: mlm"},
    {"model.dropout=0", "refused: model.dropout: 0"},
    {"model.qk_norm=true", "refused: model.qk_norm: true"},
    {"model.post_norm=true", "refused: model.post_norm: true"},
    {"model.clamp=7", "refused: model.clamp: 7"},
    {"model.sinks=true", "refused: model.sinks: true"},
    {"model.mtp=1; parallelism.pp=1", "refused: model.mtp: 1"},
    {"model.predicted=0.15", "refused: model.predicted: 0.15"},
    {"model.latent.rank=512; model.latent.query_rank=256",
     "refused: model.latent.rank: 512 |model.latent.query_rank: 256"},
    {"model.window.size=128", "refused: model.window.size: 128"},
    {"model.window.size=128; model.window.global_every=4",
     "refused: model.window.size: 128 |model.window.global_every: 4"},
    {"parallelism.sequence_parallel=true; model.experts.count=8", "refused: model.experts.count: 8"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; model.experts.top_k=2; parallelism.ep=2",
     "refused: model.experts.count: 8 |model.experts.top_k: 2"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; parallelism.etp=2", "refused: model.experts.count: 8"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; model.experts.ffn=1024",
     "refused: model.experts.count: 8 |model.experts.ffn: 1024"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; model.experts.shared=1",
     "refused: model.experts.count: 8 |model.experts.shared: 1"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; model.experts.shared=1; "
     "model.experts.shared_gate=true",
     "refused: model.experts.count: 8 |model.experts.shared: 1 |model.experts.shared_gate: true"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; model.experts.first_dense=4",
     "refused: model.experts.count: 8 |model.experts.first_dense: 4"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; model.experts.every=2",
     "refused: model.experts.count: 8 |model.experts.every: 2"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; model.experts.first_dense=3; model.experts.every=2",
     "refused: model.experts.count: 8 |model.experts.first_dense: 3 |model.experts.every: 2"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; model.experts.groups=4; "
     "model.experts.groups_per_token=2",
     "refused: model.experts.count: 8 |model.experts.groups: 4 |model.experts.groups_per_token: 2"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; job.routing.capacity=1.5",
     "refused: model.experts.count: 8 |job.routing.capacity: 1.5"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; software.experts.dispatch=all-gather",
     "refused: model.experts.count: 8 |software.experts.dispatch: all-gather"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; software.experts.dispatch=per-node",
     "refused: model.experts.count: 8 |software.experts.dispatch: per-node"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; software.experts.grouped=true",
     "refused: model.experts.count: 8"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; software.experts.permute=false",
     "refused: model.experts.count: 8 |software.experts.permute: false"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; software.experts.overlap=true",
     "refused: model.experts.count: 8 |software.experts.overlap: true"},
    {"parallelism.sequence_parallel=true; model.experts.count=8; model.experts.shared=1; "
     "software.experts.overlap_shared=true",
     "refused: model.experts.count: 8 |model.experts.shared: 1 |software.experts.overlap_shared: true"},
    {"software.attention=flash3", "refused: software.attention: flash3"},
    {"software.attention=unfused", "refused: software.attention: unfused"},
    {"software.attention=cudnn-fused", "refused: software.attention: cudnn-fused"},
    {"software.attention=flash1", "refused: software.attention: flash1"},
    {"software.attention=triton-flash", "refused: software.attention: triton-flash"},
    {"software.fusion.softmax=false", "refused: software.fusion.softmax: false"},
    {"software.fusion.bias_activation=false", "refused: software.fusion.bias_activation: false"},
    {"software.fusion.bias_activation=false; model.gated_mlp=true; model.activation=silu",
     "refused: model.gated_mlp: true |model.activation: silu |software.fusion.bias_activation: false"},
    {"software.fusion.bias_dropout_add=false", "refused: software.fusion.bias_dropout_add: false"},
    {"software.fusion.rope=false; model.positions=0; model.rotary=true",
     "refused: model.positions: 0 |model.rotary: true"},
    {"software.fusion.rope=true", "refused: software.fusion.rope: true"},
    {"software.fusion.norm=true; software.fusion.rope=true", "+compile.enable=true"},
    {"software.fusion.cross_entropy=true", "refused: software.fusion.cross_entropy: true"},
    {"software.fusion.gradient=true", "refused: software.fusion.gradient: true"},
    {"software.reshards_in_pipeline=true", "+parallelism.fsdp_reshard_after_forward=always"},
    {"software.overlap.tensor=true", "refused: software.overlap.tensor: true"},
    {"software.overlap.tensor=true; software.fusion.norm=true; software.fusion.rope=true",
     "+parallelism.enable_async_tensor_parallel=true +compile.enable=true"},
    {"software.fused_collectives=ideal", "refused: software.fused_collectives: ideal"},
    {"software.overlap.gradients=false", "refused: software.overlap.gradients: false"},
    {"software.overlap.parameters=false", "refused: software.overlap.parameters: false"},
    {"software.overlap.pipeline=false; parallelism.interleave=2", "refused: software.overlap.pipeline: false"},
    {"software.scatter_gather=false", "refused: software.scatter_gather: false"},
    {"software.reduce_scatter=false", ""},
    {"software.bucket_bytes=160 MB", "refused: software.bucket_bytes: 160 MB"},
    {"software.reduce_bytes=2", "refused: software.reduce_bytes: 2"},
    {"software.reduce_bytes=3", "refused: software.reduce_bytes: 3"},
    {"software.graphs=step", "refused: software.graphs: step"},
    {"software.graphs=static-parts", "refused: software.graphs: static-parts"},
    {"cluster.gpus=24; cluster.gpus_per_node=16; parallelism.dp=6; job.global_batch=96", "refused: parallelism.dp: 6"},
    {"model.name=mine", "refused: model.name: mine"},
};

constexpr ExportCase kNewestCases[] = {
    {"parallelism.tp=4",
     "+parallelism.num_pp_microbatches=32 +parallelism.data_parallel_shard_degree=2 "
     "+parallelism.tensor_parallel_degree=4"},
    {"parallelism.pp=1",
     "+parallelism.data_parallel_shard_degree=8 +parallelism.pipeline_parallel_degree=1 "
     "-parallelism.num_pp_microbatches=16 -parallelism.pipeline_parallel_schedule=1F1B -parts=16,16"},
    {"parallelism.pp=4; parallelism.stages=[7, 9, 9, 7]",
     "+parallelism.num_pp_microbatches=32 +parallelism.data_parallel_shard_degree=2 "
     "+parallelism.pipeline_parallel_degree=4 +parts=7,9,9,7"},
    {"parallelism.microbatch=2",
     "+training.num_tokens_per_microbatch_per_dp_rank=4096 +parallelism.num_pp_microbatches=8"},
    {"job.global_batch=128", "+parallelism.num_pp_microbatches=32 +training.num_tokens_per_train_step=262144"},
    {"parallelism.recompute=full", "+activation_checkpoint.mode=full"},
    {"parallelism.recompute=selective", "+activation_checkpoint.mode=selective"},
    {"job.precision=fp8; software.scaling=current", "+model.converters=Float8LinearConverter"},
    {"cluster.use=dgx-b200; job.precision=mxfp8", "+model.converters=MXFP8LinearConverter"},
    {"cluster.use=dgx-b200; job.precision=nvfp4", "+model.converters=NVFP4LinearConverter"},
    {"software.fusion.norm=true; software.fusion.rope=true", "+compile.enable=true"},
    {"job.tokens=1e9", "+training.steps=7630"},
    // what TOML has, and the newest has not
    {"parallelism.cp=2", "refused: software.context: ring"},
    {"parallelism.recompute=selective; software.selective=every-second-layer",
     "refused: software.selective: every-second-layer"},
    {"job.precision=fp8; software.gather_bytes=1; software.scaling=current", "refused: software.gather_bytes: 1"},
    // and neither has
    {"job.precision=fp16", "refused: job.precision: fp16"},
    {"job.precision=fp8", "refused: software.scaling: delayed"},
    {"parallelism.zero=1", "refused: parallelism.zero: 1"},
    {"parallelism.schedule=zb-h1", "refused: parallelism.schedule: zb-h1"},
    {"model.layers=32", "refused: model.layers: 32"},
};

/// An outcome with the layers of each part in place of the names of its modules.
std::string with_parts(const std::string& outcome) {
  constexpr std::string_view kKey = "parallelism.module_fqns_per_model_part=";
  std::string out;
  size_t from = 0;
  for (size_t at; (at = outcome.find(kKey, from)) != std::string::npos;) {
    const size_t end = outcome.find("]]", at);
    out += outcome.substr(from, at - from) + "parts=";
    for (const std::string& part : parts_of(outcome.substr(at + kKey.size() + 1, end - at - kKey.size() - 1), "], ")) {
      const size_t layers = parts_of("," + part, "layers.").size() - 1;
      out += (out.ends_with('=') ? "" : ",") + std::to_string(layers);
    }
    from = end + 2;
  }
  return out + outcome.substr(from);
}

void check_titan(const char* target, std::span<const ExportCase> cases) {
  for (const ExportCase& c : cases) {
    CAPTURE(std::string(c.set));
    const std::string outcome = with_parts(export_outcome(target, c.set));
    CHECK_MESSAGE(sorted_outcome(outcome) == sorted_outcome(c.outcome), outcome,
                  "; expected: ", std::string(c.outcome));
  }
}

/// What a text sets is a key of that version.
void check_names(const planner::Export& out, bool is_newest) {
  static const std::set<std::string> kNewest = stored_names({"torchtitan-newest"}),
                                     kToml = stored_names({"torchtitan"});
  for (const planner::Setting& setting : out.settings)
    if (!is_newest && !setting.name.starts_with("--")) CHECK_MESSAGE(kToml.contains(setting.name), setting.name);
  for (const std::string& line : parts_of(out.text, "\n")) {
    if (!line.starts_with("  --")) continue;
    const std::string name = line.substr(4, line.find(' ', 4) - 4);
    CHECK_MESSAGE(kNewest.contains(name), name);
  }
}

/// What the program is given, read back. The newest refuses some that TOML has.
void check_trip(const char* target, const char* set) {
  const bool is_newest = std::string(target) == "torchtitan",
             is_fp8 = std::string(set).find("=fp8") != std::string::npos;
  CAPTURE(std::string(target));
  CAPTURE(std::string(set));
  const Exported there(target, export_scenario(target), parts_of(set, "; "));
  const bool is_toml_alone = there.told().find("--to torchtitan-toml") != std::string::npos;
  if (is_newest && is_toml_alone) return;
  REQUIRE_MESSAGE(there.result, there.told());
  check_names(*there.result, is_newest);
  ImportSample back;
  const planner::RunFiles files = back.files(is_newest ? "run.sh" : "job.toml", there.result->text, "", "");
  back.result = planner::import_torchtitan(files, back.sources, back.diagnostics);
  CHECK(back.result.complete);
  planner::put_field(back.result.scenario, "cluster.use", planner::value_node(there.loaded->scenario.cluster.name, {}));
  const auto loaded = back.loaded();
  REQUIRE_MESSAGE(loaded, back.told());
  CHECK((back.told() == "" || (is_newest && is_fp8)));
  const planner::Scenario &a = there.loaded->scenario, &b = loaded->scenario;
  CHECK(planner::layers_per_part(a) == planner::layers_per_part(b));
  const planner::Plan first = planner::make_plan(a), second = planner::make_plan(b);
  REQUIRE((first.step && second.step));
  CHECK(first.step->seconds == second.step->seconds);
  CHECK(first.memory->device.peak_bytes == second.memory->device.peak_bytes);
  CHECK(a.job.tokens.has_value() == b.job.tokens.has_value());
  const auto again = planner::export_plan(*loaded, target, back.diagnostics);
  REQUIRE(again);
  CHECK(again->text == there.result->text);
}

}  // namespace

TEST_CASE("each field is a key of torchtitan's TOML, or refused by name") { check_titan("torchtitan-toml", kCases); }

TEST_CASE("each field is a setting of the newest torchtitan, or refused by name") {
  check_titan("torchtitan", kNewestCases);
}

TEST_CASE("an export for torchtitan says for which versions it is, and has no key that they lack") {
  const auto text = [](const char* target) {
    const Exported there(target, export_scenario(target), {"software.use=torchtitan-asynctp"});
    return there.result ? there.result->text : there.told();
  };
  const std::string newest = text("torchtitan"), toml = text("torchtitan-toml");
  CHECK(newest.find("# For torchtitan since 9810191b (2026-02-23), which Python configures") != std::string::npos);
  CHECK(toml.find("# For torchtitan up to 238fa995 (2026-02-23) and its releases up to 0.2.2") != std::string::npos);
  for (const char* part : {"--module trainplan_config --config trainplan", "--compile.enable_async_tensor_parallel",
                           "llama3.model_registry(\"8B\")", "--training.max_context_length 2048", "\"lm_head\"]"})
    CHECK_MESSAGE(newest.find(part) != std::string::npos, std::string(part));
  for (const char* part : {"job.config_file", "seq_len", "local_batch_size", "split_points", "False"})
    CHECK_MESSAGE(newest.find(part) == std::string::npos, std::string(part));
  for (const char* part :
       {"[compile]\nenable = true", "module_fqns_per_model_part = [[\"tok_embeddings\"", "\"output\"]]"})
    CHECK_MESSAGE(toml.find(part) != std::string::npos, std::string(part));
  for (const char* part : {"split_points", "[training]\ncompile", "[float8]", "[mx]"})
    CHECK_MESSAGE(toml.find(part) == std::string::npos, std::string(part));
}

TEST_CASE("what torchtitan is given is read back as the same plan") {
  const char* const kSets[] = {"",
                               "parallelism.tp=4; parallelism.recompute=full",
                               "parallelism.pp=1; parallelism.microbatch=2; job.tokens=1e9",
                               "parallelism.pp=4; parallelism.microbatch=2; job.global_batch=128",
                               "parallelism.pp=4; parallelism.stages=[7, 9, 9, 7]",
                               "parallelism.interleave=2",
                               "parallelism.interleave=5; parallelism.pp=4",
                               "parallelism.schedule=gpipe",
                               "software.schedule=gpipe",
                               "parallelism.schedule=zb-v; parallelism.interleave=2",
                               "parallelism.schedule=dualpipe-v; parallelism.interleave=2",
                               "software.reshards_in_pipeline=true",
                               "parallelism.cp=2",
                               "parallelism.cp=2; parallelism.zero_group=2; parallelism.pp=1",
                               "parallelism.zero=0; job.precision=fp32",
                               "parallelism.zero=2",
                               "parallelism.zero=3; parallelism.pp=1; parallelism.zero_group=2",
                               "parallelism.recompute=selective",
                               "parallelism.recompute=selective; software.selective=every-second-layer",
                               "parallelism.offload.weights=1; parallelism.offload.optimizer=1",
                               "job.sequence=1024; job.precision=fp32",
                               "job.precision=fp8; software.gather_bytes=1; software.scaling=current",
                               "job.precision=fp8; software.scaling=current; software.use=torchtitan-compile",
                               "cluster.use=dgx-b200; job.precision=mxfp8",
                               "software.use=torchtitan-asynctp",
                               "model.use=qwen3-32b",
                               "model.use=deepseek-v2-lite; parallelism.ep=4; parallelism.pp=1"};
  for (const char* target : {"torchtitan", "torchtitan-toml"})
    for (const char* set : kSets) check_trip(target, set);
}
