// Work side by side on several threads.
#pragma once

#include <cstddef>
#include <functional>

namespace planner {

/// Calls work(0), ..., work(count - 1) concurrently, and waits for all of them. If the system has no more threads, the
/// last calls are left out: the others must share the work. An exception of a call is rethrown here.
void run_beside(size_t count, const std::function<void(size_t)>& work);

}  // namespace planner
