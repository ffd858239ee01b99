// A file of SQLite, read row by row.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "dsl/diagnostic.h"

struct sqlite3;
struct sqlite3_stmt;

namespace planner::trace {

/// Limits of a file's cost, however it was made.
inline constexpr int kMostCell = 16 << 20;                       // bytes of one text
inline constexpr int64_t kMostDatabaseBytes = int64_t{4} << 30;  // of the file
inline constexpr int64_t kMostInstructions = 1'000'000'000;      // of SQLite's machine, in all queries of one profile

/// Where a database is.
struct DatabaseFile {
  std::string path;                    // of the file
  dsl::Span place;                     // where messages point to
  const std::string* bytes = nullptr;  // of a database that is not a file
};

/// A database is opened for reading, and read as it was at that time. Only tables are read: views, and whatever else a
/// schema lets run, are refused. A mistake is diagnosed once, and then nothing more is read.
class Database {
 public:
  Database(const DatabaseFile& file, dsl::Diagnostics& diagnostics, int64_t most_instructions = kMostInstructions);
  ~Database();
  Database(const Database&) = delete;

  bool good() const { return good_; }
  /// Returns whether there is such a table, and such a column of it; a view of this name is diagnosed.
  bool has(const std::string& table, const std::string& column = "");
  /// Diagnoses `message` at the file.
  void fail(const std::string& message, const std::string& hint = {});

 private:
  friend class Rows;
  void open(const DatabaseFile& file);
  void restrict();
  void fail(int status);
  dsl::Span place_;
  dsl::Diagnostics& diagnostics_;
  sqlite3* handle_ = nullptr;
  bool good_ = false, too_large_ = false;
  int64_t most_instructions_, instructions_left_;
};

/// The rows that a query gives, one after the other; columns count from 0.
class Rows {
 public:
  Rows(Database& database, const std::string& query);
  ~Rows();
  Rows(const Rows&) = delete;

  bool next();
  bool is_null(int column) const;
  int64_t integer(int column) const;
  std::string_view text(int column) const;  // until the next row

 private:
  Database& database_;
  sqlite3_stmt* statement_ = nullptr;
};

}  // namespace planner::trace
