// Models of the catalogue, for tests.
#pragma once

#include <doctest/doctest.h>

#include <string>

#include "planner/scenario/model.h"
#include "planner/scenario/scenario.h"
#include "planner/scenario/vocabulary.h"

namespace sample {

/// A model of the catalogue, read as the `model:` of a scenario is.
inline planner::Model model_named(const std::string& name) {
  static const dsl::Schema schema = planner::model_schema();
  dsl::Source source{.name = "test.yaml", .text = "model: {use: " + name + "}\n", .directory = "/nonexistent"};
  dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  dsl::Node tree =
      dsl::load(source, {}, {{"model", "model"}, {"model.kinds[]", "layer"}}, catalog, sources, diagnostics);
  dsl::Record record = dsl::evaluate(tree, schema, {.vocabulary = planner::vocabulary()}, diagnostics);
  for (const dsl::Diagnostic& d : diagnostics.list) MESSAGE(dsl::render(d));
  REQUIRE_MESSAGE(!diagnostics.has_errors(), name);
  return dsl::bind<planner::Model>(record, "model.");
}

}  // namespace sample
