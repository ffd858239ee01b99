#include "planner/search/overflows.h"

#include <algorithm>
#include <array>

#include "planner/search/readers.h"
#include "planner/workload/passes/passes.h"

namespace planner {

Overflows::Overflows(const OpenScenario& open, const std::vector<size_t>& order, size_t free_from)
    : free_from_(free_from) {
  constexpr std::array kDecide{"software", "software.fsdp", "software.reduce_each_microbatch",
                               "software.memory.late_gradients"};
  for (const dsl::OpenItem& item : open.space.items())
    is_open_ = is_open_ || std::ranges::find(kDecide, item.path) != kDecide.end();
  for (size_t levels = free_from; levels <= order.size(); ++levels) {
    PartMemo<LeastOverflow>& kept = kept_.emplace_back(1);
    for (size_t level = 0; level < levels; ++level) {
      const dsl::OpenItem& item = open.space.items()[order[level]];
      if (item.field && item.path != "parallelism.microbatch" && (readers_of(item.path) & kMemory)) kept.reads(level);
    }
  }
}

Overflows::LeastOverflow& Overflows::at(size_t levels, const LevelWords& words, uint64_t neighbours) {
  return kept_[levels - free_from_].at(words, {neighbours}).value;
}

// Whether gradients may take less room where a step has one microbatch than where it has several: they take that of
// activations, or are not kept whole from one microbatch to the next (PyTorch FSDP, no_sync).
static bool accumulates(const Software& software) {
  return software.memory.late_gradients || (software.fsdp && !software.reduce_each_microbatch);
}

const MemoryPeaks* Overflows::with_less(const Scenario& s, size_t levels, const LevelWords& words,
                                        uint64_t neighbours) {
  // Of several candidates some may have one microbatch.
  const bool is_one = levels + 1 == free_from_ + kept_.size();
  if (is_one ? accumulates(s.software) && microbatches_of(s) == 1 : accumulates(s.software) || is_open_) return nullptr;
  const LeastOverflow& known = at(levels, words, neighbours);
  return known.microbatch > 0 && known.microbatch < s.parallelism.microbatch ? &known.least : nullptr;
}

void Overflows::note(const Scenario& s, size_t levels, const LevelWords& words, uint64_t neighbours,
                     const MemoryPeaks& least) {
  if (!least.device.overflows()) return;
  LeastOverflow& known = at(levels, words, neighbours);
  if (known.microbatch == 0 || s.parallelism.microbatch < known.microbatch) known = {s.parallelism.microbatch, least};
}

size_t Overflows::bytes() const {
  size_t bytes = 0;
  for (const PartMemo<LeastOverflow>& kept : kept_) bytes += kept.bytes();
  return bytes;
}

void Overflows::forget() {
  for (PartMemo<LeastOverflow>& kept : kept_) kept.clear();
}

}  // namespace planner
