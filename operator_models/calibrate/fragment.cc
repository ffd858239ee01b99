#include "operator_models/calibrate/fragment.h"

#include "dsl/write_fields.h"

namespace operator_models {
namespace {

constexpr int kDigits = 4;

/// The last map on the way to a figure gets the comment on its first value: `show` prints it with each of them.
void comment(dsl::Node& map, const std::string& text) {
  for (dsl::Entry& e : map.entries) {
    if (e.value.kind == dsl::Node::Kind::map) comment(e.value, text);
    else e.value.comment = text;
  }
}

dsl::Node named(const std::string& text) { return dsl::value_node(dsl::Value{text}); }

}  // namespace

dsl::Node difference(const Calibration& fitted, const Calibration& base) {
  return dsl::difference(dsl::to_node(fitted, kDigits), dsl::to_node(base, kDigits));
}

dsl::Node fragment(const Calibration& fitted, const Calibration& base, const std::string& provenance) {
  dsl::Node out = difference(fitted, base);
  comment(out, provenance);
  if (!base.name.empty()) out.entries.insert(out.entries.begin(), {"extends", {}, named(base.name)});
  return out;
}

}  // namespace operator_models
