// Extra-P's experiments: a ZIP archive whose member experiment.json holds
//
//     {"parameters": ["p"], "measurements": {"CALLPATH": {"METRIC": [
//         {"coordinate": [4], "mean": 8.1, "median": 8.1, "values": [CHUNK, INDEX], ...}]}}}
//
// A measurement without `values` has lost its repetitions: its mean replaces them.
#include <fmt/format.h>

#include <algorithm>

#include "dsl/json.h"
#include "dsl/raw_text.h"
#include "planner/scaling/read/extrap_values.h"
#include "planner/scaling/read/formats.h"
#include "planner/scaling/read/json_members.h"

namespace planner::scaling {
namespace {

constexpr const char* kMember = "experiment.json";
// Members of the JSON that hold no measurement: models are fitted anew.
constexpr std::string_view kPassedOver[] = {"Extra-P",  "scaling",   "callpaths",  "metrics",
                                            "modelers", "call_tree", "parameters", "measurements"};

class ExperimentReader {
 public:
  ExperimentReader(ExtrapValues& values, ReadContext& context)
      : values_(values), builder_(context.builder), diagnostics_(context.diagnostics), json_(context.diagnostics) {}

  void read(const dsl::Node& file) {
    const dsl::Node* names = json_.list(file, "parameters");
    const dsl::Node* measurements = names ? json_.member(file, "measurements") : nullptr;
    if (!measurements || !json_.is_map(*measurements)) return;
    std::vector<PlacedName> parameters;
    for (const dsl::Node& item : names->items) {
      const auto name = json_.text(item);
      if (!name) return;
      parameters.push_back({*name, item.span});
    }
    if (parameters.empty()) return diagnostics_.error(names->span, "no parameters");
    if (!builder_.parameters(parameters)) return;
    warn_unknown(file);
    for (const dsl::Entry& callpath : measurements->entries) {
      if (!json_.is_map(callpath.value)) continue;
      for (const dsl::Entry& metric : callpath.value.entries) read_series(callpath.key, metric);
    }
    if (!lost_.source) return;
    diagnostics_.warning(
        lost_, fmt::format("{} of {} measurements have no repetitions: their mean is taken", lost_count_, count_),
        "their medians differ; Extra-P keeps repetitions where it is asked to keep values");
  }

 private:
  void warn_unknown(const dsl::Node& file) {
    for (const dsl::Entry& entry : file.entries)
      if (std::find(std::begin(kPassedOver), std::end(kPassedOver), entry.key) == std::end(kPassedOver))
        diagnostics_.warning(entry.key_span, fmt::format("'{}' is left out", dsl::shortened(entry.key)));
  }

  void read_series(const std::string& callpath, const dsl::Entry& metric) {
    if (!json_.is_list(metric.value)) return;
    const size_t series = builder_.series(callpath, metric.key, metric.key_span, false);
    for (const dsl::Node& item : metric.value.items) {
      const dsl::Node* place = json_.member(item, "coordinate");
      const auto coordinates = place ? json_.numbers(*place) : std::nullopt;
      const auto point = coordinates ? builder_.point(*coordinates, place->span) : std::nullopt;
      if (!point) continue;
      for (const double value : values_of(item)) builder_.measure(series, *point, value, item.span);
    }
  }

  std::vector<double> values_of(const dsl::Node& item) {
    ++count_;
    const dsl::Node* stored = item.find("values");
    if (stored && stored->kind != dsl::Node::Kind::null) {
      const auto numbers = json_.numbers(*stored);
      const bool indices = numbers && numbers->size() == 2 && numbers->at(0) >= 0 && numbers->at(1) >= 0;
      if (indices && numbers->at(0) < 1e9 && numbers->at(1) < 1e9)
        return values_.read(static_cast<size_t>(numbers->at(0)), static_cast<size_t>(numbers->at(1)), stored->span);
      if (numbers) diagnostics_.error(stored->span, "expected [chunk, index] of an array");
      return {};
    }
    const dsl::Node *mean = json_.member(item, "mean"), *median = item.find("median");
    const auto value = mean ? json_.number(*mean) : std::nullopt;
    if (!value) return {};
    if (median && median->text != mean->text && ++lost_count_ == 1) lost_ = mean->span;
    return {*value};
  }

  ExtrapValues& values_;
  ExperimentBuilder& builder_;
  dsl::Diagnostics& diagnostics_;
  JsonMembers json_;
  size_t count_ = 0, lost_count_ = 0;  // measurements; those that differ in mean and median but have no repetitions
  dsl::Span lost_;                     // the first of them
};

}  // namespace

bool looks_like_zip(const MeasurementFile& file) { return file.source->text.starts_with("PK\3\4"); }

void read_extrap(const dsl::Source& source, ReadContext& context) {
  const auto members = unpack::zip_members(source, context.diagnostics);
  if (!members) return;
  const auto at =
      std::find_if(members->begin(), members->end(), [](const unpack::ZipMember& m) { return m.name == kMember; });
  if (at == members->end())
    return context.diagnostics.error({&source, 1, 1, 0}, fmt::format("the ZIP archive has no member '{}'", kMember));
  auto text = unpack::unzip(source, *at, context.diagnostics);
  if (!text) return;
  const dsl::Source& json =
      context.sources.emplace_back(dsl::Source{source.name + ":" + kMember, std::move(*text), source.directory});
  const dsl::Node file = dsl::parse_json(json, context.diagnostics, dsl::kWrittenLimits);
  ExtrapValues values(source, *members, context.diagnostics);
  if (!file.broken) ExperimentReader(values, context).read(file);
}

}  // namespace planner::scaling
