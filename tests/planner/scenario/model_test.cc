// Parameters of a layer, the FLOP formulas, and the sources of the catalogue's figures.
#include "planner/scenario/model.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <string>
#include <vector>

#include "planner/scenario/scenario.h"
#include "tests/planner/scenario/catalogue_model.h"

namespace {

using planner::Model;
using sample::model_named;

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
  for (const dsl::Entry& entry : node.entries)
    if (entry.key != "recipes" && entry.key != "rules" &&  // each rule has a key for its source
        entry.key != "steps")                              // the head of a kind of layers names the paper of all
      collect_unsourced(entry.value, entry.key, found);
}

bool close(double a, double b, double tolerance) { return std::abs(a / b - 1) <= tolerance; }

}  // namespace

TEST_CASE("every figure of machines, models and software is followed by its source") {
  for (const dsl::BuiltinFile& file : planner::builtin_catalog()) {
    if (file.kind == "calibration" || file.kind == "errors") continue;  // a command writes them, which their head names
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

TEST_CASE("a token of a mixture meets its own experts only") {
  Model m = model_named("mixtral-8x7b");
  double tokens = 1 << 20, s = 4096;
  double attention = m.layers * tokens * 4 * s * m.heads * m.head_dim;
  double norms = (2.0 * m.layers + 1) * m.hidden;
  double expected = 2 * tokens * (planner::active_parameters(m) - norms) + attention;
  CHECK(close(planner::forward_flops(m, tokens, s, false), expected, 1e-12));
  m.experts.count *= 2;  // only the routers grow
  double routers = 2 * tokens * m.layers * m.hidden * 8;
  CHECK(close(planner::forward_flops(m, tokens, s, false), expected + routers, 1e-12));
}

TEST_CASE("latent attention scores with its rotary part and weighs values of their own width") {
  Model m = model_named("deepseek-v2-lite");
  double tokens = 1 << 20, s = 4096;
  double more = planner::forward_flops(m, tokens, 2 * s, false) - planner::forward_flops(m, tokens, s, false);
  CHECK(close(more, m.layers * tokens * 2 * s * m.heads * (128 + 64 + 128), 1e-12));
}

TEST_CASE("a window saves what lies behind it, in the layers that have one") {
  double tokens = 1 << 20, window = 4096;
  for (const char* name : {"mistral-7b", "gemma2-9b"}) {
    const Model m = model_named(name);
    Model whole = m;
    whole.window.size = 0;
    double windowed = m.window.global_every > 0 ? 0.5 * m.layers : m.layers;
    for (double s : {2048.0, 4096.0, 16384.0}) {
      double keys = s > window ? window - window * window / (2 * s) : s / 2;
      double saved = planner::forward_flops(whole, tokens, s, true) - planner::forward_flops(m, tokens, s, true);
      double expected = windowed * tokens * 4 * m.heads * m.head_dim * (s / 2 - keys);
      CHECK(std::abs(saved - expected) <= 1e-9 * planner::forward_flops(m, tokens, s, true));
    }
  }
}

TEST_CASE("the kinds of a model's layers are those of all its layers, in the order in which they come") {
  for (int64_t layers : {1, 2, 5, 12, 61})
    for (int64_t count : {0, 8})
      for (int64_t first_dense : {0, 3, 70})
        for (int64_t every : {1, 2, 3, 80})
          for (int64_t size : {0, 128})
            for (int64_t global_every : {0, 1, 2, 6, 90}) {
              planner::Model m;
              m.layers = layers;
              m.experts.count = count;
              m.experts.first_dense = first_dense;
              m.experts.every = every;
              m.window.size = size;
              m.window.global_every = global_every;
              std::vector<planner::LayerKind> kinds;
              for (const planner::LayerKind& kind : planner::layers_of(m))
                if (std::ranges::count(kinds, kind) == 0) kinds.push_back(kind);
              CHECK(planner::layer_kinds(m) == kinds);
            }
}
