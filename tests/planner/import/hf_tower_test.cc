// Towers beside the language model: counted, and not planned.
#include "planner/import/hf_tower.h"

#include <doctest/doctest.h>

#include "tests/planner/import/hf_sample.h"

namespace {

double counted(const std::string& text) {
  const dsl::Source source{"config.json", text, "."};
  dsl::Diagnostics diagnostics;
  return planner::hf::tower_parameters(dsl::parse_json(source, diagnostics), diagnostics);
}

std::string with_tower(const std::string& tower) {
  return "{\"architectures\": [\"Qwen3VLForConditionalGeneration\"], \"text_config\": {\"num_hidden_layers\": 2, "
         "\"hidden_size\": 64,\n\"intermediate_size\": 128, \"num_attention_heads\": 4, \"vocab_size\": 100},\n" +
         tower + "}";
}

}  // namespace

TEST_CASE("each key of a tower moves its parameters") {
  // 4 h^2 of attention, 2 h f of the MLP, 9 h + f of biases and norms.
  const double layer = 4 * 64 + 2 * 8 * 16 + 9 * 8 + 16;
  const std::string base = "\"depth\": 3, \"hidden_size\": 8, \"intermediate_size\": 16";
  struct Tower {
    std::string keys;
    double parameters;
  };
  for (const Tower& c : {
           Tower{base, 3 * layer},
           {"\"num_hidden_layers\": 3, \"width\": 8, \"intermediate_size\": 16", 3 * layer},
           {"\"vt_num_hidden_layers\": 3, \"vt_hidden_size\": 8, \"vt_intermediate_size\": 16", 3 * layer},
           {"\"depth\": 3, \"hidden_size\": 8", 3 * (4 * 64 + 2 * 8 * 32 + 9 * 8 + 32)},  // four times as wide
           {base + ", \"qkv_hidden_size\": 16", 3 * (layer + 4 * 8 * 8)},
           {base + ", \"patch_size\": 2", 3 * layer + 3 * 4 * 8},
           {base + ", \"patch_size\": 2, \"in_channels\": 1", 3 * layer + 4 * 8},
           {base + ", \"patch_size\": 2, \"num_channels\": 4", 3 * layer + 4 * 4 * 8},
           {base + ", \"patch_size\": 2, \"temporal_patch_size\": 2", 3 * layer + 2 * 3 * 4 * 8},
           {base + ", \"num_position_embeddings\": 5", 3 * layer + 5 * 8},
           {base + ", \"position_embedding_size\": 5", 3 * layer + 5 * 8},
           {base + ", \"out_hidden_size\": 10", 3 * layer + 32 * 32 + 32 * 10},  // two by two patches
           {base + ", \"text_hidden_size\": 10, \"spatial_merge_size\": 1", 3 * layer + 8 * 8 + 8 * 10},
           {base + ", \"out_hidden_size\": 10, \"deepstack_visual_indexes\": [1, 2]",
            3 * layer + 3 * (32 * 32 + 32 * 10)},
           {"\"model_type\": \"some_tower\"", 0},
       }) {
    CAPTURE(c.keys);
    CHECK(counted("{" + c.keys + "}") == c.parameters);
  }
}

TEST_CASE("towers are a warning each, and their parameters are those of the model beside the plan") {
  const std::string small = "{\"depth\": 1, \"hidden_size\": 8, \"intermediate_size\": 16}";
  const HfTree one(with_tower("\"vision_config\": " + small)),
      two(with_tower("\"vision_config\": " + small + ",\n\"audio_config\": " + small));
  CHECK(one.told() == "3:1 warning: 'vision_config' is left out: the plan has the language model alone\n");
  CHECK(std::ranges::count(two.told(), '\n') == 2);
  CHECK(two.model.find("towers")->text == std::to_string(2 * std::stol(one.model.find("towers")->text)));
  CHECK(HfTree(with_tower("\"vision_config\": null")).told() == "");
}

TEST_CASE("a tower that does not say its size is told as one that is not counted") {
  const HfTree tree(with_tower("\"vision_config\": {\"model_type\": \"some_tower\"}"));
  CHECK(
      tree.told() ==
      "3:1 warning: 'vision_config' is left out: the plan has the language model alone; it does not say its width and "
      "depth: 'towers' is without it\n");
  CHECK(tree.model.find("towers") == nullptr);
}

TEST_CASE("wrong values of a tower are errors at their places") {
  for (const auto& [tower, told] :
       {std::pair{"\"vision_config\": 3", "3:18 error: expected a map for 'vision_config'\n"},
        {"\"vision_config\": {\"depth\": \"deep\", \"hidden_size\": 8}", "3:28 error: expected a number, got 'deep'\n"},
        {"\"vision_config\": {\"depth\": 2, \"hidden_size\": [8]}", "3:46 error: expected a number, got ''\n"},
        {"\"vision_config\": {\"depth\": -2, \"hidden_size\": 8}", "3:28 error: expected a number, got '-2'\n"}}) {
    const HfTree tree(with_tower(tower));
    CHECK_MESSAGE(tree.told().find(told) != std::string::npos, tree.told());
    CHECK(tree.model.broken);
  }
}
