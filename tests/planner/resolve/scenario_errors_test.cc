// Every tests/errors/scenario/NAME.yaml, a scenario with what users write in their first hour, gives exactly the
// messages in NAME.expected, and what their hints propose helps when it is typed.
#include <doctest/doctest.h>

#include "planner/plan/goals.h"
#include "planner/plan/plan.h"
#include "planner/resolve/read.h"
#include "tests/error_files.h"
#include "tests/proposals.h"

namespace {

namespace fs = std::filesystem;

/// A text as `check` reads it.
struct Checked {
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;

  explicit Checked(const std::string& text, const std::string& name = "a.yaml",
                   const std::vector<std::string>& sets = {}) {
    const dsl::Source& source = sources.emplace_back(dsl::Source{name, text, ""});
    std::vector<dsl::Override> overrides;
    for (const std::string& set : sets) overrides.push_back({set});
    const dsl::Catalog catalog{planner::builtin_catalog(), {}};
    const auto loaded = planner::read_scenario(source, overrides, catalog, sources, diagnostics, {.pick_first = true});
    if (!loaded) return;
    planner::Plan plan = planner::make_plan(loaded->scenario);
    planner::check_goals(plan, *loaded, diagnostics);
  }
  std::string messages() const {
    std::string out;
    for (const dsl::Diagnostic& d : diagnostics.list) out += dsl::render(d);
    return out;
  }
};

std::string messages(const fs::path& file) {
  return Checked(error_files::read(file), file.filename().string()).messages();
}

std::vector<proposals::Told> told(const std::string& text, const std::vector<std::string>& overrides) {
  const Checked checked(text, "a.yaml", overrides);
  return proposals::told_in(checked.sources[0], checked.diagnostics);
}

}  // namespace

TEST_CASE("every scenario with a mistake of users gives exactly its messages") {
  const std::vector<fs::path> files = error_files::in("scenario");
  CHECK(files.size() >= 120);
  for (const fs::path& file : files) {
    INFO(file.filename().string());
    CHECK(messages(file) == error_files::read(error_files::expected(file)));
  }
}

TEST_CASE("every scenario with a mistake of users is told what to do about it, and that helps") {
  for (const fs::path& file : error_files::in("scenario")) {
    INFO(file.filename().string());
    const std::string text = error_files::read(file);
    const Checked checked(text);
    REQUIRE(!checked.diagnostics.list.empty());
    CHECK(checked.diagnostics.list[0].hint != "");
    CHECK(proposals::failure(text, told) == "");
  }
}

// Run with: trainplan_tests --no-skip --test-case='*writes the expected messages*'; read the difference.
TEST_CASE("writes the expected messages of users' mistakes anew" * doctest::skip()) {
  for (const fs::path& file : error_files::in("scenario")) error_files::write(file, messages(file));
}
