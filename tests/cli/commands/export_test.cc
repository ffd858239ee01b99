// trainplan export, as a user runs it.
#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/harness.h"

namespace {

const char* const kScenario = R"(
model: {use: gpt3-13b}
job: {sequence: 2048, global_batch: 64}
cluster: {use: dgx-a100-80gb, gpus: 16}
software: {use: megatron-core}
parallelism:
  tp: [1, 2, 4]
  pp: 2
  zero: 1
goal: {minimize: step}
)";

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

Ran exported(std::vector<std::string> more) {
  std::vector<std::string> args{"export", "-"};
  args.insert(args.end(), more.begin(), more.end());
  return ran(args, kScenario);
}

}  // namespace

TEST_CASE("an export prints what the program reads, as it is") {
  const Ran out = exported({"--to", "megatron", "--set", "parallelism.tp=2"});
  REQUIRE_MESSAGE(out.status == 0, out.err);
  CHECK(out.err == "");
  CHECK(out.out.starts_with("torchrun --nproc-per-node 8 --nnodes 2 pretrain_gpt.py \\\n"));
  CHECK(has(out.out, "  --tensor-model-parallel-size 2 \\\n  --pipeline-model-parallel-size 2 \\\n"));
  CHECK(has(out.out, " \\\n  --overlap-param-gather"));
  CHECK(!has(out.out, " \\\n\n"));
}

TEST_CASE("open choices are picked as for a plan") {
  CHECK(exported({"--to", "megatron"}).status == 1);
  const Ran first = exported({"--to", "megatron", "--pick", "first"});
  CHECK(has(first.out, "--tensor-model-parallel-size 1 "));
  const Ran best = exported({"--to", "megatron", "--pick", "best"});
  REQUIRE_MESSAGE(best.status == 0, best.err);
  const Ran plan = ran({"plan", "-", "--pick", "best", "--format", "json"}, kScenario);
  const auto layout = nlohmann::json::parse(plan.out)["scenario"]["parallelism"];
  CHECK(has(best.out, "--tensor-model-parallel-size " + layout["tp"].dump() + " "));
}

TEST_CASE("a layout that a rule of its program refuses is not exported, and the rule is named with its source") {
  const Ran refused = exported({"--to", "megatron", "--set", "parallelism.tp=2", "--set", "parallelism.pp=1", "--set",
                                "parallelism.offload.activations=0.5", "--set", "parallelism.recompute=full"});
  CHECK(refused.status == 3);
  CHECK(refused.out == "");
  CHECK(has(refused.err, "not feasible: program: "));
  CHECK(has(refused.err, "Megatron-Core 0.7 transformer_config.py: cpu_offloading"));
  const Ran taken = exported({"--to", "megatron", "--set", "parallelism.tp=2", "--set", "parallelism.pp=1", "--set",
                              "parallelism.offload.activations=0.5"});
  CHECK(!has(taken.err, "program: "));
}

TEST_CASE("other formats have the settings one by one") {
  const Ran out = exported({"--to", "nemo", "--set", "parallelism.tp=2", "--format", "json"});
  REQUIRE_MESSAGE(out.status == 0, out.err);
  const auto json = nlohmann::json::parse(out.out);
  CHECK(json["format"] == "trainplan.export/1");
  CHECK(json["target"] == "nemo");
  CHECK(has(json["text"], "  tensor_model_parallel_size: 2\n"));
  bool found = false;
  for (const auto& setting : json["settings"]) {
    CHECK(setting.size() == 3);
    found |= setting["name"] == "model.tensor_model_parallel_size" && setting["value"] == "2" &&
             setting["field"] == "parallelism.tp";
  }
  CHECK(found);
  const Ran csv = exported({"--to", "nemo", "--set", "parallelism.tp=2", "--format", "csv"});
  CHECK(csv.out.starts_with("name,value,field\n"));
  CHECK(has(csv.out, "\ntrainer.num_nodes,2,parallelism.dp\n"));
}

TEST_CASE("DeepSpeed gets its JSON and its flags in one script") {
  const Ran out =
      exported({"--to", "deepspeed", "--set", "parallelism.tp=2", "--set", "software.use=megatron-deepspeed"});
  REQUIRE_MESSAGE(out.status == 0, out.err);
  const size_t from = out.out.find("{\n"), to = out.out.find("EOF\ndeepspeed --num_nodes 2 --num_gpus 8 ");
  REQUIRE(to != std::string::npos);
  const auto json = nlohmann::json::parse(out.out.substr(from, to - from));
  CHECK(json["zero_optimization"]["stage"] == 1);
  CHECK(json["train_batch_size"] == 64);
  CHECK(json["bf16"]["enabled"] == true);
  CHECK(has(out.out, "--deepspeed_config ds_config.json"));
}

TEST_CASE("accelerate gets DeepSpeed's JSON and a launch line, which import reads back") {
  const std::string scenario = TRAINPLAN_SOURCE_DIR "/tests/planner/export/llama3-8b-zero3.yaml";
  const Ran out = ran({"export", scenario, "--to", "accelerate"});
  REQUIRE_MESSAGE(out.status == 0, out.err);
  const size_t from = out.out.find("{\n"), to = out.out.find("EOF\naccelerate launch --use_deepspeed ");
  REQUIRE(to != std::string::npos);
  const auto json = nlohmann::json::parse(out.out.substr(from, to - from));
  CHECK(json["zero_optimization"]["stage"] == 3);
  CHECK(json["zero_optimization"]["offload_optimizer"]["device"] == "cpu");
  CHECK(json["train_batch_size"] == 256);
  CHECK(has(out.out, "--num_machines 2 --num_processes 16 run_clm.py \\\n"));
  CHECK(has(out.out, "\n  --gradient_checkpointing"));
  const Ran back = ran({"import", "deepspeed", "-", "--cluster", "dgx-h100", "--quiet"}, out.out);
  REQUIRE_MESSAGE(back.status == 0, back.err);
  const Ran a = ran({"plan", scenario, "--format", "json"}), b = ran({"plan", "-", "--format", "json"}, back.out);
  const auto there = nlohmann::json::parse(a.out), here = nlohmann::json::parse(b.out);
  CHECK(there["scenario"]["parallelism"] == here["scenario"]["parallelism"]);
  CHECK(there["step"] == here["step"]);
}

TEST_CASE("torchtitan gets its TOML") {
  const Ran out = exported({"--to", "torchtitan-toml", "--set", "parallelism.tp=1", "--set", "model.use=llama3-8b",
                            "--set", "software.use=torchtitan", "--set", "parallelism.zero=3"});
  REQUIRE_MESSAGE(out.status == 0, out.err);
  CHECK(has(out.out, "\n[model]\nname = \"llama3\"\nflavor = \"8B\"\n"));
  CHECK(has(out.out, "\n[parallelism]\n"));
}

TEST_CASE("what cannot be expressed is told at its place, and nothing is printed") {
  const Ran out = exported({"--to", "torchtitan", "--set", "parallelism.tp=2"});
  CHECK(out.status == 1);
  CHECK(out.out == "");
  CHECK(has(out.err, "<stdin>:9:9: error: torchtitan cannot express 'parallelism.zero: 1': it shards gradients"));
  CHECK(has(out.err, "hint: zero 2 or 3\n"));
  const Ran json = exported({"--to", "torchtitan", "--set", "parallelism.tp=2", "--format", "json"});
  CHECK(nlohmann::json::parse(json.out)["format"] == "trainplan.diagnostics/1");
}

TEST_CASE("a layout that cannot be has no flags, one that does not fit has them") {
  const Ran broken = exported({"--to", "megatron", "--set", "parallelism.tp=3"});
  CHECK(broken.status == 3);
  CHECK(broken.out == "");
  CHECK(has(broken.err, "not feasible: "));
  const Ran large = exported({"--to", "megatron", "--set", "parallelism.tp=1", "--set", "parallelism.microbatch=8"});
  CHECK(large.status == 3);
  CHECK(has(large.out, "--micro-batch-size 8 "));
  CHECK(has(large.err, "not feasible: memory: "));
}

TEST_CASE("the program must be named, and known") {
  CHECK(exported({}).status == 2);
  CHECK(exported({}).err ==
        "trainplan export: missing --to "
        "megatron|deepspeed|accelerate|torchtitan|torchtitan-toml|nemo|nemo2|megatron-bridge\n");
  const Ran typo = exported({"--to", "megatrom"});
  CHECK(typo.status == 2);
  CHECK(has(typo.err, "unknown program 'megatrom', did you mean 'megatron'?"));
}

TEST_CASE("the flags of export are those of plan, and --to") {
  const Ran flags = ran({"__complete", "export", ""});
  for (const char* flag : {"--to\n", "--pick\n", "--set\n", "--catalog\n", "--format\n"}) {
    CAPTURE(std::string(flag));
    CHECK(has(flags.out, flag));
  }
  CHECK(has(ran({"export", "--help"}).out,
            "--to megatron|deepspeed|accelerate|torchtitan|torchtitan-toml|nemo|nemo2|megatron-bridge"));
}
