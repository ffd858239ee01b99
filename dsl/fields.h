// One line per field: the same line gives the schema row and reads the value.
//
//     template <class V> void fields(V& v, Tea& t) {
//       v("sugar", t.sugar, {.required = true, .least = 1, .doc = "spoons in a cup"});
//       v("sort", t.sort, {.doc = "..."});                                   // by default what a new Tea has
//       v("milk", t.milk, {.otherwise = "tea.sugar / 2", .doc = "..."});     // by default what this comes to
//       v.section("water", t.water);   // nested struct
//       v.list("cups", t.cups);        // vector of structs
//       v.table("prices", t.prices);   // map of structs, by name
//     }
//
// The member's type decides the field's: int64_t a count, double a number, bool, Quantity<D>,
// std::string a name, an enum a word (its identifiers, unless `words(E)` lists others), Expression,
// std::vector<T> of those, std::optional<T> a field that may be absent.
#pragma once

#include <cassert>
#include <cstdint>
#include <functional>
#include <map>
#include <type_traits>

#include "dsl/enum_words.h"
#include "dsl/record.h"

namespace dsl {

struct About {
  bool required = false;            // has no default
  const char* otherwise = nullptr;  // default, an expression; null: the member's initial value, for a list nothing
  double least = -std::numeric_limits<double>::infinity();
  double most = std::numeric_limits<double>::infinity();
  const char* doc = "";
  const char* unless = nullptr;  // required, except next to this list: there the default applies
  bool bare = false;             // expressions may name it without its section
  bool asserted = false;         // conditions that a space does not go by
  bool descriptive = false;      // a measured figure or a name: no program takes it as a setting
};

template <class T> struct IsOptional : std::false_type { using Inner = T; };
template <class T> struct IsOptional<std::optional<T>> : std::true_type { using Inner = T; };
template <class T> struct IsVector : std::false_type { using Inner = T; };
template <class T> struct IsVector<std::vector<T>> : std::true_type { using Inner = T; };
template <class T> struct DimOf {
  static constexpr bool is_quantity = false;
  static constexpr Dim dim{};
};
template <Dim D> struct DimOf<Quantity<D>> {
  static constexpr bool is_quantity = true;
  static constexpr Dim dim = D;
};

/// The value of a member that holds no expression; numbers as `rounded` has them.
template <class T, class Rounded> Value member_value(const T& member, const Rounded& rounded) {
  if constexpr (IsVector<T>::value) {
    List list;
    for (const auto& item : member) list.push_back(member_value(item, rounded));
    return Value{std::move(list)};
  } else if constexpr (std::is_same_v<T, bool> || std::is_same_v<T, std::string>) {
    return Value{member};
  } else if constexpr (std::is_enum_v<T>) {
    return Value{std::string(word_of(member))};
  } else if constexpr (DimOf<T>::is_quantity) {
    return Value{Number{rounded(member.value), DimOf<T>::dim}};
  } else if constexpr (std::is_integral_v<T>) {
    return Value{Number{static_cast<double>(member), kNone}};
  } else {
    return Value{Number{rounded(member), kNone}};
  }
}

/// Shared by visitors of members: the path of their struct.
template <class Visitor> class PathVisitor {
 public:
  template <class T> void section(const char* name, T& t) { inside(std::string(name) + ".", t); }
  /// Whether the struct at the path is of interest.
  bool enters() const { return true; }

 protected:
  explicit PathVisitor(std::string prefix) : prefix_(std::move(prefix)) {}

  template <class T> void inside(const std::string& step, T& t) {
    const size_t outer = prefix_.size();
    prefix_ += step;
    if (auto& self = static_cast<Visitor&>(*this); self.enters()) fields(self, t);
    prefix_.resize(outer);
  }
  template <class T> void items(const char* name, std::vector<T>& all) {
    for (size_t i = 0; i < all.size(); ++i) inside(std::string(name) + "[" + std::to_string(i) + "].", all[i]);
  }

  std::string prefix_;
};

/// Collects schema rows. REQUIRES: a struct as it is made, whose members are the defaults.
class SchemaVisitor : public PathVisitor<SchemaVisitor> {
 public:
  explicit SchemaVisitor(std::string prefix = "") : PathVisitor(std::move(prefix)) {}

  template <class T> void operator()(const char* name, T& member, const About& about) {
    using Single = typename IsVector<typename IsOptional<T>::Inner>::Inner;
    Field f;
    f.path = prefix_ + name;
    f.many = IsVector<typename IsOptional<T>::Inner>::value;
    f.optional = IsOptional<T>::value;
    f.required = about.required || about.unless;
    f.unless = about.unless ? about.unless : "";
    if (about.otherwise) f.otherwise = about.otherwise;
    else if (!f.required) f.otherwise = default_text(member);
    f.doc = about.doc;
    f.bare = about.bare;
    f.asserted = about.asserted;
    f.descriptive = about.descriptive;
    f.least = about.least;
    f.most = about.most;
    set_type<Single>(f);
    rows.push_back(std::move(f));
  }
  template <class T> void list(const char* name, std::vector<T>&) {
    T t{};
    inside(std::string(name) + "[].", t);
  }
  template <class T> void table(const char* name, std::map<std::string, T>&) {
    T t{};
    inside(std::string(name) + ".*.", t);
  }

  Schema rows;

 private:
  template <class T> static std::string default_text(const T& member) {
    if constexpr (IsOptional<T>::value || IsVector<T>::value || std::is_same_v<T, Expression>) return "";
    else return to_text(member_value(member, std::identity{}));
  }
  template <class T> static void set_type(Field& f) {
    if constexpr (std::is_same_v<T, bool>) f.type = Type::boolean;
    else if constexpr (std::is_same_v<T, std::string>) f.type = Type::name;
    else if constexpr (std::is_same_v<T, Expression>) f.type = Type::expression;
    else if constexpr (std::is_integral_v<T>) f.type = Type::count;
    else if constexpr (std::is_floating_point_v<T>) f.type = Type::number;
    else if constexpr (std::is_enum_v<T>) {
      f.type = Type::word;
      for (const char* w : words_of<T>()) f.words.emplace_back(w);
    } else {
      static_assert(DimOf<T>::is_quantity, "no field type for this member");
      f.type = Type::quantity;
      f.dim = DimOf<T>::dim;
    }
  }
};

/// A value of the member's type, as `convert` made it; a vector takes a list.
template <class T> void set_member(const Value& v, T& member) {
  if constexpr (IsVector<T>::value) {
    member.clear();
    const List* list = std::get_if<List>(&v.v);
    if (!list) return;
    for (const Value& item : *list) set_member(item, member.emplace_back());
  } else if constexpr (IsOptional<T>::value) {
    if (v.is_null()) member.reset();
    else set_member(v, member.emplace());
  } else if constexpr (std::is_same_v<T, bool>) member = std::get<bool>(v.v);
  else if constexpr (std::is_same_v<T, std::string>) member = std::get<std::string>(v.v);
  else if constexpr (std::is_enum_v<T>) {
    const auto names = words_of<T>();
    for (size_t i = 0; i < names.size(); ++i)
      if (std::get<std::string>(v.v) == names[i]) member = static_cast<T>(i);
  } else if constexpr (DimOf<T>::is_quantity) member.value = std::get<Number>(v.v).value;
  else member = static_cast<T>(std::get<Number>(v.v).value);
}

/// Reads an evaluated record into a struct. REQUIRES: evaluated without errors against the same schema.
class BindVisitor : public PathVisitor<BindVisitor> {
 public:
  explicit BindVisitor(const Record& record, std::string prefix = "")
      : PathVisitor(std::move(prefix)), record_(record) {}

  template <class T> void operator()(const char* name, T& member, const About&) {
    const Slot* slot = record_.find(prefix_ + name);
    assert(slot && "field missing from the record");
    if constexpr (IsOptional<T>::value) {
      if (slot->value.is_null() && slot->expressions.empty()) member.reset();
      else read(*slot, member.emplace());
    } else {
      read(*slot, member);
    }
  }
  template <class T> void list(const char* name, std::vector<T>& out) {
    out.assign(record_.size(prefix_ + name), T{});
    items(name, out);
  }
  template <class T> void table(const char* name, std::map<std::string, T>& out) {
    out.clear();
    for (const std::string& key : record_.keys(prefix_ + name)) inside(std::string(name) + "." + key + ".", out[key]);
  }

 private:
  template <class T> static void read(const Slot& slot, T& member) {
    if constexpr (std::is_same_v<T, Expression>) member = slot.expressions.at(0);
    else if constexpr (std::is_same_v<T, std::vector<Expression>>) member = slot.expressions;
    else set_member(slot.value, member);
  }
  const Record& record_;
};

/// The schema of T below `prefix` ("" or "tea.").
template <class T> Schema schema_of(const std::string& prefix = "") {
  SchemaVisitor v(prefix);
  T t{};
  fields(v, t);
  return std::move(v.rows);
}
template <class T> T bind(const Record& record, const std::string& prefix = "") {
  BindVisitor v(record, prefix);
  T t{};
  fields(v, t);
  return t;
}

}  // namespace dsl
