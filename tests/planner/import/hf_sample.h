// Configurations of Hugging Face, as files or as text, and the models that they become.
#pragma once

#include <doctest/doctest.h>

#include <filesystem>
#include <string>

#include "planner/import/hf.h"
#include "planner/resolve/read.h"
#include "planner/scenario/scenario.h"
#include "planner/scenario/vocabulary.h"
#include "tests/dsl/folder.h"

/// `model: {TEXT}` read from `directory`.
struct HfModel {
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  dsl::Schema schema = dsl::schema_of<planner::Model>("model.");
  dsl::Record record;

  explicit HfModel(const std::string& text,
                   const std::string& directory = TRAINPLAN_SOURCE_DIR "/tests/planner/import/hf") {
    const dsl::Source& source = sources.emplace_back(dsl::Source{"a.yaml", "model: {" + text + "}\n", directory});
    const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
    const dsl::Node tree = dsl::load(source, {}, planner::scenario_pulls(), catalog, sources, diagnostics);
    record = dsl::evaluate(tree, schema, {.vocabulary = planner::vocabulary()}, diagnostics);
  }
  HfModel(const HfModel&) = delete;

  planner::Model model() const {
    REQUIRE(!diagnostics.has_errors());
    return dsl::bind<planner::Model>(record, "model.");
  }
  std::string at(const std::string& field) const { return dsl::to_text(record.find("model." + field)->value); }
  /// "config.json:3:5: message" lines.
  std::string told() const {
    std::string out;
    for (const dsl::Diagnostic& d : diagnostics.list)
      out += std::filesystem::path(d.span.source->name).filename().string() + ":" + std::to_string(d.span.line) + ":" +
             std::to_string(d.span.column) + ": " + d.message + "\n";
    return out;
  }
};

/// Reads one configuration, given as text.
struct HfFolder {
  TestFolder folder;
  std::string directory;
  explicit HfFolder(const std::string& text) : directory(folder.name()) { folder.add("config.json", text); }
};

/// A configuration, given as text, as the tree that `import hf` prints.
struct HfTree {
  dsl::Source source;
  dsl::Diagnostics diagnostics;
  dsl::Node model;

  explicit HfTree(const std::string& text) : source{"config.json", text, "."} {
    model = planner::convert_hf(dsl::parse_json(source, diagnostics), diagnostics);
  }
  HfTree(const HfTree&) = delete;

  /// "LINE:COLUMN error: MESSAGE; HINT", a line each.
  std::string told() const {
    std::string out;
    for (const dsl::Diagnostic& d : diagnostics.list) {
      out += std::to_string(d.span.line) + ":" + std::to_string(d.span.column);
      out += (d.severity == dsl::Severity::error ? " error: " : " warning: ") + d.message;
      out += (d.hint.empty() ? "" : "; " + d.hint) + "\n";
    }
    return out;
  }
  /// The pattern, and behind each semicolon a kind with its fields: "GA; gated-delta heads=4; block".
  std::string layers() const {
    const dsl::Node *pattern = model.find("pattern"), *kinds = model.find("kinds");
    if (!pattern || !kinds) return "none";
    std::string out = pattern->text;
    for (const dsl::Node& kind : kinds->items) {
      out += "; " + kind.find("use")->text;
      for (const dsl::Entry& field : kind.entries) out += written(field, "");
    }
    return out;
  }

 private:
  static std::string written(const dsl::Entry& field, const std::string& above) {
    if (field.key == "use" || field.key == "name" || field.key == "letter") return "";
    std::string out;
    for (const dsl::Entry& inner : field.value.entries) out += written(inner, above + field.key + ".");
    return field.value.entries.empty() ? " " + above + field.key + "=" + field.value.text : out;
  }
};
