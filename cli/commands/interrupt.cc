#include "cli/commands/interrupt.h"

#include <csignal>

namespace cli {
namespace {

std::atomic<bool> flag{false};
static_assert(std::atomic<bool>::is_always_lock_free);  // a handler may write it
void set_flag(int) { flag = true; }

}  // namespace

std::atomic<bool>& interrupted() { return flag; }

Interruptible::Interruptible()
    : interrupt_(std::signal(SIGINT, set_flag)),
      terminate_(std::signal(SIGTERM, set_flag)),
      hangup_(std::signal(SIGHUP, set_flag)) {
  if (hangup_ == SIG_IGN) std::signal(SIGHUP, SIG_IGN);
}

Interruptible::~Interruptible() {
  std::signal(SIGHUP, hangup_);
  std::signal(SIGTERM, terminate_);
  std::signal(SIGINT, interrupt_);
}

}  // namespace cli
