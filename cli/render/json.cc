// JSON as nlohmann::ordered_json prints it: the shortest digits that read back as the same double, a member that comes
// twice once, with its last value. Its own tree would cost more than all that is computed for a row of a sweep.
#include <algorithm>
#include <array>

#include "cli/render/json_text.h"
#include "cli/render/render.h"

namespace cli {
namespace {

/// A member of a report, by what somebody else keeps.
struct ReportMember {
  std::string_view name;
  const Data* value = nullptr;
  const Table* rows = nullptr;  // in place of a value
};
using Members = std::vector<ReportMember>;

constexpr size_t kWritten = 1 << 20;  // bytes that leave at once

void add(const Data::Object& members, Members& out) {
  for (const Member& m : members) out.push_back({m.name, &m.value});
}

void add_row(const Table& table, size_t row, Members& out) {
  for (size_t c = 0; c < table.columns.size(); ++c) out.push_back({table.columns[c].name, &table.rows[row][c]});
}

/// Called for every two names of a row: most differences are found quickly.
bool is_same(std::string_view a, std::string_view b) {
  return a.size() == b.size() && (a.empty() || (a.back() == b.back() && a == b));
}

/// If a name occurs twice, the last value takes the place of the first.
void join_twins(Members& members) {
  for (size_t i = 1; i < members.size(); ++i)
    for (size_t j = 0; j < i; ++j) {
      if (!is_same(members[i].name, members[j].name)) continue;
      const ReportMember last = members[i];
      members.erase(members.begin() + static_cast<std::ptrdiff_t>(i--));
      members[j] = last;
      break;
    }
}

void write_number(const Data& data, std::string& out) {
  std::array<char, kMostLetters> buffer;
  const int64_t* count = std::get_if<int64_t>(&data.v);
  const double* x = std::get_if<double>(&data.v);
  if (count) out.append(buffer.data(), write_count(*count, buffer.data()));
  else if (x) out.append(buffer.data(), write_figure(*x, buffer.data()));
  else out += "null";
}

void write(const Members& members, std::string& out);

void write(const Data& data, std::string& out) {
  if (const std::string* text = data.text()) return write_text(*text, out);
  if (const bool* b = std::get_if<bool>(&data.v)) {
    out += *b ? "true" : "false";
  } else if (const Data::Object* object = data.object()) {
    Members members;
    members.reserve(object->size());
    add(*object, members);
    join_twins(members);
    write(members, out);
  } else if (const Data::List* list = data.list()) {
    out += '[';
    for (size_t i = 0; i < list->size(); ++i) {
      if (i > 0) out += ',';
      write((*list)[i], out);
    }
    out += ']';
  } else {
    write_number(data, out);
  }
}

/// On one line. REQUIRES: no twins, no rows.
void write(const Members& members, std::string& out) {
  char separator = '{';
  for (const ReportMember& m : members) {
    out += separator;
    write_text(m.name, out);
    out += ':';
    write(*m.value, out);
    separator = ',';
  }
  if (members.empty()) out += '{';
  out += '}';
}

bool is_figure(const Data& data) { return data.number().has_value(); }

/// A list of numbers stands on one line, since tables of a calibration have hundreds.
bool is_on_one_line(const Data& data) {
  if (const Data::Object* object = data.object()) return object->empty();
  const Data::List* list = data.list();
  return !list || std::ranges::all_of(*list, is_figure);
}

/// Writes a list or an object of `count` items, indented by two.
template <class Write>
void write_lines(char open, char close, size_t count, size_t indent, std::string& out, Write item) {
  out += open;
  for (size_t i = 0; i < count; ++i) {
    out += i > 0 ? ",\n" : "\n";
    out.append(indent + 2, ' ');
    item(i);
  }
  if (count > 0) (out += '\n').append(indent, ' ');
  out += close;
}

void write_indented(Members members, size_t indent, std::string& out);

void write_indented(const Data& data, size_t indent, std::string& out) {
  if (is_on_one_line(data)) return write(data, out);
  if (const Data::List* list = data.list())
    return write_lines('[', ']', list->size(), indent, out,
                       [&](size_t i) { write_indented((*list)[i], indent + 2, out); });
  Members members;
  add(*data.object(), members);
  write_indented(std::move(members), indent, out);
}

void write_rows(const Table& table, size_t indent, std::string& out) {
  write_lines('[', ']', table.rows.size(), indent, out, [&](size_t i) {
    Members members;
    add_row(table, i, members);
    write_indented(std::move(members), indent + 2, out);
  });
}

void write_indented(Members members, size_t indent, std::string& out) {
  join_twins(members);
  write_lines('{', '}', members.size(), indent, out, [&](size_t i) {
    write_text(members[i].name, out);
    out += ": ";
    if (members[i].rows) write_rows(*members[i].rows, indent + 2, out);
    else write_indented(*members[i].value, indent + 2, out);
  });
}

/// "roi.layers": a member of a member.
Data& member_at(Data::Object& document, std::string_view path) {
  const size_t dot = path.find('.');
  const std::string_view name = path.substr(0, dot);
  auto at = std::ranges::find(document, name, &Member::name);
  if (at == document.end()) at = document.insert(at, {std::string(name), {}});
  if (dot == std::string_view::npos) return at->value;
  if (!at->value.object()) at->value = Data::Object{};
  return member_at(std::get<Data::Object>(at->value.v), path.substr(dot + 1));
}

}  // namespace

void print_json(const Data& data, std::ostream& out) {
  std::string text;
  write_indented(data, 0, text);
  out << text << '\n';
}

void render_json(const Report& report, const Page&, std::ostream& out) {
  const Data format = report.format;
  Data::Object document;
  Members members{{"format", &format}};
  if (report.key.find('.') == std::string::npos) {
    add(report.document, members);
    if (!report.key.empty()) members.push_back({report.key, nullptr, &report.table});
  } else {
    document = report.document;
    member_at(document, report.key) = rows_of(report.table);
    add(document, members);
  }
  std::string text;
  write_indented(std::move(members), 0, text);
  out << text << '\n';
}

void render_ndjson(const Report& report, const Page&, std::ostream& out) {
  const Data format = report.format;
  std::string text;
  Members members;
  const size_t lines = report.key.empty() ? 1 : report.table.rows.size();
  for (size_t i = 0; i < lines; ++i) {
    members.assign(1, {"format", &format});
    if (report.key.empty()) add(report.document, members);
    else add_row(report.table, i, members);
    join_twins(members);
    write(members, text);
    text += '\n';
    if (text.size() < kWritten) continue;
    out << text;
    text.clear();
  }
  out << text;
}

}  // namespace cli
