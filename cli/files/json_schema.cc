#include "cli/files/json_schema.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

#include "dsl/schema_tree.h"
#include "planner/resolve/lengths.h"
#include "planner/resolve/prices.h"
#include "planner/resolve/read.h"

namespace cli {
namespace {

using Object = Data::Object;

Data types(std::initializer_list<const char*> names) { return Data::List(names.begin(), names.end()); }

/// A word that is not a word of the field is an expression only if it looks like one; a name alone needs brackets.
constexpr const char* kExpressionPattern = "[\"'( ]";

/// One written value: a number, or a text that yields one, and so on.
Object single(const dsl::Field& field) {
  switch (field.type) {
    case dsl::Type::count:
    case dsl::Type::number: {
      Object out{{"type", types({"number", "string"})}};
      if (std::isfinite(field.least)) out.push_back({"minimum", whole(field.least)});
      if (std::isfinite(field.most)) out.push_back({"maximum", whole(field.most)});
      return out;
    }
    case dsl::Type::boolean:
      return {{"type", types({"boolean", "string"})}};
    case dsl::Type::expression:
      return {{"type", types({"string", "boolean", "number"})}};
    case dsl::Type::word: {
      Data::List words(field.words.begin(), field.words.end());
      const Object word{{"enum", words}}, expression{{"type", "string"}, {"pattern", kExpressionPattern}};
      return {{"anyOf", Data::List{word, expression}}};
    }
    default:
      return {{"type", "string"}};  // a quantity is a number with its unit
  }
}

/// The default as an editor may insert it: a number, true or false, else a text.
Data default_of(const std::string& text) {
  char* end = nullptr;
  const double x = std::strtod(text.c_str(), &end);
  if (!text.empty() && *end == '\0') return whole(x);
  if (text == "true" || text == "false") return text == "true";
  return text;
}

std::string description(const dsl::Field& field) {
  std::string text = field.doc;
  if (field.type == dsl::Type::quantity)
    text += fmt::format("; {} ({})", dsl::dim_name(field.dim), dsl::dim_units(field.dim));
  if (!field.otherwise.empty()) text += "; default " + field.otherwise;
  return text;
}

Data lengths_form();
Data pattern_form();

/// One value, or a list of them: a choice, or several where the field takes many.
Data leaf(const dsl::Field& field) {
  const Object one = single(field);
  Data::List forms{one, Object{{"type", "array"}, {"items", one}}};
  if (field.optional) forms.push_back(Object{{"type", "null"}});
  if (field.path == planner::kSequence) forms.push_back(lengths_form());
  Object out{{"description", description(field)}};
  if (!field.otherwise.empty()) out.push_back({"default", default_of(field.otherwise)});
  if (field.path == "model.pattern") out.push_back({"anyOf", Data::List{Object{{"type", "string"}}, pattern_form()}});
  else if (field.type == dsl::Type::name && field.path.ends_with("*"))  // of any field: numbers stay text
    out.push_back({"type", types({"string", "number", "boolean", "null"})});
  else if (field.type == dsl::Type::name)
    out.push_back({"type", field.optional ? types({"string", "null"}) : Data("string")});
  else out.push_back({"anyOf", forms});
  return out;
}

const dsl::Pull* pull_at(const std::string& path) {
  for (const dsl::Pull& pull : planner::scenario_pulls())
    if (pull.path == path) return &pull;
  return nullptr;
}

Data text_field(const std::string& description) { return Object{{"description", description}, {"type", "string"}}; }

Object section(const dsl::SchemaNode& node, const std::string& path);

Data any_node(const dsl::SchemaNode& node, const std::string& path) {
  if (node.field) return leaf(*node.field);
  Object inner = section(node, node.is_list && pull_at(path + "[]") ? path + "[]" : path);
  if (!node.is_list) return inner;
  return Object{{"type", types({"array", "null"})}, {"items", inner}};
}

/// Keys of a section, with `use` where something can be pulled in.
Object section(const dsl::SchemaNode& node, const std::string& path) {
  Object properties;
  if (const dsl::Pull* pull = pull_at(path))
    properties.push_back({"use", text_field("a " + pull->kind + " of the catalogue, or a file")});
  Data others = false;
  for (const dsl::SchemaNode& child : node.children) {
    Data value = any_node(child, path.empty() ? child.name : path + "." + child.name);
    if (child.name == "*") others = std::move(value);
    else properties.push_back({child.name, std::move(value)});
  }
  return {{"type", types({"object", "null"})}, {"properties", properties}, {"additionalProperties", others}};
}

/// The node of an entry's fields below the scenario's root.
const dsl::SchemaNode* descend(const dsl::SchemaNode* node, std::string_view path) {
  while (node && !path.empty()) {
    const size_t dot = path.find('.');
    std::string_view step = path.substr(0, dot);
    if (step.ends_with("[]")) step.remove_suffix(2);
    node = node->find(step);
    path = dot == std::string_view::npos ? "" : path.substr(dot + 1);
  }
  return node;
}

/// The map that may replace one sequence length. Null cancels the value of another file.
Data lengths_form() {
  Object properties;
  const std::string prefix = fmt::format("{}.", planner::kSequence);
  for (const dsl::Field& field : dsl::schema_of<planner::SequenceFields>(prefix)) {
    const Object one = single(field);
    const Data value = field.many ? Data(Object{{"type", "array"}, {"items", one}}) : Data(one);
    properties.push_back(
        {field.path.substr(prefix.size()),
         Object{{"description", description(field)}, {"anyOf", Data::List{value, Object{{"type", "null"}}}}}});
  }
  return Object{{"type", "object"}, {"properties", properties}, {"additionalProperties", false}, {"minProperties", 1}};
}

/// Entries of a pattern that names kinds, inside one another as deep as anyone writes them.
Data pattern_form() {
  constexpr int kDepth = 3;
  Data entries{};
  for (int i = 0; i < kDepth; ++i) {
    Object properties{{"kind", text_field("name of a kind of model.kinds")},
                      {"count", Object{{"description", "how often it comes; default 1"},
                                       {"type", "number"},
                                       {"minimum", 1},
                                       {"maximum", planner::kMostLayers}}}};
    Object repeat{{"description", "entries that come again together"}, {"type", "array"}};
    if (i > 0) repeat.push_back({"items", entries});
    properties.push_back({"repeat", std::move(repeat)});
    entries = Object{{"type", "object"}, {"properties", properties}, {"additionalProperties", false}};
  }
  return Object{{"type", "array"}, {"items", entries}};
}

Object values_of_fields(const char* description) {
  return {{"description", description},
          {"type", types({"object", "null"})},
          {"additionalProperties", Object{{"type", types({"string", "number", "boolean"})}}}};
}

void add_special_keys(const EntryKind& kind, Object& properties) {
  const bool scenario = kind.schema == nullptr;
  Object keys{{"extends", text_field(fmt::format("another {} whose fields this file overrides", kind.name))}};
  if (scenario) {
    const Data value = types({"number", "string", "boolean", "array"});
    keys.push_back({"let", Object{{"description", "names of your own, for expressions"},
                                  {"type", types({"object", "null"})},
                                  {"additionalProperties", Object{{"type", value}}}}});
    keys.push_back({planner::kPriceList, Object{{"description", "prices of one's own by cluster, or `use: FILE`"},
                                                {"type", types({"object", "null"})}}});
    keys.push_back({"roadmap", Object{{"description", "steps of hardware and models, or the name of a preset"},
                                      {"type", types({"string", "array", "object"})}}});
    keys.push_back(
        {"techniques", Object{{"description", "what the machine or its software does that today's do not, by name"},
                              {"type", types({"string", "array", "null"})}}});
    keys.push_back({"study", Object{{"description", "a paper's figures about this scenario and cases of it"},
                                    {"type", types({"object"})}}});
  }
  if (std::string_view(kind.path) == "software") {
    Object layout = values_of_fields("what a search may open with it: fields and their values");
    layout.push_back(
        {"properties",
         Object{{"of_a_run", values_of_fields("the same, where a run is known")},
                {"can", values_of_fields("lists of values that it can do, of the changes where nothing fits")},
                {"changes", Object{{"description", "changes that it has where nothing fits: when, of, source, set"},
                                   {"type", types({"array", "null"})},
                                   {"items", Object{{"type", "object"}}}}}}});
    keys.push_back({"layout", std::move(layout)});
    keys.push_back({"recipes", Object{{"description", "what its releases set: when, from, until, source, set"},
                                      {"type", types({"array", "null"})},
                                      {"items", Object{{"type", "object"}}}}});
    keys.push_back({"rules", Object{{"description", "what its program asks: when, needs, from, until, source"},
                                    {"type", types({"array", "null"})},
                                    {"items", Object{{"type", types({"object", "string", "boolean"})}}}}});
  }
  std::erase_if(properties, [](const Member& m) { return m.name == "use"; });  // a file's own top takes `extends`
  properties.insert(properties.begin(), keys.begin(), keys.end());
}

}  // namespace

Data json_schema(const EntryKind& kind) {
  const dsl::Schema rows = kind.schema ? kind.schema() : planner::scenario_schema();
  const dsl::SchemaNode tree = dsl::schema_tree(rows);
  Object body = section(*descend(&tree, kind.path), kind.path);
  Object out{{"$schema", "https://json-schema.org/draft/2020-12/schema"},
             {"title", fmt::format("trainplan {}", kind.name)},
             {"description", kind.schema ? kind.summary : "what is trained, on which machine, and how it is laid out"}};
  for (Member& m : body) {
    if (m.name == "properties") add_special_keys(kind, std::get<Object>(m.value.v));
    out.push_back(std::move(m));
  }
  return out;
}

}  // namespace cli
