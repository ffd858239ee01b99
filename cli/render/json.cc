// JSON by nlohmann::ordered_json, which prints the shortest digits that read back as the same double.
#include "cli/render/json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace cli {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Data& data);

Json object_json(const Data::Object& members) {
  Json out = Json::object();
  for (const Member& m : members) out[m.name] = to_json(m.value);
  return out;
}

Json list_json(const Data::List& items) {
  Json out = Json::array();
  for (const Data& d : items) out.push_back(to_json(d));
  return out;
}

Json to_json(const Data& data) {
  if (const bool* b = std::get_if<bool>(&data.v)) return *b;
  if (const int64_t* n = std::get_if<int64_t>(&data.v)) return *n;
  if (const std::string* s = data.text()) return *s;
  if (const Data::List* l = data.list()) return list_json(*l);
  if (const Data::Object* o = data.object()) return object_json(*o);
  auto x = data.number();  // NaN and infinities are null
  return x ? Json(*x) : Json(nullptr);
}

Json rows_json(const Table& table) {
  Json out = Json::array();
  for (size_t i = 0; i < table.rows.size(); ++i) out.push_back(object_json(row_object(table, i)));
  return out;
}

/// Bytes that are not UTF-8 (a file name, a comment) become U+FFFD instead of an exception.
std::string dumped(const Json& json, int indent) {
  return json.dump(indent, ' ', false, Json::error_handler_t::replace);
}

bool is_flat(const Json& list) {
  return std::all_of(list.begin(), list.end(), [](const Json& j) { return j.is_number(); });
}

/// Indented by two; a list of numbers stands on one line, since tables of a calibration have hundreds.
void write_indented(const Json& json, size_t indent, std::string& out) {
  if (!json.is_structured() || json.empty() || (json.is_array() && is_flat(json))) {
    out += dumped(json, -1);
    return;
  }
  out += json.is_array() ? "[" : "{";
  const char* separator = "\n";
  for (const auto& [key, value] : json.items()) {
    out += separator + std::string(indent + 2, ' ');
    if (json.is_object()) out += dumped(key, -1) + ": ";
    write_indented(value, indent + 2, out);
    separator = ",\n";
  }
  out += "\n" + std::string(indent, ' ') + (json.is_array() ? "]" : "}");
}

void write_document(const Json& json, std::ostream& out) {
  std::string text;
  write_indented(json, 0, text);
  out << text << '\n';
}

Json with_format(const Report& report) { return Json{{"format", report.format}}; }

/// "roi.layers": a member of a member.
Json& member_at(Json& document, std::string_view path) {
  const size_t dot = path.find('.');
  Json& member = document[std::string(path.substr(0, dot))];
  return dot == std::string_view::npos ? member : member_at(member, path.substr(dot + 1));
}

}  // namespace

void print_json(const Data& data, std::ostream& out) { write_document(to_json(data), out); }

void render_json(const Report& report, const Page&, std::ostream& out) {
  Json document = with_format(report);
  for (const Member& m : report.document) document[m.name] = to_json(m.value);
  if (!report.key.empty()) member_at(document, report.key) = rows_json(report.table);
  write_document(document, out);
}

void render_ndjson(const Report& report, const Page&, std::ostream& out) {
  if (report.key.empty()) {
    Json line = with_format(report);
    line.update(object_json(report.document));
    out << dumped(line, -1) << '\n';
    return;
  }
  for (size_t i = 0; i < report.table.rows.size(); ++i) {
    Json line = with_format(report);
    line.update(object_json(row_object(report.table, i)));
    out << dumped(line, -1) << '\n';
  }
}

}  // namespace cli
