#include "dsl/units.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

#include "dsl/raw_text.h"
#include "dsl/similar.h"
#include "dsl/unit_sizes.h"

namespace dsl {
namespace {

// One row per unit; docs/language.md lists them, a test compares.
// clang-format off
constexpr KnownUnit kUnits[] = {
    {"s", kTime, 0, 1},
    {"ms", kTime, -3, 1},
    {"us", kTime, -6, 1},
    {"ns", kTime, -9, 1},
    {"min", kTime, 0, kMinute},
    {"h", kTime, 0, kHour},
    {"d", kTime, 0, kDay},
    {"week", kTime, 0, kWeek},
    {"%", kNone, -2, 1},  // a hundredth
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
// clang-format on

// What each dimension is called, which scales it is written in (the first is the base unit, always exact), and in which
// units a plain number is most often meant.
struct DimRow {
  Dim dim;
  const char* name;
  std::array<const char*, 11> scales = {};
  std::string_view usual = "", other = "";
};
constexpr DimRow kDims[] = {
    {kNone, "a plain number"},
    {kTime, "time", {"s", "ms", "us", "ns", "min", "h", "d"}, "s", "d"},
    {kData, "bytes", {"B", "kB", "MB", "GB", "TB", "PB", "KiB", "MiB", "GiB", "TiB"}, "GB", "GiB"},
    {kFlop, "FLOP", {"FLOP", "kFLOP", "MFLOP", "GFLOP", "TFLOP", "PFLOP", "EFLOP"}, "TFLOP"},
    {kMoney, "money", {"USD"}, "USD"},
    {kEnergy, "energy", {"J", "kWh", "MWh"}, "kWh"},
    {kPower, "power", {"W", "kW", "MW"}, "W", "kW"},
    {kFrequency, "frequency", {"Hz", "kHz", "MHz", "GHz", "%/week"}, "GHz"},
    {kBandwidth,
     "bytes per second",
     {"B/s", "kB/s", "MB/s", "GB/s", "TB/s", "PB/s", "GiB/s", "TiB/s", "Gb/s", "Tb/s"},
     "GB/s",
     "Gb/s"},
    {kFlopRate, "FLOP per second", {"FLOP/s", "MFLOP/s", "GFLOP/s", "TFLOP/s", "PFLOP/s", "EFLOP/s"}, "TFLOP/s"},
    {kPrice, "money per time", {"USD/s", "USD/h", "USD/d"}, "USD/h"},
    {kEnergyPrice, "money per energy", {"USD/J", "USD/kWh", "USD/MWh"}, "USD/kWh"},
};

const DimRow* row_of(Dim dim) {
  const auto row = std::ranges::find(kDims, dim, &DimRow::dim);
  return row == std::end(kDims) ? nullptr : row;
}

constexpr BaseDim kBaseDims[] = {{&Dim::time, "time", "s"},
                                 {&Dim::data, "bytes", "B"},
                                 {&Dim::flop, "FLOP", "FLOP"},
                                 {&Dim::money, "money", "USD"},
                                 {&Dim::energy, "energy", "J"}};

// What others call units.
struct UnitAlias {
  std::string_view said, unit;
};
constexpr UnitAlias kUnitAliases[] = {
    {"second", "s"},    {"seconds", "s"}, {"sec", "s"},       {"secs", "s"},       {"msec", "ms"},
    {"millis", "ms"},   {"usec", "us"},   {"micros", "us"},   {"nsec", "ns"},      {"minute", "min"},
    {"minutes", "min"}, {"mins", "min"},  {"hour", "h"},      {"hours", "h"},      {"hr", "h"},
    {"hrs", "h"},       {"day", "d"},     {"days", "d"},      {"weeks", "week"},   {"byte", "B"},
    {"bytes", "B"},     {"bit", "b"},     {"bits", "b"},      {"dollar", "USD"},   {"dollars", "USD"},
    {"watt", "W"},      {"watts", "W"},   {"kilowatt", "kW"}, {"joule", "J"},      {"joules", "J"},
    {"hertz", "Hz"},    {"g", "GB"},      {"gi", "GiB"},      {"mi", "MiB"},       {"ti", "TiB"},
    {"ki", "KiB"},      {"gbyte", "GB"},  {"gigabyte", "GB"}, {"gigabytes", "GB"}, {"terabytes", "TB"},
    {"kbyte", "kB"},    {"mbyte", "MB"},
};

// Units that are a whole number of one of ours.
struct UnitMultiple {
  std::string_view said;
  int times;
  std::string_view unit;
};
constexpr UnitMultiple kMultiples[] = {
    {"month", 30, "d"},
    {"months", 30, "d"},
    {"year", 365, "d"},
    {"years", 365, "d"},
};

std::string in_small(std::string_view text) {
  std::string out;
  for (char c : text) out += small(c);
  return out;
}

// "Gbps" is Gb/s and "GBps" GB/s; "TFLOPS" is TFLOP/s, and "TFLOPs/s" as well.
std::string rate(std::string_view name, bool in_rate) {
  const std::string_view bits = name.substr(0, name.size() - std::min<size_t>(name.size(), 2));
  if (name.ends_with("ps") && find_unit(bits)) return std::string(bits) + "/s";
  if (name.empty() || small(name.back()) != 's') return "";
  for (const KnownUnit& u : kUnits)
    if (u.dim == kFlop && in_small(u.name) == in_small(name.substr(0, name.size() - 1)))
      return std::string(u.name) + (in_rate ? "" : "/s");
  return "";
}

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

bool is_keyword_operator(std::string_view name) {
  return name == "and" || name == "or" || name == "not" || name == "in";
}

// '%' is a hundredth where no value follows it, and else the remainder of a division.
bool is_percent(std::string_view text, size_t at) {
  if (at >= text.size() || text[at] != '%') return false;
  size_t next = at + 1;
  while (next < text.size() && is_blank(text[next])) ++next;
  const std::string_view name = name_at(text, next);
  if (!name.empty()) return is_keyword_operator(name);
  return next == text.size() || !(is_digit(text[next]) || std::string_view("-.([\"").find(text[next]) != text.npos);
}

std::string_view unit_at(std::string_view text, size_t at) {
  return is_percent(text, at) ? text.substr(at, 1) : name_at(text, at);
}

bool is_call(std::string_view text, size_t at) { return at < text.size() && text[at] == '('; }

// Units of bytes are offered, those of bits never: a figure is rarely meant in them.
std::string similar_unit(std::string_view name) {
  std::vector<std::string> names;
  for (const KnownUnit& u : kUnits)
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
  const std::string word = in_small(name);
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
  const std::string_view name = unit_at(text, at);
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

std::span<const KnownUnit> units() { return kUnits; }

const KnownUnit* find_unit(std::string_view name) {
  auto it = std::find_if(std::begin(kUnits), std::end(kUnits), [&](const KnownUnit& u) { return u.name == name; });
  return it == std::end(kUnits) ? nullptr : it;
}

bool find_scale(std::string_view name, Scale& scale) {
  const size_t slash = name.find('/');
  const KnownUnit* top = find_unit(name.substr(0, slash));
  if (!top) return false;
  scale = {std::string(name), top->dim, top->exponent, top->times, 1};
  if (slash == std::string_view::npos) return true;
  const KnownUnit* below = find_unit(name.substr(slash + 1));
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
  if (const DimRow* row = row_of(dim))
    for (const char* name : row->scales)
      if (name) find_scale(name, out.emplace_back());
  return out;
}

std::span<const BaseDim> base_dims() { return kBaseDims; }

std::string dim_name(Dim dim) {
  if (const DimRow* row = row_of(dim)) return row->name;
  std::string out;
  for (const BaseDim& base : kBaseDims) {
    const int exponent = dim.*base.exponent;
    if (exponent == 0) continue;
    if (!out.empty()) out += ' ';
    out += base.name;
    if (exponent != 1) out += '^' + std::to_string(exponent);
  }
  return out;
}

std::string dim_units(Dim dim) {
  if (dim == kNone) return "no unit";
  const std::vector<Scale> scales = usual_scales(dim);
  if (scales.empty()) return "no unit of its own";
  std::string out;
  for (size_t i = 0; i < scales.size(); ++i) {
    if (i > 0) out += i + 1 == scales.size() ? " or " : ", ";
    out += scales[i].name;
  }
  return out;
}

std::string meant_unit(std::string_view name, bool in_rate) {
  const auto row = std::ranges::find(kUnitAliases, in_small(name), &UnitAlias::said);
  return row != std::end(kUnitAliases) ? std::string(row->unit) : rate(name, in_rate);
}

std::string in_known_unit(std::string_view digits, std::string_view name) {
  const auto row = std::ranges::find(kMultiples, in_small(name), &UnitMultiple::said);
  double count = 0;
  if (row == std::end(kMultiples) || !convert_digits(digits, 0, row->times, 1, count)) return "";
  return fmt::format("{} {}", count, row->unit);
}

std::string as_bytes(std::string bits) {
  bits.back() = 'B';
  return "write '" + bits + "'";
}

std::string with_usual_units(std::string_view text, Dim dim) {
  const DimRow* row = row_of(dim);
  if (!row || row->usual.empty()) return "";
  const std::string out = fmt::format("write '{} {}'", text, row->usual);
  return row->other.empty() ? out : out + fmt::format(" or '{} {}'", text, row->other);
}

}  // namespace dsl
