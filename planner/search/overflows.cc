#include "planner/search/overflows.h"

#include "planner/search/readers.h"
#include "planner/search/refusals.h"

namespace planner {

Overflows::Overflows(const OpenScenario& open, const std::vector<size_t>& order, size_t free_from)
    : free_from_(free_from) {
  for (size_t levels = free_from; levels <= order.size(); ++levels) {
    Kept<Known>& kept = kept_.emplace_back(1);
    for (size_t level = 0; level < levels; ++level) {
      const dsl::OpenItem& item = open.space.items()[order[level]];
      if (item.field && item.path != "parallelism.microbatch" && (readers_of(item.path) & kMemory)) kept.reads(level);
    }
  }
}

Overflows::Known& Overflows::at(size_t levels, const LevelWords& words, uint64_t neighbours) {
  bool is_new = false;
  return kept_[levels - free_from_].at(words, {neighbours}, is_new);
}

const MemoryPeaks* Overflows::with_less(const Scenario& s, size_t levels, const LevelWords& words,
                                        uint64_t neighbours) {
  // A step of one microbatch may need no room for gradients beside its activations.
  if (makes_gradients_late(s)) return nullptr;
  const Known& known = at(levels, words, neighbours);
  return known.microbatch > 0 && known.microbatch < s.parallelism.microbatch ? &known.least : nullptr;
}

void Overflows::note(const Scenario& s, size_t levels, const LevelWords& words, uint64_t neighbours,
                     const MemoryPeaks& least) {
  if (!least.device.overflows()) return;
  Known& known = at(levels, words, neighbours);
  if (known.microbatch == 0 || s.parallelism.microbatch < known.microbatch) known = {s.parallelism.microbatch, least};
}

size_t Overflows::bytes() const {
  size_t bytes = 0;
  for (const Kept<Known>& kept : kept_) bytes += kept.bytes();
  return bytes;
}

void Overflows::forget() {
  for (Kept<Known>& kept : kept_) kept.clear();
}

}  // namespace planner
