// Work side by side on several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace planner {

/// Calls work(0), ..., work(count - 1) at the same time, and waits for all of them. Where the system has no more
/// threads the last calls are left out: those that run must share the work. What a call throws is thrown here.
void run_beside(size_t count, const std::function<void(size_t)>& work);

}  // namespace planner
