// trainplan: what will this training run take, and which configuration is best?
//
// Knows the process (terminal, environment, pipes); everything else is cli::run.
#include <malloc.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <iostream>
#include <new>

#include "cli/commands/commands.h"

namespace {

/// Columns of the terminal on standard output, 80 to 160; 80 if it is not a terminal.
int page_width() {
  winsize size{};
  bool terminal = isatty(STDOUT_FILENO) && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
  return terminal ? std::clamp<int>(size.ws_col, 80, 160) : 80;
}

bool wants_color(int file) {
  const char* no_color = std::getenv("NO_COLOR");
  return isatty(file) && !(no_color && *no_color);
}

/// The reader of the pipe has closed it (`| head`).
bool reader_gone() {
  pollfd out{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
  return poll(&out, 1, 0) > 0 && (out.revents & (POLLERR | POLLHUP));
}

/// A reader that has gone is not a mistake; a full disk is.
int flushed(int status) {
  if (std::cout.flush() || reader_gone()) return status;
  std::cout.clear();
  errno = 0;
  std::cout.flush();  // once more, for the reason; lost output stays lost
  std::cerr << "trainplan: cannot write standard output" << (errno ? ": " : "") << (errno ? std::strerror(errno) : "")
            << "; --output FILE leaves a file as it was where it cannot write all of it\n";
  return cli::kInvalidInput;
}

/// Reuses freed memory: the kernel then clears and supplies less of it. Small blocks are merged with their neighbours
/// immediately: merging a list of them later costs more.
void keep_memory() {
  constexpr int kMiB = 1 << 20;
  mallopt(M_MXFAST, 0);
  mallopt(M_TOP_PAD, kMiB);
  mallopt(M_MMAP_THRESHOLD, 32 * kMiB);
  mallopt(M_TRIM_THRESHOLD, 64 * kMiB);
}

}  // namespace

int main(int argc, char** argv) {
  keep_memory();
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN);  // a file that may not grow is an error of its writing
  std::ios::sync_with_stdio(false);
  cli::Streams streams{.in = std::cin,
                       .out = std::cout,
                       .err = std::cerr,
                       .color = wants_color(STDERR_FILENO),
                       .width = page_width(),
                       .terminal = isatty(STDERR_FILENO) == 1,
                       .color_out = wants_color(STDOUT_FILENO)};
  try {
    return flushed(cli::run({argv + 1, argv + argc}, streams));
  } catch (const std::bad_alloc&) {
    std::cerr << "trainplan: out of memory; a smaller input or space, or fewer --threads, takes less\n";
    return cli::kOutOfMemory;
  }
}
