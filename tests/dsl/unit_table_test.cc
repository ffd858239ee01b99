// Every unit and every quotient of two: value, dimension, and the words for them.
#include <doctest/doctest.h>

#include <cctype>
#include <cmath>
#include <set>

#include "dsl/units.h"
#include "dsl/value_text.h"
#include "tests/dsl/evaluated.h"

namespace {

struct UnitRow {
  const char* name;
  double value;  // of one, in base units
  dsl::Dim dim;
};
constexpr UnitRow kTable[] = {
    {"s", 1, dsl::kTime},
    {"ms", 1e-3, dsl::kTime},
    {"us", 1e-6, dsl::kTime},
    {"ns", 1e-9, dsl::kTime},
    {"min", 60, dsl::kTime},
    {"h", 3600, dsl::kTime},
    {"d", 86400, dsl::kTime},
    {"week", 604800, dsl::kTime},
    {"%", 0.01, dsl::kNone},
    {"B", 1, dsl::kData},
    {"kB", 1e3, dsl::kData},
    {"MB", 1e6, dsl::kData},
    {"GB", 1e9, dsl::kData},
    {"TB", 1e12, dsl::kData},
    {"PB", 1e15, dsl::kData},
    {"EB", 1e18, dsl::kData},
    {"KiB", 1024, dsl::kData},
    {"MiB", 1048576, dsl::kData},
    {"GiB", 1073741824, dsl::kData},
    {"TiB", 1099511627776, dsl::kData},
    {"PiB", 1125899906842624, dsl::kData},
    {"b", 0.125, dsl::kData},
    {"kb", 125, dsl::kData},
    {"Mb", 125000, dsl::kData},
    {"Gb", 125000000, dsl::kData},
    {"Tb", 125000000000, dsl::kData},
    {"FLOP", 1, dsl::kFlop},
    {"kFLOP", 1e3, dsl::kFlop},
    {"MFLOP", 1e6, dsl::kFlop},
    {"GFLOP", 1e9, dsl::kFlop},
    {"TFLOP", 1e12, dsl::kFlop},
    {"PFLOP", 1e15, dsl::kFlop},
    {"EFLOP", 1e18, dsl::kFlop},
    {"ZFLOP", 1e21, dsl::kFlop},
    {"USD", 1, dsl::kMoney},
    {"kUSD", 1e3, dsl::kMoney},
    {"MUSD", 1e6, dsl::kMoney},
    {"GUSD", 1e9, dsl::kMoney},
    {"W", 1, dsl::kPower},
    {"kW", 1e3, dsl::kPower},
    {"MW", 1e6, dsl::kPower},
    {"J", 1, dsl::kEnergy},
    {"kWh", 3600000, dsl::kEnergy},
    {"MWh", 3600000000, dsl::kEnergy},
    {"GWh", 3600000000000, dsl::kEnergy},
    {"TWh", 3600000000000000, dsl::kEnergy},
    {"Hz", 1, dsl::kFrequency},
    {"kHz", 1e3, dsl::kFrequency},
    {"MHz", 1e6, dsl::kFrequency},
    {"GHz", 1e9, dsl::kFrequency},
};

dsl::Number one(const std::string& unit) {
  const dsl::Scanned s = dsl::scan_number("1 " + unit);
  CHECK_MESSAGE(s.problem == "", unit);
  CHECK_MESSAGE(s.length == unit.size() + 2, unit);
  return s.number;
}

bool nearly(double a, double b) { return std::fabs(a - b) <= 2e-16 * 2 * std::fabs(b); }

}  // namespace

TEST_CASE("one of each unit is exactly what the table says, and the table holds them all") {
  CHECK(std::size(kTable) == dsl::units().size());
  for (const UnitRow& row : kTable) {
    INFO(std::string(row.name));
    const dsl::Number n = one(row.name);
    CHECK(n.value == row.value);
    CHECK((n.dim == row.dim));
    REQUIRE(dsl::find_unit(row.name));
    CHECK(dsl::find_unit(row.name)->name == row.name);
  }
}

TEST_CASE("blanks between number and unit change nothing, zero keeps its dimension") {
  for (const UnitRow& row : kTable) {
    INFO(std::string(row.name));
    for (const char* gap : {"", " ", "  ", "\t"}) {
      const dsl::Scanned s = dsl::scan_number("1" + std::string(gap) + row.name);
      CHECK(s.problem == "");
      CHECK(s.number.value == row.value);
    }
    const dsl::Scanned zero = dsl::scan_number("0.00 " + std::string(row.name));
    CHECK(zero.problem == "");
    CHECK(zero.number.value == 0);
    CHECK((zero.number.dim == row.dim));
    CHECK(evaluated("-1 " + std::string(row.name) + " < 0 " + row.name) == "true");
  }
}

TEST_CASE("every quotient of two units is read as one unit and equals the division") {
  for (const UnitRow& top : kTable)
    for (const UnitRow& below : kTable) {
      if (below.name == std::string("%")) continue;  // nothing is counted by the hundredth
      const std::string name = std::string(top.name) + "/" + below.name;
      INFO(name);
      dsl::Scale scale;
      REQUIRE(dsl::find_scale(name, scale));
      CHECK((scale.dim == top.dim / below.dim));
      const dsl::Number n = one(name);
      CHECK((n.dim == top.dim / below.dim));
      CHECK(nearly(n.value, top.value / below.value));
    }
}

TEST_CASE("a unit that is none has no scale") {
  dsl::Scale scale;
  for (const char* name : {"", "/", "s/", "/s", "GB/s/s", "GB /s", "GB/ s", "KB", "gb", "sec", "GBs", "x/s", "s/x"}) {
    INFO(std::string(name));
    CHECK_FALSE(dsl::find_scale(name, scale));
  }
}

TEST_CASE("a unit in the wrong case is another unit or a mistake with a hint") {
  for (const UnitRow& row : kTable) {
    std::string upper, lower;
    for (const char* c = row.name; *c; ++c) {
      upper += static_cast<char>(std::toupper(*c));
      lower += static_cast<char>(std::tolower(*c));
    }
    for (const std::string& name : {upper, lower}) {
      if (dsl::find_unit(name)) continue;
      const dsl::Scanned s = dsl::scan_number("3 " + name);
      INFO(name);
      CHECK(s.problem == "unknown unit '" + name + "'");
      CHECK(s.problem_at == 2);
      CHECK(s.problem_length == name.size());
      CHECK(s.hint.starts_with("did you mean '"));
    }
  }
}

TEST_CASE("an unknown unit is answered with the nearest, or with what a unit is") {
  const struct {
    const char *text, *hint;
  } rows[] = {{"80 gb", "did you mean 'GB'?"},
              {"80 GIB", "did you mean 'GiB'?"},
              {"80 GiBB", "did you mean 'GiB'?"},
              {"1 KB", "did you mean 'kB'?"},
              {"1 TFLOPS", "write 'TFLOP/s'"},
              {"1 Flop", "did you mean 'FLOP'?"},
              {"1 KHZ", "did you mean 'kHz'?"},
              {"1 usd", "did you mean 'USD'?"},
              {"1 kwh", "did you mean 'kWh'?"},
              {"1 MIN", "did you mean 'min'?"},
              {"0x1F", "write the number in decimal"},
              {"0o17", "write the number in decimal"},
              {"3 weeks", "write 'week'"},
              {"3 x", "a number is followed by an operator or by a unit such as GB, GiB/s, h, TFLOP/s or USD"}};
  for (const auto& row : rows) {
    INFO(std::string(row.text));
    CHECK(dsl::scan_number(row.text).hint == std::string(row.hint));
  }
}

TEST_CASE("'%' is a hundredth where no value follows it") {
  const struct {
    const char* text;
    size_t length;
    double value;
  } rows[] = {{"40%", 3, 0.4},
              {"40 %", 4, 0.4},
              {"12.5 %", 6, 0.125},
              {"40% and x", 3, 0.4},
              {"40 % * 2", 4, 0.4},
              {"40 %)", 4, 0.4},
              {"7 % 4", 1, 7},
              {"7 % x", 1, 7},
              {"7 %(x)", 1, 7},
              {"7%-4", 1, 7},
              {"2 %/week", 8, 0.02 / 604800}};
  for (const auto& row : rows) {
    INFO(std::string(row.text));
    const dsl::Scanned read = dsl::scan_number(row.text);
    CHECK(read.problem == "");
    CHECK(read.length == row.length);
    CHECK(read.number.value == doctest::Approx(row.value));
  }
  CHECK(dsl::scan_number("2 %/week").number.dim == dsl::kFrequency);
  CHECK(dsl::to_text({dsl::Number{0.02 / 604800, dsl::kFrequency}}) == "2 %/week");
}

TEST_CASE("dimensions have names, and those with usual units name them") {
  const struct {
    dsl::Dim dim;
    const char *name, *units;
  } rows[] = {
      {dsl::kNone, "a plain number", "no unit"},
      {dsl::kTime, "time", "s, ms, us, ns, min, h or d"},
      {dsl::kData, "bytes", "B, kB, MB, GB, TB, PB, KiB, MiB, GiB or TiB"},
      {dsl::kFlop, "FLOP", "FLOP, kFLOP, MFLOP, GFLOP, TFLOP, PFLOP or EFLOP"},
      {dsl::kMoney, "money", "USD"},
      {dsl::kEnergy, "energy", "J, kWh or MWh"},
      {dsl::kPower, "power", "W, kW or MW"},
      {dsl::kFrequency, "frequency", "Hz, kHz, MHz, GHz or %/week"},
      {dsl::kBandwidth, "bytes per second", "B/s, kB/s, MB/s, GB/s, TB/s, PB/s, GiB/s, TiB/s, Gb/s or Tb/s"},
      {dsl::kFlopRate, "FLOP per second", "FLOP/s, MFLOP/s, GFLOP/s, TFLOP/s, PFLOP/s or EFLOP/s"},
      {dsl::kPrice, "money per time", "USD/s, USD/h or USD/d"},
      {dsl::kEnergyPrice, "money per energy", "USD/J, USD/kWh or USD/MWh"},
      {dsl::kTime * dsl::kTime, "time^2", "no unit of its own"},
      {dsl::kFlop / dsl::kData, "bytes^-1 FLOP", "no unit of its own"},
      {dsl::kMoney * dsl::kMoney / dsl::kTime, "time^-1 money^2", "no unit of its own"},
  };
  for (const auto& row : rows) {
    INFO(std::string(row.name));
    CHECK(dsl::dim_name(row.dim) == row.name);
    CHECK(dsl::dim_units(row.dim) == row.units);
    const std::vector<dsl::Scale> scales = dsl::usual_scales(row.dim);
    std::set<std::string> names;
    for (const dsl::Scale& scale : scales) {
      CHECK((scale.dim == row.dim));
      CHECK(names.insert(scale.name).second);
    }
    if (!scales.empty()) CHECK(one(scales[0].name).value == 1);  // the base unit first: always exact
  }
}

TEST_CASE("digits are read to the nearest double at the ends of the range") {
  const struct {
    const char* digits;
    int exponent;
    double value;
    bool good;
  } rows[] = {{"1", 308, 1e308, true},
              {"1.7976931348623157", 308, 1.7976931348623157e308, true},
              {"1.8", 308, 0, false},
              {"1", -307, 1e-307, true},
              {"1", -400, 0, false},
              {"0", 100000, 0, true},
              {"0.000", -100000, 0, true},
              {"1e400", -400, 1, true},
              {"1E-5", 5, 1, true},
              {"1e+5", -5, 1, true},
              {"1e999999999999", 0, 0, false},
              {"1e-999999999999", 0, 0, false},
              {"0.1", 1, 1, true},
              {"9007199254740993", 0, 9007199254740992.0, true}};
  for (const auto& row : rows) {
    INFO(std::string(row.digits), " ", row.exponent);
    double out = -1;
    CHECK(dsl::convert_digits(row.digits, row.exponent, 1, 1, out) == row.good);
    if (row.good) CHECK(out == row.value);
  }
}
