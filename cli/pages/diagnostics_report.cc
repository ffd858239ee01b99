#include "cli/pages/diagnostics_report.h"

#include "dsl/node.h"

namespace cli {
namespace {

Data place(int n) { return n > 0 ? Data(n) : Data(); }

}  // namespace

Report diagnostics_report(const dsl::Diagnostics& diagnostics) {
  Report report{.format = "trainplan.diagnostics/1",
                .document = {{"diagnostics", {}}},
                .key = "diagnostics",
                .table = {},
                .text = {}};
  for (const char* name : {"file", "line", "column", "severity", "message", "hint"})
    report.table.columns.push_back({.name = name});
  for (const dsl::Diagnostic& d : diagnostics.list)
    report.table.rows.push_back({d.span.source ? Data(d.span.source->name) : Data(), place(d.span.line),
                                 place(d.span.column), d.severity == dsl::Severity::error ? "error" : "warning",
                                 d.message, d.hint});
  return report;
}

}  // namespace cli
