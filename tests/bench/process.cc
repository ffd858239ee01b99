#include "tests/bench/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>

extern char** environ;

namespace bench {
namespace {

/// Starts the program with its standard output in `out`; -1: it cannot be started.
pid_t start(const std::string& program, const std::vector<std::string>& args, int out) {
  std::vector<char*> argv{const_cast<char*>(program.c_str())};
  for (const std::string& arg : args) argv.push_back(const_cast<char*>(arg.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
  posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = -1;
  if (posix_spawn(&child, program.c_str(), &actions, nullptr, argv.data(), environ) != 0) child = -1;
  posix_spawn_file_actions_destroy(&actions);
  return child;
}

}  // namespace

Process run(const std::string& program, const std::vector<std::string>& args) {
  std::string out;
  Process process = run(program, args, [&](std::string_view piece) { out += piece; });
  process.out = std::move(out);
  return process;
}

Process run(const std::string& program, const std::vector<std::string>& args,
            const std::function<void(std::string_view)>& take) {
  std::array<int, 2> pipe_ends{};
  if (pipe2(pipe_ends.data(), O_CLOEXEC) != 0) return {};
  const auto begin = std::chrono::steady_clock::now();
  const pid_t child = start(program, args, pipe_ends[1]);
  close(pipe_ends[1]);
  Process process;
  std::array<char, 1 << 16> piece;
  for (ssize_t n; (n = read(pipe_ends[0], piece.data(), piece.size())) > 0;)
    take({piece.data(), static_cast<size_t>(n)});
  close(pipe_ends[0]);
  if (child < 0) return {};
  int status = 0;
  rusage used{};
  wait4(child, &status, 0, &used);
  process.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  process.processor_seconds = seconds(used.ru_utime) + seconds(used.ru_stime);
  process.megabytes = used.ru_maxrss / 1024;
  process.status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return process;
}

}  // namespace bench
