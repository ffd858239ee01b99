#include "planner/trace/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

#include <filesystem>
#include <utility>

namespace planner::trace {

namespace {

constexpr int kStride = 1'000'000;  // instructions between two looks at their number

constexpr const char* kLess = "profile fewer steps, or leave out tables: `nsys export --type sqlite --tables ...`";

struct DatabaseLimit {
  int id, most;
};
constexpr DatabaseLimit kLimits[] = {{SQLITE_LIMIT_LENGTH, kMostCell},
                                     {SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
                                     {SQLITE_LIMIT_ATTACHED, 0},
                                     {SQLITE_LIMIT_TRIGGER_DEPTH, 1},
                                     {SQLITE_LIMIT_WORKER_THREADS, 0}};

/// Features that a schema may not use: functions, triggers, views, and writing to it.
constexpr std::pair<int, int> kSettings[] = {{SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
                                             {SQLITE_DBCONFIG_ENABLE_TRIGGER, 0},
                                             {SQLITE_DBCONFIG_ENABLE_VIEW, 0},
                                             {SQLITE_DBCONFIG_DEFENSIVE, 1}};

}  // namespace

Database::Database(const DatabaseFile& file, dsl::Diagnostics& diagnostics, int64_t most_instructions)
    : place_(file.place),
      diagnostics_(diagnostics),
      most_instructions_(most_instructions),
      instructions_left_(most_instructions) {
  open(file);
  if (good_) restrict();
  // SQLite reads nothing before the first query: this one detects files that are not databases. Within a transaction
  // all queries see the same state.
  const char* first = "BEGIN; SELECT 1 FROM sqlite_master";
  if (good_) good_ = sqlite3_exec(handle_, first, nullptr, nullptr, nullptr) == SQLITE_OK;
  if (good_) return;
  if (too_large_) return;
  const int code = handle_ ? sqlite3_errcode(handle_) : SQLITE_NOMEM;
  fail(code == SQLITE_NOTADB ? "not an SQLite database"
                             : fmt::format("cannot read the SQLite database: {}", sqlite3_errstr(code)),
       "`nsys export --type sqlite` writes one");
}

void Database::open(const DatabaseFile& file) {
  std::error_code error;
  too_large_ = !file.bytes && std::filesystem::file_size(file.path, error) > kMostDatabaseBytes && !error;
  if (too_large_) return fail(fmt::format("the database is larger than {} GiB", kMostDatabaseBytes >> 30), kLess);
  good_ = sqlite3_open_v2(file.bytes ? ":memory:" : file.path.c_str(), &handle_, SQLITE_OPEN_READONLY, nullptr) ==
          SQLITE_OK;
  if (!good_ || !file.bytes) return;
  auto* bytes = reinterpret_cast<unsigned char*>(const_cast<char*>(file.bytes->data()));
  const auto size = static_cast<sqlite3_int64>(file.bytes->size());
  good_ = sqlite3_deserialize(handle_, "main", bytes, size, size, SQLITE_DESERIALIZE_READONLY) == SQLITE_OK;
}

void Database::restrict() {
  for (const auto& [setting, value] : kSettings) sqlite3_db_config(handle_, setting, value, nullptr);
  for (const DatabaseLimit& limit : kLimits) sqlite3_limit(handle_, limit.id, limit.most);
  const auto count = [](void* left) { return (*static_cast<int64_t*>(left) -= kStride) < 0 ? 1 : 0; };
  sqlite3_progress_handler(handle_, kStride, count, &instructions_left_);
}

Database::~Database() { sqlite3_close(handle_); }

void Database::fail(const std::string& message, const std::string& hint) {
  diagnostics_.error(place_, message, hint);
  good_ = false;
}

void Database::fail(int status) {
  if (status == SQLITE_INTERRUPT)
    return fail(fmt::format("reading the database takes more than {:.0e} instructions of SQLite",
                            static_cast<double>(most_instructions_)),
                kLess);
  fail(fmt::format("cannot read the SQLite database: {}", sqlite3_errmsg(handle_)));
}

bool Database::has(const std::string& table, const std::string& column) {
  if (!good_) return false;
  // A virtual table has no pages of its own.
  Rows schema(*this, fmt::format("SELECT type = 'table' AND rootpage > 0 FROM sqlite_master WHERE name = '{}'", table));
  if (!schema.next()) return false;
  if (schema.integer(0) == 0) {
    fail(fmt::format("'{}' is a view, expected a table", table), "export the report anew; its tables alone are read");
    return false;
  }
  if (column.empty()) return true;
  Rows rows(*this, fmt::format("SELECT name FROM pragma_table_info('{}')", table));
  while (rows.next())
    if (rows.text(0) == column) return true;
  return false;
}

Rows::Rows(Database& database, const std::string& query) : database_(database) {
  if (!database_.good()) return;
  const int status = sqlite3_prepare_v2(database_.handle_, query.c_str(), -1, &statement_, nullptr);
  if (status != SQLITE_OK) database_.fail(status);
}

Rows::~Rows() { sqlite3_finalize(statement_); }

bool Rows::next() {
  if (!statement_ || !database_.good()) return false;
  const int status = sqlite3_step(statement_);
  if (status != SQLITE_ROW && status != SQLITE_DONE) database_.fail(status);
  return status == SQLITE_ROW;
}

bool Rows::is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

int64_t Rows::integer(int column) const { return sqlite3_column_int64(statement_, column); }

std::string_view Rows::text(int column) const {
  const unsigned char* text = sqlite3_column_text(statement_, column);
  const auto length = static_cast<size_t>(sqlite3_column_bytes(statement_, column));
  return text ? std::string_view(reinterpret_cast<const char*>(text), length) : std::string_view();
}

}  // namespace planner::trace
