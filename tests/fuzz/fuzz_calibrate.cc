// libFuzzer: a line "KIND MODEL FILE", then any text as a table (or a log) of that kind. It must give consistent
// samples, or messages with places. Models fitted to the samples must price them in finite times, and the fragment of a
// catalogue file must be readable.
#include <cmath>
#include <sstream>

#include "cli/commands/machine.h"
#include "dsl/write.h"
#include "operator_models/calibrate/fragment.h"
#include "operator_models/calibrate/holdout.h"
#include "planner/import/field_tree.h"
#include "planner/resolve/read.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace operator_models;
using fuzz::require;

constexpr size_t kMostRows = 240;
constexpr size_t kFolds = 2;

const Machine& machine() {
  static const Machine machine = [] {
    cli::Session session{.sources = {}, .diagnostics = {}, .catalog = {planner::builtin_catalog(), {}}};
    return *cli::find_machine({.cluster = "dgx-a100-80gb", .gpu = "", .score = ""}, session);
  }();
  return machine;
}

/// The request of the first line; the first row if there is no such kind or model.
struct Asked {
  const MeasuredKind* kind;
  const FitRow* fit;
  std::string file;
};
Asked asked(const std::string& line) {
  std::istringstream words(line);
  std::string kind, model;
  Asked out;
  words >> kind >> model >> out.file;
  out.kind = find_calibration_kind(kind);
  if (!out.kind) out.kind = calibration_kinds().data();
  out.fit = out.kind->fits.data();
  for (const FitRow& fit : out.kind->fits)
    if (model == fit.model) out.fit = &fit;
  return out;
}

void require_finite(const Errors& errors) {
  for (const auto& figure : {errors.geomean, errors.median, errors.p90, errors.bias, errors.residual})
    require(!figure || std::isfinite(*figure));
}

void require_whole(const SampleSet& set) {
  for (const Sample& sample : set.samples) {
    require(std::isfinite(sample.seconds) && sample.seconds > 0);
    require(sample.values.size() == set.dimensions.size());
    require(sample.place.source && sample.place.line >= 1);
  }
}

/// Every other sample is of the base, which alone the model `baseline` is fitted to.
void mark_base(SampleSet& set) {
  for (size_t i = 0; i < set.samples.size(); i += 2) set.samples[i].base = true, set.samples[i].counted = false;
}

/// A scenario that uses what the file extends, with the file's keys beside it.
void read_back(dsl::Node file) {
  for (dsl::Entry& entry : file.entries)
    if (entry.key == "extends") entry.key = "use";
  dsl::Node scenario;
  planner::put_field(scenario, "cluster.gpu.calibration", std::move(file));
  const dsl::Source written{"fitted.yaml", dsl::write_yaml(scenario), ""};
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  static const dsl::Schema schema = dsl::schema_of<Calibration>("cluster.gpu.calibration.");
  const dsl::Node tree =
      dsl::load(written, {}, planner::scenario_pulls(), {planner::builtin_catalog(), {}}, sources, diagnostics);
  dsl::evaluate(tree, schema, {}, diagnostics);
  fuzz::require_read(diagnostics);
}

void check_fit(const FitRow& fit, SampleSet& set) {
  const bool projects = std::string_view(fit.model) == "baseline";
  if (projects) mark_base(set);
  const Fitted fitted = fitted_to(set, machine(), fit);
  require_finite(errors_of(log_ratios(set, device_of(machine(), fitted.calibration), choice_of(fit))));
  const Holdout holdout =
      projects ? projected(fit, set, machine(), fitted) : cross_validate(fit, set, machine(), kFolds);
  require_finite(holdout.all);
  for (const HoldoutFold& fold : holdout.folds) require_finite(fold.errors);
  if (set.samples.size() % 4 == 0)  // most of the time of an input
    read_back(fragment(fitted.calibration, machine().calibration, "a test"));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string text = fuzz::text_of(data, size);
  const Asked ask = asked(fuzz::take_line(text));
  const dsl::Source source{ask.file, text, ""};
  dsl::Diagnostics diagnostics;
  DataFile file{.source = &source, .table = {}, .rows = {}, .counted = {}};
  file.table = (ask.kind->table ? ask.kind->table : dsl::read_csv)(source, diagnostics);
  for (const auto& row : file.table.rows) require(row.size() == file.table.header.size());
  if (!diagnostics.has_errors() && file.table.rows.size() <= kMostRows) {
    for (size_t row = 0; row < file.table.rows.size(); ++row) file.rows.push_back(row);
    file.counted.assign(file.rows.size(), 1);
    SampleSet set;
    ask.kind->read({file, {}, machine(), set, diagnostics});
    require_whole(set);
    if (!diagnostics.has_errors() && !set.samples.empty() &&
        static_cast<int64_t>(set.samples.size()) >= ask.fit->parameters)
      check_fit(*ask.fit, set);
  }
  fuzz::require_places(diagnostics);
  return 0;
}
