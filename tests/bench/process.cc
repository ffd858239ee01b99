#include "tests/bench/process.h"

#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>

namespace bench {
namespace {

[[noreturn]] void become(const std::string& program, const std::vector<std::string>& args, int out) {
  dup2(out, STDOUT_FILENO);
  dup2(open("/dev/null", O_WRONLY), STDERR_FILENO);
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& arg : args) argv.push_back(const_cast<char*>(arg.c_str()));
  argv.push_back(nullptr);
  execv(program.c_str(), argv.data());
  _exit(127);
}

double seconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

Process run(const std::string& program, const std::vector<std::string>& args) {
  std::array<int, 2> pipe_ends{};
  if (pipe(pipe_ends.data()) != 0) return {};
  const auto start = std::chrono::steady_clock::now();
  const pid_t child = fork();
  if (child == 0) become(program, args, pipe_ends[1]);
  close(pipe_ends[1]);
  Process process;
  std::array<char, 1 << 16> piece;
  for (ssize_t n; (n = read(pipe_ends[0], piece.data(), piece.size())) > 0;)
    process.out.append(piece.data(), static_cast<size_t>(n));
  close(pipe_ends[0]);
  int status = 0;
  rusage used{};
  wait4(child, &status, 0, &used);
  process.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  process.processor_seconds = seconds(used.ru_utime) + seconds(used.ru_stime);
  process.megabytes = used.ru_maxrss / 1024;
  process.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return process;
}

}  // namespace bench
