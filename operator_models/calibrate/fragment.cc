#include "operator_models/calibrate/fragment.h"

#include <algorithm>

#include "dsl/write_fields.h"

namespace operator_models {
namespace {

constexpr int kDigits = 4;

constexpr size_t kOneLine = 8;  // entries of a row that still reads well on one line

bool is_row(const dsl::Node& map) {
  return map.entries.size() <= kOneLine && std::all_of(map.entries.begin(), map.entries.end(), [](const dsl::Entry& e) {
           return e.value.kind == dsl::Node::Kind::scalar;
         });
}

/// Each line that holds a figure gets the comment: `show` prints it with the figure.
void comment(dsl::Node& map, const std::string& text, bool top = true) {
  if (!top && is_row(map)) {
    map.comment = text;
    return;
  }
  for (dsl::Entry& e : map.entries) {
    if (e.value.kind == dsl::Node::Kind::map) comment(e.value, text, false);
    else e.value.comment = text;
  }
}

dsl::Node named(const std::string& text) { return dsl::value_node(dsl::Value{text}); }

}  // namespace

dsl::Node difference(const Calibration& fitted, const Calibration& base) {
  return dsl::difference(dsl::to_node(fitted, kDigits), dsl::to_node(base, kDigits),
                         dsl::to_node(fitted, kDigits, true));
}

dsl::Node fragment(const Calibration& fitted, const Calibration& base, const std::string& provenance) {
  dsl::Node out = difference(fitted, base);
  comment(out, provenance);
  if (!base.name.empty()) out.entries.insert(out.entries.begin(), {"extends", {}, named(base.name)});
  return out;
}

}  // namespace operator_models
