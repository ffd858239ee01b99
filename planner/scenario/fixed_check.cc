#include "planner/scenario/fixed_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "planner/scenario/fixed.h"

namespace planner {
namespace {

constexpr const char* kCommon[] = {"name", "kind", "rows", "out", "count"};

const std::vector<std::string>& fields_of_operators() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> names;
    for (const dsl::Field& f : dsl::schema_of<FixedOperator>()) names.push_back(f.path);
    std::erase_if(names, [](const std::string& name) { return std::ranges::count(kCommon, name) > 0; });
    return names;
  }();
  return names;
}

const KindFields& kind_at(const dsl::Record& record, const std::string& at) {
  const auto& word = std::get<std::string>(record.find(at + ".kind")->value.v);
  return fields_of(static_cast<FixedKind>(std::ranges::find(kFixedNames, word) - kFixedNames.begin()));
}

bool is_among(const std::vector<std::string>& names, const std::string& name) {
  return std::ranges::find(names, name) != names.end();
}

bool takes(const KindFields& kind, const std::string& name) {
  return is_among(kind.needs, name) || is_among(kind.may, name);
}

std::string what_it_takes(const KindFields& kind) {
  std::vector<std::string> names(std::begin(kCommon), std::end(kCommon));
  for (const auto* more : {&kind.needs, &kind.may}) names.insert(names.end(), more->begin(), more->end());
  return fmt::format("'{}' takes {}", kFixedNames[static_cast<size_t>(kind.kind)], fmt::join(names, ", "));
}

void check_operator(const dsl::Record& record, const std::string& at, const KindFields& kind,
                    dsl::Diagnostics& diagnostics) {
  const char* word = kFixedNames[static_cast<size_t>(kind.kind)];
  for (const std::string& name : fields_of_operators()) {
    const dsl::Slot& slot = *record.find(at + "." + name);
    if (!slot.given && is_among(kind.needs, name))
      diagnostics.error(slot.span, fmt::format("missing required field {}.{}", at, name),
                        fmt::format("an operator of kind '{}' needs it", word));
    if (slot.given && !takes(kind, name))
      diagnostics.error(slot.span, fmt::format("{}.{}: an operator of kind '{}' has no '{}'", at, name, word, name),
                        what_it_takes(kind));
  }
}

}  // namespace

void check_operators(const dsl::Record& record, const std::set<std::string>& open, dsl::Diagnostics& diagnostics) {
  // A resolved scenario says 0. Records of machines and software have no model.
  const dsl::Slot* image = record.find("model.image");
  const bool is_said =
      image && image->given && (open.contains("model.image") || image->value != dsl::Value{dsl::Number{0, dsl::kNone}});
  if (is_said && record.size("model.operators") == 0)
    diagnostics.error(image->span, "model.image: the model has no operators whose rows count its pixels",
                      "leave it out, or write a list of operators");
  for (size_t i = 0; i < record.size("model.operators"); ++i) {
    const std::string at = fmt::format("model.operators[{}]", i);
    if (open.contains(at + ".kind")) continue;
    check_operator(record, at, kind_at(record, at), diagnostics);
  }
}

void hide_foreign_defaults(dsl::Record& record) {
  for (size_t i = 0; i < record.size("model.operators"); ++i) {
    const std::string at = fmt::format("model.operators[{}]", i);
    for (const std::string& name : fields_of_operators()) {
      dsl::Slot& slot = record.slots[record.index.find(at + "." + name)->second].second;
      if (!takes(kind_at(record, at), name)) slot.value = {};
    }
  }
}

}  // namespace planner
