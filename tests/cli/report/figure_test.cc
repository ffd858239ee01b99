#include "cli/report/figure.h"

#include <doctest/doctest.h>

#include <cmath>

#include "dsl/units.h"

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
      {999.94, Unit::seconds, "999.9 s"},
      {999.96, Unit::seconds, "16.67 min"},
      {3599, Unit::seconds, "59.98 min"},
      {3600, Unit::seconds, "1.000 h"},
      {-7200, Unit::seconds, "-2.000 h"},
      {123456, Unit::seconds, "1.429 d"},
      {86400 * 999., Unit::seconds, "999.0 d"},
      {86400 * 1000., Unit::seconds, "2.740 years"},
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
      {0.5, Unit::days, "12.00 h"},
      {0.01, Unit::days, "864.0 s"},
      {0.02, Unit::days, "28.80 min"},
      {3650, Unit::days, "10.00 years"},
      {0, Unit::days, "0 s"},
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

TEST_CASE("what a page prints of a quantity can be typed back") {
  struct Row {
    Unit unit;
    dsl::Dim dim;
    double size, least, most;  // of one in SI units; the figures that are printed
  };
  const Row rows[] = {{Unit::seconds, dsl::kTime, 1, 1e-9, 8e7},
                      {Unit::days, dsl::kTime, 86400, 1e-6, 999},
                      {Unit::bytes, dsl::kData, 1, 1, 5e20},
                      {Unit::memory, dsl::kData, 1, 1, 1e17},
                      {Unit::flops, dsl::kFlop, 1, 1, 5e23},
                      {Unit::bytes_per_second, dsl::kBandwidth, 1, 1, 5e20},
                      {Unit::flops_per_second, dsl::kFlopRate, 1, 1, 5e23},
                      {Unit::usd, dsl::kMoney, 1, 0.01, 5e11},
                      {Unit::kwh, dsl::kEnergy, 3.6e6, 0.01, 5e11}};
  for (const Row& row : rows)
    for (double x = row.least; x < row.most; x *= 3.3) {
      const std::string text = figure(x, row.unit);
      CAPTURE(text);
      const dsl::Scanned read = dsl::scan_number(text);
      CHECK(read.length == text.size());
      CHECK_MESSAGE(read.problem.empty(), read.problem);
      CHECK(read.number.dim == row.dim);
      CHECK(std::abs(read.number.value / row.size - x) <= 0.5 * x);  // a figure of 0.01 USD has one digit
    }
}

TEST_CASE("years are not read, and the message says what is") {
  const std::string text = figure(1000, Unit::days);
  CHECK(text == "2.740 years");
  CHECK(dsl::scan_number(text).hint == "write '1000.1 d'");
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
