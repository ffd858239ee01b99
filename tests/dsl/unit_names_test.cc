// Units as others write them.

#include <doctest/doctest.h>

#include "dsl/units.h"

TEST_CASE("a unit of other programs and of speech has its name here") {
  const struct {
    const char *said, *unit;
  } rows[] = {
      {"seconds", "s"},
      {"sec", "s"},
      {"usec", "us"},
      {"minutes", "min"},
      {"hours", "h"},
      {"Hours", "h"},
      {"hr", "h"},
      {"days", "d"},
      {"bytes", "B"},
      {"bits", "b"},
      {"G", "GB"},
      {"Gi", "GiB"},
      {"Mi", "MiB"},
      {"dollars", "USD"},
      {"watts", "W"},
      {"Gbps", "Gb/s"},
      {"GBps", "GB/s"},
      {"Mbps", "Mb/s"},
      {"TBps", "TB/s"},
      {"FLOPS", "FLOP/s"},
      {"TFLOPS", "TFLOP/s"},
      {"TFlops", "TFLOP/s"},
      {"PFLOPs", "PFLOP/s"},
      {"foo", ""},
      {"", ""},
      {"ps", ""},
      {"s", ""},
      {"xbps", ""},
  };
  for (const auto& row : rows) {
    INFO(std::string(row.said));
    CHECK(dsl::meant_unit(row.said, false) == row.unit);
    dsl::Scale scale;
    if (*row.unit) CHECK(dsl::find_scale(row.unit, scale));
  }
  CHECK(dsl::meant_unit("TFLOPs", true) == "TFLOP");
}

TEST_CASE("months and years come to days") {
  CHECK(dsl::in_known_unit("1", "month") == "30 d");
  CHECK(dsl::in_known_unit("0.5", "year") == "182.5 d");
  CHECK(dsl::in_known_unit("1", "Years") == "365 d");
  CHECK(dsl::in_known_unit("1", "days") == "");
  CHECK(dsl::in_known_unit("3", "fortnights") == "");
}

TEST_CASE("a plain number is offered with the units that its field has most often") {
  CHECK(dsl::with_usual_units("80", dsl::kData) == "write '80 GB' or '80 GiB'");
  CHECK(dsl::with_usual_units("30", dsl::kTime) == "write '30 s' or '30 d'");
  CHECK(dsl::with_usual_units("2", dsl::kPrice) == "write '2 USD/h'");
  CHECK(dsl::with_usual_units("2", dsl::kNone) == "");
  CHECK(dsl::as_bytes("80 Gb") == "write '80 GB'");
}
