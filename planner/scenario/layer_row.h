// Layers of different kinds: their order in `model.pattern`, and their definitions in `model.kinds`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "dsl/fields.h"
#include "operator_models/operators.h"

namespace planner {

/// The token mixer of a layer.
enum class Mixer {
  none,       // a feed-forward layer alone
  attention,  // with the row's heads and their extras
  steps       // the row's list, one after another
};

enum class FeedForward { none, mlp, experts };

/// One step of a mixer, on every token.
enum class StepKind {
  linear,       // a matrix of `in` x `out`
  convolution,  // over the last `kernel` tokens of each channel
  norm,         // of each `width` values
  activation,   // any function of `in` values; a product with a gate reads both
  scan,         // the recurrence: heads, keys and states of the row
  weights       // `out` parameters that no step of their own reads: decays, biases of time steps
};

/// What tensor ranks divide of a step's matrix. Steps between `columns` and `rows` work on a rank's share of channels.
enum class StepSplit { none, columns, rows };

enum class StepInput {
  previous,  // the outputs of the step before, and of the steps parallel to it
  input      // the layer's input: it runs parallel to the steps so far, until a step reads `previous`
};

struct LayerStep {
  std::string name;
  StepKind kind = StepKind::linear;
  int64_t in = 0, out = 0;  // values of a token
  StepSplit split = StepSplit::none;
  StepInput reads = StepInput::previous;
  int64_t width = 0;
  bool bias = false;
  std::optional<int64_t> parameters;  // in addition to its matrix and bias
  std::optional<int64_t> kept;        // values of a token that wait for backward
};

/// Keys that a query attends to are chosen (DeepSeek-V3.2; MiniMax-M3 chooses blocks).
struct Indexer {
  int64_t heads = 0;  // 0: attention to all keys
  int64_t head_dim = 128;
  int64_t top_k = 2048;  // keys, or blocks of them
  int64_t block = 1;     // keys of a block
  bool shared = false;   // the choice is that of a layer before
};

/// One kind of layer. Each of its parts has its own norm before it and adds to the residual stream.
struct LayerRow {
  std::string letter;  // in model.pattern
  std::string name;    // for people
  Mixer mixer = Mixer::attention;
  FeedForward feed_forward = FeedForward::mlp;
  // Where it differs from the model.
  int64_t heads = 0, kv_heads = 0, head_dim = 0, ffn = 0;
  int64_t window = 0;  // tokens that attention looks back; 0: all
  // Of attention.
  bool gated = false;          // its output has a gate as wide as itself (Qwen3-Next)
  bool shared_values = false;  // values are the keys (Gemma 4)
  int64_t query_rank = 0;      // of queries in two steps; 0: one matrix
  int64_t output_rank = 0;     // of an output projection in two steps; 0: one matrix
  int64_t output_groups = 1;   // of heads, each with its own first step
  int64_t compression = 1;     // tokens that share one key (DeepSeek-V4); 1: each token has its own
  int64_t overlap = 0;         // compressed keys that each token is pooled into, by learned weights; 0: plain means
  Indexer indexer;
  // Of a recurrence.
  int64_t key_heads = 0;  // heads of keys that the heads share: Mamba-2's groups
  int64_t key_dim = 128;  // width of a key: Mamba's state
  int64_t value_dim = 0;  // width of a head's values
  int64_t kernel = 4;     // of the short convolution
  int64_t chunk = 64;     // tokens that are worked on at once
  int64_t rank = 0;       // of low-rank gates
  operator_models::ScanRule rule = operator_models::ScanRule::state_space;
  std::vector<LayerStep> steps;
  int64_t streams = 1;         // residual streams that each part reads mixed and writes to (hyper-connections)
  int64_t residual_block = 0;  // parts whose results one sum holds; each part attends to all sums; 0: there is one sum
  // Of experts.
  int64_t expert_width = 0;  // that tokens are narrowed to before routed experts; 0: they are not
};

template <class V> void fields(V& v, LayerStep& s) {
  v("name", s.name, {.required = true, .doc = "name in the list of steps"});
  v("kind", s.kind, {.required = true, .doc = "what it does to each token"});
  v("in", s.in, {.least = 0, .most = 1e9, .doc = "values that it reads; 0: all of the one step that it reads"});
  v("out", s.out, {.least = 0, .most = 1e9, .doc = "values that it writes; 0: as many as it reads"});
  v("split", s.split, {.doc = "what tensor ranks divide of its matrix"});
  v("reads", s.reads, {.doc = "what the step before wrote, or the layer's input"});
  v("width", s.width, {.least = 0, .most = 1e9, .doc = "values of a row that a norm is over"});
  v("bias", s.bias, {.doc = "a bias on each output"});
  v("parameters", s.parameters, {.least = 0, .most = 1e9, .doc = "beside matrix and bias; absent: those of its kind"});
  v("kept", s.kept, {.least = 0, .most = 1e9, .doc = "values that wait for backward; absent: what it reads"});
}
template <class V> void fields(V& v, Indexer& i) {
  v("heads", i.heads, {.least = 0, .doc = "heads that score keys; 0: attention to all keys"});
  v("head_dim", i.head_dim, {.least = 1, .doc = "width of such a head"});
  v("top_k", i.top_k, {.least = 1, .doc = "keys, or blocks of them, that a query attends to"});
  v("block", i.block, {.least = 1, .doc = "keys of a block"});
  v("shared", i.shared, {.doc = "the choice is that of a layer before"});
}
template <class V> void fields(V& v, LayerRow& r) {
  v("letter", r.letter, {.required = true, .doc = "its letter in model.pattern"});
  v("name", r.name, {.doc = "catalogue name"});
  v("mixer", r.mixer, {.doc = "what mixes the tokens of a sequence"});
  v("feed_forward", r.feed_forward, {.doc = "what follows, behind a norm of its own"});
  v("heads", r.heads, {.otherwise = "model.heads", .least = 1, .doc = "heads of its mixer"});
  v("kv_heads", r.kv_heads, {.otherwise = "model.kv_heads", .least = 1, .doc = "key and value heads"});
  v("head_dim", r.head_dim, {.otherwise = "model.head_dim", .least = 1, .doc = "width of an attention head"});
  v("ffn", r.ffn, {.otherwise = "model.ffn", .least = 1, .doc = "inner width of its MLP"});
  v("window", r.window, {.least = 0, .doc = "tokens that attention looks back; 0: all"});
  v("gated", r.gated, {.doc = "the output of attention has a gate"});
  v("shared_values", r.shared_values, {.doc = "values are the keys"});
  v("query_rank", r.query_rank, {.least = 0, .doc = "of queries in two steps"});
  v("output_rank", r.output_rank, {.least = 0, .doc = "of an output projection in two steps"});
  v("output_groups", r.output_groups, {.least = 1, .doc = "groups of heads in its first step"});
  v("compression", r.compression, {.least = 1, .doc = "tokens that one key stands for"});
  v("overlap", r.overlap,
    {.least = 0, .most = 16, .doc = "compressed keys that a token is pooled into by learned weights"});
  v.section("indexer", r.indexer);
  v("key_heads", r.key_heads, {.otherwise = "layer.heads", .least = 1, .doc = "heads of keys that heads share"});
  v("key_dim", r.key_dim, {.least = 1, .doc = "width of a key: the state of a value"});
  v("value_dim", r.value_dim, {.otherwise = "layer.head_dim", .least = 1, .doc = "width of a head's values"});
  v("kernel", r.kernel, {.least = 1, .most = 1000, .doc = "tokens of the short convolution"});
  v("chunk", r.chunk, {.least = 1, .doc = "tokens that a recurrence works on at once"});
  v("rank", r.rank, {.otherwise = "layer.value_dim", .least = 1, .doc = "of low-rank gates"});
  v("rule", r.rule, {.doc = "of the recurrence"});
  v.list("steps", r.steps);
  v("streams", r.streams, {.least = 1, .most = 64, .doc = "residual streams (hyper-connections)"});
  v("residual_block", r.residual_block,
    {.least = 0,
     .most = 1e6,
     .doc = "parts that are summed before a new sum; each part attends to all sums (attention residuals)"});
  v("expert_width", r.expert_width, {.least = 0, .doc = "that routed tokens are narrowed to"});
}

/// Steps with their defaults filled in: `in` and `out` of each. `hidden`: the layer's input.
std::vector<LayerStep> settled_steps(const LayerRow& row, int64_t hidden);
/// Weights of a step's matrix, and its other parameters.
double step_matrix(const LayerStep& step);
double step_vectors(const LayerStep& step, const LayerRow& row);
/// FLOPs of the recurrence for one token, as it is written step by step: what model FLOPs count, whatever a kernel
/// does. Of a value of the state: decay, outer product of key and value and the query's product with it are 5. Time
/// step and skip make it 7 (Megatron-LM, training.py, mamba_layer_flops), and so does a delta rule's product of key and
/// state; Mamba-1 has 9 (arXiv:2312.00752, appendix E), and so has RWKV-7.
double recurrence_flops(const LayerRow& row);
/// Keys that a query attends to in a layer without full attention: the compressed keys that an indexer chooses, and the
/// window; 0: all. `halved`: half of the compressed keys, as a causal query sees on average.
double attended_keys(const LayerRow& row, double sequence, bool halved);

/// Parts of a layer of this kind: a mixer, a feed-forward part.
int parts_of(const LayerRow& row);

inline constexpr int64_t kMostLayers = 100'000;  // of a model

/// A pattern, letter by letter: repeats as in "(MEM*E)x4" are written out, blanks and '|' left out.
struct PatternLetters {
  std::string letters;
  size_t wrong = std::string::npos;  // where it cannot be read
  std::string why;
};
PatternLetters expand_pattern(const std::string& pattern);

}  // namespace planner
