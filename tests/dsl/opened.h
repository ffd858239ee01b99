// Scenarios with open choices for tests of the walk over them.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "dsl/space.h"
#include "tests/dsl/sample.h"

namespace sample {

/// A scenario on its way to a space.
struct Opened {
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  std::optional<dsl::Space> space;

  // The sample's sequence_parallel would follow tp.
  explicit Opened(const std::string& text, std::vector<dsl::Override> overrides = {},
                  const std::string& together = "") {
    if (text.find("sequence_parallel") == std::string::npos)
      overrides.push_back({"parallelism.sequence_parallel=false"});
    const dsl::Source& source = sources.emplace_back(dsl::Source{"a.yaml", text, "/nowhere"});
    const dsl::Catalog catalog{sample::kCatalog, {}};
    dsl::Node tree = dsl::load(source, overrides, sample::pulls(), catalog, sources, diagnostics);
    dsl::EvaluateOptions options = sample::options();
    options.together = together;
    space.emplace(std::move(tree), sample::schema(), options, diagnostics);
  }
  std::string errors() const {
    std::string out;
    for (const dsl::Diagnostic& d : diagnostics.list) out += dsl::render(d);
    return out;
  }
  std::string items() const {
    std::string out;
    for (const dsl::OpenItem& item : space->items())
      out += (out.empty() ? "" : " ") + item.path + (item.is_choice ? "*" : "");
    return out;
  }
};

}  // namespace sample
