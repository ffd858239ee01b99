// A measured training run, one row of a table like runs.csv.
//
// The inputs of a prediction have a type of their own: RunConfig has no id, no source, no group, no quality, no notes
// and no measurements.
//
// Rows of a vendor's table of results: a model and a machine by name, a layout, a rate.
#pragma once

#include <array>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "dsl/csv.h"
#include "planner/plan/measurement.h"

namespace planner {

using Count = std::optional<int64_t>;  // empty: the cell is

/// The configuration of a run, under the names of its columns.
struct RunConfig {
  // model and task
  std::string task, family, model_name, attention;
  Count layers, hidden, ffn_hidden, heads, kv_heads, head_dim, vocab, seq_len, gated_mlp, tied_embeddings;
  Count experts, top_k, moe_ffn_hidden, shared_experts, dense_first_layers;
  std::string gpu;
  Count gpus_per_node, n_gpus;
  std::string intra_node_link, inter_node_link;
  std::string precision, optimizer, software, overlap_flags, attention_kernel, framework;
  Count flash_attention, grad_bytes, global_batch;
  Count year;  // of the program
  // the layout
  Count tp, pp, dp, ep, cp, vpp, sequence_parallel, zero_group, microbatch;
  std::string zero_stage;  // a number, or text for hybrids
  std::string recompute;
  // A row that names a file has no other fields: the run as a user would write it.
  std::string file, scenario;  // its name, and its text
};

/// A column that a prediction reads.
struct ConfigColumn {
  const char* name;
  std::variant<std::string RunConfig::*, Count RunConfig::*> member;
  bool layout = false;  // runs of one problem may differ here
  bool needed = false;  // a table without this column is refused
};
std::span<const ConfigColumn> config_columns();
/// The value of a column as text; empty if the cell is.
std::string config_text(const RunConfig& config, const ConfigColumn& column);

struct Run {
  RunConfig config;
  Measurement measured;
  std::string id, group, quality;  // labels: printed, never read by a prediction
  size_t row = 0;                  // of the table
  std::string trace;               // files whose marked steps give the time, instead of seconds; "": none
  dsl::Span trace_place, file_place;
};

/// Every row as a run. A table with a column `file` names scenarios, and their measurements in `quantity` and
/// `measured`. Diagnosed: a missing required column, an invalid count, a measurement that is not above zero, an unknown
/// quantity or memory kind, a time both in seconds and in a trace.
std::vector<Run> read_runs(const dsl::CsvTable& table, dsl::Diagnostics& diagnostics);

/// Columns that such a table needs.
inline constexpr std::array kVendorColumns{"model", "system", "gpus", "tokens_per_s_per_gpu"};

/// The run as a user would write it: `cell` returns the text of a column, empty if the table lacks it. Names are those
/// of the catalogue, with any spelling of case, '_' and '-'. Without a column `software` the program is
/// Megatron-Bridge, the source of these tables, in the row's release.
std::string vendor_scenario(const std::function<std::string(const char*)>& cell);

}  // namespace planner
