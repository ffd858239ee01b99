// Which function of which file configures a run.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "dsl/raw_text.h"
#include "planner/import/torchtitan_newest.h"
#include "planner/python/python_tree.h"

namespace planner::torchtitan {
namespace {

/// Whether the text has the word with nothing of a name before it.
bool mentions(std::string_view text, std::string_view word) {
  for (size_t at = text.find(word); at != std::string_view::npos; at = text.find(word, at + 1))
    if (at == 0 || !dsl::is_name_char(text[at - 1])) return true;
  return false;
}

ShellWord value_of(const ShellCommand& command, const std::string& flag) {
  for (size_t i = 0; i < command.words.size(); ++i) {
    const ShellWord& word = command.words[i];
    if (word.text == flag && i + 1 < command.words.size()) return command.words[i + 1];
    if (word.text.starts_with(flag + "="))
      return {word.text.substr(flag.size() + 1), word.span, word.is_open, word.is_absent};
  }
  return {};
}

/// "llama3" is torchtitan/models/llama3/config_registry.py; "my.module" is my/module.py, or in that folder.
std::vector<std::string> paths_of(std::string module) {
  std::ranges::replace(module, '.', '/');
  return {module + "/config_registry.py", module + ".py", "torchtitan/models/" + module + "/config_registry.py"};
}

using PythonFiles = std::vector<const dsl::Source*>;

PythonFiles python_files(const RegistryChoice& choice, const LaunchLine& line, const RunFiles& files,
                         dsl::Sources& sources) {
  PythonFiles found;
  if (is_python(*files.config)) found.push_back(files.config);
  for (const dsl::Source* more : files.more)
    if (is_python(*more)) found.push_back(more);
  for (const auto& [path, text] : line.files)
    if (path.ends_with(".py")) found.push_back(&sources.emplace_back(dsl::Source{path, text.text, "."}));
  if (!found.empty() || !files.shell.open || choice.module.text.empty()) return found;
  for (const std::string& path : paths_of(choice.module.text))
    if (const dsl::Source* source = files.shell.open(path)) return {source};
  return {};
}

/// Puts the file that has the function first; false if none has it.
bool put_first(PythonFiles& found, const std::string& function) {
  for (size_t i = 0; i < found.size(); ++i) {
    dsl::Diagnostics ignored;
    const std::vector<std::string> names = python_functions(*found[i], ignored);
    if (std::ranges::find(names, function) == names.end()) continue;
    std::rotate(found.begin(), found.begin() + static_cast<std::ptrdiff_t>(i),
                found.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    return true;
  }
  return false;
}

void refuse_missing(const RegistryChoice& choice, const RunFiles& files, dsl::Diagnostics& diagnostics) {
  const std::string module = choice.module.text.empty() ? "llama3" : dsl::shortened(choice.module.text);
  const dsl::Span place = choice.config.span.source ? choice.config.span : dsl::Span{files.config, 1, 1, 1};
  diagnostics.error(place,
                    fmt::format("the configuration '{}' of module '{}' is in {}", dsl::shortened(choice.config.text),
                                module, paths_of(module)[choice.module.text.find('.') == std::string::npos ? 2 : 0]),
                    "`trainplan import torchtitan SCRIPT config_registry.py`");
}

/// The only function of the file; "" (diagnosed) where there are others.
std::string only_function(const dsl::Source& file, dsl::Diagnostics& diagnostics) {
  const std::vector<std::string> names = python_functions(file, diagnostics);
  if (names.size() == 1) return names[0];
  if (!diagnostics.has_errors())
    diagnostics.error({&file, 1, 1, 1},
                      names.empty() ? "the file has no function that makes a configuration"
                                    : fmt::format("which configuration? The file has {}", fmt::join(names, ", ")),
                      names.empty() ? ""
                                    : fmt::format("`trainplan import torchtitan {} '--config {}'`",
                                                  file.name.substr(file.name.rfind('/') + 1), names[0]));
  return "";
}

}  // namespace

bool is_python(const dsl::Source& source) {
  return source.name.ends_with(".py") || (mentions(source.text, "Trainer.Config") &&
                                          source.text.find("\ndef ") != std::string::npos && !names_registry(source));
}

bool names_registry(const dsl::Source& source) {
  if (source.name.ends_with(".toml") || source.name.ends_with(".py")) return false;
  constexpr const char* kTelling[] = {"--module", "--config ", "--config=", "MODULE=", "CONFIG="};
  return std::ranges::any_of(kTelling, [&](const char* word) { return mentions(source.text, word); });
}

RegistryChoice choice_of(const LaunchLine& line) {
  RegistryChoice choice{value_of(line.command, "--module"), value_of(line.command, "--config")};
  const auto take = [&](const char* name, ShellWord& into) {
    const auto variable = line.variables.find(name);
    if (into.text.empty() && variable != line.variables.end()) into = variable->second;
  };
  take("MODULE", choice.module);
  take("CONFIG", choice.config);
  return choice;
}

dsl::Node read_registry(const RegistryChoice& choice, const LaunchLine& line, const RunFiles& files,
                        dsl::Sources& sources, dsl::Diagnostics& diagnostics) {
  PythonFiles found = python_files(choice, line, files, sources);
  std::string function = choice.config.text;
  if (choice.config.is_open) {
    diagnostics.error(choice.config.span, "'" + dsl::shortened(function) + "' is not set", hint_of_open(function));
    return dsl::broken_node();
  }
  if (function.empty() && !found.empty()) function = only_function(*found[0], diagnostics);
  if (diagnostics.has_errors()) return dsl::broken_node();
  if (found.empty() || !put_first(found, function)) {
    refuse_missing(choice, files, diagnostics);
    return dsl::broken_node();
  }
  dsl::Node config = call_python(*found[0], function, std::span(found).subspan(1), diagnostics);
  const dsl::Node* made = config.find("()");
  const bool is_class = made && (made->text.ends_with(".Config") || made->text == "Config");
  if (made && !is_class)
    diagnostics.error(made->span, "no file that is given has the function '" + dsl::shortened(made->text) + "'",
                      "give the file that defines it, too");
  if (config.broken || made) return is_class ? config : dsl::broken_node();
  diagnostics.error(config.span.source ? config.span : dsl::Span{found[0], 1, 1, 1},
                    "'" + function + "' returns no configuration");
  return dsl::broken_node();
}

}  // namespace planner::torchtitan
