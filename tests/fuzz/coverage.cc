// Coverage for libFuzzer from g++, which marks every branch by a call: counters in this section are libFuzzer's own.
#include <cstddef>
#include <cstdint>

namespace {

// Branches that share a counter look alike. With more counters it takes longer to clear them than to run.
constexpr size_t kCounters = size_t{1} << 16;
__attribute__((section("__libfuzzer_extra_counters"), used)) uint8_t counters[kCounters];

}  // namespace

extern "C" void __sanitizer_cov_trace_pc() {
  const auto branch = reinterpret_cast<uintptr_t>(__builtin_return_address(0));
  ++counters[(branch ^ (branch >> 16)) % kCounters];
}
