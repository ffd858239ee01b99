#include "planner/scaling/read/database.h"

#include <fmt/format.h>
#include <sqlite3.h>

namespace planner::scaling {

Database::Database(const DataFile& file, dsl::Diagnostics& diagnostics)
    : place_{file.source, 1, 1, static_cast<int>(file.source->text.size())}, diagnostics_(diagnostics) {
  good_ = sqlite3_open_v2(file.bytes ? ":memory:" : file.path.c_str(), &handle_, SQLITE_OPEN_READONLY, nullptr) ==
          SQLITE_OK;
  if (good_ && file.bytes) {
    auto* bytes = reinterpret_cast<unsigned char*>(const_cast<char*>(file.bytes->data()));
    const auto size = static_cast<sqlite3_int64>(file.bytes->size());
    good_ = sqlite3_deserialize(handle_, "main", bytes, size, size, SQLITE_DESERIALIZE_READONLY) == SQLITE_OK;
  }
  // Nothing is read before the first query: this one finds out what is no database.
  if (good_) good_ = sqlite3_exec(handle_, "SELECT 1 FROM sqlite_master", nullptr, nullptr, nullptr) == SQLITE_OK;
  if (good_) return;
  const int code = handle_ ? sqlite3_errcode(handle_) : SQLITE_NOMEM;
  fail(code == SQLITE_NOTADB ? "not an SQLite database"
                             : fmt::format("cannot read the SQLite database: {}", sqlite3_errstr(code)),
       "`nsys export --type sqlite` writes one");
}

Database::~Database() { sqlite3_close(handle_); }

void Database::fail(const std::string& message, const std::string& hint) {
  diagnostics_.error(place_, message, hint);
  good_ = false;
}

bool Database::has(const std::string& table, const std::string& column) {
  if (!good_) return false;
  Rows rows(*this, fmt::format("SELECT name FROM pragma_table_info('{}')", table));
  while (rows.next())
    if (column.empty() || rows.text(0) == column) return true;
  return false;
}

Rows::Rows(Database& database, const std::string& query) : database_(database) {
  if (!database_.good()) return;
  if (sqlite3_prepare_v2(database_.handle_, query.c_str(), -1, &statement_, nullptr) != SQLITE_OK)
    database_.fail(fmt::format("cannot read the SQLite database: {}", sqlite3_errmsg(database_.handle_)));
}

Rows::~Rows() { sqlite3_finalize(statement_); }

bool Rows::next() {
  if (!statement_ || !database_.good()) return false;
  const int status = sqlite3_step(statement_);
  if (status != SQLITE_ROW && status != SQLITE_DONE)
    database_.fail(fmt::format("cannot read the SQLite database: {}", sqlite3_errmsg(database_.handle_)));
  return status == SQLITE_ROW;
}

void Rows::bind(int64_t value) {
  if (!statement_) return;
  sqlite3_reset(statement_);
  sqlite3_bind_int64(statement_, 1, value);
}

bool Rows::is_null(int column) const { return sqlite3_column_type(statement_, column) == SQLITE_NULL; }

int64_t Rows::integer(int column) const { return sqlite3_column_int64(statement_, column); }

std::string_view Rows::text(int column) const {
  const unsigned char* text = sqlite3_column_text(statement_, column);
  const auto length = static_cast<size_t>(sqlite3_column_bytes(statement_, column));
  return text ? std::string_view(reinterpret_cast<const char*>(text), length) : std::string_view();
}

}  // namespace planner::scaling
