// Ctrl-C, SIGTERM or SIGHUP to a command that prints its results so far.
#pragma once

#include <array>
#include <atomic>

#include "cli/commands/common.h"

namespace cli {

/// Set by the first of these signals while an Interruptible lives, and cleared where one begins.
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
  std::array<Handler, 3> before_;  // SIGHUP last
};

/// Names a result that is not whole: a line above the page and below the title of the picture, the member `interrupted`
/// of the document, and a column of that name, which `columns` then picks too.
void mark_interrupted(Report& report, std::vector<std::string>& columns);

/// Reports on standard error that the output is incomplete, except with --quiet. Returns the status.
int tell_interrupted(const CommonFlags& common, Streams& streams, const char* command);

/// Prints the results of a walk, marked as incomplete if it was stopped.
int print_found(Report report, const CommonFlags& common, bool stopped, Streams& streams, const char* command);

}  // namespace cli
