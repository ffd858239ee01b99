#include "cli/input/solve_path.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "dsl/convert.h"
#include "planner/scenario/field_path.h"

namespace cli {
namespace {

using dsl::Type;

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
  const std::string path = planner::indexed_path(source.text, record, open.sample.cluster);
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
