// The known architectures of Hugging Face configurations: one row each.
#pragma once

#include "planner/import/hf_architecture.h"

namespace planner::hf {

std::span<const Architecture> architectures();

// Rows by their difference from those of hf_table.cc, a file each.
/// Decoders whose keys have the names of Llama's, and older ones.
std::span<const Architecture> plain_families();
/// Models with recurrent layers of Mamba.
std::span<const Architecture> recurrent_families();

}  // namespace planner::hf
