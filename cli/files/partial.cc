#include "cli/files/partial.h"

#include <fmt/format.h>

#include "cli/files/partial_digest.h"
#include "dsl/write.h"
#include "operator_models/fitted.h"

namespace cli {
namespace {

Data of_row(const planner::Found& found) {
  Data::Object row{{"part", found.position.part}, {"at", at_data(found.position)}, {"objective", found.objective}};
  for (const planner::ResultRow& figure : planner::result_figures())
    if (figure.is_kept()) row.push_back({figure.name, Data(figure.figure(found.results))});
  Data::Object errors;
  const auto& kinds = found.results.errors.kinds;
  for (size_t i = 0; i < kinds.size(); ++i)
    if (kinds[i] != 0) errors.push_back({operator_models::kKindNames[i], kinds[i]});
  row.push_back({"errors", std::move(errors)});
  Data::Object departures;
  for (size_t i = 0; i < planner::kDepartureNames.size(); ++i)
    if (found.departures[i] != 0) departures.push_back({planner::kDepartureNames[i], found.departures[i]});
  row.push_back({"departures", std::move(departures)});
  return row;
}

Data unfinished(const planner::Unfinished& left) {
  Data::List begun;
  for (const planner::Begun& b : left.begun)
    begun.push_back(Data::Object{{"part", b.part}, {"candidates", b.candidates}});
  return Data::Object{{"base", left.base}, {"next_part", left.next_part}, {"begun", std::move(begun)}};
}

template <class T, class F> Data::List names(const std::vector<T>& items, F name) {
  Data::List list;
  for (const T& item : items) list.push_back(Data(name(item)));
  return list;
}

Data::Object members(const Partial& p) {
  const planner::SearchResult& r = p.result;
  Data::Object out{{"digest", p.digest},
                   {"title", p.head.title},
                   {"goal", p.head.goal},
                   {"timed", p.head.timed},
                   {"choices", names(p.head.choices, [](const std::string& name) { return name; })},
                   {"shard", p.options.shard + 1},
                   {"shards", p.options.shards},
                   {"top", static_cast<int64_t>(p.options.top)},
                   {"pareto", names(p.options.pareto, [](const planner::ResultRow* axis) { return axis->name; })},
                   {"feasible_gpus", Data::List(r.feasible_gpus.begin(), r.feasible_gpus.end())},
                   {"fewest_throughput", r.fewest_throughput},
                   {"unfinished", r.unfinished ? unfinished(*r.unfinished) : Data()},
                   {"searched", searched_data(p.searched)}};
  add_refused(r, p.head.choices, out);
  return out;
}

std::string axes(const planner::SearchOptions& options) {
  std::string text;
  for (const planner::ResultRow* axis : options.pareto) text += (text.empty() ? "" : ",") + std::string(axis->name);
  return text.empty() ? "no --pareto" : "--pareto " + text;
}

std::string content_of(const operator_models::FittedModel& model) {
  std::string text = fmt::format("{} {}\n", model.relative_error, model.change_point);
  std::vector<std::string> names;
  for (const operator_models::FittedParameter& p : model.parameters) names.push_back(p.feature);
  for (const operator_models::Pmnf& part : model.parts) text += operator_models::text(part, names, 17) + "\n";
  for (const std::vector<double>& point : model.points) text += fmt::format("{}\n", fmt::join(point, " "));
  return text;
}

}  // namespace

std::string search_digest(const dsl::Source& scenario, const std::vector<std::string>& set,
                          const planner::OpenScenario& open) {
  uint64_t hash = hashed(TRAINPLAN_VERSION);
  hash = hashed(scenario.text, hash);
  for (const std::string& text : set) hash = hashed("\n" + text, hash);
  // What files beside the scenario say, not where they lie.
  for (const auto& [key, model] : open.sample.fitted) hash = hashed(content_of(model), hash);
  for (const planner::LengthShare& share : open.sample.lengths.shares)
    hash = hashed(fmt::format("{}:{}\n", share.length, share.weight), hash);
  return fmt::format("{:016x}", hashed(dsl::write_yaml(dsl::resolved(open.space.record())), hash));
}

void add_partial(Report& report, const Partial& partial) {
  const planner::SearchResult& result = partial.result;
  report.document.push_back({"partial", members(partial)});
  report.table.columns.push_back({.name = "partial"});
  for (size_t i = 0; i < result.plans.size(); ++i) report.table.rows[i].push_back(of_row(result.plans[i]));
  for (Member& member : report.document) {
    if (member.name != "pareto") continue;
    auto& rows = std::get<Data::List>(member.value.v);
    for (size_t i = 0; i < rows.size(); ++i)
      std::get<Data::Object>(rows[i].v).push_back({"partial", of_row(result.pareto[i])});
  }
  const std::string digest = content_digest(report);
  for (Member& member : report.document)
    if (member.name == "partial") std::get<Data::Object>(member.value.v).push_back({kContent, digest});
}

void check_same(const Partial& partial, const Partial& other, const std::string& who, dsl::Diagnostics& diagnostics) {
  const auto differs = [&](const char* key, const std::string& message, const char* hint) {
    diagnostics.error(partial.places.find(key)->second, message, hint);
  };
  if (partial.digest != other.digest)
    differs("digest", "this result and " + who + " are not of the same search",
            "the scenario, --set and --catalog must be the same, and the version of trainplan");
  if (partial.options.top != other.options.top)
    differs("top", fmt::format("made with --top {}, and {} with --top {}", partial.options.top, who, other.options.top),
            "what one of them left out may be among the best of all");
  if (partial.options.pareto != other.options.pareto)
    differs("pareto", fmt::format("made with {}, and {} with {}", axes(partial.options), who, axes(other.options)),
            "fronts along other axes hold other plans");
}

}  // namespace cli
