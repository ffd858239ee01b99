// Extra-P's JSON (extra-p/extrap docs/file-formats.md), the new format and the old one.
//
//     {"parameters": ["x"], "measurements": {"CALLPATH": {"METRIC": [{"point": [4], "values": [3.5, 3.6]}]}}}
//
//     {"parameters": [{"id": 1, "name": "x"}], "callpaths": [{"id": 1, "name": "sweep"}], "metrics": [...],
//      "coordinates": [{"id": 1, "parameter_value_pairs": [{"parameter_id": 1, "parameter_value": 4}]}],
//      "measurements": [{"callpath_id": 1, "metric_id": 1, "coordinate_id": 1, "value": 3.5}]}
#include "dsl/json.h"

#include <fmt/format.h>

#include <map>

#include "planner/scaling/read/formats.h"
#include "planner/scaling/read/json_members.h"

namespace planner::scaling {
namespace {

// What the ids of a list of the old format mean, in the order of the ids.
template <class Value> using Ids = std::map<double, Value>;

class JsonReader {
 public:
  explicit JsonReader(ReadContext& context)
      : builder_(context.builder), diagnostics_(context.diagnostics), json_(context.diagnostics) {}

  void read(const dsl::Node& file) {
    if (!json_.is_map(file)) return;
    if (file.find("callpaths") || file.find("coordinates")) read_old(file);
    else read_new(file);
  }

 private:
  void read_new(const dsl::Node& file) {
    json_.only(file, {"parameters", "measurements"});
    const dsl::Node* names = json_.list(file, "parameters");
    const dsl::Node* measurements = json_.member(file, "measurements");
    if (!names || !measurements || !json_.is_map(*measurements)) return;
    std::vector<PlacedName> parameters;
    for (const dsl::Node& item : names->items) {
      const auto name = json_.text(item);
      if (!name) return;
      parameters.push_back({*name, item.span});
    }
    if (!set_parameters(parameters, names->span)) return;
    for (const dsl::Entry& callpath : measurements->entries) {
      if (!json_.is_map(callpath.value)) continue;
      for (const dsl::Entry& metric : callpath.value.entries) read_series(callpath.key, metric);
    }
  }

  bool set_parameters(const std::vector<PlacedName>& parameters, dsl::Span place) {
    if (parameters.empty()) diagnostics_.error(place, "no parameters");
    return !parameters.empty() && builder_.parameters(parameters);
  }

  void read_series(const std::string& callpath, const dsl::Entry& metric) {
    if (!json_.is_list(metric.value)) return;
    const size_t series = builder_.series(callpath, metric.key, metric.key_span);
    for (const dsl::Node& item : metric.value.items) {
      if (!json_.only(item, {"point", "values"})) continue;
      const dsl::Node *place = json_.member(item, "point"), *values = json_.member(item, "values");
      const auto coordinates = place ? json_.numbers(*place) : std::nullopt;
      const auto point = coordinates ? builder_.point(*coordinates, place->span) : std::nullopt;
      if (point && values) measure(series, *point, *values);
    }
  }

  void measure(size_t series, size_t point, const dsl::Node& values) {
    const bool many = values.kind == dsl::Node::Kind::list;
    const auto numbers = json_.numbers(values);
    for (size_t i = 0; numbers && i < numbers->size(); ++i)
      builder_.measure(series, point, (*numbers)[i], many ? values.items[i].span : values.span);
  }

  void read_old(const dsl::Node& file) {
    json_.only(file, {"parameters", "callpaths", "metrics", "coordinates", "measurements"});
    const Ids<PlacedName> parameters = names(file, "parameters");
    callpaths_ = names(file, "callpaths");
    metrics_ = names(file, "metrics");
    const dsl::Node *coordinates = json_.list(file, "coordinates"), *measurements = json_.list(file, "measurements");
    if (!coordinates || !measurements || diagnostics_.has_errors()) return;
    std::vector<PlacedName> in_order;
    for (const auto& [id, name] : parameters) in_order.push_back(name);
    if (!set_parameters(in_order, file.span)) return;
    for (const dsl::Node& item : coordinates->items) read_coordinate(item, parameters);
    for (const dsl::Node& item : measurements->items) read_measurement(item);
  }

  Ids<PlacedName> names(const dsl::Node& file, const char* key) {
    Ids<PlacedName> found;
    const dsl::Node* list = json_.list(file, key);
    for (size_t i = 0; list && i < list->items.size(); ++i) {
      const dsl::Node& item = list->items[i];
      if (!json_.only(item, {"id", "name"})) continue;
      const dsl::Node* name = json_.member(item, "name");
      const auto text = name ? json_.text(*name) : std::nullopt;
      if (text) add(found, item, PlacedName{*text, name->span});
    }
    return found;
  }

  template <class Value> void add(Ids<Value>& ids, const dsl::Node& item, Value value) {
    const dsl::Node* id = json_.member(item, "id");
    const auto number = id ? json_.number(*id) : std::nullopt;
    if (number && !ids.try_emplace(*number, std::move(value)).second)
      diagnostics_.error(id->span, fmt::format("a second id {}", id->text));
  }

  template <class Value> const Value* by_id(const Ids<Value>& ids, const dsl::Node& item, const char* key) {
    const dsl::Node* id = json_.member(item, key);
    const auto number = id ? json_.number(*id) : std::nullopt;
    if (!number) return nullptr;
    const auto at = ids.find(*number);
    if (at == ids.end()) diagnostics_.error(id->span, fmt::format("there is no {} {}", key, id->text));
    return at == ids.end() ? nullptr : &at->second;
  }

  void read_coordinate(const dsl::Node& item, const Ids<PlacedName>& parameters) {
    json_.only(item, {"id", "parameter_value_pairs"});
    const dsl::Node* pairs = json_.list(item, "parameter_value_pairs");
    Ids<double> values;
    for (size_t i = 0; pairs && i < pairs->items.size(); ++i) {
      const dsl::Node& pair = pairs->items[i];
      if (!json_.only(pair, {"parameter_id", "parameter_value"})) return;
      const dsl::Node *id = json_.member(pair, "parameter_id"), *value = json_.member(pair, "parameter_value");
      const auto number = value ? json_.number(*value) : std::nullopt;
      if (!id || !number || !by_id(parameters, pair, "parameter_id")) return;
      values[*json_.number(*id)] = *number;
    }
    std::vector<double> coordinates;
    for (const auto& [id, value] : values) coordinates.push_back(value);
    const auto point = pairs ? builder_.point(coordinates, item.span) : std::nullopt;
    if (point) add(points_, item, *point);
  }

  void read_measurement(const dsl::Node& item) {
    if (!json_.only(item, {"id", "callpath_id", "metric_id", "coordinate_id", "value"})) return;
    const PlacedName *callpath = by_id(callpaths_, item, "callpath_id"), *metric = by_id(metrics_, item, "metric_id");
    const size_t* point = by_id(points_, item, "coordinate_id");
    const dsl::Node* values = json_.member(item, "value");
    if (callpath && metric && point && values)
      measure(builder_.series(callpath->text, metric->text, item.span), *point, *values);
  }

  ExperimentBuilder& builder_;
  dsl::Diagnostics& diagnostics_;
  JsonMembers json_;
  Ids<PlacedName> callpaths_, metrics_;
  Ids<size_t> points_;
};

}  // namespace

bool looks_like_json(const MeasurementFile& file) {
  const std::string& text = file.source->text;
  const size_t at = text.find_first_not_of(" \t\r\n");
  return at != std::string::npos && text[at] == '{';
}

void read_json(const dsl::Source& source, ReadContext& context) {
  const dsl::Node file = dsl::parse_json(source, context.diagnostics, dsl::kWrittenLimits);
  if (!file.broken) JsonReader(context).read(file);
}

}  // namespace planner::scaling
