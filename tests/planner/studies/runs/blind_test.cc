// What a prediction of a measured run does not read.
#include <doctest/doctest.h>

#include <algorithm>
#include <fstream>
#include <random>
#include <sstream>

#include "planner/studies/runs/predict.h"

namespace {

const dsl::Catalog& catalog() {
  static const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
  return catalog;
}

dsl::CsvTable small_table() {
  static const dsl::Source source = [] {
    std::ifstream file(TRAINPLAN_SOURCE_DIR "/tests/accuracy/runs_small.csv");
    std::ostringstream text;
    text << file.rdbuf();
    return dsl::Source{"runs_small.csv", text.str(), ""};
  }();
  dsl::Diagnostics diagnostics;
  dsl::CsvTable table = dsl::read_csv(source, diagnostics);
  REQUIRE_FALSE(diagnostics.has_errors());
  return table;
}

bool is_config(const std::string& column) {
  auto columns = planner::config_columns();
  return std::any_of(columns.begin(), columns.end(), [&](const planner::ConfigColumn& c) { return c.name == column; });
}

/// Every column outside the configuration gets the cells of other rows, each column its own permutation.
void shuffle_labels(dsl::CsvTable& table, unsigned seed) {
  std::mt19937 random(seed);
  for (size_t c = 0; c < table.header.size(); ++c) {
    if (is_config(table.header[c].text)) continue;
    std::vector<size_t> order(table.rows.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::shuffle(order.begin(), order.end(), random);
    dsl::CsvTable before = table;
    for (size_t i = 0; i < order.size(); ++i) table.rows[i][c].text = before.rows[order[i]][c].text;
  }
}

std::vector<planner::Prediction> predictions(const dsl::CsvTable& table) {
  dsl::Diagnostics diagnostics;
  std::vector<planner::Prediction> out;
  for (const planner::Run& run : planner::read_runs(table, diagnostics))
    out.push_back(planner::predict(run.config, catalog()));
  REQUIRE_FALSE(diagnostics.has_errors());
  return out;
}

}  // namespace

TEST_CASE("a prediction reads none of id, source, group, quality, measured_*") {
  for (const char* column : {"id", "source", "group", "quality", "notes", "outlier", "memory_kind", "published_fields"})
    CHECK_FALSE(is_config(column));
  for (const planner::ConfigColumn& c : planner::config_columns()) {
    CHECK_FALSE(std::string(c.name).starts_with("measured_"));
    CHECK_FALSE(std::string(c.name).starts_with("check_"));
  }
  dsl::CsvTable table = small_table();
  const std::vector<planner::Prediction> before = predictions(table);
  const std::string first_id = table.rows[0][*table.column("id")].text;
  bool moved = false;
  for (unsigned seed : {1u, 2u}) {
    shuffle_labels(table, seed);
    moved = moved || table.rows[0][*table.column("id")].text != first_id;
    const std::vector<planner::Prediction> after = predictions(table);
    REQUIRE(after.size() == before.size());
    for (size_t i = 0; i < after.size(); ++i) {
      CHECK(after[i].skipped == before[i].skipped);
      CHECK(after[i].step.seconds == before[i].step.seconds);
      CHECK(after[i].device_bytes == before[i].device_bytes);
      CHECK(after[i].assumptions.size() == before[i].assumptions.size());
    }
  }
  CHECK(moved);
}
