#include "planner/import/launch_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "dsl/raw_text.h"
#include "planner/shell/read_shell.h"

namespace planner {
namespace {

constexpr size_t kMostReports = 3;
constexpr const char* kCondition = "put `true` or `false` in place of the condition";

bool is_flag(const ShellWord& word) { return word.text.size() > 2 && word.text.starts_with("--"); }
std::string flag_of(const ShellWord& word) { return word.text.substr(0, word.text.find('=')); }

/// "run_in_container 'python pretrain_gpt.py --num-layers 2'": the words inside a word that holds flags.
ShellCommand opened(const ShellCommand& command) {
  ShellCommand out;
  for (const ShellWord& word : command.words) {
    const bool is_output = word.is_open && word.text.find("$(") != std::string::npos;
    if (is_output || word.text.find(" --") == std::string::npos) {
      out.words.push_back(word);
      continue;
    }
    std::istringstream inside(word.text);
    for (std::string part; inside >> part;) out.words.push_back({part, word.span, word.is_open});
  }
  return out;
}

struct FlagCount {
  size_t read = 0, all = 0;
  auto operator<=>(const FlagCount&) const = default;
};

FlagCount count_flags(const ShellCommand& command, const ReadsFlag& reads) {
  FlagCount count;
  for (const ShellWord& word : command.words) {
    if (!word.text.starts_with("--")) continue;
    ++count.all;
    count.read += is_flag(word) && reads(flag_of(word));
  }
  return count;
}

/// The best command of a path; without words if none has a flag.
ShellCommand best_of(const ShellPath& path, const ReadsFlag& reads, FlagCount& most) {
  ShellCommand best;
  most = {};
  for (const ShellCommand& command : path.commands) {
    ShellCommand words = opened(command);
    const FlagCount count = count_flags(words, reads);
    if (!(count > most)) continue;
    most = count;
    best = std::move(words);
  }
  return best;
}

/// The values of the flags that are read.
std::map<std::string, std::string> read_values(const ShellCommand& command, const ReadsFlag& reads) {
  std::map<std::string, std::string> values;
  std::string* last = nullptr;
  for (const ShellWord& word : command.words) {
    if (is_flag(word)) {
      const std::string flag = flag_of(word);
      last = reads(flag) ? &(values[flag] = word.text.substr(flag.size())) : nullptr;
    } else if (word.text.ends_with(".py")) {
      last = nullptr;  // the program: what follows are its own flags
    } else if (last && (!word.is_absent || last->empty())) {
      *last += " " + word.text;
    }
  }
  return values;
}

/// "--num-layers is 16 or 32": the first flag that differs; "": none.
std::string difference(const std::map<std::string, std::string>& ours,
                       const std::map<std::string, std::string>& theirs) {
  const auto shown = [](const std::string& value) { return value.empty() ? "given" : dsl::shortened(value.substr(1)); };
  for (const auto& [flag, value] : ours) {
    const auto other = theirs.find(flag);
    if (other == theirs.end()) return fmt::format("{} is {} or absent", flag, shown(value));
    if (other->second != value) return fmt::format("{} is {} or {}", flag, shown(value), shown(other->second));
  }
  for (const auto& [flag, value] : theirs)
    if (!ours.contains(flag)) return fmt::format("{} is absent or {}", flag, shown(value));
  return "";
}

void report(const ShellQuestion& question, const std::string& flags, dsl::Diagnostics& diagnostics) {
  diagnostics.error(
      question.span,
      fmt::format("{}: that depends on '{}', which the script does not set", flags, dsl::shortened(question.what)),
      hint_of_open(question.what, kCondition));
}

}  // namespace

std::string hint_of_open(const std::string& text, const char* otherwise) {
  size_t dollar = text.find('$');
  while (dollar != std::string::npos && text.compare(dollar, 2, "$(") == 0) dollar = text.find('$', dollar + 1);
  if (dollar == std::string::npos) return otherwise;
  const size_t from = dollar + 1 + (text.compare(dollar, 2, "${") == 0);
  size_t to = from;
  while (to < text.size() && text[to] != '.' && dsl::is_name_char(text[to])) ++to;
  const std::string name = text.substr(from, to - from);
  const bool is_argument = name.empty() || std::ranges::all_of(name, dsl::is_digit);
  return is_argument ? "`--args 'WORDS'` gives the arguments of the script"
                     : fmt::format("`--env {}=VALUE` gives it", name);
}

LaunchLine launch_of(const ShellText& text, const ReadsFlag& reads, dsl::Diagnostics& diagnostics) {
  FlagCount most;
  LaunchLine line{best_of(text.usual, reads, most), text.usual.variables, text.usual.files};
  const ShellPath* taken = &text.usual;
  for (const ShellPath& path : text.others) {
    if (most.read > 0) break;
    FlagCount count;
    ShellCommand command = best_of(path, reads, count);
    if (count.read == 0) continue;
    most = count;
    line = {std::move(command), path.variables, path.files};
    taken = &path;
  }
  if (most.read == 0) return line;
  const std::map<std::string, std::string> ours = read_values(line.command, reads);
  std::set<std::pair<int, std::string>> reported;
  for (const ShellPath& path : text.others) {
    FlagCount count;
    const ShellCommand command = &path == taken ? ShellCommand{} : best_of(path, reads, count);
    if (count.read == 0 || reported.size() >= kMostReports) continue;
    const std::string flags = difference(ours, read_values(command, reads));
    const ShellQuestion& question = path.turned.back();
    if (!flags.empty() && reported.insert({question.span.line, question.what}).second)
      report(question, flags, diagnostics);
  }
  if (text.is_cut && reported.empty() && !text.others.empty())
    diagnostics.warning(text.others.front().turned.back().span,
                        "the script has more conditions that it does not decide than were followed",
                        hint_of_open(text.others.front().turned.back().what, kCondition));
  return line;
}

LaunchLine read_launch(const dsl::Source* script, const ShellInput& input, const ReadsFlag& reads,
                       dsl::Diagnostics& diagnostics) {
  if (!script) return {};
  return launch_of(read_shell(*script, diagnostics, input), reads, diagnostics);
}

}  // namespace planner
