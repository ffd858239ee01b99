#include "planner/python/python_values.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "dsl/raw_text.h"

namespace planner {
namespace {

using Kind = PythonValue::Kind;

constexpr size_t kLongestText = 1 << 16;

PythonValue value_of(Kind kind, std::string text) {
  PythonValue v;
  v.kind = kind;
  v.text = std::move(text);
  return v;
}
PythonValue boolean(bool value) { return value_of(Kind::boolean, value ? "true" : "false"); }

/// A number: exact where it is whole.
struct PythonNumber {
  bool is_whole = false;
  long long whole = 0;
  double real = 0;
};

std::optional<PythonNumber> number_of(const PythonValue& v) {
  if (v.is(Kind::boolean)) return PythonNumber{true, v.text == "true", v.text == "true" ? 1.0 : 0.0};
  if (!v.is(Kind::number)) return std::nullopt;
  PythonNumber n;
  const char* end = v.text.data() + v.text.size();
  const auto whole = std::from_chars(v.text.data(), end, n.whole);
  n.is_whole = whole.ec == std::errc() && whole.ptr == end;
  if (!n.is_whole && v.text.find_first_not_of("-0123456789") == std::string::npos) return std::nullopt;  // too large
  if (n.is_whole) n.real = static_cast<double>(n.whole);
  else if (std::from_chars(v.text.data(), end, n.real).ec != std::errc()) return std::nullopt;
  return n;
}

PythonValue number(long long value) { return value_of(Kind::number, std::to_string(value)); }

PythonValue number(double value) {
  if (!std::isfinite(value)) return {};
  char buffer[64];
  std::string text(buffer, std::to_chars(buffer, buffer + sizeof buffer, value).ptr);
  if (text.find_first_of(".e") == std::string::npos) text += ".0";
  return value_of(Kind::number, std::move(text));
}

std::optional<long long> power(long long base, long long exponent) {
  long long out = 1;
  for (; exponent > 0; --exponent) {
    if (__builtin_mul_overflow(out, base, &out)) return std::nullopt;
    if (base == 0 || base == 1) return base;
    if (base == -1) return exponent % 2 == 0 ? 1 : -1;
  }
  return out;
}

/// Whole numbers by Python's rules: "//" and "%" round down. None: too large, or not whole.
std::optional<long long> whole_result(std::string_view sign, long long a, long long b) {
  long long out = 0;
  if (sign == "+") return __builtin_add_overflow(a, b, &out) ? std::nullopt : std::optional(out);
  if (sign == "-") return __builtin_sub_overflow(a, b, &out) ? std::nullopt : std::optional(out);
  if (sign == "*") return __builtin_mul_overflow(a, b, &out) ? std::nullopt : std::optional(out);
  if (sign == "**" && b >= 0) return power(a, b);
  if ((sign != "//" && sign != "%") || b == 0 || b == -1) return std::nullopt;
  const long long rest = a % b;
  const bool rounds = rest != 0 && (rest < 0) != (b < 0);
  return sign == "%" ? rest + (rounds ? b : 0) : a / b - (rounds ? 1 : 0);
}

PythonValue arithmetic(std::string_view sign, const PythonNumber& a, const PythonNumber& b) {
  if (a.is_whole && b.is_whole && sign != "/" && !(sign == "**" && b.whole < 0)) {
    const auto out = whole_result(sign, a.whole, b.whole);
    return out ? number(*out) : PythonValue{};
  }
  if (sign == "+") return number(a.real + b.real);
  if (sign == "-") return number(a.real - b.real);
  if (sign == "*") return number(a.real * b.real);
  if (sign == "**") return number(std::pow(a.real, b.real));
  if (sign == "/" && b.real != 0) return number(a.real / b.real);
  if (sign == "//" && b.real != 0) return number(std::floor(a.real / b.real));
  return {};
}

std::optional<bool> equal(const PythonValue& a, const PythonValue& b);

std::optional<bool> equal_lists(const PythonValue& a, const PythonValue& b) {
  if (a.items.size() != b.items.size()) return false;
  for (size_t i = 0; i < a.items.size(); ++i) {
    if (a.items[i]->is(Kind::list)) return std::nullopt;
    const auto same = equal(*a.items[i], *b.items[i]);
    if (!same || !*same) return same;
  }
  return true;
}

/// Whether a value is an object of a class: a call of what is written with a capital letter.
bool is_object(const PythonValue& v) {
  if (!v.is_call()) return false;
  const std::string_view name = last_python_name(v.entries.front().value->text);
  return !name.empty() && name[0] >= 'A' && name[0] <= 'Z';
}

bool is_open(const PythonValue& v) { return v.is(Kind::unknown) || (v.is_call() && !is_object(v)); }

std::optional<bool> equal(const PythonValue& a, const PythonValue& b) {
  // A name stands for one thing; "n + x" for another whenever n does.
  const bool is_name = std::ranges::all_of(a.text, [](char c) { return dsl::is_name_char(c) || c == '.'; });
  if (a.is(Kind::unknown) && b.is(Kind::unknown) && a.text == b.text && is_name) return true;
  if (is_open(a) || is_open(b)) return std::nullopt;
  const auto x = number_of(a), y = number_of(b);
  if (x && y) return x->is_whole && y->is_whole ? x->whole == y->whole : x->real == y->real;
  if (a.kind != b.kind) return false;
  if (a.is(Kind::list)) return equal_lists(a, b);
  if (a.is(Kind::map) || a.is(Kind::function)) return &a == &b ? std::optional(true) : std::nullopt;
  return a.text == b.text;
}

std::optional<bool> contains(const PythonValue& all, const PythonValue& one) {
  if (is_open(one)) return std::nullopt;
  if (all.is(Kind::string))
    return one.is(Kind::string) ? std::optional(all.text.find(one.text) != std::string::npos) : std::nullopt;
  if (all.is(Kind::map) && !all.is_call()) {
    if (all.find(one.text)) return true;
    return all.is_partly_open() ? std::nullopt : std::optional(false);
  }
  if (!all.is(Kind::list)) return std::nullopt;
  bool is_known = !all.is_partly_open();
  for (const PythonValue* item : all.items) {
    const auto same = equal(*item, one);
    if (same && *same) return true;
    is_known = is_known && same;
  }
  return is_known ? std::optional(false) : std::nullopt;
}

/// "a is b": a list is itself alone, and 1 is not True.
std::optional<bool> same(const PythonValue& a, const PythonValue& b) {
  if (!is_open(a) && !is_open(b) && a.kind != b.kind) return false;
  return a.is(Kind::list) && b.is(Kind::list) ? std::optional(&a == &b) : equal(a, b);
}

bool less(const PythonNumber& a, const PythonNumber& b) {
  return a.is_whole && b.is_whole ? a.whole < b.whole : a.real < b.real;
}

std::optional<bool> compared(std::string_view sign, const PythonValue& a, const PythonValue& b) {
  const bool is_negated = sign == "!=" || sign == "is not" || sign == "not in";
  std::optional<bool> result;
  if (sign == "==" || sign == "!=") result = equal(a, b);
  else if (sign.starts_with("is")) result = same(a, b);
  else if (sign == "in" || sign == "not in") result = contains(b, a);
  if (result) return *result != is_negated;
  const auto x = number_of(a), y = number_of(b);
  if (!x || !y) return std::nullopt;
  if (sign == "<") return less(*x, *y);
  if (sign == ">") return less(*y, *x);
  if (sign == "<=") return less(*x, *y) || equal(a, b).value_or(false);
  if (sign == ">=") return less(*y, *x) || equal(a, b).value_or(false);
  return std::nullopt;
}

PythonValue whole_of(const PythonValue& v) {
  const auto n = number_of(v);
  if (n && n->is_whole) return number(n->whole);
  if (n && std::abs(n->real) < 1e18) return number(static_cast<long long>(n->real));
  if (!v.is(Kind::string)) return {};
  const std::string text = python_number(dsl::trimmed(v.text));
  return text.find_first_not_of("-0123456789") == std::string::npos && !text.empty() ? value_of(Kind::number, text)
                                                                                     : PythonValue{};
}

PythonValue extreme(bool is_most, const std::vector<PythonValue*>& given) {
  const std::vector<PythonValue*>& all = given.size() == 1 ? given[0]->items : given;
  if (all.empty()) return {};
  const PythonValue* best = nullptr;
  for (const PythonValue* v : all) {
    const auto n = number_of(*v);
    if (!n) return {};
    if (!best || (is_most ? less(*number_of(*best), *n) : less(*n, *number_of(*best)))) best = v;
  }
  return value_of(best->kind, best->text);
}

/// Whether `str` gives a number as it is written: 1.5, neither 1e3 nor 1.50.
bool is_plain_real(const std::string& text) {
  const size_t point = text.find('.');
  if (point == std::string::npos || point == 0 || point + 1 == text.size() || text.size() > 15) return false;
  if (text.find_first_not_of("-.0123456789") != std::string::npos || text.starts_with("0.0000")) return false;
  return text.back() != '0' || point + 2 == text.size();
}

PythonValue length_of(const PythonValue& v) {
  if (v.is_partly_open()) return {};
  if (v.is(Kind::list)) return number(static_cast<long long>(v.items.size()));
  if (v.is(Kind::string))
    return number(static_cast<long long>(std::ranges::count_if(v.text, [](char c) { return (c & 0xC0) != 0x80; })));
  if (v.is(Kind::map) && !v.is_call()) return number(static_cast<long long>(v.entries.size()));
  return {};
}

}  // namespace

const PythonValue* PythonValue::find(std::string_view key) const {
  const auto found = std::ranges::find(entries, key, &Item::key);
  return found == entries.end() ? nullptr : found->value;
}

bool PythonValue::is_partly_open() const {
  if (is(Kind::map)) return !is_call() && find("**");
  return is(Kind::list) && std::ranges::any_of(items, [](const PythonValue* v) {
           return v->is(Kind::unknown) && v->text.starts_with('*');
         });
}

void PythonValue::set(const std::string& key, const dsl::Span& place, PythonValue* value) {
  const auto found = std::ranges::find(entries, key, &Item::key);
  if (found == entries.end()) return entries.push_back({key, place, value});
  found->span = place;
  found->value = value;
}

void PythonValue::erase(std::string_view key) {
  const auto found = std::ranges::find(entries, key, &Item::key);
  if (found != entries.end()) entries.erase(found);
}

std::optional<long long> python_whole(const PythonValue& value) {
  const auto n = value.is(Kind::number) ? number_of(value) : std::nullopt;
  return n && n->is_whole ? std::optional<long long>(n->whole) : std::nullopt;
}

std::optional<size_t> python_place(const PythonValue& list, const PythonValue& key) {
  const auto n = python_whole(key);
  if (!n || !list.is(Kind::list) || list.is_partly_open()) return std::nullopt;
  const auto size = static_cast<long long>(list.items.size());
  const long long at = *n < 0 ? *n + size : *n;
  return at >= 0 && at < size ? std::optional(static_cast<size_t>(at)) : std::nullopt;
}

std::string_view last_python_name(std::string_view dotted) { return dotted.substr(dotted.rfind('.') + 1); }

std::optional<bool> python_truth(const PythonValue& value) {
  if (value.is(Kind::none)) return false;
  if (value.is(Kind::string)) return !value.text.empty();
  if (value.is_partly_open()) return std::nullopt;
  if (value.is(Kind::list)) return !value.items.empty();
  if (value.is(Kind::function) || is_object(value)) return true;
  if (value.is(Kind::map) && !value.is_call()) return !value.entries.empty();
  const auto n = number_of(value);
  return n ? std::optional(n->is_whole ? n->whole != 0 : n->real != 0) : std::nullopt;
}

PythonValue python_binary(std::string_view sign, const PythonValue& left, const PythonValue& right) {
  if (const auto known = compared(sign, left, right)) return boolean(*known);
  const auto a = number_of(left), b = number_of(right);
  if (a && b) return arithmetic(sign, *a, *b);
  if (sign == "+" && left.is(Kind::string) && right.is(Kind::string) &&
      left.text.size() + right.text.size() < kLongestText)
    return value_of(Kind::string, left.text + right.text);
  return {};
}

PythonValue python_unary(std::string_view sign, const PythonValue& right) {
  if (sign == "not") {
    const auto truth = python_truth(right);
    return truth ? boolean(!*truth) : PythonValue{};
  }
  if (!right.is(Kind::number) || sign == "~") return {};
  if (sign == "+") return value_of(Kind::number, right.text);
  return value_of(Kind::number, right.text[0] == '-' ? right.text.substr(1) : "-" + right.text);
}

PythonValue python_builtin(std::string_view name, const std::vector<PythonValue*>& arguments) {
  if (arguments.empty()) return {};
  const PythonValue& first = *arguments[0];
  if (name == "max" || name == "min") return extreme(name == "max", arguments);
  if (arguments.size() != 1) return {};
  if (name == "int") return whole_of(first);
  if (name == "len") return length_of(first);
  if (name == "bool") return python_unary("not", python_unary("not", first));
  const bool is_whole = first.text.find_first_not_of("-0123456789") == std::string::npos;
  if (name == "str" && (first.is(Kind::string) || (first.is(Kind::number) && (is_whole || is_plain_real(first.text)))))
    return value_of(Kind::string, first.text);
  if (name == "float" && number_of(first)) return number(number_of(first)->real);
  if (name == "abs" && first.is(Kind::number)) return first.text[0] == '-' ? python_unary("-", first) : first;
  return {};
}

PythonValue python_string_method(std::string_view name, const PythonValue& text,
                                 const std::vector<PythonValue*>& arguments) {
  std::string out = text.text;
  if (arguments.empty()) {
    const bool is_upper = name == "upper";
    if (name == "lower") std::ranges::transform(out, out.begin(), dsl::small);
    else if (is_upper)
      std::ranges::transform(out, out.begin(), [](char c) { return c >= 'a' && c <= 'z' ? char(c - 32) : c; });
    else if (name == "strip") out = dsl::trimmed(out);
    else return {};
    return value_of(Kind::string, out);
  }
  if (arguments.size() != 1 || !arguments[0]->is(Kind::string)) return {};
  if (name == "startswith") return boolean(out.starts_with(arguments[0]->text));
  if (name == "endswith") return boolean(out.ends_with(arguments[0]->text));
  return {};
}

namespace {

class PythonNodes {
 public:
  explicit PythonNodes(dsl::Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  dsl::Node node(const PythonValue& v, int depth) {
    nodes_ += 1 + v.text.size() / 64;
    if (depth > limits_.depth || nodes_ > limits_.nodes) {
      if (!failed_) diagnostics_.error(v.span, "what this file makes is too large, or holds itself");
      failed_ = true;
      return dsl::broken_node();
    }
    if (v.is(Kind::none)) return dsl::Node(dsl::Node::Kind::null, v.span);
    if (v.is(Kind::list) || v.is(Kind::map)) return group(v, depth);
    dsl::Node out(dsl::Node::Kind::scalar, v.span);
    out.text = v.text;
    out.quoted = v.is(Kind::string);
    return out;
  }
  bool failed() const { return failed_; }

 private:
  dsl::Node group(const PythonValue& v, int depth) {
    dsl::Node out(v.is(Kind::list) ? dsl::Node::Kind::list : dsl::Node::Kind::map, v.span);
    for (const PythonValue* item : v.items)
      if (!failed_) out.items.push_back(node(*item, depth + 1));
    for (const PythonValue::Item& e : v.entries)
      if (!failed_) out.entries.push_back({e.key, e.span, node(*e.value, depth + 1)});
    return out;
  }

  dsl::Diagnostics& diagnostics_;
  dsl::ParseLimits limits_;
  size_t nodes_ = 0;
  bool failed_ = false;
};

}  // namespace

dsl::Node python_node(const PythonValue& value, dsl::Diagnostics& diagnostics) {
  PythonNodes nodes(diagnostics);
  dsl::Node node = nodes.node(value, 0);
  return nodes.failed() ? dsl::broken_node() : node;
}

}  // namespace planner
