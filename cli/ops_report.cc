#include "cli/ops_report.h"

#include <array>
#include <cassert>
#include <map>

#include "cli/provenance.h"

namespace cli {
namespace {

using planner::OperatorRow;

struct Key {
  std::string_view name;
  std::string OperatorRow::*field;
};
constexpr std::array<Key, 8> kKeys{{{"phase", &OperatorRow::phase},
                                    {"layer", &OperatorRow::layer},
                                    {"sublayer", &OperatorRow::sublayer},
                                    {"kind", &OperatorRow::kind},
                                    {"class", &OperatorRow::op_class},
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
          {.name = "shape", .unit = Unit::text, .rank = 3},
          {.name = "count", .unit = Unit::count, .rank = 0},
          {.name = "flops", .unit = Unit::flops, .rank = 7},
          {.name = "bytes_read", .unit = Unit::bytes, .rank = 12, .heading = "read"},
          {.name = "bytes_written", .unit = Unit::bytes, .rank = 13, .heading = "written"},
          {.name = "intensity", .unit = Unit::flops_per_byte, .rank = 6, .heading = "FLOP/B"},
          {.name = "seconds", .unit = Unit::seconds, .rank = 0, .heading = "time"},
          {.name = "share", .unit = Unit::fraction, .rank = 0},
          {.name = "bound", .rank = 4},
          {.name = "model", .rank = 14},
          {.name = "provenance", .rank = 2},
          {.name = "relative_error", .unit = Unit::fraction, .rank = 5, .heading = "error"}};
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
  double count = 0, flops = 0, bytes_read = 0, bytes_written = 0, seconds = 0, share = 0;

  void add(const OperatorRow& r) {
    count += r.count;
    flops += r.count * r.flops;
    bytes_read += r.count * r.bytes_read;
    bytes_written += r.count * r.bytes_written;
    seconds += r.count * r.seconds;
    share += r.share;
  }
  Data intensity() const {
    double bytes = bytes_read + bytes_written;
    return bytes > 0 ? Data(flops / bytes) : Data();
  }
};

}  // namespace

Report ops_report(const std::vector<OperatorRow>& rows) {
  Report report = empty_report();
  report.table.columns = columns();
  for (const OperatorRow& r : rows)
    report.table.rows.push_back({r.name, r.phase, r.layer, r.sublayer, r.kind, r.op_class, shape(r), whole(r.count),
                                 r.flops, r.bytes_read, r.bytes_written, r.intensity, r.seconds, r.share, r.bound,
                                 r.model, r.provenance, r.relative_error});
  ProvenanceShares shares;
  for (const OperatorRow& r : rows) shares[r.provenance] += r.share;
  report.text = {report.table, "Time by provenance: " + to_text(shares) + "."};
  return report;
}

Report ops_grouped(const std::vector<OperatorRow>& rows, const std::string& key) {
  const Key* by = nullptr;
  for (const Key& k : kKeys)
    if (k.name == key) by = &k;
  assert(by && "a --group that is not in the table of keys");
  std::vector<std::pair<std::string, Sums>> groups;
  std::map<std::string, size_t> index;
  for (const OperatorRow& r : rows) {
    auto [at, fresh] = index.emplace(r.*by->field, groups.size());
    if (fresh) groups.emplace_back(at->first, Sums{});
    groups[at->second].second.add(r);
  }
  Report report = empty_report();
  report.table.columns = {{.name = key}};
  for (const Column& c : columns())
    for (const char* name : {"count", "flops", "bytes_read", "bytes_written", "intensity", "seconds", "share"})
      if (c.name == name) report.table.columns.push_back(c);
  for (const auto& [name, s] : groups)
    report.table.rows.push_back(
        {name, whole(s.count), s.flops, s.bytes_read, s.bytes_written, s.intensity(), s.seconds, s.share});
  return report;
}

}  // namespace cli
