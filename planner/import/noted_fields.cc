#include "planner/import/noted_fields.h"

#include <algorithm>

#include "dsl/raw_text.h"
#include "dsl/similar.h"
#include "planner/import/field_tree.h"
#include "planner/scenario/scenario.h"

namespace planner {
namespace {

std::vector<std::string> noted_names() {
  std::vector<std::string> names{kNotedErrors};
  for (const dsl::Field& field : scenario_schema())
    if (is_noted(field)) names.push_back(field.path);
  return names;
}

/// "software.gap = 13 us".
void put_note(std::string_view note, const dsl::Span& span, dsl::Node& scenario, dsl::Diagnostics& diagnostics) {
  const size_t equals = std::min(note.find('='), note.size());
  const std::string name(dsl::trimmed(note.substr(0, equals)));
  const std::string value(dsl::trimmed(note.substr(std::min(equals + 1, note.size()))));
  const std::vector<std::string> names = noted_names();
  if (std::ranges::find(names, name) == names.end())
    return diagnostics.error(span, "'" + dsl::shortened(name) + "' is no measured figure of a software",
                             dsl::did_you_mean(name, names));
  if (value.empty())
    return diagnostics.error(span, "'" + name + "' has no value", "`" + std::string(kNotedField) + name + " = 0`");
  put_field(scenario, name, value_node(value, span, "noted by the export", name == kNotedErrors), span);
}

}  // namespace

bool is_noted(const dsl::Field& field) {
  return field.descriptive && field.type != dsl::Type::name && field.path.starts_with("software.");
}

void put_noted_fields(const dsl::Source& text, dsl::Node& scenario, dsl::Diagnostics& diagnostics) {
  const std::string_view all = text.text;
  const dsl::LineMap lines(text);
  for (size_t from = 0; from < all.size();) {
    const size_t end = std::min(all.find('\n', from), all.size());
    const std::string_view line = all.substr(from, end - from);
    if (line.starts_with(kNotedField)) {
      const size_t at = from + kNotedField.size();
      put_note(line.substr(kNotedField.size()), lines.at(at, std::max<size_t>(1, end - at)), scenario, diagnostics);
    }
    from = end + 1;
  }
  order_fields(scenario, scenario_schema());
}

}  // namespace planner
