// Names that a message proposes for an unknown word.
#include "dsl/similar.h"

#include <doctest/doctest.h>

namespace {

const std::vector<std::string> kMachines{"a100-pcie-80gb", "a100-sxm-40gb", "a100-sxm-80gb", "a800-80gb",
                                         "dgx-a100-40gb",  "dgx-a100-80gb", "dgx-h100",      "gv100-32gb",
                                         "h100-sxm-80gb",  "h100-sxm-96gb", "v100-sxm2-32gb"};
const std::vector<std::string> kWords{"layers", "heads", "hidden", "vocab", "tp", "pp", "dp", "sequence_parallel", ""};

struct Row {
  const char *word, *hint;
};

void check(const std::vector<std::string>& names, std::initializer_list<Row> rows) {
  for (const Row& row : rows) {
    INFO(std::string(row.word));
    CHECK(dsl::did_you_mean(row.word, names) == row.hint);
  }
}

}  // namespace

TEST_CASE("a name of hardware never leads to other hardware; where two fit, both are named") {
  check(kMachines, {{"DGX-A100", "did you mean 'dgx-a100-40gb' or 'dgx-a100-80gb'?"},
                    {"A100-80GB", "did you mean 'a100-pcie-80gb', 'a100-sxm-80gb' or 'dgx-a100-80gb'?"},
                    {"A100 SXM 80GB", "did you mean 'a100-sxm-80gb'?"},
                    {"H100", "did you mean 'dgx-h100', 'h100-sxm-80gb' or 'h100-sxm-96gb'?"},
                    {"H100-SXM", "did you mean 'h100-sxm-80gb' or 'h100-sxm-96gb'?"},
                    {"V100-32GB", "did you mean 'v100-sxm2-32gb'?"},
                    {"dxg-h100", "did you mean 'dgx-h100'?"},
                    {"dgx-h1000", ""},
                    {"b100-sxm-80gb", ""},
                    {"dgx-b100", ""}});
}

TEST_CASE(
    "all names that have the word, those with the least beside it first; letters inside a word, where none has it") {
  check({"gpt2", "gpt3-175b", "gpt3-1.3b", "deepseek-v3", "deepspeech2", "dgx-1", "megatron-core"},
        {{"gpt", "did you mean 'gpt2', 'gpt3-1.3b' or 'gpt3-175b'?"},
         {"gpt3", "did you mean 'gpt3-1.3b' or 'gpt3-175b'?"},
         {"GPT-3", "did you mean 'gpt3-1.3b' or 'gpt3-175b'?"},
         {"dgx", "did you mean 'dgx-1'?"},
         {"gp", ""},
         {"deep", "did you mean 'deepseek-v3' or 'deepspeech2'?"},
         {"mega", "did you mean 'megatron-core'?"},
         {"eek", ""},
         {"gpt9", ""}});
}

TEST_CASE("names are compared by words and numbers, however they are joined") {
  check({"llama2-70b", "llama3.1-405b", "gpt3-175b", "deepseek-v3", "deepseek-v2", "mixtral-8x7b", "mixtral-8x22b"},
        {{"llama-2-70b", "did you mean 'llama2-70b'?"},
         {"Llama-3.1-405B", "did you mean 'llama3.1-405b'?"},
         {"gpt3_175B", "did you mean 'gpt3-175b'?"},
         {"gpt4-175b", ""},
         {"mixtral", "did you mean 'mixtral-8x22b' or 'mixtral-8x7b'?"},
         {"deepseek-v3-671b", "did you mean 'deepseek-v3'?"},
         {"deepseek-r1", "did you mean 'deepseek-v2' or 'deepseek-v3'?"}});
}

TEST_CASE("a typing mistake: a third of the word's length in edits, case aside") {
  check(kWords, {{"layers", "did you mean 'layers'?"},
                 {"LAYERS", "did you mean 'layers'?"},
                 {"layer", "did you mean 'layers'?"},
                 {"layerss", "did you mean 'layers'?"},
                 {"alyers", "did you mean 'layers'?"},
                 {"lxxers", "did you mean 'layers'?"},
                 {"lxxxrs", ""},
                 {"hea", ""},
                 {"hiddne", "did you mean 'hidden'?"},
                 {"vocabulary", ""},
                 {"tpp", "did you mean 'pp' or 'tp'?"},
                 {"xp", ""},
                 {"TP", "did you mean 'tp'?"},
                 {"p", ""},
                 {"num_layers", "did you mean 'layers'?"},
                 {"sequenceparallel", "did you mean 'sequence_parallel'?"},
                 {"sequnce_paralel", "did you mean 'sequence_parallel'?"},
                 {"parallel", "did you mean 'sequence_parallel'?"},
                 {"bf61", ""},
                 {"", ""}});
  check({"fp16", "bf16"}, {{"bf61", "did you mean 'bf16'?"}, {"fp32", ""}});
}

TEST_CASE("no name is offered for a very long word, and none out of none") {
  CHECK(dsl::similar(std::string(80, 'x'), {std::string(79, 'x')}).size() == 1);
  CHECK(dsl::similar(std::string(81, 'x'), {std::string(80, 'x')}).empty());
  CHECK(dsl::similar("layers", {}).empty());
}

TEST_CASE("of many names a message shows four") {
  CHECK(dsl::did_you_mean({"a", "b", "c", "d", "e", "f"}) == "did you mean 'a', 'b', 'c', 'd' or one of 2 more?");
  CHECK(dsl::did_you_mean({"a", "b", "c", "d"}) == "did you mean 'a', 'b', 'c' or 'd'?");
}
