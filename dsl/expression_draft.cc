#include "dsl/expression_draft.h"

#include <algorithm>

#include "dsl/functions.h"
#include "dsl/raw_text.h"
#include "dsl/slips.h"
#include "dsl/units.h"

namespace dsl {
namespace {

constexpr size_t kLongest = 4096;
constexpr int kDeepest = 100;

Draft make(Expr::Kind kind) {
  auto e = std::make_shared<Expr>();
  e->kind = kind;
  return e;
}

}  // namespace

// ---- places

TextPlaces::TextPlaces(std::string_view expression, const Span& span) : text(expression), whole(span) {
  const size_t begin = offset_of(span);
  if (begin == std::string::npos) return;
  const std::string_view raw = span.source->text;
  std::vector<size_t> offsets;
  if (raw.substr(begin, text.size()) == text && static_cast<size_t>(span.length) == text.size()) {
    for (size_t i = 0; i <= text.size(); ++i) offsets.push_back(begin + i);
  } else if (begin < raw.size() && (raw[begin] == '"' || raw[begin] == '\'')) {
    offsets = quoted_offsets(raw, begin);
    if (offsets.size() != text.size() + 1) return;
  }
  for (size_t offset : offsets) {
    bytes_.push_back(span);
    bytes_.back().column += static_cast<int>(offset - begin);
  }
}

Span TextPlaces::at(size_t from, size_t length) const {
  if (bytes_.empty()) return whole;
  from = std::min(from, text.size());
  const size_t to = std::min(from + std::max<size_t>(length, 1), text.size());
  Span span = bytes_[from];
  span.length = std::max(bytes_[to].column - span.column, 1);
  return span;
}

// ---- tokens: bytes taken from the start of `text`, 0 for "not this"

size_t take_number(std::string_view text, size_t offset, Draft& out) {
  Scanned s = scan_number(text);
  if (s.length == 0) return 0;
  if (!s.problem.empty()) throw ParseError{offset + s.problem_at, s.problem_length, s.problem, s.hint};
  out = make_literal({s.number});
  return s.length;
}

size_t take_string(std::string_view text, size_t offset, Draft& out) {
  if (text.empty() || text[0] != '"') return 0;
  std::string value;
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') {
      out = make_literal({std::move(value)});
      return i + 1;
    }
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    value += text[i];
  }
  throw ParseError{offset, 1, "the string is never closed", ""};
}

// a.b[0].c
size_t take_name(std::string_view text, size_t, Draft& out) {
  if (text.empty() || !is_name_start(text[0])) return 0;
  size_t end = 0;
  auto segment = [&] {
    while (end < text.size() && is_name_char(text[end])) ++end;
  };
  segment();
  if (is_keyword(text.substr(0, end)) && text.substr(0, end) != "true" && text.substr(0, end) != "false") return 0;
  while (end + 1 < text.size()) {
    if (text[end] == '.' && is_name_char(text[end + 1])) {
      ++end;
      segment();
      continue;
    }
    size_t close = end + 1;
    while (close < text.size() && is_digit(text[close])) ++close;
    if (text[end] != '[' || close == end + 1 || close >= text.size() || text[close] != ']') break;
    end = close + 1;
  }
  const std::string_view name = text.substr(0, end);
  out = name == "true" || name == "false" ? make_literal({name == "true"}) : make(Expr::Kind::name);
  out->name = name;
  return end;
}

size_t take_bracket(std::string_view text, size_t, Draft& out) {
  if (text.empty() || text[0] != '[') return 0;
  out = make(Expr::Kind::list);
  return 1;
}

// ---- building

void ExpressionBuilder::push(Draft e, size_t begin, size_t end) {
  e->span = places_.at(begin, end - begin);
  values_.push_back({std::move(e), begin, end});
}

size_t ExpressionBuilder::pop_mark() {
  const size_t from = marks_.back();
  marks_.pop_back();
  return from;
}

// The operands from `from` on become the arguments of `node`, which takes their place.
void ExpressionBuilder::gather(Draft node, size_t from, size_t begin, size_t end) {
  for (size_t i = from; i < values_.size(); ++i) node->args.push_back(values_[i].e);
  values_.resize(from);
  push(std::move(node), begin, end);
}

void ExpressionBuilder::fold_left(Expr::Kind kind, bool with_op) {
  DraftItem right = std::move(values_.back());
  values_.pop_back();
  DraftItem left = std::move(values_.back());
  values_.pop_back();
  if (left.e->kind != kind) {
    Draft chain = make(kind);
    chain->args.push_back(std::move(left.e));
    left.e = std::move(chain);
  }
  left.e->args.push_back(std::move(right.e));
  if (with_op) {
    left.e->ops.push_back(ops_.back());
    ops_.pop_back();
  }
  push(std::move(left.e), left.begin, right.end);
}

// From the right, because a sign binds looser than '^': 'a ^ -b ^ c' is 'a ^ -(b ^ c)'.
void ExpressionBuilder::fold_power() {
  const size_t from = pop_mark();
  auto join = [this](size_t first) {
    if (values_.size() - first < 2) return;
    gather(make(Expr::Kind::power), first, values_[first].begin, values_.back().end);
  };
  for (size_t i = values_.size() - 1; i > from; --i) {
    if (prefixes_.back() > 0) join(i);
    fold_prefixes(Expr::Kind::negate);
  }
  join(from);
}

void ExpressionBuilder::fold_list(size_t end) {
  const size_t from = pop_mark() - 1;  // the '[' stands below the mark
  const size_t begin = values_[from].begin;
  values_.erase(values_.begin() + static_cast<std::ptrdiff_t>(from));
  gather(make(Expr::Kind::list), from, begin, end);
}

void ExpressionBuilder::fold_call(size_t end) {
  const size_t from = pop_mark() - 1;  // so does the name
  DraftItem callee = values_[from];
  values_.erase(values_.begin() + static_cast<std::ptrdiff_t>(from));
  callee.e->kind = Expr::Kind::call;
  gather(std::move(callee.e), from, callee.begin, end);
}

void ExpressionBuilder::close_group(size_t end) {
  values_.back().begin = pop_mark();
  values_.back().end = end;
}

// Prefix operators in a row count by parity: '- - x' still checks that x is a number.
void ExpressionBuilder::fold_prefixes(Expr::Kind kind) {
  const size_t count = prefixes_.back();
  prefixes_.pop_back();
  for (size_t i = 0; i < (count == 0 ? 0 : 2 - count % 2); ++i) {
    const size_t begin = values_.back().begin, end = values_.back().end;
    gather(make(kind), values_.size() - 1, begin, end);
  }
}

void ExpressionBuilder::refuse_second_comparison() {
  throw ParseError{values_.back().end, 1, "comparisons do not chain", "join two of them: a < b and b < c"};
}

// ---- messages

namespace {

// A text used in place of an operator or value; `back`: bytes of it that were already read.
struct HintRow {
  std::string_view said;
  size_t back;
  std::string_view hint;  // "write" replaces all of `said`
};
constexpr HintRow kHints[] = {
    {"?", 0, "write if(condition, a, b)"},
    {"&&", 0, "write 'and'"},
    {"||", 0, "write 'or'"},
    {"=>", 0, "write '>='"},
    {"=<", 0, "write '<='"},
    {"<>", 1, "write '!='"},
    {"!", 0, "write 'not '"},
    {"=", 0, "write '=='"},
    {"**", 0, "write '^'"},
    {"**", 1, "write '^'"},
    {"{", 0, "an expression has no maps"},
    {"[", 0, "an item of a list is named by its number, such as [0]"},
    {".inf", 0, "there is no infinity"},
    {".nan", 0, "every value is a number"},
};

std::string shown_token(std::string_view text, size_t at) {
  size_t end = at;
  while (end < text.size() && is_name_char(text[end])) ++end;
  if (end == at) end = at + std::max<size_t>(utf8_length(text, at), 1);
  return std::string(text.substr(at, end - at));
}

// A text that stops inside brackets before a comma was split by YAML.
bool cut_at_comma(const Span& span) {
  size_t at = offset_of(span);
  if (at == std::string::npos) return false;
  at += static_cast<size_t>(span.length);
  const std::string& raw = span.source->text;
  while (at < raw.size() && is_blank(raw[at])) ++at;
  return at < raw.size() && raw[at] == ',';
}

}  // namespace

ParseError expected(std::string_view text, size_t at, const std::string& what, const Span& span) {
  while (at < text.size() && is_blank(text[at])) ++at;
  if (at >= text.size()) {
    const bool cut = what.find(')') != std::string::npos && cut_at_comma(span);
    return {text.size(), 1, "expected " + what + ", got the end of the expression",
            cut ? "a comma splits inside [ ] and { }: quote the expression" : ""};
  }
  const std::string got = shown_token(text, at);
  ParseError error{at, got.size(), "expected " + what + ", got '" + got + "'", ""};
  for (const HintRow& row : kHints) {
    if (at < row.back || text.substr(at - row.back, row.said.size()) != row.said) continue;
    if (row.hint.starts_with("write '")) error.at = at - row.back, error.length = row.said.size();
    error.hint = row.hint;
    return error;
  }
  const size_t close = got == "'" ? text.find('\'', at + 1) : std::string_view::npos;
  if (close == std::string_view::npos) return error;
  error.length = close + 1 - at;
  error.hint = "write '\"" + std::string(text.substr(at + 1, close - at - 1)) + "\"'";
  return error;
}

void check_limits(std::string_view text) {
  if (text.size() > kLongest)
    throw ParseError{0, text.size(), "the expression has more than 4096 characters", "name its parts with 'let'"};
  if (auto bad = find_bad_byte(text)) throw ParseError{bad->offset, 1, bad->message, bad->hint};
  int depth = 0;
  bool in_string = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string) {
      if (c == '\\') ++i;
      else if (c == '"') in_string = false;
      continue;
    }
    if (static_cast<unsigned char>(c) >= 0x80)
      throw ParseError{i, std::max<size_t>(utf8_length(text, i), 1), "letters outside ASCII stand in strings only", ""};
    if (c == '\n') throw ParseError{i, 1, "an expression stands on one line", ""};
    if (c == '"') in_string = true;
    if ((c == '(' || c == '[') && ++depth > kDeepest)
      throw ParseError{i, 1, "brackets nest more than 100 deep", "name the inner part with 'let'"};
    if (c == ')' || c == ']') --depth;
  }
}

bool is_keyword(std::string_view name) {
  for (std::string_view word : {"and", "or", "not", "in", "true", "false"})
    if (name == word) return true;
  return false;
}

bool is_reserved_word(std::string_view name) { return is_keyword(name) || find_function(name) || find_unit(name); }

}  // namespace dsl
