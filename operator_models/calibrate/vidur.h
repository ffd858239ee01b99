// Vidur's rows: the sizes of a transformer block, one of whose `workers` GPUs was measured.
#pragma once

#include <array>
#include <optional>

#include "operator_models/calibrate/columns.h"

namespace operator_models {

inline constexpr std::array<std::string_view, 7> kVidurColumns{
    "num_tokens", "num_tensor_parallel_workers", "n_head", "n_kv_head", "n_embd", "n_expanded_embd", "use_gated_mlp"};

struct VidurBlock {
  int64_t tokens = 0, workers = 0;
  int64_t heads = 0, kv_heads = 0, head_dim = 0;
  int64_t hidden = 0, ffn = 0;  // ffn: of the whole block
  bool gated = false;
};

/// Diagnosed, and none: a wrong cell, heads that do not divide the hidden columns, more KV heads than heads,
/// more workers than columns to share.
std::optional<VidurBlock> read_vidur_block(const TableColumns& columns, size_t row);

}  // namespace operator_models
