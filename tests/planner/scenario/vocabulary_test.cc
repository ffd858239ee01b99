// The names that others have for ours: each leads to something that a scenario has.
#include "planner/scenario/vocabulary.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

#include "dsl/catalog.h"
#include "planner/plan/results.h"
#include "planner/scenario/scenario.h"

namespace {

const dsl::Field* field_at(std::string_view path) {
  const auto& schema = planner::scenario_schema();
  const auto row = std::ranges::find(schema, path, &dsl::Field::path);
  return row == schema.end() ? nullptr : &*row;
}

bool is_section(std::string_view path) {
  const std::string inside = std::string(path) + ".";
  return std::ranges::any_of(planner::scenario_schema(),
                             [&](const dsl::Field& f) { return f.path.starts_with(inside); });
}

}  // namespace

TEST_CASE("what another name means is a field, a section or a result") {
  for (const dsl::OtherName& row : planner::vocabulary().other_names) {
    if (!row.of.empty()) continue;
    INFO(std::string(row.said));
    CHECK((field_at(row.meant) || is_section(row.meant) || planner::find_result(row.meant)));
  }
}

TEST_CASE("what another word means is a word or a number of its field") {
  for (const dsl::OtherName& row : planner::vocabulary().other_names) {
    if (row.of.empty()) continue;
    INFO(std::string(row.of), ": ", std::string(row.said));
    const dsl::Field* field = field_at(row.of);
    if (row.of.ends_with(".use")) {  // names of entries
      CHECK(is_section(row.of.substr(0, row.of.rfind('.'))));
      continue;
    }
    CHECK((field || is_section(row.of)));
    if (!field) continue;
    const bool is_word = std::ranges::find(field->words, row.meant) != field->words.end();
    CHECK((field->type == dsl::Type::word ? is_word : row.meant.find_first_not_of("0123456789") == row.meant.npos));
    for (const std::string_view said : dsl::names_in(row.said))
      CHECK(std::ranges::find(field->words, said) == field->words.end());
  }
}

TEST_CASE("another name is none of ours in its place, is in small letters, and has one row") {
  std::set<std::pair<std::string_view, std::string_view>> rows;
  for (const dsl::OtherName& row : planner::vocabulary().other_names) {
    for (const std::string_view said : dsl::names_in(row.said)) {
      INFO(std::string(said));
      CHECK(rows.emplace(said, row.of).second);
      CHECK(std::ranges::none_of(said, [](char c) { return (c >= 'A' && c <= 'Z') || c == '-'; }));
      if (row.of.empty()) CHECK(!planner::find_result(said));
    }
  }
}

TEST_CASE("another name of an entry leads to one of the catalogue, and is none of its names itself") {
  const dsl::Catalog catalog{planner::builtin_catalog(), {}};
  for (const dsl::EntryAlias& row : planner::vocabulary().aliases) {
    INFO(std::string(row.kind), ": ", std::string(row.said));
    const std::vector<std::string> names = dsl::catalog_names(catalog, row.kind);
    CHECK(std::ranges::count(names, row.name) == 1);
    for (const std::string_view said : dsl::names_in(row.said)) {
      CHECK(std::ranges::count(names, said) == 0);
      CHECK(planner::vocabulary().entry_of(row.kind, said) == row.name);
    }
  }
}

TEST_CASE("another name is found whatever its case and dashes") {
  const dsl::Vocabulary& words = planner::vocabulary();
  for (const char* said : {"batch_size", "Batch_Size", "batch-size", "BATCH-SIZE"}) {
    INFO(std::string(said));
    REQUIRE(words.other_name(said));
    CHECK(words.other_name(said)->meant == "job.global_batch");
  }
  CHECK(!words.other_name("no_such_name"));
  CHECK(words.other_word("cpu", "parallelism.offload")->meant == "{optimizer: 1}");
  CHECK(!words.other_word("cpu", "job.precision"));
  CHECK(!words.other_name("cpu"));
}
