#include "cli/report/figure.h"

#include <doctest/doctest.h>

using cli::Data;
using cli::figure;
using cli::Unit;

TEST_CASE("a figure has four significant digits, a prefix and its unit") {
  struct Row {
    double value;
    Unit unit;
    std::string text;
  };
  const Row rows[] = {
      {12.3456, Unit::seconds, "12.35 s"},
      {0.0123456, Unit::seconds, "12.35 ms"},
      {1.5e-6, Unit::seconds, "1.500 us"},
      {2e-10, Unit::seconds, "0.200 ns"},
      {0, Unit::seconds, "0 s"},
      {123456, Unit::seconds, "34.29 h"},
      {0.99996, Unit::seconds, "1.000 s"},
      {-0.5, Unit::seconds, "-500.0 ms"},
      {1.5e9, Unit::bytes, "1.500 GB"},
      {12, Unit::bytes, "12 B"},
      {0, Unit::bytes, "0 B"},
      {999.96e6, Unit::bytes, "1.000 GB"},
      {85899345920.0, Unit::memory, "80.00 GiB"},
      {1023.99 * 1024 * 1024, Unit::memory, "1.000 GiB"},
      {5, Unit::memory, "5 B"},
      {312e12, Unit::flops_per_second, "312.0 TFLOP/s"},
      {2.5e18, Unit::flops, "2.500 EFLOP"},
      {300e9, Unit::bytes_per_second, "300.0 GB/s"},
      {0.5234, Unit::fraction, "52.3 %"},
      {1536, Unit::count, "1536"},
      {300e9, Unit::count, "300.0 G"},
      {9999999, Unit::count, "9999999"},
      {1.5, Unit::count, "1.5"},
      {34.1234, Unit::days, "34.12 d"},
      {757123.4, Unit::usd, "757.1 kUSD"},
      {12.3, Unit::usd, "12.30 USD"},
      {5e6, Unit::kwh, "5.000 GWh"},
      {12.5, Unit::kwh, "12.50 kWh"},
      {0.001234, Unit::number, "0.001234"},
      {123456.7, Unit::number, "123457"},
      {1e12, Unit::number, "1e+12"},
      {341.33, Unit::flops_per_byte, "341.3"},
  };
  for (const Row& row : rows) {
    CAPTURE(row.value);
    CHECK(figure(row.value, row.unit) == row.text);
  }
}

TEST_CASE("null and what is no number print a dash") {
  CHECK(figure({}, Unit::seconds) == "-");
  CHECK(figure(0.0 / 0.0, Unit::seconds) == "-");
  CHECK(figure(std::optional<double>{}, Unit::usd) == "-");
}

TEST_CASE("lists and objects print on one line") {
  CHECK(figure(Data::List{"nvlink", "infiniband"}, Unit::text) == "nvlink+infiniband");
  CHECK(figure(Data::Object{{"m", 2048}, {"n", 512}}, Unit::text) == "m=2048 n=512");
  CHECK(figure(true, Unit::text) == "yes");
}

TEST_CASE("a whole figure becomes a count, anything else stays") {
  CHECK(std::holds_alternative<int64_t>(cli::whole(1536.0).v));
  CHECK(std::holds_alternative<double>(cli::whole(1.5).v));
  CHECK(std::holds_alternative<double>(cli::whole(1e300).v));
  CHECK(cli::whole(std::optional<double>{}).is_null());
}
