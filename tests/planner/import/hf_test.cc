// Configurations of published models, by their public figures (tests/planner/import/hf/*/config.json), as models.
#include "planner/import/hf.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "planner/import/layer_draft.h"
#include "planner/resolve/read.h"
#include "planner/scenario/vocabulary.h"
#include "tests/planner/import/hf_sample.h"

namespace {

/// The fields in which two models differ, beside the name.
std::string differences(const HfModel& a, const HfModel& b) {
  std::string out;
  for (const auto& [path, slot] : a.record.slots)
    if (path != "model.name" && !(slot.value == b.record.find(path)->value))
      out += path + " " + dsl::to_text(slot.value) + " " + dsl::to_text(b.record.find(path)->value) + "; ";
  return out;
}

struct Published {
  const char* folder;
  double parameters;
  const char* source;
  const char* catalogue = "";  // the entry of the same model
  const char* stated = "";     // what the entry says and the configuration does not
};

const std::vector<Published> kPublished{
    {"llama-3.1-8b", 8030261248, "checkpoint", "llama3.1-8b"},
    {"mistral-7b-v0.1", 7241732096, "checkpoint", "mistral-7b"},
    {"mixtral-8x7b", 46702792704, "checkpoint", "mixtral-8x7b"},
    {"qwen2.5-7b", 7615616512, "checkpoint", "qwen2.5-7b"},
    {"qwen1.5-moe-a2.7b", 14315784192, "checkpoint"},
    {"qwen3-30b-a3b", 30532122624, "checkpoint", "qwen3-30b-a3b"},
    {"deepseek-v2-lite", 15706484224, "checkpoint", "deepseek-v2-lite"},
    {"deepseek-v3", 671026419200, "checkpoint, without the prediction layer", "deepseek-v3"},
    {"gpt2", 124439808, "checkpoint", "gpt2"},
    {"gpt-neox-20b", 20554567680, "checkpoint"},
    {"gemma-2-9b", 9241705984, "checkpoint", "gemma2-9b", ", vocab: 256128"},
    {"gemma-3-4b", 4300079472, "checkpoint", "gemma3-4b", ", towers: 0"},
    {"gpt-oss-20b", 20914757184, "model card", "gpt-oss-20b"},
    {"minimax-m2.5", 230e9, "model card, without the prediction layers"},
    {"mimo-7b", 7.6e9, "model card, without the prediction layer"},
    {"kimi-k2.5", 1030e9, "model card, with a vision tower of 0.4e9"},
    {"qwen3-vl-30b-a3b", 31.07e9, "model card: 31B"},
    {"qwen3-vl-8b", 8.77e9, "checkpoint"},
    {"qwen3.5-35b-a3b", 35e9, "name"},
    {"qwen3.5-27b", 27e9, "name"},
    {"nemotron-3-nano-30b-a3b", 31.6e9, "model card"},
    {"nemotron-3-ultra-550b-a55b", 550e9, "name"},
    {"nemotron-h-56b", 56e9, "name"},
    {"nemotron-super-49b", 49.9e9, "checkpoint"},
    {"deepseek-v3.2", 671e9, "model card"},
    {"llama-4-scout", 109e9, "model card"},
    {"gemma-4-26b-a4b", 26e9, "name"},
    // The catalogue pads the vocabulary, and counts the predicted positions of one data set.
    {"bert-large", 336226108, "BertForPreTraining", "bert-large", ", vocab: 30528, predicted: 0.15625"},
};

bool in_catalogue(const std::string& name) {
  for (const dsl::BuiltinFile& file : planner::builtin_catalog())
    if (file.kind == "model" && file.name == name) return true;
  return false;
}

constexpr const char* kLlama =
    "{\"architectures\": [\"LlamaForCausalLM\"], \"num_hidden_layers\": 2, \"hidden_size\": 64,\n"
    "\"intermediate_size\": 128, \"num_attention_heads\": 4, \"vocab_size\": 100";

}  // namespace

TEST_CASE("configurations have the published number of parameters, and no warning but the vision tower's") {
  for (const Published& p : kPublished) {
    HfModel read(std::string("use: hf:") + p.folder);
    const double computed = planner::parameters(read.model());
    const double tolerance = std::string_view(p.source) == "name" ? 0.015 : 0.012;  // names are rounded
    CHECK_MESSAGE(std::abs(computed / p.parameters - 1) <= tolerance, std::string(p.folder), ": computed ", computed,
                  ", published ", p.parameters, " (", p.source, ")");
    const std::string told = read.told();
    const bool sees = read.model().towers > 0;
    CHECK_MESSAGE(std::ranges::count(told, '\n') == (sees ? 1 : 0), told);
    CHECK((told.find("'vision_config' is left out") != std::string::npos) == sees);
  }
}

TEST_CASE("a token meets the published active parameters, within what names and cards round") {
  struct Active {
    const char* folder;
    double parameters_1e9;  // of the model's name or card
  };
  for (const Active& a : {Active{"minimax-m2.5", 10},
                          {"qwen3-vl-30b-a3b", 3},
                          {"qwen3.5-35b-a3b", 3},
                          {"deepseek-v3.2", 37},
                          {"gemma-4-26b-a4b", 4},
                          {"llama-4-scout", 17},
                          {"kimi-k2.5", 32},
                          {"nemotron-3-nano-30b-a3b", 3.5},
                          {"nemotron-3-ultra-550b-a55b", 55}}) {
    HfModel read(std::string("use: hf:") + a.folder);
    const double computed = planner::active_parameters(read.model()) / 1e9;
    CHECK_MESSAGE(std::abs(computed - a.parameters_1e9) <= std::max(0.15 * a.parameters_1e9, 0.5),
                  std::string(a.folder), ": computed ", computed, ", published ", a.parameters_1e9);
  }
}

TEST_CASE("plain decoders are counted to the last parameter") {
  for (const char* name : {"llama-3.1-8b", "mixtral-8x7b", "qwen2.5-7b", "qwen3-30b-a3b", "gpt2", "gemma-2-9b"})
    for (const Published& p : kPublished)
      if (p.folder == std::string(name))
        CHECK_MESSAGE(planner::parameters(HfModel(std::string("use: hf:") + name).model()) == p.parameters,
                      std::string(name));
}

TEST_CASE("a configuration is the catalogue entry of the same model") {
  int compared = 0;
  for (const Published& p : kPublished) {
    if (!in_catalogue(p.catalogue)) continue;
    HfModel hf(std::string("use: hf:") + p.folder + p.stated), entry(std::string("use: ") + p.catalogue);
    CHECK_MESSAGE(differences(hf, entry) == "", std::string(p.folder));
    ++compared;
  }
  CHECK(compared >= 3);
}

TEST_CASE("what sets an architecture apart arrives in its field") {
  HfModel v3("use: hf:deepseek-v3");
  for (const auto& [field, value] : {std::pair{"latent.rank", "512"},
                                     {"latent.query_rank", "1536"},
                                     {"latent.rotary_dim", "64"},
                                     {"latent.value_dim", "128"},
                                     {"head_dim", "128"},
                                     {"experts.count", "256"},
                                     {"experts.first_dense", "3"},
                                     {"experts.groups", "8"},
                                     {"experts.groups_per_token", "4"},
                                     {"experts.shared_ffn", "2048"},
                                     {"mtp", "1"}}) {
    const auto& said = field;
    CHECK_MESSAGE(v3.at(field) == value, std::string(said));
  }
  CHECK(HfModel("use: hf:deepseek-v2-lite").at("experts.groups") == "1");  // topk_method: greedy
  CHECK(HfModel("use: hf:gemma-2-9b").at("window.global_every") == "2");
  CHECK(HfModel("use: hf:gemma-2-9b").at("post_norm") == "true");
  CHECK(HfModel("use: hf:gemma-3-4b").at("window.global_every") == "6");
  CHECK(HfModel("use: hf:gemma-3-4b").at("window.size") == "1024");
  CHECK(HfModel("use: hf:gpt-oss-20b").at("sinks") == "true");
  CHECK(HfModel("use: hf:gpt-oss-20b").at("clamp") == "7");
  CHECK(HfModel("use: hf:gpt-oss-20b").at("window.global_every") == "2");
  CHECK(HfModel("use: hf:gpt-neox-20b").at("parallel_block") == "true");
  CHECK(HfModel("use: hf:qwen3-30b-a3b").at("qk_norm") == "true");
  CHECK(HfModel("use: hf:qwen2.5-7b").at("qkv_bias") == "true");
  CHECK(HfModel("use: hf:qwen2.5-7b").at("window.size") == "0");  // use_sliding_window: false
  CHECK(HfModel("use: hf:mistral-7b-v0.1").at("window.size") == "4096");
  CHECK(HfModel("use: hf:qwen1.5-moe-a2.7b").at("experts.shared_gate") == "true");
  CHECK(HfModel("use: hf:bert-large").at("head") == "mlm");
}

TEST_CASE("a configuration tells its family, which rules of software profiles ask for") {
  auto family = [](const std::string& keys) {
    HfFolder given(
        "{\"num_hidden_layers\": 2, \"hidden_size\": 64, \"intermediate_size\": 128, \"num_attention_heads\": 4,\n" +
        keys + "}");
    return HfModel("use: hf:config.json", given.directory).at("family");
  };
  const std::string llama = "\"architectures\": [\"LlamaForCausalLM\"], \"vocab_size\": ";
  CHECK(family(llama + "32000, \"max_position_embeddings\": 2048") == "llama");
  CHECK(family(llama + "32000, \"max_position_embeddings\": 4096") == "llama2");
  CHECK(family(llama + "32000") == "");
  CHECK(family(llama + "128256, \"max_position_embeddings\": 131072") == "llama3");
  CHECK(family(llama + "64000, \"max_position_embeddings\": 4096") == "");  // a model of others with Llama's shape
  CHECK(family(llama + "128256, \"model_type\": \"llama\"") == "llama3");
  CHECK(family("\"architectures\": [\"GPTNeoXForCausalLM\"], \"model_type\": \"some_new\", \"vocab_size\": 9") ==
        "some-new");
}

TEST_CASE("layer types become a window in all but each n-th layer, uneven ones with a warning") {
  auto window = [](const std::string& types) {
    HfFolder given(
        "{\"model_type\": \"mistral\", \"num_hidden_layers\": 4, \"hidden_size\": 8, \"intermediate_size\": 8,"
        "\"num_attention_heads\": 1, \"vocab_size\": 9, \"sliding_window\": 16, \"layer_types\": [" +
        types + "]}");
    HfModel read("use: hf:config.json", given.directory);
    return read.at("window.size") + " " + read.at("window.global_every") + (read.told().empty() ? "" : " warned");
  };
  const std::string full = "\"full_attention\"", sliding = "\"sliding_attention\"", c = ", ";
  CHECK(window(full + c + full + c + full + c + full) == "0 0");
  CHECK(window(sliding + c + sliding + c + sliding + c + sliding) == "16 0");
  CHECK(window(sliding + c + full + c + sliding + c + full) == "16 2");
  CHECK(window(sliding + c + sliding + c + sliding + c + full) == "16 4");
  CHECK(window(full + c + sliding + c + sliding + c + sliding) == "16 4 warned");
  CHECK(window(sliding + c + full) == "16 2 warned");  // not one for each layer
}

TEST_CASE("mistakes are told at their places in the file") {
  auto told = [](const std::string& text) {
    HfFolder given(text);
    return HfModel("use: hf:config.json", given.directory).told();
  };
  const std::string unknown = told("{\n  \"architectures\": [\n    \"FooForCausalLM\"\n  ]\n}");
  CHECK(unknown == "config.json:3:5: unknown architecture 'FooForCausalLM'\n");
  CHECK(told("{\"model_type\": \"foo\"}") == "config.json:1:16: unknown architecture 'foo'\n");
  CHECK(told("{\"a\": 1}").find("no 'architectures'") != std::string::npos);
  CHECK(told("[]").find("no 'architectures'") != std::string::npos);
  CHECK(told("{\"architectures\": [\"GPT2LMHeadModel\"], \"n_layer\": 2, \"n_embd\": 8, \"vocab_size\": 9}") ==
        "config.json:1:1: missing key 'n_head' of GPT2LMHeadModel\n");
  const std::string llama = kLlama;
  CHECK(told(llama + "}") == "");
  CHECK(told(llama + ",\n\"hidden_act\": \"mish\"}") == "config.json:3:15: unknown activation 'mish'\n");
  CHECK(told(llama + ",\n\"head_dim\": \"wide\"}") == "config.json:3:14: unknown name 'wide'\n");
  CHECK(told(llama + ",\n\"head_dim\": [1, 2]}") == "config.json:3:13: expected one value for 'head_dim'\n");
  CHECK(told(llama + ",\n\"head_dim\": 0.5}").starts_with("config.json:3:13: expected a whole number"));
}

TEST_CASE("an unknown architecture lists the known ones") {
  HfFolder given("{\"architectures\": [\"FooForCausalLM\"]}");
  HfModel read("use: hf:config.json", given.directory);
  for (const std::string& name : planner::hf_architectures())
    CHECK(read.diagnostics.list.at(0).hint.find(name) != std::string::npos);
}

TEST_CASE("a key that may have an effect and is not known is a warning, others are silent") {
  auto told = [](const std::string& more) {
    HfFolder given(std::string(kLlama) + ",\n" + more + "}");
    return HfModel("use: hf:config.json", given.directory).told();
  };
  CHECK(told("\"torch_dtype\": \"bfloat16\", \"eos_token_id\": [1, 2], \"rope_scaling\": {\"factor\": 8.0}") == "");
  CHECK(told("\"moon_phase\": null, \"moon\": false, \"moons\": [], \"m\": {}") == "");
  CHECK(told("\"moon_phase\": 3") == "config.json:3:1: 'moon_phase' has no counterpart in a plan and is left out\n");
  CHECK(told("\"attention_dropout\": 0.0") == "");
  CHECK(told("\"attention_dropout\": 0.1").find("'attention_dropout'") != std::string::npos);
  CHECK(told("\"mlp_bias\": true").find("biases of the MLP alone") != std::string::npos);
  CHECK(told("\"attention_bias\": true, \"mlp_bias\": true") == "");
  HfFolder misspelt(std::string(kLlama) + ", \"num_key_value_head\": 2}");
  HfModel read("use: hf:config.json", misspelt.directory);
  REQUIRE(read.diagnostics.list.size() == 1);
  CHECK(read.diagnostics.list[0].hint == "did you mean 'num_key_value_heads'?");
}

TEST_CASE("the model is named after its path, its folder or its type") {
  CHECK(HfModel("use: hf:llama-3.1-8b").model().name == "llama-3.1-8b");
  HfFolder path(std::string(kLlama) + ", \"_name_or_path\": \"someone/tiny-llama/\"}");
  CHECK(HfModel("use: hf:config.json", path.directory).model().name == "tiny-llama");
  TestFolder folder;
  folder.add("x.json", std::string(kLlama) + ", \"model_type\": \"llama\"}");
  CHECK(HfModel("use: hf:x.json", folder.name()).model().name == "llama");
}

TEST_CASE("every row of the table reads the smallest configuration of its keys") {
  for (const std::string& name : planner::hf_architectures()) {
    std::string keys = "\"vocab_size\": 100";
    for (const char* key : {"num_hidden_layers",
                            "n_layer",
                            "hidden_size",
                            "n_embd",
                            "num_attention_heads",
                            "n_head",
                            "intermediate_size",
                            "num_local_experts",
                            "num_experts",
                            "n_routed_experts",
                            "num_experts_per_tok",
                            "moe_intermediate_size",
                            "shared_expert_intermediate_size",
                            "kv_lora_rank",
                            "qk_nope_head_dim",
                            "qk_rope_head_dim",
                            "v_head_dim",
                            "max_position_embeddings",
                            "num_layers",
                            "n_layers",
                            "d_model",
                            "n_heads",
                            "ffn_dim",
                            "ffn_hidden_size",
                            "expert_ffn_hidden_size",
                            "moe_topk",
                            "moe_num_experts",
                            "moe_k",
                            "head_dim"})
      keys += std::string(", \"") + key + "\": 8";
    keys +=
        ", \"mamba_num_heads\": 8, \"mamba_head_dim\": 8, \"n_groups\": 8, \"hybrid_override_pattern\": \"M-M-M*M-\"";
    keys += ", \"block_configs\": [{}, {}, {}, {}, {}, {}, {}, {}]";
    const bool nested = name.ends_with("ForConditionalGeneration");
    HfFolder given("{\"architectures\": [\"" + name + "\"], " + (nested ? "\"text_config\": {" + keys + "}" : keys) +
                   "}");
    HfModel read("use: hf:config.json", given.directory);
    CHECK_MESSAGE(!read.diagnostics.has_errors(), name, read.told());
    CHECK(std::stoi(read.at("layers")) % 8 == 0);
  }
}

TEST_CASE("layers that a configuration does not list are an error") {
  for (const char* name : {"NemotronHForCausalLM", "DeciLMForCausalLM"}) {
    CAPTURE(name);
    HfFolder given(
        std::string("{\"architectures\": [\"") + name +
        "\"], \"num_hidden_layers\": 2, \"hidden_size\": 64, \"num_attention_heads\": 4, \"vocab_size\": 100}");
    HfModel read("use: hf:config.json", given.directory);
    CHECK(read.told().find("missing: it says what each layer is") != std::string::npos);
  }
}

TEST_CASE("a pattern of many layers is written with repeats") {
  using planner::folded_pattern;
  CHECK(folded_pattern("") == "");
  CHECK(folded_pattern("M") == "M");
  CHECK(folded_pattern("MMMMMM") == "Mx6");
  CHECK(folded_pattern("GGGAGGGAGGGA") == "(GGGA)x3");
  CHECK(folded_pattern("AAAXXXXXXXX") == "AAAXx8");
  for (const char* letters : {"MEMEM*EMEMEM*EMEMEM*E", "M-M-M*M-", "ABCABCABD"}) {
    CAPTURE(letters);
    CHECK(planner::expand_pattern(folded_pattern(letters)).letters == letters);
  }
}

TEST_CASE("families that Llama's fields express have the published number of parameters") {
  struct Family {
    const char *name, *keys;
    double parameters;  // of the checkpoint, in billions
  };
  for (const Family& family : {
           Family{"Phi3ForCausalLM", "40, 5120, 17920, 40, 10, 100352", 14.66},
           Family{"Olmo2ForCausalLM", "32, 4096, 11008, 32, 32, 100352", 7.30},
           Family{"Olmo3ForCausalLM", "32, 4096, 11008, 32, 32, 100278", 7.30},
           Family{"GraniteForCausalLM", "40, 4096, 12800, 32, 8, 49155", 8.17},
           Family{"SmolLM3ForCausalLM", "36, 2048, 11008, 16, 4, 128256", 3.08},
           Family{"SeedOssForCausalLM", "64, 5120, 27648, 80, 8, 155136, 128", 36.15},
           Family{"Starcoder2ForCausalLM", "30, 3072, 12288, 24, 2, 49152", 3.03},
       }) {
    std::string text, rest = family.keys;
    for (const char* key : {"num_hidden_layers", "hidden_size", "intermediate_size", "num_attention_heads",
                            "num_key_value_heads", "vocab_size", "head_dim"}) {
      const size_t comma = rest.find(", ");
      if (rest.empty()) break;
      text += std::string(", \"") + key + "\": " + rest.substr(0, comma);
      rest = comma == std::string::npos ? "" : rest.substr(comma + 2);
    }
    HfFolder given("{\"architectures\": [\"" + std::string(family.name) + "\"]" + text + "}");
    HfModel read("use: hf:config.json", given.directory);
    CHECK_MESSAGE(read.told().empty(), family.name, read.told());
    CHECK_MESSAGE(planner::parameters(read.model()) / 1e9 == doctest::Approx(family.parameters).epsilon(0.005),
                  family.name);
  }
}

TEST_CASE("GLM-4.5 has leading dense layers, a shared expert and a prediction layer that its size leaves out") {
  HfFolder given(R"({"architectures": ["Glm4MoeForCausalLM"], "num_hidden_layers": 92, "hidden_size": 5120,
      "intermediate_size": 12288, "num_attention_heads": 96, "num_key_value_heads": 8, "head_dim": 128,
      "vocab_size": 151552, "attention_bias": true, "use_qk_norm": true, "n_routed_experts": 160, "n_shared_experts": 1,
      "num_experts_per_tok": 8, "moe_intermediate_size": 1536, "first_k_dense_replace": 3, "n_group": 1,
      "topk_group": 1, "num_nextn_predict_layers": 1, "tie_word_embeddings": false})");
  HfModel read("use: hf:config.json", given.directory);
  CHECK(read.told().empty());
  CHECK(planner::parameters(read.model()) / 1e9 == doctest::Approx(355).epsilon(0.02));
  CHECK(read.at("mtp") == "1");
}

TEST_CASE("whether embedding and head are one may be said beside the language model, or in it") {
  const std::string text = R"("text_config": {"num_hidden_layers": 2, "hidden_size": 64, "intermediate_size": 128,
      "num_attention_heads": 4, "vocab_size": 100)";
  const auto tied = [&](const std::string& inside, const std::string& beside) {
    HfFolder given("{\"architectures\": [\"Qwen3VLForConditionalGeneration\"], " + text + inside + "}" + beside + "}");
    return HfModel("use: hf:config.json", given.directory).at("tied_embeddings");
  };
  CHECK(tied("", "") == "false");
  CHECK(tied("", R"(, "tie_word_embeddings": true)") == "true");
  CHECK(tied(R"(, "tie_word_embeddings": false)", R"(, "tie_word_embeddings": true)") == "false");
}

TEST_CASE("a plan repeats no warning of the configuration") {
  HfFolder given(std::string(kLlama) + ", \"moon_phase\": 3}");
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  const dsl::Source source{"a.yaml",
                           "model: {use: hf:config.json}\njob: {sequence: 128, global_batch: 8}\n"
                           "cluster: {use: dgx-a100-80gb, gpus: 8}\n",
                           given.directory};
  const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
  CHECK(planner::read_scenario(source, {}, catalog, sources, diagnostics));
  CHECK(diagnostics.list.size() == 1);
}
