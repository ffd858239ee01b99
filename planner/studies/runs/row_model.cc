// The architecture of a run: the columns, and known facts of models of that name and kind.
#include <algorithm>
#include <array>

#include "planner/studies/runs/row_scenario.h"

namespace planner {
namespace {

/// Facts that runs.csv has no column for. The first row that fits a run is taken.
struct Style {
  const char* name;
  bool (*fits)(const RunConfig&, const std::string& model);
  const char *norm, *activation;
  bool bias, qkv_bias, rotary, learned_positions, embedding_norm;
  const char* dropout;
  bool dropout_known;
  bool tied;  // where the column is empty
};

bool named(const std::string& model, const char* part) { return model.find(part) != std::string::npos; }

const std::array kStyles{
    Style{"bert", [](const RunConfig& c, const std::string&) { return c.family == "bert"; }, "layernorm", "gelu", true,
          false, false, true, true, "0.1", true, true},
    // The benchmark configuration of llm-foundry (scenarios/models/mpt-*.yaml).
    Style{"mpt", [](const RunConfig&, const std::string& m) { return m.starts_with("mpt"); }, "layernorm", "gelu", true,
          false, false, true, false, "0", true, true},
    Style{"bloom", [](const RunConfig&, const std::string& m) { return named(m, "bloom"); }, "layernorm", "gelu", true,
          false, false, false, true, "0.1", true, true},
    Style{"nemotron-4", [](const RunConfig&, const std::string& m) { return named(m, "nemotron"); }, "layernorm",
          "squared-relu", false, false, true, false, false, "0", true, false},
    Style{"internlm", [](const RunConfig&, const std::string& m) { return named(m, "internlm"); }, "rmsnorm", "silu",
          false, true, true, false, false, "0", true, false},
    // Biases everywhere, in the router and the experts too (scenarios/models/gpt-oss-20b.yaml).
    Style{"gpt-oss", [](const RunConfig&, const std::string& m) { return named(m, "gpt-oss"); }, "rmsnorm", "silu",
          true, false, true, false, false, "0", true, false},
    Style{"llama", [](const RunConfig& c, const std::string&) { return c.gated_mlp.value_or(0) != 0; }, "rmsnorm",
          "silu", false, false, true, false, false, "0", true, false},
    // Megatron-LM's defaults: hidden and attention dropout 0.1.
    Style{"gpt", [](const RunConfig&, const std::string&) { return true; }, "layernorm", "gelu", true, false, false,
          true, false, "0.1", false, true},
};

const Style& style_of(const RunConfig& c) {
  std::string model = dsl::lower_case(c.model_name);
  for (const Style& s : kStyles)
    if (s.fits(c, model)) return s;
  return kStyles.back();
}

class Fields {
 public:
  void put(const char* name, const std::string& value, bool assumed = false) { list.push_back({name, value, assumed}); }
  void put(const char* name, const Count& count) {
    if (count) put(name, std::to_string(*count));
  }
  void put_if(const char* name, bool value) {
    if (value) put(name, "true");
  }
  std::vector<ModelField> list;
};

/// How names of runs.csv begin, and the lineage that such a model is of. The first row that fits is taken.
constexpr std::pair<const char*, const char*> kFamilies[] = {
    {"bert", "bert"},
    {"bloom", "bloom"},
    {"deepseek-v2", "deepseek-v2"},
    {"deepseek-v3", "deepseek-v3"},
    {"gpt-neox", "gpt-neox"},
    {"gpt-oss", "gpt-oss"},
    {"gpt2", "gpt2"},
    {"gpt3", "gpt3"},
    {"gpt-", "megatron"},
    {"grok", "grok-1"},
    {"internlm", "internlm"},
    {"llama2", "llama2"},
    {"llama3", "llama3"},
    {"megatron", "megatron"},
    {"mixtral", "mixtral"},
    {"mpt", "mpt"},
    {"nemotron4", "nemotron4"},
    {"opt", "opt"},
    {"palm", "palm"},
    {"qwen3", "qwen3"},
};

constexpr int64_t kBertPositions = 512;

/// DeepLearningExamples masks at most 20 of 128 and 80 of 512 positions.
void put_bert(const RunConfig& c, Fields& f) {
  bool known = c.seq_len == 128 || c.seq_len == 512;
  f.put("token_types", "2");
  f.put("causal", "false");
  f.put("head", "mlm");
  f.put("predicted", known ? "0.15625" : "0.15", !known);
}

void put_vocab(const RunConfig& c, Fields& f) {
  const int64_t tp = std::max<int64_t>(c.tp.value_or(1), 1);  // `parallelism.tp` refuses a degree of zero
  int64_t multiple = software_habits(c.software).pads_vocab ? 128 * tp : 1;
  int64_t padded = (*c.vocab + multiple - 1) / multiple * multiple;
  f.put("vocab", std::to_string(padded), padded != *c.vocab);
}

/// Multi-head latent attention has one published shape: DeepSeek-V2's and V3's (README of runs.csv).
void put_latent(const RunConfig& c, Fields& f) {
  if (c.attention != "mla") return;
  f.put("latent.query_rank", "1536");
  f.put("latent.rank", "512");
  f.put("latent.rotary_dim", "64");
  f.put("latent.value_dim", "128");
}

void put_experts(const RunConfig& c, Fields& f) {
  if (!c.experts) return;
  f.put("experts.count", c.experts);
  f.put("experts.top_k", c.top_k);
  f.put("experts.ffn", c.moe_ffn_hidden);
  f.put("experts.shared", c.shared_experts);
  f.put("experts.first_dense", c.dense_first_layers);
}

/// What models of a name have, and no column says.
void put_known(const RunConfig& c, Fields& f) {
  const std::string model = dsl::lower_case(c.model_name);
  if (named(model, "qwen3")) f.put("qk_norm", "true");
  if (named(model, "gpt-oss")) {
    f.put("sinks", "true");
    f.put("clamp", "7");
    f.put("window.size", "128");
    f.put("window.global_every", "2");
  }
  // Node-limited routing (DeepSeek-V2, arXiv:2405.04434, 2.2.2; DeepSeek-V3, arXiv:2412.19437, 2.1.2).
  if (named(model, "deepseek")) {
    f.put("experts.groups", "8");
    f.put("experts.groups_per_token", named(model, "v3") ? "4" : "3");
  }
}

}  // namespace

// Phase 2 of DeepLearningExamples' BERT (sequences up to 512) draws a batch from one bin of lengths, 64 tokens wide
// (scripts/run_pretraining.sh, phase2_bin_size). Half of such sequences' tokens would be padding otherwise (Krell et
// al. 2021, arXiv:2107.02027, of Wikipedia); half a bin is still. As if none were saved, its V100 in fp32 would do 124
// % of its peak.
int64_t binned_length(const RunConfig& c) {
  constexpr int64_t kBin = 64;
  const bool binned = c.family == "bert" && c.software == "ddp-apex" && c.seq_len == kBertPositions;
  return binned ? (*c.seq_len + kBin) / 2 : *c.seq_len;
}

std::string model_family(const RunConfig& c) {
  const std::string model = dsl::lower_case(c.model_name);
  for (const auto& [start, family] : kFamilies)
    if (model.starts_with(start)) return family;
  return "";
}

std::vector<ModelField> model_fields(const RunConfig& c) {
  const Style& s = style_of(c);
  Fields f;
  f.put("layers", c.layers);
  f.put("hidden", c.hidden);
  f.put("ffn", c.ffn_hidden);
  f.put("heads", c.heads);
  f.put("kv_heads", c.kv_heads);
  f.put("head_dim", c.head_dim);
  put_vocab(c, f);
  if (s.learned_positions) f.put("positions", c.family == "bert" ? kBertPositions : c.seq_len);
  f.put_if("gated_mlp", c.gated_mlp.value_or(0) != 0);
  f.put("tied_embeddings", c.tied_embeddings.value_or(s.tied) != 0 ? "true" : "false", !c.tied_embeddings);
  f.put_if("rotary", s.rotary);
  f.put("bias", s.bias ? "true" : "false");
  f.put_if("qkv_bias", s.qkv_bias);
  f.put_if("embedding_norm", s.embedding_norm);
  f.put("activation", s.activation);
  f.put("norm", s.norm);
  f.put("dropout", s.dropout, !s.dropout_known);
  if (c.family == "bert") put_bert(c, f);
  put_latent(c, f);
  put_experts(c, f);
  put_known(c, f);
  return std::move(f.list);
}

}  // namespace planner
