// libFuzzer: any text as a log of nccl-tests. It must end in a table whose rows are as long as its header, each with
// a number of ranks, or in messages with places.
#include <cstdint>
#include <cstdlib>

#include "operator_models/calibrate/nccl_log.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const dsl::Source source{"all_gather_N2_G8.log", std::string(reinterpret_cast<const char*>(data), size), ""};
  dsl::Diagnostics diagnostics;
  const dsl::CsvTable table = operator_models::read_nccl_log(source, diagnostics);
  for (const auto& row : table.rows) {
    if (row.size() != table.header.size()) std::abort();
    if (!diagnostics.has_errors() && (row[0].text.empty() || row[1].text.empty())) std::abort();
  }
  for (const dsl::Diagnostic& d : diagnostics.list)
    if (!d.span.source || d.span.line < 1 || d.span.column < 1) std::abort();
  return 0;
}
