#include "planner/plan/results.h"

#include <algorithm>
#include <type_traits>

namespace planner {
namespace {

/// Makes a row of each line that is a number.
struct ResultRows {
  Results& of;
  std::vector<ResultRow> rows = {};

  template <class T> void operator()(const char* key, T& member, const FigureAbout& about) {
    using Kind = ResultRow::Kind;
    if constexpr (!std::is_same_v<T, std::string_view>) {
      const Kind kind = std::is_same_v<T, int64_t>                 ? Kind::count
                        : std::is_same_v<T, std::optional<double>> ? Kind::optional
                                                                   : Kind::figure;
      add(key, about, kind).offset =
          static_cast<size_t>(reinterpret_cast<const char*>(&member) - reinterpret_cast<const char*>(&of));
    }
  }
  void derived(const char* key, ResultRow::Derived derived, const FigureAbout& about) {
    add(key, about, ResultRow::Kind::derived).derived = derived;
  }

 private:
  ResultRow& add(const char* key, const FigureAbout& about, ResultRow::Kind kind) {
    return rows.emplace_back(ResultRow{
        .name = about.named ? about.named : key, .about = about, .scale = scale_of(about.unit), .kind = kind});
  }
};

std::vector<ResultRow> all_rows() {
  Results results;
  ResultRows visitor{results};
  fields(visitor, results);
  return std::move(visitor.rows);
}

template <class Has> std::vector<ResultRow> rows_with(const Has& has) {
  std::vector<ResultRow> rows;
  std::ranges::copy_if(result_figures(), std::back_inserter(rows), has);
  return rows;
}

template <class T> T& at(Results& results, size_t offset) {
  return *reinterpret_cast<T*>(reinterpret_cast<char*>(&results) + offset);
}
template <class T> const T& at(const Results& results, size_t offset) {
  return *reinterpret_cast<const T*>(reinterpret_cast<const char*>(&results) + offset);
}

}  // namespace

std::optional<double> ResultRow::figure(const Results& results) const {
  switch (kind) {
    case Kind::optional:
      return at<std::optional<double>>(results, offset);
    case Kind::count:
      return static_cast<double>(at<int64_t>(results, offset));
    case Kind::derived:
      return derived(results);
    case Kind::figure:
      break;
  }
  return at<double>(results, offset);
}

std::optional<double> ResultRow::value(const Results& results) const {
  const std::optional<double> x = figure(results);
  return x ? std::optional(*x * scale.size) : std::nullopt;
}

void ResultRow::set(Results& results, std::optional<double> figure) const {
  if (kind == Kind::optional) at<std::optional<double>>(results, offset) = figure;
  else if (kind == Kind::count) at<int64_t>(results, offset) = static_cast<int64_t>(figure.value_or(0));
  else at<double>(results, offset) = figure.value_or(0);
}

Results results_of(const PlanFigures& f) {
  Results r{f.breakdown, f.throughput, f.cost};
  r.step = f.step;
  r.peak_bytes = f.memory.device.peak_bytes;
  r.headroom_bytes = f.memory.device.capacity_bytes - f.memory.device.peak_bytes;
  r.errors = f.errors;
  return r;
}

Results results_of(const Plan& plan) {
  Results r = results_of(plan_figures(plan));
  for (const CommunicationRow& row : plan.communication) r.hidden_comm += row.hidden_seconds;
  return r;
}

std::span<const ResultRow> result_figures() {
  static const std::vector<ResultRow> rows = all_rows();
  return rows;
}
std::span<const ResultRow> result_rows() {
  static const std::vector<ResultRow> rows = rows_with([](const ResultRow& row) { return row.about.named != nullptr; });
  return rows;
}
std::span<const ResultRow> column_figures() {
  static const std::vector<ResultRow> rows =
      rows_with([](const ResultRow& row) { return row.about.column != nullptr; });
  return rows;
}

const ResultRow* find_result(std::string_view name) {
  const auto rows = result_rows();
  const auto at = std::ranges::find(rows, name, [](const ResultRow& row) { return std::string_view(row.name); });
  return at == rows.end() ? nullptr : &*at;
}

std::vector<dsl::ResultName> result_names() {
  std::vector<dsl::ResultName> names;
  for (const ResultRow& row : result_rows()) names.push_back({row.name, row.scale.dim});
  return names;
}

std::vector<dsl::Value> result_values(const Results& results) {
  std::vector<dsl::Value> values;
  for (const ResultRow& row : result_rows()) {
    const std::optional<double> value = row.value(results);
    values.push_back(value ? dsl::Value{dsl::Number{*value, row.scale.dim}} : dsl::Value{});
  }
  return values;
}

}  // namespace planner
