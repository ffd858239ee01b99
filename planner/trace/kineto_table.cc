#include "planner/trace/kineto_table.h"

#include <algorithm>
#include <array>

namespace planner::trace {
namespace {

struct CategoryRow {
  std::string_view name;
  EventKind kind;
};
// libkineto's ActivityType.cpp of 2021 to 2025; the first names are those of PyTorch 1.8 and 1.9.
constexpr std::array kCategories{
    CategoryRow{"Operator", EventKind::op},
    CategoryRow{"Runtime", EventKind::runtime},
    CategoryRow{"Kernel", EventKind::kernel},
    CategoryRow{"Memcpy", EventKind::copy},
    CategoryRow{"Memset", EventKind::fill},
    CategoryRow{"cpu_op", EventKind::op},
    CategoryRow{"user_annotation", EventKind::annotation},
    CategoryRow{"cuda_runtime", EventKind::runtime},
    CategoryRow{"cuda_driver", EventKind::runtime},
    CategoryRow{"hip_runtime", EventKind::runtime},
    CategoryRow{"privateuse1_runtime", EventKind::runtime},
    CategoryRow{"privateuse1_driver", EventKind::runtime},
    CategoryRow{"cuda_sync", EventKind::sync},
    CategoryRow{"kernel", EventKind::kernel},
    CategoryRow{"gpu_memcpy", EventKind::copy},
    CategoryRow{"gpu_memset", EventKind::fill},
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
    CategoryRow{"kernel", EventKind::kernel},    CategoryRow{"memcpy", EventKind::copy},
    CategoryRow{"memset", EventKind::fill},      CategoryRow{"_sync", EventKind::sync},
    CategoryRow{"_runtime", EventKind::runtime}, CategoryRow{"_driver", EventKind::runtime},
};

}  // namespace

Categorised categorised(std::string_view category) {
  for (const CategoryRow& row : kCategories)
    if (row.name == category) return {EventCategory::kept, row.kind};
  if (std::ranges::find(kLeft, category) != kLeft.end()) return {EventCategory::left};
  for (const CategoryRow& row : kEnds)
    if (category.ends_with(row.name)) return {EventCategory::guessed, row.kind};
  return {};
}

bool is_step(std::string_view annotation) { return annotation.starts_with(kStep); }

}  // namespace planner::trace
