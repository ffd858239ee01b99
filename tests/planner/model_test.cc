// Parameter counts of every catalogue model against the published ones, the FLOP formulas, and the sources of figures.
#include "planner/model.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>
#include <vector>

#include "planner/scenario.h"

namespace {

using planner::Model;

/// A model of the catalogue, read as the `model:` of a scenario is.
Model model_named(const std::string& name) {
  static const dsl::Schema schema = dsl::schema_of<Model>("model.");
  dsl::Source source{.name = "test.yaml", .text = "model: {use: " + name + "}\n", .directory = "/nonexistent"};
  dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  dsl::Node tree = dsl::load(source, {}, {{"model", "model"}}, catalog, sources, diagnostics);
  dsl::Record record = dsl::evaluate(tree, schema, {}, diagnostics);
  for (const dsl::Diagnostic& d : diagnostics.list) MESSAGE(dsl::render(d));
  REQUIRE_MESSAGE(!diagnostics.has_errors(), name);
  return dsl::bind<Model>(record, "model.");
}

struct Published {
  const char* model;
  double parameters;
  const char* source;
  double rounding = 0;  // half a unit of the last printed digit, where that is more than 1 %
};

// What the sources print; checkpoints to the last parameter, papers rounded.
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
};

/// A GPT as the papers' formulas have it.
Model gpt(int64_t layers, int64_t hidden, int64_t vocab) {
  Model m;
  m.layers = layers;
  m.hidden = hidden;
  m.ffn = 4 * hidden;
  m.heads = m.kv_heads = hidden / 128;
  m.head_dim = 128;
  m.vocab = vocab;
  m.positions = 2048;
  m.tied_embeddings = true;
  return m;
}

/// Narayanan et al. 2021, equation 3, without the factor 4/3 of recomputation (96 -> 72, 16 -> 12).
double narayanan_step(const Model& m, double batch, double s) {
  double l = m.layers, h = m.hidden, v = m.vocab;
  return 72 * batch * s * l * h * h * (1 + s / (6 * h) + v / (12 * l * h));
}

/// Numbers, quantities and booleans without a comment on their line, as "key: value".
void collect_unsourced(const dsl::Node& node, const std::string& key, std::vector<std::string>& found) {
  bool figure = !node.text.empty() &&
                (std::isdigit(static_cast<unsigned char>(node.text[0])) || node.text == "true" || node.text == "false");
  if (node.kind == dsl::Node::Kind::scalar && figure && node.comment.empty()) found.push_back(key + ": " + node.text);
  for (const dsl::Node& item : node.items) collect_unsourced(item, key, found);
  for (const dsl::Entry& entry : node.entries) collect_unsourced(entry.value, entry.key, found);
}

bool close(double a, double b, double tolerance) { return std::abs(a / b - 1) <= tolerance; }

}  // namespace

TEST_CASE("catalogue models have the published number of parameters") {
  for (const Published& p : kPublished) {
    double computed = planner::parameters(model_named(p.model));
    bool agrees = std::abs(computed - p.parameters) <= std::max(0.01 * p.parameters, p.rounding);
    std::string what = std::string(p.model) + " (" + p.source + ")";
    CHECK_MESSAGE(agrees, what, ": computed ", computed, ", published ", p.parameters);
  }
}

TEST_CASE("published checkpoints are counted to the last parameter") {
  for (const char* name :
       {"gpt2-xl", "mpt-125m", "mpt-30b", "mpt-70b", "llama2-70b", "llama3-8b", "llama3.1-405b", "bloom-176b"}) {
    for (const Published& p : kPublished)
      if (p.model == std::string(name))
        CHECK_MESSAGE(planner::parameters(model_named(name)) == p.parameters, std::string(name));
  }
}

TEST_CASE("every catalogue model is in the table of published counts, under its own name") {
  for (const dsl::BuiltinFile& file : planner::builtin_catalog()) {
    if (file.kind != "model") continue;
    bool listed = false;
    for (const Published& p : kPublished) listed = listed || p.model == file.name;
    CHECK_MESSAGE(listed, std::string(file.name));
    CHECK(model_named(std::string(file.name)).name == file.name);
  }
}

TEST_CASE("every figure of machines, models and software is followed by its source") {
  for (const dsl::BuiltinFile& file : planner::builtin_catalog()) {
    if (file.kind == "calibration") continue;
    dsl::Source source{.name = std::string(file.name), .text = std::string(file.text), .directory = {}};
    dsl::Diagnostics diagnostics;
    std::vector<std::string> unsourced;
    collect_unsourced(dsl::parse_yaml(source, diagnostics), "", unsourced);
    for (const std::string& figure : unsourced) FAIL_CHECK(source.name, ": ", figure);
  }
}

TEST_CASE("a GPT layer has 12 h^2 weights, 9 h biases and two norms") {
  Model m = gpt(1, 1024, 50257);
  CHECK(planner::layer_parameters(m) == 12.0 * 1024 * 1024 + 9 * 1024 + 4 * 1024);
  m.bias = false;
  CHECK(planner::layer_parameters(m) == 12.0 * 1024 * 1024 + 2 * 1024);
  m.qkv_bias = true;
  CHECK(planner::layer_parameters(m) == 12.0 * 1024 * 1024 + 3 * 1024 + 2 * 1024);
  m.parallel_block = true;
  CHECK(planner::layer_parameters(m) == 12.0 * 1024 * 1024 + 3 * 1024 + 1024);
}

TEST_CASE("an RMS norm has no shift, whatever the biases") {
  Model m = gpt(1, 1024, 50257);
  double with_shift = planner::layer_parameters(m);
  m.norm = planner::Norm::rmsnorm;
  CHECK(with_shift - planner::layer_parameters(m) == 2 * 1024);
}

TEST_CASE("grouped queries shrink K and V only") {
  Model m = gpt(1, 4096, 32000);
  m.bias = false;
  double all_heads = planner::layer_parameters(m);
  m.kv_heads = 8;
  CHECK(all_heads - planner::layer_parameters(m) == 2.0 * 4096 * (32 - 8) * 128);
}

TEST_CASE("an untied head adds its matrix, a tied one nothing") {
  Model m = gpt(2, 1024, 50257);
  double tied = planner::parameters(m);
  m.tied_embeddings = false;
  CHECK(planner::parameters(m) - tied == 50257.0 * 1024);
}

TEST_CASE("three times forward is equation 3 of Narayanan 2021 without recompute") {
  for (const char* name :
       {"megatron-1.7b", "megatron-18b", "megatron-145b", "megatron-1t", "gpt3-175b", "megatron-22b"}) {
    Model m = model_named(name);
    double s = 2048, batch = 512;
    CHECK_MESSAGE(close(3 * planner::forward_flops(m, batch * s, s, false), narayanan_step(m, batch, s), 1e-12),
                  std::string(name));
  }
}

TEST_CASE("the causal count drops half of the attention and nothing else") {
  Model m = gpt(10, 2048, 51200);
  double s = 4096, tokens = 8 * s;
  double full = planner::forward_flops(m, tokens, s, false), half = planner::forward_flops(m, tokens, s, true);
  CHECK(close(full - half, 10 * tokens * 2 * s * 2048, 1e-12));
  m.causal = false;
  CHECK(planner::forward_flops(m, tokens, s, true) == full);
}

TEST_CASE("without attention a token costs two FLOP per matrix weight") {
  Model m = model_named("llama3-8b");
  double tokens = 1 << 20, s = 8192;
  double attention = m.layers * tokens * 4 * s * m.heads * m.head_dim;
  double norms = (2.0 * m.layers + 1) * m.hidden, embedding = static_cast<double>(m.vocab) * m.hidden;
  double expected = 2 * tokens * (planner::parameters(m) - norms - embedding) + attention;
  CHECK(close(planner::forward_flops(m, tokens, s, false), expected, 1e-12));
}

TEST_CASE("forward FLOPs are proportional to the tokens of a given sequence") {
  for (const char* name : {"palm-540b", "bert-large", "nemotron4-15b"}) {
    Model m = model_named(name);
    CHECK(close(planner::forward_flops(m, 3 * 4096, 512, true), 3 * planner::forward_flops(m, 4096, 512, true), 1e-12));
  }
}

TEST_CASE("BERT's head sees the predicted positions only, its pooler one token of each sequence") {
  Model m = model_named("bert-large");
  double s = 128, tokens = 64 * s, h = m.hidden;
  double some = planner::forward_flops(m, tokens, s, true);
  m.predicted = 0;
  double none = planner::forward_flops(m, tokens, s, true);
  CHECK(close(some - none, 0.15625 * tokens * 2 * h * (m.vocab + h), 1e-9));
  double layers = 24 * tokens * (2 * 12 * h * h + 4 * s * h);
  CHECK(close(none - layers, 64 * 2 * (h * h + 2 * h), 1e-6));
}
