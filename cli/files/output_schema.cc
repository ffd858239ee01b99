#include "cli/files/output_schema.h"

#include <algorithm>
#include <array>
#include <type_traits>

#include "planner/plan/results.h"

namespace cli {
namespace {

using Object = Data::Object;

Data type_or_null(const char* type) { return Data::List{type, "null"}; }

/// A property for each line. A figure that is not finite is null, whatever its line.
struct FiguresSchema {
  template <class T> void operator()(const char* key, const T&, const planner::FigureAbout& about) {
    const Data type = std::is_same_v<T, std::string_view> ? Data("string")
                      : std::is_same_v<T, int64_t>        ? Data("integer")
                                                          : type_or_null("number");
    Object property{{"description", about.doc}, {"type", type}};
    if (about.named) property.push_back({"named", about.named});
    if (about.column) property.push_back({"column", about.column});
    properties.push_back({key, std::move(property)});
  }
  Object properties = {};
};

/// The object of a result that a layout which cannot be lacks.
template <class T> Data section_schema() {
  T result{};
  FiguresSchema v;
  fields(v, result);
  return Object{{"type", type_or_null("object")}, {"properties", std::move(v.properties)}};
}

Object document(const char* format, Object properties) {
  properties.insert(properties.begin(), {"format", Object{{"const", format}}});
  return {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
          {"title", format},
          {"type", "object"},
          {"properties", std::move(properties)}};
}

Object plan_schema() {
  return document("trainplan.plan/1", {{"step", section_schema<planner::StepTime>()},
                                       {"breakdown", section_schema<planner::Breakdown>()},
                                       {"throughput", section_schema<planner::Throughput>()},
                                       {"cost", section_schema<planner::RunCost>()}});
}

/// Rows of many plans; a row without a plan has null in place of figures.
Object rows_schema(const char* format, const char* rows) {
  Object properties;
  for (const planner::ResultRow& row : planner::column_figures()) {
    const char* type = row.kind == planner::ResultRow::Kind::count ? "integer" : "number";
    properties.push_back({row.about.column, Object{{"description", row.about.doc}, {"type", type_or_null(type)}}});
  }
  const Object item{{"type", "object"}, {"properties", std::move(properties)}};
  return document(format, {{rows, Object{{"type", "array"}, {"items", item}}}});
}

struct OutputKind {
  std::string_view name;
  Object (*schema)();
};
constexpr std::array kKinds{
    OutputKind{"output/plan", plan_schema},
    OutputKind{"output/search", [] { return rows_schema("trainplan.search/1", "plans"); }},
    OutputKind{"output/sweep", [] { return rows_schema("trainplan.sweep/1", "rows"); }},
    OutputKind{"output/clusters", [] { return rows_schema("trainplan.clusters/1", "rows"); }},
    OutputKind{"output/roadmap", [] { return rows_schema("trainplan.roadmap/1", "cells"); }},
};

}  // namespace

std::vector<std::string_view> output_kinds() {
  std::vector<std::string_view> names;
  for (const OutputKind& kind : kKinds) names.push_back(kind.name);
  return names;
}

Data output_schema(std::string_view kind) { return std::ranges::find(kKinds, kind, &OutputKind::name)->schema(); }

}  // namespace cli
