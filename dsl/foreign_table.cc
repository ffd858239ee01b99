#include "dsl/foreign_table.h"

#include <algorithm>

namespace dsl {
namespace {

constexpr const char* kNsys = "`nsys export --type sqlite REPORT.nsys-rep` writes a profile that is read";
constexpr const char* kNcu = "it times one kernel after the other; a profile of `nsys` or of torch.profiler has a step";
constexpr const char* kRocm = "torch.profiler's `export_chrome_trace` writes a trace that is read, on ROCm too";
constexpr ForeignTable kTables[] = {{"Start (ns),Duration (ns)", "a table of `nsys stats`", kNsys},
                                    {"Time (%),Total Time (ns)", "a table of `nsys stats`", kNsys},
                                    {"Generating SQLite file", "the output of `nsys stats`", kNsys},
                                    {"==PROF==", "the output of Nsight Compute", kNcu},
                                    {"\"ID\",", "a table of Nsight Compute", kNcu},
                                    {"\"Kind\",\"Agent_Id\"", "a table of rocprofv3", kRocm},
                                    {"\"Name\",\"Calls\"", "a table of rocprof", kRocm},
                                    {"\"Index\",\"KernelName\"", "a table of rocprof", kRocm},
                                    {"Index,KernelName", "a table of rocprof", kRocm}};

}  // namespace

const ForeignTable* find_foreign_table(std::string_view text) {
  const auto* const table =
      std::ranges::find_if(kTables, [&](const ForeignTable& each) { return text.starts_with(each.head); });
  return table == std::end(kTables) ? nullptr : table;
}

}  // namespace dsl
