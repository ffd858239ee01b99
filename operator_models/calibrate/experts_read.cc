#include <fmt/format.h>

#include <algorithm>

#include "operator_models/calibrate/readers.h"
#include "operator_models/models.h"

namespace operator_models {
namespace {

constexpr double kMostCopies = 1e15;  // whole numbers of a double end a little above

/// A row: a layer, how many ranks share it, and tokens of all of them.
struct ExpertRow {
  int64_t hidden = 0, inner = 0, top_k = 0, experts = 0, tp = 1, ep = 1, tokens = 0;
  bool gated = true;
};

std::optional<ExpertRow> layer_of(RowCells cells) {
  const ExpertRow l{.hidden = cells.count("hidden_size"),
                    .inner = cells.count("inter_size"),
                    .top_k = cells.count("topk"),
                    .experts = cells.count("num_experts"),
                    .tp = cells.count("tp"),
                    .ep = cells.count("ep"),
                    .tokens = cells.count("num_tokens"),
                    .gated = cells.flag("gated")};
  if (!cells.whole()) return std::nullopt;
  if (l.inner % l.tp != 0) cells.wrong("tp", fmt::format("does not divide inter_size {}", l.inner));
  else if (l.experts % l.ep != 0) cells.wrong("ep", fmt::format("does not divide num_experts {}", l.experts));
  else if (l.top_k > l.experts) cells.wrong("topk", fmt::format("is above num_experts {}", l.experts));
  else if (real(l.tokens) * real(l.top_k) > kMostCopies)
    cells.wrong("num_tokens", fmt::format("more than {:g} copies of tokens", kMostCopies));
  return cells.whole() ? std::optional(l) : std::nullopt;
}

/// The first GEMM of one rank, of copies dealt out evenly: fewer copies than experts leave some without any.
Gemm first_gemm(const ExpertRow& l, Precision precision) {
  const double copies = real(l.tokens) * real(l.top_k) / real(l.ep);
  const int64_t all = std::max<int64_t>(1, static_cast<int64_t>(copies)), held = l.experts / l.ep;
  const int64_t used = std::min(held, all), ffn = l.inner / l.tp;
  return {.batch = used,
          .m = (all + used - 1) / used,
          .n = l.gated ? 2 * ffn : ffn,
          .k = l.hidden,
          .precision = precision,
          .a_bytes = operand_bytes(precision),
          .b_bytes = operand_bytes(precision),
          .grouped = true,
          .layer = {.ffn = ffn, .tokens = l.tokens, .top_k = l.top_k}};
}

void read_layer_time(const MeasuredTable& table, size_t row, const std::string& time) {
  RowCells cells = table.cells(row);
  const double uneven = cells.has("imbalance") ? cells.amount("imbalance") : 0;
  const Precision precision = cells.precision(table.task.precision);
  const auto layer = layer_of(table.cells(row));
  const double seconds = cells.seconds(time);
  if (!layer || !cells.whole()) return;
  if (uneven > 0 || precision != table.task.precision) return table.pass_over();
  const Gemm op = first_gemm(*layer, precision);
  const double flops = 2.0 * real(op.batch) * real(op.m - 1) * real(op.k) * real(op.n + op.layer.ffn);
  if (table.above_peak(row, time, flops, seconds, precision)) return;
  table.add(row, time, op, seconds,
            {fmt::format("{}x{}x{}x{}", layer->hidden, layer->inner, layer->top_k, layer->experts),
             std::to_string(layer->tp), std::to_string(layer->ep), std::to_string(layer->tokens)});
}

}  // namespace

void read_experts(const MeasuredTable& table) {
  const TableColumns& columns = table.columns;
  const auto time = columns.time_column({"latency", "time"});
  if (!time ||
      !columns.has_all({"hidden_size", "inter_size", "topk", "num_experts", "gated", "tp", "ep", "num_tokens"}))
    return columns.unknown_layout(
        "hidden_size,inter_size,topk,num_experts,gated,tp,ep,num_tokens and a time such as "
        "latency_us");
  table.set.dimensions = {"layer", "tp", "ep", "tokens"};
  table.set.only_grouped = 3;
  for (size_t row : table.file.rows) read_layer_time(table, row, *time);
}

}  // namespace operator_models
