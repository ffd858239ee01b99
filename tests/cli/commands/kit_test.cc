// trainplan calibrate --kit: the files in the binary are those of the sources, and none is overwritten.
#include "cli/commands/kit.h"

#include <doctest/doctest.h>

#include <iterator>
#include <sstream>

#include "tests/cli/sample_files.h"
#include "tests/dsl/folder.h"

namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

struct Written {
  int status = 0;
  std::string out;
  std::vector<dsl::Diagnostic> diagnostics;
};

Written written(const std::string& directory) {
  std::istringstream in;
  std::ostringstream out, err;
  cli::Streams streams{.in = in, .out = out, .err = err};
  cli::Session session;
  const int status = cli::write_kit(directory, streams, session);
  CHECK(err.str() == "");
  return {status, out.str(), session.diagnostics.list};
}

}  // namespace

TEST_CASE("the kit is written byte for byte, into directories that are made") {
  const TestFolder folder;
  const fs::path kit = folder.path / "a" / "kit";
  const Written w = written(kit.string());
  CHECK(w.status == cli::kDone);
  CHECK(w.diagnostics.empty());
  int files = 0;
  for (const auto& entry : fs::directory_iterator(TRAINPLAN_SOURCE_DIR "/operator_models/kit")) {
    if (!entry.is_regular_file()) continue;
    CHECK_MESSAGE(read(kit / entry.path().filename()) == read(entry.path()), entry.path().string());
    ++files;
  }
  CHECK(files == static_cast<int>(cli::kit_files().size()));
  CHECK(fs::exists(kit / "measure.py"));
  CHECK(fs::exists(kit / "README.md"));
}

TEST_CASE("the commands name the tables where they will lie") {
  const TestFolder folder;
  const Written w = written(folder.name());
  for (const char* kind : {"gemm", "attention", "vector", "lookup", "collective"})
    CHECK(holds(w.out,
                "trainplan calibrate " + std::string(kind) + " " + folder.name() + "/" + kind + ".csv --gpu NAME\n"));
  CHECK(holds(w.out, "--quantum 16 --truth " + folder.name() + "/lstm.csv\n"));
  CHECK(holds(w.out, "python3 measure.py"));
  CHECK(holds(w.out, "torchrun --nproc-per-node GPUS measure.py --only collective\n"));
}

TEST_CASE("a file that is there stays as it is, and no other is written") {
  const TestFolder folder;
  folder.add("measure.py", "mine");
  const Written w = written(folder.name());
  CHECK(w.status == cli::kInvalidInput);
  CHECK(w.out == "");
  REQUIRE(w.diagnostics.size() == 1);
  CHECK(w.diagnostics[0].message == "'" + folder.name() + "/measure.py' is there already");
  CHECK(holds(w.diagnostics[0].hint, "new directory"));
  CHECK(read(folder.path / "measure.py") == "mine");
  CHECK(!fs::exists(folder.path / "README.md"));
}

TEST_CASE("a dangling link is not written through") {
  const TestFolder folder;
  fs::create_symlink(folder.path / "elsewhere", folder.path / "README.md");
  CHECK(written(folder.name()).status == cli::kInvalidInput);
  CHECK(!fs::exists(folder.path / "elsewhere"));
}

TEST_CASE("a directory that cannot be made is said") {
  const TestFolder folder;
  for (const std::string& name : {folder.add("file", ""), folder.name() + "/file/below"}) {
    const Written w = written(name);
    CHECK(w.status == cli::kInvalidInput);
    REQUIRE(w.diagnostics.size() == 1);
    CHECK(holds(w.diagnostics[0].message, "cannot make the directory '" + name + "': "));
  }
}
