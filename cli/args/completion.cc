#include "cli/args/completion.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <string_view>

#include "cli/args/help.h"
#include "cli/args/words.h"
#include "dsl/quoting.h"

namespace cli {
namespace {

/// "table json csv" for a flag that takes one of these words, or "". "N" among them means a value without a word.
std::string words_of(const Flag& flag) {
  const bool one = flag.takes == Takes::word || flag.takes == Takes::words;
  if (!one && std::string_view(flag.placeholder).find('|') == std::string_view::npos) return "";
  std::string words;
  std::istringstream parts{std::string(flag.placeholder)};
  for (std::string word; std::getline(parts, word, '|');)
    if (word != "N") words += (words.empty() ? "" : " ") + word;
  return words;
}

bool names_entries(const Flag& flag) { return *flag.names != 0; }

// ---- bash

/// What stands behind a flag: some words, names that the program knows, or anything, where bash offers files.
std::string bash_values(const Command& command, const Flag& flag) {
  const std::string list = words_of(flag);
  const std::string words = names_entries(flag)
                                ? "$(\"${COMP_WORDS[0]}\" __complete \"$command\" \"$prev\" \"$cur\" 2>/dev/null)"
                                : dsl::single_quoted(list);
  return fmt::format("    '{} {}') words={}{} ;;\n", command.name, flag.name, words,
                     names_entries(flag) ? "; [[ $words == *= ]] && compopt -o nospace 2>/dev/null" : "");
}

std::string bash(std::span<const Command> commands) {
  std::string flags, words;
  for (const Command& c : commands) {
    flags += fmt::format("    {}) flags={} ;;\n", c.name,
                         dsl::single_quoted(fmt::format("{}", fmt::join(flag_names(c), " "))));
    for (const Flag& flag : c.flags)
      if (flag.takes != Takes::nothing) words += bash_values(c, flag);
  }
  return "# Completion of trainplan in bash, made by `trainplan completion bash`.\n"
         "_trainplan() {\n"
         "  local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]}\n"
         "  local words='' flags=''\n"
         "  COMPREPLY=()\n"
         "  if [[ $COMP_CWORD -eq 1 ]]; then\n"
         "    COMPREPLY=($(compgen -W " +
         dsl::single_quoted(fmt::format("{} --help --version", fmt::join(names_of(commands), " "))) +
         " -- \"$cur\"))\n"
         "    return\n"
         "  fi\n"
         "  case \"$command\" in\n" +
         flags +
         "  esac\n"
         "  case \"$command $prev\" in\n" +
         words +
         "    *' =')\n"  // bash takes --set PATH=WORD apart
         "      words=$(\"${COMP_WORDS[0]}\" __complete \"$command\" \"${COMP_WORDS[COMP_CWORD-3]}\" "
         "\"${COMP_WORDS[COMP_CWORD-2]}=\" 2>/dev/null | sed 's/.*=//')\n"
         "      ;;\n"
         "    *)\n"
         "      if [[ $cur == -* ]]; then\n"
         "        words=$flags\n"
         "      else\n"
         "        words=$(\"${COMP_WORDS[0]}\" __complete \"$command\" '' 2>/dev/null | grep -v '^-')\n"
         "      fi\n"
         "      ;;\n"
         "  esac\n"
         "  COMPREPLY=($(compgen -W \"$words\" -- \"$cur\"))\n"
         "}\n"
         "complete -o default -o bashdefault -F _trainplan trainplan\n";
}

// ---- zsh

/// What _arguments takes: '[', ']' and ':' have a meaning there.
std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) out += std::string(c == '[' || c == ']' || c == ':' ? "\\" : "") + c;
  return out;
}

std::string zsh_flag(const Flag& flag) {
  std::string row = fmt::format("{}[{}]", flag.name, escaped(flag.help));
  if (flag.takes == Takes::repeated || flag.takes == Takes::list || flag.takes == Takes::numbers) row = "*" + row;
  if (flag.takes == Takes::nothing) return dsl::single_quoted(row);
  const std::string words = words_of(flag);
  const std::string values = names_entries(flag) ? fmt::format("_trainplan_names {}", flag.name)
                             : words.empty()     ? "_files"
                                                 : "(" + words + ")";
  return dsl::single_quoted(row + ":" + escaped(flag.placeholder) + ":" + values);
}

std::string zsh(std::span<const Command> commands) {
  std::string names, cases;
  for (const Command& c : commands) {
    names += fmt::format("    {}\n", dsl::single_quoted(fmt::format("{}:{}", c.name, escaped(c.summary))));
    cases += fmt::format("    {})\n      _arguments -s \\\n", c.name);
    for (const Flag& flag : c.flags) cases += fmt::format("        {} \\\n", zsh_flag(flag));
    cases += "        '--help[what the command takes]' \\\n        '*:input:_trainplan_inputs'\n      ;;\n";
  }
  return "#compdef trainplan\n"
         "# Completion of trainplan in zsh, made by `trainplan completion zsh`.\n"
         "_trainplan_names() {\n"
         "  local -a names\n"
         "  names=(${(f)\"$(trainplan __complete $words[1] $1 \"$PREFIX\" 2>/dev/null)\"})\n"
         "  compadd -S '' -a names\n"
         "}\n"
         "_trainplan_inputs() {\n"
         "  local -a names\n"
         "  names=(${(f)\"$(trainplan __complete $words[1] '' 2>/dev/null)\"})\n"
         "  names=(${names:#-*})\n"
         "  compadd -a names\n"
         "  _files\n"
         "}\n"
         "_trainplan() {\n"
         "  local -a commands\n"
         "  commands=(\n" +
         names +
         "  )\n"
         "  if (( CURRENT == 2 )); then\n"
         "    _describe command commands\n"
         "    return\n"
         "  fi\n"
         "  shift words\n"
         "  (( CURRENT-- ))\n"
         "  case $words[1] in\n" +
         cases +
         "  esac\n"
         "}\n"
         // A file of a folder of completions is the function's body; `source` reads it as a script.
         "if [[ $funcstack[1] == _trainplan ]]; then _trainplan \"$@\"; else compdef _trainplan trainplan; fi\n";
}

// ---- fish

std::string fish_flag(const Command& command, const Flag& flag) {
  const std::string words = names_entries(flag)
                                ? fmt::format("(trainplan __complete {} {} (commandline -ct))", command.name, flag.name)
                                : words_of(flag);
  const char* takes = flag.takes == Takes::nothing ? "" : words.empty() ? " -r" : " -x";
  return fmt::format("complete -c trainplan -n '__fish_seen_subcommand_from {}' -l {}{}{} -d {}\n", command.name,
                     flag.name + 2, takes, words.empty() ? "" : " -a " + dsl::single_quoted(words),
                     dsl::single_quoted(flag.help));
}

std::string fish(std::span<const Command> commands) {
  std::string out = "# Completion of trainplan in fish, made by `trainplan completion fish`.\n";
  for (const Command& c : commands)
    out += fmt::format("complete -c trainplan -n __fish_use_subcommand -a {} -d {}\n", c.name,
                       dsl::single_quoted(c.summary));
  for (const Command& c : commands) {
    for (const Flag& flag : c.flags) out += fish_flag(c, flag);
    out += fmt::format(
        "complete -c trainplan -n '__fish_seen_subcommand_from {0}' -l help -d 'what the command takes'\n"
        "complete -c trainplan -n '__fish_seen_subcommand_from {0}' -a '(trainplan __complete {0} \"\" | string match "
        "-v "
        "-- \"-*\")'\n",
        c.name);
  }
  return out;
}

constexpr std::array kShells{Shell{"bash", bash}, Shell{"zsh", zsh}, Shell{"fish", fish}};

}  // namespace

std::span<const Shell> shells() { return kShells; }

}  // namespace cli
