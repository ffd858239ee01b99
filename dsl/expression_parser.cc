// The only place of Boost.Spirit X3: expression text -> tree.
//
// Tokens (numbers with units, strings, names) are read by functions of our own, because X3's
// number parser rounds badly and accepts "inf", and its character classes assert on bytes outside
// ASCII. X3 does the precedence. Limits on length and depth come first: X3 recurses per bracket.
#include <algorithm>

#define BOOST_SPIRIT_X3_NO_FILESYSTEM
#include <boost/spirit/home/x3.hpp>

#include "dsl/expression_tree.h"
#include "dsl/functions.h"
#include "dsl/raw_text.h"
#include "dsl/units.h"

namespace dsl {
namespace {

namespace x3 = boost::spirit::x3;
using It = const char*;
using Draft = std::shared_ptr<Expr>;

constexpr size_t kLongest = 4096;
constexpr int kDeepest = 100;

struct ParseError {
  size_t at, length;
  std::string message, hint;
};

struct Origin {
  std::string_view text;
  std::vector<Span> places;  // of each byte, and of the end; empty: `whole` for all
  Span whole;
  Span at(size_t from, size_t length) const {
    if (places.empty()) return whole;
    from = std::min(from, text.size());
    const size_t to = std::min(from + std::max<size_t>(length, 1), text.size());
    Span span = places[from];
    span.length = std::max(places[to].column - span.column, 1);
    return span;
  }
};

// The raw place of every byte of the text: directly below a plain scalar, through its escapes
// below a quoted one, unknown where the text does not stand there (a default, an alias).
Origin origin_of(std::string_view text, const Span& span) {
  Origin origin{text, {}, span};
  const size_t begin = offset_of(span);
  if (begin == std::string::npos) return origin;
  const std::string_view raw = span.source->text;
  std::vector<size_t> offsets;
  if (raw.substr(begin, text.size()) == text && static_cast<size_t>(span.length) == text.size()) {
    for (size_t i = 0; i <= text.size(); ++i) offsets.push_back(begin + i);
  } else if (begin < raw.size() && (raw[begin] == '"' || raw[begin] == '\'')) {
    offsets = quoted_offsets(raw, begin);
    if (offsets.size() != text.size() + 1) return origin;
  }
  for (size_t offset : offsets) {
    Span place = span;
    place.column += static_cast<int>(offset - begin);
    origin.places.push_back(place);
  }
  return origin;
}

Draft make(Expr::Kind kind) {
  auto e = std::make_shared<Expr>();
  e->kind = kind;
  return e;
}

// ---- tokens: bytes taken from the start of `text`, 0 for "not this"

size_t take_number(std::string_view text, size_t offset, Draft& out) {
  Scanned s = scan_number(text);
  if (s.length == 0) return 0;
  if (!s.problem.empty()) throw ParseError{offset + s.problem_at, s.problem_length, s.problem, s.hint};
  out = make(Expr::Kind::literal);
  out->literal.v = s.number;
  return s.length;
}

size_t take_string(std::string_view text, size_t offset, Draft& out) {
  if (text.empty() || text[0] != '"') return 0;
  std::string value;
  for (size_t i = 1; i < text.size(); ++i) {
    if (text[i] == '"') {
      out = make(Expr::Kind::literal);
      out->literal.v = std::move(value);
      return i + 1;
    }
    if (text[i] == '\\' && i + 1 < text.size()) ++i;
    value += text[i];
  }
  throw ParseError{offset, 1, "the string is never closed", ""};
}

// a.b[0].c ; a segment after a dot may begin with a digit or hold '-' only where a map key could: not read here.
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
  out = make(name == "true" || name == "false" ? Expr::Kind::literal : Expr::Kind::name);
  if (out->kind == Expr::Kind::literal) out->literal.v = name == "true";
  out->name = name;
  return end;
}

size_t take_bracket(std::string_view text, size_t, Draft& out) {
  if (text.empty() || text[0] != '[') return 0;
  out = make(Expr::Kind::list);
  return 1;
}

// ---- building: the grammar pushes operands and folds them, so that no rule needs an attribute

class Builder {
 public:
  explicit Builder(const Origin& origin) : origin_(origin) {}

  size_t offset(It at) const { return static_cast<size_t>(at - origin_.text.data()); }
  void push(Draft e, size_t begin, size_t end) {
    e->span = origin_.at(begin, end - begin);
    values_.push_back({std::move(e), begin, end});
  }
  void push_op(Op op) { ops_.push_back(op); }
  void mark() { marks_.push_back(values_.size()); }
  void prefix() { ++prefixes_.back(); }
  void open_prefixes() { prefixes_.push_back(0); }

  // left OP right. A chain on the left takes the operand in: folding goes from the left anyway.
  void fold_chain() { fold_left(Expr::Kind::chain, true); }
  void fold_all() { fold_left(Expr::Kind::all, false); }
  void fold_any() { fold_left(Expr::Kind::any, false); }

  // Values above the last mark become one power, if they are several.
  void fold_power() {
    const size_t from = pop_mark();
    if (values_.size() - from < 2) return;
    gather(make(Expr::Kind::power), from, values_[from].begin, values_.back().end);
  }
  void fold_list(size_t end) {
    const size_t from = pop_mark() - 1;  // the '[' stands below the mark
    Draft node = make(Expr::Kind::list);
    const size_t begin = values_[from].begin;
    values_.erase(values_.begin() + static_cast<std::ptrdiff_t>(from));
    gather(std::move(node), from, begin, end);
  }
  void fold_call(size_t end) {
    const size_t from = pop_mark();
    Item callee = values_[from - 1];
    values_.erase(values_.begin() + static_cast<std::ptrdiff_t>(from) - 1);
    callee.e->kind = Expr::Kind::call;
    gather(callee.e, from - 1, callee.begin, end);
  }
  // Prefix operators in a row count by parity: '- - x' still checks that x is a number.
  void fold_prefixes(Expr::Kind kind) {
    const size_t count = prefixes_.back();
    prefixes_.pop_back();
    for (size_t i = 0; i < (count == 0 ? 0 : 2 - count % 2); ++i) {
      Draft node = make(kind);
      const Item& top = values_.back();
      gather(std::move(node), values_.size() - 1, top.begin, top.end);
    }
  }
  // Brackets belong to the text of what they hold: '(a + b) * c' spans from '('.
  void open_group(size_t after) { marks_.push_back(after - 1); }
  void close_group(size_t end) {
    values_.back().begin = pop_mark();
    values_.back().end = end;
  }
  void refuse_second_comparison() {
    const Item& last = values_.back();
    throw ParseError{last.end, 1, "comparisons do not chain", "write 'a < b and b < c'"};
  }
  Draft result() { return values_.empty() ? nullptr : values_.back().e; }

 private:
  struct Item {
    Draft e;
    size_t begin, end;
  };
  size_t pop_mark() {
    const size_t from = marks_.back();
    marks_.pop_back();
    return from;
  }
  void gather(Draft node, size_t from, size_t begin, size_t end) {
    for (size_t i = from; i < values_.size(); ++i) node->args.push_back(values_[i].e);
    values_.resize(from);
    push(std::move(node), begin, end);
  }
  void fold_left(Expr::Kind kind, bool with_op) {
    Item right = values_.back();
    values_.pop_back();
    Item left = values_.back();
    values_.pop_back();
    if (left.e->kind != kind) {
      Draft chain = make(kind);
      chain->args.push_back(left.e);
      left.e = std::move(chain);
    }
    left.e->args.push_back(std::move(right.e));
    if (with_op) {
      left.e->ops.push_back(ops_.back());
      ops_.pop_back();
    }
    push(std::move(left.e), left.begin, right.end);
  }

  const Origin& origin_;
  std::vector<Item> values_;
  std::vector<Op> ops_;
  std::vector<size_t> marks_, prefixes_;
};

using TakeToken = size_t (*)(std::string_view, size_t, Draft&);
struct BuilderTag;

template <TakeToken take>
struct Token : x3::parser<Token<take>> {
  using attribute_type = x3::unused_type;
  static constexpr bool has_attribute = false;

  template <class Context, class RuleContext, class Attribute>
  bool parse(It& first, It const& last, Context const& context, RuleContext const&, Attribute&) const {
    x3::skip_over(first, last, context);
    Builder& builder = x3::get<BuilderTag>(context).get();
    Draft draft;
    const size_t offset = builder.offset(first);
    const size_t length = take(std::string_view(first, static_cast<size_t>(last - first)), offset, draft);
    if (length == 0) return false;
    builder.push(std::move(draft), offset, offset + length);
    first += length;
    return true;
  }
};

// An action: calls a member of the builder.
template <auto member, auto... arguments>
constexpr auto act = [](auto& ctx) { (x3::get<BuilderTag>(ctx).get().*member)(arguments...); };
// The same for folds that need the end of what was read.
template <auto member>
constexpr auto act_at_end = [](auto& ctx) {
  Builder& builder = x3::get<BuilderTag>(ctx).get();
  (builder.*member)(builder.offset(x3::_where(ctx).begin()));
};
constexpr auto push_op = [](auto& ctx) { x3::get<BuilderTag>(ctx).get().push_op(x3::_attr(ctx)); };

// ---- grammar, loosest first. Every '>' is followed by a rule, whose name the message prints.

struct CompareOps : x3::symbols<Op> {
  CompareOps() {
    add("<", Op::less)("<=", Op::less_equal)(">", Op::greater)(">=", Op::greater_equal)("==", Op::equal)
       ("!=", Op::not_equal);
  }
} const compare_symbol;
struct SumOps : x3::symbols<Op> {
  SumOps() { add("+", Op::add)("-", Op::subtract); }
} const sum_symbol;
struct ProductOps : x3::symbols<Op> {
  ProductOps() { add("*", Op::multiply)("/", Op::divide)("%", Op::modulo); }
} const product_symbol;

const x3::rule<struct ExpressionId> expression = "a value";
const x3::rule<struct ConjunctionId> conjunction = "a value";
const x3::rule<struct NegationId> negation = "a value";
const x3::rule<struct SumId> sum = "a value";
const x3::rule<struct ProductId> product = "a value";
const x3::rule<struct SignedId> signed_value = "a value";
const x3::rule<struct PrimaryId> primary = "a value";
const x3::rule<struct CloseCallId> close_call = "',' or ')'";
const x3::rule<struct CloseGroupId> close_group = "')'";
const x3::rule<struct CloseListId> close_list = "',' or ']'";
const x3::rule<struct EndId> end_of_text = "an operator";
const x3::rule<struct InId> in_word = "'in'";

constexpr auto word(const char* text) {
  return x3::lexeme[x3::lit(text) >> !(x3::char_('a', 'z') | x3::char_('A', 'Z') | x3::char_('0', '9') | x3::char_('_'))];
}

const auto close_call_def = x3::lit(')');
const auto close_group_def = x3::lit(')');
const auto close_list_def = x3::lit(']');
const auto end_of_text_def = x3::eoi;
const auto in_word_def = word("in");

const auto compare_op = compare_symbol[push_op] | word("in")[act<&Builder::push_op, Op::in>] |
                        (word("not") > in_word)[act<&Builder::push_op, Op::not_in>];
const auto expression_def = conjunction >> *(word("or") > conjunction)[act<&Builder::fold_any>];
const auto conjunction_def = negation >> *(word("and") > negation)[act<&Builder::fold_all>];
const auto comparison = sum >> -((compare_op > sum)[act<&Builder::fold_chain>] >>
                                 -(compare_op[act<&Builder::refuse_second_comparison>]));
const auto negation_def = x3::eps[act<&Builder::open_prefixes>] >> *word("not")[act<&Builder::prefix>] >>
                          comparison >> x3::eps[act<&Builder::fold_prefixes, Expr::Kind::invert>];
const auto sum_def = product >> *((sum_symbol[push_op] > product)[act<&Builder::fold_chain>]);
const auto product_def = signed_value >> *((product_symbol[push_op] > signed_value)[act<&Builder::fold_chain>]);
const auto minuses = x3::eps[act<&Builder::open_prefixes>] >> *x3::lit('-')[act<&Builder::prefix>];
const auto negate = x3::eps[act<&Builder::fold_prefixes, Expr::Kind::negate>];
const auto power = x3::eps[act<&Builder::mark>] >> primary >> *((x3::lit('^') >> minuses > primary) >> negate) >>
                   x3::eps[act<&Builder::fold_power>];
const auto signed_value_def = minuses >> power >> negate;
const auto items = expression >> *(x3::lit(',') > expression);
const auto named = Token<take_name>{} >> -(x3::lit('(')[act<&Builder::mark>] >>
                                           (x3::lit(')') | (items > close_call)) >>
                                           x3::eps[act_at_end<&Builder::fold_call>]);
const auto list = Token<take_bracket>{} >> x3::eps[act<&Builder::mark>] >> (x3::lit(']') | (items > close_list)) >>
                  x3::eps[act_at_end<&Builder::fold_list>];
const auto group = x3::lit('(')[act_at_end<&Builder::open_group>] > expression >
                   (close_group >> x3::eps[act_at_end<&Builder::close_group>]);
const auto primary_def = Token<take_number>{} | Token<take_string>{} | named | list | group;

BOOST_SPIRIT_DEFINE(expression, conjunction, negation, sum, product, signed_value, primary, close_call, close_group,
                    close_list, end_of_text, in_word)

// ---- messages

struct HintRow {
  std::string_view begins, hint;
};
constexpr HintRow kHints[] = {
    {"?", "write if(condition, a, b)"},
    {"&&", "write 'and'"},
    {"||", "write 'or'"},
    {"!", "write 'not'"},
    {"=", "write '=='"},
    {"**", "write '^'"},
    {"*", "write '^' for a power"},
    {"'", "strings take double quotes"},
    {"{", "an expression has no maps"},
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

ParseError expected(std::string_view text, size_t at, const std::string& what, const Span& span) {
  while (at < text.size() && is_blank(text[at])) ++at;
  if (at >= text.size()) {
    const bool cut = what.find(')') != std::string::npos && cut_at_comma(span);
    return {text.size(), 1, "expected " + what + ", got the end of the expression",
            cut ? "a comma splits inside [ ] and { }: quote the expression" : ""};
  }
  const std::string got = shown_token(text, at);
  ParseError error{at, got.size(), "expected " + what + ", got '" + got + "'", ""};
  for (const HintRow& row : kHints)
    if (text.substr(at, row.begins.size()) == row.begins && error.hint.empty()) error.hint = row.hint;
  return error;
}

// What would make the parser overflow or assert.
void check_limits(std::string_view text) {
  if (text.size() > kLongest)
    throw ParseError{0, text.size(), "the expression has more than 4096 characters", "name its parts with 'let'"};
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

ExprPtr parse_text(const Origin& origin) {
  const std::string_view text = origin.text;
  check_limits(text);
  It first = text.data();
  const It last = first + text.size();
  Builder builder(origin);
  const auto grammar = x3::with<BuilderTag>(std::ref(builder))[expression > end_of_text];
  try {
    if (!x3::phrase_parse(first, last, grammar, x3::lit(' ') | x3::lit('\t')))
      throw expected(text, 0, "a value", origin.whole);
  } catch (const x3::expectation_failure<It>& e) {
    throw expected(text, builder.offset(e.where()), e.which(), origin.whole);
  }
  return builder.result();
}

}  // namespace

bool is_keyword(std::string_view name) {
  for (std::string_view word : {"and", "or", "not", "in", "true", "false"})
    if (name == word) return true;
  return false;
}

bool is_reserved_word(std::string_view name) {
  return is_keyword(name) || find_function(name) || find_unit(name);
}

ExprPtr parse_expression(std::string_view text, Span span, Diagnostics& diagnostics) {
  const Scanned quick = scan_number(text);  // most values are one number; no grammar needed
  if (quick.length == text.size() && quick.length > 0 && quick.problem.empty()) {
    Draft e = make(Expr::Kind::literal);
    e->literal.v = quick.number;
    e->span = span;
    return e;
  }
  const Origin origin = origin_of(text, span);
  try {
    return parse_text(origin);
  } catch (const ParseError& e) {
    diagnostics.error(origin.at(e.at, e.length), e.message, e.hint);
    return nullptr;
  }
}

}  // namespace dsl
