#include "planner/shell/syntax.h"

#include <algorithm>
#include <cstring>

#include "dsl/raw_text.h"

namespace planner::shell {
namespace {

using CommandKind = CommandNode::CommandKind;
using Link = CommandNode::Link;

constexpr std::string_view kOperators = ";&|()<>";
constexpr int kDeepest = 100;  // commands inside commands

class CommandParser {
 public:
  CommandParser(ParsedScript& script, const ReportMistake& report)
      : script_(script), text_(script.code.text), report_(report) {}

  void parse() {
    while (at_ < text_.size()) {
      std::vector<CommandNode> some = list();
      std::ranges::move(some, std::back_inserter(script_.commands));
      if (at_ < text_.size()) ++at_;  // a bracket or a word that closes nothing
    }
  }

 private:
  char here(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  std::string_view rest() const { return std::string_view(text_).substr(at_); }

  void fail(size_t offset, const char* message) {
    if (!failed_) report_(offset, message);
    failed_ = true;
    at_ = text_.size();
  }

  /// Blanks, continued lines and comments between words.
  void skip_blanks() {
    for (;;) {
      if (dsl::is_blank(here()) || (here() == '\r' && here(1) == '\n')) ++at_;
      else if (here() == '\\' && here(1) == '\n') at_ += 2;
      else if (here() == '\\' && here(1) == '\r' && here(2) == '\n') at_ += 3;
      else if (here() == '#') at_ = std::min(text_.find('\n', at_), text_.size());
      else return;
    }
  }
  /// These, ends of lines (with the texts that follow "<<") and ";".
  void skip_lines() {
    for (skip_blanks(); here() == '\n' || (here() == ';' && here(1) != ';') || here() == '&'; skip_blanks()) {
      if (here() == '\n') end_line();
      else ++at_;
    }
  }

  void end_line() {
    ++at_;
    for (const auto& [node, word, is_quoted, is_indented] : waiting_) read_here(node, word, is_quoted, is_indented);
    waiting_.clear();
  }

  void read_here(size_t place, const std::string& word, bool is_quoted, bool is_indented) {
    const size_t from = at_;
    while (at_ < text_.size()) {
      const size_t begin = at_, end = std::min(text_.find('\n', at_), text_.size());
      at_ = std::min(end + 1, text_.size());
      std::string_view line = std::string_view(text_).substr(begin, end - begin);
      if (line.ends_with('\r')) line.remove_suffix(1);
      if (is_indented) line.remove_prefix(std::min(line.find_first_not_of('\t'), line.size()));
      if (line != word) continue;
      script_.here[place] = {{from, begin}, is_quoted};
      return;
    }
    script_.here[place] = {{from, at_}, is_quoted};
  }

  /// Whether the word here is `word`, alone.
  bool is_word(std::string_view word) const {
    if (!rest().starts_with(word)) return false;
    const char behind = here(word.size());
    return behind == '\0' || std::strchr(" \t\r\n;&|()<>", behind) != nullptr;
  }
  bool is_closing() const {
    constexpr std::string_view kClosing[] = {"then", "elif", "else", "fi", "do", "done", "esac", "}"};
    return here() == ')' || rest().starts_with(";;") ||
           std::ranges::any_of(kClosing, [&](auto w) { return is_word(w); });
  }
  /// Steps over a word of the language; reports a script that lacks it.
  bool take(std::string_view word, size_t opened, const char* message) {
    skip_lines();
    if (failed_) return false;
    if (!is_word(word)) return fail(opened, message), false;
    at_ += word.size();
    return true;
  }

  std::vector<CommandNode> list() {
    std::vector<CommandNode> nodes;
    if (++depth_ > kDeepest) fail(at_, "commands are nested too deeply");
    Link link = Link::always;
    for (skip_lines(); at_ < text_.size() && !is_closing(); skip_lines()) {
      const size_t before = at_;
      CommandNode node = command();
      node.link = link;
      node.all = {before, at_};
      node.script = &script_;
      nodes.push_back(std::move(node));
      if (at_ == before) ++at_;
      link = next_link();
    }
    --depth_;
    return nodes;
  }

  Link next_link() {
    skip_blanks();
    const bool done = rest().starts_with("&&"), failed = rest().starts_with("||");
    const bool piped = !failed && here() == '|';
    if (done || failed) at_ += 2;
    else if (piped) at_ += here(1) == '&' ? 2 : 1;
    if (done || failed || piped) {
      for (skip_blanks(); here() == '\n'; skip_blanks()) end_line();
      return done ? Link::if_done : failed ? Link::if_failed : Link::piped;
    }
    return Link::always;
  }

  CommandNode command() {
    CommandNode node;
    while (is_word("!") || is_word("time")) {
      node.is_negated ^= here() == '!';
      at_ += here() == '!' ? 1 : 4;
      skip_blanks();
    }
    if (is_word("if")) branch(node);
    else if (is_word("case")) match(node);
    else if (is_word("for") || is_word("select")) each(node);
    else if (is_word("while") || is_word("until")) repeat(node);
    else if (is_word("function") || is_function()) function(node);
    else if (is_word("[[")) test(node);
    else if (rest().starts_with("((")) arithmetic(node);
    else if (here() == '(' || is_word("{")) group(node);
    else simple(node);
    if (node.kind != CommandKind::simple) redirections(node);
    return node;
  }

  void branch(CommandNode& node) {
    constexpr const char* kOpen = "'if' is never closed by 'fi'";
    const size_t opened = at_;
    node.kind = CommandKind::branch;
    at_ += 2;
    for (bool more = true; more && !failed_;) {
      CommandClause clause;
      clause.condition = list();
      if (!take("then", opened, "'if' is not followed by 'then'")) return;
      clause.body = list();
      node.clauses.push_back(std::move(clause));
      more = is_word("elif");
      if (more) at_ += 4;
    }
    if (is_word("else")) {
      at_ += 4;
      CommandClause otherwise;
      otherwise.body = list();
      node.clauses.push_back(std::move(otherwise));
    }
    take("fi", opened, kOpen);
  }

  void match(CommandNode& node) {
    constexpr const char* kOpen = "'case' is never closed by 'esac'";
    const size_t opened = at_;
    node.kind = CommandKind::match;
    at_ += 4;
    skip_blanks();
    add_word(node.words, kOperators);
    if (!take("in", opened, "'case' is not followed by 'in'")) return;
    for (skip_lines(); !failed_ && !is_word("esac"); skip_lines()) {
      if (at_ >= text_.size()) return fail(opened, kOpen);
      CommandClause clause;
      if (here() == '(') ++at_;
      for (skip_blanks(); !failed_ && here() != ')'; skip_blanks()) {
        if (here() == '|') ++at_;
        else if (here() == '\0' || here() == '\n' || here() == ';') return fail(opened, kOpen);
        else add_word(clause.patterns, ";&|()");
      }
      ++at_;
      clause.body = list();
      node.clauses.push_back(std::move(clause));
      while (here() == ';' || here() == '&') ++at_;
    }
    take("esac", opened, kOpen);
  }

  void body(CommandNode& node, size_t opened) {
    if (!take("do", opened, "the loop is not followed by 'do'")) return;
    node.clauses.emplace_back().body = list();
    take("done", opened, "the loop is never closed by 'done'");
  }

  void each(CommandNode& node) {
    const size_t opened = at_;
    node.kind = CommandKind::each;
    at_ += is_word("for") ? 3 : 6;
    skip_blanks();
    if (rest().starts_with("((")) return counted(node, opened);
    const size_t n = name_length(rest());
    node.name = rest().substr(0, n);
    at_ += n;
    skip_blanks();
    const bool listed = is_word("in");
    if (listed) at_ += 2;
    for (skip_blanks(); listed && !failed_ && at_ < text_.size() && !std::strchr("\n;&|()", here()); skip_blanks())
      add_word(node.words, kOperators);
    node.takes_arguments = !listed;
    body(node, opened);
  }

  /// "for ((i = 0; i < 8; i++))": a name is missing, the formulas are its words.
  void counted(CommandNode& node, size_t opened) {
    const size_t end = expansion_or_bracket();
    if (failed_) return;
    size_t from = opened + std::string_view(text_).substr(opened).find("((") + 2;
    for (size_t semicolon; (semicolon = text_.find(';', from)) < end; from = semicolon + 1)
      node.words.push_back({from, semicolon});
    node.words.push_back({from, end - 2});
    body(node, opened);
  }

  /// Steps over the bracket here.
  size_t expansion_or_bracket() {
    const size_t open = at_;
    for (int depth = 0; at_ < text_.size();) {
      if (here() == '(') ++depth;
      if (here() == ')' && --depth == 0) return ++at_;
      ++at_;
    }
    fail(open, "the bracket is never closed");
    return at_;
  }

  void repeat(CommandNode& node) {
    const size_t opened = at_;
    node.kind = CommandKind::repeat;
    node.is_until = is_word("until");
    at_ += 5;
    std::vector<CommandNode> condition = list();
    body(node, opened);
    if (!node.clauses.empty()) node.clauses[0].condition = std::move(condition);
  }

  bool is_function() const {
    size_t n = 0;
    while (here(n) != '\0' && !std::strchr(" \t\r\n;&|()<>$\"'`=", here(n))) ++n;
    if (n == 0) return false;
    size_t open = n;
    while (dsl::is_blank(here(open))) ++open;
    return here(open) == '(' && here(open + 1) == ')';
  }

  void function(CommandNode& node) {
    const size_t opened = at_;
    node.kind = CommandKind::function;
    if (is_word("function")) at_ += 8;
    skip_blanks();
    const size_t end = std::min(text_.find_first_of(" \t\r\n(", at_), text_.size());
    node.name = text_.substr(at_, end - at_);
    at_ = end;
    skip_blanks();
    if (rest().starts_with("()")) at_ += 2;
    skip_lines();
    if (at_ >= text_.size()) return fail(opened, "the function has no body");
    CommandNode inner = command();
    inner.script = &script_;
    node.clauses.emplace_back().body.push_back(std::move(inner));
  }

  void test(CommandNode& node) {
    const size_t opened = at_;
    node.kind = CommandKind::test;
    at_ += 2;
    for (;;) {
      for (skip_blanks(); here() == '\n'; skip_blanks()) ++at_;
      if (failed_ || at_ >= text_.size()) return fail(opened, "'[[' is never closed by ']]'");
      if (is_word("]]")) break;
      const bool two = rest().starts_with("&&") || rest().starts_with("||");
      if (two || (std::strchr("()<>", here()) && !is_expression(node))) {
        node.words.push_back({at_, at_ + (two ? 2 : 1)});
        at_ += two ? 2 : 1;
      } else {
        add_word(node.words, is_expression(node) ? "" : "&|()<>");
      }
    }
    at_ += 2;
  }
  /// Whether the next word of a test is a regular expression.
  bool is_expression(const CommandNode& node) const {
    return !node.words.empty() && node.words.back().in(text_) == "=~";
  }

  void arithmetic(CommandNode& node) {
    node.kind = CommandKind::arithmetic;
    const size_t from = at_ + 2;
    const size_t end = expansion_or_bracket();
    if (!failed_) node.words.push_back({from, std::max(from, end - 2)});
  }

  void group(CommandNode& node) {
    const size_t opened = at_;
    node.kind = CommandKind::group;
    node.is_subshell = here() == '(';
    ++at_;
    node.clauses.emplace_back().body = list();
    if (failed_) return;
    if (here() != (node.is_subshell ? ')' : '}')) return fail(opened, "the bracket is never closed");
    ++at_;
  }

  void simple(CommandNode& node) {
    for (skip_blanks(); at_ < text_.size() && !failed_; skip_blanks()) {
      if (redirection(node)) continue;
      if (std::strchr("\n;&|()", here())) return;
      add_word(node.words, kOperators);
    }
  }

  void redirections(CommandNode& node) {
    for (skip_blanks(); !failed_ && redirection(node);) skip_blanks();
  }

  /// Steps over "2>&1", "> FILE", "&> FILE", "<<EOF". Returns false if something else begins here.
  bool redirection(CommandNode& node) {
    size_t n = 0;
    while (dsl::is_digit(here(n))) ++n;
    if (n == 0 && here() == '&' && here(1) == '>') n = 1;
    if (here(n) != '<' && here(n) != '>') return false;
    const size_t place = at_;
    at_ += n;
    const bool out = here() == '>', text = rest().starts_with("<<") && !rest().starts_with("<<<");
    if (here(1) == '(') return expansion_at(1), true;  // "<(command)"
    while (std::strchr("<>", here()) && here() != '\0') ++at_;
    const bool indented = text && here() == '-';
    if (indented || here() == '|') ++at_;
    if (here() == '&') ++at_;
    skip_blanks();
    // "PATH=<to fill in>": bash refuses what people leave in templates, and the rest of the script is still worth
    // reading.
    if (at_ >= text_.size() || std::strchr("\r\n;&|()<>", here())) return true;
    std::vector<TextRange> target;
    add_word(target, kOperators);
    if (failed_ || target.empty()) return true;
    if (text) await_here(place, target[0], indented);
    else if (out) node.targets.push_back(target[0]);
    return true;
  }

  void expansion_at(size_t ahead) {
    at_ += ahead;
    expansion_or_bracket();
  }

  void await_here(size_t place, TextRange word, bool is_indented) {
    std::string name(word.in(text_));
    const bool is_quoted = name.find_first_of("'\"\\") != std::string::npos;
    std::erase_if(name, [](char c) { return c == '\'' || c == '"' || c == '\\'; });
    waiting_.push_back({place, name, is_quoted, is_indented});
  }

  void add_word(std::vector<TextRange>& words, std::string_view stops) {
    const auto report = [this](size_t offset, const char* message) { fail(offset, message); };
    const size_t from = at_, end = word_end(text_, at_, stops, report);
    if (failed_) return;
    if (end == from) return fail(from, "expected a word");
    words.push_back({from, end});
    at_ = end;
  }

  struct WaitingText {
    size_t place;
    std::string word;
    bool is_quoted, is_indented;
  };
  ParsedScript& script_;
  const std::string& text_;
  const ReportMistake& report_;
  std::vector<WaitingText> waiting_;  // "<<" of the line that is read
  size_t at_ = 0;
  int depth_ = 0;
  bool failed_ = false;
};

}  // namespace

void parse_commands(ParsedScript& script, const ReportMistake& report) { CommandParser(script, report).parse(); }

}  // namespace planner::shell
