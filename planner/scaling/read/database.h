// A file of SQLite, read row by row.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "planner/scaling/read/formats.h"

struct sqlite3;
struct sqlite3_stmt;

namespace planner::scaling {

/// A database is opened for reading. A mistake is diagnosed once, and then nothing more is read.
class Database {
 public:
  Database(const DataFile& file, dsl::Diagnostics& diagnostics);
  ~Database();
  Database(const Database&) = delete;

  bool good() const { return good_; }
  bool has(const std::string& table, const std::string& column = "");
  /// Diagnoses `message` at the file.
  void fail(const std::string& message, const std::string& hint = {});

 private:
  friend class Rows;
  dsl::Span place_;
  dsl::Diagnostics& diagnostics_;
  sqlite3* handle_ = nullptr;
  bool good_ = false;
};

/// The rows that a query gives, one after the other; columns count from 0.
class Rows {
 public:
  Rows(Database& database, const std::string& query);
  ~Rows();
  Rows(const Rows&) = delete;

  bool next();
  void bind(int64_t value);  // to the query's '?', which then begins anew
  bool is_null(int column) const;
  int64_t integer(int column) const;
  std::string_view text(int column) const;  // until the next row

 private:
  Database& database_;
  sqlite3_stmt* statement_ = nullptr;
};

}  // namespace planner::scaling
