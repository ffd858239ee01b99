// Rows of a study as JSON has them and as text prints them, from rows made by hand.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "cli/pages/study_pages.h"
#include "planner/studies/published/study.h"

namespace {

using planner::Expectation;
using planner::StudyRow;

/// An expectation of a measure with the paper's figure.
Expectation expecting(const char* measure, std::vector<double> paper) {
  Expectation e;
  e.what = measure;
  e.paper = std::move(paper);
  e.asked.measure = planner::find_measure(measure);
  REQUIRE_MESSAGE(e.asked.measure, measure);
  return e;
}

StudyRow row(const Expectation& e, double low, double high, const char* source = "a paper") {
  StudyRow r;
  r.source = source;
  r.case_name = "base";
  r.expected = &e;
  r.low = low;
  r.high = high;
  r.holds = true;
  return r;
}

const cli::Table& table(const cli::Report& report, size_t at = 0) { return std::get<cli::Table>(report.text.at(at)); }

std::string cell(const StudyRow& r, const char* column) {
  const cli::Report report = cli::study_report({r});
  const auto& columns = table(report).columns;
  const auto at = std::ranges::find(columns, column, &cli::Column::name);
  REQUIRE_MESSAGE(at != columns.end(), column);
  const cli::Data& found = table(report).rows.at(0).at(static_cast<size_t>(at - columns.begin()));
  return found.text() ? *found.text() : "";
}

cli::Data datum(const StudyRow& r, const char* column) {
  const cli::Report report = cli::study_report({r});
  const auto at = std::ranges::find(report.table.columns, column, &cli::Column::name);
  REQUIRE_MESSAGE(at != report.table.columns.end(), column);
  return report.table.rows.at(0).at(static_cast<size_t>(at - report.table.columns.begin()));
}

TEST_CASE("a figure is printed in the unit of its measure, a quotient in none, a change in per cent") {
  struct Row {
    const char *measure, *text;
    double value;
  };
  for (const Row& r : std::vector<Row>{{"share", "25.0 %", 0.25},
                                       {"operators", "12", 12},
                                       {"step_seconds", "20.00 ms", 0.02},
                                       {"peak_bytes", "3.000 GB", 3e9},
                                       {"bandwidth", "1.500 TB/s", 1.5e12},
                                       {"intensity", "64", 64},
                                       {"required_tp", "16", 16}}) {
    CAPTURE(std::string(r.measure));
    Expectation e = expecting(r.measure, {r.value});
    CHECK(cell(row(e, r.value, r.value), "paper") == std::string(r.text));
    CHECK(cell(row(e, r.value, r.value), "ours") == std::string(r.text));
    e.over = planner::Base{.at = 0, .case_name = "base", .asked = e.asked};
    CHECK(cell(row(e, 0.5, 0.5), "ours") == "0.5");
    e.change = true;
    CHECK(cell(row(e, 0.5, 0.5), "ours") == "50.0 %");
  }
}

TEST_CASE("ranges and bounds have both ends, or the one that there is") {
  const Expectation range = expecting("share", {0.1, 0.2});
  CHECK(cell(row(range, 0.1, 0.15), "paper") == "10.0 % to 20.0 %");
  CHECK(cell(row(range, 0.1, 0.15), "ours") == "10.0 % to 15.0 %");
  CHECK(cell(row(range, 0.1, 0.15), "accepted") == "7.0 % to 25.0 %");
  Expectation bound = expecting("share", {});
  bound.most = 0.5;
  CHECK(cell(row(bound, 0.4, 0.4), "paper") == "at most 50.0 %");
  CHECK(datum(row(bound, 0.4, 0.4), "paper_low").is_null());
  CHECK(datum(row(bound, 0.4, 0.4), "accepted_high").number() == 0.5);
  bound.least = 0.3;
  CHECK(cell(row(bound, 0.4, 0.4), "paper") == "30.0 % to 50.0 %");
}

TEST_CASE("a figure without a label goes by its measure and of what; a taken one says so") {
  Expectation e = expecting("share", {0.1});
  e.asked.text = "kind=gemm";
  CHECK(cell(row(e, 0, 0), "figure") == "share kind=gemm");
  e.taking = planner::Taking::largest;
  CHECK(cell(row(e, 0, 0), "figure") == "share kind=gemm (largest)");
  e.label = "GEMMs";
  e.taking = planner::Taking::smallest;
  CHECK(cell(row(e, 0, 0), "figure") == "GEMMs (smallest)");
  e.over = planner::Base{.at = 0, .case_name = "one", .asked = e.asked};
  CHECK(*datum(row(e, 0, 0), "over").text() == "one");
  e.over->asked.text = "kind=collective";
  CHECK(*datum(row(e, 0, 0), "over").text() == "one: kind=collective");
}

TEST_CASE("a trend has pairs and no figure of the paper's") {
  Expectation e = expecting("share", {});
  e.trend = planner::FigureTrend::falls;
  e.along = "parallelism.tp";
  StudyRow r = row(e, 0.1, 0.3);
  r.pairs = 5;
  r.against = 2;
  r.holds = false;
  CHECK(cell(r, "paper") == "falls with parallelism.tp");
  CHECK(cell(r, "difference") == "2 of 5 against");
  CHECK(cell(r, "verdict") == "missed");
  CHECK(*datum(r, "trend").text() == "falls");
  CHECK(datum(r, "pairs").number() == 5);
  for (const char* none : {"paper_low", "paper_high", "difference", "accepted_low", "accepted_high"})
    CHECK_MESSAGE(datum(r, none).is_null(), none);
}

TEST_CASE("neighbours of one source share a table; what is missed or excluded gives its reason") {
  const Expectation required = expecting("share", {0.1});
  Expectation contradicted = required;
  contradicted.required = false;
  contradicted.why = "elsewhere \"20 %\"";
  StudyRow missed = row(required, 0.9, 0.9, "one");
  missed.holds = false;
  const cli::Report report = cli::study_report(
      {row(required, 0.1, 0.1, "one"), missed, row(contradicted, 0.1, 0.1, "one"), row(required, 0.1, 0.1, "two")});
  REQUIRE(report.text.size() == 5);
  CHECK(table(report, 0).rows.size() == 3);
  CHECK(table(report, 1).title == "two");
  CHECK(std::get<std::string>(report.text[2]) == "Missed:\n\n- one, base, share: no reason is known");
  CHECK(std::get<std::string>(report.text[3]) == "Excluded by the text:\n\n- one, base, share: elsewhere \"20 %\"");
  CHECK(
      std::get<std::string>(report.text[4]) ==
      "2 of 3 figures within, 1 missed; 0 more by construction, 0 that a number was fitted to, 1 that the text itself "
      "excludes.");
  for (const auto& cells : report.table.rows) CHECK(cells.size() == report.table.columns.size());
}

TEST_CASE("what rests on a construction or a fit counts apart, and is missed where it does not hold") {
  Expectation made = expecting("share", {0.1});
  made.rests_on = planner::RestsOn::construction;
  made.why = "a quotient of two fields";
  Expectation fitted = made;
  fitted.rests_on = planner::RestsOn::fit;
  fitted.why = "chosen for it";
  StudyRow broken = row(made, 0.9, 0.9);
  broken.holds = false;
  const cli::Report report = cli::study_report({row(made, 0.1, 0.1), row(fitted, 0.1, 0.1), broken});
  CHECK(cell(row(made, 0.1, 0.1), "verdict") == "by construction");
  CHECK(cell(row(fitted, 0.1, 0.1), "verdict") == "fitted");
  CHECK(cell(broken, "verdict") == "missed");
  CHECK(std::get<std::string>(report.text[2]) ==
        "By construction:\n\n- a paper, base, share: a quotient of two fields");
  CHECK(std::get<std::string>(report.text[3]) == "Fitted:\n\n- a paper, base, share: chosen for it");
  CHECK(
      std::get<std::string>(report.text[4]).starts_with("0 of 1 figures within, 1 missed; 1 more by construction, 1"));
}

TEST_CASE("a row shows what it comes to with other assumptions, and which of them turn it") {
  const Expectation e = expecting("share", {0.1});
  StudyRow r = row(e, 0.3, 0.3);
  r.holds = false;
  r.assumed = {0.1, 0.4};
  r.turned_by = {"half the ramp", "no ramp"};
  CHECK(cell(r, "with other assumptions") == "10.0 % to 40.0 %");
  CHECK(datum(r, "assumed_low").number() == 0.1);
  CHECK(datum(r, "turned_by").list()->size() == 2);
  const cli::Report report = cli::study_report({r});
  CHECK(std::get<std::string>(report.text[1]) ==
        "Missed:\n\n- a paper, base, share: no reason is known; within with half the ramp, or no ramp");
  r.turned_by.clear();
  CHECK(std::get<std::string>(cli::study_report({r}).text[1]).ends_with("within with none of the other assumptions"));
  CHECK(datum(row(e, 0.3, 0.3), "assumed_low").is_null());
}

}  // namespace
