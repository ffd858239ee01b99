#include "dsl/units.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "dsl/diagnostic.h"
#include "dsl/raw_text.h"
#include "dsl/unit_names.h"
#include "dsl/unit_sizes.h"

namespace dsl {
namespace {

// One row per unit; docs/language.md lists them, a test compares.
constexpr Unit kUnits[] = {
    {"s", kTime, 0, 1},
    {"ms", kTime, -3, 1},
    {"us", kTime, -6, 1},
    {"ns", kTime, -9, 1},
    {"min", kTime, 0, kMinute},
    {"h", kTime, 0, kHour},
    {"d", kTime, 0, kDay},
    {"B", kData, 0, 1},
    {"kB", kData, 3, 1},
    {"MB", kData, 6, 1},
    {"GB", kData, 9, 1},
    {"TB", kData, 12, 1},
    {"PB", kData, 15, 1},
    {"EB", kData, 18, 1},
    {"KiB", kData, 0, kKiB},
    {"MiB", kData, 0, kMiB},
    {"GiB", kData, 0, kGiB},
    {"TiB", kData, 0, kTiB},
    {"PiB", kData, 0, 1024 * kTiB},
    {"b", kData, 0, 0.125},
    {"kb", kData, 3, 0.125},
    {"Mb", kData, 6, 0.125},
    {"Gb", kData, 9, 0.125},
    {"Tb", kData, 12, 0.125},
    {"FLOP", kFlop, 0, 1},
    {"kFLOP", kFlop, 3, 1},
    {"MFLOP", kFlop, 6, 1},
    {"GFLOP", kFlop, 9, 1},
    {"TFLOP", kFlop, 12, 1},
    {"PFLOP", kFlop, 15, 1},
    {"EFLOP", kFlop, 18, 1},
    {"ZFLOP", kFlop, 21, 1},
    {"USD", kMoney, 0, 1},
    {"kUSD", kMoney, 3, 1},
    {"MUSD", kMoney, 6, 1},
    {"GUSD", kMoney, 9, 1},
    {"W", kPower, 0, 1},
    {"kW", kPower, 3, 1},
    {"MW", kPower, 6, 1},
    {"J", kEnergy, 0, 1},
    {"kWh", kEnergy, 5, 36},
    {"MWh", kEnergy, 8, 36},
    {"GWh", kEnergy, 11, 36},
    {"TWh", kEnergy, 14, 36},
    {"Hz", kFrequency, 0, 1},
    {"kHz", kFrequency, 3, 1},
    {"MHz", kFrequency, 6, 1},
    {"GHz", kFrequency, 9, 1},
};

// Which scales a dimension is written in. The first is the base unit, always exact.
struct UsualRow {
  Dim dim;
  std::array<const char*, 11> names;
};
constexpr UsualRow kUsual[] = {
    {kTime, {"s", "ms", "us", "ns", "min", "h", "d"}},
    {kData, {"B", "kB", "MB", "GB", "TB", "PB", "KiB", "MiB", "GiB", "TiB"}},
    {kFlop, {"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP", "EFLOP"}},
    {kMoney, {"USD"}},
    {kEnergy, {"J", "kWh", "MWh"}},
    {kPower, {"W", "kW", "MW"}},
    {kFrequency, {"Hz", "kHz", "MHz", "GHz"}},
    {kBandwidth, {"B/s", "kB/s", "MB/s", "GB/s", "TB/s", "PB/s", "GiB/s", "TiB/s", "Gb/s", "Tb/s"}},
    {kFlopRate, {"FLOP/s", "MFLOP/s", "GFLOP/s", "TFLOP/s", "PFLOP/s", "EFLOP/s"}},
    {kPrice, {"USD/s", "USD/h", "USD/d"}},
    {kEnergyPrice, {"USD/J", "USD/kWh", "USD/MWh"}},
};

size_t digits_at(std::string_view text, size_t at) {
  size_t end = at;
  while (end < text.size() && is_digit(text[end])) ++end;
  return end - at;
}

// The end of digits[.digits][e[+-]digits] at the start of `text`, or 0.
size_t number_length(std::string_view text) {
  size_t whole = digits_at(text, 0), at = whole, fraction = 0;
  if (at < text.size() && text[at] == '.') {
    fraction = digits_at(text, at + 1);
    if (whole == 0 && fraction == 0) return 0;
    at += 1 + fraction;
  }
  if (whole == 0 && fraction == 0) return 0;
  if (at < text.size() && (text[at] == 'e' || text[at] == 'E')) {
    size_t sign = at + 1 < text.size() && (text[at + 1] == '+' || text[at + 1] == '-') ? 1 : 0;
    if (size_t digits = digits_at(text, at + 1 + sign)) at += 1 + sign + digits;
  }
  return at;
}

std::string_view name_at(std::string_view text, size_t at) {
  size_t end = at;
  if (end < text.size() && is_name_start(text[end]))
    while (end < text.size() && is_name_char(text[end])) ++end;
  return text.substr(std::min(at, text.size()), end - at);
}

bool is_call(std::string_view text, size_t at) { return at < text.size() && text[at] == '('; }

bool is_keyword_operator(std::string_view name) {
  return name == "and" || name == "or" || name == "not" || name == "in";
}

// Units of bytes are offered, those of bits never: a figure is rarely meant in them.
std::string similar_unit(std::string_view name) {
  std::vector<std::string> names;
  for (const Unit& u : kUnits)
    if (!u.is_bits()) names.emplace_back(u.name);
  return did_you_mean(name, names);
}

// What to do about `name`, which stands at `at` behind a number of `digits` bytes.
std::string unit_hint(std::string_view text, size_t digits, size_t at, std::string_view name) {
  const bool in_rate = at + name.size() < text.size() && text[at + name.size()] == '/';
  if (const std::string unit = meant_unit(name, in_rate); !unit.empty()) return "write '" + unit + "'";
  if (const std::string hint = similar_unit(name); !hint.empty()) return hint;
  if (name.size() == 3 && std::ranges::all_of(name, [](char c) { return c != small(c); })) return "money is in USD";
  if (at == digits && (name[0] == 'x' || name[0] == 'o')) return "write the number in decimal";
  return "a number is followed by an operator or by a unit such as GB, GiB/s, h, TFLOP/s or USD";
}

void unknown_unit(Scanned& s, std::string_view text, size_t digits, size_t at, std::string_view name) {
  std::string word;
  for (char c : name) word += small(c);
  s.problem = "unknown unit '" + std::string(name) + "'";
  s.problem_at = at;
  s.problem_length = name.size();
  if (is_keyword_operator(name)) {
    s.problem = "expected a blank before '" + word + "'";
    s.hint = "write ' " + word + "'";
  } else if (is_keyword_operator(word)) {
    s.problem = "expected an operator, got '" + std::string(name) + "'";
    s.hint = "write '" + word + "'";
  } else if (const std::string known = in_known_unit(text.substr(0, digits), name); !known.empty()) {
    s.problem_at = 0;
    s.problem_length = at + name.size();
    s.hint = "write '" + known + "'";
  } else {
    s.hint = unit_hint(text, digits, at, name);
  }
}

// The unit after the number: its length with the blanks before it, or 0.
size_t scan_unit(std::string_view text, size_t number_end, Scale& scale, Scanned& problem) {
  size_t at = number_end;
  while (at < text.size() && is_blank(text[at])) ++at;
  const std::string_view name = name_at(text, at);
  if (name.empty() || (at > number_end && is_keyword_operator(name))) return 0;
  const size_t end = at + name.size();
  if (is_call(text, end)) return 0;
  if (!find_unit(name)) {
    unknown_unit(problem, text, number_end, at, name);
    return 0;
  }
  if (end < text.size() && text[end] == '/') {
    const std::string_view below = name_at(text, end + 1);
    if (find_unit(below) && !is_call(text, end + 1 + below.size())) {
      const size_t length = name.size() + 1 + below.size();
      find_scale(text.substr(at, length), scale);
      return at + length - number_end;
    }
  }
  find_scale(name, scale);
  return end - number_end;
}

}  // namespace

std::span<const Unit> units() { return kUnits; }

const Unit* find_unit(std::string_view name) {
  auto it = std::find_if(std::begin(kUnits), std::end(kUnits), [&](const Unit& u) { return u.name == name; });
  return it == std::end(kUnits) ? nullptr : it;
}

bool find_scale(std::string_view name, Scale& scale) {
  const size_t slash = name.find('/');
  const Unit* top = find_unit(name.substr(0, slash));
  if (!top) return false;
  scale = {std::string(name), top->dim, top->exponent, top->times, 1};
  if (slash == std::string_view::npos) return true;
  const Unit* below = find_unit(name.substr(slash + 1));
  if (!below) return false;
  scale.dim = top->dim / below->dim;
  scale.exponent -= below->exponent;
  scale.over = below->times;
  return true;
}

bool convert_digits(std::string_view digits, int exponent, double times, double over, double& out) {
  // A thousand numbers a scenario: find_first_of calls memchr for every byte.
  const auto is_e = [](char c) { return c == 'e' || c == 'E'; };
  const size_t e = static_cast<size_t>(std::ranges::find_if(digits, is_e) - digits.begin());
  int64_t power = 0;
  if (e < digits.size()) {
    std::string_view tail = digits.substr(e + 1);
    if (tail[0] == '+') tail.remove_prefix(1);
    auto [end, error] = std::from_chars(tail.data(), tail.data() + tail.size(), power);
    (void)end;
    if (error != std::errc{} || power > 100000 || power < -100000) power = tail[0] == '-' ? -100000 : 100000;
  }
  std::string_view text = digits.substr(0, e);
  const auto counts = [](char c) { return c >= '1' && c <= '9'; };
  if (std::ranges::none_of(text, counts)) return out = 0, true;
  std::string scaled;  // most numbers have no exponent
  if (power + exponent != 0) text = scaled = std::string(text) + 'e' + std::to_string(power + exponent);
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return false;
  out = value * times / over;
  return std::isfinite(out) && out != 0;
}

Scanned scan_number(std::string_view text) {
  Scanned s;
  const size_t end = number_length(text);
  if (end == 0) return s;
  Scale scale;
  s.length = end;
  s.length += scan_unit(text, end, scale, s);
  s.number.dim = scale.dim;
  if (!s.problem.empty()) return s;
  if (!convert_digits(text.substr(0, end), scale.exponent, scale.times, scale.over, s.number.value)) {
    s.problem = "the number is out of range";
    s.hint = "numbers reach from 1e-307 to 1e308 in base units";
    s.problem_length = s.length;
  }
  return s;
}

std::vector<Scale> usual_scales(Dim dim) {
  std::vector<Scale> out;
  for (const UsualRow& row : kUsual) {
    if (!(row.dim == dim)) continue;
    for (const char* name : row.names)
      if (name) find_scale(name, out.emplace_back());
  }
  return out;
}

}  // namespace dsl
