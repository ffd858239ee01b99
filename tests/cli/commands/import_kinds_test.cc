// trainplan import of files of several programs, as a user runs it.
#include <doctest/doctest.h>

#include "tests/cli/harness.h"
#include "tests/dsl/folder.h"

namespace {

const std::string kImport = TRAINPLAN_SOURCE_DIR "/tests/planner/import/";

struct KindOfFile {
  const char *kind, *file, *right;
};
/// A command of another kind than the file's.
constexpr KindOfFile kWrong[] = {{"megatron", "primus/llama3.1-8b.yaml", "primus"},
                                 {"deepspeed", "accelerate/zero3.yaml", "accelerate"},
                                 {"torchtitan", "trainer/axolotl.yaml", "trainer"},
                                 {"accelerate", "gpt-neox/model.yml", "gpt-neox"},
                                 {"primus", "accelerate/fsdp.yaml", "accelerate"},
                                 {"trainer", "megatron/gpt.yaml", "megatron"},
                                 {"gpt-neox", "trainer/zero3.json", "deepspeed"},
                                 {"trainer", "torchtitan/pipeline.toml", "torchtitan"},
                                 {"megatron", "nemo/gpt.yaml", "nemo"},
                                 {"trainer", "nemo/llama3_8b.py", "nemo2"},
                                 {"nemo2", "nemo/bridge.py", "megatron-bridge"}};

struct RunOfFiles {
  std::vector<std::string> args;
  const char* field;
};

}  // namespace

TEST_CASE("a file of another kind names the command that reads it") {
  for (const KindOfFile& c : kWrong) {
    CAPTURE(std::string(c.kind) + " " + c.file);
    const Ran r = ran({"import", c.kind, kImport + c.file});
    CHECK(r.status == 1);
    CHECK(r.out == "");
    CHECK_MESSAGE(
        r.err.find("`trainplan import " + std::string(c.right) + " " + kImport + c.file + "`") != std::string::npos,
        r.err);
    std::vector<std::string> args{"import", c.right, kImport + c.file, "--quiet"};
    if (std::string_view(c.file).ends_with(".py"))  // a function of it
      args.insert(args.end() - 1, std::string_view(c.file) == "nemo/bridge.py" ? "run.py --recipe pretrain_config"
                                                                               : "run.py --recipe pretrain_recipe");
    const Ran again = ran(args);
    CHECK_MESSAGE(again.status == 0, again.err);
  }
}

TEST_CASE("import reads the files of each program") {
  const RunOfFiles kRuns[] = {
      {{"accelerate", kImport + "accelerate/fsdp.yaml", kImport + "trainer/sft.yaml"}, "use: trl"},
      {{"trainer", kImport + "trainer/sft.yaml", "accelerate launch --num_processes 8 sft.py"}, "zero: 0"},
      {{"trainer", kImport + "trainer/llamafactory.yaml", "llamafactory-cli train --num_processes 8"}, "zero: 3"},
      {{"trainer", kImport + "trainer/axolotl.yaml", "axolotl train a.yaml --num_processes 8"}, "base: nf4"},
      {{"deepspeed", kImport + "trainer/zero3.json", kImport + "trainer/sft.yaml"}, "zero: 3"},
      {{"primus", kImport + "primus/llama3.1-8b.yaml", "torchrun --nproc_per_node 8"}, "sequence: 8192"},
      {{"primus", kImport + "primus/small.yaml"}, "layers: 12"},
      {{"primus", kImport + "primus/titan.yaml"}, "sequence: 8192"},
      {{"gpt-neox", kImport + "gpt-neox/model.yml", kImport + "gpt-neox/setup.yml"}, "pp: 4"},
      {{"nemo", kImport + "nemo/gpt.yaml"}, "gpus: 4 * 8"},
      {{"nemo2", kImport + "nemo/run.py", kImport + "nemo/llama3_8b.py"}, "cp: 2"},
      {{"nemo2", kImport + "nemo/llama3_8b.py", "run.py --recipe pretrain_recipe trainer.num_nodes=2"}, "gpus: 2 * 8"},
      {{"megatron-bridge", kImport + "nemo/bridge.py",
        "torchrun --nproc-per-node 8 --nnodes 2 run_recipe.py --recipe "
        "pretrain_config"},
       "ep: 16"}};
  for (RunOfFiles run : kRuns) {
    CAPTURE(run.args[1]);
    run.args.insert(run.args.begin(), "import");
    run.args.insert(run.args.end(), {"--cluster", "dgx-h100"});
    const Ran r = ran(run.args);
    CHECK_MESSAGE(r.status == 0, r.err);
    CHECK_MESSAGE(r.out.find(run.field) != std::string::npos, r.out);
    CHECK_MESSAGE(r.err.find("warning") == std::string::npos, r.err);
  }
}

TEST_CASE("a file of another program in place of a scenario names its command") {
  for (const char* file : {"accelerate/fsdp.yaml", "primus/small.yaml", "gpt-neox/model.yml", "trainer/axolotl.yaml"}) {
    const Ran r = ran({"plan", kImport + file});
    CHECK(r.status == 1);
    CHECK_MESSAGE(r.err.find("`trainplan import ") != std::string::npos, r.err);
  }
}

TEST_CASE("a Python script is not read, and a command begins a scenario") {
  TestFolder folder;
  const std::string file = folder.add("x.py", "from xtuner.v1.train import TrainerConfig\n");
  const Ran r = ran({"import", "trainer", file});
  CHECK(r.status == 1);
  CHECK_MESSAGE(r.err.find("xtuner") != std::string::npos, r.err);
  CHECK_MESSAGE(r.err.find("`trainplan init llama3-8b dgx-h100`") != std::string::npos, r.err);
}

TEST_CASE("MODEL_ARGS of Megatron-LM's tests are its flags") {
  TestFolder folder;
  const std::string file = folder.add(
      "model_config.yaml",
      "ENV_VARS:\n  SKIP: 1\nTEST_TYPE: regular\nMODEL_ARGS:\n  --num-layers: 12\n  --hidden-size: 512\n"
      "  --num-attention-heads: 8\n  --micro-batch-size: 4\n  --global-batch-size: 32\n  --seq-length: 1024\n"
      "  --vocab-size: 1024\n  --tensor-model-parallel-size: 2\n  --bf16: true\n  --use-distributed-optimizer: true\n");
  const Ran r = ran({"import", "megatron", file, "--cluster", "dgx-h100"});
  CHECK_MESSAGE(r.status == 0, r.err);
  for (const char* line : {"layers: 12", "tp: 2", "zero: 1", "precision: bf16"})
    CHECK_MESSAGE(r.out.find(line) != std::string::npos, r.out);
  CHECK_MESSAGE(r.err.find("warning") == std::string::npos, r.err);
}
