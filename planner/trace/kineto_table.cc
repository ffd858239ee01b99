#include "planner/trace/kineto_table.h"

#include <algorithm>
#include <array>
#include <span>

namespace planner::trace {
namespace {

struct CategoryRow {
  std::string_view name;
  Kind kind;
};
// libkineto's ActivityType.cpp of 2021 to 2025; the first names are those of PyTorch 1.8 and 1.9.
constexpr std::array kCategories{
    CategoryRow{"Operator", Kind::op},
    CategoryRow{"Runtime", Kind::runtime},
    CategoryRow{"Kernel", Kind::kernel},
    CategoryRow{"Memcpy", Kind::copy},
    CategoryRow{"Memset", Kind::fill},
    CategoryRow{"cpu_op", Kind::op},
    CategoryRow{"user_annotation", Kind::annotation},
    CategoryRow{"cuda_runtime", Kind::runtime},
    CategoryRow{"cuda_driver", Kind::runtime},
    CategoryRow{"hip_runtime", Kind::runtime},
    CategoryRow{"privateuse1_runtime", Kind::runtime},
    CategoryRow{"privateuse1_driver", Kind::runtime},
    CategoryRow{"cuda_sync", Kind::sync},
    CategoryRow{"kernel", Kind::kernel},
    CategoryRow{"gpu_memcpy", Kind::copy},
    CategoryRow{"gpu_memset", Kind::fill},
};

// NCCL's kernels, RCCL's, and those of other libraries whose names end in CCL (HCCL, oneCCL).
constexpr std::array<std::string_view, 4> kCommunication{"nccl", "rccl", "hccl", "oneccl"};
// Kernels that communicate by themselves: of vLLM, of PyTorch's symmetric memory, of Transformer Engine, of NVSHMEM.
constexpr std::array<std::string_view, 6> kCommunicate{"cross_device_reduce", "multimem_all_reduce",
                                                       "one_shot_all_reduce", "two_shot_all_reduce",
                                                       "userbuffers",         "nvshmem"};
constexpr std::array<std::string_view, 3> kMemory{"Memcpy", "Memset", "dma"};

bool starts_with_one_of(std::string_view name, std::span<const std::string_view> prefixes) {
  return std::ranges::any_of(prefixes, [&](std::string_view prefix) { return name.starts_with(prefix); });
}
bool has_one_of(std::string_view name, std::span<const std::string_view> words) {
  return std::ranges::any_of(words, [&](std::string_view word) { return name.find(word) != std::string_view::npos; });
}

}  // namespace

std::optional<Kind> kind_of(std::string_view category) {
  for (const CategoryRow& row : kCategories)
    if (row.name == category) return row.kind;
  return std::nullopt;
}

Role role_of(Kind kind, std::string_view name) {
  if (kind != Kind::kernel || starts_with_one_of(name, kMemory)) return Role::memory;
  const bool communicates = starts_with_one_of(name, kCommunication) || has_one_of(name, kCommunicate);
  return communicates ? Role::communication : Role::compute;
}

std::string_view without_parameters(std::string_view kernel) { return kernel.substr(0, kernel.find('(', 1)); }

bool is_step(std::string_view annotation) { return annotation.starts_with("ProfilerStep#"); }

}  // namespace planner::trace
