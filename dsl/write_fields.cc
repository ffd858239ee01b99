#include "dsl/write_fields.h"

#include <charconv>
#include <cmath>

namespace dsl {

double rounded(double value, int digits) {
  if (digits <= 0 || !std::isfinite(value)) return value;
  char buffer[64];
  const char* end = std::to_chars(buffer, buffer + sizeof buffer, value, std::chars_format::scientific, digits - 1).ptr;
  std::from_chars(buffer, end, value);
  return value;
}

namespace {

bool same(const Node& a, const Node& b) {
  if (a.kind != b.kind || a.text != b.text || a.items.size() != b.items.size() || a.entries.size() != b.entries.size())
    return false;
  for (size_t i = 0; i < a.items.size(); ++i)
    if (!same(a.items[i], b.items[i])) return false;
  for (size_t i = 0; i < a.entries.size(); ++i)
    if (a.entries[i].key != b.entries[i].key || !same(a.entries[i].value, b.entries[i].value)) return false;
  return true;
}

}  // namespace

Node difference(const Node& a, const Node& b, const Node& sparse) {
  Node out = a;
  out.entries.clear();
  for (const Entry& e : a.entries) {
    const Node *other = b.find(e.key), *shorter = sparse.find(e.key);
    if (other && same(e.value, *other)) continue;
    const bool both_maps = other && e.value.kind == Node::Kind::map && other->kind == Node::Kind::map;
    if (both_maps) out.entries.push_back({e.key, {}, difference(e.value, *other, shorter ? *shorter : e.value)});
    else out.entries.push_back({e.key, {}, !other && shorter ? *shorter : e.value});
  }
  return out;
}

}  // namespace dsl
