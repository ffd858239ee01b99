// Lines of Megatron-DeepSpeed as scenarios: flags and defaults that Megatron-LM has not.
#include "planner/import/megatron.h"
#include "tests/planner/import/import_sample.h"

namespace {

/// A script, and what it says.
struct Line : ImportSample {
  explicit Line(const std::string& text) {
    result = planner::import_megatron(files("run.sh", text, "", ""), sources, diagnostics);
  }
  std::string fields(std::string wanted) const {
    std::string out;
    for (size_t at = 0; at < wanted.size();) {
      const size_t end = std::min(wanted.find("; ", at), wanted.size());
      const std::string field = wanted.substr(at, wanted.find('=', at) - at);
      out += (out.empty() ? "" : "; ") + field + "=" + this->at(field);
      at = end + 2;
    }
    return out;
  }
};

constexpr const char* kModel =
    "torchrun --nproc_per_node 8 --nnodes 2 pretrain_gpt.py --deepspeed --num-layers 8 --hidden-size 1024 "
    "--num-attention-heads 16 --seq-length 512 --micro-batch-size 1 --global-batch-size 64 --vocab-size 1000 ";

struct FlagCase {
  const char *flags, *fields;
};
constexpr FlagCase kCases[] = {
    {"", "software.use=megatron-deepspeed; parallelism.zero=1; parallelism.recompute=none; cluster.gpus=2 * 8"},
    {"--zero-stage 2 --fp16", "parallelism.zero=2; job.precision=fp16"},
    // its bf16 optimizer shards states in stage 0
    {"--zero-stage 0 --bf16", "parallelism.zero=1; job.precision=bf16"},
    {"--zero-stage 0 --fp16", "parallelism.zero=0"},
    {"--checkpoint-activations --checkpoint-num-layers 2", "parallelism.recompute=full; parallelism.recompute_every=2"},
    {"--deepspeed-activation-checkpointing", "parallelism.recompute=none"},
    {"--recompute-granularity selective", "parallelism.recompute=selective"},
    {"--checkpoint-activations --checkpoint-in-cpu --cpu-optimizer --zero-stage 3 --remote-device cpu",
     "parallelism.offload.activations=1; parallelism.offload.optimizer=1; parallelism.offload.weights=1"},
    // experts
    {"--num-experts 16",
     "model.experts.count=16; model.experts.top_k=1; model.experts.every=2; job.routing.capacity=1; "
     "parallelism.etp=1"},
    {"--num-experts 1", "model.experts.count=none; job.routing.capacity=none"},
    {"--num-experts 16 --topk 2 --expert-interval 1 --moe-expert-parallel-size 8 --moe-train-capacity-factor 1.5",
     "model.experts.top_k=2; model.experts.every=1; parallelism.ep=8; job.routing.capacity=1.5"},
    {"--num-experts 4 --disable-moe-token-dropping --enable-expert-tensor-parallelism --tensor-model-parallel-size 2",
     "job.routing.capacity=0; parallelism.etp=2"},
    {"--num-experts 4 --mlp-type residual", "model.experts.shared=1; model.experts.shared_ffn=model.ffn"},
    // the model
    {"--num-key-value-heads 4 --normalization rmsnorm --embed-layernorm",
     "model.kv_heads=4; model.norm=rmsnorm; model.embedding_norm=true"},
    {"--position-embedding-type alibi", "model.positions=none; model.rotary=none"},
    {"--position-embedding-type rotary", "model.positions=none; model.rotary=true"},
    {"--no-position-embedding", "model.positions=none; model.rotary=none"},
    {"--pad-vocab-size-to 2048", "model.vocab=2048"},
    // the run, sequences, kernels
    {"--train-tokens 3_000_000", "job.tokens=3000000"},
    {"--train-tokens 3e9 --train-samples 10_000", "job.tokens=min(3e9, 10000 * job.sequence)"},
    {"--ds-sequence-parallel-size 4", "parallelism.cp=4; software.context=all-to-all"},
    {"--use-flash-attn-v2", "software.attention=flash2"},
    {"--bf16 --fp8-hybrid", "job.precision=fp8"},
    {"--enable-zbh1-pipeline --pipeline-model-parallel-size 2", "parallelism.schedule=zb-h1"},
    {"--use-bnb-optimizer", "job.optimizer=adam-8bit"},
    {"--glu-activation geglu", "model.gated_mlp=true; model.activation=gelu"},
    {"--glu-activation reglu", "model.gated_mlp=true; model.activation=relu"},
    {"--pp-partition-method type:transformer --pipeline-model-parallel-size 2", "parallelism.stages=none"},
    {"--num-layers 10 --pp-partition-method 'type:transformer|embedding' --pipeline-model-parallel-size 3",
     "parallelism.stages=[3, 4, 3]"},
};

}  // namespace

TEST_CASE("flags of Megatron-DeepSpeed are fields") {
  for (const FlagCase& c : kCases) {
    CAPTURE(std::string(c.flags));
    const Line line(std::string(kModel) + c.flags);
    CHECK(line.fields(c.fields) == c.fields);
    CHECK(line.told() == "");
  }
}

TEST_CASE("the configuration that a script writes is read, and agrees with the flags") {
  const std::string json =
      "N=2\ncat <<EOT > ds.json\n{\"zero_optimization\": {\"stage\": $N, \"overlap_comm\": true}, \"bf16\": "
      "{\"enabled\": "
      "true}}\nEOT\n";
  const std::string line = std::string(kModel) + "--bf16 --deepspeed_config ds.json ";
  const Line good(json + line + "--zero-stage 2");
  CHECK(good.told() == "");
  CHECK(good.at("parallelism.zero") == "2");
  CHECK(good.at("software.overlap.gradients") == "true");
  const Line other(json + line + "--zero-stage 1");
  CHECK(other.told() == "ds.json:1:33 error: zero_optimization.stage 2 is not --zero-stage 1 of the launch line\n");
  const Line open("cat > ds.json <<EOT\n{\"zero_optimization\": {\"stage\": $N}}\nEOT\n" + line + "--zero-stage 2");
  CHECK(
      open.told() ==
      "run.sh:2:1 warning: 'ds.json' is not read: it has variables that the script does not set; `--env N=VALUE` gives "
      "it\n");
  CHECK(open.at("parallelism.zero") == "2");
}

TEST_CASE("a mistake in a flag, and a flag that no field has, are reported") {
  CHECK(Line(std::string(kModel) + "--zero-stage 4").told() == "run.sh:1:219 error: ZeRO has stages 0 to 3, not 4\n");
  CHECK(Line(std::string(kModel) + "--num-experts 64 128").told().find("unlike numbers of experts are not read") !=
        std::string::npos);
  CHECK(Line(std::string(kModel) + "--use-tutel").told().find("has no counterpart in a plan") != std::string::npos);
  CHECK(Line(std::string(kModel) + "--glu-activation liglu").told().find("expected geglu, reglu or swiglu") !=
        std::string::npos);
  CHECK(Line(std::string(kModel) + "--pp-partition-method parameters").told().find("got 'parameters'") !=
        std::string::npos);
  CHECK(Line(std::string(kModel) + "--zero-stag 1").told().find("unknown flag '--zero-stag'; did you mean") !=
        std::string::npos);
}
