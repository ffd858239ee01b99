// --timing.
#pragma once

#include <chrono>
#include <ostream>
#include <string_view>

namespace cli {

/// Prints milliseconds since the last mark, or since it was made, on standard error where --timing asks for them.
class Stopwatch {
 public:
  Stopwatch(bool on, std::ostream& err) : on_(on), err_(err) {}
  void mark(std::string_view what, int decimals = 3);

 private:
  bool on_;
  std::ostream& err_;
  std::chrono::steady_clock::time_point last_ = std::chrono::steady_clock::now();
};

}  // namespace cli
