// Studies as texts.
#pragma once

#include <deque>
#include <string>
#include <vector>

#include "planner/studies/published/study.h"

namespace sample {

/// A study read and run; its mistakes as "FILE:LINE:COL: message | hint", a line each.
struct StudyRun {
  dsl::Sources sources;
  dsl::Catalog catalog{planner::builtin_catalog(), {}};
  dsl::Diagnostics diagnostics;
  std::optional<planner::Study> study;
  std::vector<planner::StudyRow> rows;

  explicit StudyRun(const std::string& text, const std::vector<dsl::Override>& overrides = {},
                    const std::string& name = "study.yaml", const std::string& directory = ".") {
    const dsl::Source& source = sources.emplace_back(dsl::Source{name, text, directory});
    study = planner::read_study(source, catalog, sources, diagnostics);
    if (!study) return;
    if (auto run = planner::run_study(*study, source, overrides, catalog, sources, diagnostics)) rows = std::move(*run);
  }
  StudyRun(const StudyRun&) = delete;

  std::string errors() const {
    std::string out;
    for (const dsl::Diagnostic& d : diagnostics.list)
      out += (d.span.source ? d.span.source->name : "") + ":" + std::to_string(d.span.line) + ":" +
             std::to_string(d.span.column) + ": " + d.message + (d.hint.empty() ? "" : " | " + d.hint) + "\n";
    return out;
  }
};

/// A small scenario, and a study of it with these cases (indented by four).
inline std::string study_text(const std::string& cases) {
  return R"(model: {layers: 4, hidden: 256, heads: 4, vocab: 1024}
job: {sequence: 128, global_batch: 8}
cluster: {use: dgx-a100-80gb, gpus: 8}
study:
  source: a paper, fig. 1
  cases:
)" + cases;
}

}  // namespace sample
