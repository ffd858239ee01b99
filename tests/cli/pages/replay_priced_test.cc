// What the operator models say of a trace, as tables and lines.
#include <doctest/doctest.h>

#include "cli/pages/replay_report.h"

using namespace cli;
namespace replay = planner::replay;

namespace {

planner::trace::Matched measured(const std::vector<int64_t>& transfers_us) {
  planner::trace::Matched matched;
  for (const int64_t us : transfers_us) {
    planner::trace::Collective collective;
    collective.transfer_ns = us * 1000;
    collective.parts.resize(2);
    matched.collectives.push_back(collective);
  }
  return matched;
}

Table collectives(size_t rows) { return {.columns = {{.name = "index"}}, .rows = {rows, {Data(1)}}}; }

}  // namespace

TEST_CASE("predictions are columns of the table of collectives") {
  const replay::Priced priced{.collectives = {{20e-6, ""}, {std::nullopt, "why"}, {5e-6, ""}}, .other = {}};
  Table table = collectives(3);
  add_predictions(priced, measured({10, 10, 0}), table);
  REQUIRE(table.columns.size() == 3);
  CHECK(table.columns[1].name == "predicted_seconds");
  CHECK(table.columns[2].name == "predicted_ratio");
  CHECK(figure(table.rows[0][1], Unit::seconds) == "20.00 us");
  CHECK(figure(table.rows[0][2], Unit::number) == "2");
  CHECK(figure(table.rows[1][1], Unit::seconds) == "-");
  CHECK(figure(table.rows[1][2], Unit::number) == "-");
  CHECK(figure(table.rows[2][2], Unit::number) == "-");  // nothing was measured
  Table unpriced = collectives(1);
  add_predictions({}, measured({10}), unpriced);
  CHECK(figure(unpriced.rows[0][1], Unit::seconds) == "-");
}

TEST_CASE("lines below it: how near, and what is missing") {
  using Lines = std::vector<std::string>;
  const replay::Priced priced{
      .collectives = {{20e-6, ""}, {11e-6, ""}, {std::nullopt, "nobody knows"}, {std::nullopt, "nobody knows"}},
      .other = {}};
  CHECK(prediction_lines(priced, measured({10, 10, 10, 10}), "") ==
        Lines{"2 collectives predicted: 20.00 us measured, 31.00 us predicted; 1 within a factor 1.5.",
              "2 collectives not predicted: nobody knows."});
  CHECK(prediction_lines(priced, measured({}), "").empty());
  CHECK(prediction_lines({}, measured({}), "nobody said").empty());
  CHECK(prediction_lines({}, measured({10}), "nobody said") ==
        Lines{"Collectives are not predicted: nobody said (--from-machine NAME says what it was)."});
}

TEST_CASE("device time on another machine by what it rests on") {
  CHECK(scaled_rows({}).rows.empty());
  replay::OtherMachine other;
  other.events = {{{replay::KernelWork::matrix, replay::Basis::shapes, 0.5, 6000, 6000},
                   {replay::KernelWork::vector, replay::Basis::assumed, 0.25, 2000, 1000},
                   {}}};
  const Table table = scaled_rows({.collectives = {}, .other = other});
  REQUIRE(table.rows.size() == 2);
  const auto text = [&](size_t row) {
    std::string line;
    for (size_t c = 0; c < table.columns.size(); ++c)
      line += figure(table.rows[row][c], table.columns[c].unit) + (c + 1 < table.columns.size() ? "|" : "");
    return line;
  };
  CHECK(text(0) == "matrix|shapes|1|6.000 us|75.0 %|3.000 us|0.5");
  CHECK(text(1) == "vector|assumed|1|2.000 us|25.0 %|1.250 us|0.625");
}
