#include "cli/commands/kit.h"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

namespace cli {
namespace {

namespace fs = std::filesystem;

struct KitTable {
  const char *kind, *file;  // trainplan calibrate KIND FILE
};
constexpr KitTable kTables[] = {
    {"gemm", "gemm.csv"}, {"attention", "attention.csv"}, {"vector", "vector.csv"}, {"collective", "collective.csv"}};

bool make_directory(const fs::path& directory, dsl::Diagnostics& diagnostics) {
  std::error_code error;
  fs::create_directories(directory, error);
  if (!error && fs::is_directory(directory, error)) return true;
  const std::string why = error ? error.message() : "it is a file";
  diagnostics.error({}, fmt::format("cannot make the directory '{}': {}", directory.string(), why));
  return false;
}

/// What stands in the way is named before anything is written.
void check_free(const fs::path& directory, dsl::Diagnostics& diagnostics) {
  std::error_code error;
  for (const KitFile& file : kit_files())
    if (const fs::path path = directory / file.name; fs::exists(fs::symlink_status(path, error)))
      diagnostics.error({}, fmt::format("'{}' is there already", path.string()),
                        "give a new directory, or remove the file");
}

void write_file(const fs::path& path, std::string_view text, dsl::Diagnostics& diagnostics) {
  std::ofstream out(path, std::ios::binary);
  if (out.write(text.data(), static_cast<std::streamsize>(text.size())).flush()) return;
  diagnostics.error({}, fmt::format("cannot write '{}'", path.string()));
}

void print_commands(const std::string& directory, std::ostream& out) {
  out << fmt::format("The measurement kit is in {} (README.md says what it does).\n\n", directory);
  out << "On the machine to measure, with PyTorch 2.1 or newer:\n"
         "  python3 measure.py --quick   # a coarse grid; without --quick the full one\n"
         "  torchrun --nproc-per-node GPUS measure.py --only collective\n\n"
         "With its tables here, for each of them:\n";
  for (const KitTable& table : kTables)
    out << fmt::format("  trainplan calibrate {} {} --gpu NAME\n", table.kind,
                       (fs::path(directory) / table.file).string());
}

}  // namespace

int write_kit(const std::string& directory, Streams& streams, Session& session) {
  dsl::Diagnostics& diagnostics = session.diagnostics;
  if (!make_directory(directory, diagnostics)) return kInvalidInput;
  check_free(directory, diagnostics);
  if (diagnostics.has_errors()) return kInvalidInput;
  for (const KitFile& file : kit_files()) write_file(fs::path(directory) / file.name, file.text, diagnostics);
  if (diagnostics.has_errors()) return kInvalidInput;
  print_commands(directory, streams.out);
  return kDone;
}

}  // namespace cli
