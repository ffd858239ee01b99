// Numbers and units: read exactly, written so that reading gives the same double.
#include "dsl/units.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cmath>
#include <cstring>
#include <set>

#include "dsl/expression.h"

using dsl::Number;
using dsl::Value;

namespace {

Number read(const std::string& text) {
  const dsl::Scanned s = dsl::scan_number(text);
  INFO(text);
  CHECK(s.problem == "");
  CHECK(s.length == text.size());
  return s.number;
}

std::optional<Value> value_of(const std::string& text) {
  dsl::Diagnostics diagnostics;
  const dsl::ExprPtr tree = dsl::parse_expression(text, {}, diagnostics);
  if (!tree) return std::nullopt;
  return dsl::evaluate(
      *tree, [](const std::string&, dsl::Span) { return std::nullopt; }, diagnostics);
}

std::string written(double value, dsl::Dim dim) { return dsl::to_text(Value{Number{value, dim}}); }

const dsl::Dim kDims[] = {dsl::kNone,
                          dsl::kTime,
                          dsl::kData,
                          dsl::kFlop,
                          dsl::kMoney,
                          dsl::kEnergy,
                          dsl::kFrequency,
                          dsl::kPower,
                          dsl::kBandwidth,
                          dsl::kFlopRate,
                          dsl::kPrice,
                          dsl::kEnergyPrice,
                          dsl::kTime* dsl::kTime,
                          dsl::kFlop / dsl::kData};

}  // namespace

TEST_CASE("numbers with units are read exactly") {
  struct Row {
    const char* text;
    double value;
    dsl::Dim dim;
  };
  const Row rows[] = {{"0", 0, {}},
                      {"42", 42, {}},
                      {"010", 10, {}},
                      {"1e3", 1000, {}},
                      {"300e9", 300000000000.0, {}},
                      {"1.5E+2", 150, {}},
                      {".5", 0.5, {}},
                      {"5.", 5, {}},
                      {"0.1", 0.1, {}},
                      {"2.039 TB/s", 2039000000000.0, dsl::kBandwidth},
                      {"2039 GB/s", 2039000000000.0, dsl::kBandwidth},
                      {"2.039e3 GB/s", 2039000000000.0, dsl::kBandwidth},
                      {"80GB", 80e9, dsl::kData},
                      {"80 GiB", 80.0 * 1024 * 1024 * 1024, dsl::kData},
                      {"1 TiB", 1099511627776.0, dsl::kData},
                      {"200 Gb/s", 25e9, dsl::kBandwidth},
                      {"8 b", 1, dsl::kData},
                      {"312 TFLOP/s", 312e12, dsl::kFlopRate},
                      {"2.5 EFLOP", 2.5e18, dsl::kFlop},
                      {"2EFLOP", 2e18, dsl::kFlop},
                      {"3 us", 3e-6, dsl::kTime},
                      {"0.3 ns", 0.3e-9, dsl::kTime},
                      {"60 d", 5184000, dsl::kTime},
                      {"1.80 USD/h", 1.80 / 3600, dsl::kPrice},
                      {"0.1 USD/kWh", 0.1e-5 / 36, dsl::kEnergyPrice},
                      {"2 kWh", 7.2e6, dsl::kEnergy},
                      {"400 W", 400, dsl::kPower},
                      {"1.41 GHz", 1410000000.0, dsl::kFrequency},
                      {"5 B/FLOP", 5, dsl::kData / dsl::kFlop},
                      {"0 s", 0, dsl::kTime}};
  for (const Row& row : rows) {
    INFO(std::string(row.text));
    const Number n = read(row.text);
    CHECK(n.value == row.value);
    CHECK((n.dim == row.dim));
  }
}

TEST_CASE("a unit is not swallowed where it is none") {
  struct Row {
    const char* text;
    size_t length;
    const char* problem;
  };
  const Row rows[] = {{"3 and x", 1, ""},
                      {"3 or x", 1, ""},
                      {"3 in [3]", 1, ""},
                      {"3 not in x", 1, ""},
                      {"3 GB / s", 4, ""},
                      {"3 GB/tp", 4, ""},
                      {"3 GB/s/s", 6, ""},
                      {"3 min(1)", 1, ""},
                      {"3 s)", 3, ""},
                      {"3 GB/min(2)", 4, ""},
                      {"3+s", 1, ""},
                      {"3 sx", 1, "unknown unit 'sx'"},
                      {"3 s2", 1, "unknown unit 's2'"},
                      {"3and", 1, "expected a blank before 'and'"},
                      {"3x", 1, "unknown unit 'x'"},
                      {"3 KB", 1, "unknown unit 'KB'"},
                      {"1e400", 5, "the number is out of range"},
                      {"1e-400", 6, "the number is out of range"},
                      {"1e300 EFLOP", 11, "the number is out of range"},
                      {"1e99999999999999999999", 22, "the number is out of range"},
                      {"0e99999999999999999999", 22, ""},
                      {"inf", 0, ""},
                      {"nan", 0, ""},
                      {"-3", 0, ""},
                      {".", 0, ""},
                      {"e5", 0, ""},
                      {"", 0, ""}};
  for (const Row& row : rows) {
    INFO(std::string(row.text));
    const dsl::Scanned s = dsl::scan_number(row.text);
    CHECK(s.length == row.length);
    CHECK(s.problem == std::string(row.problem));
  }
}

TEST_CASE("a value is written in the unit a person would choose") {
  CHECK(written(2039e9, dsl::kBandwidth) == "2039 GB/s");
  CHECK(written(900e9, dsl::kBandwidth) == "900 GB/s");
  CHECK(written(25e9, dsl::kBandwidth) == "25 GB/s");
  CHECK(written(80.0 * (1 << 30), dsl::kData) == "80 GiB");
  CHECK(written(80e9, dsl::kData) == "80 GB");
  CHECK(written(5184000, dsl::kTime) == "60 d");
  CHECK(written(3e-6, dsl::kTime) == "3 us");
  CHECK(written(1.8 / 3600, dsl::kPrice) == "1.8 USD/h");
  CHECK(written(5e6, dsl::kMoney) == "5000000 USD");
  CHECK(written(-3, dsl::kTime) == "-3 s");
  CHECK(written(0, dsl::kBandwidth) == "0 B/s");
  CHECK(written(300e9, {}) == "300000000000");
  CHECK(written(0.1, {}) == "0.1");
  CHECK(written(1e22, {}) == "1e+22");
  CHECK(dsl::to_text({true}) == "true");
  CHECK(dsl::to_text({}) == "null");
  CHECK(dsl::to_text({std::string("bf16")}) == "bf16");
  CHECK(dsl::to_text({dsl::List{{Number{1, {}}}, {std::string("a\"b")}}}) == "[1, \"a\\\"b\"]");
}

TEST_CASE("any finite number of any dimension is read back as the identical double") {
  CHECK(rc::check("to_text round trip", [](int64_t bits, size_t which) {
    double value;
    std::memcpy(&value, &bits, sizeof value);
    if (!std::isfinite(value) || (value != 0 && std::fabs(value) < 1e-280) || std::fabs(value) > 1e280) return;
    const dsl::Dim dim = kDims[which % std::size(kDims)];
    const std::optional<Value> back = value_of(written(value, dim));
    RC_ASSERT(back.has_value());
    RC_ASSERT(std::get<Number>(back->v).value == value);
    RC_ASSERT(std::get<Number>(back->v).dim == dim);
  }));
}

TEST_CASE("everyday figures are read back as the identical double, in every unit") {
  CHECK(rc::check("figures round trip", [](uint32_t digits, uint8_t shift, size_t which) {
    const dsl::KnownUnit& unit = dsl::units()[which % dsl::units().size()];
    const std::string text = std::to_string(digits) + "e-" + std::to_string(shift % 12) + " " + std::string(unit.name);
    const Number n = dsl::scan_number(text).number;
    RC_ASSERT(n.dim == unit.dim);
    const std::optional<Value> back = value_of(written(n.value, n.dim));
    RC_ASSERT(back.has_value());
    RC_ASSERT(std::get<Number>(back->v).value == n.value);
  }));
}

TEST_CASE("units have distinct names, and each dimension with units lists them") {
  std::set<std::string_view> names;
  for (const dsl::KnownUnit& u : dsl::units()) {
    CHECK(names.insert(u.name).second);
    if (u.name != "%") CHECK(dsl::dim_units(u.dim).find("no unit") == std::string::npos);
  }
  CHECK(dsl::dim_units(dsl::kTime) == "s, ms, us, ns, min, h or d");
  CHECK(dsl::dim_units(dsl::kPrice) == "USD/s, USD/h or USD/d");
  CHECK(dsl::dim_units({}) == "no unit");
  CHECK(dsl::dim_name(dsl::kBandwidth) == "bytes per second");
  CHECK(dsl::dim_name(dsl::kTime * dsl::kTime / dsl::kData) == "time^2 bytes^-1");
}

TEST_CASE("zeros, exponents and the edges of what a number holds") {
  struct Row {
    const char* text;
    double value;  // NaN: out of range
  };
  const double none = std::nan("");
  for (const Row& row : {Row{"0", 0},
                         {"000", 0},
                         {"0.000", 0},
                         {"0e400", 0},
                         {"0E-400", 0},
                         {"1E3", 1000},
                         {"1e+3", 1000},
                         {"10e-1", 1},
                         {".5e1", 5},
                         {"5.", 5},
                         {"00012", 12},
                         {"1e308", 1e308},
                         {"1e309", none},
                         {"1e-307", 1e-307},
                         {"1e-999", none},
                         {"0.0000000001e310", 1e300},
                         {"1e99999999999999999999", none}}) {
    CAPTURE(std::string(row.text));
    const dsl::Scanned scanned = dsl::scan_number(row.text);
    CHECK(scanned.length == std::string(row.text).size());
    CHECK(scanned.problem.empty() == !std::isnan(row.value));
    if (scanned.problem.empty()) CHECK(scanned.number.value == row.value);
  }
}
