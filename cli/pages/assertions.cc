#include "cli/pages/assertions.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/report/row_fields.h"

namespace cli {
namespace {

RowFields<planner::Assertion> fields() {
  using planner::Assertion;
  return {{"condition", &Assertion::condition},
          {"holds", &Assertion::holds},
          {"why", or_null(&Assertion::why)},
          {"file", [](const Assertion& a) { return a.place.source ? Data(a.place.source->name) : Data(); }},
          {"line", [](const Assertion& a) { return a.place.line; }},
          {"column", [](const Assertion& a) { return a.place.column; }}};
}

}  // namespace

void add_assertions(const std::vector<planner::Assertion>& assertions, Report& report) {
  if (assertions.empty()) return;
  const auto held = std::ranges::count(assertions, true, &planner::Assertion::holds);
  if (!report.text.empty()) report.text.emplace_back(fmt::format("assertions: {} of {} hold", held, assertions.size()));
  Data data = fields().list(assertions);
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
