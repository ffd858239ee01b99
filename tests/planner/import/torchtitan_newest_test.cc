// Runs of the torchtitan that Python configures: launch lines, and functions of config_registry.py.
#include <doctest/doctest.h>

#include "planner/import/torchtitan.h"
#include "planner/import/torchtitan_table.h"
#include "tests/planner/import/import_sample.h"
#include "tests/planner/import/stored_names.h"

namespace {

/// A launch line or script, and Python files beside it by "NAME\nTEXT".
struct NewestImport : ImportSample {
  explicit NewestImport(const std::string& line, const std::string& python = "",
                        const char* name = "llama3/config_registry.py") {
    planner::RunFiles given = files("run.sh", line, "", "");
    if (!python.empty()) given.more.push_back(&sources.emplace_back(dsl::Source{name, python, "."}));
    result = planner::import_torchtitan(given, sources, diagnostics);
  }
};

/// A function `f` whose configuration has these arguments.
std::string registry(const std::string& arguments, const std::string& model = "model_registry(\"8B\")") {
  return "from torchtitan.trainer import Trainer\nfrom . import model_registry\n\n"
         "def f() -> Trainer.Config:\n  return Trainer.Config(model_spec=" +
         model + ", " + arguments + ")\n";
}

struct NewestCase {
  const char *line, *model, *arguments, *result;
};

constexpr const char* k8b = "model_registry(\"8B\")";

constexpr NewestCase kRead[] = {
    // what is missing has torchtitan's default
    {"", k8b, "",
     "model.use=llama3-8b; job.sequence=2048; parallelism.microbatch=8; job.global_batch=8 * parallelism.dp; "
     "job.precision=bf16; job.optimizer=adam; parallelism.zero=3; parallelism.recompute=selective; "
     "software.selective=every-second-matmul; software.use=torchtitan; cluster.gpus=FILL_IN"},
    // tokens are sequences
    {"", k8b,
     "training=TrainingConfig(num_tokens_per_microbatch_per_dp_rank=2 * 8192, max_context_length=8192, steps=10)",
     "parallelism.microbatch=2; job.sequence=8192; job.tokens=10 * job.global_batch * job.sequence"},
    {"--training.num_tokens_per_train_step 131072 --nproc_per_node 8", k8b,
     "training=TrainingConfig(num_tokens_per_microbatch_per_dp_rank=8192, max_context_length=4096)",
     "parallelism.microbatch=2; job.global_batch=32; cluster.gpus=8"},
    {"", k8b,
     "training=TrainingConfig(num_tokens_per_microbatch_per_dp_rank=4096, max_context_length=2048), "
     "parallelism=ParallelismConfig(pipeline_parallel_degree=2, num_pp_microbatches=4)",
     "parallelism.microbatch=2; job.global_batch=8 * parallelism.dp; parallelism.pp=2"},
    {"--parallelism.num_pp_microbatches 4", k8b, "", "parallelism.microbatch=8"},
    // the names of the versions between
    {"--training.local_batch_size 4 --training.seq_len 1024", k8b, "", "parallelism.microbatch=4; job.sequence=1024"},
    // classes
    {"", k8b, "activation_checkpoint=None", "parallelism.recompute=none"},
    {"", k8b, "activation_checkpoint=FullAC.Config()", "parallelism.recompute=full; software.selective=none"},
    // which tyro chooses on the command line
    {"activation-checkpoint:full", k8b, "activation_checkpoint=None", "parallelism.recompute=full"},
    {"--training.steps 10 activation-checkpoint:none", k8b, "activation_checkpoint=FullAC.Config()",
     "parallelism.recompute=none; job.tokens=10 * job.global_batch * job.sequence"},
    {"activation-checkpoint:selective --activation-checkpoint.early-stop", k8b, "activation_checkpoint=None",
     "parallelism.recompute=selective; software.selective=every-second-matmul"},
    // graphs of the step, where the release has them
    {"", k8b, "", "software.graphs=step"},
    {"--training.disable_cuda_graphs", k8b, "", "software.graphs=none"},
    {"--parallelism.pipeline_parallel_degree 2", k8b, "", "software.graphs=none"},
    {"--parallelism.expert_parallel_degree 4 --module deepseek_v3", "model_registry(\"16B\")", "",
     "software.graphs=none"},
    {"--parallelism.expert_parallel_degree 4 --module deepseek_v3",
     "model_registry(\"16B\", moe_comm_backend=\"hybridep\", non_blocking_capacity_factor=1.0)", "",
     "software.graphs=step"},
    {"--training.local_batch_size 4", k8b, "", "software.graphs=none"},
    // types are mixed without FSDP, too
    {"--parallelism.data_parallel_shard_degree 1 --parallelism.tensor_parallel_degree 8", k8b, "",
     "parallelism.zero=0; job.precision=bf16"},
    {"", k8b, "activation_checkpoint=SelectiveAC.Config()", "software.selective=every-second-matmul"},
    {"", k8b, "optimizer=default_adamw(lr=3e-4)", "job.optimizer=adam"},
    {"", k8b, "compile=CompileConfig(enable=True, components=[\"loss\"])", "software.use=torchtitan"},
    {"--parallelism.tensor_parallel_degree 2", k8b,
     "compile=CompileConfig(enable=True, enable_async_tensor_parallel=True)", "software.use=torchtitan-asynctp"},
    {"", "model_registry(\"8B\", converters=[MXFP8LinearConverter.Config()])", "", "job.precision=mxfp8"},
    {"", "model_registry(\"8B\", converters=[NVFP4LinearConverter.Config()])", "", "job.precision=nvfp4"},
    {"", k8b,
     "parallelism=ParallelismConfig(pipeline_parallel_degree=2, "
     "module_fqns_per_model_part=[[\"tok_embeddings\", \"layers.0\"], [\"layers.1\", \"norm\", \"lm_head\"]])",
     "parallelism.stages=[1, 1]"},
    // models of the catalogue
    {"--module qwen3", "model_registry(\"30B-A3B\")", "", "model.use=qwen3-30b-a3b"},
    {"--module qwen3", "model_registry(\"235B-A22B\")", "", "model.use=qwen3-235b-a22b"},
    {"--module deepseek_v3", "model_registry(\"16B\", attn_backend=\"flex\")", "", "model.use=deepseek-v2-lite"},
    {"--module deepseek_v3", "model_registry(\"671B\", num_mtp_layers=1)", "", "model.use=deepseek-v3; model.mtp=1"},
    {"--module mine", "llama3.model_registry(\"70B\")", "", "model.use=llama3-70b"},
    {"--module llama3", "model_registry(\"debugmodel\")", "", "model.use=FILL_IN"},
};

constexpr NewestCase kTold[] = {
    {"--training.max_context_length 3000", k8b, "",
     "llama3/config_registry.py:5:10 error: training.num_tokens_per_microbatch_per_dp_rank 16384 is no multiple of "
     "training.max_context_length 3000\n"},
    {"", k8b, "training=make(4)",
     "llama3/config_registry.py:5:67 error: no file that is given has the function 'make'; give the file that defines "
     "it, too\n"},
    {"", k8b, "activation_checkpoint=MyAC.Config()",
     "llama3/config_registry.py:5:80 error: unknown class 'MyAC'; known: FullAC, SelectiveAC, None\n"},
    {"", "model_registry(\"8B\", converters=[Float8LinearConverter.Config(emulate=True)])", "",
     "llama3/config_registry.py:5:106 error: 'emulate' computes in 16 bits, which is not planned; take it out to plan "
     "the "
     "run without it\n"},
    {"", "model_registry(\"8B\", converters=[LoRAConverter.Config(rank=8)])", "",
     "llama3/config_registry.py:5:69 error: 'LoRAConverter' trains adapters alone, which this import does not read; "
     "take "
     "it out, and give the scenario `job.lora`\n"},
    {"--training.seqlen 8", k8b, "", "run.sh:1:12 warning: unknown key 'training.seqlen'; did you mean 'seq_len'?\n"},
};

}  // namespace

TEST_CASE("a function of torchtitan's registry becomes fields") {
  for (const NewestCase& c : kRead) {
    CAPTURE(std::string(c.line));
    CAPTURE(std::string(c.arguments));
    NewestImport import("--config f " + std::string(c.line), registry(c.arguments, c.model));
    CHECK_MESSAGE(!import.diagnostics.has_errors(), import.told());
    CHECK(import.fields(c.result) == c.result);
  }
}

TEST_CASE("a mistake in torchtitan's registry is reported at its place") {
  for (const NewestCase& c : kTold) {
    CAPTURE(std::string(c.line));
    CAPTURE(std::string(c.arguments));
    const NewestImport import("--config f " + std::string(c.line), registry(c.arguments, c.model));
    CHECK(import.told() == c.result);
  }
}

TEST_CASE("a launch line picks the function, or says where it is") {
  const std::string two = registry("") + "\ndef g():\n  config = f()\n  config.training.steps = 5\n  return config\n";
  CHECK(NewestImport("MODULE=llama3 CONFIG=g ./run_train.sh --training.steps=7", two).at("job.tokens") ==
        "7 * job.global_batch * job.sequence");
  CHECK(NewestImport("NGPU=4 MODULE=llama3 CONFIG=g ./run_train.sh", two).at("cluster.gpus") == "4");
  CHECK(NewestImport("torchrun --nproc_per_node=8 -m torchtitan.train --module llama3 --config=g", two)
            .at("job.tokens") == "5 * job.global_batch * job.sequence");
  CHECK(NewestImport("torchrun -m torchtitan.train --module llama3 --config llama3_70b").told() ==
        "run.sh:1:55 error: the configuration 'llama3_70b' of module 'llama3' is in "
        "torchtitan/models/llama3/config_registry.py; `trainplan import torchtitan SCRIPT config_registry.py`\n");
  CHECK(NewestImport("a --module llama3 --training.steps 5", two).told() ==
        "llama3/config_registry.py:1:1 error: which configuration? The file has f, g; "
        "`trainplan import torchtitan config_registry.py '--config f'`\n");
  CHECK(NewestImport("a --module llama3 --config h", two)
            .told()
            .starts_with("run.sh:1:28 error: the configuration 'h' of module 'llama3' is in "));
  CHECK(NewestImport("a --module llama3 --config $NAME", two).told() ==
        "run.sh:1:28 error: '$NAME' is not set; `--env NAME=VALUE` gives it\n");
}

TEST_CASE("a model without a module is that of the function's name, or to fill in") {
  const auto model = [](const std::string& function) {
    std::string text = registry("", "model_registry(\"8B\")");
    text.replace(text.find("def f"), 5, "def " + function);
    return NewestImport("--config " + function, text, "config_registry.py").at("model.use");
  };
  CHECK(model("qwen3_8b") == "qwen3-8b");
  CHECK(model("llama3_8b") == "llama3-8b");
  CHECK(model("mine") == "FILL_IN");
}

TEST_CASE("every field of the newest torchtitan has a class") {
  const planner::KeyTable& table = planner::torchtitan::newest_table();
  for (const std::string& name : stored_names({"torchtitan-newest"}))
    CHECK_MESSAGE(table.role_of(name) != planner::KeyRole::unknown, name);
  for (const planner::OldName& name : table.old_names) CHECK(planner::torchtitan::newest_name(name.now) != "");
  CHECK(planner::torchtitan::newest_name("training.seq_len") == "training.max_context_length");
  CHECK(planner::torchtitan::newest_name("training.steps") == "training.steps");
}
