// Ctrl-C, SIGTERM or SIGHUP to a command that prints what it found so far.
#pragma once

#include <atomic>

namespace cli {

/// Set by the first of these signals while an Interruptible lives; whoever starts a walk clears it.
std::atomic<bool>& interrupted();

/// While it lives SIGINT (Ctrl-C), SIGTERM (schedulers, `kill`) and SIGHUP (a terminal that closes) set `interrupted`
/// and do not end the program. A SIGHUP that is ignored, as under `nohup`, stays so.
class Interruptible {
 public:
  Interruptible();
  ~Interruptible();
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

 private:
  using Handler = void (*)(int);
  Handler interrupt_, terminate_, hangup_;  // before
};

}  // namespace cli
