// The distribution of a run given measured ones: normal means with known variances, computed by hand.
#include "planner/scenario/error_model.h"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace {

using planner::ErrorFamily;
using planner::ErrorModel;
using planner::JobKind;
using planner::KnownMean;
using planner::OwnRuns;

constexpr double kInfinite = std::numeric_limits<double>::infinity();

ErrorModel model() { return {.mean = 0.01, .software = 0.04, .family = 0.1, .group = 0.02, .run = 0.05}; }

ErrorFamily family(std::vector<int64_t> runs, std::vector<double> means) {
  return {.generation = "hopper", .runs = std::move(runs), .means = std::move(means)};
}

}  // namespace

TEST_CASE("two statements weigh by their precision, and one that says nothing leaves the other") {
  struct Row {
    KnownMean a, b, expected;
  };
  const Row rows[] = {
      {{0, 1}, {1, 1}, {0.5, 0.5}},       {{0, 1}, {1, 3}, {0.25, 0.75}},
      {{0.2, kInfinite}, {1, 3}, {1, 3}}, {{0.2, 0.5}, {1, kInfinite}, {0.2, 0.5}},
      {{0.2, 0}, {1, 3}, {0.2, 0}},       {{0.2, 0}, {0.4, 0}, {0.3, 0}},
  };
  for (const Row& row : rows) {
    const KnownMean found = planner::together(row.a, row.b), swapped = planner::together(row.b, row.a);
    CHECK(found.mean == doctest::Approx(row.expected.mean));
    CHECK(found.variance == doctest::Approx(row.expected.variance));
    CHECK(swapped.mean == doctest::Approx(found.mean));
    CHECK(swapped.variance == doctest::Approx(found.variance));
  }
}

TEST_CASE("many runs of one group say no more than that group") {
  const ErrorModel m = model();
  const KnownMean few = planner::mean_of_groups(m, family({4}, {0.1}));
  CHECK(few.mean == 0.1);
  CHECK(few.variance == doctest::Approx(0.02 * 0.02 + 0.05 * 0.05 / 4));
  const KnownMean many = planner::mean_of_groups(m, family({1'000'000}, {0.1}));
  CHECK(many.variance == doctest::Approx(0.02 * 0.02).epsilon(1e-3));
  const KnownMean two = planner::mean_of_groups(m, family({4, 4}, {0.1, 0.2}));
  CHECK(two.mean == doctest::Approx(0.15));
  CHECK(two.variance == doctest::Approx(few.variance / 2));
  CHECK(planner::mean_of_groups(m, family({4, 4}, {0.1, 0.2}), 1).mean == 0.1);
  CHECK(std::isinf(planner::mean_of_groups(m, family({}, {})).variance));
}

TEST_CASE("a family without runs has what its software's other families say, and their spread") {
  ErrorModel m = model();
  m.settle();
  CHECK(m.unseen.mean == m.mean);
  CHECK(m.unseen.variance == doctest::Approx(0.04 * 0.04));
  CHECK(m.mean_of_unseen(1).variance == doctest::Approx(0.04 * 0.04 + 0.1 * 0.1));
  CHECK(m.mean_of_unseen(2).variance == doctest::Approx(0.04 * 0.04 + 0.2 * 0.2));
  m.families.push_back(family({100}, {0.3}));
  m.settle();
  CHECK(m.unseen.mean > m.mean);
  CHECK(m.unseen.mean < 0.3);
  CHECK(m.unseen.variance < 0.04 * 0.04);
}

TEST_CASE("a family's own runs count more than those of others, and more runs narrow") {
  ErrorModel m = model();
  m.families = {family({3}, {0.2}), family({50}, {-0.2})};
  m.families[1].generation = "ampere";
  m.settle();
  const ErrorFamily& hopper = m.families[0];
  CHECK(hopper.known.mean > 0.1);
  CHECK(hopper.known.mean < 0.2);
  CHECK(hopper.outlook.mean == 0);  // published runs move no plan
  CHECK(hopper.outlook.sd > std::fabs(hopper.known.mean));
  CHECK(hopper.outlook.runs == 3);
  const double before = hopper.known.variance;
  m.families[0].runs = {30};
  m.settle();
  CHECK(m.families[0].known.variance < before);
}

TEST_CASE("operators that are little known leave a family less known, until its groups say its mean") {
  ErrorModel m = model();
  m.operators = 1;
  m.known_operators = 0.08;
  const auto variance = [&m](std::vector<int64_t> runs, double operators) {
    m.families = {family(runs, std::vector<double>(runs.size(), 0))};
    m.families[0].operators = operators;
    m.settle();
    return m.families[0].known.variance;
  };
  CHECK(variance({1}, 0.06) == variance({1}, 0.08));
  const double prior = 0.04 * 0.04 + 0.1 * 0.1, beyond = 0.17 * 0.17 - 0.08 * 0.08, run = 0.02 * 0.02 + 0.05 * 0.05;
  CHECK(variance({1}, 0.08) == doctest::Approx(1 / (1 / prior + 1 / run)));
  CHECK(variance({1}, 0.17) == doctest::Approx(1 / (1 / (prior + beyond) + 1 / run)));
  const std::vector<int64_t> many(50, 1);
  CHECK(variance(many, 0.17) == doctest::Approx(variance(many, 0.08)).epsilon(0.01));
}

TEST_CASE("peaks of memory: groups inform their family, and those of a stand-in as little as families do") {
  planner::PeakErrors p{.family = 0.1, .group = 0.05, .run = 0.04, .families = {}};
  const planner::PeakFamily none = p.known({.runs = {}, .means = {}, .run = 0.04});
  CHECK(none.mean == 0);
  CHECK(none.sd == doctest::Approx(std::sqrt(0.1 * 0.1 + 0.05 * 0.05 + 0.04 * 0.04)));
  const planner::PeakFamily two{.runs = {4, 4}, .means = {0.2, 0.4}, .run = 0.03};
  const double of_group = 0.05 * 0.05 + 0.04 * 0.04 / 4, left = 1 / (1 / (0.1 * 0.1) + 2 / of_group);
  const planner::PeakFamily known = p.known(two);
  CHECK(known.mean == doctest::Approx(left * (0.2 + 0.4) / of_group));
  CHECK(known.sd == doctest::Approx(std::sqrt(left + 0.05 * 0.05 + 0.03 * 0.03)));
  p.stands_in = true;
  CHECK(p.known(two).mean < known.mean);
  CHECK(p.known(two).sd > known.sd);
}

TEST_CASE("peaks of memory: what was cached is needed by half on average, and what was saved is not given back") {
  const planner::PeakErrors p{.family = 0.1, .group = 0.05, .run = 0.04, .families = {}};
  const auto known = [&](double mean, bool cached) {
    return p.known({.runs = {4}, .means = {mean}, .run = 0.04, .cached = cached});
  };
  const planner::PeakFamily allocated = known(0.3, false), reserved = known(0.3, true);
  CHECK(reserved.mean == doctest::Approx(allocated.mean / 2));
  CHECK(reserved.sd * reserved.sd ==
        doctest::Approx(allocated.sd * allocated.sd + allocated.mean * allocated.mean / 12));
  CHECK(known(-0.3, true).mean == known(-0.3, false).mean);
  CHECK(known(-0.3, true).sd == known(-0.3, false).sd);
}

TEST_CASE("classes whose runs scatter more widen, each by its own factor") {
  ErrorModel m = model();
  m.generations = {{"hopper", 2}};
  m.kinds = {{JobKind::experts, 3}};
  m.widths = {{8, 0.5}};
  CHECK(m.scatter_of("hopper", JobKind::experts, 8) == 3);
  CHECK(m.scatter_of("hopper", JobKind::dense, 16) == 2);
  CHECK(m.scatter_of("ampere", JobKind::experts, 16) == 3);
  CHECK(m.scatter_of("ampere", JobKind::adapters, 4) == 1);
  m.families = {family({8}, {0})};
  m.mean = 0;
  m.settle();
  const double wide = m.families[0].outlook.sd;
  m.generations.clear();
  m.settle();
  CHECK(m.families[0].outlook.sd < wide);
}

TEST_CASE("few runs leave doubt about their scatter") {
  ErrorModel m = model();
  m.doubt = 0.5;
  const KnownMean known{0, 0.01};
  const double sd = std::sqrt(0.01 + 0.02 * 0.02 + 0.05 * 0.05);
  for (const int64_t runs : {0, 1, 4, 99})
    CHECK(planner::outlook_of(m, known, 1, runs).sd == doctest::Approx(sd * (1 + 0.5 / (1.0 + runs))));
}

TEST_CASE("a family strays whose sources agree that it does, each of them one witness") {
  struct Row {
    std::vector<int64_t> runs;
    std::vector<double> means;
    bool stands_in;
    double moved;  // groups g_i of variance v around 0 of variance 0.2^2, v = 0.1^2 + 0.05^2 / runs
  };
  const Row rows[] = {
      {{1}, {0.4}, false, 0.4 * 0.04 / (0.04 + 0.0125)},
      {{1}, {-0.4}, false, -0.4 * 0.04 / (0.04 + 0.0125)},
      {{1}, {0.15}, false, 0},
      {{1000}, {0.15}, false, 0},  // of one source: one witness
      {{1, 1}, {0.15, 0.15}, false, 0},
      {{1000, 1000}, {0.15, 0.15}, false, 0},
      {{1, 1}, {0.25, 0.25}, false, 0.25 * 0.04 / (0.04 + 0.0125 / 2)},
      {{1, 1, 1}, {0, 0, 0.6}, false, 0},  // sources that differ say less
      {{1, 1, 1}, {0.2, 0.2, 0.2}, false, 0.2 * 0.04 / (0.04 + 0.0125 / 3)},
      {{1}, {0.4}, true, 0},  // groups of a stand-in are other programs
      {{}, {}, false, 0},
  };
  for (const Row& row : rows) {
    ErrorModel m = model();
    m.families = {family(row.runs, row.means)};
    m.settle();
    const planner::ErrorOutlook still = m.families[0].outlook;
    CHECK(still.mean == 0);
    CHECK(!m.moves);
    m.strays = {.family = 0.2, .group = 0.1, .scatter = 0};
    m.memory.stands_in = row.stands_in;
    m.settle();
    CAPTURE(row.runs.size());
    CHECK(m.families[0].outlook.mean == doctest::Approx(row.moved));
    CHECK(m.moves == (row.moved != 0));
    if (row.moved == 0) CHECK(m.families[0].outlook.sd == still.sd);
    else CHECK(m.families[0].outlook.sd < still.sd);
  }
}

TEST_CASE("runs of one's own pull towards themselves, the more of them the closer") {
  ErrorModel m = model();
  m.machine = 0.1;
  OwnRuns own{.generation = "hopper", .runs = 1, .mean = 0.5};
  double before = 0, sd = 1;
  for (const int64_t runs : {1, 2, 4, 1000}) {
    own.runs = runs;
    const planner::ErrorOutlook with = planner::outlook_beside(m, {0, 0.01}, 1, own);
    CHECK(with.mean > before);
    CHECK(with.mean < 0.5);
    CHECK(with.sd < sd);
    CHECK(with.runs == runs);
    before = with.mean, sd = with.sd;
  }
  CHECK(before == doctest::Approx(0.5).epsilon(0.01));
  CHECK(sd == doctest::Approx(m.run).epsilon(0.01));
}

TEST_CASE("a run lies as far outside as its sizes are doublings beyond those shown") {
  ErrorFamily f = family({1}, {0});
  CHECK(planner::distance({64, 1, 1, 1}, f) == 0);  // nothing is shown: nothing is outside
  planner::widen(f, {8, 1, 2, 1});
  planner::widen(f, {64, 4, 8, 10});
  struct Row {
    planner::RunSize run;
    double expected;
  };
  const Row rows[] = {
      {{8, 1, 2, 1}, 0},     {{64, 4, 8, 10}, 0},  {{32, 2, 4, 5}, 0}, {{128, 2, 4, 5}, 1},
      {{4, 2, 4, 5}, 1},     {{512, 2, 4, 5}, 3},  {{64, 8, 4, 5}, 1}, {{64, 4, 1, 5}, 1},
      {{64, 4, 4, 0.25}, 2}, {{512, 64, 4, 5}, 5},  // hypot(3, 4)
  };
  for (const Row& row : rows) CHECK(planner::distance(row.run, f) == doctest::Approx(row.expected));
}
