#include "dsl/unit_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "dsl/raw_text.h"
#include "dsl/similar.h"
#include "dsl/units.h"

namespace dsl {
namespace {

struct Name {
  std::string_view said, unit;
};
constexpr Name kNames[] = {
    {"second", "s"},    {"seconds", "s"},   {"sec", "s"},        {"secs", "s"},       {"msec", "ms"},
    {"millis", "ms"},   {"usec", "us"},     {"micros", "us"},    {"nsec", "ns"},      {"minute", "min"},
    {"minutes", "min"}, {"mins", "min"},    {"hour", "h"},       {"hours", "h"},      {"hr", "h"},
    {"hrs", "h"},       {"day", "d"},       {"days", "d"},       {"byte", "B"},       {"bytes", "B"},
    {"bit", "b"},       {"bits", "b"},      {"dollar", "USD"},   {"dollars", "USD"},  {"watt", "W"},
    {"watts", "W"},     {"kilowatt", "kW"}, {"joule", "J"},      {"joules", "J"},     {"hertz", "Hz"},
    {"g", "GB"},        {"gi", "GiB"},      {"mi", "MiB"},       {"ti", "TiB"},       {"ki", "KiB"},
    {"gbyte", "GB"},    {"gigabyte", "GB"}, {"gigabytes", "GB"}, {"terabytes", "TB"}, {"kbyte", "kB"},
    {"mbyte", "MB"},
};

// Units that are a whole number of one of ours.
struct Multiple {
  std::string_view said;
  int times;
  std::string_view unit;
};
constexpr Multiple kMultiples[] = {
    {"week", 7, "d"},    {"weeks", 7, "d"},  {"month", 30, "d"},
    {"months", 30, "d"}, {"year", 365, "d"}, {"years", 365, "d"},
};

struct Usual {
  Dim dim;
  std::string_view first, second;
};
constexpr Usual kUsual[] = {
    {kTime, "s", "d"},          {kData, "GB", "GiB"},  {kFlop, "TFLOP", ""},          {kMoney, "USD", ""},
    {kEnergy, "kWh", ""},       {kPower, "W", "kW"},   {kFrequency, "GHz", ""},       {kBandwidth, "GB/s", "Gb/s"},
    {kFlopRate, "TFLOP/s", ""}, {kPrice, "USD/h", ""}, {kEnergyPrice, "USD/kWh", ""},
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
  for (const Unit& u : units())
    if (u.dim == kFlop && in_small(u.name) == in_small(name.substr(0, name.size() - 1)))
      return std::string(u.name) + (in_rate ? "" : "/s");
  return "";
}

}  // namespace

std::string meant_unit(std::string_view name, bool in_rate) {
  const auto row = std::ranges::find(kNames, in_small(name), &Name::said);
  return row != std::end(kNames) ? std::string(row->unit) : rate(name, in_rate);
}

std::string in_known_unit(std::string_view digits, std::string_view name) {
  const auto row = std::ranges::find(kMultiples, in_small(name), &Multiple::said);
  double count = 0;
  if (row == std::end(kMultiples) || !convert_digits(digits, 0, row->times, 1, count)) return "";
  return fmt::format("{} {}", count, row->unit);
}

std::string as_bytes(std::string bits) {
  bits.back() = 'B';
  return "write '" + bits + "'";
}

std::string with_usual_units(std::string_view text, Dim dim) {
  for (const Usual& row : kUsual) {
    if (!(row.dim == dim)) continue;
    std::string out = fmt::format("write '{} {}'", text, row.first);
    return row.second.empty() ? out : out + fmt::format(" or '{} {}'", text, row.second);
  }
  return "";
}

}  // namespace dsl
