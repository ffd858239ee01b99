#include "dsl/write.h"

#include <algorithm>

#include "dsl/quoting.h"
#include "dsl/raw_text.h"

namespace dsl {
namespace {

/// Safe without quotes: a word of letters, digits and a few signs that YAML takes for text.
bool is_plain_word(const std::string& text) {
  if (text.empty() || !is_name_start(text[0]) || text == "null" || text == "true" || text == "false") return false;
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return is_name_char(c) || c == '-' || c == '.' || c == '/' || c == '+'; });
}

std::string value_text(const Node& node) {
  if (node.kind == Node::Kind::null) return "null";
  if (node.kind == Node::Kind::scalar)
    return node.quoted && !is_plain_word(node.text) ? double_quoted(node.text) : node.text;
  std::string out;
  for (const Node& item : node.items) out += (out.empty() ? "" : ", ") + value_text(item);
  for (const Entry& e : node.entries) out += (out.empty() ? "" : ", ") + e.key + ": " + value_text(e.value);
  return node.kind == Node::Kind::list ? "[" + out + "]" : "{" + out + "}";
}

constexpr size_t kCommentColumn = 26;

/// Maps whose fields have comments take a line for each field, unless one comment is for all.
bool is_commented_list(const Node& node) {
  const auto commented = [](const Entry& e) { return !e.value.comment.empty(); };
  return node.kind == Node::Kind::list && node.comment.empty() &&
         std::ranges::any_of(node.items, [&](const Node& item) {
           return item.kind == Node::Kind::map && std::ranges::any_of(item.entries, commented);
         });
}

void write_map(const Node& map, const std::string& indent, std::string& out);

void write_items(const Node& list, const std::string& indent, std::string& out) {
  for (const Node& item : list.items) {
    const size_t from = out.size();
    if (item.kind == Node::Kind::map && !item.entries.empty()) write_map(item, indent + "  ", out);
    else out += indent + "  " + value_text(item) + "\n";
    out[from + indent.size()] = '-';
  }
}

void write_map(const Node& map, const std::string& indent, std::string& out) {
  for (const Entry& e : map.entries) {
    std::string line = indent + e.key + ":";
    if (is_commented_list(e.value)) {
      out += line + "\n";
      write_items(e.value, indent + "  ", out);
      continue;
    }
    if (e.value.kind == Node::Kind::map && !e.value.entries.empty() && e.value.comment.empty()) {
      out += line + "\n";
      write_map(e.value, indent + "  ", out);
      continue;
    }
    line += " " + value_text(e.value);
    if (!e.value.comment.empty()) {
      line.resize(std::max(line.size(), kCommentColumn - 2), ' ');
      line += "  # " + printable(e.value.comment);
    }
    out += line + "\n";
  }
}

}  // namespace

Node scalar_node(std::string text, bool quoted) {
  Node node;
  node.kind = Node::Kind::scalar;
  node.text = std::move(text);
  node.quoted = quoted;
  return node;
}

Node value_node(const Value& value, bool as_expression) {
  if (const auto* list = std::get_if<List>(&value.v)) {
    const bool is_word = list->size() == 1 && std::holds_alternative<std::string>(list->front().v);
    if (is_word && !as_expression) return value_node(list->front());
    Node node;
    node.kind = Node::Kind::list;
    for (const Value& item : *list) node.items.push_back(value_node(item, as_expression));
    return node;
  }
  if (!std::holds_alternative<std::string>(value.v)) return scalar_node(to_text(value), false);
  if (!as_expression) return scalar_node(to_text(value), true);
  const std::string list = to_text(Value{List{value}});  // the language's own quoting, without its brackets
  return scalar_node(list.substr(1, list.size() - 2), true);
}

std::string write_value(const Value& value) { return value_text(value_node(value)); }

std::string shown_value(const Value& value) {
  return std::holds_alternative<List>(value.v) ? write_value(value) : to_text(value);
}

std::string write_yaml(const Node& map) {
  std::string out;
  write_map(map, "", out);
  return out;
}

}  // namespace dsl
