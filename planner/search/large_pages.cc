#include "planner/search/large_pages.h"

#if __has_include(<sys/mman.h>)
#include <sys/mman.h>

#include <cstdint>
#include <cstdlib>
#endif

namespace planner {

// Memory freed at the end of a heap stays there for the next allocations (main.cc), with its advice.
void prefer_large_pages() {
#ifdef MADV_HUGEPAGE
  constexpr uintptr_t kBytes = 31 << 20, kPage = 4096;
  void* memory = std::malloc(kBytes);
  if (!memory) return;
  const uintptr_t begin = (reinterpret_cast<uintptr_t>(memory) + kPage - 1) / kPage * kPage;
  madvise(reinterpret_cast<void*>(begin), kBytes - kPage, MADV_HUGEPAGE);
  std::free(memory);
#endif
}

}  // namespace planner
