// Writings of other languages: what each was meant for, and that nothing else is taken for one.
#include "dsl/slips.h"

#include <doctest/doctest.h>

#include "dsl/expression.h"
#include "tests/proposals.h"

namespace {

std::string hint_of(const char* text) {
  const auto slip = dsl::find_slip(text);
  return slip ? slip->hint : "";
}

}  // namespace

TEST_CASE("a value that is no expression is told as what it was meant for") {
  const struct {
    const char *text, *hint;
  } rows[] = {
      {"2,048", "write '2048'"},
      {"300,000,000", "write '300000000'"},
      {"2,048 GB", "write '2048 GB'"},
      {"1,8 USD/h", "write '1.8 USD/h'"},
      {"0,5", "write '0.5'"},
      {"4,", "write '4'"},
      {"300_000", "write '300000'"},
      {"1_000 GB", "write '1000 GB'"},
      {"2k", "write '2e3' or '2 * 1024'"},
      {"4K", "write '4e3' or '4 * 1024'"},
      {"1.5M", "write '1.5e6'"},
      {"300 billion", "write '300e9'"},
      {"1T", "write '1e12'"},
      {"15 trillion", "write '15e12'"},
      {"5M USD", "write '5e6 USD'"},
      {"$2/h", "write '2 USD/h'"},
      {"$2.50/h", "write '2.50 USD/h'"},
      {"$5M", "write '5e6 USD'"},
      {"USD 5000", "write '5000 USD'"},
      {"1..8", "write '\"range(1, 8)\"' or, for powers of two, '\"pow2(1, 8)\"'"},
      {"1...8", "write '\"range(1, 8)\"' or, for powers of two, '\"pow2(1, 8)\"'"},
      {"1 to 8", "write '\"range(1, 8)\"' or, for powers of two, '\"pow2(1, 8)\"'"},
      {"(2, 4)", "write '[2, 4]'"},
      {"4;", "write '4'"},
      {"4 // tensor", "write '4  # tensor'"},
      {"4# tensor", "write '4  # tensor'"},
      {"cards // 2", "write 'floor(cards / 2)'"},
      {"2 USD per hour", "write '2 USD/h'"},
      {"900 GB per second", "write '900 GB/s'"},
      {"~8", "write '8'"},
      {"64x8", "write '64 * 8'"},
      {"64 x 8", "write '64 * 8'"},
  };
  for (const auto& row : rows) {
    INFO(std::string(row.text));
    CHECK(hint_of(row.text) == row.hint);
  }
}

TEST_CASE("a number and what it counts") {
  CHECK(dsl::counted_number("64 spoons") == "64");
  CHECK(dsl::counted_number("64") == "");
  CHECK(dsl::counted_number("64 spoons of tea") == "");
  CHECK(dsl::counted_number("spoons") == "");
  CHECK(dsl::counted_number("0x10") == "");
  CHECK(dsl::counted_number("3 KB") == "");
}

TEST_CASE("a slip in a field with a unit is written with one") {
  const auto hint = [](const char* text, dsl::Dim dim) { return dsl::find_slip(text, dim)->hint; };
  CHECK(hint("2M", dsl::kMoney) == "write '2e6 USD'");
  CHECK(hint("2,048", dsl::kData) == "write '2048 GB' or '2048 GiB'");
  CHECK(hint("5M USD", dsl::kMoney) == "write '5e6 USD'");
  CHECK(hint("2M", dsl::kNone) == "write '2e6'");
}

TEST_CASE("what a slip proposes can be read") {
  for (const char* text : {"2,048", "1,8 USD/h", "300_000", "2k", "300 billion", "5M USD", "$2/h", "USD 5000", "(2, 4)",
                           "4;", "2 USD per hour", "~8", "64x8"})
    for (const std::string& proposal : proposals::of(hint_of(text))) {
      INFO(proposal);
      dsl::Diagnostics diagnostics;
      CHECK(dsl::parse_expression(proposal, {}, diagnostics) != nullptr);
      CHECK(diagnostics.list.empty());
    }
}

TEST_CASE("a variable of a shell is told, and what it should be instead") {
  for (const char* text : {"$TP", "${TP}", "$(nproc)"}) {
    INFO(std::string(text));
    CHECK(hint_of(text) == "name the value in 'let', and change it with --set let.NAME=VALUE");
  }
}

TEST_CASE("other texts are no slips") {
  for (const char* text : {"",  " ",  "2",   "80 GB",   "2,0,4", "12,34,567", "a,b",  ",",   "_",  "a_b", "2 kk",
                           "%", "a%", "$",   "1.8",     "1..",   "..8",       "1..a", "(2)", "()", "(a",  ";;",
                           "#", "//", "per", "2 per 3", "x",     "0x10",      "3xy",  "~",   "~a", "USD", "1-8"}) {
    INFO(std::string(text));
    const auto slip = dsl::find_slip(text);
    CHECK((!slip || std::string_view(text) == ";;"));
  }
}

TEST_CASE("a line with '=' is a key and a value, a comparison is not") {
  const struct {
    const char *line, *key, *value;
  } rows[] = {
      {"tp = 4", "tp", "4"},
      {"tp=4", "tp", "4"},
      {"  tp = 4  ", "tp", "4"},
      {"global_batch = 2 * 64", "global_batch", "2 * 64"},
      {"zero-group=8", "zero-group", "8"},
      {"where = a == b", "where", "a == b"},
      {"tp == 4", "", ""},
      {"tp <= 4", "", ""},
      {"tp != 4", "", ""},
      {"a b = 4", "", ""},
      {"4 = 4", "", ""},
      {"tp =", "", ""},
      {"= 4", "", ""},
      {"tp: 4", "", ""},
      {"", "", ""},
  };
  for (const auto& row : rows) {
    INFO(std::string(row.line));
    const auto found = dsl::find_assignment(row.line);
    CHECK((found ? found->key : "") == row.key);
    CHECK((found ? found->value : "") == row.value);
  }
  CHECK(dsl::assignment_slip({"tp", "4"}).message == "expected ':' behind 'tp', got '='");
  CHECK(dsl::assignment_slip({"tp", "4"}).hint == "write 'tp: 4'");
}

TEST_CASE("days, differences and billions") {
  for (const char* day : {"2024-01-01", "1999-12-31", "2025-99-99"}) CHECK(dsl::is_date(day));
  for (const char* other : {"2024-1-1", "2024 - 01 - 01", "20240101", "2024-01-011", "2024/01/01", "a024-01-01", ""}) {
    INFO(std::string(other));
    CHECK(!dsl::is_date(other));
  }
  CHECK(dsl::difference_hint("2024-01-01") == "write '2024 - 01 - 01' for a difference");
  CHECK(dsl::range_hint("1-8") == "write '\"range(1, 8)\"' or, for powers of two, '\"pow2(1, 8)\"'");
  for (const char* other : {"-8", "1 - 8", "a-8", "1-", "1-8-2", ""}) {
    INFO(std::string(other));
    CHECK(dsl::range_hint(other) == "");
  }
  CHECK(dsl::billions("300B") == "300e9");
  CHECK(dsl::billions("1.5 B") == "1.5e9");
  for (const char* other : {"300", "300 GB", "B", "300 B/s", ""}) CHECK(dsl::billions(other) == "");
}
