#include "dsl/slips.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "dsl/raw_text.h"
#include "dsl/units.h"

namespace dsl {
namespace {

// The bytes at the start of `text` that are of the kind.
size_t run(std::string_view text, bool (*is_kind)(char)) {
  return static_cast<size_t>(std::ranges::find_if_not(text, is_kind) - text.begin());
}

// digits[.digits] at the start.
size_t figure(std::string_view text) {
  const size_t whole = run(text, is_digit);
  if (whole == 0 || whole + 1 >= text.size() || text[whole] != '.' || !is_digit(text[whole + 1])) return whole;
  return whole + 1 + run(text.substr(whole + 1), is_digit);
}

bool is_number(std::string_view text) { return scan_number(text).length == text.size() && !text.empty(); }
bool is_good(std::string_view text) { return is_number(text) && scan_number(text).problem.empty(); }

Slip write(std::string message, std::string_view text) {
  return {std::move(message), fmt::format("write '{}'", text), std::string(text)};
}

// ---- one function per slip

// 2,048 and 1,8 USD/h
std::optional<Slip> comma(std::string_view text) {
  const size_t end = run(text, [](char c) { return is_digit(c) || c == ','; });
  std::string_view number = text.substr(0, end);
  if (number.find(',') == std::string_view::npos || !is_digit(text[0])) return std::nullopt;
  if (number.back() == ',') {
    if (end < text.size()) return std::nullopt;
    return write("a value does not end with a comma", number.substr(0, end - 1));
  }
  bool groups = true;
  for (size_t at = number.find(','); at != std::string_view::npos; at = number.find(',', at + 1))
    groups = groups && std::min(number.find(',', at + 1), end) - at == 4;
  const bool one = std::ranges::count(number, ',') == 1;
  if (!groups && !one) return std::nullopt;
  std::string out(text);
  if (groups) std::erase(out, ',');
  else std::ranges::replace(out, ',', '.');
  if (!is_good(out)) return std::nullopt;
  return write("a number has no commas", out);
}

// 300_000
std::optional<Slip> underscore(std::string_view text) {
  const size_t end = run(text, [](char c) { return is_digit(c) || c == '_'; });
  if (!is_digit(text[0]) || text.substr(0, end).find('_') == std::string_view::npos) return std::nullopt;
  std::string out(text.substr(0, end));
  std::erase(out, '_');
  out += text.substr(end);
  if (!is_good(out)) return std::nullopt;
  return write("a number has no underscores", out);
}

struct Magnitude {
  std::string_view said;
  int exponent;
};
constexpr Magnitude kMagnitudes[] = {{"k", 3},        {"m", 6},       {"b", 9},       {"bn", 9},       {"t", 12},
                                     {"thousand", 3}, {"million", 6}, {"billion", 9}, {"trillion", 12}};

// The exponent of "k", "M", "billion", or 0.
int exponent_of(std::string_view word) {
  for (const Magnitude& row : kMagnitudes)
    if (std::ranges::equal(word, row.said, [](char a, char b) { return small(a) == b; })) return row.exponent;
  return 0;
}

// 2k, 1.5T, 300 billion, 5M USD
std::optional<Slip> magnitude(std::string_view text) {
  const size_t digits = figure(text);
  if (digits == 0) return std::nullopt;
  std::string_view rest = trimmed(text.substr(digits));
  const size_t length = run(rest, is_name_char);
  const int exponent = exponent_of(rest.substr(0, length));
  if (exponent == 0) return std::nullopt;
  const std::string_view unit = rest.substr(length);
  const std::string out = fmt::format("{}e{}{}", text.substr(0, digits), exponent, unit);
  if (!is_good(out)) return std::nullopt;
  Slip slip = write(fmt::format("'{}' is no unit", rest.substr(0, length)), out);
  if (exponent == 3 && unit.empty()) slip.hint += fmt::format(" or '{} * 1024'", text.substr(0, digits));
  return slip;
}

// $2/h, $5M, USD 5000
std::optional<Slip> money_first(std::string_view text) {
  const size_t sign = text.starts_with("$") ? 1 : text.starts_with("USD") ? 3 : 0;
  if (sign == 0) return std::nullopt;
  const std::string_view rest = trimmed(text.substr(sign));
  const size_t digits = figure(rest);
  if (digits == 0) return std::nullopt;
  const size_t letters = run(rest.substr(digits), is_name_char);
  const int exponent = exponent_of(rest.substr(digits, letters));
  std::string number(rest.substr(0, digits));
  if (exponent > 0) number += fmt::format("e{}", exponent);
  const std::string out = fmt::format("{} USD{}", number, rest.substr(digits + (exponent > 0 ? letters : 0)));
  if (!is_good(out)) return std::nullopt;
  return write("a unit stands behind its number", out);
}

// $CUPS, ${CUPS}
std::optional<Slip> shell(std::string_view text) {
  if (!text.starts_with("$") || text.size() < 2 || is_digit(text[1])) return std::nullopt;
  return Slip{"variables of a shell are not filled in here",
              "name the value in 'let', and change it with --set let.NAME=VALUE"};
}

std::string as_range(std::string_view from, std::string_view to) {
  return fmt::format("write '\"range({0}, {1})\"' or, for powers of two, '\"pow2({0}, {1})\"'", from, to);
}

// 1..8, 1...8, 1 to 8
std::optional<Slip> range(std::string_view text) {
  const size_t from = run(text, is_digit);
  std::string_view rest = text.substr(from);
  const std::string_view between = trimmed(rest.substr(0, run(rest, [](char c) { return !is_digit(c); })));
  rest = trimmed(rest.substr(run(rest, [](char c) { return !is_digit(c); })));
  const bool known = between == ".." || between == "..." || between == "to" || between == "until" || between == "~";
  if (from == 0 || !known || rest.empty() || run(rest, is_digit) != rest.size()) return std::nullopt;
  return Slip{"ranges are written with a function", as_range(text.substr(0, from), rest)};
}

// (2, 4)
std::optional<Slip> tuple(std::string_view text) {
  if (text.size() < 3 || text.front() != '(' || text.back() != ')') return std::nullopt;
  const std::string_view inside = text.substr(1, text.size() - 2);
  if (inside.find_first_of("()") != std::string_view::npos || inside.find(',') == std::string_view::npos)
    return std::nullopt;
  return write("several values stand in square brackets", fmt::format("[{}]", inside));
}

// 4;
std::optional<Slip> semicolon(std::string_view text) {
  if (!text.ends_with(';')) return std::nullopt;
  return write("a value does not end with a semicolon", trimmed(text.substr(0, text.size() - 1)));
}

// 4 // cups, 4# cups; and a // b
std::optional<Slip> comment(std::string_view text) {
  const size_t slashes = text.find("//"), hash = text.find('#');
  const size_t at = std::min(slashes, hash);
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  const std::string_view left = trimmed(text.substr(0, at));
  const std::string_view right = trimmed(text.substr(at + (at == slashes ? 2 : 1)));
  if (at == slashes && is_good(right)) return write("'//' is no operator", fmt::format("floor({} / {})", left, right));
  return write("a comment begins with a blank and '#'", fmt::format("{}  # {}", left, right));
}

// 2 USD per hour
std::optional<Slip> per(std::string_view text) {
  const size_t at = text.find(" per ");
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view below = trimmed(text.substr(at + 5));
  constexpr std::array<std::pair<std::string_view, std::string_view>, 4> kBelow{
      {{"hour", "h"}, {"second", "s"}, {"day", "d"}, {"minute", "min"}}};
  for (const auto& [said, unit] : kBelow)
    if (below == said) below = unit;
  const std::string out = fmt::format("{}/{}", trimmed(text.substr(0, at)), below);
  if (!is_good(out)) return std::nullopt;
  return write("a quotient of units is written with '/'", out);
}

// ~8
std::optional<Slip> about(std::string_view text) {
  if (!text.starts_with('~') || !is_good(trimmed(text.substr(1)))) return std::nullopt;
  return write("a value is exact", trimmed(text.substr(1)));
}

// 64x8
std::optional<Slip> times(std::string_view text) {
  const size_t at = text.find_first_of("xX");
  if (at == std::string_view::npos || at == 0 || text == "0x") return std::nullopt;
  const std::string_view left = trimmed(text.substr(0, at)), right = trimmed(text.substr(at + 1));
  if (run(left, is_digit) != left.size() || run(right, is_digit) != right.size() || right.empty() || left == "0")
    return std::nullopt;
  return write("a product is written with '*'", fmt::format("{} * {}", left, right));
}

constexpr std::optional<Slip> (*kSlips[])(std::string_view) = {
    comma, underscore, magnitude, money_first, shell, range, tuple, semicolon, comment, per, about, times,
};

}  // namespace

std::optional<Slip> find_slip(std::string_view text, Dim dim) {
  text = trimmed(text);
  if (text.empty()) return std::nullopt;
  for (const auto& row : kSlips) {
    std::optional<Slip> slip = row(text);
    if (!slip) continue;
    const bool lacks_unit = !(dim == kNone) && is_good(slip->fixed) && scan_number(slip->fixed).number.dim == kNone;
    const std::string hint = lacks_unit ? with_usual_units(slip->fixed, dim) : "";
    if (!hint.empty()) slip->hint = hint;
    return slip;
  }
  return std::nullopt;
}

std::string counted_number(std::string_view text) {
  text = trimmed(text);
  const size_t digits = figure(text);
  const std::string_view word = trimmed(text.substr(digits));
  // Shorter words are slips of units: 3 KB.
  const bool is_word = word.size() > 2 && run(word, is_name_start) == word.size();
  return digits > 0 && is_word ? std::string(text.substr(0, digits)) : "";
}

std::optional<Assignment> find_assignment(std::string_view line) {
  line = trimmed(line);
  const size_t at = line.find('=');
  if (at == std::string_view::npos || at == 0) return std::nullopt;
  const std::string_view key = trimmed(line.substr(0, at)), value = trimmed(line.substr(at + 1));
  const auto in_key = [](char c) { return is_name_char(c) || c == '-'; };
  if (value.empty() || value.front() == '=' || !is_name_start(key.front()) || run(key, in_key) != key.size())
    return std::nullopt;
  return Assignment{std::string(key), std::string(value)};
}

Slip assignment_slip(const Assignment& a) {
  return write(fmt::format("expected ':' behind '{}', got '='", a.key), fmt::format("{}: {}", a.key, a.value));
}

bool is_date(std::string_view text) {
  const auto digits = [&](size_t from, size_t count) {
    return from + count <= text.size() && run(text.substr(from, count), is_digit) == count;
  };
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return false;
  return digits(0, 4) && digits(5, 2) && digits(8, 2);
}

std::string difference_hint(std::string_view date) {
  return fmt::format("write '{} - {} - {}' for a difference", date.substr(0, 4), date.substr(5, 2), date.substr(8));
}

std::string range_hint(std::string_view text) {
  const size_t from = run(text, is_digit);
  if (from == 0 || from + 1 >= text.size() || text[from] != '-') return "";
  const std::string_view to = text.substr(from + 1);
  return run(to, is_digit) == to.size() ? as_range(text.substr(0, from), to) : "";
}

std::string billions(std::string_view text) {
  const size_t digits = figure(text);
  if (digits == 0 || trimmed(text.substr(digits)) != "B") return "";
  return fmt::format("{}e9", text.substr(0, digits));
}

}  // namespace dsl
