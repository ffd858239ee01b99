// The known architecture that an unknown one resembles.
#include "planner/import/hf_likeness.h"

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "planner/import/hf_model.h"
#include "tests/planner/import/hf_sample.h"

namespace {

const std::string kShape =
    "\"num_hidden_layers\": 4, \"hidden_size\": 64, \"intermediate_size\": 128, \"num_attention_heads\": 4, "
    "\"vocab_size\": 100";

std::string hint(const std::string& keys, const std::string& file = "config.json") {
  const dsl::Source source{file, "{" + keys + "}", "."};
  dsl::Diagnostics diagnostics;
  return planner::hf::likeness_hint(dsl::parse_json(source, diagnostics));
}

}  // namespace

TEST_CASE("the hint names the family whose keys the configuration has, and how to say so") {
  struct Alike {
    std::string keys;
    const char* family;
  };
  const std::string experts = ", \"num_experts\": 4, \"num_experts_per_tok\": 2, \"moe_intermediate_size\": 8";
  for (const Alike& c : {
           Alike{kShape + ", \"rms_norm_eps\": 1e-6, \"rope_theta\": 1e4, \"num_key_value_heads\": 2", "llama"},
           {kShape + ", \"rms_norm_eps\": 1e-6" + experts + ", \"shared_expert_intermediate_size\": 8", "qwen2_moe"},
           {kShape + ", \"rms_norm_eps\": 1e-6" + experts, "qwen3_moe"},
           {kShape + ", \"kv_lora_rank\": 8, \"q_lora_rank\": 8, \"qk_nope_head_dim\": 8, \"qk_rope_head_dim\": 8, "
                     "\"v_head_dim\": 8, \"n_routed_experts\": 4, \"num_experts_per_tok\": 2, "
                     "\"moe_intermediate_size\": 8, \"first_k_dense_replace\": 1, \"n_shared_experts\": 1",
            "deepseek_v2"},
           {"\"n_layer\": 4, \"n_embd\": 64, \"n_head\": 4, \"vocab_size\": 100, \"n_positions\": 64, "
            "\"layer_norm_epsilon\": 1e-5, \"resid_pdrop\": 0.1",
            "gpt2"},
           {"\"num_hidden_layers\": 4, \"hidden_size\": 64, \"vocab_size\": 100, \"state_size\": 8, \"expand\": 2, "
            "\"conv_kernel\": 4, \"time_step_rank\": 8",
            "mamba"},
       }) {
    CAPTURE(c.keys);
    CHECK(hint(c.keys) == std::string("its keys are those of '") + c.family +
                              "': `trainplan import hf config.json --as " + c.family + "`");
  }
}

TEST_CASE("the hint names what the family does not read") {
  CHECK(
      hint(kShape + ", \"rms_norm_eps\": 1e-6, \"moon_phase\": 3, \"moon_size\": 4") ==
      "its keys are those of 'llama', which does not read moon_phase, moon_size: `trainplan import hf config.json --as "
      "llama`");
}

TEST_CASE("a language model inside the configuration of a model that sees is found") {
  CHECK(hint("\"vision_config\": {\"depth\": 2, \"hidden_size\": 8}, \"text_config\": {" + kShape +
             ", \"rms_norm_eps\": 1e-6}")
            .find("--as") != std::string::npos);
}

TEST_CASE("without the keys that a family needs the hint says what is missing, and the known names") {
  const std::string text = hint(
      "\"num_hidden_layers\": 4, \"num_attention_heads\": 4, \"intermediate_size\": 128, \"vocab_size\": 100, "
      "\"rms_norm_eps\": 1e-6, \"num_key_value_heads\": 2");
  CHECK_MESSAGE(text.starts_with("its keys are nearest to those of 'llama', without hidden_size; known: "), text);
  for (const char* keys : {"", "\"a\": 1", "\"vocab_size\": 3, \"hidden_size\": 4"})
    CHECK(hint(keys).starts_with("known: LlamaForCausalLM, "));
}

TEST_CASE("a file whose name the shell reads otherwise is quoted, and a stream is '-'") {
  const std::string keys = kShape + ", \"rms_norm_eps\": 1e-6";
  CHECK(hint(keys, "my model/config.json").find("import hf 'my model/config.json' --as llama") != std::string::npos);
  CHECK(hint(keys, "<stdin>").find("import hf - --as llama") != std::string::npos);
}

TEST_CASE("each name and type of the table is read by --as, and each is of one row") {
  std::set<std::string> seen;
  for (const std::string& name : planner::hf_architectures()) {
    CHECK(planner::is_hf_architecture(name));
    CHECK_MESSAGE(seen.insert(name).second, name);
  }
  for (const std::string& type : planner::hf_model_types()) {
    CHECK(planner::is_hf_architecture(type));
    CHECK_MESSAGE(seen.insert(type).second, type);
  }
  CHECK(!planner::is_hf_architecture(""));
  CHECK(!planner::is_hf_architecture("lama"));
}

TEST_CASE("the page of imports lists the architectures that are read, and no others") {
  std::ifstream in(TRAINPLAN_SOURCE_DIR "/docs/output/import.md");
  std::string page(std::istreambuf_iterator<char>(in), {});
  page = page.substr(page.find("| families | `architectures` |"));
  page = page.substr(0, page.find("\n\n"));
  std::set<std::string> listed;
  const std::regex word("`([A-Za-z0-9_]+)`");
  for (std::sregex_iterator at(page.begin(), page.end(), word), end; at != end; ++at) listed.insert((*at)[1]);
  listed.erase("architectures");
  const std::vector<std::string> known = planner::hf_architectures();
  CHECK(listed == std::set<std::string>(known.begin(), known.end()));
}
