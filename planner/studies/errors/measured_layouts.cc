#include "planner/studies/errors/measured_layouts.h"

#include <algorithm>
#include <cmath>

#include "planner/plan/layout_traits.h"

namespace planner {
namespace {

bool are_alike(const Parallelism& a, const Parallelism& b) {
  return std::ranges::all_of(layout_traits().subspan(1), [&](const LayoutTrait& t) { return t.apart(a, b) == 0; });
}

}  // namespace

void MeasuredLayout::add(const ErrorRow& row) {
  const double share = 1 / ++runs, seconds = std::log(row.size.step_seconds);
  ratio += share * (row.shipped - ratio);
  planned += share * (seconds - planned);
  measured += share * (seconds + row.shipped - measured);
}

std::map<std::string, Layouts> layouts_of_jobs(const std::vector<ErrorRow>& rows) {
  std::map<std::string, Layouts> jobs;
  for (const ErrorRow& row : rows) {
    Layouts& layouts = jobs[row.job];
    auto at = std::ranges::find_if(layouts, [&](const auto& l) { return are_alike(*l.layout, row.layout); });
    if (at == layouts.end()) at = layouts.insert(at, {.layout = &row.layout});
    at->add(row);
  }
  return jobs;
}

}  // namespace planner
