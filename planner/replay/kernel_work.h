// The kind of work of kernels and copies, by the names that libraries use: the only place where a name decides.
#pragma once

#include <cstdint>
#include <string_view>

#include "hw_profiles/types.h"
#include "planner/trace/trace.h"

namespace planner::replay {

/// The limit of a piece of a device's work, if its shape is unknown.
enum class KernelWork : uint8_t {
  matrix,       // GEMMs and convolutions: the peak of a precision
  attention,    // fused: the same
  vector,       // all other kernels: the device's memory
  collective,   // the network
  host_copy,    // the link to the host
  device_copy,  // copies within a device, and fills: its memory
  peer_copy     // another device
};
const char* name_of(KernelWork work);

/// Returns the kind of work of a device event.
KernelWork work_of(const trace::Event& event, std::string_view name);

/// Returns the precision in the name of a kernel that multiplies; fp32 if it has none.
hw_profiles::Precision precision_of_kernel(std::string_view name);

}  // namespace planner::replay
