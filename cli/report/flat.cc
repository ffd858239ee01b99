#include "cli/report/flat.h"

#include <algorithm>
#include <charconv>

namespace cli {
namespace {

bool is_plain(const Data& d) { return !d.list() && !d.object(); }

// `name` is that of the value, and is so again when it returns.
void flat(std::string& name, const Data& value, const UseFlat& use);

void flat_inside(std::string& name, std::string_view inside, const Data& value, const UseFlat& use) {
  const size_t size = name.size();
  (name += '.') += inside;
  flat(name, value, use);
  name.resize(size);
}

void flat_list(std::string& name, const Data::List& list, const UseFlat& use) {
  if (list.empty()) return use(name, {});
  if (std::all_of(list.begin(), list.end(), is_plain)) {
    std::string joined;
    for (const Data& d : list) joined += (joined.empty() ? "" : " ") + plain_text(d);
    return use(name, joined);
  }
  for (size_t i = 0; i < list.size(); ++i) flat_inside(name, std::to_string(i), list[i], use);
}

void flat(std::string& name, const Data& value, const UseFlat& use) {
  if (const Data::List* list = value.list()) return flat_list(name, *list, use);
  const Data::Object* object = value.object();
  if (!object) return use(name, value);
  if (object->empty()) return use(name, {});
  for (const Member& m : *object) flat_inside(name, m.name, m.value, use);
}

}  // namespace

std::string plain_text(const Data& d) {
  if (const std::string* s = d.text()) return *s;
  if (const bool* b = std::get_if<bool>(&d.v)) return *b ? "true" : "false";
  if (const int64_t* n = std::get_if<int64_t>(&d.v)) return std::to_string(*n);
  if (auto x = d.number()) {
    char buffer[32];
    return {buffer, std::to_chars(buffer, buffer + sizeof buffer, *x).ptr};
  }
  return "";
}

void each_flat(std::string_view name, const Data& value, const UseFlat& use) {
  std::string whole(name);
  flat(whole, value, use);
}

}  // namespace cli
