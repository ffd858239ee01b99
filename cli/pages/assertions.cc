#include "cli/pages/assertions.h"

#include <fmt/format.h>

#include <algorithm>

namespace cli {
namespace {

Data data_of(const std::vector<planner::Assertion>& assertions) {
  Data::List list;
  for (const planner::Assertion& a : assertions) {
    Data::Object row{{"condition", a.condition}, {"holds", a.holds}};
    row.push_back({"why", a.why.empty() ? Data() : Data(a.why)});
    row.push_back({"file", a.place.source ? Data(a.place.source->name) : Data()});
    row.push_back({"line", static_cast<int64_t>(a.place.line)});
    row.push_back({"column", static_cast<int64_t>(a.place.column)});
    list.push_back(std::move(row));
  }
  return list;
}

}  // namespace

void add_assertions(const std::vector<planner::Assertion>& assertions, Report& report) {
  if (assertions.empty()) return;
  const auto held = std::ranges::count(assertions, true, &planner::Assertion::holds);
  if (!report.text.empty()) report.text.emplace_back(fmt::format("assertions: {} of {} hold", held, assertions.size()));
  Data data = data_of(assertions);
  if (!report.complete) return report.document.push_back({"assertions", std::move(data)});
  report.complete = [before = std::move(report.complete), data = std::move(data)](Report& r) {
    before(r);
    r.document.push_back({"assertions", data});
  };
}

dsl::Diagnostics failed_assertions(const std::vector<planner::Assertion>& assertions) {
  dsl::Diagnostics failed;
  for (const planner::Assertion& a : assertions)
    if (!a.holds)
      failed.error(a.place,
                   fmt::format("the assertion '{}' does not hold{}", a.condition, a.why.empty() ? "" : ": " + a.why));
  return failed;
}

}  // namespace cli
