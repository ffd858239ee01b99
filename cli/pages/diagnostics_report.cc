#include "cli/pages/diagnostics_report.h"

#include "cli/report/row_fields.h"
#include "dsl/node.h"

namespace cli {
namespace {

Data place(int n) { return n > 0 ? Data(n) : Data(); }

}  // namespace

Report diagnostics_report(const dsl::Diagnostics& diagnostics) {
  using dsl::Diagnostic;
  const RowFields<Diagnostic> fields{
      {"file", [](const Diagnostic& d) { return d.span.source ? Data(d.span.source->name) : Data(); }},
      {"line", [](const Diagnostic& d) { return place(d.span.line); }},
      {"column", [](const Diagnostic& d) { return place(d.span.column); }},
      {"severity", [](const Diagnostic& d) { return d.severity == dsl::Severity::error ? "error" : "warning"; }},
      {"message", &Diagnostic::message},
      {"hint", &Diagnostic::hint}};
  return {.format = "trainplan.diagnostics/1",
          .document = {{"diagnostics", {}}},
          .key = "diagnostics",
          .table = fields.table(diagnostics.list)};
}

}  // namespace cli
