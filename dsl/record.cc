#include "dsl/record.h"

namespace dsl {

Record::Record(const Record&) = default;
Record::Record(Record&&) noexcept = default;
Record& Record::operator=(const Record&) = default;
Record& Record::operator=(Record&&) noexcept = default;
Record::~Record() = default;

const Slot* Record::find(std::string_view path) const {
  auto it = index.find(path);
  return it == index.end() ? nullptr : &slots[it->second].second;
}

std::string_view last_part(std::string_view path) { return path.substr(path.rfind('.') + 1); }

std::string Record::full_path(const std::string& name) const {
  const auto it = index.find(name);
  return it == index.end() ? name : slots[it->second].first;
}

size_t Record::size(std::string_view list_path) const {
  auto it = list_sizes.find(list_path);
  return it == list_sizes.end() ? 0 : it->second;
}

std::vector<std::string> Record::keys(std::string_view map_path) const {
  auto it = map_keys.find(map_path);
  return it == map_keys.end() ? std::vector<std::string>{} : it->second;
}

std::optional<Value> evaluate(const Expression& expression, const Record& record,
                              const std::map<std::string, Value>& results, Diagnostics& diagnostics) {
  auto resolve = [&](const std::string& name, Span place) -> std::optional<Value> {
    if (const Slot* slot = record.find(name)) {
      if (!slot->value.is_null()) return slot->value;
      diagnostics.error(place, "'" + name + "' is not set");
      return Value{};
    }
    for (const auto& [let, value] : record.let)
      if (let == name) return value;
    auto it = results.find(name);
    if (it == results.end()) return std::nullopt;
    if (it->second.is_null()) diagnostics.error(place, "'" + name + "' has no value in this plan");
    return it->second;
  };
  std::vector<std::string> candidates;
  for (const auto& [name, value] : results) candidates.push_back(name);
  return evaluate(*expression.tree, resolve, diagnostics, candidates);
}

}  // namespace dsl
