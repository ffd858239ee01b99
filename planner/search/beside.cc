#include "planner/search/beside.h"

#include <exception>
#include <system_error>
#include <thread>
#include <vector>

namespace planner {

void run_beside(size_t count, const std::function<void(size_t)>& work) {
  std::vector<std::exception_ptr> thrown(count);
  const auto run = [&](size_t i) {
    try {
      work(i);
    } catch (...) {
      thrown[i] = std::current_exception();
    }
  };
  std::vector<std::thread> threads;
  threads.reserve(count);
  try {
    for (size_t i = 1; i < count; ++i) threads.emplace_back(run, i);
  } catch (const std::system_error&) {
    // No more threads: the first call below still runs, and those that have begun.
  }
  run(0);
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& exception : thrown)
    if (exception) std::rethrow_exception(exception);
}

}  // namespace planner
