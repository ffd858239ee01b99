#include "planner/search/refusals.h"

#include <algorithm>

#include "planner/plan/fits.h"

namespace planner {
namespace {

constexpr const char* kHostRule = "host-memory";

bool overflows_host(const MemoryPeaks& memory) { return memory.host_bytes > memory.host_capacity_bytes; }

}  // namespace

bool overflows_device(const MemoryPeaks& memory) { return memory.peak_bytes > memory.usable_bytes; }

bool is_uncertain(const MemoryPeaks& memory) {
  return memory.peak_bytes > most_bytes(memory.error, kLeastFitting, memory.capacity_bytes);
}

const char* refusal_name(dsl::Refusal refusal) {
  switch (refusal) {
    case dsl::Refusal::divisibility:
      return "divisibility";
    case dsl::Refusal::value:
      return "value";
    case dsl::Refusal::where:
      return "where";
    case dsl::Refusal::none:
      break;
  }
  return nullptr;
}

void add_overflows(const MemoryPeaks& memory, std::vector<std::string>& rules) {
  if (overflows_device(memory)) rules.emplace_back(kMemoryRule);
  if (overflows_host(memory)) rules.emplace_back(kHostRule);
}

const char* overflow(const MemoryPeaks& memory) {
  if (overflows_device(memory)) return kMemoryRule;
  return overflows_host(memory) ? kHostRule : nullptr;
}

double memory_excess(const MemoryPeaks& memory) {
  const auto over = [](double bytes, double capacity) { return bytes > capacity ? bytes / capacity - 1 : 0; };
  return over(memory.peak_bytes, memory.usable_bytes) + over(memory.host_bytes, memory.host_capacity_bytes);
}

}  // namespace planner
