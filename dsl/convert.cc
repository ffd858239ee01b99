#include "dsl/convert.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "dsl/raw_text.h"
#include "dsl/slips.h"
#include "dsl/units.h"

namespace dsl {
namespace {

constexpr double kLargestCount = 9007199254740992.0;  // 2^53: beyond it doubles skip whole numbers

// A value as a message shows it: as it is written where that is a plain value, else what it comes to.
std::string shown(const Value& value, const Origin& origin) {
  if (std::holds_alternative<Number>(value.v) && origin.is_plain()) return origin.text;
  const std::string text = to_text(value);
  if (std::holds_alternative<std::string>(value.v)) return "the string '" + shortened(text) + "'";
  if (std::holds_alternative<List>(value.v)) return "a list";
  return text;
}

std::string limit_text(const Field& field, double limit) { return to_text(Value{Number{limit, field.dim}}); }

class Conversion {
 public:
  Conversion(const Field& field, const Origin& origin, Diagnostics& diagnostics)
      : field_(field), origin_(origin), diagnostics_(diagnostics) {}

  std::optional<Value> convert(const Value& raw) {
    switch (field_.type) {
      case Type::boolean:
        return std::holds_alternative<bool>(raw.v) ? raw : wrong(raw, boolean_hint());
      case Type::word:
        return word(raw);
      case Type::name:
        return std::holds_alternative<std::string>(raw.v) ? raw : wrong(raw);
      case Type::expression:
        return raw;
      default:
        return number(raw);
    }
  }

 private:
  std::optional<Value> error(std::string message, std::string hint = {}) {
    return diagnostics_.refuse(origin_.span, std::move(message), std::move(hint));
  }
  std::optional<Value> wrong(const Value& raw, std::string hint = {}) {
    return error(mismatch(field_, origin_.path, shown(raw, origin_)), std::move(hint));
  }

  std::optional<Value> word(const Value& raw) {
    const auto* text = std::get_if<std::string>(&raw.v);
    if (text && std::find(field_.words.begin(), field_.words.end(), *text) != field_.words.end()) return raw;
    return text ? wrong(raw, did_you_mean(*text, field_.words)) : wrong(raw);
  }

  std::optional<Value> number(const Value& raw) {
    const auto* x = std::get_if<Number>(&raw.v);
    if (!x) return wrong(raw, unit_hint(field_));
    if (is_date(origin_.text))
      return error(mismatch(field_, origin_.path, "the date " + origin_.text),
                   field_.type == Type::quantity ? unit_hint(field_) : difference_hint(origin_.text));
    if (field_.type == Type::quantity && x->dim == kData && origin_.text.ends_with('b') && origin_.is_plain())
      return error("expected bytes for " + origin_.path + ", got " + origin_.text + ", which are bits",
                   as_bytes(origin_.text));
    const Dim wanted = field_.type == Type::quantity ? field_.dim : kNone;
    if (!(x->dim == wanted))
      return error(mismatch(field_, origin_.path, (x->dim == kNone ? "the plain number " : "") + shown(raw, origin_)),
                   dimension_hint(*x));
    Number out = *x;
    if (field_.type == Type::count && !whole(out)) return wrong(raw);
    if (field_.type == Type::count && std::fabs(out.value) > kLargestCount)
      return error(origin_.path + " is larger than 2^53");
    return in_range(out);
  }

  std::string boolean_hint() const {
    if (origin_.text != "1" && origin_.text != "0") return "";
    return origin_.text == "1" ? "write 'true'" : "write 'false'";
  }

  // What to write for a number of another dimension.
  std::string dimension_hint(const Number& x) const {
    if (field_.type != Type::quantity) {
      const std::string number = billions(origin_.text);
      return number.empty() ? "the field takes no unit" : "write '" + number + "'";
    }
    std::string hint;
    for (const char* below : {"/week", "/s", "/h"}) {
      if (below == std::string_view("/week") && !origin_.text.ends_with('%')) continue;
      const std::string text = origin_.text + below;
      const Scanned rate = scan_number(text);
      if (origin_.is_plain() && hint.empty() && rate.length == text.size() && rate.number.dim == field_.dim &&
          (x.dim == kMoney) == (below == std::string_view("/h")))
        hint = "write '" + text + "'";
    }
    if (hint.empty() && origin_.is_plain() && x.dim == kNone) hint = with_usual_units(origin_.text, field_.dim);
    return hint.empty() ? unit_hint(field_) : hint;
  }

  // Rounds the default of a count down, see record.h.
  bool whole(Number& x) const {
    if (x.value == std::trunc(x.value)) return true;
    if (!origin_.is_default) return false;
    x.value = std::floor(x.value);
    return true;
  }

  std::optional<Value> in_range(Number x) {
    if (field_.type == Type::count && origin_.is_default)
      x.value = std::min(std::max(x.value, field_.least), field_.most);
    if (x.value < field_.least)
      return error(
          origin_.path + " must be at least " + limit_text(field_, field_.least) + ", got " + shown({x}, origin_),
          range_hint(origin_.text));
    if (x.value > field_.most)
      return error(origin_.path + " must be at most " + limit_text(field_, field_.most) + ", got " +
                   shown({x}, origin_));
    return Value{x};
  }

  const Field& field_;
  const Origin& origin_;
  Diagnostics& diagnostics_;
};

}  // namespace

bool Origin::is_plain() const {
  const std::string_view digits = std::string_view(text).substr(text.starts_with('-') ? 1 : 0);
  return !digits.empty() && scan_number(digits).length == digits.size();
}

std::string expectation(const Field& field) {
  if (field.type == Type::quantity) return dim_name(field.dim);
  constexpr std::array kExpected{"a whole number", "a plain number", "true or false", "", "",
                                 "a name",         "an expression"};
  if (field.type != Type::word) return kExpected[static_cast<size_t>(field.type)];
  std::string out = "one of ";
  for (size_t i = 0; i < field.words.size(); ++i) out += (i ? ", " : "") + field.words[i];
  return out;
}

std::string mismatch(const Field& field, const std::string& path, const std::string& got) {
  return "expected " + expectation(field) + " for " + path + ", got " + got;
}

std::string unit_hint(const Field& field) {
  return field.type == Type::quantity ? "write a number with its unit: " + dim_units(field.dim) : "";
}

std::optional<double> converted_count(const Field& field, double raw, bool is_default) {
  double x = is_default ? std::floor(raw) : raw;
  if (!(x == std::trunc(x)) || std::fabs(x) > kLargestCount) return std::nullopt;  // also for NaN
  if (is_default) x = std::min(std::max(x, field.least), field.most);
  return x >= field.least && x <= field.most ? std::optional(x) : std::nullopt;
}

std::optional<Value> convert(const Field& field, const Value& raw, const Origin& origin, Diagnostics& diagnostics) {
  return Conversion(field, origin, diagnostics).convert(raw);
}

}  // namespace dsl
