// libFuzzer: any bytes as a file of scaling measurements, the first byte telling how it is named; and as the name of a
// profile. They must end in an experiment that holds together or in messages with places.
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "planner/scaling/read/measurements.h"
#include "planner/scaling/read/nsight_name.h"

namespace {

constexpr const char* kNames[] = {"a.txt", "a.json", "a.jsonl", "a.csv", "a.extra-p", "noname"};

void require(bool holds) {
  if (!holds) std::abort();
}

void check(const planner::scaling::Experiment& experiment) {
  require(!experiment.parameters.empty() && experiment.parameters.size() <= 4 && !experiment.series.empty());
  for (const auto& point : experiment.points) require(point.size() == experiment.parameters.size());
  for (const planner::scaling::Series& series : experiment.series) {
    require(!series.points.empty() && series.points.size() == series.values.size());
    for (size_t i = 0; i < series.points.size(); ++i) {
      require(series.points[i] < experiment.points.size() && !series.values[i].empty());
      for (const double value : series.values[i]) require(std::isfinite(value) && value >= 0);
    }
  }
}

void check_places(const dsl::Diagnostics& diagnostics) {
  for (const dsl::Diagnostic& d : diagnostics.list) {
    if (d.span.source) require(d.span.line >= 1 && d.span.column >= 1);
    dsl::render(d);
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data) + 1, size - 1);
  dsl::Sources sources;
  dsl::Diagnostics diagnostics, of_name;
  const auto experiment =
      planner::scaling::read_measurements_text(kNames[data[0] % std::size(kNames)], text, sources, diagnostics);
  require(experiment.has_value() != diagnostics.has_errors());
  if (experiment) check(*experiment);
  check_places(diagnostics);
  const dsl::Source source{"profile", text, ""};
  const auto name = planner::scaling::read_profile_name(source, of_name);
  require(name.has_value() != of_name.has_errors());
  if (name) require(!name->parameters.empty() && name->parameters.size() == name->values.size());
  check_places(of_name);
  return 0;
}
