#include "cli/report/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>

#include "dsl/unit_sizes.h"

namespace cli {
namespace {

/// Decimals that show four significant digits of x in [1, 1000) or near it.
int decimals(double x) {
  double a = std::abs(x);
  return a >= 999.95 ? 0 : a >= 99.995 ? 1 : a >= 9.9995 ? 2 : 3;
}

std::string scaled(double x, const char* prefix, const char* unit) {
  return fmt::format("{:.{}f} {}{}", x, decimals(x), prefix, unit);
}

/// k, M, G ... above one; below one the figure stays in its unit.
std::string si(double x, const char* unit) {
  constexpr std::array kPrefixes{"", "k", "M", "G", "T", "P", "E", "Z"};
  size_t i = 0;
  while (std::abs(x) >= 999.95 && i + 1 < kPrefixes.size()) x /= 1000, ++i;
  return i == 0 && x == std::floor(x) ? fmt::format("{:.0f} {}", x, unit) : scaled(x, kPrefixes[i], unit);
}

std::string binary(double x) {
  constexpr std::array kPrefixes{"", "Ki", "Mi", "Gi", "Ti", "Pi"};
  size_t i = 0;
  while (std::abs(x) >= 1023.95 && i + 1 < kPrefixes.size()) x /= 1024, ++i;
  return i == 0 ? fmt::format("{:.0f} B", x) : scaled(x, kPrefixes[i], "B");
}

/// Units of long durations, each up to the start of the next one.
struct Long {
  double below, size;  // seconds
  const char* unit;
};
constexpr Long kLong[] = {{dsl::kHour, dsl::kMinute, "min"},
                          {dsl::kDay, dsl::kHour, "h"},
                          {999.5 * dsl::kDay, dsl::kDay, "d"},
                          {std::numeric_limits<double>::infinity(), 365 * dsl::kDay, "years"}};

std::string seconds(double x) {
  constexpr std::array kPrefixes{"", "m", "u", "n"};
  if (x == 0) return "0 s";
  if (std::abs(x) >= 999.95)
    for (const Long& row : kLong)
      if (std::abs(x) < row.below) return scaled(x / row.size, "", row.unit);
  size_t i = 0;
  while (std::abs(x) < 0.99995 && i + 1 < kPrefixes.size()) x *= 1000, ++i;
  return scaled(x, kPrefixes[i], "s");
}

std::string count(double x) {
  if (std::abs(x) < 1e7) return x == std::floor(x) ? fmt::format("{:.0f}", x) : four_digits(x);
  std::string text = si(x, "");
  return text.back() == ' ' ? text.substr(0, text.size() - 1) : text;
}

std::string usd(double x) {
  return std::abs(x) < 1e5 ? fmt::format("{:.{}f} USD", x, decimals(x) > 2 ? 2 : decimals(x)) : si(x, "USD");
}

std::string gib(double x) { return fmt::format("{:.{}f}", x / dsl::kGiB, std::min(2, decimals(x / dsl::kGiB))); }

std::string kwh(double x) {
  return std::abs(x) < 9999.5 ? fmt::format("{:.{}f} kWh", x, decimals(x)) : si(x * 1000, "Wh");
}

/// Number format of a unit; units without a row have four digits.
struct UnitText {
  Unit unit;
  std::string (*text)(double);
};
constexpr UnitText kUnitTexts[] = {
    {Unit::count, count},
    {Unit::fraction, [](double x) { return fmt::format("{:.1f} %", 100 * x); }},
    {Unit::seconds, seconds},
    {Unit::bytes, [](double x) { return si(x, "B"); }},
    {Unit::memory, binary},
    {Unit::gib, gib},
    {Unit::flops, [](double x) { return si(x, "FLOP"); }},
    {Unit::flops_per_second, [](double x) { return si(x, "FLOP/s"); }},
    {Unit::bytes_per_second, [](double x) { return si(x, "B/s"); }},
    {Unit::per_second, [](double x) { return si(x, "/s"); }},
    {Unit::tokens_per_second, [](double x) { return count(x < 1000 ? x : std::round(x)) + " tokens/s"; }},
    {Unit::days, [](double x) { return seconds(x * dsl::kDay); }},
    {Unit::hours, [](double x) { return si(x, "h"); }},
    {Unit::usd, usd},
    {Unit::kwh, kwh},
};

std::string number_text(double x, Unit unit) {
  const auto* row = std::ranges::find(kUnitTexts, unit, &UnitText::unit);
  return row == std::end(kUnitTexts) ? four_digits(x) : row->text(x);
}

}  // namespace

std::string four_digits(double x) {
  double a = std::abs(x);
  if (a >= 1000 && a < 1e7) return fmt::format("{:.0f}", x);
  return fmt::format("{:.4g}", x);
}

std::string figure(const Data& value, Unit unit) {
  if (const std::string* s = value.text()) return *s;
  if (const bool* b = std::get_if<bool>(&value.v)) return *b ? "yes" : "no";
  std::string out;
  if (const Data::List* list = value.list()) {
    for (const Data& d : *list) out += (out.empty() ? "" : "+") + figure(d, unit);
    return out;
  }
  if (const Data::Object* object = value.object()) {
    for (const Member& m : *object) out += (out.empty() ? "" : " ") + m.name + "=" + figure(m.value, unit);
    return out;
  }
  auto x = value.number();
  return x ? number_text(*x, unit) : "-";
}

}  // namespace cli
