#include "planner/shell/read_shell.h"

#include <deque>

#include "planner/shell/runner.h"

namespace planner {
namespace {

constexpr size_t kMostPaths = 200;
constexpr size_t kMostTurned = 2;       // questions of a path with the unusual answer
constexpr size_t kMostSteps = 200'000;  // commands of all paths

}  // namespace

ShellText read_shell(const dsl::Source& source, dsl::Diagnostics& diagnostics, const ShellInput& input) {
  ShellText text;
  std::deque<std::vector<size_t>> waiting{{}};
  size_t steps = 0;
  for (size_t n = 0; !waiting.empty(); ++n) {
    const std::vector<size_t> turned = std::move(waiting.front());
    waiting.pop_front();
    if (n == kMostPaths || steps > kMostSteps) return text.is_cut = true, std::move(text);
    dsl::Diagnostics ignored;  // other paths meet the same mistakes
    shell::ScriptRunner runner(input, turned, n == 0 ? diagnostics : ignored);
    runner.run(source);
    steps += runner.steps();
    if (turned.size() < kMostTurned)
      for (size_t i = turned.empty() ? 0 : turned.back() + 1; i < runner.asked().size(); ++i) {
        waiting.push_back(turned);
        waiting.back().push_back(i);
      }
    if (n == 0) text.usual = runner.path();
    else text.others.push_back(runner.path());
  }
  return text;
}

std::vector<std::string> shell_words(const std::string& text) {
  const dsl::Source source{"words", "words " + text, "."};
  dsl::Diagnostics ignored;
  std::vector<std::string> words;
  for (const ShellCommand& command : read_shell(source, ignored).usual.commands)
    for (size_t i = 1; i < command.words.size(); ++i) words.push_back(command.words[i].text);
  return words;
}

}  // namespace planner
