#include "dsl/value_text.h"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "dsl/unit_sizes.h"

namespace dsl {
namespace {

// Shortest digits that give the same double back; whole numbers up to 2^53 in full.
std::string plain_text(double value) {
  if (value == 0) return "0";
  char buffer[64];
  char* end = buffer;
  if (value == std::trunc(value) && std::fabs(value) <= 9007199254740992.0)
    end = std::to_chars(buffer, buffer + sizeof buffer, static_cast<int64_t>(value)).ptr;
  else end = std::to_chars(buffer, buffer + sizeof buffer, value).ptr;
  return {buffer, end};
}

// Shortest decimal text of value * 10^-shift. Exact: only the exponent of the digits moves.
std::string shifted_text(double value, int shift) {
  char buffer[64];
  char* end = std::to_chars(buffer, buffer + sizeof buffer - 1, std::fabs(value), std::chars_format::scientific).ptr;
  *end = '\0';  // atoi below reads up to it
  std::string_view text(buffer, static_cast<size_t>(end - buffer));
  const size_t e = text.find('e');
  std::string digits;
  for (char c : text.substr(0, e))
    if (c != '.') digits += c;
  const int point = std::atoi(text.substr(e + 1).data()) + 1 - shift;  // digits before the point
  const int count = static_cast<int>(digits.size());
  std::string out = value < 0 ? "-" : "";
  if (point > 21 || point < -5) {
    out += digits.substr(0, 1);
    if (count > 1) out += '.' + digits.substr(1);
    return out + 'e' + std::to_string(point - 1);
  }
  if (point <= 0) return out + "0." + std::string(static_cast<size_t>(-point), '0') + digits;
  if (point >= count) return out + digits + std::string(static_cast<size_t>(point - count), '0');
  return out + digits.substr(0, static_cast<size_t>(point)) + '.' + digits.substr(static_cast<size_t>(point));
}

// The number that `scale` needs to mean exactly `value`, or "".
std::string number_in(double value, const Scale& scale) {
  if (scale.times == 1 && scale.over == 1) return shifted_text(value, scale.exponent);
  const double number = value * scale.over / scale.times / std::pow(10.0, scale.exponent);
  if (!std::isfinite(number) || number == 0) return "";
  for (int digits : {15, 16, 17}) {
    char buffer[64];
    char* end = std::to_chars(buffer, buffer + sizeof buffer, number, std::chars_format::general, digits).ptr;
    double rounded = 0;
    std::from_chars(buffer, end, rounded);
    const std::string text = shifted_text(rounded, 0);
    double back = 0;
    const bool minus = text[0] == '-';
    if (convert_digits(text.substr(minus), scale.exponent, scale.times, scale.over, back) &&
        (minus ? -back : back) == value)
      return text;
  }
  return "";
}

constexpr size_t kPerDay = 6;   // rates are per hour, where a day does not make them much shorter
constexpr double kSlow = 1e-3;  // Hz: what happens more often is not counted by the week

// Worse texts score higher: below one, then long, then in a large unit ("900 GB/s", not "0.9 TB/s").
size_t ugliness(const std::string& number) {
  const std::string_view digits = std::string_view(number).substr(number[0] == '-' ? 1 : 0);
  const bool below_one = digits[0] == '0' || digits.find("e-") != std::string_view::npos;
  return number.size() * 2 + (below_one ? 100 : 0);
}

// A dimension without a unit of its own: "9 s * 1 s / 1 B" is an expression with that value.
std::string compound_text(double value, Dim dim) {
  std::string text = plain_text(value);
  for (const BaseDim& base : base_dims()) {
    const int exponent = dim.*base.exponent;
    for (int i = 0; i < std::abs(exponent); ++i) text += (exponent > 0 ? " * 1 " : " / 1 ") + std::string(base.unit);
  }
  return text;
}

std::string number_text(const Number& number) {
  if (number.dim == kNone) return plain_text(number.value);
  const std::vector<Scale> scales = usual_scales(number.dim);
  if (scales.empty()) return compound_text(number.value, number.dim);
  if (number.value == 0) return "0 " + scales[0].name;
  std::string best;
  size_t least = 0;
  for (const Scale& scale : scales) {
    if (scale.over == kWeek && std::fabs(number.value) > kSlow) continue;
    const std::string text = number_in(number.value, scale);
    if (text.empty()) continue;
    const size_t score = ugliness(text) + (scale.over == kDay ? kPerDay : 0);
    if (best.empty() || score < least) {
      least = score;
      best = text + ' ' + scale.name;
    }
  }
  return best;
}

std::string string_text(const std::string& text) {
  std::string out = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out + '"';
}

std::string list_text(const List& list) {
  std::string out = "[";
  for (const Value& item : list) {
    if (out.size() > 1) out += ", ";
    const auto* text = std::get_if<std::string>(&item.v);
    out += text ? string_text(*text) : to_text(item);
  }
  return out + ']';
}

}  // namespace

std::string to_text(const Value& value) {
  if (const auto* number = std::get_if<Number>(&value.v)) return number_text(*number);
  if (const auto* flag = std::get_if<bool>(&value.v)) return *flag ? "true" : "false";
  if (const auto* text = std::get_if<std::string>(&value.v)) return *text;
  if (const auto* list = std::get_if<List>(&value.v)) return list_text(*list);
  return "null";
}

}  // namespace dsl
