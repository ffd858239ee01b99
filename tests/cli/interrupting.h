// A signal to the test's own process, while a command runs in it; and a search that takes long enough for one.
#pragma once

#include <unistd.h>

#include <atomic>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>
#include <vector>

inline const std::string kOpen = R"(
model: {use: megatron-1.7b}
job: {sequence: 2048, global_batch: 64, tokens: 1e9}
cluster: {use: dgx-a100-80gb, gpus: [8, 16]}
parallelism: {tp: [1, 2, 4], pp: [1, 2], microbatch: [1, 2], zero: [0, 1]}
)";

/// Arguments with more behind them.
inline std::vector<std::string> with(std::vector<std::string> args, const std::vector<std::string>& more) {
  args.insert(args.end(), more.begin(), more.end());
  return args;
}

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
