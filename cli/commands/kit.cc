#include "cli/commands/kit.h"

#include <fmt/format.h>

#include <filesystem>

#include "cli/commands/whole_file.h"

namespace cli {
namespace {

namespace fs = std::filesystem;

struct KitTable {
  const char *kind, *file;  // trainplan calibrate KIND FILE
};
constexpr KitTable kTables[] = {{"gemm", "gemm.csv"},           {"concurrency", "concurrency.csv"},
                                {"attention", "attention.csv"}, {"vector", "vector.csv"},
                                {"lookup", "lookup.csv"},       {"collective", "collective.csv"}};

void print_commands(const std::string& directory, std::ostream& out) {
  out << fmt::format("The measurement kit is in {} (README.md says what it does).\n\n", directory);
  out << "On the machine to measure, with PyTorch 2.1 or newer:\n"
         "  python3 measure.py --quick   # a coarse grid; without --quick the full one\n"
         "  torchrun --nproc-per-node GPUS measure.py --only collective\n\n"
         "With its tables here, for each of them:\n";
  for (const KitTable& table : kTables)
    out << fmt::format("  trainplan calibrate {} {} --gpu NAME\n", table.kind,
                       (fs::path(directory) / table.file).string());
  out << fmt::format("  trainplan seqpoint LENGTHS --scenario SCENARIO --quantum 16 --truth {}\n",
                     (fs::path(directory) / "lstm.csv").string());
}

}  // namespace

int write_kit(const std::string& directory, Streams& streams, Session& session) {
  NewFiles files;
  for (const KitFile& file : kit_files()) files.emplace_back(file.name, file.text);
  write_new_files(directory, files, session.diagnostics);
  if (session.diagnostics.has_errors()) return kInvalidInput;
  print_commands(directory, streams.out);
  return kDone;
}

}  // namespace cli
