#include "planner/import/launch_line.h"

#include <algorithm>
#include <sstream>

namespace planner {
namespace {

size_t count_flags(const ShellCommand& command) {
  return static_cast<size_t>(std::count_if(command.words.begin(), command.words.end(),
                                           [](const ShellWord& w) { return w.text.starts_with("--"); }));
}

/// `bash -c "python pretrain_gpt.py --num-layers 2"`: the words inside a word that holds flags.
void open_nested(ShellCommand& command) {
  std::vector<ShellWord> words;
  for (ShellWord& word : command.words) {
    if (word.text.find(" --") == std::string::npos) {
      words.push_back(std::move(word));
      continue;
    }
    std::istringstream inside(word.text);
    for (std::string part; inside >> part;) words.push_back({part, word.span});
  }
  command.words = std::move(words);
}

}  // namespace

const ShellCommand* launch_of(ShellText& text) {
  const ShellCommand* best = nullptr;
  for (ShellCommand& command : text.commands) open_nested(command);
  for (const ShellCommand& command : text.commands)
    if (count_flags(command) > (best ? count_flags(*best) : 0)) best = &command;
  return best;
}

}  // namespace planner
