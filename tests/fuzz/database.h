// Databases of SQLite that libFuzzer targets make of text: a line "TABLE NAME COLUMN..." begins a table, and each other
// line is a row of it, its values apart by commas.
#pragma once

#include <sqlite3.h>

#include <charconv>
#include <sstream>
#include <string>
#include <utility>

#include "dsl/csv.h"
#include "tests/fuzz/fuzz.h"

namespace fuzz {

struct Made {
  sqlite3* handle = nullptr;
  Made() { require(sqlite3_open(":memory:", &handle) == SQLITE_OK); }
  ~Made() { sqlite3_close(handle); }
  Made(const Made&) = delete;
};

/// The statement that creates the table of a line, or "".
inline std::string creation(const std::string& line, size_t& columns) {
  std::istringstream words(line);
  std::string name, list;
  words >> name >> name;
  columns = 0;
  const auto plain = [](const std::string& word) { return word.find_first_of("\"';()") == std::string::npos; };
  for (std::string column; words >> column && plain(column); ++columns)
    list += (columns ? ", \"" : "\"") + column + '"';
  return columns > 0 && plain(name) ? "CREATE TABLE \"" + name + "\" (" + list + ")" : "";
}

inline void bind(sqlite3_stmt* statement, int at, const std::string& cell) {
  int64_t whole = 0;
  const char* end = cell.data() + cell.size();
  const auto [rest, error] = std::from_chars(cell.data(), end, whole);
  const auto number = dsl::cell_number(cell);
  if (error == std::errc() && rest == end) sqlite3_bind_int64(statement, at, whole);
  else if (number) sqlite3_bind_double(statement, at, *number);
  else if (!cell.empty())
    sqlite3_bind_text(statement, at, cell.data(), static_cast<int>(cell.size()), SQLITE_TRANSIENT);
}

inline void insert(sqlite3_stmt* statement, const std::string& line, size_t columns) {
  std::istringstream cells(line);
  std::string cell;
  for (size_t i = 0; i < columns && std::getline(cells, cell, ','); ++i) bind(statement, static_cast<int>(i) + 1, cell);
  sqlite3_step(statement);
  sqlite3_reset(statement);
  sqlite3_clear_bindings(statement);
}

/// Returns the bytes of the database that a text makes.
inline std::string database_of(const std::string& text) {
  const Made made;
  sqlite3_stmt* statement = nullptr;
  size_t columns = 0;
  std::istringstream lines(text);
  sqlite3_exec(made.handle, "PRAGMA page_size = 512; BEGIN", nullptr, nullptr, nullptr);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("TABLE ")) {
      if (statement) insert(statement, line, columns);
      continue;
    }
    sqlite3_finalize(std::exchange(statement, nullptr));
    const std::string create = creation(line, columns);
    if (sqlite3_exec(made.handle, create.c_str(), nullptr, nullptr, nullptr) != SQLITE_OK || create.empty()) continue;
    const size_t name = create.find('"'), end = create.find('"', name + 1);
    std::string values = "?";
    for (size_t i = 1; i < columns; ++i) values += ", ?";
    const std::string into = "INSERT INTO " + create.substr(name, end + 1 - name) + " VALUES (" + values + ")";
    sqlite3_prepare_v2(made.handle, into.c_str(), -1, &statement, nullptr);
  }
  sqlite3_finalize(statement);
  sqlite3_exec(made.handle, "COMMIT", nullptr, nullptr, nullptr);
  sqlite3_int64 size = 0;
  unsigned char* bytes = sqlite3_serialize(made.handle, "main", &size, 0);
  std::string out(reinterpret_cast<const char*>(bytes), static_cast<size_t>(bytes ? size : 0));
  sqlite3_free(bytes);
  return out;
}

}  // namespace fuzz
