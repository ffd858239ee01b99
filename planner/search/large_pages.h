// Memory of a walk in large pages: the kernel has fewer to clear, and the processor fewer to look up.
#pragma once

namespace planner {

/// Has what the thread allocates next stand in large pages, where the system gives them to who asks. A system that has
/// none does nothing.
void prefer_large_pages();

}  // namespace planner
