#include "cli/pages/diagnostics_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/report/row_fields.h"
#include "dsl/quoting.h"

namespace cli {
namespace {

RowFields<planner::Assertion> assertion_fields() {
  using planner::Assertion;
  RowFields<Assertion> fields{
      {"condition", &Assertion::condition}, {"holds", &Assertion::holds}, {"why", or_null(&Assertion::why)}};
  fields.add_all(place_fields(&Assertion::place));
  return fields;
}

/// The line that has the mistake: which of several --set it is. Null without a place.
Data line_of(const dsl::Diagnostic& d) {
  constexpr size_t kMostText = 240;  // bytes: of a file on one line, not all of it
  return d.span.source ? Data(dsl::printable(dsl::line_at(d.span).substr(0, kMostText))) : Data();
}

}  // namespace

Report diagnostics_report(const dsl::Diagnostics& diagnostics) {
  using dsl::Diagnostic;
  RowFields<Diagnostic> fields(place_fields(&Diagnostic::span));
  fields.add({"severity", [](auto& d) { return d.severity == dsl::Severity::error ? "error" : "warning"; }});
  fields.add({"message", &Diagnostic::message});
  fields.add({"hint", &Diagnostic::hint});
  fields.add({"text", line_of});
  return rows_report("trainplan.diagnostics/1", "diagnostics", fields.table(diagnostics.list));
}

void add_assertions(const std::vector<planner::Assertion>& assertions, Report& report) {
  if (assertions.empty()) return;
  const auto held = std::ranges::count(assertions, true, &planner::Assertion::holds);
  if (!report.text.empty()) report.text.emplace_back(fmt::format("assertions: {} of {} hold", held, assertions.size()));
  add_member(report, "assertions", assertion_fields().list(assertions));
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
