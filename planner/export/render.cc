// Settings written down: flags of a shell, JSON, TOML, YAML.
#include <algorithm>

#include "dsl/node.h"
#include "dsl/quoting.h"
#include "planner/export/table.h"
#include "planner/import/field_tree.h"

namespace planner::exporting {
namespace {

/// The values of a file as a tree, by the dots of their names.
dsl::Node tree_of(const std::vector<Setting>& settings) {
  dsl::Node root;
  for (const Setting& setting : settings)
    if (!setting.name.starts_with("--"))
      put_field(root, setting.name, value_node(setting.value, {}, "", setting.quoted));
  return root;
}

std::string value_of(const dsl::Node& node) { return node.quoted ? dsl::double_quoted(node.text) : node.text; }

void json(const dsl::Node& map, const std::string& indent, std::string& out) {
  out += "{\n";
  for (const dsl::Entry& e : map.entries) {
    out += indent + "  " + dsl::double_quoted(e.key) + ": ";
    if (e.value.entries.empty()) out += value_of(e.value);
    else json(e.value, indent + "  ", out);
    out += &e == &map.entries.back() ? "\n" : ",\n";
  }
  out += indent + "}";
}

void yaml(const dsl::Node& map, const std::string& indent, std::string& out) {
  for (const dsl::Entry& e : map.entries) {
    const bool section = !e.value.entries.empty();
    out += indent + e.key + (section ? ":\n" : ": " + value_of(e.value) + "\n");
    if (section) yaml(e.value, indent + "  ", out);
  }
}

/// "[quantize.linear.float8]", then its values; the sections below it follow.
void toml(const dsl::Node& map, const std::string& path, std::string& out) {
  const auto is_section = [](const dsl::Entry& e) { return !e.value.entries.empty(); };
  if (!path.empty() && !std::ranges::all_of(map.entries, is_section)) out += (out.empty() ? "[" : "\n[") + path + "]\n";
  for (const dsl::Entry& e : map.entries)
    if (!is_section(e)) out += e.key + " = " + value_of(e.value) + "\n";
  for (const dsl::Entry& e : map.entries)
    if (is_section(e)) toml(e.value, path.empty() ? e.key : path + "." + e.key, out);
}

}  // namespace

std::string render_flags(const std::string& head, const std::vector<Setting>& settings) {
  std::string out = head;
  for (const Setting& setting : settings) {
    if (!setting.name.starts_with("--")) continue;
    out += " \\\n  " + setting.name;
    if (setting.value.empty()) continue;
    out += ' ';
    out += setting.quoted ? dsl::shell_word(setting.value) : setting.value;
  }
  return out + "\n";
}

std::string render_launch(const std::string& launcher, const std::vector<std::string_view>& names,
                          const std::string& script, const std::vector<Setting>& settings) {
  std::string head = launcher;
  for (const std::string_view name : names) head += " " + std::string(name) + " " + value_of(settings, name);
  std::vector<Setting> others;
  for (const Setting& setting : settings)
    if (std::ranges::find(names, setting.name) == names.end()) others.push_back(setting);
  return render_flags(head + " " + script, others);
}

std::string render_json(const std::vector<Setting>& settings) {
  std::string out;
  json(tree_of(settings), "", out);
  return out + "\n";
}

std::string render_toml(const std::vector<Setting>& settings) {
  std::string out;
  toml(tree_of(settings), "", out);
  return out;
}

std::string render_yaml(const std::vector<Setting>& settings) {
  std::string out;
  yaml(tree_of(settings), "", out);
  return out;
}

std::string value_of(const std::vector<Setting>& settings, std::string_view name) {
  const auto found = std::ranges::find(settings, name, &Setting::name);
  return found == settings.end() ? "" : found->value;
}

std::string python_value(const Setting& setting) {
  if (setting.quoted) return dsl::double_quoted(setting.value);
  if (setting.value == "true") return "True";
  return setting.value == "false" ? "False" : setting.value;
}

std::string render_python(const std::string& root, const std::vector<Setting>& settings) {
  std::string out;
  for (const Setting& setting : settings)
    if (setting.name.find('.') != std::string::npos) out += root + setting.name + " = " + python_value(setting) + "\n";
  return out;
}

}  // namespace planner::exporting
