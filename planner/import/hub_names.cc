#include "planner/import/hub_names.h"

#include <algorithm>
#include <string_view>

#include "dsl/raw_text.h"
#include "planner/scenario/scenario.h"

namespace planner {
namespace {

struct HubName {
  const char *ours, *theirs;
};
constexpr HubName kHubNames[] = {{"bloom-176b", "bigscience/bloom"},
                                 {"deepseek-v2-lite", "deepseek-ai/DeepSeek-V2-Lite"},
                                 {"deepseek-v2", "deepseek-ai/DeepSeek-V2"},
                                 {"deepseek-v3", "deepseek-ai/DeepSeek-V3"},
                                 {"gemma-2b", "google/gemma-2b"},
                                 {"gemma-7b", "google/gemma-7b"},
                                 {"gemma2-2b", "google/gemma-2-2b"},
                                 {"gemma2-9b", "google/gemma-2-9b"},
                                 {"gemma2-27b", "google/gemma-2-27b"},
                                 {"gpt-oss-20b", "openai/gpt-oss-20b"},
                                 {"gpt-oss-120b", "openai/gpt-oss-120b"},
                                 {"gpt2", "openai-community/gpt2"},
                                 {"gpt2-medium", "openai-community/gpt2-medium"},
                                 {"gpt2-large", "openai-community/gpt2-large"},
                                 {"gpt2-xl", "openai-community/gpt2-xl"},
                                 {"llama2-7b", "meta-llama/Llama-2-7b-hf"},
                                 {"llama2-13b", "meta-llama/Llama-2-13b-hf"},
                                 {"llama2-70b", "meta-llama/Llama-2-70b-hf"},
                                 {"llama3-8b", "meta-llama/Meta-Llama-3-8B"},
                                 {"llama3-70b", "meta-llama/Meta-Llama-3-70B"},
                                 {"llama3.1-8b", "meta-llama/Llama-3.1-8B"},
                                 {"llama3.1-70b", "meta-llama/Llama-3.1-70B"},
                                 {"llama3.1-405b", "meta-llama/Llama-3.1-405B"},
                                 {"llama3.2-1b", "meta-llama/Llama-3.2-1B"},
                                 {"llama3.2-3b", "meta-llama/Llama-3.2-3B"},
                                 {"mistral-7b", "mistralai/Mistral-7B-v0.1"},
                                 {"mixtral-8x7b", "mistralai/Mixtral-8x7B-v0.1"},
                                 {"mixtral-8x22b", "mistralai/Mixtral-8x22B-v0.1"},
                                 {"olmo-2-7b", "allenai/OLMo-2-1124-7B"},
                                 {"qwen2-57b-a14b", "Qwen/Qwen2-57B-A14B"},
                                 {"qwen2.5-7b", "Qwen/Qwen2.5-7B"},
                                 {"qwen2.5-32b", "Qwen/Qwen2.5-32B"},
                                 {"qwen2.5-72b", "Qwen/Qwen2.5-72B"},
                                 {"qwen3-0.6b", "Qwen/Qwen3-0.6B"},
                                 {"qwen3-1.7b", "Qwen/Qwen3-1.7B"},
                                 {"qwen3-4b", "Qwen/Qwen3-4B"},
                                 {"qwen3-8b", "Qwen/Qwen3-8B"},
                                 {"qwen3-14b", "Qwen/Qwen3-14B"},
                                 {"qwen3-32b", "Qwen/Qwen3-32B"},
                                 {"qwen3-30b-a3b", "Qwen/Qwen3-30B-A3B"},
                                 {"qwen3-235b-a22b", "Qwen/Qwen3-235B-A22B"}};

std::string other_name(const std::string& name, const char* HubName::*known, const char* HubName::*other) {
  for (const HubName& row : kHubNames)
    if (name == row.*known) return row.*other;
  return "";
}

/// Small letters, without the owner, an ending of a file and words that change no shape: "Meta-Llama-3.1-8B-Instruct"
/// and "llama3.1_8B.yaml" are "llama3.1-8b".
std::string plain_name(std::string_view name) {
  std::string plain(name.substr(name.rfind('/') + 1));
  std::ranges::transform(plain, plain.begin(), [](char c) { return c == '_' ? '-' : dsl::small(c); });
  for (const std::string_view start : {"meta-"})
    if (plain.starts_with(start)) plain.erase(0, start.size());
  for (const std::string_view end : {".yaml", ".yml", "-bnb-4bit", "-fp8", "-instruct", "-chat", "-base", "-hf", "-it"})
    if (plain.ends_with(end)) plain.resize(plain.size() - end.size());
  if (plain.starts_with("llama-")) plain.erase(5, 1);
  return plain;
}

}  // namespace

std::string model_of_hub(std::string name) {
  constexpr std::string_view kTuned = "-Instruct";
  if (name.ends_with(kTuned)) name.resize(name.size() - kTuned.size());
  return other_name(name, &HubName::theirs, &HubName::ours);
}

std::string model_named(std::string_view name) {
  const std::string plain = plain_name(name);
  for (const HubName& row : kHubNames)
    if (plain == row.ours || plain == plain_name(row.theirs)) return row.ours;
  for (const dsl::BuiltinFile& file : builtin_catalog())
    if (file.kind == "model" && file.name == plain) return plain;
  return "";
}

std::string figure_of_model(std::string_view model, std::string_view field) {
  for (const dsl::BuiltinFile& file : builtin_catalog()) {
    if (file.kind != "model" || file.name != model) continue;
    dsl::Diagnostics ignored;
    const dsl::Node tree = dsl::parse_yaml(dsl::Source{std::string(file.name), std::string(file.text), "."}, ignored);
    const dsl::Node* figure = tree.find(field);
    return figure ? figure->text : "";
  }
  return "";
}

std::string hub_of_model(const std::string& name) { return other_name(name, &HubName::ours, &HubName::theirs); }

}  // namespace planner
