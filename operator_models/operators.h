// The operators of a training step, each with the shape that its cost follows from.
// Adding one: a struct here, an alternative of `Operator`, a model file, a row in the registry.
#pragma once

#include <array>
#include <concepts>
#include <cstdint>
#include <string>
#include <variant>

#include "dsl/enum_words.h"
#include "dsl/quantity.h"
#include "dsl/short_list.h"
#include "hw_profiles/types.h"

namespace operator_models {

using hw_profiles::Precision;

/// A size or a count as a number to compute with.
constexpr double real(std::integral auto count) { return static_cast<double>(count); }

/// Which pass a GEMM belongs to: its operands lie in memory one way or another (BLAS: TN, NN, NT).
enum class GemmPass { forward, dgrad, wgrad };
inline const char* name(GemmPass p) { return dsl::word_of(p); }

/// The operators that tables of inference engines time together with the first GEMM of a rank's experts. `tokens` of
/// all ranks, each with `top_k` copies, are sorted; the activation leaves `ffn` columns; a second GEMM and a weighted
/// sum follow.
struct ExpertLayer {
  int64_t ffn = 0, tokens = 0, top_k = 0;  // 0: the GEMM alone
};

/// C[m,n] (+)= A[m,k] * B[k,n], `batch` times. FLOP = 2*batch*m*n*k.
struct Gemm {
  int64_t batch = 1, m = 0, n = 0, k = 0;
  Precision precision = Precision::bf16;
  double a_bytes = 2, b_bytes = 2, c_bytes = 2;  // per element
  GemmPass pass = GemmPass::forward;
  bool accumulate = false;  // C is read as well (weight gradients into a main gradient)
  bool unaligned = false;   // a row of A, B or C is not a multiple of 16 bytes: loads are narrow
  bool grouped = false;     // `batch` experts in one kernel, each with its own rows
  ExpertLayer layer = {};   // of measurements alone
};

inline double gemm_flops(const Gemm& g) { return 2 * real(g.batch) * real(g.m) * real(g.n) * real(g.k); }

/// Fused (flash) attention of `batch` sequences: softmax(QK^T)V without writing the scores.
/// Forward FLOP = 2*batch*heads*pairs*(head_dim + value_dim), backward 2.5 times that; pairs: q*kv (full square; a
/// causal kernel does half, a windowed one its band).
struct Attention {
  std::string kernel;  // row of the calibration: flash2, triton-flash, te, cudnn-fused ...
  int64_t batch = 1, heads = 1, kv_heads = 1, queries = 0, keys = 0, head_dim = 0;
  bool causal = true, backward = false;
  Precision precision = Precision::bf16;
  int64_t value_dim = 0;  // width of a value head; 0: as head_dim
  int64_t window = 0;     // keys that a query looks back; 0: all
  bool cached = false;    // K and V are also written into a cache (the prefill of an inference engine)
  int64_t selected = 0;   // keys gathered for each query (DSA, NSA, block-sparse); 0: all
};

/// A recurrent mixer's update of its state for each token: "selective" (Mamba-1, arXiv:2312.00752), "state-space"
/// (Mamba-2's SSD, arXiv:2405.21060), "decay" (retention, lightning: arXiv:2307.08621, 2401.04658), "delta" (gated
/// delta net, arXiv:2412.06464), "channel-delta" (KDA, arXiv:2510.26692), "rwkv7" (arXiv:2503.14456).
enum class ScanRule { selective, state_space, decay, delta, channel_delta, rwkv7 };
inline constexpr auto& kScanRuleNames = dsl::kEnumWords<ScanRule>;
inline const char* name(ScanRule r) { return kScanRuleNames[static_cast<size_t>(r)]; }

/// A recurrent mixer in its chunk-wise parallel form: `length` steps of each of `batch` sequences. Each of `heads` has
/// a state of key_dim x value_dim. FLOP and traffic: scan_work.h.
struct Scan {
  ScanRule rule = ScanRule::state_space;
  int64_t batch = 1, heads = 1;
  int64_t key_heads = 1;  // groups of heads that share keys and queries (B and C of a state space)
  int64_t length = 0;
  int64_t key_dim = 0;  // state for each value
  int64_t value_dim = 0, chunk = 64;
  Precision precision = Precision::bf16;
  bool backward = false;
};

/// Picks `top_k` of the keys for each query (the indexer of DeepSeek-V3.2, arXiv:2512.02556): scores of `heads` narrow
/// heads against one key head, then the choice. Forward FLOP = 2 * batch * heads * head_dim * pairs.
struct Selection {
  int64_t batch = 1, queries = 0, keys = 0, heads = 1, head_dim = 0;
  int64_t top_k = 0;  // 0: scores alone, as tables time them
  bool causal = true;
  Precision precision = Precision::bf16;
  bool backward = false;
};

/// A kernel bound by memory: normalisation, softmax, dropout, activation, residual, RoPE, loss, cast, norm, x^y,
/// causal short convolution (flops_per_element: 2 * its width), mixing of residual streams (hyper-connections).
enum class VectorKind {
  normalization,
  softmax,
  dropout,
  elementwise,
  activation,
  rope,
  cross_entropy,
  reduction,
  cast,
  permutation,
  power,
  convolution,
  hyper_connection
};
inline constexpr std::array kVectorKindNames{
    "normalization", "softmax",     "dropout", "elementwise", "activation",      "rope", "cross-entropy", "reduction",
    "cast",          "permutation", "power",   "convolution", "hyper-connection"};
inline const char* name(VectorKind k) { return kVectorKindNames[static_cast<size_t>(k)]; }
struct Vector {
  VectorKind kind = VectorKind::elementwise;
  double elements = 0;       // elements of the largest operand
  dsl::Bytes read, written;  // traffic to device memory
  double flops_per_element = 1;
  int64_t width = 0;      // elements of a row that is reduced (norms, softmax); 0: unknown
  bool backward = false;  // a kernel of the backward pass
  bool called = false;    // timed as a single call of an eager framework, which has its own floor
  bool joined = false;    // part of another kernel: without its own launch
};

/// Rows gathered from (forward) or added into (backward) a table. `lookup: reuse` also reads two numbers, each 0 if
/// unknown: `distinct` rows of the table among them, and `bags` that their sums go to (one for each sample).
struct Lookup {
  int64_t rows = 0, width = 0;
  double bytes_per_element = 2;
  bool backward = false;
  double distinct = 0, bags = 0;
};

/// Bytes of an optimizer's values, whatever the precision of the GEMMs: fp32.
inline constexpr double kUpdateWord = 4;

/// One pass of an optimizer over its share of the parameters.
struct Update {
  std::string algorithm;  // adam, lamb-stage1, ... (a name for display)
  double parameters = 0;
  double read_bytes = 0, written_bytes = 0;  // per parameter
  double flops_per_parameter = 0;
  int64_t kernels = 1;  // launches (multi-tensor or per tensor)
  // Units near memory: commands on registers, for each word of a parameter, in addition to one for each read and write;
  // values that each unit sums up.
  double register_commands = 0;
  int64_t sums = 0;
  bool over_all = false;  // the sum of all parameters: all of them wait for it
};

/// The placement of the ranks of a group: `inside[t]` ranks share one domain of network tier t (innermost first; the
/// last entry is `ranks`). {8, 64}: 64 ranks, 8 in each node.
struct Group {
  int64_t ranks = 1;
  dsl::ShortList<int64_t, 4> inside;
};

enum class CollectiveKind { all_reduce, all_gather, reduce_scatter, all_to_all, broadcast };
inline constexpr std::array kCollectiveNames{"all-reduce", "all-gather", "reduce-scatter", "all-to-all", "broadcast"};
inline const char* name(CollectiveKind k) { return kCollectiveNames[static_cast<size_t>(k)]; }

/// `bytes`: all-reduce: the buffer; all-gather: the gathered size; reduce-scatter: the input size; all-to-all: the
/// bytes that one rank sends in all (nccl-tests' convention).
struct Collective {
  CollectiveKind kind = CollectiveKind::all_reduce;
  dsl::Bytes bytes;
  Group group;
  double crossing =
      1;  // all-to-all: bytes that leave a node, over those of an even spread (one copy per node: below 1)
  bool in_switch = true;  // all-reduce: of a type that a switch can add (floating point)
  bool dealt = false;     // all-to-all: a kernel on some compute units sends each token once to each rank (DeepEP)
};

/// One message between neighbours of a pipeline, or one dealt out to several `peers`. `tier`: the network tier it
/// crosses. `along_rail`: between GPUs at the same place of their nodes, whose network adapters share a switch.
/// `messages`: the number of messages that the bytes are cut into; each starts while those before are still under way.
struct SendRecv {
  dsl::Bytes bytes;
  int64_t tier = 0;
  int64_t peers = 1;
  bool along_rail = false;
  int64_t messages = 1;
};

/// Bytes between a GPU and the memory of its host.
enum class HostDirection { to_host, to_device };
inline const char* name(HostDirection d) { return dsl::word_of(d); }
struct HostCopy {
  dsl::Bytes bytes;
  HostDirection direction = HostDirection::to_host;
};

/// A pass of an optimizer on the host over the optimizer state of one GPU.
struct HostUpdate {
  Update update;
};

/// A pass of an optimizer on units next to the banks of the device's memory.
struct NearUpdate {
  Update update;
};

/// GEMMs that a device gets at once. Measurements use these; a workload expresses independence by edges.
struct ConcurrentGemms {
  Gemm gemm;
  int64_t at_once = 1;
  bool both_gradients = false;  // each second one is the weight gradient of the layer whose data gradient `gemm` is
  double alone_seconds = 0;     // of one where that was measured, of a pair half of both; 0: from its own model
  bool back_to_back = false;    // on each stream one after the other, without a wait for the others
};

using Operator = std::variant<Gemm, Attention, Vector, Lookup, Update, Collective, SendRecv, HostCopy, HostUpdate,
                              NearUpdate, ConcurrentGemms, Scan, Selection>;

}  // namespace operator_models
