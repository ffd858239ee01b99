// What was measured of a training run, to be compared with its plan.
#pragma once

#include <optional>

namespace planner {

enum class MemoryKind { none, allocated, reserved, device };

struct Measurement {
  std::optional<double> seconds;       // of one optimizer step
  std::optional<double> memory_bytes;  // peak of one GPU
  MemoryKind memory_kind = MemoryKind::none;
};

}  // namespace planner
