// The readers of tables: one for each kind of measurement. docs/calibrating.md has their layouts.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "operator_models/calibrate/measured_file.h"

namespace operator_models {

/// Appends to the set. Diagnosed with places: no layout knows these columns, a text in a number, a unit that
/// contradicts its header, a time of zero or less, more than the machine's peak.
using MeasuredReader = void (*)(const MeasuredTable& table);

/// Dimensions: batch, heads, kv_heads, keys; head_dim groups alone.
void read_attentions(const MeasuredTable& table);

/// Dimensions: op, layout ("10x8": ten nodes of eight), size_bytes, type if a column gives it, and run if everything
/// was measured equally often.
void read_collectives(const MeasuredTable& table);

/// Identical GEMMs that were started together. Columns: m, n, k, at_once, time_us. Optional: batch, layout (TN forward,
/// NN data gradient, NT weight gradient, NN+NT a data gradient next to each weight gradient of its layer) and
/// precision; the defaults are 1, TN and that of the task.
/// The time of several GEMMs is relative to the rows of each alone. Without at_once and time, the rows are only shapes,
/// and the local model gives the time for each number. A predictor trained on them is `assumed`.
/// Also diagnosed: several GEMMs whose shape has no row for one alone.
void read_concurrency(const MeasuredTable& table);

/// A rank's experts: the mixture layer behind its router, as inference engines time it. Dimensions: the layer (hidden x
/// inner x top-k x experts), and for groups alone tp, ep and tokens. Rows of uneven loads are skipped: they do not give
/// the load of the fullest rank.
void read_experts(const MeasuredTable& table);

/// Dimensions: m, n, k, pass (forward, dgrad, wgrad), op (linear, bmm, grouped) and model (if a table of one model's
/// layers is a file). Rows of another precision than requested, or of another GPU, are skipped. A table with no row of
/// that precision is an error.
void read_gemms(const MeasuredTable& table);

/// Operator lists of measured training iterations: a trace of PyTorch operators (name, target, input_shapes,
/// output_shape, fw_ms, bw_ms). The backward pass of a product is two products of half its time each. Dimensions: run;
/// errors also by op ("large" from 3e10 FLOP or 16 million elements on) and pass.
/// Operators without an algorithmic cost (views, sizes) are skipped. Also diagnosed: rows of more than one GPU, an
/// invalid shape.
void read_iterations(const MeasuredTable& table);

/// Embedding lookups: sums of several rows for each sample, and their backward pass. Columns:
/// `table_rows,dim,samples,pooling,backward,time_us`. Optional: `precision` (default fp32) and `distinct`, the number
/// of table rows that are used. Without `distinct`, indices are uniform draws. Dimensions: the first four.
void read_lookups(const MeasuredTable& table);

/// Recurrent mixers. A time of forward and backward together becomes that of backward, where the table has the forward
/// pass of the same shape. Dimensions: batch, heads, length; rule groups alone.
void read_scans(const MeasuredTable& table);

/// The choice of keys. Columns `batch,heads,queries,keys,head_dim,top_k,backward,time_us`, or a table that times scores
/// and choice apart: the scores alone, and the sum where both were measured. Dimensions: batch, queries, keys.
void read_selections(const MeasuredTable& table);

/// Kernels that are bound by memory. Dimensions: rows, columns, model (a traced run, else the file), op. More bytes per
/// second than the memory can move, of more bytes than the cache holds, is a warning.
void read_vectors(const MeasuredTable& table);

/// The collective that a name holds, however it is written: "all_reduce_perf", "alltoall", "h100_all-gather.log" ->
/// "all-reduce", "all-to-all", "all-gather"; "send-recv" among them.
std::optional<std::string> collective_in(std::string_view name);
/// Returns the kind for a name from `collective_in`; nullopt for "send-recv".
std::optional<CollectiveKind> collective_kind(std::string_view name);

}  // namespace operator_models
