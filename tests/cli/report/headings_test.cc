// --sort and --columns take a column by its heading on a page, with or without its unit.
#include <doctest/doctest.h>

#include <algorithm>

#include "tests/cli/harness.h"
#include "tests/cli/sample_files.h"

namespace {

/// The values of a column, null left out.
std::vector<double> figures(const Json& rows, const char* name) {
  std::vector<double> out;
  for (const Json& row : rows)
    if (!row.at(name).is_null()) out.push_back(row.at(name).get<double>());
  return out;
}

Json listed(const char* sort) {
  const Ran r = ran({"list", "cluster", "--sort", sort, "--format", "json"});
  REQUIRE_MESSAGE(r.status == 0, r.err);
  return Json::parse(r.out).at("entries");
}

}  // namespace

TEST_CASE("a price is sorted by its heading, by its heading without the unit, and by its name") {
  for (const char* name : {"price", "price/h", "usd_per_gpu_hour"}) {
    const std::vector<double> prices = figures(listed(name), "usd_per_gpu_hour");
    CHECK(prices.size() > 20);
    CHECK(std::ranges::is_sorted(prices, std::ranges::greater()));
  }
  CHECK(std::ranges::is_sorted(figures(listed("price:asc"), "usd_per_gpu_hour")));
}

TEST_CASE("a machine without a price is last in either direction") {
  for (const char* sort : {"price", "price:asc"}) {
    const Json rows = listed(sort);
    bool over = false;
    for (const Json& row : rows) {
      CHECK_FALSE((over && !row.at("usd_per_gpu_hour").is_null()));
      over = over || row.at("usd_per_gpu_hour").is_null();
    }
    CHECK(over);
  }
}

TEST_CASE("no part of a heading but the one before its unit is a name") {
  for (const char* name : {"h", "/h", "pri", "price/", "price/d"}) {
    const Ran r = ran({"list", "cluster", "--sort", name});
    CHECK_MESSAGE(r.status == 2, name);
    CHECK_MESSAGE(holds(r.err, "--sort: no column '" + std::string(name) + "'"), r.err);
  }
}
