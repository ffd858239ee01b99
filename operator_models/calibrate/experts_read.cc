#include "operator_models/calibrate/experts_read.h"

#include <fmt/format.h>

#include <algorithm>

#include "operator_models/calibrate/columns.h"
#include "operator_models/calibrate/gemm_read.h"
#include "operator_models/models.h"

namespace operator_models {
namespace {

constexpr double kMostCopies = 1e15;  // whole numbers of a double end a little above

/// A row: a layer, how many ranks share it, and tokens of all of them.
struct Layer {
  int64_t hidden = 0, inner = 0, top_k = 0, experts = 0, tp = 1, ep = 1, tokens = 0;
  bool gated = true;
};

std::optional<Layer> layer_of(const Columns& columns, size_t row) {
  const auto hidden = columns.count(row, "hidden_size"), inner = columns.count(row, "inter_size"),
             top_k = columns.count(row, "topk"), experts = columns.count(row, "num_experts"),
             tp = columns.count(row, "tp"), ep = columns.count(row, "ep"), tokens = columns.count(row, "num_tokens");
  const auto gated = columns.flag(row, "gated");
  if (!hidden || !inner || !top_k || !experts || !tp || !ep || !tokens || !gated) return std::nullopt;
  if (*inner % *tp != 0) return columns.wrong(row, "tp", fmt::format("does not divide inter_size {}", *inner));
  if (*experts % *ep != 0) return columns.wrong(row, "ep", fmt::format("does not divide num_experts {}", *experts));
  if (*top_k > *experts) return columns.wrong(row, "topk", fmt::format("is above num_experts {}", *experts));
  if (real(*tokens) * real(*top_k) > kMostCopies)
    return columns.wrong(row, "num_tokens", fmt::format("more than {:g} copies of tokens", kMostCopies));
  return Layer{*hidden, *inner, *top_k, *experts, *tp, *ep, *tokens, *gated};
}

/// The first GEMM of one rank, of copies dealt out evenly: fewer copies than experts leave some without any.
Gemm first_gemm(const Layer& l, Precision precision) {
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

}  // namespace

void read_experts(const DataFile& file, const Task& task, const Machine& machine, SampleSet& set,
                  dsl::Diagnostics& diagnostics) {
  const Columns columns(file.table, diagnostics);
  const auto time = columns.time_column({"latency", "time"});
  if (!time ||
      !columns.has_all({"hidden_size", "inter_size", "topk", "num_experts", "gated", "tp", "ep", "num_tokens"}))
    return columns.unknown_layout(
        "hidden_size,inter_size,topk,num_experts,gated,tp,ep,num_tokens and a time such as "
        "latency_us");
  set.dimensions = {"layer", "tp", "ep", "tokens"};
  set.only_grouped = 3;
  for (size_t row : file.rows) {
    const auto uneven = columns.has("imbalance") ? columns.amount(row, "imbalance") : std::optional<double>(0);
    const auto precision = columns.precision(row, task.precision);
    const auto layer = layer_of(columns, row);
    const auto seconds = columns.seconds(row, *time);
    if (!uneven || !precision || !layer || !seconds) continue;
    if (*uneven > 0 || *precision != task.precision) {
      ++set.passed_over;
      continue;
    }
    const Gemm op = first_gemm(*layer, *precision);
    const double flops = 2.0 * real(op.batch) * real(op.m - 1) * real(op.k) * real(op.n + op.layer.ffn);
    if (above_peak(flops, *seconds, op.precision, machine, columns.place(row, *time), diagnostics)) continue;
    set.samples.push_back({op,
                           *seconds,
                           {fmt::format("{}x{}x{}x{}", layer->hidden, layer->inner, layer->top_k, layer->experts),
                            std::to_string(layer->tp), std::to_string(layer->ep), std::to_string(layer->tokens)},
                           file.counted[row] != 0,
                           columns.place(row, *time)});
  }
}

}  // namespace operator_models
