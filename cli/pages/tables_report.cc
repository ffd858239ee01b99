#include <fmt/format.h>

#include <algorithm>

#include "cli/pages/study_pages.h"
#include "cli/report/facts.h"
#include "cli/report/row_fields.h"
#include "planner/tables/compare.h"

namespace cli {
namespace {

namespace tables = planner::tables;
using tables::Comparison;
using tables::Load;
using tables::Outcome;
using tables::Placed;

constexpr size_t kMostRanks = 16;  // that the page shows
constexpr size_t kMostNames = 8;   // of copies, in a line of their own
constexpr size_t kMostBars = 64;
constexpr size_t kMostHeld = 22;  // characters of a rank's tables, before "and 12 more"

double bytes_of_all(const Comparison& c) {
  double bytes = 0;
  for (const tables::Table& table : c.problem.tables) bytes += table_bytes(table, c.problem.site);
  return bytes;
}

/// "26 tables of 84.9 GiB on 8 x a100-sxm-80gb".
std::string tables_title(const std::string& gpu, const Comparison& c) {
  return fmt::format("{} of {} on {} x {}", counted(c.problem.tables.size(), "table"),
                     figure(bytes_of_all(c), Unit::memory), c.problem.site.group.ranks, gpu);
}

/// A rank's lookups, forward and backward.
double lookup_seconds(const Load& load) { return load.forward_seconds + load.backward_seconds; }

/// Those of each rank over the mean of all.
std::vector<double> load_per_rank(const Outcome& outcome) {
  double sum = 0;
  for (const Load& load : outcome.loads.ranks) sum += lookup_seconds(load);
  const double mean = sum / static_cast<double>(outcome.loads.ranks.size());
  std::vector<double> loads;
  for (const Load& load : outcome.loads.ranks) loads.push_back(mean > 0 ? lookup_seconds(load) / mean : 1);
  return loads;
}

/// A value for each rank.
template <class Of> auto per_rank(Of of) {
  return [of](const Outcome& o) { return list_of(o.loads.ranks, of); };
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
    list.push_back(Data::Object{{"table", static_cast<int64_t>(t)},
                                {"split", name(option.split)},
                                {"ranks", field_data(o.placement[t].ranks)}});
  }
  return list;
}

auto of_step(double tables::TableStepParts::*part) {
  return [part](const Outcome& o) { return o.step.*part; };
}

RowFields<Outcome> outcome_fields(const Comparison& c) {
  using tables::TableStepParts;
  const auto load = [](const Outcome& o) { return std::ranges::max(load_per_rank(o)); };
  const auto exchange = [](const Outcome& o) { return o.step.exchange + o.step.exchange_gradient; };
  const auto memory = [](const Outcome& o) {
    double most = 0;
    for (const Load& rank : o.loads.ranks) most = std::max(most, rank.memory_bytes);
    return whole(most);
  };
  return {
      {"name", &Outcome::name, Unit::text, "sharder"},
      {"how", &Outcome::how},
      {"step_seconds", [](auto& o) { return o.step.sum(); }, Unit::seconds, "step"},
      {"fits", &Outcome::fits, Unit::text, "fits", 1},
      {"load", load, Unit::number, "load", 2},
      {"lookup_seconds", [](auto& o) { return o.step.forward + o.step.backward; }, Unit::seconds, "lookups"},
      {"exchange_seconds", exchange, Unit::seconds, "all-to-alls"},
      {"reduce_seconds", of_step(&TableStepParts::reduce), Unit::seconds},
      {"forward_seconds", of_step(&TableStepParts::forward), Unit::seconds},
      {"backward_seconds", of_step(&TableStepParts::backward), Unit::seconds},
      {"message_bytes", [](auto& o) { return whole(o.loads.message()); }, Unit::bytes},
      {"memory_bytes", memory, Unit::memory, "memory", 1},
      {"load_per_rank", load_per_rank, Unit::number},
      {"lookup_seconds_per_rank", per_rank(lookup_seconds), Unit::seconds},
      {"bytes_per_rank", per_rank([](auto& load) { return whole(load.sent_bytes); }), Unit::bytes},
      {"memory_bytes_per_rank", per_rank([](auto& load) { return whole(load.memory_bytes); }), Unit::memory},
      {"placement", [&c](auto& o) { return placement_data(c, o); }},
      {"splits", [&c](auto& o) { return splits_data(c, o); }},
  };
}

/// The tables on a rank: "0 3 7:1/4-rows and 2 more"; copies are on all ranks and are listed once, below.
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
  const std::vector<double> loads = load_per_rank(o);
  const auto load = [&](auto of) { return [&o, of](size_t rank) { return std::invoke(of, o.loads.ranks[rank]); }; };
  const RowFields<size_t> fields{
      {"rank", [](size_t rank) { return rank; }, Unit::count},
      {"load", [&](size_t rank) { return loads[rank]; }, Unit::number, "", 2},
      {"lookups", load(lookup_seconds), Unit::seconds},
      {"sent", load(&Load::sent_bytes), Unit::bytes},
      {"memory", load(&Load::memory_bytes), Unit::memory},
      {"tables", [&](size_t rank) { return held_text(c, o, static_cast<int32_t>(rank)); }},
  };
  return fields.table(places(shown), all > shown ? fmt::format("Best: {}, the first {} of {} ranks", o.name, shown, all)
                                                 : fmt::format("Best: {}, by rank", o.name));
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

operator_models::Provenance provenance_of(const Comparison& c) {
  return operator_models::cost(operator_models::Lookup{.rows = 1, .width = 1}, c.problem.site.device,
                               {{"lookup", "reuse"}})
      .provenance;
}

Data::Object document_of(const std::string& gpu, const Comparison& c) {
  return {{"gpu", gpu},
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

// ---- the picture

/// A bar of lookups and of the rank's own message, for each rank of the best placement.
svg::StackedBars tables_bars(const std::string& gpu, const Comparison& c) {
  const Outcome& best = c.outcomes[c.best];
  svg::StackedBars chart{
      .title = tables_title(gpu, c),
      .subtitle = fmt::format("{}: a step of {}", best.name, figure(best.step.sum(), Unit::seconds)),
      .axis = "milliseconds",
      .percent = false,
      .series = {"lookup, forward", "lookup, backward", "two all-to-alls, as if all sent as much as this rank"},
      .bars = {},
      .nothing = ""};
  tables::Exchange exchange(c.problem.site);
  for (size_t r = 0; r < best.loads.ranks.size(); ++r) {
    const Load& load = best.loads.ranks[r];
    const double messages = 2 * exchange.seconds(load.sent_bytes);
    chart.bars.push_back({.label = fmt::format("rank {}", r),
                          .parts = {1e3 * load.forward_seconds, 1e3 * load.backward_seconds, 1e3 * messages},
                          .note = figure(lookup_seconds(load) + messages, Unit::seconds)});
  }
  if (chart.bars.size() <= kMostBars) return chart;
  const auto length = [](const svg::Bar& bar) { return bar.parts[0] + bar.parts[1] + bar.parts[2]; };
  std::ranges::stable_sort(chart.bars, std::greater(), length);
  chart.subtitle += fmt::format("; the longest {} of {} ranks", kMostBars, chart.bars.size());
  chart.bars.resize(kMostBars);
  return chart;
}

}  // namespace

Report tables_report(const std::string& gpu, const Comparison& c) {
  const RowFields<Outcome> fields = outcome_fields(c);
  Report report{
      .format = "trainplan.shard/1",
      .document = document_of(gpu, c),
      .key = "sharders",
      .table = fields.table(c.outcomes),
      .text = {tables_title(gpu, c), settings_text(c), fields.page("", c.outcomes), ranks_table(c, c.outcomes[c.best])},
      .picture = [gpu, &c] { return tables_bars(gpu, c); }};
  for (Column& column : report.table.columns) column.heading.clear();
  if (const std::string copies = copies_text(c, c.outcomes[c.best]); !copies.empty()) report.text.push_back(copies);
  if (!c.fits()) report.text.push_back("no placement that was found fits the memory");
  report.text.push_back(fmt::format("lookups by model `reuse`: {}", name(provenance_of(c))));
  return report;
}

}  // namespace cli
