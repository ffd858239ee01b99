#include "cli/files/partial_digest.h"

#include <fmt/format.h>

#include "cli/input/json_object.h"

namespace cli {
namespace {

constexpr const char* kMembers[] = {"space", "sequence", "partial"};  // that are digested, beside the rows
constexpr const char* kRows[] = {"plans", "pareto"};

// What JSON does not keep apart is one text: counts and figures, NaN and null, control bytes and blanks.
std::string number_text(std::optional<double> x) { return x ? fmt::format("{}", *x) : "null"; }

std::string quoted(std::string text) {
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  return '"' + text + '"';
}

std::string canonical(const Data& data) {
  std::string out;
  if (const bool* b = std::get_if<bool>(&data.v)) return *b ? "true" : "false";
  if (const std::string* text = data.text()) return quoted(*text);
  if (const Data::List* list = data.list()) {
    for (const Data& item : *list) out += canonical(item) + ",";
    return "[" + out + "]";
  }
  if (const Data::Object* object = data.object()) {
    for (const Member& m : *object) out += quoted(m.name) + canonical(m.value) + ",";
    return "{" + out + "}";
  }
  return number_text(data.number());
}

std::string canonical(const dsl::Node& node) {
  std::string out;
  switch (node.kind) {
    case dsl::Node::Kind::list:
      for (const dsl::Node& item : node.items) out += canonical(item) + ",";
      return "[" + out + "]";
    case dsl::Node::Kind::map:
      for (const dsl::Entry& entry : node.entries)
        if (entry.key != kContent) out += quoted(entry.key) + canonical(entry.value) + ",";
      return "{" + out + "}";
    case dsl::Node::Kind::scalar:
      if (node.quoted) return quoted(node.text);
      if (node.text == "true" || node.text == "false") return node.text;
      return number_text(json_number(node));
    case dsl::Node::Kind::null:
      break;
  }
  return "null";
}

/// Members one by one, and lists of rows by the sum of the hashes of their rows.
class Digest {
 public:
  void member(const char* name, const std::string& text) { hash_ = hashed(text, hashed(name, hash_)); }
  template <class Rows> void rows(const char* name, const Rows& rows) {
    uint64_t sum = 0;
    for (const auto& row : rows) sum += hashed(canonical(row));
    member(name, fmt::format("{} {:016x}", rows.size(), sum));
  }
  std::string text() const { return fmt::format("{:016x}", hash_); }

 private:
  uint64_t hash_ = hashed("");
};

}  // namespace

uint64_t hashed(std::string_view text, uint64_t hash) {
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

std::string content_digest(const Report& report) {
  const Data document(report.document);
  Digest digest;
  for (const char* name : kMembers)
    if (const Data* member = document.find(name)) digest.member(name, canonical(*member));
  for (const char* name : kRows) {
    const Data* member = document.find(name);
    if (name == report.key) digest.rows(name, *rows_of(report.table).list());
    else if (member && member->list()) digest.rows(name, *member->list());
  }
  return digest.text();
}

std::string content_digest(const dsl::Node& document) {
  Digest digest;
  for (const char* name : kMembers)
    if (const dsl::Node* member = document.find(name)) digest.member(name, canonical(*member));
  for (const char* name : kRows)
    if (const dsl::Node* member = document.find(name)) digest.rows(name, member->items);
  return digest.text();
}

}  // namespace cli
