#include "planner/studies/whatif/compare.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "planner/plan/plan.h"
#include "planner/studies/whatif/differing.h"

namespace planner {
namespace {

/// What a scenario comes to.
struct Worth {
  bool stands = false;  // the layout works
  double seconds = 0;
  std::optional<double> usd;
};

Worth worth(const Scenario& s) {
  if (broken_layout_rule(s)) return {};
  const Plan plan = make_unchecked_plan(s);
  return {std::isfinite(plan.step->seconds), plan.step->seconds, plan.cost->usd};
}

/// One end and the way from it to the other.
struct DifferenceWay {
  const LoadedScenario &from, &to;
  Worth start, end;
  std::vector<Worth> after = {};  // i units moved
};

/// Between the ends every scenario must have what both of them have.
bool passable(const Worth& between, const DifferenceWay& way) {
  return between.stands && (between.usd || !way.start.usd || !way.end.usd);
}

/// The first end, together with the fitted models of the other end.
Scenario beginning(const DifferenceWay& way) {
  Scenario s = way.from.scenario;
  s.fitted.insert(way.to.scenario.fitted.begin(), way.to.scenario.fitted.end());
  return s;
}

bool moves_alone(const DifferenceUnit& unit, const DifferenceWay& way) {
  Scenario s = beginning(way);
  unit.take(s, way.to);
  return passable(worth(s), way);
}

void walk(const std::vector<DifferenceUnit>& units, DifferenceWay& way) {
  Scenario s = beginning(way);
  way.after = {way.start};
  for (size_t i = 0; i + 1 < units.size(); ++i) {
    units[i].take(s, way.to);
    way.after.push_back(worth(s));
  }
  way.after.push_back(way.end);
}

std::string joined(const std::vector<DifferenceUnit>& units, size_t begin, size_t end,
                   std::string DifferenceUnit::*member, const char* between) {
  std::string text;
  for (size_t i = begin; i < end; ++i) text += (i == begin ? "" : between) + units[i].*member;
  return text;
}

/// Units [begin, end) moved at once.
Difference difference(const std::vector<DifferenceUnit>& units, size_t begin, size_t end, const DifferenceWay& there,
                      const DifferenceWay& back) {
  Difference d{.cause = joined(units, begin, end, &DifferenceUnit::cause, " + "),
               .a = joined(units, begin, end, &DifferenceUnit::a, ", "),
               .b = joined(units, begin, end, &DifferenceUnit::b, ", ")};
  const auto mean = [](double forth, double back_again) { return 0.5 * (forth + back_again); };
  d.seconds =
      mean(there.after[end].seconds - there.after[begin].seconds, back.after[begin].seconds - back.after[end].seconds);
  if (there.start.usd && there.end.usd)
    d.usd = mean(*there.after[end].usd - *there.after[begin].usd, *back.after[begin].usd - *back.after[end].usd);
  return d;
}

double sum(const std::vector<double>& x) { return std::accumulate(x.begin(), x.end(), 0.0); }

/// Lets one of the numbers, the last that can, take up what rounding left between their sum and the total. Returns what
/// none could.
double add_up_to(std::vector<double>& x, double total) {
  for (size_t i = x.size(); i-- > 0 && sum(x) != total;) {
    if (x[i] == 0) continue;
    const double own = std::exchange(x[i], 0);
    x[i] = total - sum(x);
    if (sum(x) != total) x[i] = own;
  }
  return total - sum(x);
}

void add_up_all(std::vector<Difference>& rows, const Worth& a, const Worth& b) {
  std::vector<double> seconds, usd;
  for (const Difference& d : rows) seconds.push_back(d.seconds), usd.push_back(d.usd.value_or(0));
  const bool priced = a.usd && b.usd;
  const double seconds_left = add_up_to(seconds, b.seconds - a.seconds);
  const double usd_left = priced ? add_up_to(usd, *b.usd - *a.usd) : 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    rows[i].seconds = seconds[i];
    if (priced) rows[i].usd = usd[i];
  }
  if (seconds_left == 0 && usd_left == 0) return;
  rows.push_back({.cause = "rounding", .a = "-", .b = "-", .seconds = seconds_left});
  if (priced) rows.back().usd = usd_left;
}

}  // namespace

std::vector<Difference> compare(const LoadedScenario& a, const LoadedScenario& b) {
  const Worth of_a = worth(a.scenario), of_b = worth(b.scenario);
  std::vector<DifferenceUnit> units = differing(a, b);
  if (units.empty() || !of_a.stands || !of_b.stands) return {};
  DifferenceWay there{a, b, of_a, of_b}, back{b, a, of_b, of_a};
  // What cannot move alone stands side by side, so that few others are drawn into its row.
  std::stable_partition(units.begin(), units.end(), [&](const DifferenceUnit& unit) {
    return !moves_alone(unit, there) || !moves_alone(unit, back);
  });
  walk(units, there);
  walk(units, back);
  std::vector<Difference> rows;
  for (size_t begin = 0, end = 1; end <= units.size(); ++end) {
    if (!passable(there.after[end], there) || !passable(back.after[end], back)) continue;
    rows.push_back(difference(units, begin, end, there, back));
    begin = end;
  }
  add_up_all(rows, of_a, of_b);
  return rows;
}

}  // namespace planner
