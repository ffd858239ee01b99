#include "planner/import/shell_words.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

#include "dsl/expression_tree.h"
#include "dsl/raw_text.h"

namespace planner {
namespace {

/// Text whose every byte knows its offset in the script.
struct PlacedText {
  std::string text;
  std::vector<size_t> at;

  void add(char c, size_t offset) {
    text += c;
    at.push_back(offset);
  }
  void add(const PlacedText& other) {
    text += other.text;
    at.insert(at.end(), other.at.begin(), other.at.end());
  }
};
using Words = std::vector<PlacedText>;

bool is_name(char c) { return dsl::is_name_char(c) && c != '.'; }

/// Length of "NAME" in front of '=' (or "+="), 0 where the word sets no variable.
size_t assigned_name(std::string_view word) {
  size_t n = 0;
  while (n < word.size() && is_name(word[n])) ++n;
  if (n == 0 || dsl::is_digit(word[0])) return 0;
  return word.substr(n, 1) == "=" || word.substr(n, 2) == "+=" ? n : 0;
}

constexpr size_t kMostBytes = 1 << 22;  // of all words: a variable may hold itself many times over

class ShellReader {
 public:
  ShellReader(const dsl::Source& source, dsl::Diagnostics& diagnostics)
      : text_(source.text), lines_(source), diagnostics_(diagnostics) {}

  ShellText read() {
    while (at_ < text_.size() && !failed_) read_command();
    for (const auto& [name, words] : variables_) out_.variables[name] = word_of(joined(words));
    return std::move(out_);
  }

 private:
  char here(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  void fail(size_t offset, const char* message) {
    if (!failed_) diagnostics_.error(lines_.at(offset, 1), message);
    failed_ = true;
    at_ = text_.size();
  }

  ShellWord word_of(const PlacedText& w) const {
    return {w.text, lines_.at(w.at.empty() ? 0 : w.at[0], w.text.size())};
  }

  static PlacedText joined(const Words& words) {
    PlacedText all;
    for (const PlacedText& w : words) {
      if (!all.text.empty()) all.add(' ', w.at.empty() ? 0 : w.at[0]);
      all.add(w);
    }
    return all;
  }

  /// Blanks, continued lines and comments between words.
  void skip_blanks() {
    for (;;) {
      if (dsl::is_blank(here()) || here() == '\r') ++at_;
      else if (here() == '\\' && (here(1) == '\n' || (here(1) == '\r' && here(2) == '\n')))
        at_ += here(1) == '\n' ? 2 : 3;
      else if (here() == '#') at_ = std::min(text_.find('\n', at_), text_.size());
      else return;
    }
  }

  void read_command() {
    Words words;
    for (skip_blanks(); at_ < text_.size() && !std::strchr("\n;&|()", here()); skip_blanks()) {
      if (words.empty() && set_variable()) continue;
      read_word(words);
      if (words.size() == 1 && words[0].text == "export") words.clear();
    }
    while (at_ < text_.size() && std::strchr("\n;&|()", here())) ++at_;
    if (words.empty()) return;
    ShellCommand command;
    for (const PlacedText& w : words) command.words.push_back(word_of(w));
    out_.commands.push_back(std::move(command));
  }

  /// NAME=value or NAME=(words) here; false where it is something else.
  bool set_variable() {
    const size_t name_length = assigned_name(text_.substr(at_));
    if (name_length == 0) return false;
    const std::string name(text_.substr(at_, name_length));
    at_ += name_length;
    const bool append = here() == '+';
    at_ += append ? 2 : 1;
    Words value = append ? variables_[name] : Words{};
    if (here() == '(') read_list(value);
    else if (!std::strchr(" \t\r\n;&|", here())) read_word(value, true);
    variables_[name] = std::move(value);
    return true;
  }

  void read_list(Words& words) {
    const size_t open = at_++;
    for (;;) {
      skip_blanks();
      if (at_ >= text_.size()) return fail(open, "the bracket is never closed");
      if (here() == ')') break;
      if (here() == '\n') ++at_;
      else if (std::strchr(";&|(", here())) return fail(at_, "expected a word or ')'");
      else read_word(words);
    }
    ++at_;
  }

  /// Adds the word here; variables outside quotes may make it several, or none.
  void read_word(Words& words, bool whole = false) {
    PlacedText word;
    bool any = false;  // "" is a word, an empty variable is not
    while (at_ < text_.size() && !std::strchr(" \t\r\n;&|()", here())) {
      if (here() == '\\' && here(1) == '\n') {
        at_ += 2;
        break;
      }
      any = any || here() != '$';
      if (here() == '\'') single_quotes(word);
      else if (here() == '"') double_quotes(word);
      else if (here() == '$') split_variable(word, words, whole, any);
      else {
        if (here() == '\\') ++at_;
        if (at_ < text_.size()) word.add(here(), at_);
        ++at_;
      }
    }
    if (any || !word.text.empty()) push(words, std::move(word));
  }

  void push(Words& words, PlacedText word) {
    bytes_ += word.text.size() + 1;
    if (bytes_ > kMostBytes) return fail(0, "the variables of the text grow without end");
    words.push_back(std::move(word));
  }

  void single_quotes(PlacedText& word) {
    const size_t open = at_++;
    while (at_ < text_.size() && here() != '\'') word.add(here(), at_), ++at_;
    if (at_ >= text_.size()) return fail(open, "the quote is never closed");
    ++at_;
  }

  void double_quotes(PlacedText& word) {
    const size_t open = at_++;
    while (at_ < text_.size() && here() != '"') {
      if (here() == '$') {
        word.add(joined(variable()));
      } else if (here() == '\\' && here(1) == '\n') {
        at_ += 2;
      } else {
        if (here() == '\\' && std::strchr("\"\\$`", here(1))) ++at_;
        if (at_ < text_.size()) word.add(here(), at_);
        ++at_;
      }
    }
    if (at_ >= text_.size()) return fail(open, "the quote is never closed");
    ++at_;
  }

  /// A variable outside quotes: its blanks part words.
  void split_variable(PlacedText& word, Words& words, bool whole, bool& any) {
    const PlacedText value = joined(variable());
    for (size_t i = 0; i < value.text.size(); ++i) {
      const bool blank = !whole && std::strchr(" \t\r\n", value.text[i]);
      if (!blank) word.add(value.text[i], value.at[i]);
      if (!blank || word.text.empty()) continue;
      push(words, std::move(word));
      word = {};
      any = false;
    }
  }

  /// The value of the `$...` here; as it is written where it is not known.
  Words variable() {
    const size_t dollar = at_;
    if (here(1) == '(') return computed(dollar);
    const bool braces = here(1) == '{';
    size_t from = at_ + (braces ? 2 : 1), to = from;
    while (to < text_.size() && is_name(text_[to])) ++to;
    const std::string name(text_.substr(from, to - from));
    const size_t end = braces ? text_.find('}', to) : to;
    if (end == std::string_view::npos) return fail(dollar, "the bracket is never closed"), Words{};
    at_ = std::max(braces ? end + 1 : end, dollar + 1);
    const auto known = variables_.find(name);
    if (known != variables_.end() && !known->second.empty()) return known->second;
    const std::string_view rest = braces ? text_.substr(to, end - to) : "";
    if (rest.starts_with(":-") || rest.starts_with(":=")) return {otherwise(to + 2, end)};
    if (known != variables_.end()) return {};
    return {written(dollar, at_)};
  }

  /// The text behind ":-", without the quotes around it.
  PlacedText otherwise(size_t from, size_t end) const {
    const char quote = from + 1 < end ? text_[from] : ' ';
    const bool quoted = (quote == '"' || quote == '\'') && text_[end - 1] == quote;
    return quoted ? written(from + 1, end - 1) : written(from, end);
  }

  /// $((1 + 2)); $(command) stays as it is written.
  Words computed(size_t dollar) {
    int depth = 0;
    for (; at_ < text_.size(); ++at_) {
      if (here() == '(') ++depth;
      if (here() == ')' && --depth == 0) break;
    }
    if (at_ >= text_.size()) return fail(dollar, "the bracket is never closed"), Words{};
    const size_t end = ++at_;
    const std::string_view inner = text_.substr(dollar, end - dollar);
    if (!inner.starts_with("$((") || !inner.ends_with("))")) return {written(dollar, end)};
    std::string formula(inner.substr(3, inner.size() - 5));
    std::erase_if(formula, [](char c) { return c == '$' || c == '{' || c == '}' || c == '\n'; });
    const std::string result = arithmetic(formula);
    if (result.empty()) return {written(dollar, end)};
    PlacedText value;
    for (const char c : result) value.add(c, dollar);
    return {value};
  }

  std::string arithmetic(const std::string& formula) const {
    const dsl::Source source{"$((", formula, ""};
    dsl::Diagnostics ignored;
    const dsl::ExprPtr tree =
        dsl::parse_expression(formula, {&source, 1, 1, static_cast<int>(formula.size())}, ignored);
    const auto resolve = [&](const std::string& name, dsl::Span) -> std::optional<dsl::Value> {
      const auto known = variables_.find(name);
      char* end = nullptr;
      const std::string text = known == variables_.end() ? "" : joined(known->second).text;
      const double x = std::strtod(text.c_str(), &end);
      if (text.empty() || *end) return std::nullopt;
      return dsl::Value{dsl::Number{x, {}}};
    };
    dsl::Budget budget;
    const auto value = tree ? dsl::walk(*tree, resolve, ignored, {}, false, budget) : std::nullopt;
    const dsl::Number* number = value ? std::get_if<dsl::Number>(&value->v) : nullptr;
    if (!number) return "";
    return dsl::to_text(dsl::Value{dsl::Number{std::trunc(number->value), {}}});
  }

  PlacedText written(size_t from, size_t to) const {
    PlacedText word;
    for (size_t i = from; i < to; ++i) word.add(text_[i], i);
    return word;
  }

  std::string_view text_;
  dsl::LineMap lines_;
  dsl::Diagnostics& diagnostics_;
  ShellText out_;
  std::map<std::string, Words> variables_;
  size_t at_ = 0, bytes_ = 0;
  bool failed_ = false;
};

}  // namespace

ShellText read_shell(const dsl::Source& source, dsl::Diagnostics& diagnostics) {
  return ShellReader(source, diagnostics).read();
}

}  // namespace planner
