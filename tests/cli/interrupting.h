// A signal to the test's own process, while a command runs in it.
#pragma once

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <thread>

/// The signal from `delay` on, again and again, until it ends; outside of a command that takes it, it does nothing.
class Interrupting {
 public:
  explicit Interrupting(std::chrono::microseconds delay, int signal = SIGINT)
      : signal_(signal), before_(std::signal(signal, [](int) {})), thread_([this, delay] {
          std::this_thread::sleep_for(delay);
          for (; !over_; std::this_thread::sleep_for(std::chrono::microseconds(50))) kill(getpid(), signal_);
        }) {}
  ~Interrupting() {
    over_ = true;
    thread_.join();
    std::signal(signal_, before_);
  }
  Interrupting(const Interrupting&) = delete;
  Interrupting& operator=(const Interrupting&) = delete;

 private:
  int signal_;
  void (*before_)(int);
  std::atomic<bool> over_{false};
  std::thread thread_;
};
