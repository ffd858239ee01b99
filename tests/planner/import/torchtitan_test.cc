// Job configurations of torchtitan, and launch lines beside them, as scenarios.
#include "planner/import/torchtitan.h"

#include <algorithm>
#include <set>

#include "planner/import/torchtitan_flavors.h"
#include "planner/import/torchtitan_table.h"
#include "tests/planner/export/export_sample.h"
#include "tests/planner/import/import_sample.h"

namespace {

namespace torchtitan = planner::torchtitan;

struct Import : ImportSample {
  explicit Import(const std::string& toml, const std::string& launch = "", const std::string& model = "llama3-8b") {
    result = planner::import_torchtitan(files("job.toml", toml, launch, model), sources, diagnostics);
  }
};

constexpr ImportCase kFields[] = {
    // missing keys have torchtitan's defaults
    {"", "",
     "model.use=llama3-8b; job.sequence=2048; job.global_batch=8 * parallelism.dp; parallelism.microbatch=8; "
     "job.precision=bf16; job.optimizer=adam; parallelism.zero=3; parallelism.recompute=selective; "
     "software.selective=every-second-layer; software.use=torchtitan; cluster.gpus=FILL_IN; job.tokens=none"},
    // batches
    {"[training]\nlocal_batch_size = 4\nglobal_batch_size = 64", "torchrun --nproc_per_node 8 t.py",
     "parallelism.microbatch=4; job.global_batch=64"},
    {"[training]\nbatch_size = 2\nsteps = 10", "",
     "parallelism.microbatch=2; job.tokens=10 * job.global_batch * job.sequence"},
    {"[training]\nlocal_batch_size = 16\n[parallelism]\npipeline_parallel_degree = 2\n"
     "pipeline_parallel_microbatch_size = 4",
     "", "parallelism.microbatch=4; job.global_batch=16 * parallelism.dp"},
    {"[training]\nbatch_size = 16\n[experimental]\npipeline_parallel_degree = 2\npipeline_parallel_microbatches = 8",
     "", "parallelism.microbatch=2; parallelism.pp=2"},
    // which ranks hold what
    {"[parallelism]\ndata_parallel_shard_degree = 4\ntensor_parallel_degree = 2", "",
     "cluster.gpus=8; parallelism.tp=2; parallelism.sequence_parallel=true; parallelism.zero=3; "
     "parallelism.zero_group=none"},
    {"[parallelism]\ndata_parallel_replicate_degree = 2\ntensor_parallel_degree = 2",
     "torchrun --nproc_per_node 8 --nnodes 2 t.py", "cluster.gpus=16; parallelism.zero_group=4"},
    {"[parallelism]\ndata_parallel_replicate_degree = 2", "",
     "cluster.gpus=FILL_IN; parallelism.zero_group=dp * cp / 2"},
    {"[parallelism]\ndata_parallel_replicate_degree = 4\ndata_parallel_shard_degree = 1", "",
     "cluster.gpus=4; parallelism.zero=0"},
    {"[parallelism]\ntensor_parallel_degree = 8", "torchrun --nproc_per_node 8 t.py", "parallelism.zero=0"},
    {"[parallelism]\ncontext_parallel_degree = 8\ncontext_parallel_rotate_method = \"alltoall\"",
     "torchrun --nproc_per_node 8 t.py",
     "parallelism.zero=3; parallelism.cp=8; software.context=ring; software.balanced_context=none"},
    {"[parallelism]\ncontext_parallel_degree = 2\ncontext_parallel_rotate_method = \"alltoall\"\n"
     "context_parallel_load_balancer = \"\"",
     "", "software.balanced_context=false"},
    {"[parallelism]\nfsdp_reshard_after_forward = \"never\"", "",
     "parallelism.zero=2; software.reshards_in_pipeline=none"},
    {"[parallelism]\nfsdp_reshard_after_forward = \"always\"\npipeline_parallel_degree = 2", "",
     "parallelism.zero=3; software.reshards_in_pipeline=true"},
    {"[parallelism]\nexpert_parallel_degree = 8\nexpert_tensor_parallel_degree = 2\ntensor_parallel_degree = 2", "",
     "parallelism.ep=8; parallelism.etp=2"},
    {"[training]\ntensor_parallel_degree = 2\ndata_parallel_shard_degree = 2\n[experimental]\n"
     "context_parallel_degree = 2\ncontext_parallel_rotate_method = \"alltoall\"",
     "", "parallelism.tp=2; parallelism.cp=2; cluster.gpus=8"},
    // pipelines
    {"[parallelism]\npipeline_parallel_degree = 2", "",
     "parallelism.schedule=1f1b; parallelism.interleave=none; software.reshards_in_pipeline=false; "
     "parallelism.stages=[floor((model.layers + 3) / 2) - 1, floor((model.layers + 2) / 2) - 1]"},
    {"[parallelism]\npipeline_parallel_degree = 2\npipeline_parallel_schedule = \"interleaved1f1b\"\n"
     "pipeline_parallel_first_stage_less_layers = 0\npipeline_parallel_last_stage_less_layers = 2",
     "",
     "parallelism.schedule=interleaved; parallelism.interleave=2; parallelism.stages=[floor((model.layers + 5) / 4), "
     "floor((model.layers + 4) / 4), floor((model.layers + 3) / 4), floor((model.layers + 2) / 4) - 2]"},
    {"[parallelism]\npipeline_parallel_degree = 2\npipeline_parallel_schedule = \"ZBVZeroBubble\"\n"
     "pipeline_parallel_split_points = [\"layers.8\", \"layers.16\", \"layers.24\"]",
     "", "parallelism.schedule=zb-v; parallelism.interleave=2; parallelism.stages=[8, 8, 8, model.layers - 24]"},
    {"[experimental]\npipeline_parallel_degree = 2\npipeline_parallel_schedule = \"interleaved_1f1b\"\n"
     "pipeline_parallel_split_points = \"layers.8,layers.16, layers.24\"",
     "", "parallelism.schedule=interleaved; parallelism.stages=[8, 8, 8, model.layers - 24]"},
    {"[parallelism]\npipeline_parallel_degree = 2\nmodule_fqns_per_model_part = [[\"tok_embeddings\", \"layers.0\"], "
     "[\"layers.1\", \"layers.2\", \"norm\", \"output\"]]",
     "", "parallelism.stages=[1, 2]"},
    {"[parallelism]\npipeline_parallel_degree = 4\npipeline_parallel_layers_per_stage = 4\n"
     "pipeline_parallel_first_stage_less_layers = 0\npipeline_parallel_last_stage_less_layers = 0\n"
     "pipeline_parallel_schedule = \"Interleaved1F1B\"",
     "", "parallelism.interleave=ceil((model.layers + 0) / 4) / 4; parallelism.stages=none"},
    // precision
    {"[training]\nmixed_precision_param = \"float32\"", "", "job.precision=fp32"},
    {"[parallelism]\ntensor_parallel_degree = 8", "torchrun --nproc_per_node 8 t.py", "job.precision=fp32"},
    {"[parallelism]\ndata_parallel_shard_degree = 1\npipeline_parallel_degree = 2", "", "job.precision=fp32"},
    {"[parallelism]\ndata_parallel_shard_degree = 1\ntensor_parallel_degree = 2\ncontext_parallel_degree = 2\n"
     "context_parallel_rotate_method = \"alltoall\"",
     "", "job.precision=bf16"},
    {"[parallelism]\ndata_parallel_shard_degree = 1\ndata_parallel_replicate_degree = 8", "", "job.precision=bf16"},
    {"[parallelism]\ntensor_parallel_degree = 2", "", "job.precision=bf16"},
    {"[parallelism]\ntensor_parallel_degree = 8\n[training]\ndtype = \"bfloat16\"", "torchrun --nproc_per_node 8 t.py",
     "job.precision=bf16"},
    {"[model]\nconverters = [\"float8\"]\n[parallelism]\ntensor_parallel_degree = 8",
     "torchrun --nproc_per_node 8 t.py", "job.precision=fp8"},
    {"[model]\nconverters = [\"float8\"]\n[float8]\nenable_fsdp_float8_all_gather = true", "",
     "job.precision=fp8; software.scaling=current; software.gather_bytes=1"},
    {"[model]\nconverters = \"float8\"\n[float8]\nrecipe_name = \"tensorwise\"", "",
     "job.precision=fp8; software.gather_bytes=none"},
    {"[model]\nconverters = [\"quantize.linear.mx\"]\n[quantize.linear.mx]\nrecipe_name = \"mxfp8_cublas\"", "",
     "job.precision=mxfp8; software.scaling=none"},
    {"[float8]\nenable_float8_linear = true\nscaling_type_input = \"delayed\"", "",
     "job.precision=fp8; software.scaling=delayed"},
    {"[float8]\nenable_fsdp_float8_all_gather = true", "", "job.precision=bf16; software.gather_bytes=none"},
    // recompute and host memory
    {"[activation_checkpoint]\nmode = \"none\"", "", "parallelism.recompute=none; software.selective=none"},
    {"[activation_checkpoint]\nmode = 'full'", "", "parallelism.recompute=full"},
    {"[activation_checkpoint]\nselective_ac_option = 'op'", "",
     "parallelism.recompute=selective; software.selective=every-second-matmul"},
    {"[activation_checkpoint]\nmode = 'selective'\nselective_ac_option = '1'", "",
     "parallelism.recompute=full; software.selective=none"},
    {"[training]\nenable_cpu_offload = true", "",
     "parallelism.offload.optimizer=1; parallelism.offload.weights=1; parallelism.offload.activations=none"},
    // compiling
    {"[compile]\nenable = true", "", "software.use=torchtitan-compile"},
    {"[training]\ncompile = true\n[experimental]\nenable_async_tensor_parallel = true\n[parallelism]\n"
     "tensor_parallel_degree = 2",
     "", "software.use=torchtitan-asynctp"},
    {"[compile]\nenable = true\ncomponents = [\"loss\"]", "", "software.use=torchtitan"},
    // the launch line goes over the file
    {"[training]\nseq_len = 512\ncompile = true",
     "a --training.seq_len 1024 --training.no_compile --compile.backend=inductor",
     "job.sequence=1024; software.use=torchtitan"},
    {"[training]\nseq_len = 512", "a --training.seq-len=1024 --compile.enable --model.converters float8 --lr 1",
     "job.sequence=1024; software.use=torchtitan-compile; job.precision=fp8"},
    {"", "a --training.enable_cpu_offload False --parallelism.data_parallel_shard_degree -1 --nproc_per_node=4 -m x",
     "parallelism.offload.optimizer=none; cluster.gpus=4; parallelism.zero=3"},
    {"", "NGPU=16 CONFIG_FILE=x ./run_train.sh", "cluster.gpus=16"},
    {"", "torchrun --nproc_per_node $GPUS t.py", "cluster.gpus=FILL_IN"},
    {"", "a --training.seq_len 4096 \"$@\"", "job.sequence=4096"},
    {"", "a --training.seq_len 4096 $@", "job.sequence=4096"},
    {"", "a --training.seq_len \"$*\" 4096 --compile.enable ${@}",
     "job.sequence=4096; software.use=torchtitan-compile"},
    {"", "a --compile.enable \"${@}\" $* ${*}", "software.use=torchtitan-compile"},
};

constexpr ImportCase kTold[] = {
    {"[training]\nseq_len = 0", "", "job.toml:2:11 error: 'training.seq_len' is 1 or more, got '0'\n"},
    {"[training]\nbatch_size = -2", "",
     "job.toml:2:14 error: expected a number, 0 or more, for 'training.batch_size', got '-2'\n"},
    {"[training]\nlocal_batch_size = \"many\"", "",
     "job.toml:2:20 error: expected a number, 0 or more, for 'training.local_batch_size', got 'many'\n"},
    {"[training]\nlocal_batch_size = 3\nglobal_batch_size = 64", "torchrun --nproc_per_node 8 t.py",
     "job.toml:3:21 error: training.global_batch_size 64 is no multiple of training.local_batch_size 3 x 8 "
     "data-parallel ranks\n"},
    {"[training]\nglobal_batch_size = 64\n[parallelism]\npipeline_parallel_degree = 2\ndata_parallel_shard_degree = 4",
     "", "job.toml:2:21 warning: 2 local batches are planned as one run through the pipeline\n"},
    {"[training]\nbatch_size = 8\n[parallelism]\npipeline_parallel_degree = 2\npipeline_parallel_microbatch_size = 3",
     "",
     "job.toml:5:37 error: training.batch_size 8 is no multiple of parallelism.pipeline_parallel_microbatch_size 3\n"},
    {"[training]\nbatch_size = 8\nlocal_batch_size = 8", "",
     "job.toml:2:14 error: 'training.batch_size' is what 'training.local_batch_size' was called before; give one of "
     "them\n"},
    {"[parallelism]\ntensor_parallel_degree = 3", "torchrun --nproc_per_node=8 t.py",
     "run.sh:1:10 error: 8 GPUs are no multiple of 3, which the degrees multiply to\n"},
    {"[parallelism]\ntensor_parallel_degree = 3", "export NGPU=8",
     "run.sh:1:13 error: 8 GPUs are no multiple of 3, "
     "which the degrees multiply to\n"},
    {"", "NGPU=many ./run_train.sh",
     "run.sh:1:6 error: expected a number, 0 or more, for --nproc_per_node, got 'many'\n"},
    {"[parallelism]\ndata_parallel_shard_degree = 4", "torchrun --nproc_per_node=8 t.py",
     "run.sh:1:10 error: 8 GPUs are not 4, which the degrees multiply to\n"},
    {"", "torchrun --nproc_per_node=many t.py",
     "run.sh:1:10 error: expected a number, 0 or more, for --nproc_per_node, got 'many'\n"},
    {"[parallelism]\nfsdp_reshard_after_forward = true", "",
     "job.toml:2:30 error: unknown policy 'true'; known: default, always, never\n"},
    {"[parallelism]\ncontext_parallel_degree = 2", "",
     "job.toml:1:1 warning: keys and values that are gathered once are planned as a ring; alltoall\n"},
    {"[parallelism]\ncontext_parallel_degree = 2\ncontext_parallel_rotate_method = \"ring\"", "",
     "job.toml:3:34 error: unknown method 'ring'; known: allgather, alltoall\n"},
    {"[parallelism]\npipeline_parallel_degree = 2\npipeline_parallel_schedule = \"zb\"", "",
     "job.toml:3:30 error: unknown schedule 'zb'; known: 1F1B, Interleaved1F1B, GPipe, ZBVZeroBubble, DualPipeV\n"},
    {"[parallelism]\npipeline_parallel_degree = 2\npipeline_parallel_schedule = \"LoopedBFS\"", "",
     "job.toml:3:30 warning: 'LoopedBFS' is planned as interleaved 1F1B\n"},
    {"[parallelism]\npipeline_parallel_degree = 2\npipeline_parallel_split_points = [\"norm\"]", "",
     "job.toml:3:34 error: expected the first layer of each part but the first, in order, got 'norm'; [\"layers.8\", "
     "\"layers.16\"]\n"},
    {"[parallelism]\npipeline_parallel_degree = 2\npipeline_parallel_split_points = [\"layers.8\", \"layers.4\"]", "",
     "job.toml:3:34 error: expected the first layer of each part but the first, in order, got 'layers.4'; "
     "[\"layers.8\", \"layers.16\"]\n"},
    {"[parallelism]\npipeline_parallel_degree = 2\npipeline_parallel_split_points = [\"layers.4\", \"layers.8\"]", "",
     "job.toml:3:34 error: 3 parts are no multiple of pipeline_parallel_degree 2\n"},
    {"[parallelism]\npipeline_parallel_degree = 2\npipeline_parallel_layers_per_stage = 16", "",
     "job.toml:3:38 warning: the ends of the pipeline are planned with as many layers as its middle\n"},
    {"[training]\nmixed_precision_param = \"float16\"", "",
     "job.toml:2:25 error: unknown type 'float16'; known: bfloat16, float32\n"},
    {"[training]\nmixed_precision_param = \"bfloat16\"\n[parallelism]\ntensor_parallel_degree = 8",
     "torchrun --nproc_per_node 8 t.py",
     "job.toml:2:25 warning: no effect: without FSDP torchtitan mixes no types beside tensor or pipeline ranks; "
     "data_parallel_shard_degree above 1\n"},
    {"[training]\ndtype = \"bfloat16\"\n[parallelism]\ntensor_parallel_degree = 8", "torchrun --nproc_per_node 8 t.py",
     "job.toml:2:9 warning: parameters that are bfloat16 throughout are planned with float32 masters\n"},
    {"[training]\ndtype = \"float16\"\n[parallelism]\ntensor_parallel_degree = 8", "torchrun --nproc_per_node 8 t.py",
     "job.toml:2:9 error: unknown type 'float16'; known: bfloat16, float32\n"},
    {"[training]\ndtype = \"bfloat16\"", "",
     "job.toml:2:9 warning: 'bfloat16' has no counterpart in a plan: planned as float32\n"},
    {"[model]\nconverters = [\"float8\", \"mx\"]", "", "job.toml:2:14 error: float8 and mx exclude each other\n"},
    {"[model]\nconverters = [\"quantize.grouped_mm.float8\"]", "",
     "job.toml:2:14 warning: 'quantize.grouped_mm.float8' has no counterpart in a plan and is left out\n"},
    {"[model]\nconverters = [\"float8\"]\n[float8]\nrecipe_name = \"rowwise\"", "",
     "job.toml:4:15 warning: 'rowwise' is planned as tensorwise\n"},
    {"[model]\nconverters = [\"mx\"]\n[mx]\nrecipe_name = \"mxfp4_cutlass\"", "",
     "job.toml:4:15 warning: 'mxfp4_cutlass' is planned as mxfp8\n"},
    {"[optimizer]\nname = \"Muon\"\nimplementation = \"foreach\"", "",
     "job.toml:2:8 warning: 'Muon' is planned as adam\njob.toml:3:18 warning: 'foreach' is planned as fused\n"},
    {"[activation_checkpoint]\nmode = \"some\"", "",
     "job.toml:2:8 error: unknown mode 'some'; known: none, full, selective\n"},
    {"[activation_checkpoint]\nmode = \"memory_budget\"", "",
     "job.toml:2:8 warning: what a memory budget repeats is left out: planned without recompute\n"},
    {"[activation_checkpoint]\nselective_ac_option = \"3\"", "",
     "job.toml:2:23 warning: '3' is planned as every second layer; op, 1 or 2\n"},
    {"[training]\nenable_cpu_offload = \"yes\"", "",
     "job.toml:2:22 error: expected true or false for 'training.enable_cpu_offload', got 'yes'\n"},
    {"[parallelism]\ntensor_parallel_degree = 2\nenable_async_tensor_parallel = true", "",
     "job.toml:3:32 warning: 'parallelism.enable_async_tensor_parallel' has no effect on what is not compiled\n"},
    {"[parallelism]\nexpert_parallel_comm_backend = \"deepep\"", "",
     "job.toml:2:32 warning: 'deepep' is planned as PyTorch's all-to-all\n"},
    {"[training]\nseq_length = 8", "",
     "job.toml:2:1 warning: unknown key 'training.seq_length'; did you mean 'seq_len'?\n"},
    {"[trainig]\nseq_len = 8", "", "job.toml:1:2 warning: unknown key 'trainig'; did you mean 'training'?\n"},
    {"", "a --training.seqlen 8", "run.sh:1:3 warning: unknown key 'training.seqlen'; did you mean 'seq_len'?\n"},
    {"", "a --training.seq_len x",
     "run.sh:1:22 error: expected a number, 0 or more, for 'training.seq_len', got 'x'\n"},
    {"[fault_tolerance]\nenable = true", "",
     "job.toml:2:1 error: 'fault_tolerance.enable' replicates the model over groups that come and go, which is not "
     "planned; take it out to plan the run without it\n"},
    {"[job]\ncustom_config_module = \"\"\n[experimental]\ncustom_import = \"mine\"", "",
     "job.toml:4:1 warning: 'experimental.custom_import' has no counterpart in a plan and is left out\n"},
    {"training = 8", "", "job.toml:1:12 error: 'training' holds keys, got '8'\n"},
};

}  // namespace

TEST_CASE("keys of torchtitan, old and new, become fields") {
  for (const ImportCase& c : kFields) {
    CAPTURE(std::string(c.config));
    CAPTURE(std::string(c.launch));
    const Import import(c.config, c.launch);
    CHECK_MESSAGE(!import.diagnostics.has_errors(), import.told());
    for (const std::string& one : parts_of(c.result, "; ")) {
      const size_t equals = one.find('=');
      CHECK(one.substr(0, equals) + "=" + import.at(one.substr(0, equals)) == one);
    }
  }
}

TEST_CASE("what torchtitan cannot do, what contradicts or is lost is told at its place") {
  for (const ImportCase& c : kTold) {
    CAPTURE(std::string(c.config));
    const Import import(c.config, c.launch);
    CHECK(import.told() == c.result);
  }
}

TEST_CASE("the line of a precision that nobody says tells why it is not mixed") {
  const auto comment = [](const std::string& launch) {
    const Import import("[parallelism]\ntensor_parallel_degree = 8", launch);
    return dsl::node_at(import.result.scenario, "job.precision")->comment;
  };
  CHECK(comment("torchrun --nproc_per_node 16 t.py") == "training.mixed_precision_param: default of torchtitan");
  CHECK(comment("torchrun --nproc_per_node 8 t.py") ==
        "training.dtype: default of torchtitan, which mixes no types without FSDP");
}

TEST_CASE("what is no job configuration is refused") {
  CHECK(Import("{\"a\": 1}").told().starts_with("job.toml:1:1 error: this is no TOML: "));
  CHECK(Import("[training]\nseq_len = 8 8").told().starts_with("job.toml:2:13 error: this is no TOML: "));
  CHECK(Import("", "a --b \x01").told().starts_with("run.sh:1:7 error: "));
}

TEST_CASE("a job configuration and its launch script are a whole scenario") {
  Import import(import_text("torchtitan/llama3-405b.toml"), import_text("torchtitan/run.sh"), "");
  CHECK(import.told() == "");
  const auto loaded = import.loaded();
  REQUIRE_MESSAGE(loaded, import.told());
  const planner::Scenario& s = loaded->scenario;
  CHECK(s.model.name == "llama3.1-405b");
  CHECK((s.cluster.gpus == 128 && s.parallelism.tp == 8 && s.parallelism.dp == 16));
  CHECK((s.job.global_batch == 32 && s.parallelism.microbatch == 2));
  CHECK((s.job.sequence == 4096 && *s.job.tokens == 3000LL * 32 * 4096));
  CHECK((s.job.precision == planner::Precision::fp8 && s.software.gather_bytes == 1));
  CHECK((s.parallelism.zero == 3 && s.parallelism.recompute == planner::Recompute::full));
  CHECK((s.software.name == "torchtitan-asynctp" && s.software.overlap.tensor));
  const std::vector<std::string> want{"job.dump_folder",    "job.config_file", "optimizer.lr",  "training.dataset",
                                      "float8.filter_fqns", "checkpoint",      "--rdzv_backend"};
  CHECK(import.result.ignored == want);
}

TEST_CASE("layers of each part are those of torchtitan's own split") {
  // torchtitan: embedding and head count as a layer each; the remainder goes to the first parts
  Import import(import_text("torchtitan/pipeline.toml"), "", "");
  const auto loaded = import.loaded();
  REQUIRE_MESSAGE(loaded, import.told());
  const planner::Scenario& s = loaded->scenario;
  CHECK(s.parallelism.stages == std::vector<int64_t>{4, 5, 4, 4, 4, 4, 4, 3});
  CHECK((s.cluster.gpus == 32 && s.parallelism.dp == 4 && s.parallelism.zero_group == 2));
  CHECK((s.parallelism.interleave == 2 && s.parallelism.microbatch == 2));
}

TEST_CASE("a model is its flavor, that of the flag, or to fill in") {
  const auto model = [](const std::string& name, const std::string& flavor, const std::string& given = "") {
    return Import("[model]\nname = \"" + name + "\"\nflavor = \"" + flavor + "\"", "", given).at("model.use");
  };
  for (const planner::TorchtitanFlavor& row : planner::torchtitan_flavors()) {
    const std::string found = model(row.name, row.flavor);
    CHECK((found == row.ours || found == "llama3-8b" || found == "llama3-70b"));
  }
  CHECK(model("llama3", "debugmodel") == "FILL_IN");
  CHECK(model("llama4", "17bx16e") == "FILL_IN");
  CHECK(model("llama4", "17bx16e", "qwen3-8b") == "qwen3-8b");
  CHECK(Import("", "", "").at("model.use") == "FILL_IN");
}

TEST_CASE("every key of torchtitan without a counterpart is warned of or refused, every idle one is listed") {
  for (const char* key : torchtitan::key_table().lost) {
    CAPTURE(std::string(key));
    const Import set("", std::string("a --") + key + " 7");
    CHECK(set.told() ==
          "run.sh:1:3 warning: '" + std::string(key) + "' has no counterpart in a plan and is left out\n");
    CHECK(Import("", std::string("a --") + key + " False").told() == "");
  }
  for (const planner::RefusedKey& row : torchtitan::key_table().refused) {
    CAPTURE(std::string(row.key));
    const std::string flag = std::string("a --") + row.key + " ";
    CHECK(Import("", flag + "7")
              .told()
              .starts_with("run.sh:1:3 error: '" + std::string(row.key) + "' " + row.change +
                           ", which is not planned; "));
    CHECK(Import("", flag + (*row.usual ? row.usual : "False")).told() == "");
  }
  for (const char* key : torchtitan::key_table().idle) {
    if (!std::string(key).ends_with("_fqns") && std::string(key).find('.') == std::string::npos) continue;
    const Import set("", std::string("a --") + key + " 7");
    CHECK(set.told() == "");
    CHECK(set.result.ignored == std::vector<std::string>{key});
  }
}

TEST_CASE("each key of torchtitan is in one row") {
  const planner::KeyTable& table = torchtitan::key_table();
  std::set<std::string> seen;
  for (const planner::FieldKey& row : table.fields) {
    CHECK(seen.insert(row.name).second);
    const auto& schema = planner::scenario_schema();
    CHECK(std::any_of(schema.begin(), schema.end(), [&](const dsl::Field& f) { return f.path == row.field; }));
  }
  for (const auto& rows : {table.rules, table.lost, table.idle, table.rule_flags, table.lost_flags})
    for (const char* name : rows) CHECK_MESSAGE(seen.insert(name).second, std::string(name));
  for (const planner::RefusedKey& row : table.refused) CHECK_MESSAGE(seen.insert(row.key).second, std::string(row.key));
  for (const planner::OldName& name : table.old_names) {
    CHECK(seen.insert(name.old).second);
    CHECK(seen.contains(name.now));
  }
  for (const torchtitan::Default& row : torchtitan::defaults())
    CHECK_MESSAGE(seen.contains(row.key), std::string(row.key));
}
