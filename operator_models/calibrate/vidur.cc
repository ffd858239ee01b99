#include "operator_models/calibrate/vidur.h"

#include <fmt/format.h>

#include <algorithm>

namespace operator_models {

std::optional<VidurBlock> read_vidur_block(const TableColumns& columns, size_t row) {
  const auto tokens = columns.count(row, "num_tokens"), workers = columns.count(row, "num_tensor_parallel_workers"),
             heads = columns.count(row, "n_head"), kv_heads = columns.count(row, "n_kv_head"),
             hidden = columns.count(row, "n_embd"), ffn = columns.count(row, "n_expanded_embd");
  const auto gated = columns.flag(row, "use_gated_mlp");
  if (!tokens || !workers || !heads || !kv_heads || !hidden || !ffn || !gated) return std::nullopt;
  const int64_t shared = std::min(*hidden, *ffn);
  if (*hidden % *heads != 0)
    return columns.wrong(row, "n_head", fmt::format("{} heads do not divide an n_embd of {}", *heads, *hidden));
  if (*kv_heads > *heads)
    return columns.wrong(row, "n_kv_head", fmt::format("{} KV heads for {} heads", *kv_heads, *heads));
  if (*workers > shared)
    return columns.wrong(row, "num_tensor_parallel_workers",
                         fmt::format("{} workers cannot share {} columns", *workers, shared));
  return VidurBlock{*tokens, *workers, *heads, *kv_heads, *hidden / *heads, *hidden, *ffn, *gated};
}

}  // namespace operator_models
