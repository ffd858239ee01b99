// Plans that differ in choices that make no difference.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>

#include "cli/pages/search_report.h"

using planner::Found;

namespace {

Found alike_plan(double seconds, double a, double b) {
  Found found;
  found.results.step.seconds = seconds;
  found.choices = {dsl::Value{dsl::Number{a, {}}}, dsl::Value{dsl::Number{b, {}}}};
  return found;
}

/// "1:1x1 2-3:1x2": rows, and how many values each of the two choices has.
std::string united_rows(const std::vector<Found>& rows) {
  std::string text;
  for (const cli::AlikePlans& p : cli::alike_plans(
           rows, [](const Found&a, const Found&b) { return a.results.step.seconds == b.results.step.seconds; }))
    text += fmt::format("{}{}-{}:{}x{}", text.empty() ? "" : " ", p.first + 1, p.first + p.count, p.choices[0].size(),
                        p.choices[1].size());
  return text;
}

}  // namespace

TEST_CASE("alike neighbours are one row where they have every combination of their values") {
  CHECK(united_rows({}).empty());
  CHECK(united_rows({alike_plan(1, 1, 1)}) == "1-1:1x1");
  CHECK(united_rows({alike_plan(1, 1, 1), alike_plan(1, 1, 2), alike_plan(2, 1, 1)}) == "1-2:1x2 3-3:1x1");
  CHECK(united_rows({alike_plan(1, 1, 1), alike_plan(1, 1, 2), alike_plan(1, 2, 1), alike_plan(1, 2, 2)}) == "1-4:2x2");
}

TEST_CASE("nothing is said of a combination that is not there") {
  // Of 2 x 2 three are found: the fourth may be worse, or refused.
  CHECK(united_rows({alike_plan(1, 1, 1), alike_plan(1, 1, 2), alike_plan(1, 2, 1)}) == "1-2:1x2 3-3:1x1");
  CHECK(united_rows({alike_plan(1, 1, 1), alike_plan(1, 2, 2), alike_plan(1, 2, 1)}) == "1-1:1x1 2-3:1x2");
  // Alike, but not neighbours.
  CHECK(united_rows({alike_plan(1, 1, 1), alike_plan(2, 1, 2), alike_plan(1, 2, 1)}) == "1-1:1x1 2-2:1x1 3-3:1x1");
}

TEST_CASE("every row is in one of the united, in order") {
  std::vector<Found> rows;
  for (int i = 0; i < 200; ++i) rows.push_back(alike_plan(i / 7, i * i % 5, i % 3));
  size_t next = 0;
  for (const cli::AlikePlans& p : cli::alike_plans(
           rows, [](const Found&a, const Found&b) { return a.results.step.seconds == b.results.step.seconds; })) {
    CHECK(p.first == next);
    size_t combinations = 1;
    for (const auto& values : p.choices) combinations *= values.size();
    CHECK(combinations == p.count);
    next += p.count;
  }
  CHECK(next == rows.size());
}
