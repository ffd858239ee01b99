// Lines and tables of a sweep have the bytes of its report.
#include "cli/pages/sweep_report.h"

#include <doctest/doctest.h>
#include <rapidcheck.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "cli/render/render.h"

using planner::Swept;

namespace {

const std::vector<std::string> kNames{"parallelism.tp", "a \"name\"", "cluster.gpu.memory_bandwidth_of_something_long"};

/// Few figures, so that many come again, beside any other.
double figure() {
  constexpr double kInfinite = std::numeric_limits<double>::infinity();
  const std::vector<double> odd{0, -0.0, 1, 1e22, 0.1, 1e-7, 5e-324, 125.74413624511875, kInfinite, std::nan("")};
  return *rc::gen::inRange(0, 2) == 0 ? *rc::gen::elementOf(odd) : *rc::gen::arbitrary<double>();
}

std::string text() { return *rc::gen::inRange(0, 2) == 0 ? "tp-cp-ep-dp-pp" : *rc::gen::arbitrary<std::string>(); }

dsl::Value value() {
  switch (*rc::gen::inRange(0, 4)) {
    case 0:
      return {dsl::Number{std::floor(figure()), dsl::kNone}};
    case 1:
      return {dsl::Number{2.5e9, dsl::kData}};
    case 2:
      return {*rc::gen::arbitrary<bool>()};
    default:
      return {text()};
  }
}

planner::Outcome outcome() {
  planner::Outcome made;
  planner::Results& r = made.results;
  for (double* each : {&r.step.seconds, &r.step.low_seconds, &r.hidden_comm, &r.exposed_comm, &r.mfu, &r.peak_bytes})
    *each = figure();
  if (*rc::gen::arbitrary<bool>()) r.usd = figure();
  r.gpus = *rc::gen::arbitrary<int64_t>();
  made.parallelism.tp = *rc::gen::arbitrary<int64_t>();
  made.parallelism.order = text();
  made.global_batch = *rc::gen::inRange(-20, 2000);
  return made;
}

Swept row(int64_t index) {
  Swept swept{.index = index, .choices = {}, .broken = {}, .found = {}};
  const bool has_values = *rc::gen::inRange(0, 4) > 0;
  for (size_t i = 0; has_values && i < kNames.size(); ++i) swept.choices.push_back(value());
  for (int i = *rc::gen::inRange(0, 3); i > 0; --i) swept.broken.push_back(text());
  if (has_values && *rc::gen::arbitrary<bool>()) swept.found = outcome();
  return swept;
}

std::string rendered(const std::vector<Swept>& rows, const char* format = "ndjson") {
  cli::Report report = cli::sweep_report();
  for (const Swept& each : rows) report.table.rows.push_back(cli::sweep_cells(kNames, each));
  std::ostringstream out;
  cli::render(report, format, {}, out);
  return out.str();
}

/// A row that has all that a row may have.
Swept whole_row(int64_t index) {
  Swept swept{.index = index, .choices = {}, .broken = {}, .found = outcome()};
  for (size_t i = 0; i < kNames.size(); ++i) swept.choices.push_back(value());
  return swept;
}

}  // namespace

TEST_CASE("lines of a sweep have the bytes of its report, for any rows") {
  CHECK(rc::check([] {
    std::vector<Swept> rows;
    cli::SweepLines lines(kNames);
    for (int64_t i = *rc::gen::inRange(0, 40); i > 0; --i) lines.add(rows.emplace_back(row(i)));
    RC_ASSERT(std::string(lines.text()) == rendered(rows));
    lines.clear();
    RC_ASSERT(lines.text().empty());
  }));
}

TEST_CASE("tables of a sweep have the bytes of its report, whichever row is the first") {
  for (const char* format : {"csv", "tsv"})
    CHECK(rc::check([format] {
      std::vector<Swept> rows;
      for (int64_t i = 0; i < *rc::gen::inRange(0, 20); ++i) rows.push_back(row(i));
      rows.push_back(whole_row(20));  // without it the members of a null are unknown
      cli::SweepTable table(kNames, {}, *cli::row_style(format, false));
      for (const Swept& each : rows) table.add(each);
      RC_ASSERT(std::string(table.text()) == rendered(rows, format));
    }));
}

TEST_CASE("a table of a sweep has the columns that are asked for, objects member by member") {
  Swept swept{.index = 7, .choices = {}, .broken = {"memory", "where"}, .found = {}};
  cli::SweepTable table({"tp", "pp"}, {"index", "choices", "parallelism.tp", "choices", "violations"},
                        *cli::row_style("csv", true));
  table.add(swept);
  table.close("interrupted");
  CHECK(table.text() ==
        "index,choices.tp,choices.pp,parallelism.tp,violations\r\n7,,,,memory where\r\ninterrupted,,,,\r\n");
}

TEST_CASE("lines grow beyond the memory that they begin with") {
  std::vector<Swept> rows(400);
  cli::SweepLines lines(kNames);
  for (Swept& each : rows) {
    each.found.emplace();
    each.broken = {std::string(5000, 'x')};
    lines.add(each);
  }
  CHECK(lines.text() == rendered(rows));
}
