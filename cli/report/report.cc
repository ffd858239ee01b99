#include "cli/report/report.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <utility>

#include "cli/args/words.h"
#include "cli/report/flat.h"
#include "dsl/diagnostic.h"

namespace cli {
namespace {

constexpr size_t kNamed = 40;  // columns in a message
constexpr double kBar = 40;    // characters of a bar of the whole

std::optional<size_t> position(const Table& table, std::string_view name) {
  const auto at = std::ranges::find(table.columns, name, &Column::name);
  return at == table.columns.end() ? std::nullopt : std::optional<size_t>(at - table.columns.begin());
}

/// "a.b.c" below `value`; nullptr if there is no such member.
const Data* descend(const Data* value, std::string_view path) {
  while (value && !path.empty() && !value->is_null()) {
    size_t dot = path.find('.');
    value = value->find(path.substr(0, dot));
    path = dot == std::string_view::npos ? "" : path.substr(dot + 1);
  }
  return value;
}

/// One column by name; a dotted name whose front is a column picks from that column's objects.
struct Picked {
  size_t column = 0;
  std::string path;  // below the column; empty: the column itself
};

std::optional<Picked> pick(const Table& table, const std::string& name) {
  if (auto at = position(table, name)) return Picked{*at, ""};
  for (size_t dot = name.rfind('.'); dot != std::string::npos && dot > 0; dot = name.rfind('.', dot - 1)) {
    auto at = position(table, name.substr(0, dot));
    if (!at) continue;
    std::string path = name.substr(dot + 1);
    for (const auto& row : table.rows)
      if (descend(&row[*at], path)) return Picked{*at, path};
    return table.rows.empty() ? std::optional(Picked{*at, path}) : std::nullopt;
  }
  return std::nullopt;
}

Data cell(const std::vector<Data>& row, const Picked& picked) {
  const Data* found = descend(&row[picked.column], picked.path);
  return found ? *found : Data();
}

/// Names inside the first row's objects: "parallelism.tp", and "tp" alone.
std::vector<std::string> nested_names(const Table& table) {
  std::vector<std::string> names;
  for (size_t c = 0; !table.rows.empty() && c < table.columns.size(); ++c) {
    if (!table.rows[0][c].object()) continue;
    each_flat(table.columns[c].name, table.rows[0][c], [&](std::string_view name, const Data&) {
      names.emplace_back(name);
      names.emplace_back(name.substr(name.rfind('.') + 1));
    });
  }
  return names;
}

std::string unknown(const Table& table, const char* flag, const std::string& name) {
  const std::vector<std::string> known = names_of(table.columns);
  std::vector<std::string> all = known;
  std::ranges::move(nested_names(table), std::back_inserter(all));
  std::string out = std::string(flag) + ": no column '" + name + "'" + or_meant(name, all) + "; there are ";
  for (size_t i = 0; i < std::min(known.size(), kNamed); ++i) out += (i ? ", " : "") + known[i];
  return known.size() > kNamed ? out + " and " + std::to_string(known.size() - kNamed) + " more" : out;
}

/// The name that a column of a page has among the report's rows.
const std::string& name_in_rows(const Column& column) { return column.of.empty() ? column.name : column.of; }

/// "throughput.mfu" of "mfu", where one column ends so; a plan's scenario aside. Other names stay.
std::string whole_name(const Table& table, const std::string& name) {
  std::vector<std::string> found;
  for (const Column& c : table.columns)
    if (c.name.ends_with("." + name) && !c.name.starts_with("scenario.")) found.push_back(c.name);
  return found.size() == 1 ? found.front() : name;
}

/// Whether the column stands on a page under `name`: "price" is enough for "price/h".
bool is_headed(const Column& column, std::string_view name) {
  const std::string_view heading = column.heading;
  return column.name == name || heading == name || (!name.empty() && heading.substr(0, heading.find('/')) == name);
}

/// The report's own name of a column that a page of it shows under `name`; other names stay.
std::string own_name(const Report& report, const std::string& name) {
  if (name.empty() || pick(report.table, name)) return name;
  std::string found = name;
  const auto look = [&](const Table& table) {
    for (const Column& c : table.columns) {
      const std::string& its = name_in_rows(c);
      if (found == name && is_headed(c, name) && pick(report.table, its)) found = its;
    }
  };
  for (const Block& block : report.text)
    if (const Table* table = std::get_if<Table>(&block)) look(*table);
  look(report.table);
  return pick(report.table, found) ? found : whole_name(report.table, found);
}

/// Null is last in either direction.
bool before(const Data& a, const Data& b, bool descending) {
  if (a.is_null() || b.is_null()) return !a.is_null() && b.is_null();
  auto x = a.number(), y = b.number();
  if (x && y) return descending ? *x > *y : *x < *y;
  std::string s = figure(a, Unit::text), t = figure(b, Unit::text);
  return descending ? s > t : s < t;
}

/// The table of the page that has a row for each of the report's: its first column has the same values. Null: none.
Table* page_of_rows(Report& report) {
  for (Block& block : report.text) {
    Table* page = std::get_if<Table>(&block);
    if (!page || page->columns.empty() || page->rows.size() != report.table.rows.size()) continue;
    const Column& first = page->columns.front();
    const auto picked = pick(report.table, own_name(report, name_in_rows(first)));
    const auto is_same = [&](const std::vector<Data>& a, const std::vector<Data>& b) {
      return figure(a.front(), Unit::text) == figure(cell(b, *picked), Unit::text);
    };
    if (picked && std::ranges::equal(page->rows, report.table.rows, is_same)) return page;
  }
  return nullptr;
}

/// The rows, with what the page alone has of each: a layout in short, which goals it meets.
Table with_page_columns(const Report& report, const Table* page) {
  Table all = report.table;
  for (size_t c = 0; page && c < page->columns.size(); ++c) {
    const Column& column = page->columns[c];
    if (pick(all, own_name(report, name_in_rows(column))) || pick(all, column.name)) continue;
    all.columns.push_back(column);
    for (size_t i = 0; i < all.rows.size(); ++i) all.rows[i].push_back(page->rows[i][c]);
  }
  return all;
}

/// Puts the rows in an order, and keeps no others.
void arrange(Table& table, const std::vector<size_t>& order) {
  std::vector<std::vector<Data>> rows;
  std::vector<RowTone> tones;
  for (const size_t i : order) rows.push_back(std::move(table.rows[i])), tones.push_back(tone_of(table, i));
  table.rows = std::move(rows);
  table.tones = std::move(tones);
}

/// Makes `order` that of a key. Returns "" or the mistake in it.
std::string sort_rows(const Report& report, const Table& table, std::string key, std::vector<size_t>& order) {
  std::optional<bool> descending;
  size_t colon = key.rfind(':');
  const std::string way = colon == std::string::npos ? "" : key.substr(colon + 1);
  if (way == "asc" || way == "desc") descending = way == "desc", key.resize(colon);
  auto picked = pick(table, own_name(report, key));
  if (!picked) return unknown(table, "--sort", key);
  if (!descending)
    descending = std::any_of(table.rows.begin(), table.rows.end(),
                             [&](const auto& r) { return cell(r, *picked).number().has_value(); });
  std::ranges::stable_sort(order, [&](size_t a, size_t b) {
    return before(cell(table.rows[a], *picked), cell(table.rows[b], *picked), *descending);
  });
  return "";
}

std::string keep_columns(Report& report, const std::vector<std::string>& names) {
  Table& table = report.table;
  Table kept{.title = table.title, .rows = std::vector<std::vector<Data>>(table.rows.size()), .header = table.header};
  for (const std::string& asked : names) {
    const std::string name = own_name(report, asked);
    auto picked = pick(table, name);
    if (!picked) return unknown(table, "--columns", name);
    kept.columns.push_back({.name = name, .unit = table.columns[picked->column].unit});
    for (size_t i = 0; i < table.rows.size(); ++i) kept.rows[i].push_back(cell(table.rows[i], *picked));
  }
  table = std::move(kept);
  return "";
}

/// The rows with the columns that a page of them shows; without columns where no page shows some.
Table as_on_page(const Report& report) {
  constexpr size_t kSome = 3;
  for (const Block& block : report.text) {
    const Table* page = std::get_if<Table>(&block);
    if (!page) continue;
    Table shown{.title = page->title, .rows = std::vector<std::vector<Data>>(report.table.rows.size())};
    for (const Column& column : page->columns) {
      const auto picked = pick(report.table, name_in_rows(column));
      if (!picked) continue;
      shown.columns.push_back(column);
      for (size_t i = 0; i < shown.rows.size(); ++i) shown.rows[i].push_back(cell(report.table.rows[i], *picked));
    }
    if (shown.columns.size() >= kSome) return shown;
  }
  return {};
}

Table one_row(const Data::Object& document) {
  Table table{.rows = {{}}};
  for (const Member& m : document)
    each_flat(m.name, m.value, [&](std::string_view name, const Data& value) {
      table.columns.push_back({.name = std::string(name), .unit = value.text() ? Unit::text : Unit::number});
      table.rows[0].push_back(value);
    });
  return table;
}

/// `shown`: of the page; without columns: all of them.
void show_selected(Report& report, Table shown = {}) {
  report.text.clear();
  report.basis.clear();
  if (!shown.columns.empty()) report.text.emplace_back(std::move(shown));
  if (report.key.empty()) report.document = row_object(report.table, 0);
}

}  // namespace

std::string cell_text(const Data& cell, const Column& column) {
  if (!column.bar) return figure(cell, column.unit);
  const double share = std::clamp(cell.number().value_or(0), 0.0, 1.0);
  return std::string(static_cast<size_t>(share * kBar + 0.5), '#');
}

void set_tone(Table& table, size_t row, RowTone tone) {
  table.tones.resize(table.rows.size());
  table.tones[row] = tone;
}

RowTone tone_of(const Table& table, size_t row) { return row < table.tones.size() ? table.tones[row] : RowTone::plain; }

Table fact_table(std::string title) {
  return {.title = std::move(title), .columns = {{.name = "figure"}, {.name = "value"}}, .header = false};
}

Table without(const char* name, Table table) {
  const auto column = std::ranges::find(table.columns, name, &Column::name);
  const auto at = column - table.columns.begin();
  table.columns.erase(column);
  for (std::vector<Data>& row : table.rows) row.erase(row.begin() + at);
  return table;
}

Report rows_report(const char* format, const char* key, Table table) {
  return {.format = format, .document = {{key, {}}}, .key = key, .table = std::move(table)};
}

std::vector<const Block*> blocks_of(const Report& report) {
  std::vector<const Block*> blocks;
  for (const Block& block : report.text) blocks.push_back(&block);
  for (const Block& block : report.basis) blocks.push_back(&block);
  return blocks;
}

void add_member(Report& report, const char* name, Data data) {
  if (!report.complete) return report.document.push_back({name, std::move(data)});
  report.complete = [before = std::move(report.complete), name, data = std::move(data)](Report& r) {
    before(r);
    r.document.push_back({name, data});
  };
}

Report completed(Report report) {
  if (const auto complete = std::exchange(report.complete, nullptr)) complete(report);
  return report;
}

std::string select(Report& report, const RowSelection& selection) {
  bool rows = !report.key.empty();
  if (selection.columns.empty() && selection.sort.empty() && !(rows && selection.top)) return "";
  report = completed(std::move(report));
  if (!rows) report.table = one_row(report.document);
  Table* page = rows ? page_of_rows(report) : nullptr;
  const Table all = with_page_columns(report, page);
  std::vector<size_t> order(report.table.rows.size());
  std::iota(order.begin(), order.end(), 0);
  std::string wrong = selection.sort.empty() ? "" : sort_rows(report, all, selection.sort, order);
  if (!wrong.empty()) return wrong;
  if (rows && selection.top) order.resize(std::min(order.size(), static_cast<size_t>(*selection.top)));
  if (!selection.columns.empty()) report.table = all;
  arrange(report.table, order);
  if (page && selection.columns.empty()) return arrange(*page, order), "";  // the rest of the page stays
  if (!selection.columns.empty()) wrong = keep_columns(report, selection.columns);
  if (wrong.empty() && rows && selection.columns.empty()) show_selected(report, as_on_page(report));
  else if (wrong.empty() && !selection.columns.empty()) show_selected(report);
  return wrong;
}

Data::Object row_object(const Table& table, size_t i) {
  Data::Object object;
  object.reserve(table.columns.size());
  for (size_t c = 0; c < table.columns.size(); ++c) object.push_back({table.columns[c].name, table.rows[i][c]});
  return object;
}

Data rows_of(Table table) {
  Data::List rows;
  rows.reserve(table.rows.size());
  for (std::vector<Data>& row : table.rows) {
    Data::Object object;
    object.reserve(table.columns.size());
    for (size_t c = 0; c < table.columns.size(); ++c) object.push_back({table.columns[c].name, std::move(row[c])});
    rows.emplace_back(std::move(object));
  }
  return rows;
}

namespace {

/// Columns by name. Names are usually looked up in the order of the columns.
class FlatColumns {
 public:
  explicit FlatColumns(std::vector<Column>& columns) : columns_(columns) {}

  std::optional<size_t> find(std::string_view name) {
    if (next_ < columns_.size() && columns_[next_].name == name) return next_++;
    const auto at = index_.find(name);
    if (at == index_.end()) return std::nullopt;
    next_ = at->second + 1;
    return at->second;
  }
  void add(std::string_view name, Unit unit) {
    index_.emplace(name, columns_.size());
    columns_.push_back({.name = std::string(name), .unit = unit});
    next_ = columns_.size();
  }
  void begin(size_t column) { next_ = column; }

 private:
  std::vector<Column>& columns_;
  std::map<std::string, size_t, std::less<>> index_;
  size_t next_ = 0;  // the likely next lookup
};

}  // namespace

Table flat_table(const Report& report) {
  if (report.key.empty()) return one_row(report.document);
  const Table& table = report.table;
  Table flat;
  FlatColumns columns(flat.columns);
  // Columns first in their own order, the members of a nested one in order of first appearance.
  for (size_t c = 0; c < table.columns.size(); ++c) {
    const size_t first = flat.columns.size();
    const bool nested = std::ranges::any_of(table.rows, [c](const auto& row) { return row[c].object() != nullptr; });
    for (const auto& row : table.rows) {
      columns.begin(first);
      each_flat(table.columns[c].name, row[c], [&](std::string_view name, const Data& value) {
        const bool lacks = value.is_null() && (row[c].object() || (nested && row[c].is_null()));
        if (!lacks && !columns.find(name)) columns.add(name, table.columns[c].unit);
      });
    }
  }
  if (table.rows.empty()) flat.columns = table.columns;
  flat.rows.reserve(table.rows.size());
  for (const auto& row : table.rows) {
    auto& cells = flat.rows.emplace_back(flat.columns.size());
    columns.begin(0);
    for (size_t c = 0; c < table.columns.size(); ++c)
      each_flat(table.columns[c].name, row[c], [&](std::string_view name, const Data& value) {
        if (const std::optional<size_t> at = columns.find(name)) cells[*at] = value;
      });
  }
  return flat;
}

}  // namespace cli
