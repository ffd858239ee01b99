#include "planner/trace/kineto_table.h"

#include <algorithm>
#include <array>

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

// The same file's, of which nothing is kept: what a device's annotations and collectives say stands among its kernels.
constexpr std::array<std::string_view, 17> kLeft{"python_function",
                                                 "Python",
                                                 "overhead",
                                                 "Overhead",
                                                 "cpu_instant_event",
                                                 "Trace",
                                                 "cuda_event",
                                                 "ac2g",
                                                 "fwdbwd",
                                                 "gpu_user_annotation",
                                                 "external_correlation",
                                                 "collective_comm",
                                                 "mtia_counters",
                                                 "mtia_insight",
                                                 "gpu_pm_counter",
                                                 "cuda_profiler_range",
                                                 "PyTorch Profiler"};

// Backends name theirs by these ends: "privateuse1_kernel", "mtia_kernel", "xpu_runtime".
constexpr std::array kEnds{
    CategoryRow{"kernel", Kind::kernel}, CategoryRow{"memcpy", Kind::copy},      CategoryRow{"memset", Kind::fill},
    CategoryRow{"_sync", Kind::sync},    CategoryRow{"_runtime", Kind::runtime}, CategoryRow{"_driver", Kind::runtime},
};

}  // namespace

Categorised categorised(std::string_view category) {
  for (const CategoryRow& row : kCategories)
    if (row.name == category) return {Category::kept, row.kind};
  if (std::ranges::find(kLeft, category) != kLeft.end()) return {Category::left};
  for (const CategoryRow& row : kEnds)
    if (category.ends_with(row.name)) return {Category::guessed, row.kind};
  return {};
}

bool is_step(std::string_view annotation) { return annotation.starts_with(kStep); }

}  // namespace planner::trace
