// Memory of a walk in large pages: the kernel has fewer to clear, and the processor fewer to look up.
#pragma once

namespace planner {

/// Requests large pages for the thread's next allocations, if the system supports that. Otherwise does nothing.
void prefer_large_pages();

}  // namespace planner
