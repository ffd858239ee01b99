// Commands that bash itself obeys, and those whose output follows from their arguments.
#include <algorithm>
#include <charconv>

#include "planner/shell/runner.h"

namespace planner::shell {

using CommandWords = std::vector<PlacedText>;

struct Builtins {
  using ControlFlow = ScriptRunner::ControlFlow;

  static PlacedText joined_text(const CommandWords& words, size_t from) {
    PlacedText text;
    for (size_t i = from; i < words.size(); ++i) {
      if (i > from) text.add(' ', ScriptRunner::place_of(words[i]));
      text.add(words[i]);
    }
    return text;
  }
  static void print(ScriptRunner& r, PlacedText text) {
    if (!r.printed_ || !r.is_captured_) return;
    text.add('\n', text.at.empty() ? 0 : text.at.back());
    r.printed_->add(text);
  }
  static TestVerdict print_known(ScriptRunner& r, const CommandWords& words, std::string text) {
    print(r, computed_text(std::move(text), ScriptRunner::place_of(words[0])));
    return TestVerdict::yes;
  }

  static TestVerdict yes(ScriptRunner&, const CommandWords&) { return TestVerdict::yes; }
  static TestVerdict no(ScriptRunner&, const CommandWords&) { return TestVerdict::no; }
  static TestVerdict echo(ScriptRunner& r, const CommandWords& words) {
    size_t from = 1;
    while (from < words.size() && (words[from].text == "-n" || words[from].text == "-e")) ++from;
    print(r, joined_text(words, from));
    return TestVerdict::yes;
  }
  /// printf "%s" ...: any other format is not known.
  static TestVerdict print_format(ScriptRunner& r, const CommandWords& words) {
    const std::string format = words.size() > 1 ? words[1].text : "";
    if (format == "%s" || format == "%s\\n") print(r, joined_text(words, 2));
    else if (format.find_first_of("%\\") == std::string::npos && words.size() == 2) print(r, words[1]);
    else if (r.is_captured_) r.printed_.reset();
    return TestVerdict::yes;
  }
  static TestVerdict declare(ScriptRunner& r, const CommandWords& words) {
    const bool is_local = words[0].text != "export" && words[0].text != "readonly";
    for (size_t i = 1; i < words.size(); ++i) {
      if (is_local) r.keep_local(words[i].text);
      r.assign_text(words[i]);
      const bool map = words[i].text.starts_with("-") && words[i].text.find_first_of("aA") != std::string::npos;
      if (map && i + 1 < words.size() && !r.state_.find(words[i + 1].text) && name_length(words[i + 1].text) > 0)
        r.state_.variables[words[i + 1].text].is_list = true;
    }
    return TestVerdict::yes;
  }
  static TestVerdict unset(ScriptRunner& r, const CommandWords& words) {
    for (size_t i = 1; i < words.size(); ++i) r.state_.variables.erase(words[i].text);
    return TestVerdict::yes;
  }
  /// "set -- a b" gives arguments; options change nothing here.
  static TestVerdict set(ScriptRunner& r, const CommandWords& words) {
    const auto dashes = std::ranges::find(words, "--", &PlacedText::text);
    if (dashes == words.end()) return TestVerdict::yes;
    r.state_.arguments.assign(dashes + 1, words.end());
    r.state_.has_arguments = true;
    return TestVerdict::yes;
  }
  static TestVerdict shift(ScriptRunner& r, const CommandWords& words) {
    const size_t n = words.size() > 1 && words[1].text.size() == 1 && dsl::is_digit(words[1].text[0])
                         ? static_cast<size_t>(words[1].text[0] - '0')
                         : 1;
    CommandWords& arguments = r.state_.arguments;
    if (n > arguments.size()) return TestVerdict::no;
    arguments.erase(arguments.begin(), arguments.begin() + static_cast<std::ptrdiff_t>(n));
    return TestVerdict::yes;
  }
  static TestVerdict source(ScriptRunner& r, const CommandWords& words) {
    if (words.size() < 2) return TestVerdict::no;
    return r.run_source(words);
  }
  static TestVerdict eval(ScriptRunner& r, const CommandWords& words) { return r.run_text(joined_text(words, 1)); }
  static TestVerdict leave(ScriptRunner& r, const CommandWords& words) {
    const std::string& name = words[0].text;
    r.flow_ = name == "exit"     ? ControlFlow::exit
              : name == "return" ? ControlFlow::back
              : name == "break"  ? ControlFlow::leave
                                 : ControlFlow::next;
    return words.size() > 1 && words[1].text != "0" ? TestVerdict::no : TestVerdict::yes;
  }
  static TestVerdict test(ScriptRunner& r, const CommandWords& words) {
    std::vector<TestOperand> operands;
    const bool bracket = words[0].text == "[";
    const size_t end = words.size() - (bracket && words.back().text == "]");
    for (size_t i = 1; i < end; ++i) operands.push_back({words[i], "", true});
    return test_verdict(operands, false, r.state_, r.what_);
  }
  static TestVerdict let(ScriptRunner& r, const CommandWords& words) {
    std::optional<int64_t> value;
    for (size_t i = 1; i < words.size(); ++i) value = shell_arithmetic(words[i].text, r.state_);
    r.what_ = joined_text(words, 1).text;
    return !value ? TestVerdict::open : *value != 0 ? TestVerdict::yes : TestVerdict::no;
  }
  static TestVerdict change_folder(ScriptRunner& r, const CommandWords& words) {
    if (words.size() < 2) return TestVerdict::yes;
    const std::string& path = words.back().text;
    if (path.starts_with('/') || r.directory_ == ".") r.directory_ = path;
    else if (path != ".") r.directory_ += "/" + path;
    return TestVerdict::yes;
  }
  static TestVerdict folder(ScriptRunner& r, const CommandWords& words) { return print_known(r, words, r.directory_); }
  static TestVerdict folder_of(ScriptRunner& r, const CommandWords& words) {
    const std::string path = words.size() > 1 ? words.back().text : "";
    const size_t slash = path.rfind('/');
    return print_known(r, words, slash == std::string::npos ? "." : path.substr(0, slash));
  }
  static TestVerdict name_of(ScriptRunner& r, const CommandWords& words) {
    std::string name = words.size() > 1 ? words[1].text.substr(words[1].text.rfind('/') + 1) : "";
    if (words.size() > 2 && name.ends_with(words[2].text)) name.resize(name.size() - words[2].text.size());
    return print_known(r, words, name);
  }
  static TestVerdict formula(ScriptRunner& r, const CommandWords& words) {
    const std::optional<int64_t> value = shell_arithmetic(joined_text(words, 1).text, r.state_);
    if (value) return print_known(r, words, std::to_string(*value));
    if (r.is_captured_) r.printed_.reset();
    return TestVerdict::yes;
  }
  static TestVerdict sequence(ScriptRunner& r, const CommandWords& words) {
    constexpr int64_t kMost = 10'000;
    int64_t bounds[3] = {1, 1, 1};  // first, step, last
    const size_t n = words.size() - 1;
    bool known = n >= 1 && n <= 3;
    for (size_t i = 0; known && i < n; ++i) {
      const std::string& text = words[i + 1].text;
      int64_t& bound = n == 1 ? bounds[2] : n == 2 ? bounds[2 * i] : bounds[i];
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), bound);
      known = error == std::errc() && end == text.data() + text.size();
    }
    if (!known || bounds[1] < 1 || bounds[2] > bounds[0] + kMost * bounds[1]) {
      if (r.is_captured_) r.printed_.reset();
      return TestVerdict::yes;
    }
    std::string text;
    for (int64_t i = bounds[0]; i <= bounds[2]; i += bounds[1]) text += (text.empty() ? "" : "\n") + std::to_string(i);
    return print_known(r, words, text);
  }
  /// What somebody types, or options: not known.
  static TestVerdict read(ScriptRunner& r, const CommandWords& words) {
    r.what_ = joined_text(words, 0).text;
    return TestVerdict::open;
  }
};

namespace {

struct BuiltinRow {
  std::string_view name;
  TestVerdict (*run)(ScriptRunner&, const CommandWords&);
};
constexpr BuiltinRow kBuiltins[] = {{":", Builtins::yes},
                                    {"true", Builtins::yes},
                                    {"false", Builtins::no},
                                    {"echo", Builtins::echo},
                                    {"printf", Builtins::print_format},
                                    {"export", Builtins::declare},
                                    {"declare", Builtins::declare},
                                    {"typeset", Builtins::declare},
                                    {"local", Builtins::declare},
                                    {"readonly", Builtins::declare},
                                    {"unset", Builtins::unset},
                                    {"set", Builtins::set},
                                    {"shopt", Builtins::yes},
                                    {"shift", Builtins::shift},
                                    {"source", Builtins::source},
                                    {".", Builtins::source},
                                    {"eval", Builtins::eval},
                                    {"exit", Builtins::leave},
                                    {"return", Builtins::leave},
                                    {"break", Builtins::leave},
                                    {"continue", Builtins::leave},
                                    {"[", Builtins::test},
                                    {"test", Builtins::test},
                                    {"let", Builtins::let},
                                    {"cd", Builtins::change_folder},
                                    {"pwd", Builtins::folder},
                                    {"dirname", Builtins::folder_of},
                                    {"basename", Builtins::name_of},
                                    {"expr", Builtins::formula},
                                    {"seq", Builtins::sequence},
                                    {"read", Builtins::read},
                                    {"getopts", Builtins::read}};

}  // namespace

std::optional<TestVerdict> run_builtin(ScriptRunner& runner, const CommandWords& words) {
  const auto row = std::ranges::find(kBuiltins, words[0].text, &BuiltinRow::name);
  if (row == std::end(kBuiltins)) return std::nullopt;
  return row->run(runner, words);
}

}  // namespace planner::shell
