// How independent GEMMs share a device (Pati 2024, chapter 7).
#pragma once

#include <array>
#include <span>

namespace operator_models {

/// Who decides how many GEMMs run at once, and for which resources their kernels were chosen (section 7.4.5).
/// sequential: one after the other. default: all of them, with kernels that are best alone. go: all of them, with
/// kernels that are best at that number. goldyloc: the number that a predictor gives. oracle: the best number; one if
/// no number gains 5 %.
/// cu-partition: each on its part of the compute units. resource-partition: also its part of cache and bandwidth. "-go"
/// adds kernels that are best on such a part (section 7.5.9).
enum class Concurrency {
  sequential,
  greedy,
  go,
  goldyloc,
  oracle,
  cu_partition,
  resource_partition,
  cu_partition_go,
  resource_partition_go
};
inline constexpr std::array kConcurrencyNames{"sequential",         "default",         "go",
                                              "goldyloc",           "oracle",          "cu-partition",
                                              "resource-partition", "cu-partition-go", "resource-partition-go"};
inline std::span<const char* const> words(Concurrency) { return kConcurrencyNames; }

/// The successors of concurrent GEMMs. joined: an operator that needs all of them, as for the gradients of a layer.
/// back to back: the next GEMM on each stream, which waits for none of the others (instances of a job, layers along
/// their steps; section 7.4.3 measures this).
enum class StreamEnds { joined, back_to_back };

}  // namespace operator_models
