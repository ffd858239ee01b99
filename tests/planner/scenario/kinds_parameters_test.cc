// Parameters and FLOPs of every kind of the catalogue's layers, against the formulas of the papers that they are from.
#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "dsl/catalog.h"
#include "planner/scenario/model.h"
#include "planner/scenario/vocabulary.h"
#include "tests/planner/sample.h"
#include "tests/planner/scenario/catalogue_model.h"

using planner::LayerKind;
using planner::Model;

namespace {

constexpr double kHidden = 1024, kHeads = 16, kKeyHeads = 8, kHeadDim = 64, kFfn = 4096, kVocab = 32000;
constexpr double kExperts = 8, kTopK = 2, kExpertFfn = 512;

/// Three layers of the kinds, of a model whose every width differs from those of the catalogue's kinds.
Model three_of(const std::string& kinds, const std::string& pattern = "ZZZ") {
  return sample::scenario(
             "model: {layers: 3, hidden: 1024, ffn: 4096, heads: 16, kv_heads: 8, vocab: 32000, bias: false,\n"
             "  norm: rmsnorm, gated_mlp: true, experts: {count: 8, top_k: 2, ffn: 512},\n  pattern: " +
             pattern + ", kinds: [" + kinds +
             "]}\n"
             "job: {sequence: 2048, global_batch: 8}\ncluster: {use: dgx-h100, gpus: 8}\n"
             "software: {use: megatron-core}\n")
      .model;
}
Model of_catalogue(const std::string& kind) { return three_of("{use: " + kind + ", letter: Z}"); }

/// What a paper says of one layer. Matrices are what a token is multiplied with.
struct Formula {
  double matrices = 0, vectors = 0;  // without the norm before each part
  double parts = 1;                  // with a norm each
  double idle = 0;                   // matrices of experts that a token does not meet
  double state = 0;                  // values of the recurrence's state
  double least = 0, most = 0;        // FLOPs for each of them and a token
  double convolution = 0;            // FLOPs of it for a token
  double context = 0;                // width of attention's heads together; 0: none
  double chosen = 0;                 // keys of a query at most; 0: all
  double index = 0;                  // FLOPs of the indexer for a query and a key
};

Formula attention_of(double matrices = 0) {
  const double keys = 2 * kHidden * kKeyHeads * kHeadDim, rest = 2 * kHidden * kHeads * kHeadDim;
  return {.matrices = keys + rest + matrices, .context = kHeads * kHeadDim};
}
constexpr double kMlp = 3 * kHidden * kFfn;

Formula block_of(double matrices = 0) {
  Formula f = attention_of(kMlp + matrices);
  f.parts = 2;
  return f;
}

Formula with_experts(Formula f, double parts) {
  f.matrices += kHidden * kExperts + kTopK * 3 * kHidden * kExpertFfn;
  f.idle = (kExperts - kTopK) * 3 * kHidden * kExpertFfn;
  f.parts = parts;
  return f;
}

// DeepSeek-V3.2, arXiv:2512.02556, equation 1: heads of queries, one key, a weight of each head.
Formula indexed(double heads, double width, double chosen, double block) {
  Formula f = block_of(kHidden * heads * width + kHidden * width + kHidden * heads);
  f.chosen = chosen;
  f.index = 2 * heads * width / block;
  return f;
}

// DeepSeek-V4, inference/model.py, Compressor: a value and a weight of each token for each key, and a bias of the
// weight for each place of a token in its key's group.
Formula pooled(double tokens) {
  Formula f = block_of(2 * kHidden * kKeyHeads * kHeadDim);
  f.vectors = tokens * kKeyHeads * kHeadDim;
  return f;
}

// arXiv:2312.00752, algorithm 2 and section 3.6. A state value: decay, input and output, as appendix E counts it.
Formula mamba1() {
  const double inner = 2 * kHidden, state = 16, rank = kHidden / 16;
  return {.matrices = kHidden * 2 * inner + inner * (rank + 2 * state) + rank * inner + inner * kHidden,
          .vectors = inner * (4 + 1) + inner + inner * state + inner,
          .state = inner * state,
          .least = 9,
          .most = 9,
          .convolution = 2 * 4 * inner};
}

// arXiv:2405.21060, section 7: z, x, B, C and dt from one matrix; A, D and the bias of dt of each head.
Formula mamba2(double hidden, double heads, double width, double groups, double state) {
  const double inner = heads * width, mixed = inner + 2 * groups * state;
  return {.matrices = hidden * (inner + mixed + heads) + inner * hidden,
          .vectors = mixed * (4 + 1) + 3 * heads + inner,
          .state = inner * state,
          .least = 7,
          .most = 7,
          .convolution = 2 * 4 * mixed};
}

// arXiv:2412.06464, equation 10: decay, what the key reads, its update and the query's product: 1 + 2 + 2 + 2.
Formula gated_delta() {
  const double keys = 16 * 128, values = 32 * 128, mixed = 2 * keys + values;
  return {.matrices = kHidden * (mixed + values) + kHidden * 2 * 32 + values * kHidden,
          .vectors = 4 * mixed + 2 * 32 + 128,
          .state = values * 128,
          .least = 7,
          .most = 7,
          .convolution = 2 * 4 * mixed};
}

// Megatron-Core, gdn2.py: decay and erasure of each channel of a key, writing of each of a value, beside query, key,
// value and output gate; A of each head of keys, a bias of each decay.
Formula gated_delta_2() {
  const double keys = 16 * 128, values = 32 * 128, mixed = 2 * keys + values;
  return {.matrices = kHidden * (4 * keys + 3 * values) + values * kHidden,
          .vectors = 4 * mixed + 16 + keys + 128,
          .state = values * 128,
          .least = 7,
          .most = 7,
          .convolution = 2 * 4 * mixed};
}

// arXiv:2510.26692, section 3 and section 4: `gate`: the matrices of the output's gate.
Formula kda(double gate) {
  const double inner = kHeads * 128, rank = 128;
  return {.matrices = 3 * kHidden * inner + (kHidden + inner) * rank + gate + kHidden * kHeads + inner * kHidden,
          .vectors = 4 * 3 * inner + kHeads + inner + 128,
          .state = inner * 128,
          .least = 7,
          .most = 7,
          .convolution = 2 * 4 * 3 * inner};
}

// arXiv:2501.08313, section 2.2.1: queries, keys, values, gate, output. A decay that does not depend on the token, an
// outer product and a query's product are 5 FLOPs; the planner counts a time step and a skip for all.
Formula lightning() {
  const double inner = kHeads * kHeadDim;
  return {.matrices = 5 * kHidden * inner, .vectors = inner, .state = inner * kHeadDim, .least = 5, .most = 7};
}

// arXiv:2307.08621, section 3.1: 8 d^2 of each block's retention; head norms without weights.
Formula retention() {
  return {.matrices = 8 * kHidden * kHidden, .state = 2 * kHidden * kHidden / kHeads, .least = 5, .most = 7};
}

// arXiv:2503.14456, section 4 and appendix E: low ranks 64, 64, 32 and 128 of decay, strength, value and gate; six
// shifts; offsets of three of them; removal key, replacement and bonus; a group norm with shift. The state is decayed,
// read by the removal key and changed twice, and read: 1 + 2 + 2 + 2 + 2.
Formula rwkv7() {
  return {.matrices = 4 * kHidden * kHidden + 2 * kHidden * (64 + 64 + 32 + 128),
          .vectors = (6 + 3 + 3 + 2) * kHidden,
          .state = kHidden * 64,
          .least = 9,
          .most = 9};
}

struct OfPaper {
  const char* kind;
  Formula formula;
};
std::vector<OfPaper> formulas() {
  const double inner = kHeads * 128;
  return {{"attention", attention_of()},
          {"block", block_of()},
          {"mlp", {.matrices = kMlp}},
          {"experts", with_experts({}, 1)},
          {"experts-block", with_experts(attention_of(), 2)},
          {"sparse-attention", indexed(64, 128, 2048, 1)},
          {"block-sparse-attention", indexed(4, 128, 16 * 128, 128)},
          {"compressed-attention", pooled(128)},
          {"mamba1", mamba1()},
          {"mamba2", mamba2(kHidden, 2 * kHidden / 64, 64, 8, 128)},
          {"gated-delta", gated_delta()},
          {"gated-delta-2", gated_delta_2()},
          {"kda", kda((kHidden + inner) * 128)},
          {"kda-full-gate", kda(kHidden * inner)},
          {"lightning", lightning()},
          {"retention", retention()},
          {"rwkv7", rwkv7()}};
}

double all_of(const Formula& f) { return f.matrices + f.idle + f.vectors + f.parts * kHidden; }

/// FLOPs of a token in one layer, with `state` of them for each value of the recurrence's state.
double token_flops(const Formula& f, double keys, double state) {
  const double seen = f.chosen > 0 ? std::min(keys, f.chosen) : keys;
  return 2 * f.matrices + f.convolution + state * f.state + 4 * f.context * seen + f.index * keys;
}

}  // namespace

TEST_CASE("each kind of the catalogue has a formula here") {
  const auto kinds = dsl::catalog_names({.builtin = planner::builtin_catalog(), .directories = {}}, "layer");
  for (const std::string& kind : kinds)
    CHECK_MESSAGE(std::ranges::any_of(formulas(), [&](const OfPaper& row) { return kind == row.kind; }), kind);
  CHECK(kinds.size() == formulas().size());
}

TEST_CASE("the parameters of each kind are those of its paper") {
  for (const auto& [kind, formula] : formulas()) {
    const auto& said = kind;
    CAPTURE(std::string(said));
    const Model m = of_catalogue(kind);
    CHECK(planner::layer_parameters(m, planner::layers_of(m).front()) == all_of(formula));
    CHECK(planner::parameters(m) == 3 * all_of(formula) + 2 * kVocab * kHidden + kHidden);
  }
}

TEST_CASE("a token meets all parameters but other tokens' experts and the embedding") {
  for (const auto& [kind, formula] : formulas()) {
    const auto& said = kind;
    CAPTURE(std::string(said));
    const double met = 3 * (all_of(formula) - formula.idle) + kVocab * kHidden + kHidden;
    CHECK(planner::active_parameters(of_catalogue(kind)) == met);
  }
}

TEST_CASE("forward FLOPs of each kind are two of each weight, its keys' and its state's") {
  for (const auto& [kind, formula] : formulas()) {
    const auto& said = kind;
    if (std::string(kind) == "compressed-attention") continue;  // lower/attention_extras_test.cc has its keys
    for (double sequence : {2048.0, 8192.0})
      for (bool halved : {false, true}) {
        CAPTURE(std::string(said));
        CAPTURE(sequence);
        CAPTURE(halved);
        const double tokens = 2 * sequence, keys = halved ? sequence / 2 : sequence, head = 2 * kHidden * kVocab;
        const double computed = planner::forward_flops(of_catalogue(kind), tokens, sequence, halved) / tokens;
        CHECK(computed >= (1 - 1e-12) * (3 * token_flops(formula, keys, formula.least) + head));
        CHECK(computed <= (1 + 1e-12) * (3 * token_flops(formula, keys, formula.most) + head));
      }
  }
}

TEST_CASE("a kind's own widths replace the model's, one by one") {
  struct Row {
    const char* width;
    double parameters;  // more than a layer with the model's
    planner::Model (*changed)(planner::Model);
  };
  const double layer = all_of(block_of());
  const Row rows[] = {
      {"heads: 24", 2 * kHidden * 8 * kHeadDim, [](Model m) { return m.heads = 24, m; }},
      {"kv_heads: 2", -2 * kHidden * 6 * kHeadDim, [](Model m) { return m.kv_heads = 2, m; }},
      {"head_dim: 96", (2 * kHeads + 2 * kKeyHeads) * 32 * kHidden, [](Model m) { return m.head_dim = 96, m; }},
      {"ffn: 1000", -3 * kHidden * 3096, [](Model m) { return m.ffn = 1000, m; }},
      {"window: 512", 0, [](Model m) { return m.window.size = 512, m; }},
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.width));
    const Model m = three_of("{use: block, letter: W, " + std::string(row.width) + "}, {use: block, letter: A}", "AWA");
    const std::vector<LayerKind> kinds = planner::layers_of(m);
    CHECK(planner::layer_parameters(m, kinds[1]) == layer + row.parameters);
    CHECK(planner::layer_parameters(m, kinds[0]) == layer);
    CHECK(planner::parameters(m) == 3 * layer + row.parameters + 2 * kVocab * kHidden + kHidden);
    const Model seen = planner::layer_model(m, kinds[1]), expected = row.changed(m);
    CHECK(seen.heads == expected.heads);
    CHECK(seen.kv_heads == expected.kv_heads);
    CHECK(seen.head_dim == expected.head_dim);
    CHECK(seen.ffn == expected.ffn);
    CHECK(seen.window.size == expected.window.size);
    CHECK(seen.hidden == m.hidden);
  }
}

TEST_CASE("a window of a kind takes keys from its layers alone") {
  const Model all = three_of("{use: block, letter: A}", "AAA");
  const Model some = three_of("{use: block, letter: A}, {use: block, letter: W, window: 512}", "AWW");
  for (double sequence : {256.0, 4096.0}) {
    const double seen = sequence > 512 ? 512 - 512 * 512 / (2 * sequence) : sequence / 2;
    const double saved = 2 * sequence * 4 * kHeads * kHeadDim * (sequence / 2 - seen);
    const double whole = planner::forward_flops(all, sequence, sequence, true);
    CHECK(planner::forward_flops(some, sequence, sequence, true) == doctest::Approx(whole - saved).epsilon(1e-12));
  }
}

TEST_CASE("letters name rows, which say whether a layer has experts or a window") {
  Model m = three_of(
      "{use: experts, letter: E}, {use: block, letter: W, window: 64}, {use: mamba2, letter: M, window: 64}", "EWM");
  struct Row {
    const char* pattern;
    int64_t layers;
    std::vector<int> rows;
  };
  const Row rows[] = {
      {"EWM", 3, {0, 1, 2}},
      {"(WM)x2 E", 5, {1, 2, 1, 2, 0}},
      {"WE", 5, {1, 0, 1, 0, 1}},  // comes again
      {"MMMEEE", 4, {2, 2, 2, 0}}  // ends early
  };
  for (const Row& row : rows) {
    CAPTURE(std::string(row.pattern));
    m.pattern = row.pattern;
    m.layers = row.layers;
    const std::vector<LayerKind> kinds = planner::layers_of(m);
    REQUIRE(kinds.size() == row.rows.size());
    for (size_t i = 0; i < kinds.size(); ++i) {
      CHECK(kinds[i].row == row.rows[i]);
      CHECK(kinds[i].experts == (row.rows[i] == 0));
      CHECK(kinds[i].windowed == (row.rows[i] == 1));  // a recurrence has none
      CHECK(planner::layer_row(m, kinds[i]) == &m.kinds[static_cast<size_t>(row.rows[i])]);
    }
  }
}

TEST_CASE("a model without a pattern sees itself in every layer") {
  const Model m = sample::model_named("llama3-8b");
  for (const LayerKind& kind : planner::layers_of(m)) {
    CHECK(kind.row == -1);
    CHECK(planner::layer_row(m, kind) == nullptr);
    CHECK(planner::layer_model(m, kind).window.size == m.window.size);
  }
}

TEST_CASE("the hybrid of the catalogue is the sum of its layers") {
  const Model m = sample::model_named("nemotron-3-nano-30b-a3b");
  const double hidden = 2688, vocab = 131072;
  const Formula mixer = mamba2(hidden, 64, 64, 8, 128);
  const double attention = 2 * hidden * 32 * 128 + 2 * hidden * 2 * 128;
  const double expert = 2 * hidden * 1856, shared = 2 * hidden * 3712, router = hidden * 128;
  const double rest = 23 * (mixer.matrices + mixer.vectors) + 6 * attention + 23 * (router + shared) + 53 * hidden;
  CHECK(planner::parameters(m) == rest + 23 * 128 * expert + 2 * vocab * hidden);
  CHECK(planner::active_parameters(m) == rest + 23 * 6 * expert + vocab * hidden);
}
