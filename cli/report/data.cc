#include "cli/report/data.h"

#include <algorithm>
#include <charconv>
#include <cmath>

namespace cli {
namespace {

bool is_plain(const Data& d) { return !d.list() && !d.object(); }

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

void flatten_into(const std::string& name, const Data& value, Data::Object& out);

void flatten_list(const std::string& name, const Data::List& list, Data::Object& out) {
  if (list.empty()) return out.push_back({name, {}});
  if (std::all_of(list.begin(), list.end(), is_plain)) {
    std::string joined;
    for (const Data& d : list) joined += (joined.empty() ? "" : " ") + plain_text(d);
    return out.push_back({name, joined});
  }
  for (size_t i = 0; i < list.size(); ++i) flatten_into(name + "." + std::to_string(i), list[i], out);
}

void flatten_into(const std::string& name, const Data& value, Data::Object& out) {
  if (const Data::List* list = value.list()) return flatten_list(name, *list, out);
  const Data::Object* object = value.object();
  if (!object) return out.push_back({name, value});
  if (object->empty()) return out.push_back({name, {}});
  for (const Member& m : *object) flatten_into(name + "." + m.name, m.value, out);
}

}  // namespace

Data::Data() = default;
Data::Data(bool b) : v(b) {}
Data::Data(int n) : v(static_cast<int64_t>(n)) {}
Data::Data(int64_t n) : v(n) {}
Data::Data(double x) : v(x) {}
Data::Data(std::string s) : v(std::move(s)) {}
Data::Data(const char* s) : v(std::string(s)) {}
Data::Data(List l) : v(std::move(l)) {}
Data::Data(Object o) : v(std::move(o)) {}
Data::Data(const std::optional<double>& x) {
  if (x) v = *x;
}
Data::Data(const Data&) = default;
Data::Data(Data&&) noexcept = default;
Data& Data::operator=(const Data&) = default;
Data& Data::operator=(Data&&) noexcept = default;
Data::~Data() = default;

std::optional<double> Data::number() const {
  if (const int64_t* n = std::get_if<int64_t>(&v)) return static_cast<double>(*n);
  const double* x = std::get_if<double>(&v);
  return x && std::isfinite(*x) ? std::optional(*x) : std::nullopt;
}

const Data* Data::find(std::string_view name) const {
  if (const Object* members = object())
    for (const Member& m : *members)
      if (m.name == name) return &m.value;
  return nullptr;
}

Data whole(double x) {
  bool exact = std::abs(x) < 9007199254740992.0 && x == std::floor(x);  // 2^53; false for NaN
  return exact ? Data(static_cast<int64_t>(x)) : Data(x);
}

Data whole(const std::optional<double>& x) { return x ? whole(*x) : Data(); }

Data::Object flatten(const Data::Object& object) {
  Data::Object out;
  for (const Member& m : object) flatten_into(m.name, m.value, out);
  return out;
}

}  // namespace cli
