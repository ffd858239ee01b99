// libFuzzer: any text as a log of nccl-tests. It must end in a table whose rows are as long as its header, each with
// a number of ranks, or in messages with places.

#include "operator_models/calibrate/nccl_log.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const dsl::Source source{"all_gather_N2_G8.log", fuzz::text_of(data, size), ""};
  dsl::Diagnostics diagnostics;
  const dsl::CsvTable table = operator_models::read_nccl_log(source, diagnostics);
  for (const auto& row : table.rows) {
    if (row.size() != table.header.size()) std::abort();
    if (!diagnostics.has_errors() && (row[0].text.empty() || row[1].text.empty())) std::abort();
  }
  fuzz::require_places(diagnostics);
  return 0;
}
