// Measurements of a training run, to be compared with its plan.
#pragma once

#include <array>
#include <optional>

#include "planner/plan/breakdown.h"
#include "planner/plan/memory.h"
#include "planner/plan/throughput.h"

namespace planner {

enum class MemoryKind { none, allocated, reserved, device };
inline constexpr std::array kMemoryKindNames{"", "allocated", "reserved", "device"};

/// A rate that a source prints in place of the time of a step.
struct MeasuredRate {
  double Throughput::*of = nullptr;
  double value = 0;  // in the unit of the member
};

struct Measurement {
  std::optional<double> seconds;       // of one optimizer step
  std::optional<MeasuredRate> rate;    // in place of seconds
  std::optional<double> memory_bytes;  // peak of one GPU
  MemoryKind memory_kind = MemoryKind::none;

  bool has_time() const { return seconds || rate; }
};

/// Returns the measured seconds; for a rate, those that the plan would take at it: rates count the work of a step,
/// which only its plan knows. REQUIRES: has_time().
inline double measured_seconds(const Measurement& m, const StepTime& step, const Throughput& planned) {
  return m.seconds ? *m.seconds : step.seconds * (planned.*m.rate->of) / m.rate->value;
}

/// Returns the peak of the kind that was measured.
inline double peak_of(const MemoryPeaks& planned, MemoryKind kind) {
  return kind == MemoryKind::allocated  ? planned.allocated_bytes
         : kind == MemoryKind::reserved ? planned.reserved_bytes
                                        : planned.device.peak_bytes;
}

}  // namespace planner
