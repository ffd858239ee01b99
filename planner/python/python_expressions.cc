#include <algorithm>
#include <array>

#include "planner/python/python_syntax.h"

namespace planner {
namespace {

using Kind = PythonExpression::Kind;
using TokenKind = PythonToken::Kind;

constexpr int kDeepest = 64;

struct PythonOperator {
  std::string_view word;
  int rank;
};
constexpr std::array kOperators = {
    PythonOperator{"or", 1},  PythonOperator{"and", 2}, PythonOperator{"in", 4}, PythonOperator{"not", 4},
    PythonOperator{"is", 4},  PythonOperator{"<", 4},   PythonOperator{">", 4},  PythonOperator{"<=", 4},
    PythonOperator{">=", 4},  PythonOperator{"==", 4},  PythonOperator{"!=", 4}, PythonOperator{"|", 5},
    PythonOperator{"^", 6},   PythonOperator{"&", 7},   PythonOperator{"<<", 8}, PythonOperator{">>", 8},
    PythonOperator{"+", 9},   PythonOperator{"-", 9},   PythonOperator{"*", 10}, PythonOperator{"/", 10},
    PythonOperator{"//", 10}, PythonOperator{"%", 10},  PythonOperator{"@", 10}, PythonOperator{"**", 12},
};
constexpr int kNotRank = 3, kCompareRank = 4, kSignRank = 11, kPowerRank = 12;

int rank_of(std::string_view word) {
  const auto* found = std::ranges::find(kOperators, word, &PythonOperator::word);
  return found == kOperators.end() ? 0 : found->rank;
}

}  // namespace

std::string_view PythonFile::word(size_t token) const {
  const PythonToken& t = tokens[token];
  return std::string_view(source->text).substr(t.begin, t.end - t.begin);
}

std::string PythonFile::text_of(const PythonExpression& e) const {
  std::string out;
  for (size_t i = e.begin; i < e.end; ++i) {
    if (i > e.begin && tokens[i].begin > tokens[i - 1].end) out += ' ';
    for (const char c : word(i)) out += static_cast<unsigned char>(c) < ' ' ? ' ' : c;
  }
  return out;
}

PythonExpressions::PythonExpressions(const PythonFile& file, dsl::Diagnostics& diagnostics)
    : file_(file), diagnostics_(diagnostics), lines_(*file.source), word_(file.word(0)) {}

void PythonExpressions::next() {
  if (at_ + 1 < file_.tokens.size()) word_ = file_.word(++at_);
}

bool PythonExpressions::accept(std::string_view word) {
  if (failed_ || word_ != word) return false;
  next();
  return true;
}

void PythonExpressions::expect(std::string_view word) {
  if (accept(word)) return;
  const bool is_end = is_at(TokenKind::newline) || is_at(TokenKind::end);
  fail("this is no Python: expected '" + std::string(word) + "', got " +
       (is_end ? "the line's end" : "'" + dsl::shortened(word_) + "'"));
}

std::string PythonExpressions::take_name() {
  std::string name(word_);
  if (!is_at(TokenKind::name)) fail("this is no Python: expected a name");
  else next();
  return name;
}

void PythonExpressions::fail(const std::string& message, const std::string& hint) {
  const PythonToken& t = file_.tokens[at_];
  if (!failed_) diagnostics_.error(lines_.at(t.begin, std::max<size_t>(t.end - t.begin, 1)), message, hint);
  failed_ = true;
  at_ = file_.tokens.size() - 1;
  word_ = {};
}

void PythonExpressions::skip_to(std::initializer_list<std::string_view> words) {
  int depth = 0;
  while (!failed_ && !is_at(TokenKind::newline) && !is_at(TokenKind::end)) {
    if (is_at(TokenKind::sign) && depth == 0 && std::ranges::find(words, word_) != words.end()) return;
    if (is("(") || is("[") || is("{")) ++depth;
    else if ((is(")") || is("]") || is("}")) && --depth < 0) return;
    next();
  }
}

PythonExpression PythonExpressions::make(Kind kind, size_t begin, std::string text,
                                         std::vector<PythonExpression> parts) {
  PythonExpression e;
  e.kind = kind;
  e.text = std::move(text);
  e.begin = begin;
  e.end = at_;
  for (const PythonExpression& part : parts) e.depth = std::max(e.depth, part.depth + 1);
  e.parts = std::move(parts);
  if (e.depth > kDeepest) fail("this expression nests more than " + std::to_string(kDeepest) + " deep");
  return e;
}

PythonExpression PythonExpressions::read_target() {
  in_target_ = true;
  PythonExpression e = read_tuple();
  in_target_ = false;
  return e;
}

PythonExpression PythonExpressions::read_tuple() {
  const size_t begin = at_;
  PythonExpression first = read();
  if (!is(",")) return first;
  std::vector<PythonExpression> parts;
  parts.push_back(std::move(first));
  while (accept(",")) {
    if (is_at(TokenKind::newline) || is("=") || is(")") || is(":") || is("in") || is(";")) break;
    parts.push_back(read());
  }
  return make(Kind::list, begin, "(", std::move(parts));
}

PythonExpression PythonExpressions::read() {
  const size_t begin = at_;
  if (++depth_ > kDeepest) fail("this expression nests more than " + std::to_string(kDeepest) + " deep");
  PythonExpression e = is("lambda") ? read_lambda() : read_operators(1);
  if (accept("if")) {
    PythonExpression condition = read_operators(1);
    expect("else");
    PythonExpression otherwise = read();
    std::vector<PythonExpression> parts;
    parts.push_back(std::move(condition));
    parts.push_back(std::move(e));
    parts.push_back(std::move(otherwise));
    e = make(Kind::conditional, begin, "", std::move(parts));
  } else if (accept(":=")) {
    std::vector<PythonExpression> parts;
    parts.push_back(read());
    e = make(Kind::naming, begin, std::move(e.text), std::move(parts));
  }
  --depth_;
  return e;
}

PythonExpression PythonExpressions::read_lambda() {
  const size_t begin = at_;
  next();
  skip_to({":"});
  expect(":");
  read();
  return make(Kind::opaque, begin, "");
}

PythonExpression PythonExpressions::read_operators(int least) {
  const size_t begin = at_;
  PythonExpression left = read_prefixed();
  bool is_compared = false;  // by this loop: "a < b < c" is no pair of signs
  while (!failed_) {
    const int rank = rank_of(word_);
    if (rank == 0 || rank < least || (in_target_ && is("in"))) break;
    std::string word(word_);
    next();
    if (word == "not") {
      expect("in");
      word = "not in";
    } else if (word == "is" && accept("not")) {
      word = "is not";
    }
    const bool is_chain = rank == kCompareRank && is_compared;
    is_compared = rank == kCompareRank;
    std::vector<PythonExpression> parts;
    parts.push_back(std::move(left));
    parts.push_back(read_operators(rank == kPowerRank ? kSignRank : rank + 1));
    left = make(is_chain ? Kind::opaque : Kind::binary, begin, std::move(word), std::move(parts));
  }
  return left;
}

PythonExpression PythonExpressions::read_prefixed() {
  const size_t begin = at_;
  if (is("not") || is("-") || is("+") || is("~") || is("*") || is("**") || is("await") || is("yield")) {
    if (++depth_ > kDeepest) fail("this expression nests more than " + std::to_string(kDeepest) + " deep");
    std::string word(word_);
    next();
    if (word == "yield") accept("from");
    const bool is_bare = word == "yield" && (is_at(TokenKind::newline) || is(")"));
    std::vector<PythonExpression> parts;
    if (!is_bare) parts.push_back(read_operators(word == "not" ? kNotRank : word[0] == '*' ? 1 : kSignRank));
    --depth_;
    const Kind kind = word == "*"                          ? Kind::star
                      : word == "**"                       ? Kind::double_star
                      : word == "await" || word == "yield" ? Kind::opaque
                                                           : Kind::unary;
    return make(kind, begin, std::move(word), std::move(parts));
  }
  return read_trailers(read_atom());
}

PythonExpression PythonExpressions::read_trailers(PythonExpression e) {
  const size_t begin = e.begin;
  while (!failed_) {
    std::vector<PythonExpression> parts;
    parts.push_back(std::move(e));
    if (accept(".")) {
      std::string name = take_name();
      e = make(Kind::attribute, begin, std::move(name), std::move(parts));
    } else if (accept("(")) {
      while (!failed_ && !is(")")) {
        parts.push_back(read_argument());
        if (!is(")")) expect(",");
      }
      expect(")");
      e = make(Kind::call, begin, "", std::move(parts));
    } else if (accept("[")) {
      parts.push_back(read_subscript());
      e = make(Kind::subscript, begin, "", std::move(parts));
    } else {
      return std::move(parts.front());
    }
  }
  return e;
}

PythonExpression PythonExpressions::read_argument() {
  const size_t begin = at_;
  PythonExpression value = read();
  if (value.kind == Kind::name && accept("=")) {
    std::vector<PythonExpression> parts;
    parts.push_back(read());
    return make(Kind::keyword, begin, value.text, std::move(parts));
  }
  if (!is("for") && !is("async")) return value;
  skip_to({});
  return make(Kind::opaque, begin, "");
}

PythonExpression PythonExpressions::read_subscript() {
  const size_t begin = at_;
  const auto side = [&] { return is(":") || is("]") ? make(Kind::constant, at_, "None") : read_tuple(); };
  PythonExpression e = side();
  if (accept(":")) {
    std::vector<PythonExpression> parts;
    parts.push_back(std::move(e));
    parts.push_back(side());
    e = make(Kind::slice, begin, "", std::move(parts));
  }
  if (!is("]")) {
    skip_to({});
    e = make(Kind::opaque, begin, "");
  }
  expect("]");
  return e;
}

PythonExpression PythonExpressions::read_strings() {
  const size_t begin = at_;
  std::string value;
  bool is_open = false;
  for (; is_at(TokenKind::string); next()) {
    is_open = is_open || is_python_format(word_);
    value += python_string(word_);
  }
  return make(is_open ? Kind::opaque : Kind::string, begin, std::move(value));
}

PythonExpression PythonExpressions::read_atom() {
  const size_t begin = at_;
  if (is_at(TokenKind::string)) return read_strings();
  std::string word(word_);
  if (is_at(TokenKind::number)) {
    next();
    std::string number = python_number(word);
    const Kind kind = number.empty() ? Kind::opaque : Kind::number;
    return make(kind, begin, std::move(number));
  }
  if (is_at(TokenKind::name)) {
    next();
    const bool is_constant = word == "True" || word == "False" || word == "None";
    return make(is_constant ? Kind::constant : Kind::name, begin, std::move(word));
  }
  if (accept("...")) return make(Kind::opaque, begin, "");
  if (accept("(")) return read_bracket(")");
  if (accept("[")) return read_bracket("]");
  if (accept("{")) return read_bracket("}");
  fail("this is no Python: expected a value");
  return {};
}

/// Reads one item inside of brackets; false if a comprehension follows.
bool PythonExpressions::read_part(PythonExpression& into, bool has_braces) {
  into.parts.push_back(read());
  if (has_braces && into.parts.back().kind == Kind::double_star) {
    into.kind = Kind::dict;
  } else if (has_braces && accept(":")) {
    into.kind = Kind::dict;
    into.parts.push_back(read());
  }
  return !is("for") && !is("async");
}

PythonExpression PythonExpressions::read_bracket(std::string_view closing) {
  const size_t begin = at_ - 1;
  PythonExpression all;
  all.kind = closing == "}" && is(closing) ? Kind::dict : Kind::list;
  bool is_group = closing == ")", is_known = true;
  while (!failed_ && !is(closing)) {
    is_known = read_part(all, closing == "}");
    if (!is_known) skip_to({});
    if (is(closing)) break;
    is_group = false;
    expect(",");
  }
  expect(closing);
  if (!is_known) return make(Kind::opaque, begin, "");
  if (!is_group || all.parts.size() != 1) {
    std::string opening = closing == "]" ? "" : closing == ")" ? "(" : "{";
    return make(all.kind, begin, std::move(opening), std::move(all.parts));
  }
  PythonExpression e = std::move(all.parts.front());
  e.begin = begin;
  e.end = at_;
  return e;
}

}  // namespace planner
