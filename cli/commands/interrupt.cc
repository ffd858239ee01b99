#include "cli/commands/interrupt.h"

#include <csignal>

namespace cli {
namespace {

std::atomic<bool> flag{false};
void set_flag(int) { flag = true; }

}  // namespace

std::atomic<bool>& interrupted() { return flag; }

Interruptible::Interruptible() : before_(std::signal(SIGINT, set_flag)) {}
Interruptible::~Interruptible() { std::signal(SIGINT, before_); }

}  // namespace cli
