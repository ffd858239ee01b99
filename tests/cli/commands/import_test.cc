// trainplan import, as a user runs it.
#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

#include "tests/cli/harness.h"
#include "tests/cli/sample_files.h"
#include "tests/dsl/folder.h"

namespace {

// Absolute: a path in a scenario begins at the scenario's folder.
const std::string kHf = std::filesystem::canonical(TRAINPLAN_SOURCE_DIR "/tests/planner/import/hf").string() + "/";

std::string scenario(const std::string& use) {
  return "model: {use: \"" + use +
         "\"}\njob: {sequence: 1024, global_batch: 64}\ncluster: {use: dgx-h100, gpus: 64}\n"
         "parallelism: {tp: 4, zero: 1, sequence_parallel: true}\n";
}

/// The text behind a key of JSON, up to the end of its line.
std::string value_behind(const std::string& json, const std::string& key) {
  const size_t at = json.find(key);
  return at == std::string::npos ? "" : json.substr(at, json.find('\n', at) - at);
}

}  // namespace

TEST_CASE("an imported model gives the plan of the configuration it came from") {
  for (const char* name : {"llama-3.1-8b", "mixtral-8x7b", "qwen3-30b-a3b", "deepseek-v3", "gpt2", "gpt-neox-20b",
                           "gemma-2-9b", "gemma-3-4b", "gpt-oss-20b", "bert-large"}) {
    TestFolder folder;
    const Ran imported = ran({"import", "hf", kHf + name, "--quiet"});
    REQUIRE_MESSAGE(imported.status == 0, imported.err);
    folder.add("models/m.yaml", imported.out);
    const Ran checked = ran({"check", folder.name() + "/models/m.yaml"});
    CHECK_MESSAGE(checked.status == 0, checked.err);
    const std::string direct = folder.add("a.yaml", scenario("hf:" + kHf + name));
    const std::string by_file = folder.add("b.yaml", scenario("models/m.yaml"));
    const Ran a = ran({"plan", direct, "--format", "json", "--quiet"}),
              b = ran({"plan", by_file, "--format", "json", "--quiet"});
    CHECK_MESSAGE((a.status == 0 || a.status == 3), a.err);
    CHECK_MESSAGE(a.out == b.out, std::string(name));
    CHECK(b.err == "");
  }
}

TEST_CASE("import hf takes a file, a folder or standard input") {
  const Ran folder = ran({"import", "hf", kHf + "gpt2"}), file = ran({"import", "hf", kHf + "gpt2/config.json"});
  CHECK(folder.out == file.out);
  CHECK(folder.out.starts_with("# gpt2, from "));
  CHECK(folder.out.find("hidden: 768               # config.json: n_embd\n") != std::string::npos);
  const Ran in = ran({"import", "hf", "-"},
                     "{\"model_type\": \"gpt2\", \"n_layer\": 1, \"n_embd\": 8, \"n_head\": 1,"
                     "\"vocab_size\": 9}");
  CHECK(in.status == 0);
  CHECK(in.out.find("layers: 1 ") != std::string::npos);
}

TEST_CASE("mistakes of an imported configuration have exit status 1 and their place") {
  const Ran missing = ran({"import", "hf", "no-such-folder"});
  CHECK(missing.status == 1);
  CHECK(missing.err.find("cannot read 'no-such-folder': no such file") != std::string::npos);
  const Ran zero = ran({"import", "hf", "-"},
                       "{\"model_type\": \"gpt2\", \"n_layer\": 0, \"n_embd\": 8, \"n_head\": 1,"
                       "\"vocab_size\": 9}");
  CHECK(zero.status == 1);
  CHECK(zero.out == "");
  CHECK(zero.err.find("<stdin>:1:35: error: ") != std::string::npos);
  const Ran json = ran({"import", "hf", "-", "--format", "json"}, "{}");
  CHECK(json.status == 1);
  CHECK(json.out.find("\"trainplan.diagnostics/1\"") != std::string::npos);
}

TEST_CASE("an unknown architecture is told which known one has its keys, and is read as that by --as") {
  const std::string keys =
      "\"num_hidden_layers\": 2, \"hidden_size\": 64, \"intermediate_size\": 128, \"num_attention_heads\": 4, "
      "\"vocab_size\": 100, \"tie_word_embeddings\": false, \"rms_norm_eps\": 1e-6, \"rope_theta\": 10000";
  const std::string foo = "{\"architectures\": [\"FooForCausalLM\"], \"model_type\": \"foo\", " + keys + "}";
  const Ran unknown = ran({"import", "hf", "-"}, foo);
  CHECK(unknown.status == 1);
  CHECK(holds(unknown.err, "<stdin>:1:20: error: unknown architecture 'FooForCausalLM'"));
  CHECK(holds(unknown.err, "hint: its keys are those of 'llama': `trainplan import hf - --as llama`"));
  for (const char* as : {"llama", "LlamaForCausalLM"}) {
    const Ran read = ran({"import", "hf", "-", "--as", as}, foo);
    CHECK(read.status == 0);
    CHECK(holds(read.err, "<stdin>:1:20: warning: 'FooForCausalLM' is read as LlamaForCausalLM"));
    CHECK(holds(read.out, "family: foo\n"));
  }
  const Ran more = ran({"import", "hf", "-", "--as", "llama"}, foo.substr(0, foo.size() - 1) + ", \"foo_gates\": 3}");
  CHECK(holds(more.err, "warning: 'foo_gates' has no counterpart in a plan and is left out"));
  const Ran own = ran({"import", "hf", kHf + "llama-3.1-8b", "--as", "llama"});
  CHECK(own.out == ran({"import", "hf", kHf + "llama-3.1-8b"}).out);
  CHECK(own.err == "");
  CHECK(ran({"import", "hf", "-", "--as", "llama"}, "{" + keys + "}").status == 0);  // it says no architecture
}

TEST_CASE("a configuration of 16 MiB is read, from a file, a stream and a scenario; a longer one is told") {
  std::string text =
      "{\"model_type\": \"gpt2\", \"n_layer\": 1, \"n_embd\": 8, \"n_head\": 1, \"vocab_size\": 9, "
      "\"quantization_config\": {\"ignore\": [\"" +
      std::string(16, 'a') + "\"";
  while (text.size() < (15 << 20)) text += ", \"model.layers.0.self_attn.q_proj.weight_of_a_quantized_layer\"";
  text += "]}}";
  text.resize(16 << 20, ' ');
  TestFolder folder;
  for (const bool longer : {false, true}) {
    if (longer) text += ' ';
    const std::string file = folder.add("config.json", text);
    const std::string scenario_file = folder.add("a.yaml", scenario("hf:" + folder.name()));
    for (const Ran& r :
         {ran({"import", "hf", file}), ran({"import", "hf", "-"}, text), ran({"check", scenario_file})}) {
      CHECK(r.status == (longer ? 1 : 0));
      CHECK(holds(r.err, "1:1: error: the text is longer than 16777216 bytes") == longer);
    }
  }
}

TEST_CASE("a scenario with an unknown architecture is told the command that imports it") {
  TestFolder folder;
  folder.add("config.json",
             "{\"model_type\": \"foo\", \"num_hidden_layers\": 2, \"hidden_size\": 64, \"intermediate_size\": 128, "
             "\"num_attention_heads\": 4, \"vocab_size\": 100, \"qkv_bias\": true, \"num_experts\": 4, "
             "\"num_experts_per_tok\": 2, \"moe_intermediate_size\": 64, \"shared_expert_intermediate_size\": 64}");
  const Ran plan = ran({"plan", folder.add("a.yaml", scenario("hf:" + folder.name()))});
  CHECK(plan.status == 1);
  CHECK(holds(plan.err, "unknown architecture 'foo'"));
  const std::string command = "import hf " + folder.name() + "/config.json --as qwen2_moe";
  CHECK_MESSAGE(holds(plan.err, "`trainplan " + command + "`"), plan.err);
  CHECK(ran({"import", "hf", folder.name() + "/config.json", "--as", "qwen2_moe"}).status == 0);
}

TEST_CASE("import megatron takes words, one text, a script or standard input") {
  const std::vector<std::string> words{
      "--num-layers",       "4",         "--hidden-size", "64",   "--num-attention-heads", "4", "--seq-length", "128",
      "--micro-batch-size", "1",         "--vocab-size",  "1000", "--nproc-per-node",      "8", "--save",       "a dir",
      "--moe-layer-freq",   "[0]+[1]*3", "--num-experts", "4"};
  std::vector<std::string> args{"import", "megatron", "--cluster", "dgx-h100", "--"};
  args.insert(args.end(), words.begin(), words.end());
  const Ran by_words = ran(args);
  CHECK_MESSAGE(by_words.status == 0, by_words.err);
  CHECK(by_words.err == "ignored: --save\n");
  std::string text;
  for (const std::string& w : words) text += w.find(' ') == std::string::npos ? w + " " : "'" + w + "' ";
  CHECK(ran({"import", "megatron", "--cluster", "dgx-h100", text}).out == by_words.out);
  CHECK(ran({"import", "megatron", text, "--cluster", "dgx-h100"}).out == by_words.out);
  CHECK(ran({"import", "megatron", "--cluster", "dgx-h100", "-"}, text).out == by_words.out);
  TestFolder folder;
  const std::string file = folder.add("run.sh", text);
  CHECK(ran({"import", "megatron", "--cluster", "dgx-h100", "@" + file}).out == by_words.out);
  CHECK(ran({"check", folder.add("s.yaml", by_words.out)}).status == 0);
  CHECK(ran({"import", "megatron", "@" + file, "--quiet"}).err == "");
  CHECK(ran({"import", "megatron", "@" + file}).err.find("FILL_IN") != std::string::npos);
}

TEST_CASE("a script gets variables and arguments by flags, and files from its folder") {
  TestFolder folder;
  folder.add("model.sh", "LAYERS=$1\nHEADS=16\n");
  const std::string file = folder.add(
      "run.sh",
      "source model.sh $1\ntorchrun --nproc_per_node $GPUS pretrain_gpt.py --num-layers $LAYERS --hidden-size "
      "1024 --num-attention-heads $HEADS --seq-length 512 --micro-batch-size 1 --vocab-size 1000\n");
  const auto import = [&](std::vector<std::string> flags) {
    std::vector<std::string> args{"import", "megatron", file, "--cluster", "dgx-h100", "--quiet"};
    args.insert(args.end(), flags.begin(), flags.end());
    return ran(args);
  };
  const Ran good = import({"--args", "12", "--env", "GPUS=8"});
  CHECK_MESSAGE(good.status == 0, good.err);
  CHECK(good.err.empty());
  CHECK(holds(good.out, "  layers: 12 "));
  CHECK(holds(good.out, "  gpus: 1 * 8 "));
  const Ran none = import({});
  CHECK(none.status == 1);
  CHECK(holds(none.err, "got '$1', which the text does not set"));
  CHECK(holds(none.err, "hint: `--args 'WORDS'` gives the arguments of the script"));
  CHECK(holds(import({"--env", "GPUS"}).err, "expected NAME=VALUE for --env, got 'GPUS'"));
  CHECK(holds(ran({"import", "hf", "-", "--env", "A=1"}, "{}").err, "--env and --args go with launch scripts"));
}

TEST_CASE("what --to deepspeed prints comes back as the same plan, by import deepspeed and import megatron") {
  const char* kPlans[] = {
      "model: {use: gpt3-13b}\njob: {sequence: 2048, global_batch: 1024}\ncluster: {use: dgx-a100-80gb, gpus: 64}\n"
      "software: {use: megatron-deepspeed}\nparallelism: {tp: 4, pp: 1, microbatch: 1, zero: 1, recompute: full}\n",
      "model: {use: gpt3-13b}\njob: {sequence: 2048, global_batch: 256, precision: fp16}\ncluster: {use: dgx-h100, "
      "gpus: "
      "32}\nsoftware: {use: megatron-deepspeed}\nparallelism: {tp: 2, pp: 4, microbatch: 2, zero: 1, "
      "sequence_parallel: "
      "true, recompute: selective}\n",
      "model: {use: gpt3-13b}\njob: {sequence: 2048, global_batch: 64}\ncluster: {use: dgx-h100, gpus: 16}\nsoftware: "
      "{use: megatron-deepspeed, attention: flash2}\nparallelism: {microbatch: 1, zero: 3, recompute: full, offload: "
      "{optimizer: 1}}\n"};
  for (const char* plan : kPlans) {
    const Ran before = ran({"plan", "-", "--format", "json"}, plan);
    const Ran text = ran({"export", "-", "--to", "deepspeed"}, plan);
    CHECK_MESSAGE(text.status == 0, text.err);
    const std::string cluster = holds(plan, "dgx-h100") ? "dgx-h100" : "dgx-a100-80gb";
    for (const char* format : {"deepspeed", "megatron"}) {
      const Ran back = ran({"import", format, "-", "--cluster", cluster}, text.out);
      CHECK_MESSAGE(back.status == 0, back.err);
      CHECK(!holds(back.err, "warning"));
      const Ran after = ran({"plan", "-", "--format", "json"}, back.out);
      for (const char* figure : {"\"low_seconds\"", "\"activations\""}) {
        CAPTURE(std::string(figure));
        CAPTURE(std::string(format));
        CHECK(value_behind(after.out, figure) == value_behind(before.out, figure));
        CHECK(!value_behind(after.out, figure).empty());
      }
    }
  }
}

TEST_CASE("import deepspeed takes a file or standard input, and a launch line as words, a script or one text") {
  const std::string folder = TRAINPLAN_SOURCE_DIR "/tests/planner/import/deepspeed/", json = folder + "auto.json";
  const Ran by_script = ran({"import", "deepspeed", json, folder + "trainer.sh", "--cluster", "dgx-h100"});
  CHECK_MESSAGE(by_script.status == 0, by_script.err);
  CHECK(by_script.out.starts_with("# From a configuration of DeepSpeed\nmodel:\n  use: llama3.1-8b "));
  CHECK(by_script.err.starts_with("ignored: gradient_clipping, "));
  CHECK(ran({"import", "deepspeed", json, "@" + folder + "trainer.sh", "--cluster", "dgx-h100"}).out == by_script.out);
  const Ran words = ran({"import", "deepspeed", json, "--model", "gpt2", "--", "deepspeed", "--num_gpus", "8", "a b.py",
                         "--block_size", "512"});
  CHECK(words.out.find("  use: gpt2 ") != std::string::npos);
  CHECK(words.out.find("  sequence: 512 ") != std::string::npos);
  CHECK(words.err.find("FILL_IN") != std::string::npos);  // no cluster
  const Ran one = ran({"import", "deepspeed", "-", "--model", "gpt2", "torchrun --nproc-per-node 4 a.py"},
                      "{\"train_batch_size\": 8}");
  CHECK(one.out.find("  gpus: 4 ") != std::string::npos);
  const Ran wrong = ran({"import", "deepspeed", "-"}, "{\"train_batch_size\": 0.5}");
  CHECK(wrong.status == 1);
  CHECK(wrong.out == "");
  CHECK(wrong.err.find("<stdin>:1:22: error: expected a whole number") != std::string::npos);
  CHECK(ran({"import", "deepspeed", "no-such-file"}).status == 1);
  CHECK(ran({"import", "deepspeed", json, "@no-such-file"}).status == 1);
}

TEST_CASE("import torchtitan takes a file or standard input, and overrides as words, a script or one text") {
  const std::string folder = TRAINPLAN_SOURCE_DIR "/tests/planner/import/torchtitan/",
                    toml = folder + "llama3-405b.toml";
  const Ran by_script = ran({"import", "torchtitan", toml, folder + "run.sh", "--cluster", "dgx-h100"});
  CHECK_MESSAGE(by_script.status == 0, by_script.err);
  CHECK(by_script.out.starts_with("# From a job configuration of torchtitan\nmodel:\n  use: llama3.1-405b "));
  CHECK(by_script.out.find("  sequence: 4096          # training.seq_len\n") != std::string::npos);
  CHECK(by_script.err.starts_with("ignored: job.dump_folder, "));
  const Ran words = ran({"import", "torchtitan", toml, "--model", "gpt2", "--", "torchrun", "--nproc_per_node=8", "-m",
                         "torchtitan.train", "--parallelism.tensor_parallel_degree", "4"});
  CHECK(words.out.find("  use: gpt2 ") != std::string::npos);
  CHECK(words.out.find("  tp: 4 ") != std::string::npos);
  CHECK(words.err.find("FILL_IN") != std::string::npos);  // no cluster
  const Ran one = ran({"import", "torchtitan", "-", "torchrun --nproc_per_node 4 a.py"}, "[model]\nflavor = \"8B\"\n");
  CHECK(one.out.find("  gpus: 4 ") != std::string::npos);
  const Ran wrong = ran({"import", "torchtitan", "-"}, "[training]\nseq_len = 0.5\n");
  CHECK(wrong.status == 1);
  CHECK(wrong.out == "");
  CHECK(wrong.err.find("<stdin>:2:11: error: expected a whole number for 'training.seq_len', got '0.5'") !=
        std::string::npos);
  CHECK(ran({"import", "torchtitan", "no-such-file"}).status == 1);
}

TEST_CASE("an imported line to fill in is no scenario yet") {
  TestFolder folder;
  const Ran open = ran({"import", "megatron", "@" TRAINPLAN_SOURCE_DIR "/tests/planner/import/megatron/gpt3-175b.sh"});
  CHECK(open.status == 0);
  CHECK(open.out.find("use: FILL_IN            # fill in: a cluster of `trainplan list cluster`") != std::string::npos);
  const Ran checked = ran({"check", folder.add("s.yaml", open.out)});
  CHECK(checked.status == 1);
  CHECK(checked.err.find("no cluster named 'FILL_IN'") != std::string::npos);
}

TEST_CASE("wrong usage of import is exit status 2 and one line") {
  for (const std::vector<std::string>& args : {std::vector<std::string>{"import"},
                                               {"import", "hf"},
                                               {"import", "hg", "x"},
                                               {"import", "hf", "a", "b"},
                                               {"import", "hf", "a", "--model", "gpt2"},
                                               {"import", "hf", "a", "--as", "lama"},
                                               {"import", "hf", "a", "--as", "llama", "--cluster", "dgx-h100"},
                                               {"import", "megatron", "a", "--as", "llama"},
                                               {"import", "deepspeed"},
                                               {"import", "torchtitan"},
                                               {"import", "megatron"}}) {
    const Ran r = ran(args);
    CHECK(r.status == 2);
    CHECK(r.out == "");
    CHECK(std::count(r.err.begin(), r.err.end(), '\n') == 1);
    CHECK(r.err.find("usage: trainplan import") != std::string::npos);
  }
  CHECK(ran({"import", "hf", "a", "--as", "lama"})
            .err.find("unknown architecture 'lama' of --as, did you mean "
                      "'llama'?") != std::string::npos);
  CHECK(ran({"import", "megatorn", "x"}).err.find("did you mean 'megatron'?") != std::string::npos);
  CHECK(ran({"__complete", "import", ""}).out.find("megatron\n") != std::string::npos);
}

TEST_CASE("import megatron takes a YAML and its launch line, and tells a line to bring its YAML") {
  const std::string yaml = TRAINPLAN_SOURCE_DIR "/tests/planner/import/megatron/gpt.yaml";
  const Ran both =
      ran({"import", "megatron", yaml, "torchrun --nproc-per-node 8 --nnodes 128", "--cluster", "dgx-h100"});
  CHECK_MESSAGE(both.status == 0, both.err);
  CHECK(both.out.starts_with(
      "# From a configuration of Megatron-LM\nmodel:\n  layers: 96              # num_layers 96\n"));
  CHECK(both.out.find("  gpus: 128 * 8           # --nproc-per-node 8\n") != std::string::npos);
  CHECK(both.err == "ignored: layernorm_epsilon, lr, log_throughput\n");
  const Ran words = ran({"import", "megatron", yaml, "--cluster", "dgx-h100", "--", "torchrun", "--nproc-per-node", "8",
                         "--nnodes", "128"});
  CHECK(words.out == both.out);
  const Ran line = ran({"import", "megatron", "torchrun a.py --yaml-cfg b.yaml"});
  CHECK(line.status == 1);
  CHECK(line.err.find("hint: `trainplan import megatron FILE.yaml SCRIPT` reads both") != std::string::npos);
  const Ran planned = ran({"plan", yaml});
  CHECK(planned.status == 1);
  CHECK(planned.err.find("trainplan import megatron " + yaml + " --cluster NAME") != std::string::npos);
}

TEST_CASE("a number that the scenario would refuse is told at its place in what is imported") {
  const std::string line =
      "torchrun --nproc-per-node 8 pretrain_gpt.py --bf16 --num-layers 24 --hidden-size 1024 --num-attention-heads 16 "
      "--seq-length 1024 --max-position-embeddings 1024 --micro-batch-size 1 --global-batch-size 64 --vocab-size 51200 "
      "--hidden-dropout 0.1 --tensor-model-parallel-size 2 --train-iters 100";
  const TestFolder folder;
  int refused = 0;
  for (size_t at = line.find("--num-layers"); at != std::string::npos; at = line.find(" --", at + 1)) {
    const size_t value = line.find(' ', line.find("--", at)) + 1, end = std::min(line.find(' ', value), line.size());
    for (const char* number : {"0", "1e16", "0.5", "+8", "-0", "1e-320", "9007199254740993", "2.", "1E2"}) {
      const std::string text = line.substr(0, value) + number + line.substr(end);
      CAPTURE(text);
      const Ran r = ran({"import", "megatron", text, "--cluster", "dgx-a100-80gb", "--quiet"});
      if (r.status == 0 && !holds(r.out, "FILL_IN"))
        CHECK_MESSAGE(ran({"check", folder.add("run.yaml", r.out)}).status == 0, r.out);
      else if (r.status != 0) {
        CHECK(holds(r.err, "<flags>:1:"));
        ++refused;
      }
    }
  }
  CHECK(refused > 40);
}
