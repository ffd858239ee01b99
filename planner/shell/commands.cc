// Simple commands: assignments, functions, files and texts that run, and those that are recorded.
#include <algorithm>
#include <charconv>

#include "planner/shell/runner.h"

namespace planner::shell {
namespace {

constexpr int kDeepestCapture = 30;
constexpr const char* kShells[] = {"bash", "sh", "zsh"};

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

/// Options of #SBATCH, and the variables that SLURM sets from them.
struct BatchOption {
  std::string_view name, letter;
  std::initializer_list<const char*> variables;
};
const BatchOption kBatchOptions[] = {
    {"--nodes", "-N", {"SLURM_NNODES", "SLURM_JOB_NUM_NODES"}},
    {"--ntasks", "-n", {"SLURM_NTASKS", "SLURM_NPROCS"}},
    {"--ntasks-per-node", "", {"SLURM_NTASKS_PER_NODE"}},
    {"--gpus-per-node", "", {"SLURM_GPUS_PER_NODE", "SLURM_GPUS_ON_NODE"}},
    {"--gres", "", {"SLURM_GPUS_ON_NODE"}},
    {"--cpus-per-task", "-c", {"SLURM_CPUS_PER_TASK"}},
};

}  // namespace

/// Whether the command's arguments set variables.
bool ScriptRunner::sets_variables(const std::string& command) {
  constexpr std::string_view kDeclaring[] = {"export", "declare", "local", "readonly", "typeset"};
  return std::ranges::find(kDeclaring, command) != std::end(kDeclaring);
}

void ScriptRunner::read_headers(const std::string& text, uint32_t from) {
  constexpr std::string_view kHeader = "#SBATCH ";
  for (size_t at = text.find(kHeader); at != std::string::npos; at = text.find(kHeader, at + 1)) {
    if (at > 0 && text[at - 1] != '\n') continue;
    const size_t begin = text.find_first_not_of(" \t", at + kHeader.size());
    if (begin == std::string::npos) return;
    const size_t end = std::min(text.find_first_of("#\r\n", begin), text.size());
    const size_t name_end = std::min(text.find_first_of("= \t", begin), end);
    const std::string_view name = std::string_view(text).substr(begin, name_end - begin);
    for (const BatchOption& row : kBatchOptions) {
      if (name != row.name && (row.letter.empty() || name != row.letter)) continue;
      size_t digits = text.find_first_of("0123456789", name_end);
      if (digits >= end) continue;
      const size_t last = std::min(text.find_first_not_of("0123456789", digits), end);
      for (const char* variable : row.variables)
        if (!state_.find(variable))
          state_.set(variable, computed_text(text.substr(digits, last - digits), from + static_cast<uint32_t>(digits)));
    }
  }
}

/// A variable that a function declares has its old value again behind it.
void ScriptRunner::keep_local(std::string_view word) {
  const std::string name(word.substr(0, name_length(word)));
  if (!locals_ || name.empty()) return;
  const ShellVariable* old = state_.find(name);
  locals_->try_emplace(name, old ? std::optional(*old) : std::nullopt);
}

/// "cat > FILE <<EOF".
void ScriptRunner::write_file(const CommandNode& node) {
  if (node.targets.empty()) return;
  const ParsedScript& script = *node.script;
  const auto here = script.here.lower_bound(node.all.from);
  if (here == script.here.end() || here->first >= node.all.to) return;
  const HereText& text = here->second;
  const PlacedText lines =
      text.is_quoted ? script.code.part(text.lines.from, text.lines.to) : expander(node).lines(text.lines);
  if (has_budget(lines.text.size(), node)) files_[expander(node).whole(node.targets.back()).text] = word_of(lines);
}

TestVerdict ScriptRunner::run_simple(const CommandNode& node) {
  write_file(node);
  const std::string& text = node.script->code.text;
  size_t first = 0;
  while (first < node.words.size() && assigned_name(node.words[first].in(text)) > 0) assign(node, node.words[first++]);
  std::vector<PlacedText> words;
  for (size_t i = first; i < node.words.size(); ++i) {
    // "export NAME=(...)": the list stays one word.
    const bool declares = !words.empty() && assigned_name(node.words[i].in(text)) > 0 && sets_variables(words[0].text);
    if (declares) {
      if (words[0].text != "export" && words[0].text != "readonly") keep_local(node.words[i].in(text));
      assign(node, node.words[i]);
      continue;
    }
    std::vector<PlacedText> fields = expander(node).fields(node.words[i]);
    for (PlacedText& word : fields) {
      if (!has_budget(word.text.size() + 1, node)) return TestVerdict::no;
      words.push_back(std::move(word));
    }
  }
  return words.empty() ? TestVerdict::yes : run_words(std::move(words));
}

TestVerdict ScriptRunner::run_words(std::vector<PlacedText> words) {
  if (const auto function = state_.functions.find(words[0].text); function != state_.functions.end())
    return run_function(*function->second, words);
  if (const std::optional<TestVerdict> answer = run_builtin(*this, words)) return *answer;
  return run_nested(words);
}

TestVerdict ScriptRunner::run_with(std::vector<PlacedText> arguments, const std::string& name,
                                   const std::function<TestVerdict()>& run) {
  std::swap(state_.arguments, arguments);
  const bool had = std::exchange(state_.has_arguments, true);
  const std::string outside = std::exchange(state_.script_name, name);
  const TestVerdict answer = run();
  state_.script_name = outside;
  state_.has_arguments = had;
  state_.arguments = std::move(arguments);
  return answer;
}

TestVerdict ScriptRunner::run_function(const CommandNode& body, const std::vector<PlacedText>& words) {
  std::map<std::string, std::optional<ShellVariable>> outside;
  auto* const outer = std::exchange(locals_, &outside);
  const TestVerdict answer =
      run_with({words.begin() + 1, words.end()}, state_.script_name, [&] { return run_node(body); });
  if (flow_ == ControlFlow::back) flow_ = ControlFlow::on;
  locals_ = outer;
  for (auto& [name, variable] : outside) {
    if (variable) state_.variables[name] = std::move(*variable);
    else state_.variables.erase(name);
  }
  return answer;
}

/// "srun bash -c TEXT NAME ...": the text's commands, with the words in front; "bash FILE ...": those of the file.
TestVerdict ScriptRunner::run_nested(const std::vector<PlacedText>& words) {
  const auto is_shell = [](const PlacedText& word) {
    return std::ranges::find(kShells, file_name(word.text)) != std::end(kShells);
  };
  const auto shell = std::ranges::find_if(words, is_shell);
  auto next = shell == words.end() ? shell : shell + 1;
  while (next != words.end() && next->text.starts_with("-") && !next->text.ends_with("c")) ++next;
  if (next == words.end()) return record(words);
  const bool is_text = next->text.starts_with("-");
  const dsl::Source* file = is_text ? nullptr : source_of(*next);
  if (is_text ? next + 1 == words.end() : !file) return record(words);
  std::vector<PlacedText> front = prefix_;
  front.insert(front.end(), words.begin(), shell);
  std::swap(prefix_, front);
  const size_t before = commands_.size();
  const auto rest = next + std::min<std::ptrdiff_t>(is_text ? 3 : 1, words.end() - next);
  const bool is_named = is_text && words.end() - next > 2;
  const TestVerdict answer = run_with({rest, words.end()},
                                      is_named  ? next[2].text
                                      : is_text ? "bash"
                                                : file->name,
                                      [&] { return is_text ? run_text(next[1]) : run_text(places_.placed(*file)); });
  std::swap(prefix_, front);
  return commands_.size() > before ? answer : record(words);
}

/// Null: it is not there, or its name is not known.
const dsl::Source* ScriptRunner::source_of(const PlacedText& path) const {
  return path.is_open() || !input_.open ? nullptr : input_.open(path.text);
}

TestVerdict ScriptRunner::run_source(const std::vector<PlacedText>& words) {
  const dsl::Source* source = source_of(words[1]);
  if (!source) {
    diagnostics_.warning(word_of(words[1]).span, "'" + words[1].text + "' is not read: what it sets is not known");
    return TestVerdict::yes;
  }
  const auto run = [&] { return run_text(places_.placed(*source)); };
  const std::string name = state_.script_name;
  if (++depth_ > 20) fail(place_of(words[1]), "files are nested too deeply");
  else if (words.size() > 2) run_with({words.begin() + 2, words.end()}, source->name, run);
  else {
    state_.script_name = source->name;
    run();
    state_.script_name = name;
  }
  --depth_;
  if (flow_ == ControlFlow::back) flow_ = ControlFlow::on;
  return TestVerdict::yes;
}

TestVerdict ScriptRunner::record(const std::vector<PlacedText>& words) {
  // Commands that a script takes for granted.
  constexpr std::string_view kSure[] = {"mkdir", "rm",   "cp",    "mv",   "ln",     "touch", "chmod", "sleep",
                                        "wait",  "date", "cat",   "tee",  "module", "conda", "pip",   "git",
                                        "wget",  "curl", "pushd", "popd", "ulimit", "trap"};
  if (is_captured_) printed_.reset();
  ShellCommand command;
  for (const std::vector<PlacedText>* some : {&std::as_const(prefix_), &words})
    for (const PlacedText& word : *some) command.words.push_back(word_of(word));
  commands_.push_back(std::move(command));
  if (std::ranges::find(kSure, file_name(words[0].text)) != std::end(kSure)) return TestVerdict::yes;
  what_ = words[0].text;
  return TestVerdict::open;
}

TestVerdict ScriptRunner::run_text(PlacedText text) {
  bytes_ += text.text.size();
  if (bytes_ > kMostBytes) fail(place_of(text), "the variables of the text grow without end");
  return failed_ ? TestVerdict::no : run_all(parsed(std::move(text)).commands);
}

void ScriptRunner::assign(const CommandNode& node, TextRange word) {
  const std::string& text = node.script->code.text;
  size_t at = word.from + assigned_name(word.in(text));
  const std::string_view left = TextRange{word.from, at}.in(text);
  const bool appends = text[at] == '+';
  at += appends ? 2 : 1;
  const size_t bracket = left.find('[');
  const std::string name(left.substr(0, bracket));
  ShellVariable* old = state_.find(name) ? &state_.variables[name] : nullptr;
  if (at < word.to && text[at] == '(' && bracket == std::string_view::npos) {
    ShellVariable list{{}, true};
    if (appends && old) list = *old;
    assign_list(node, {at + 1, word.to - 1}, list);
    state_.variables[name] = std::move(list);
    return;
  }
  PlacedText value = expander(node).whole({at, word.to});
  if (!has_budget(value.text.size(), node)) return;
  if (bracket == std::string_view::npos && !old) return state_.set(name, std::move(value));
  std::string key = "0";
  if (bracket != std::string_view::npos) {
    const std::string raw = expander(node).whole({word.from + bracket + 1, word.from + left.size() - 1}).text;
    const std::optional<int64_t> index = shell_arithmetic(raw, state_);
    key = index ? std::to_string(*index) : raw;
  }
  ShellVariable& variable = state_.variables[name];
  variable.is_list = variable.is_list || bracket != std::string_view::npos;
  PlacedText& slot = variable[key];
  if (appends) slot.add(value);
  else slot = std::move(value);
}

void ScriptRunner::assign_list(const CommandNode& node, TextRange inside, ShellVariable& variable) {
  const std::string& text = node.script->code.text;
  const auto ignore = [](size_t, const char*) {};
  const auto put = [&](PlacedText value) {
    if (has_budget(value.text.size() + 1, node))
      variable.items.emplace_back(std::to_string(variable.items.size()), std::move(value));
  };
  for (size_t at = inside.from; at < inside.to && !failed_;) {
    if (text[at] == '#') at = std::min(text.find('\n', at), inside.to);
    else if (text[at] == '\\' && at + 1 < inside.to && (text[at + 1] == '\n' || text[at + 1] == '\r')) at += 2;
    else if (dsl::is_blank(text[at]) || text[at] == '\n' || text[at] == '\r') ++at;
    else {
      const size_t end = std::min(word_end(text, at, "", ignore), inside.to), close = text.find("]=", at);
      if (text[at] == '[' && close < end) {
        const std::string key = expander(node).whole({at + 1, close}).text;
        variable[key] = expander(node).whole({close + 2, end});
      } else {
        std::vector<PlacedText> values = expander(node).fields({at, end});
        for (PlacedText& value : values) put(std::move(value));
      }
      at = std::max(end, at + 1);
    }
  }
}

/// "NAME=value" after expansion, an argument of `export`.
void ScriptRunner::assign_text(const PlacedText& word) {
  const size_t n = assigned_name(word.text);
  if (n == 0) return;
  const bool appends = word.text[n] == '+';
  const std::string name = word.text.substr(0, n);
  PlacedText value = word.part(n + (appends ? 2 : 1), word.text.size());
  if (appends) state_.variables[name]["0"].add(value);
  else state_.set(name, std::move(value));
}

std::optional<PlacedText> ScriptRunner::capture(const PlacedText& commands) {
  ScriptState outside = state_;
  const std::string directory = directory_;
  std::optional<PlacedText> printed = std::exchange(printed_, PlacedText{});
  const bool captured = std::exchange(is_captured_, true);
  const size_t before = commands_.size();
  if (++depth_ > kDeepestCapture) printed_.reset();
  else run_text(commands);
  --depth_;
  if (flow_ == ControlFlow::exit) flow_ = ControlFlow::on;
  commands_.resize(std::min(commands_.size(), before));
  state_ = std::move(outside);
  directory_ = directory;
  is_captured_ = captured;
  std::swap(printed, printed_);
  while (printed && printed->text.ends_with('\n')) *printed = printed->part(0, printed->text.size() - 1);
  return printed;
}

}  // namespace planner::shell
