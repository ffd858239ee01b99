#include "planner/search/refusals.h"

#include "planner/plan/fits.h"
#include "planner/plan/violations.h"

namespace planner {

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

const char* refusal_name(const dsl::Condition& condition) {
  return condition.field->path == kProgramRules ? kProgramRule : refusal_name(dsl::Refusal::where);
}

void add_overflows(const MemoryPeaks& memory, std::vector<std::string>& rules) {
  if (memory.device.overflows()) rules.emplace_back(kMemoryRule);
  if (memory.host.overflows()) rules.emplace_back(kHostMemoryRule);
}

const char* overflow(const MemoryPeaks& memory) {
  if (memory.device.overflows()) return kMemoryRule;
  return memory.host.overflows() ? kHostMemoryRule : nullptr;
}

Excess memory_excess(const MemoryPeaks& memory) {
  return {overflow(memory) != nullptr, memory.device.excess() + memory.host.excess()};
}

}  // namespace planner
