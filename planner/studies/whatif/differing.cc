#include "planner/studies/whatif/differing.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <iterator>
#include <map>
#include <span>

#include "dsl/write.h"
#include "planner/scenario/field_setter.h"

namespace planner {
namespace {

constexpr size_t kShort = 24;  // characters of a value

// ---- sections that move as a whole

// Collectives are measured on a network: their rows go with it, everything else of a calibration with the GPU.
void take_network(Scenario& to, const Scenario& from) {
  to.cluster.network = from.cluster.network;
  to.calibration.collective = from.calibration.collective;
  to.calibration.contention = from.calibration.contention;
}
void take_gpu(Scenario& to, const Scenario& from) {
  to.cluster.gpu = from.cluster.gpu;
  operator_models::Calibration calibration = from.calibration;
  calibration.collective = to.calibration.collective;
  calibration.contention = to.calibration.contention;
  to.calibration = std::move(calibration);
}
void take_machine(Scenario& to, const Scenario& from) {
  take_network(to, from);
  take_gpu(to, from);
}
void take_model(Scenario& to, const Scenario& from) { to.model = from.model; }
void take_software(Scenario& to, const Scenario& from) { to.software = from.software; }

/// What one catalogue entry brings with it. Fields of another name mean other things: they are not moved one by one.
struct Section {
  const char* cause;
  std::array<const char*, 3> prefixes;  // of its paths; the section of a path is the first that has one
  std::array<const char*, 2> names;     // where one differs, all of it moves at once
  void (*take)(Scenario& to, const Scenario& from);
};
constexpr const char* kNetwork = "cluster.network[";
constexpr Section kModel{"model", {"model."}, {"model.name"}, take_model};
constexpr Section kSoftware{"software", {"software."}, {"software.name"}, take_software};
constexpr std::array kGpuNames{"cluster.gpu.name", "cluster.gpu.calibration.name"};
constexpr std::array kSections{
    kModel,
    Section{"cluster.network",
            {kNetwork, "cluster.gpu.calibration.collective.", "cluster.gpu.calibration.contention."},
            {"cluster.name", "cluster.gpu.calibration.name"},
            take_network},
    Section{"cluster.gpu", {"cluster.gpu."}, kGpuNames, take_gpu},
    kSoftware,
};
/// Where both have the same network, another GPU's collectives are the GPU's.
constexpr std::array kSectionsOfOneNetwork{
    kModel,
    Section{"cluster.gpu", {"cluster.gpu."}, kGpuNames, take_machine},
    kSoftware,
};

using Sections = std::span<const Section>;

const Section* section_of(std::string_view path, Sections sections) {
  const auto begins = [&](const char* prefix) { return prefix && path.starts_with(prefix); };
  for (const Section& s : sections)
    if (std::any_of(s.prefixes.begin(), s.prefixes.end(), begins)) return &s;
  return nullptr;
}

// ---- fields that differ

/// A path with what each scenario says about it; null: it has no such list item or entry.
struct SlotPair {
  const std::string* path;
  const dsl::Slot *a, *b;
};

bool is_figure(const std::string& path, const dsl::Slot& slot) {
  const bool follows_rates =
      path == "cluster.gpu.generation" || (path.starts_with("cluster.gpu.calibration.") &&
                                           (path.ends_with(".provenance") || path.ends_with(".relative_error")));
  const bool label = (path.ends_with(".name") && !path.starts_with(kNetwork)) || follows_rates;
  return slot.field->type != dsl::Type::expression && !label && !path.starts_with("goal.");
}

std::vector<SlotPair> differing_pairs(const dsl::Record& a, const dsl::Record& b) {
  std::vector<SlotPair> pairs;
  for (const auto& [path, slot] : a.slots) {
    const dsl::Slot* other = b.find(path);
    if (is_figure(path, slot) && (!other || other->value != slot.value)) pairs.push_back({&path, &slot, other});
  }
  for (const auto& [path, slot] : b.slots)
    if (is_figure(path, slot) && !a.find(path)) pairs.push_back({&path, nullptr, &slot});
  return pairs;
}

bool named_apart(const Section& section, const dsl::Record& a, const dsl::Record& b) {
  return std::any_of(section.names.begin(), section.names.end(), [&](const char* name) {
    return name && a.find(name) && b.find(name) && a.find(name)->value != b.find(name)->value;
  });
}

/// Whether a scenario has nothing of the field: no such item, or an operator of another kind (fixed_check.h).
bool lacks(const dsl::Slot* slot) { return !slot || (slot->value.is_null() && !slot->field->optional); }

/// All of its differences at once, where there are any.
bool moves_whole(const Section& section, const std::vector<const SlotPair*>& its, const dsl::Record& a,
                 const dsl::Record& b) {
  const bool lacking =
      std::any_of(its.begin(), its.end(), [](const SlotPair* pair) { return lacks(pair->a) || lacks(pair->b); });
  return lacking || (!its.empty() && named_apart(section, a, b));
}

// ---- defaults that follow

/// The scenario itself does not say it: a default, or a line of the catalogue.
bool unwritten(const dsl::Slot& slot) {
  return !slot.given || (slot.span.source && slot.span.source->name.starts_with("catalog:"));
}

bool same_section(const std::string& a, const std::string& b) {
  return std::string_view(a).substr(0, a.rfind('.')) == std::string_view(b).substr(0, b.rfind('.'));
}

/// Paths and names in the text of a default: "dp * cp" -> dp, cp.
std::vector<std::string_view> names_in(std::string_view text) {
  constexpr const char* kLetters = "abcdefghijklmnopqrstuvwxyz0123456789_.";
  std::vector<std::string_view> names;
  for (size_t at = text.find_first_of(kLetters); at < text.size(); at = text.find_first_of(kLetters, at)) {
    const size_t end = std::min(text.find_first_not_of(kLetters, at), text.size());
    names.push_back(text.substr(at, end - at));
    at = end;
  }
  return names;
}

/// A default that reads the field, by its path or as a neighbour's name.
bool reads(const SlotPair& pair, const SlotPair& source) {
  const std::string& path = *source.path;
  for (std::string_view name : names_in(pair.a->field->otherwise))
    if (name == path || (same_section(path, *pair.path) && name == std::string_view(path).substr(path.rfind('.') + 1)))
      return true;
  return false;
}

/// The default is a field, and both values are as it says, written or not.
bool copies(const SlotPair& pair, const SlotPair& source) {
  return pair.a->field->otherwise == *source.path && source.a && source.b && pair.a->value == source.a->value &&
         pair.b->value == source.b->value;
}

/// `pair` differs because `source` does.
bool follows(const SlotPair& pair, const SlotPair& source) {
  if (!pair.a || !pair.b || pair.path == source.path) return false;
  if (copies(pair, source)) return true;
  if (!unwritten(*pair.a) || !unwritten(*pair.b)) return false;
  const bool implied = *source.path == "job.precision" && pair.path->starts_with("software.");
  return implied || reads(pair, source);
}

// ---- units

std::string value_text(const dsl::Slot* slot) {
  if (!slot || slot->value.is_null()) return "-";
  const std::string text = dsl::shown_value(slot->value);
  return text.size() <= kShort ? text : text.substr(0, kShort - 3) + "...";
}

DifferenceUnit section_unit(const Section& section, const dsl::Record& a, const dsl::Record& b) {
  const auto name = [&](const dsl::Record& record) {
    const std::string text = value_text(record.find(section.names.front()));
    return text.empty() ? "-" : text;
  };
  return {section.cause, name(a), name(b),
          [&section](Scenario& to, const LoadedScenario& from) { section.take(to, from.scenario); }};
}

/// A field and those that follow it.
DifferenceUnit field_unit(const SlotPair& pair, std::vector<std::string> paths) {
  return {*pair.path, value_text(pair.a), value_text(pair.b),
          [paths = std::move(paths)](Scenario& to, const LoadedScenario& from) {
            for (const std::string& path : paths) {
              const dsl::Setter set = field_setter(to, path);
              assert(set && "fields outside of sections are in every scenario");
              set(from.record.find(path)->value);
            }
          }};
}

/// The end of the chain of what it follows; itself, where it follows nothing. Defaults make no circles.
const SlotPair* leader(const SlotPair& pair, const std::vector<SlotPair>& pairs) {
  const auto next =
      std::find_if(pairs.begin(), pairs.end(), [&](const SlotPair& other) { return follows(pair, other); });
  return next == pairs.end() ? &pair : leader(*next, pairs);
}

std::vector<DifferenceUnit> field_units(const std::vector<SlotPair>& pairs) {
  std::map<const SlotPair*, std::vector<std::string>> paths;  // in the order of `pairs`
  for (const SlotPair& pair : pairs) paths[leader(pair, pairs)].push_back(*pair.path);
  std::vector<DifferenceUnit> units;
  for (auto& [pair, its] : paths) units.push_back(field_unit(*pair, std::move(its)));
  return units;
}

}  // namespace

std::vector<DifferenceUnit> differing(const LoadedScenario& a, const LoadedScenario& b) {
  std::vector<SlotPair> pairs = differing_pairs(a.record, b.record);
  const bool networks =
      std::any_of(pairs.begin(), pairs.end(), [](const SlotPair& pair) { return pair.path->starts_with(kNetwork); });
  const Sections sections = networks ? Sections(kSections) : Sections(kSectionsOfOneNetwork);
  std::vector<DifferenceUnit> units;
  for (const Section& section : sections) {
    const auto belongs = [&](const SlotPair& pair) { return section_of(*pair.path, sections) == &section; };
    std::vector<const SlotPair*> its;
    for (const SlotPair& pair : pairs)
      if (belongs(pair)) its.push_back(&pair);
    if (!moves_whole(section, its, a.record, b.record)) continue;
    units.push_back(section_unit(section, a.record, b.record));
    std::erase_if(pairs, belongs);
  }
  std::vector<DifferenceUnit> fields = field_units(pairs);
  std::move(fields.begin(), fields.end(), std::back_inserter(units));
  return units;
}

}  // namespace planner
