// Ctrl-C of a command that prints what it found so far.
#pragma once

#include <atomic>

namespace cli {

/// Set by Ctrl-C while an Interruptible lives; whoever starts a walk clears it.
std::atomic<bool>& interrupted();

/// While it lives Ctrl-C sets `interrupted` and does not end the program.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  void (*before_)(int);
};

}  // namespace cli
