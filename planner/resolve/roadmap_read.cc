#include "planner/resolve/roadmap_read.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <initializer_list>

#include "dsl/raw_text.h"
#include "dsl/read_builtin.h"

namespace planner {
namespace {

using dsl::Node;

constexpr double kMostYears = 100;

/// Preset names are accepted with either sign between their words.
std::string respelled(std::string name, char from, char to) {
  std::replace(name.begin(), name.end(), from, to);
  return name;
}

class RoadmapReader {
 public:
  RoadmapReader(const OpenScenario& base, const dsl::Catalog& catalog, dsl::Sources& sources,
                dsl::Diagnostics& diagnostics)
      : base_(base, diagnostics), catalog_(catalog), sources_(sources), diagnostics_(diagnostics) {}

  /// One axis: a list of entries, or one entry.
  std::vector<RoadmapStep> axis(const Node& node, bool models, const char* what) {
    std::vector<RoadmapStep> steps;
    const bool list = node.kind == Node::Kind::list;
    if (node.kind == Node::Kind::null || (list && node.items.empty()))
      diagnostics_.error(node.span, fmt::format("{} has no steps", what));
    else if (list)
      for (const Node& item : node.items) entry(item, models, steps);
    else entry(node, models, steps);
    refuse_twins(steps);
    return steps;
  }

  static bool is_grid(const Node& node) { return has(node, "hardware") || has(node, "models"); }
  void refuse_unknown(const Node& map, std::initializer_list<const char*> known) {
    const std::vector<std::string> names(known.begin(), known.end());
    for (const dsl::Entry& e : map.entries)
      if (std::find(names.begin(), names.end(), e.key) == names.end())
        diagnostics_.error(e.key_span, fmt::format("unknown key '{}' of a roadmap", dsl::shortened(e.key)),
                           hint(e.key, names, "keys here are "));
  }

 private:
  static bool has(const Node& node, const char* key) { return node.kind == Node::Kind::map && node.find(key); }

  static std::string hint(const std::string& word, const std::vector<std::string>& names, const char* before) {
    const std::string near = dsl::did_you_mean(word, names);
    return near.empty() ? fmt::format("{}{}", before, fmt::join(names, ", ")) : near;
  }

  void entry(const Node& node, bool models, std::vector<RoadmapStep>& out) {
    if (node.broken) return;
    if (node.kind == Node::Kind::scalar) return models ? model(node, out) : preset(node, out);
    if (node.kind != Node::Kind::map)
      return diagnostics_.error(node.span, "expected the name of a preset, or a step {name: ..., set: {PATH: VALUE}}");
    if (has(node, "steps")) return steps_of(node, out);
    if (has(node, "years") || has(node, "growth")) return growth(node, out);
    step(node, out);
  }

  void model(const Node& node, std::vector<RoadmapStep>& out) {
    std::string why;
    const bool file = node.text.starts_with("hf:");
    if (!file &&
        !dsl::find_source(catalog_, "model", node.text, node.span.source->directory, sources_, why, node.span.source))
      return diagnostics_.error(node.span, why, dsl::did_you_mean(node.text, dsl::catalog_names(catalog_, "model")));
    out.push_back({node.text, {{"model.use", {node.text}, node.span}}, node.span});
  }

  void preset(const Node& node, std::vector<RoadmapStep>& out) {
    const dsl::Source* source = nullptr;
    std::string why, first;
    for (const std::string& name : {node.text, respelled(node.text, '_', '-'), respelled(node.text, '-', '_')}) {
      source =
          dsl::find_source(catalog_, "roadmap", name, node.span.source->directory, sources_, why, node.span.source);
      if (first.empty()) first = why;
      if (source) break;
    }
    if (!source)
      return diagnostics_.error(node.span, first,
                                hint(node.text, dsl::catalog_names(catalog_, "roadmap"), "presets are "));
    const Node tree = dsl::tree_of(*source, diagnostics_);
    if (tree.broken) return;
    if (!has(tree, "steps")) return diagnostics_.error(node.span, fmt::format("'{}' has no steps", source->name));
    steps_of(tree, out);
  }

  // A preset's file, or what `roadmap: {use: NAME}` pulls in.
  void steps_of(const Node& node, std::vector<RoadmapStep>& out) {
    refuse_unknown(node, {"steps", "use", "extends"});
    const Node& steps = *node.find("steps");
    if (steps.kind != Node::Kind::list || steps.items.empty())
      return diagnostics_.error(steps.span, "expected a list of steps {name: ..., set: {PATH: VALUE}}");
    for (const Node& item : steps.items) entry(item, false, out);
  }

  void step(const Node& node, std::vector<RoadmapStep>& out) {
    refuse_unknown(node, {"name", "set", "scale"});
    const Node* name = node.find("name");
    if (!name || name->kind != Node::Kind::scalar || name->text.empty())
      return diagnostics_.error(name && name->span.source ? name->span : node.span, "a step of a roadmap needs a name",
                                "write {name: ..., set: {PATH: VALUE}}");
    RoadmapStep step{name->text, {}, name->span};
    each_field(node, "set", [&](const dsl::Entry& e) { base_.set(e.key, e.key_span, e.value, step.sets); });
    each_field(node, "scale", [&](const dsl::Entry& e) { base_.scale(e.key, e.key_span, e.value, 1, step.sets); });
    out.push_back(std::move(step));
  }

  template <class Take> void each_field(const Node& node, const char* key, Take take) {
    const Node* fields = node.find(key);
    if (!fields || fields->kind == Node::Kind::null) return;
    if (fields->kind != Node::Kind::map)
      return diagnostics_.error(fields->span, fmt::format("expected a map of paths and values after '{}'", key));
    for (const dsl::Entry& e : fields->entries) take(e);
  }

  void growth(const Node& node, std::vector<RoadmapStep>& out) {
    refuse_unknown(node, {"years", "growth"});
    const Node *years = node.find("years"), *fields = node.find("growth");
    if (!years || !fields)
      return diagnostics_.error(node.span, "growth per year needs both 'years' and 'growth'",
                                "write {years: 3, growth: {PATH: FACTOR}}");
    const std::optional<double> count = base_.number(*years);
    if (!count) return;
    if (*count < 0 || *count > kMostYears || *count != std::floor(*count))
      return diagnostics_.error(years->span, "expected a whole number of years from 0 to 100");
    const auto before = diagnostics_.list.size();
    for (int year = 0; year <= static_cast<int>(*count); ++year) {
      RoadmapStep step{fmt::format("year {}", year), {}, years->span};
      const auto grow = [&](const dsl::Entry& e) { base_.scale(e.key, e.key_span, e.value, year, step.sets); };
      each_field(node, "growth", grow);
      if (diagnostics_.list.size() > before) return;  // reported once
      if (year == 0) step.sets.clear();
      out.push_back(std::move(step));
    }
  }

  void refuse_twins(const std::vector<RoadmapStep>& steps) {
    for (size_t i = 0; i < steps.size(); ++i)
      for (size_t j = 0; j < i; ++j)
        if (steps[i].name == steps[j].name) {
          diagnostics_.error(steps[i].place, fmt::format("there are two steps '{}'", dsl::shortened(steps[i].name)),
                             "give one of them another name");
          break;
        }
  }

  RoadmapBase base_;
  const dsl::Catalog& catalog_;
  dsl::Sources& sources_;
  dsl::Diagnostics& diagnostics_;
};

}  // namespace

std::optional<Roadmap> read_roadmap(const OpenScenario& base, const dsl::Catalog& catalog, dsl::Sources& sources,
                                    dsl::Diagnostics& diagnostics) {
  if (!base.roadmap) {
    diagnostics.error({}, "the scenario has no roadmap",
                      fmt::format("add one, such as --set roadmap=flop-vs-bw; presets are {}",
                                  fmt::join(dsl::catalog_names(catalog, "roadmap"), ", ")));
    return std::nullopt;
  }
  const Node& node = *base.roadmap;
  RoadmapReader reader(base, catalog, sources, diagnostics);
  const bool grid = RoadmapReader::is_grid(node);
  if (grid) reader.refuse_unknown(node, {"hardware", "models"});
  Roadmap out;
  const Node *hardware = grid ? node.find("hardware") : &node, *models = grid ? node.find("models") : nullptr;
  if (hardware) out.steps = reader.axis(*hardware, false, "the roadmap");
  else out.steps = {{"base", {}, node.span}};
  if (models) out.models = reader.axis(*models, true, "the axis of models");
  else out.models = {{base.sample.model.name, {}, node.span}};
  if (out.steps.size() * out.models.size() > kMostCells)
    diagnostics.error(node.span, fmt::format("the roadmap has more than {} cells", kMostCells));
  if (node.broken || diagnostics.has_errors()) return std::nullopt;
  return out;
}

}  // namespace planner
