#include "cli/report/data.h"

#include <algorithm>
#include <cmath>

namespace cli {

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

Data data_of(const Cell& cell) {
  return std::visit(
      [](const auto& value) -> Data {
        using Value = std::remove_cvref_t<decltype(value)>;
        if constexpr (std::is_same_v<Value, std::monostate>) return {};
        else if constexpr (std::is_same_v<Value, std::string_view>) return std::string(value);
        else return value;
      },
      cell);
}

Data whole(double x) { return data_of(whole_cell(x)); }

Data whole(const std::optional<double>& x) { return x ? whole(*x) : Data(); }

}  // namespace cli
