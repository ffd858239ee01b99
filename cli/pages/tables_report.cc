#include "cli/pages/tables_report.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

namespace cli {
namespace {

namespace tables = planner::tables;
using tables::Comparison;
using tables::Load;
using tables::Outcome;
using tables::Placed;

constexpr size_t kMostRanks = 16;  // that the page shows
constexpr size_t kMostNames = 8;   // of copies, in a line of their own
constexpr size_t kMostHeld = 22;   // characters of a rank's tables, before "and 12 more"

double largest(const Outcome& o, double (*of)(const Load&)) {
  double most = 0;
  for (const Load& load : o.loads.ranks) most = std::max(most, of(load));
  return most;
}
double memory(const Load& load) { return load.memory_bytes; }

template <class Of> Data each_rank(const Outcome& o, const Of& of) {
  Data::List list;
  for (const Load& load : o.loads.ranks) list.push_back(of(load));
  return list;
}

Data loads_data(const Outcome& o) {
  Data::List list;
  for (double load : load_per_rank(o)) list.push_back(load);
  return list;
}

const tables::Option& option_of(const Comparison& c, size_t table, const Placed& placed) {
  return c.problem.options[table][placed.option];
}

/// The rank of each table that is whole; null of the others, which `splits` lists.
Data placement_data(const Comparison& c, const Outcome& o) {
  Data::List list;
  for (size_t t = 0; t < o.placement.size(); ++t) {
    const bool whole = option_of(c, t, o.placement[t]).split == tables::Split::whole;
    list.push_back(whole ? Data(static_cast<int64_t>(o.placement[t].ranks.front())) : Data());
  }
  return list;
}

Data splits_data(const Comparison& c, const Outcome& o) {
  Data::List list;
  for (size_t t = 0; t < o.placement.size(); ++t) {
    const tables::Option& option = option_of(c, t, o.placement[t]);
    if (option.split == tables::Split::whole) continue;
    Data::List ranks;
    for (int32_t rank : o.placement[t].ranks) ranks.push_back(static_cast<int64_t>(rank));
    list.push_back(
        Data::Object{{"table", static_cast<int64_t>(t)}, {"split", name(option.split)}, {"ranks", std::move(ranks)}});
  }
  return list;
}

/// A column of the sharders; `heading` where the page shows it too (empty: it does not).
struct ShardColumn {
  const char* name;
  Unit unit;
  Data (*cell)(const Comparison&, const Outcome&);
  const char* heading = "";
  int rank = 0;
};
constexpr std::array kColumns{
    ShardColumn{"name", Unit::text, [](const Comparison&, const Outcome& o) { return Data(o.name); }, "sharder"},
    ShardColumn{"how", Unit::text, [](const Comparison&, const Outcome& o) { return Data(o.how); }},
    ShardColumn{"step_seconds", Unit::seconds, [](const Comparison&, const Outcome& o) { return Data(o.step.sum()); },
                "step"},
    ShardColumn{"fits", Unit::text, [](const Comparison&, const Outcome& o) { return Data(o.fits); }, "fits", 1},
    ShardColumn{"load", Unit::number,
                [](const Comparison&, const Outcome& o) { return Data(std::ranges::max(load_per_rank(o))); }, "load",
                2},
    ShardColumn{"lookup_seconds", Unit::seconds,
                [](const Comparison&, const Outcome& o) { return Data(o.step.forward + o.step.backward); }, "lookups"},
    ShardColumn{"exchange_seconds", Unit::seconds,
                [](const Comparison&, const Outcome& o) { return Data(o.step.exchange + o.step.exchange_gradient); },
                "all-to-alls"},
    ShardColumn{"reduce_seconds", Unit::seconds,
                [](const Comparison&, const Outcome& o) { return Data(o.step.reduce); }},
    ShardColumn{"forward_seconds", Unit::seconds,
                [](const Comparison&, const Outcome& o) { return Data(o.step.forward); }},
    ShardColumn{"backward_seconds", Unit::seconds,
                [](const Comparison&, const Outcome& o) { return Data(o.step.backward); }},
    ShardColumn{"message_bytes", Unit::bytes,
                [](const Comparison&, const Outcome& o) { return whole(o.loads.message()); }},
    ShardColumn{"memory_bytes", Unit::memory,
                [](const Comparison&, const Outcome& o) { return whole(largest(o, memory)); }, "memory", 1},
    ShardColumn{"load_per_rank", Unit::number, [](const Comparison&, const Outcome& o) { return loads_data(o); }},
    ShardColumn{"lookup_seconds_per_rank", Unit::seconds,
                [](const Comparison&, const Outcome& o) { return each_rank(o, lookup_seconds); }},
    ShardColumn{"bytes_per_rank", Unit::bytes,
                [](const Comparison&, const Outcome& o) {
                  return each_rank(o, [](const Load& load) { return whole(load.sent_bytes); });
                }},
    ShardColumn{"memory_bytes_per_rank", Unit::memory,
                [](const Comparison&, const Outcome& o) {
                  return each_rank(o, [](const Load& load) { return whole(load.memory_bytes); });
                }},
    ShardColumn{"placement", Unit::text, placement_data},
    ShardColumn{"splits", Unit::text, splits_data},
};

Table outcomes_table(const Comparison& c, const std::function<bool(const ShardColumn&)>& shown) {
  Table table;
  for (const ShardColumn& column : kColumns)
    if (shown(column))
      table.columns.push_back(
          {.name = column.name, .unit = column.unit, .rank = column.rank, .heading = column.heading});
  for (const Outcome& o : c.outcomes) {
    std::vector<Data> row;
    for (const ShardColumn& column : kColumns)
      if (shown(column)) row.push_back(column.cell(c, o));
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// What a rank holds: "0 3 7:1/4-rows and 2 more"; copies stand on all ranks and are said once, below.
std::string held_text(const Comparison& c, const Outcome& o, int32_t rank) {
  std::string text;
  size_t more = 0;
  for (size_t t = 0; t < o.placement.size(); ++t) {
    const tables::Option& option = option_of(c, t, o.placement[t]);
    const std::vector<int32_t>& ranks = o.placement[t].ranks;
    if (option.split == tables::Split::replicas || std::ranges::find(ranks, rank) == ranks.end()) continue;
    std::string part = c.problem.tables[t].name;
    if (option.split != tables::Split::whole) part += fmt::format(":1/{}-{}", option.ways, name(option.split));
    if (more > 0 || (!text.empty() && text.size() + 1 + part.size() > kMostHeld)) ++more;
    else text += (text.empty() ? "" : " ") + part;
  }
  return more > 0 ? fmt::format("{} and {} more", text, more) : text;
}

Table ranks_table(const Comparison& c, const Outcome& o) {
  const size_t all = o.loads.ranks.size(), shown = std::min(all, kMostRanks);
  Table table{.title = all > shown ? fmt::format("Best: {}, the first {} of {} ranks", o.name, shown, all)
                                   : fmt::format("Best: {}, by rank", o.name),
              .columns = {{.name = "rank", .unit = Unit::count},
                          {.name = "load", .unit = Unit::number, .rank = 2},
                          {.name = "lookups", .unit = Unit::seconds},
                          {.name = "sent", .unit = Unit::bytes},
                          {.name = "memory", .unit = Unit::memory},
                          {.name = "tables"}}};
  const std::vector<double> loads = load_per_rank(o);
  for (size_t r = 0; r < shown; ++r) {
    const Load& load = o.loads.ranks[r];
    table.rows.push_back({static_cast<int64_t>(r), loads[r], lookup_seconds(load), load.sent_bytes, load.memory_bytes,
                          held_text(c, o, static_cast<int32_t>(r))});
  }
  return table;
}

std::string copies_text(const Comparison& c, const Outcome& o) {
  std::string names;
  size_t count = 0;
  for (size_t t = 0; t < o.placement.size(); ++t)
    if (option_of(c, t, o.placement[t]).split == tables::Split::replicas && ++count <= kMostNames)
      names += " " + c.problem.tables[t].name;
  if (count == 0) return "";
  return fmt::format("a copy on each rank:{}{}; their gradients are reduced in {}", names,
                     count > kMostNames ? fmt::format(" and {} more", count - kMostNames) : "",
                     figure(o.step.reduce, Unit::seconds));
}

std::string settings_text(const Comparison& c) {
  const tables::Site& site = c.problem.site;
  std::string text =
      fmt::format("batch {:.0f}, {:g} bytes a value, in messages {:g}; {} of a GPU for tables", site.batch,
                  site.table_bytes, site.exchange_bytes, figure(site.memory_bytes, Unit::memory));
  if (site.dense_seconds > 0)
    text += fmt::format("; {} of each step are other layers", figure(site.dense_seconds, Unit::seconds));
  return text;
}

double bytes_of_all(const Comparison& c) {
  double bytes = 0;
  for (const tables::Table& table : c.problem.tables) bytes += table_bytes(table, c.problem.site);
  return bytes;
}

operator_models::Provenance provenance_of(const Comparison& c) {
  return operator_models::cost(operator_models::Lookup{.rows = 1, .width = 1}, c.problem.site.device,
                               {{"lookup", "reuse"}})
      .provenance;
}

Data::Object document_of(const ShardPage& page) {
  const Comparison& c = *page.comparison;
  return {{"gpu", page.gpu},
          {"ranks", c.problem.site.group.ranks},
          {"tables", static_cast<int64_t>(c.problem.tables.size())},
          {"table_bytes", whole(bytes_of_all(c))},
          {"batch", whole(c.problem.site.batch)},
          {"bytes_per_value", c.problem.site.table_bytes},
          {"message_bytes_per_value", c.problem.site.exchange_bytes},
          {"memory_limit_bytes", whole(c.problem.site.memory_bytes)},
          {"dense_seconds", c.problem.site.dense_seconds},
          {"lookup_provenance", name(provenance_of(c))},
          {"sharders", Data::List{}},
          {"best", c.outcomes[c.best].name},
          {"feasible", c.fits()}};
}

}  // namespace

std::string tables_title(const ShardPage& page) {
  const Comparison& c = *page.comparison;
  const size_t n = c.problem.tables.size();
  return fmt::format("{} table{} of {} on {} x {}", n, n == 1 ? "" : "s", figure(bytes_of_all(c), Unit::memory),
                     c.problem.site.group.ranks, page.gpu);
}

double lookup_seconds(const Load& load) { return load.forward_seconds + load.backward_seconds; }

std::vector<double> load_per_rank(const Outcome& outcome) {
  double sum = 0;
  for (const Load& load : outcome.loads.ranks) sum += lookup_seconds(load);
  const double mean = sum / static_cast<double>(outcome.loads.ranks.size());
  std::vector<double> loads;
  for (const Load& load : outcome.loads.ranks) loads.push_back(mean > 0 ? lookup_seconds(load) / mean : 1);
  return loads;
}

Report tables_report(const ShardPage& page) {
  const Comparison& c = *page.comparison;
  Report report{.format = "trainplan.shard/1", .document = document_of(page), .key = "sharders", .table = {}};
  report.table = outcomes_table(c, [](const ShardColumn&) { return true; });
  for (Column& column : report.table.columns) column.heading.clear();
  report.text = {tables_title(page), settings_text(c),
                 outcomes_table(c, [](const ShardColumn& column) { return *column.heading != 0; }),
                 ranks_table(c, c.outcomes[c.best])};
  if (const std::string copies = copies_text(c, c.outcomes[c.best]); !copies.empty()) report.text.push_back(copies);
  if (!c.fits()) report.text.push_back("no placement that was found fits the memory");
  report.text.push_back(fmt::format("lookups by model `reuse`: {}", name(provenance_of(c))));
  return report;
}

}  // namespace cli
