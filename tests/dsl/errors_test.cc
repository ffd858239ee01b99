// Every tests/errors/NAME.yaml gives exactly the messages in NAME.expected.
#include <doctest/doctest.h>

#include <set>

#include "tests/dsl/sample.h"
#include "tests/error_files.h"
#include "tests/proposals.h"

namespace {

namespace fs = std::filesystem;

std::string messages(const fs::path& file) {
  const std::string directory = file.parent_path().string();
  std::string out =
      sample::Run(error_files::read(file), {}, sample::options(), file.filename().string(), directory).errors();
  for (size_t at; (at = out.find(directory + "/")) != std::string::npos;) out.erase(at, directory.size() + 1);
  return out;
}

std::vector<proposals::Told> told(const std::string& text, const std::vector<std::string>& sets) {
  std::vector<dsl::Override> overrides;
  for (const std::string& set : sets) overrides.push_back({set});
  const sample::Run run(text, overrides);
  return proposals::told_in(run.sources[0], run.diagnostics);
}

}  // namespace

TEST_CASE("every file of bad input gives exactly its messages") {
  const std::vector<fs::path> files = error_files::in("");
  CHECK(files.size() >= 60);
  for (const fs::path& file : files) {
    INFO(file.filename().string());
    CHECK(messages(file) == error_files::read(error_files::expected(file)));
  }
}

TEST_CASE("every file of bad input is told at a place, and no message is told twice") {
  for (const fs::path& file : error_files::in("")) {
    INFO(file.filename().string());
    sample::Run run(error_files::read(file), {}, sample::options(), file.filename().string(),
                    file.parent_path().string());
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

TEST_CASE("what the hint of a file of bad input proposes helps when it is typed") {
  for (const fs::path& file : error_files::in("")) {
    INFO(file.filename().string());
    CHECK(proposals::failure(error_files::read(file), told) == "");
  }
}

// Run with: trainplan_tests --no-skip --test-case='*writes the expected messages*'; read the difference.
TEST_CASE("writes the expected messages of bad input anew" * doctest::skip()) {
  for (const fs::path& file : error_files::in("")) error_files::write(file, messages(file));
}
