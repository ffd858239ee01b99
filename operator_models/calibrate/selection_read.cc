#include <fmt/format.h>

#include <array>
#include <cmath>
#include <map>

#include "operator_models/attention_shape.h"
#include "operator_models/calibrate/readers.h"

namespace operator_models {
namespace {

/// GLM-5's indexer (config.json): 32 heads of 128, the 2048 best keys; scores in eight bits.
constexpr int64_t kHeads = 32, kWidth = 128, kChosen = 2048;
constexpr double kMostKeys = 1e12;
constexpr const char *kScores = "glm5_mqa_logits", *kChoice = "glm5_topk";

/// Of a row: gpu, batch, queries, keys before them.
using SelectionKey = std::array<std::string, 4>;

SelectionKey key_of(const RowCells& cells) {
  return {cells.text("gpu"), cells.text("batch_size"), cells.text("seq_len"), cells.text("prefix_len")};
}

/// Scores of every head against each key that a query sees.
double score_flops(const Selection& op) {
  return 2.0 * real(op.batch * op.heads * op.head_dim) * seen_pairs(op.queries, op.keys, op.causal, 0);
}

// A backward pass covers the chosen pairs alone.
void add_selection(const MeasuredTable& table, size_t row, const Selection& op, double seconds,
                   std::string_view column) {
  if (!op.backward && table.above_peak(row, column, score_flops(op), seconds, op.precision)) return;
  table.add(row, column, op, seconds, {std::to_string(op.batch), std::to_string(op.queries), std::to_string(op.keys)});
}

/// The indexer of one row; `top_k`: 0 for its scores alone.
Selection selection_of(RowCells& cells, int64_t top_k) {
  const int64_t batch = cells.count("batch_size"), queries = cells.count("seq_len");
  const double prefix = cells.amount("prefix_len");
  if (cells.whole() && (prefix != std::floor(prefix) || prefix > kMostKeys))
    cells.wrong("prefix_len", fmt::format("expected a whole number up to {:.0f}", kMostKeys));
  return {.batch = batch,
          .queries = queries,
          .keys = queries + static_cast<int64_t>(cells.whole() ? prefix : 0),
          .heads = kHeads,
          .head_dim = kWidth,
          .top_k = top_k,
          .precision = Precision::fp8};
}

/// aiconfigurator times the kernels of the scores and of the choice apart.
void read_parts(const MeasuredTable& table) {
  std::map<SelectionKey, double> scores;
  for (size_t row : table.file.rows) {
    RowCells cells = table.cells(row);
    if (cells.text("op") != kScores) continue;
    const Selection op = selection_of(cells, 0);
    const double seconds = cells.seconds("latency_us");
    if (!cells.whole()) continue;
    scores[key_of(cells)] = seconds;
    add_selection(table, row, op, seconds, "latency_us");
  }
  for (size_t row : table.file.rows) {
    RowCells cells = table.cells(row);
    const std::string& part = cells.text("op");
    const auto at = scores.find(key_of(cells));
    if (part != kChoice || at == scores.end()) {
      table.set.passed_over += part != kScores;
      continue;
    }
    const Selection op = selection_of(cells, kChosen);
    const double seconds = cells.seconds("latency_us");
    if (cells.whole()) add_selection(table, row, op, at->second + seconds, "latency_us");
  }
}

void read_measured_selection(const MeasuredTable& table, size_t row) {
  RowCells cells = table.cells(row);
  Selection op{.batch = cells.count("batch")};
  op.heads = cells.count("heads");
  op.queries = cells.count("queries");
  op.keys = cells.count("keys");
  op.head_dim = cells.count("head_dim");
  op.top_k = cells.count("top_k");
  op.backward = cells.flag("backward");
  op.precision = cells.precision(table.task.precision);
  const double seconds = cells.seconds("time_us");
  if (cells.whole() && op.queries > op.keys)
    cells.wrong("queries", fmt::format("{} queries of {} keys: the last query sees all keys", op.queries, op.keys));
  if (cells.whole()) add_selection(table, row, op, seconds, "time_us");
}

}  // namespace

void read_selections(const MeasuredTable& table) {
  const TableColumns& columns = table.columns;
  table.set.dimensions = {"batch", "queries", "keys"};
  if (columns.has_all({"gpu", "op", "batch_size", "seq_len", "prefix_len", "latency_us"})) return read_parts(table);
  if (!columns.has_all({"batch", "heads", "queries", "keys", "head_dim", "top_k", "backward", "time_us"}))
    return columns.unknown_layout(
        "batch,heads,queries,keys,head_dim,top_k,backward,time_us, or one of those that calibrating.md lists");
  for (size_t row : table.file.rows) read_measured_selection(table, row);
}

}  // namespace operator_models
