// Which program's a file is.
#include "planner/import/run_kinds.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

namespace {

struct KindCase {
  const char *name, *text, *word;
};
/// A file's name says nothing but whether it is JSON.
constexpr KindCase kCases[] = {
    {"x.yaml", "distributed_type: FSDP\n", "accelerate"},
    {"primus.yaml", "compute_environment: LOCAL_MACHINE\n", "accelerate"},
    {"accelerate.yaml", "modules:\n  pre_trainer:\n    framework: megatron\n", "primus"},
    {"x.yaml", "modules:\n  sft_trainer: {framework: torchtitan}\n", "primus"},
    {"x.yml", "{\"pipe-parallel-size\": 1, \"zero_optimization\": {\"stage\": 1},}\n", "gpt-neox"},
    {"ds.json", "{\"zero_optimization\": {\"stage\": 1}}", "deepspeed"},
    {"x.yaml", "base_model: a\nmodel_type: LlamaForCausalLM\n", "trainer"},
    {"x.yaml", "model_name_or_path: a\n", "trainer"},
    {"x.yaml", "learning_rate: 1e-4\nnum_train_epochs: 3\n", "trainer"},
    {"ds.json", "{\"train_batch_size\": 8, \"gradient_accumulation_steps\": 1}", "deepspeed"},
    {"config.json", "{\"architectures\": [\"LlamaForCausalLM\"]}", "hf"},
    {"x.yaml", "MODEL_ARGS:\n  --num-layers: 2\n", "megatron"},
    {"x.toml", "[model]\nname = \"llama3\"\nflavor = \"8B\"\n", "torchtitan"},
};

constexpr KindCase kUnread[] = {
    {"x.py", "from xtuner.v1.train import TrainerConfig\n", "a configuration of xtuner, which is Python"},
    {"x.py", "import torch\n", "a Python script"},
    {"x.yaml", "model: {_component_: torchtune.models.llama3.llama3_8b}\n", "a configuration of torchtune"}};

constexpr const char* kUnknown[] = {"model: {use: llama3-8b}\njob: {sequence: 2048}\n",
                                    "#!/bin/bash\ntorchrun a.py\n",
                                    "",
                                    "python - <<EOF\nimport torch\nEOF\n",
                                    "text",
                                    "- 1\n"};

}  // namespace

TEST_CASE("a file is of the program whose keys it has, whatever its name") {
  for (const KindCase& c : kCases) {
    CAPTURE(std::string(c.text));
    const planner::RunKind* kind = planner::kind_of(dsl::Source{c.name, c.text, "."});
    REQUIRE(kind);
    CHECK(std::string(kind->word) == c.word);
  }
}

TEST_CASE("a file that is not read has a title, and what can be given instead") {
  for (const KindCase& c : kUnread) {
    CAPTURE(std::string(c.text));
    const planner::RunKind* kind = planner::kind_of(dsl::Source{c.name, c.text, "."});
    REQUIRE(kind);
    CHECK(std::string(kind->word) == "");
    CHECK(std::string(kind->title) == c.word);
    CHECK(std::string(kind->instead).find("`trainplan ") != std::string::npos);
  }
}

TEST_CASE("scenarios, scripts and other texts are of no kind") {
  for (const char* text : kUnknown) CHECK_MESSAGE(!planner::kind_of(dsl::Source{"a", text, "."}), text);
}

TEST_CASE("each kind is read, or says what can be given") {
  for (const planner::RunKind& kind : planner::run_kinds()) CHECK((*kind.word || *kind.instead));
}
