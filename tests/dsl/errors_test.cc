// Every tests/errors/NAME.yaml gives exactly the messages in NAME.expected.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>

#include "tests/dsl/sample.h"

namespace {

namespace fs = std::filesystem;

std::string read(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

std::vector<fs::path> bad_files() {
  std::set<fs::path> files;
  for (const auto& entry : fs::directory_iterator(fs::canonical(TRAINPLAN_SOURCE_DIR) / "tests/errors"))
    if (entry.path().extension() == ".yaml") files.insert(entry.path());
  return {files.begin(), files.end()};
}

std::string messages(const fs::path& file) {
  const std::string directory = file.parent_path().string();
  std::string out = sample::Run(read(file), {}, sample::options(), file.filename().string(), directory).errors();
  for (size_t at; (at = out.find(directory + "/")) != std::string::npos;) out.erase(at, directory.size() + 1);
  return out;
}

fs::path expected(fs::path file) { return file.replace_extension(".expected"); }

}  // namespace

TEST_CASE("every file of bad input gives exactly its messages") {
  const std::vector<fs::path> files = bad_files();
  CHECK(files.size() >= 60);
  for (const fs::path& file : files) {
    INFO(file.filename().string());
    CHECK(messages(file) == read(expected(file)));
  }
}

TEST_CASE("every file of bad input is told at a place, and no message is told twice") {
  for (const fs::path& file : bad_files()) {
    INFO(file.filename().string());
    sample::Run run(read(file), {}, sample::options(), file.filename().string(), file.parent_path().string());
    CHECK(run.diagnostics.has_errors());
    std::set<std::string> told;
    for (const dsl::Diagnostic& d : run.diagnostics.list) {
      REQUIRE(d.span.source);
      CHECK(d.span.line >= 1);
      CHECK(d.span.column >= 1);
      CHECK(told.insert(dsl::render(d)).second);
    }
  }
}

// Run with: trainplan_tests --no-skip --test-case='*writes the expected messages*'; read the difference.
TEST_CASE("writes the expected messages of bad input anew" * doctest::skip()) {
  for (const fs::path& file : bad_files()) std::ofstream(expected(file), std::ios::binary) << messages(file);
}
