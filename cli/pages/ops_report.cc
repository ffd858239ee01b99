#include "cli/pages/ops_report.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <map>

#include "cli/pages/provenance.h"
#include "planner/plan/ops.h"

namespace cli {
namespace {

using planner::OperatorRow;

struct Key {
  std::string_view name;
  std::string OperatorRow::*field;
};
constexpr std::array<Key, 9> kKeys{{{"phase", &OperatorRow::phase},
                                    {"layer", &OperatorRow::layer},
                                    {"sublayer", &OperatorRow::sublayer},
                                    {"kind", &OperatorRow::kind},
                                    {"class", &OperatorRow::op_class},
                                    {"part", &OperatorRow::part},
                                    {"bound", &OperatorRow::bound},
                                    {"model", &OperatorRow::model},
                                    {"provenance", &OperatorRow::provenance}}};

std::vector<Column> columns() {
  return {{.name = "name"},
          {.name = "phase", .rank = 1},
          {.name = "layer", .rank = 9},
          {.name = "sublayer", .rank = 8},
          {.name = "kind", .rank = 10},
          {.name = "class", .rank = 11},
          {.name = "part", .rank = 15},
          {.name = "shape", .unit = Unit::text, .rank = 3},
          {.name = "count", .unit = Unit::count, .rank = 0},
          {.name = "launches", .unit = Unit::count, .rank = 19},
          {.name = "flops", .unit = Unit::flops, .rank = 7},
          {.name = "bytes_read", .unit = Unit::bytes, .rank = 12, .heading = "read"},
          {.name = "bytes_written", .unit = Unit::bytes, .rank = 13, .heading = "written"},
          {.name = "near_bytes", .unit = Unit::bytes, .rank = 16, .heading = "near"},
          {.name = "intensity", .unit = Unit::flops_per_byte, .rank = 6, .heading = "FLOP/B"},
          {.name = "seconds", .unit = Unit::seconds, .rank = 0, .heading = "time"},
          {.name = "share", .unit = Unit::fraction, .rank = 0},
          {.name = "bound", .rank = 4},
          {.name = "at_once", .unit = Unit::count, .rank = 17},
          {.name = "gain", .unit = Unit::number, .rank = 18},
          {.name = "model", .rank = 14},
          {.name = "provenance", .rank = 2},
          {.name = "relative_error", .unit = Unit::fraction, .rank = 5, .heading = "error"}};
}

/// What fused collectives change, where a step has any.
std::vector<Column> fused_columns() {
  return {{.name = "waited_seconds", .unit = Unit::seconds, .rank = 1, .heading = "waited"},
          {.name = "dram_read", .unit = Unit::bytes, .rank = 2, .heading = "DRAM read"},
          {.name = "dram_written", .unit = Unit::bytes, .rank = 2, .heading = "DRAM written"}};
}

void add_fused_columns(Table& table, const std::vector<OperatorRow>& rows) {
  if (std::none_of(rows.begin(), rows.end(), [](const OperatorRow& r) { return r.fused; })) return;
  const std::vector<Column> more = fused_columns();
  table.columns.insert(table.columns.end(), more.begin(), more.end());
  for (size_t i = 0; i < rows.size(); ++i)
    for (const double cell : {rows[i].waited, rows[i].dram_read, rows[i].dram_written}) table.rows[i].push_back(cell);
}

Data shape(const OperatorRow& row) {
  Data::Object members;
  for (const auto& [name, size] : row.shape) members.push_back({name, whole(size)});
  return members;
}

Report empty_report() {
  return {.format = "trainplan.ops/1", .document = {{"ops", {}}}, .key = "ops", .table = {}, .text = {}};
}

/// Sums over one step of the operators that share a value.
struct Sums {
  double count = 0, flops = 0, bytes_read = 0, bytes_written = 0, near_bytes = 0, seconds = 0, share = 0;

  void add(const OperatorRow& r) {
    count += r.count;
    flops += r.count * r.flops;
    bytes_read += r.count * r.bytes_read;
    bytes_written += r.count * r.bytes_written;
    near_bytes += r.count * r.near_bytes;
    seconds += r.count * r.seconds;
    share += r.share;
  }
  Data intensity() const {
    double bytes = bytes_read + bytes_written;
    return bytes > 0 ? Data(flops / bytes) : Data();
  }
};

using Groups = std::vector<std::pair<std::vector<std::string>, Sums>>;

// In step order, with the groups that share their outer values side by side.
void nest(Groups& groups) {
  std::map<std::vector<std::string>, size_t> began;
  const auto order = [&](const Groups::value_type& group) {
    std::vector<size_t> at;
    for (size_t n = 1; n <= group.first.size(); ++n)
      at.push_back(began.at({group.first.begin(), group.first.begin() + static_cast<ptrdiff_t>(n)}));
    return at;
  };
  for (size_t i = 0; i < groups.size(); ++i)
    for (size_t n = 1; n <= groups[i].first.size(); ++n)
      began.emplace(std::vector(groups[i].first.begin(), groups[i].first.begin() + static_cast<ptrdiff_t>(n)), i);
  std::stable_sort(groups.begin(), groups.end(), [&](const auto& a, const auto& b) { return order(a) < order(b); });
}

std::string OperatorRow::*field_of(const std::string& key) {
  for (const Key& k : kKeys)
    if (k.name == key) return k.field;
  assert(false && "a --group that is not in the table of keys");
  return &OperatorRow::name;
}

}  // namespace

Report ops_report(const std::vector<OperatorRow>& rows) {
  Report report = empty_report();
  report.table.columns = columns();
  for (const OperatorRow& r : rows)
    report.table.rows.push_back({r.name,     r.phase,      r.layer,         r.sublayer,       r.kind,
                                 r.op_class, r.part,       shape(r),        whole(r.count),   whole(r.launches),
                                 r.flops,    r.bytes_read, r.bytes_written, r.near_bytes,     r.intensity,
                                 r.seconds,  r.share,      r.bound,         whole(r.at_once), r.gain,
                                 r.model,    r.provenance, r.relative_error});
  add_fused_columns(report.table, rows);
  ProvenanceShares shares;
  for (const OperatorRow& r : rows) shares[r.provenance] += r.share;
  report.text = {report.table, "Time by provenance: " + to_text(shares) + "."};
  return report;
}

const std::string& group_of(const OperatorRow& row, const std::string& key) { return row.*field_of(key); }

Report ops_grouped(const std::vector<OperatorRow>& rows, const std::vector<std::string>& keys) {
  std::vector<std::string OperatorRow::*> fields;
  for (const std::string& key : keys) fields.push_back(field_of(key));
  Groups groups;
  std::map<std::vector<std::string>, size_t> index;
  for (const OperatorRow& r : rows) {
    std::vector<std::string> values;
    for (auto field : fields) values.push_back(r.*field);
    auto [at, fresh] = index.emplace(std::move(values), groups.size());
    if (fresh) groups.emplace_back(at->first, Sums{});
    groups[at->second].second.add(r);
  }
  Report report = empty_report();
  for (const std::string& key : keys) report.table.columns.push_back({.name = key});
  for (const Column& c : columns())
    for (const char* name :
         {"count", "flops", "bytes_read", "bytes_written", "near_bytes", "intensity", "seconds", "share"})
      if (c.name == name) report.table.columns.push_back(c);
  nest(groups);
  for (const auto& [names, s] : groups) {
    std::vector<Data> cells(names.begin(), names.end());
    for (Data sum : {whole(s.count), Data(s.flops), Data(s.bytes_read), Data(s.bytes_written), Data(s.near_bytes),
                     s.intensity(), Data(s.seconds), Data(s.share)})
      cells.push_back(std::move(sum));
    report.table.rows.push_back(std::move(cells));
  }
  return report;
}

}  // namespace cli
