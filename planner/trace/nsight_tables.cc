#include "planner/trace/nsight_tables.h"

#include <fmt/format.h>

#include <iterator>

namespace planner::trace {
namespace {

constexpr const char* kCopyKinds[] = {
    "unknown",        "host to device",         "device to host",         "host to array",           "array to host",
    "array to array", "array to device",        "device to array",        "device to device",        "host to host",
    "peer to peer",   "unified host to device", "unified device to host", "unified device to device"};

bool has_columns(Database& database, const NsightTable& table) {
  const bool named = table.naming != NsightNaming::none && table.naming != NsightNaming::text;
  for (const char* column : {"start", "end", named ? table.named_by : "start"}) {
    if (database.has(table.name, column)) continue;
    database.fail(fmt::format("table {} has no column '{}'", table.name, column),
                  "export the report anew, with a version of Nsight Systems that is known here");
    return false;
  }
  return true;
}

}  // namespace

bool may_hold(size_t bytes, Database& database) {
  if (bytes <= kMostNameBytes) return true;
  if (database.good())
    database.fail(fmt::format("the names in the profile are longer than {} MiB in all", kMostNameBytes >> 20),
                  "profile fewer steps, or leave out NVTX ranges whose texts differ each time");
  return false;
}

Strings::Strings(Database& database) {
  if (!database.has("StringIds")) return;
  size_t bytes = 0;
  Rows rows(database, "SELECT id, value FROM StringIds WHERE id IS NOT NULL");
  while (rows.next() && may_hold(bytes += rows.text(1).size(), database))
    by_id_.try_emplace(rows.integer(0), rows.text(1));
}

const std::string* Strings::find(int64_t id) const {
  const auto at = by_id_.find(id);
  return at == by_id_.end() ? nullptr : &at->second;
}

std::string nsight_name(const NsightTable& table, int64_t number, const Strings& strings) {
  if (table.naming == NsightNaming::none) return "";
  if (table.naming == NsightNaming::copy_kind)
    return number >= 0 && number < std::ssize(kCopyKinds) ? kCopyKinds[number] : fmt::format("kind {}", number);
  const std::string* text = strings.find(number);
  return text ? *text : fmt::format("string {}", number);
}

// Columns: start, end, name, bytes, for NVTX the text, and the additional ones. "": diagnosed.
std::string NsightRows::query(Database& database, const NsightTable& table, std::span<const char* const> more,
                              const std::string& where) {
  if (!has_columns(database, table)) return "";
  has_bytes_ = table.bytes && database.has(table.name, table.bytes);
  const bool nvtx = table.naming == NsightNaming::text;
  if (nvtx) text_ = more_++;
  std::string columns = nvtx && !database.has(table.name, table.named_by) ? "0" : table.named_by;
  columns += fmt::format(", {}{}", has_bytes_ ? table.bytes : "0", nvtx ? ", text" : "");
  for (const char* column : more) columns += fmt::format(", {}", database.has(table.name, column) ? column : "NULL");
  return fmt::format("SELECT start, end, {} FROM {}{}{}", columns, table.name, where.empty() ? "" : " WHERE ", where);
}

NsightRows::NsightRows(Database& database, const NsightTable& table, std::span<const char* const> more,
                       const std::string& where)
    : rows_(database, query(database, table, more, where)) {}

}  // namespace planner::trace
