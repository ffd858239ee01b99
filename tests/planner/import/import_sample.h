// Configurations that are imported with a launch line, and the scenarios that they become.
#pragma once

#include <doctest/doctest.h>

#include <fstream>
#include <iterator>
#include <optional>
#include <string>

#include "dsl/node_path.h"
#include "dsl/write.h"
#include "planner/import/imported_run.h"
#include "planner/resolve/read.h"
#include "tests/planner/export/export_sample.h"

/// What an import says and gives.
struct ImportSample {
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  planner::ImportedRun result;

  ImportSample() = default;
  ImportSample(const ImportSample&) = delete;

  /// The files by their names and texts; an empty launch line means no launch line.
  planner::RunFiles files(const char* name, const std::string& config, const std::string& launch,
                          const std::string& model) {
    planner::RunFiles out{.model = model, .cluster = "dgx-h100"};
    out.config = &sources.emplace_back(dsl::Source{name, config, "."});
    if (!launch.empty()) out.launch = &sources.emplace_back(dsl::Source{"run.sh", launch, "."});
    return out;
  }
  std::string at(const std::string& path) const {
    const dsl::Node* node = dsl::node_at(result.scenario, path);
    return node ? node->text : "none";
  }
  /// The fields of "a=1; b=2" with the values that they have.
  std::string fields(const std::string& expected) const {
    std::string out;
    for (const std::string& part : parts_of(expected, "; ")) {
      const std::string path = part.substr(0, part.find('='));
      out += (out.empty() ? "" : "; ") + path + "=" + at(path);
    }
    return out;
  }
  /// "ds.json:LINE:COLUMN error: MESSAGE; HINT", a line each.
  std::string told() const {
    std::string out;
    for (const dsl::Diagnostic& d : diagnostics.list) {
      out += d.span.source ? d.span.source->name : "nowhere";
      out += ":" + std::to_string(d.span.line) + ":" + std::to_string(d.span.column);
      out += (d.severity == dsl::Severity::error ? " error: " : " warning: ") + d.message;
      out += (d.hint.empty() ? "" : "; " + d.hint) + "\n";
    }
    return out;
  }
  std::optional<planner::LoadedScenario> loaded() {
    const dsl::Source& yaml = sources.emplace_back(dsl::Source{"a.yaml", dsl::write_yaml(result.scenario), "/nowhere"});
    const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
    return planner::read_scenario(yaml, {}, catalog, sources, diagnostics);
  }
};

/// A file of tests/planner/import.
inline std::string import_text(const std::string& name) {
  std::ifstream in(TRAINPLAN_SOURCE_DIR "/tests/planner/import/" + name, std::ios::binary);
  REQUIRE(in.good());
  return {std::istreambuf_iterator<char>(in), {}};
}

/// A configuration, its launch line, and the expected fields ("a=1; b=2") or messages.
struct ImportCase {
  const char *config, *launch, *result;
};
