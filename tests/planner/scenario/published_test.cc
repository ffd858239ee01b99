// Every catalogue model against the parameter counts its publisher prints: all, and those at work on one token.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "planner/scenario/model.h"
#include "planner/scenario/scenario.h"
#include "tests/planner/scenario/catalogue_model.h"

namespace {

using planner::Model;
using sample::model_named;

struct Published {
  const char* model;
  double parameters;
  const char* source;
  double rounding = 0;  // half a unit of the last printed digit, where that is more than 1 %
};

// What the sources print; checkpoints to the last parameter, papers rounded. The routers of DeepSeek-V3 and Kimi K2
// have a bias for each expert, which balances the load and which no gradient trains: not counted.
const std::vector<Published> kPublished{
    {"gpt2", 124439808, "openai-community/gpt2 checkpoint"},
    {"gpt2-medium", 354823168, "openai-community/gpt2-medium checkpoint"},
    {"gpt2-large", 774030080, "openai-community/gpt2-large checkpoint"},
    {"gpt2-xl", 1557611200, "openai-community/gpt2-xl checkpoint"},
    {"megatron-1.7b", 1.7e9, "Narayanan 2021, table 1", 0.05e9},
    {"megatron-3.6b", 3.6e9, "Narayanan 2021, table 1", 0.05e9},
    {"megatron-7.5b", 7.5e9, "Narayanan 2021, table 1"},
    {"megatron-18b", 18.4e9, "Narayanan 2021, table 1"},
    {"megatron-22b", 22e9, "Korthikanti 2022, table 3"},
    {"megatron-39b", 39.1e9, "Narayanan 2021, table 1"},
    {"megatron-76b", 76.1e9, "Narayanan 2021, table 1"},
    {"megatron-145b", 145.6e9, "Narayanan 2021, table 1"},
    {"megatron-310b", 310.1e9, "Narayanan 2021, table 1"},
    {"megatron-530b", 529.6e9, "Narayanan 2021, table 1"},
    {"megatron-1t", 1008e9, "Narayanan 2021, table 1"},
    {"gpt3-125m", 125e6, "GPT-3 paper, table D.1"},
    {"gpt3-350m", 356e6, "GPT-3 paper, table D.1"},
    {"gpt3-760m", 760e6, "GPT-3 paper, table D.1"},
    {"gpt3-1.3b", 1320e6, "GPT-3 paper, table D.1"},
    {"gpt3-2.7b", 2650e6, "GPT-3 paper, table D.1"},
    {"gpt3-6.7b", 6660e6, "GPT-3 paper, table D.1"},
    {"gpt3-13b", 12850e6, "GPT-3 paper, table D.1"},
    {"gpt3-175b", 174600e6, "GPT-3 paper, table D.1"},
    {"t-nlg-17b", 17.2e9, "MT-NLG announcement, figure 1"},
    {"mt-nlg-530b", 530e9, "Smith 2022"},
    {"bert-large", 336226108, "transformers BertForPreTraining, bert-large-uncased"},
    {"bert-base", 110106428, "transformers BertForPreTraining, bert-base-uncased"},
    {"palm-8b", 8.63e9, "PaLM paper, table 1"},
    {"palm-62b", 62.5e9, "PaLM paper, table 1"},
    {"palm-540b", 540.35e9, "PaLM paper, table 1"},
    {"bloom-176b", 176247271424, "bigscience/bloom checkpoint"},
    {"bloom-14336x70", 176e9, "bigscience chronicles-prequel"},
    {"bloom-14336x72", 181e9, "bigscience chronicles-prequel"},
    {"bloom-13312x82", 178e9, "bigscience chronicles-prequel"},
    {"bloom-13312x84", 182e9, "bigscience chronicles-prequel"},
    {"bloom-13312x94", 203e9, "bigscience chronicles-prequel"},
    {"bloom-12288x100", 184e9, "bigscience chronicles-prequel"},
    {"bloom-12288x106", 195e9, "bigscience chronicles-prequel"},
    {"mpt-125m", 125311488, "llm-foundry benchmark table, n_params at sequence 2048"},
    {"mpt-350m", 355985408, "llm-foundry benchmark table, n_params at sequence 2048"},
    {"mpt-760m", 760470528, "llm-foundry benchmark table, n_params at sequence 2048"},
    {"mpt-1b", 1315950592, "llm-foundry benchmark table, n_params at sequence 2048"},
    {"mpt-3b", 2651837440, "llm-foundry benchmark table, n_params at sequence 2048"},
    {"mpt-7b", 6658859008, "llm-foundry benchmark table, n_params at sequence 2048"},
    {"mpt-13b", 12853954560, "llm-foundry benchmark table, n_params at sequence 2048"},
    {"mpt-30b", 29975214080, "llm-foundry benchmark table, n_params at sequence 2048"},
    {"mpt-70b", 64862437376, "llm-foundry benchmark table, n_params at sequence 2048"},
    {"llama-7b", 6.7e9, "LLaMA paper, table 2"},
    {"llama-13b", 13.0e9, "LLaMA paper, table 2"},
    {"llama-33b", 32.5e9, "LLaMA paper, table 2"},
    {"llama-65b", 65.2e9, "LLaMA paper, table 2"},
    {"llama2-7b", 6738415616, "meta-llama/Llama-2-7b-hf checkpoint"},
    {"llama2-13b", 13015864320, "meta-llama/Llama-2-13b-hf checkpoint"},
    {"llama2-70b", 68976648192, "meta-llama/Llama-2-70b-hf checkpoint"},
    {"llama3-8b", 8030261248, "meta-llama/Meta-Llama-3-8B checkpoint"},
    {"llama3-70b", 70553706496, "meta-llama/Meta-Llama-3-70B checkpoint"},
    {"llama3.1-8b", 8030261248, "meta-llama/Llama-3.1-8B checkpoint"},
    {"llama3.1-70b", 70553706496, "meta-llama/Llama-3.1-70B checkpoint"},
    {"llama3.1-405b", 405853388800, "meta-llama/Llama-3.1-405B checkpoint"},
    {"internlm-7b", 7.3e9, "internlm/internlm-7b checkpoint"},
    {"nemotron4-15b", 15.7e9, "Nemotron-4 paper: 3.2e9 embedding and 12.5e9 other"},
    {"nemotron4-340b", 341.0e9, "Nemotron-4 340B report: 9.4e9 embedding and 331.6e9 other"},
    {"mistral-7b", 7241732096, "mistralai/Mistral-7B-v0.1 checkpoint"},
    {"mixtral-8x7b", 46702792704, "mistralai/Mixtral-8x7B-v0.1 checkpoint"},
    {"mixtral-8x22b", 140620634112, "mistralai/Mixtral-8x22B-v0.1 checkpoint"},
    {"qwen2-57b-a14b", 57.41e9, "Qwen2 announcement, table of models"},
    {"qwen2.5-7b", 7615616512, "Qwen/Qwen2.5-7B checkpoint"},
    {"qwen2.5-32b", 32763876352, "Qwen/Qwen2.5-32B checkpoint"},
    {"qwen2.5-72b", 72706203648, "Qwen/Qwen2.5-72B checkpoint"},
    {"qwen3-0.6b", 596049920, "Qwen/Qwen3-0.6B checkpoint, its tied head once"},
    {"qwen3-1.7b", 1720574976, "Qwen/Qwen3-1.7B checkpoint, its tied head once"},
    {"qwen3-4b", 4022468096, "Qwen/Qwen3-4B checkpoint"},
    {"qwen3-8b", 8190735360, "Qwen/Qwen3-8B checkpoint"},
    {"qwen3-14b", 14768307200, "Qwen/Qwen3-14B checkpoint"},
    {"qwen3-32b", 32762123264, "Qwen/Qwen3-32B checkpoint"},
    {"qwen3-30b-a3b", 30532122624, "Qwen/Qwen3-30B-A3B checkpoint"},
    {"qwen3-235b-a22b", 235093634560, "Qwen/Qwen3-235B-A22B checkpoint"},
    {"grok-1", 314e9, "xai-org/grok-1 README"},
    {"deepseek-v2", 235741434880, "deepseek-ai/DeepSeek-V2 checkpoint"},
    {"deepseek-v2-lite", 15706484224, "deepseek-ai/DeepSeek-V2-Lite checkpoint"},
    {"deepseek-v3", 671026419200 - 58 * 256, "deepseek-ai/DeepSeek-V3 checkpoint: main model, without those biases"},
    // The Kimi K2 report prints 1.04T (table 2) and 1043B (table 4). A model whose first layer is a mixture too has
    // that many parameters, but neither its config.json nor its checkpoint has such a layer.
    {"kimi-k2", 1026408232448 - 60 * 384, "moonshotai/Kimi-K2-Instruct checkpoint, without those biases"},
    {"gpt-oss-20b", 20914757184, "openai/gpt-oss-20b checkpoint"},
    {"gpt-oss-120b", 116829156672, "openai/gpt-oss-120b checkpoint"},
    {"gemma-2b", 524550144.0 + 1981884416, "Gemma paper, table 2: embedding and other"},
    {"gemma-7b", 786825216.0 + 7751248896, "Gemma paper, table 2: embedding and other"},
    {"gemma2-2b", 590118912.0 + 2024517888, "Gemma 2 paper, table 2: embedding and other"},
    {"gemma2-9b", 917962752.0 + 8324201984, "Gemma 2 paper, table 2: embedding and other"},
    {"gemma2-27b", 1180237824.0 + 26047480320, "Gemma 2 paper, table 2: embedding and other"},
    {"gemma3-1b", 999885952, "google/gemma-3-1b-pt checkpoint"},
    {"gemma3-4b", 675e6 + 3209e6, "Gemma 3 report, table 1: embedding and other"},
    {"gemma3-12b", 1012e6 + 10759e6, "Gemma 3 report, table 1: embedding and other"},
    {"gemma3-27b", 1416e6 + 25600e6, "Gemma 3 report, table 1: embedding and other"},
    {"llama3.2-1b", 1235814400, "meta-llama/Llama-3.2-1B checkpoint"},
    {"llama3.2-3b", 3212749824, "meta-llama/Llama-3.2-3B checkpoint"},
    {"phi-3-mini", 3821079552, "microsoft/Phi-3-mini-4k-instruct checkpoint"},
    {"olmo-2-7b", 7298617344, "allenai/OLMo-2-1124-7B checkpoint"},
    {"megatron-bert-3.9b", 3.9e9, "Megatron-LM paper, table 4"},
    {"future-1t", 1e12, "Pati dissertation, sec. 5.3.3.2"},
    {"future-10t", 1e13, "Pati dissertation, sec. 5.3.3.2"},
    {"gnmt-v2", 160671297, "gnmt_sizes of DistributedOptimizerTest: MLPerf GNMT"},
    {"resnet-50", 25557032, "torchvision resnet50 checkpoint"},
    {"vgg-16", 138357544, "torchvision vgg16 checkpoint"},
    {"inception-v3", 23834568, "torchvision inception_v3 checkpoint without its auxiliary classifier"},
    {"dlrm-small", 4.2e9, "DeepLearningExamples DLRM and DCNv2 for TensorFlow 2, doc/DLRM.md, T15"},
    {"dlrm-large", 22.8e9, "DeepLearningExamples DLRM and DCNv2 for TensorFlow 2, doc/DLRM.md, T3"},
};

struct Active {
  const char* model;
  double parameters;
  bool lookup;  // whether the publisher counts the input embedding as well
  const char* source;
  double rounding = 0;  // as above
};

// Who counts the input embedding is stated by OpenAI and DeepSeek; of the others the nearer reading stands here, the
// same one for all models of a publisher.
const std::vector<Active> kActive{
    {"mixtral-8x7b", 12.9e9, true, "Mixtral announcement: 12.9B per token"},
    {"mixtral-8x22b", 39e9, true, "Mixtral 8x22B announcement"},
    {"qwen2-57b-a14b", 14e9, true, "Qwen2 report, sec. 2.2.2", 0.5e9},
    {"qwen3-235b-a22b", 22e9, true, "Qwen3 report, table 2"},
    // 3.353e9; without its routers 3.340e9.
    {"qwen3-30b-a3b", 3.3e9, true, "Qwen3 report, sec. 1; a digit cut, or without routers", 0.1e9},
    {"deepseek-v2", 21e9, false, "DeepSeek-V2 paper, abstract"},
    // 2.451e9; without its routers 2.448e9.
    {"deepseek-v2-lite", 2.4e9, false, "DeepSeek-V2 paper, appendix B; a digit cut, or without routers", 0.1e9},
    {"deepseek-v3", 36.6e9, false, "DeepSeek-V3 README_WEIGHTS: including 0.9B for the output head"},
    {"kimi-k2", 32.6e9, true, "Kimi K2 report, table 2"},
    {"gpt-oss-20b", 3.61e9, false, "gpt-oss model card, table 1: unembedding counted, embedding not"},
    {"gpt-oss-120b", 5.13e9, false, "gpt-oss model card, table 1: unembedding counted, embedding not"},
};

bool agrees(double computed, double published, double rounding) {
  return std::abs(computed - published) <= std::max(0.01 * published, rounding);
}

}  // namespace

TEST_CASE("catalogue models have the published number of parameters") {
  for (const Published& p : kPublished) {
    const double computed = planner::parameters(model_named(p.model));
    const std::string what = std::string(p.model) + " (" + p.source + ")";
    CHECK_MESSAGE(agrees(computed, p.parameters, p.rounding), what, ": computed ", computed, ", published ",
                  p.parameters);
  }
}

TEST_CASE("mixtures have the published number of parameters at work on one token") {
  for (const Active& a : kActive) {
    const Model m = model_named(a.model);
    const double embedding = static_cast<double>(m.vocab) * m.hidden;
    const double computed = planner::active_parameters(m) + (a.lookup ? embedding : 0);
    const std::string what = std::string(a.model) + " (" + a.source + ")";
    CHECK_MESSAGE(agrees(computed, a.parameters, a.rounding), what, ": computed ", computed, ", published ",
                  a.parameters);
  }
}

TEST_CASE("published checkpoints are counted to the last parameter") {
  for (const char* name :
       {"gpt2-xl",       "mpt-125m",        "mpt-30b",     "mpt-70b",          "llama2-70b",   "llama3-8b",
        "llama3.1-405b", "bloom-176b",      "mistral-7b",  "mixtral-8x7b",     "qwen2.5-7b",   "qwen3-0.6b",
        "qwen3-30b-a3b", "qwen3-235b-a22b", "deepseek-v2", "deepseek-v3",      "kimi-k2",      "gemma-7b",
        "gemma2-9b",     "gemma3-1b",       "gpt-oss-20b", "deepseek-v2-lite", "gpt-oss-120b", "llama3.2-1b",
        "phi-3-mini",    "resnet-50",       "gnmt-v2",     "vgg-16",           "inception-v3"}) {
    for (const Published& p : kPublished)
      if (p.model == std::string(name))
        CHECK_MESSAGE(planner::parameters(model_named(name)) == p.parameters, std::string(name));
  }
}

TEST_CASE("every catalogue model has its own name; one without a published count here is told") {
  for (const dsl::BuiltinFile& file : planner::builtin_catalog()) {
    if (file.kind != "model") continue;
    bool listed = false;
    for (const Published& p : kPublished) listed = listed || p.model == file.name;
    WARN_MESSAGE(listed, std::string(file.name));
    CHECK(model_named(std::string(file.name)).name == file.name);
  }
}
