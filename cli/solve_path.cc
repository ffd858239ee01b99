#include "cli/solve_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dsl/convert.h"

namespace cli {
namespace {

using dsl::Type;

constexpr const char* kTiers = "cluster.network";

/// The tier that a role means: the innermost, or the first that reaches beyond a node; past the end: none.
size_t tier_of_role(const planner::OpenScenario& open, std::string_view role) {
  const auto& tiers = open.sample.cluster.network;
  if (role == "intra_node") return 0;
  if (role != "inter_node") return tiers.size();
  const auto beyond = std::find_if(tiers.begin(), tiers.end(), [&](const auto& tier) {
    return tier.size == 0 || tier.size > open.sample.cluster.gpus_per_node;
  });
  return static_cast<size_t>(beyond - tiers.begin());
}

/// "cluster.network.nvlink.latency" -> "cluster.network[0].latency"; anything else as it is.
std::string by_name(const std::string& path, const planner::OpenScenario& open) {
  const dsl::Record& record = open.space.record();
  for (const auto& [list, size] : record.list_sizes) {
    if (!path.starts_with(list + ".")) continue;
    const size_t begin = list.size() + 1, end = path.find('.', begin);
    if (end == std::string::npos) continue;
    const std::string name = path.substr(begin, end - begin);
    for (size_t i = 0; i < size; ++i) {
      const std::string item = fmt::format("{}[{}]", list, i);
      const dsl::Slot* slot = record.find(item + ".name");
      const bool role = list == kTiers && tier_of_role(open, name) == i;
      if (role || (slot && dsl::to_text(slot->value) == name)) return item + path.substr(end);
    }
  }
  return path;
}

const dsl::OpenItem* open_item(const planner::OpenScenario& open, const std::string& path) {
  for (const dsl::OpenItem& item : open.space.items())
    if (item.path == path) return &item;
  return nullptr;
}

/// Why the field has no value to start from; "": `value` is it.
std::string no_start(const planner::OpenScenario& open, const std::string& path, const dsl::Slot& slot,
                     dsl::Value& value) {
  const dsl::OpenItem* item = open_item(open, path);
  value = item && !item->values.empty() ? item->values.front() : slot.value;
  if (item && item->values.empty()) return path + " differs between candidates: there is no value to start from";
  if (value.is_null()) return path + " has no value to start from";
  const bool stuck = slot.field->type != Type::count && !std::isfinite(slot.field->most);
  return stuck && std::get<dsl::Number>(value.v).value == 0 ? path + " is 0: there is nothing to double" : "";
}

}  // namespace

std::optional<SolvePath> solve_path(const dsl::Source& source, const planner::OpenScenario& open,
                                    dsl::Diagnostics& diagnostics) {
  const dsl::Span place{&source, 1, 1, static_cast<int>(source.text.size())};
  const dsl::Record& record = open.space.record();
  const std::string path = by_name(source.text, open);
  const dsl::Slot* slot = record.find(path);
  if (!slot) {
    std::vector<std::string> known;
    for (const auto& [name, one] : record.slots) known.push_back(name);
    diagnostics.error(place, "unknown field '" + path + "'", dsl::did_you_mean(path, known));
    return std::nullopt;
  }
  const dsl::Field& field = *slot->field;
  const bool numeric = field.type == Type::count || field.type == Type::number || field.type == Type::quantity;
  if (!numeric || field.many) {
    diagnostics.error(place, fmt::format("--solve moves a number, {} is {}{}", path, field.many ? "a list of " : "",
                                         dsl::expectation(field)));
    return std::nullopt;
  }
  dsl::Value value;
  if (const std::string why = no_start(open, path, *slot, value); !why.empty()) {
    diagnostics.error(place, why, "give it one with --set " + path + "=...");
    return std::nullopt;
  }
  SolvePath out{.path = path, .field = &field, .range = {}};
  out.range = {std::get<dsl::Number>(value.v).value, field.least, field.most, field.type == Type::count};
  return out;
}

}  // namespace cli
