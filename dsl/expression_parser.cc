// The only place of Boost.Spirit X3: the grammar of expressions.
//
// Tokens (numbers with units, strings, names) are read by functions of our own (expression_draft.h),
// because X3's number parser rounds badly and accepts "inf", and its character classes assert on
// bytes outside ASCII. X3 does the precedence. It recurses per bracket: limits are checked first.
#include <boost/spirit/home/x3.hpp>

#include "dsl/expression_draft.h"
#include "dsl/slips.h"
#include "dsl/units.h"

namespace dsl {
namespace {

namespace x3 = boost::spirit::x3;
using It = const char*;

using TakeToken = size_t (*)(std::string_view, size_t, Draft&);
struct BuilderTag;

template <TakeToken take> struct Token : x3::parser<Token<take>> {
  using attribute_type = x3::unused_type;
  static constexpr bool has_attribute = false;

  template <class Context, class RuleContext, class Attribute>
  bool parse(It& first, It const& last, Context const& context, RuleContext const&, Attribute&) const {
    x3::skip_over(first, last, context);
    ExpressionBuilder& builder = x3::get<BuilderTag>(context).get();
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
// The same for folds that need the end of the text read.
template <auto member> constexpr auto act_at_end = [](auto& ctx) {
  ExpressionBuilder& builder = x3::get<BuilderTag>(ctx).get();
  (builder.*member)(builder.offset(x3::_where(ctx).begin()));
};
constexpr auto push_op = [](auto& ctx) { x3::get<BuilderTag>(ctx).get().push_op(x3::_attr(ctx)); };

// ---- grammar, loosest first. Every '>' is followed by a rule, whose name the message prints.

struct CompareOps : x3::symbols<Op> {
  CompareOps() {
    add("<", Op::less)("<=", Op::less_equal)(">", Op::greater)(">=", Op::greater_equal)("==", Op::equal)("!=",
                                                                                                         Op::not_equal);
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
const x3::rule<struct ComparisonId> comparison = "a value";
const x3::rule<struct PowerId> power = "a value";
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
  return x3::lexeme[x3::lit(text) >>
                    !(x3::char_('a', 'z') | x3::char_('A', 'Z') | x3::char_('0', '9') | x3::char_('_'))];
}

const auto close_call_def = x3::lit(')');
const auto close_group_def = x3::lit(')') >> x3::eps[act_at_end<&ExpressionBuilder::close_group>];
const auto close_list_def = x3::lit(']');
const auto end_of_text_def = x3::eoi;
const auto in_word_def = word("in");

const auto compare_op = compare_symbol[push_op] | word("in")[act<&ExpressionBuilder::push_op, Op::in>] |
                        (word("not") > in_word)[act<&ExpressionBuilder::push_op, Op::not_in>];
const auto expression_def = conjunction >> *(word("or") > conjunction)[act<&ExpressionBuilder::fold_any>];
const auto conjunction_def = negation >> *(word("and") > negation)[act<&ExpressionBuilder::fold_all>];
const auto comparison_def = sum >> -((compare_op > sum)[act<&ExpressionBuilder::fold_chain>] >>
                                     -(compare_op[act<&ExpressionBuilder::refuse_second_comparison>]));
const auto negation_def = x3::eps[act<&ExpressionBuilder::open_prefixes>] >>
                          ((+word("not")[act<&ExpressionBuilder::prefix>] > comparison) | comparison) >>
                          x3::eps[act<&ExpressionBuilder::fold_prefixes, Expr::Kind::invert>];
const auto sum_def = product >> *((sum_symbol[push_op] > product)[act<&ExpressionBuilder::fold_chain>]);
const auto product_def = signed_value >>
                         *((product_symbol[push_op] > signed_value)[act<&ExpressionBuilder::fold_chain>]);
const auto open = x3::eps[act<&ExpressionBuilder::open_prefixes>];
const auto minuses = +x3::lit('-')[act<&ExpressionBuilder::prefix>];
const auto negate = x3::eps[act<&ExpressionBuilder::fold_prefixes, Expr::Kind::negate>];
const auto power_def = x3::eps[act<&ExpressionBuilder::mark>] >> primary >>
                       *(x3::lit('^') >> open >> -minuses > primary) >> x3::eps[act<&ExpressionBuilder::fold_power>];
const auto signed_value_def = open >> ((minuses > power) | power) >> negate;
const auto items = expression >> *(x3::lit(',') > expression);
const auto named = Token<take_name>{} >>
                   -(x3::lit('(')[act<&ExpressionBuilder::mark>] >> (x3::lit(')') | (items > close_call)) >>
                     x3::eps[act_at_end<&ExpressionBuilder::fold_call>]);
const auto list = Token<take_bracket>{} >> x3::eps[act<&ExpressionBuilder::mark>] >>
                  (x3::lit(']') | (items > close_list)) >> x3::eps[act_at_end<&ExpressionBuilder::fold_list>];
const auto group = x3::lit('(')[act_at_end<&ExpressionBuilder::open_group>] > expression > close_group;
const auto primary_def = Token<take_number>{} | Token<take_string>{} | named | list | group;

BOOST_SPIRIT_DEFINE(expression, conjunction, negation, comparison, sum, product, power, signed_value, primary,
                    close_call, close_group, close_list, end_of_text, in_word)

ExprPtr parse_text(const TextPlaces& places) {
  const std::string_view text = places.text;
  check_limits(text);
  It first = text.data();
  const It last = first + text.size();
  ExpressionBuilder builder(places);
  const auto grammar = x3::with<BuilderTag>(std::ref(builder))[expression > end_of_text];
  try {
    if (!x3::phrase_parse(first, last, grammar, x3::lit(' ') | x3::lit('\t')))
      throw expected(text, 0, "a value", places.whole);
  } catch (const x3::expectation_failure<It>& e) {
    throw expected(text, builder.offset(e.where()), e.which(), places.whole);
  }
  return builder.result();
}

}  // namespace

ExprPtr parse_expression(std::string_view text, Span span, Diagnostics& diagnostics) {
  // Most values are one number, or true or false; no grammar needed.
  if (text == "true" || text == "false") return make_literal({text == "true"}, span);
  const Scanned quick = scan_number(text);
  if (quick.length == text.size() && quick.length > 0 && quick.problem.empty())
    return make_literal({quick.number}, span);
  const TextPlaces places(text, span);
  try {
    return parse_text(places);
  } catch (const ParseError& e) {
    const std::optional<Slip> slip = find_slip(text);
    if (slip) diagnostics.error(places.at(0, text.size()), slip->message, slip->hint);
    else diagnostics.error(places.at(e.at, e.length), e.message, e.hint);
    return nullptr;
  }
}

}  // namespace dsl
