// trainplan.search/1 with `partial` -> Partial.
#include "cli/files/partial_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "cli/files/partial_check.h"
#include "cli/files/partial_digest.h"
#include "cli/files/partial_rest.h"
#include "cli/input/json_object.h"
#include "operator_models/cost.h"
#include "planner/plan/breakdown.h"

namespace cli {
namespace {

using dsl::Node;
using planner::Found;

struct Count {
  const char* name;
  int64_t planner::Parallelism::*of;
};
constexpr std::array kCounts{
    Count{"interleave", &planner::Parallelism::interleave},
    Count{"microbatch", &planner::Parallelism::microbatch},
    Count{"zero", &planner::Parallelism::zero},
    Count{"zero_group", &planner::Parallelism::zero_group},
};

planner::Parallelism layout(const JsonObject& from) {
  planner::Parallelism p;
  for (const planner::Degree& degree : planner::degrees()) p.*degree.value = from.whole(degree.name, 0);
  for (const Count& count : kCounts) p.*count.of = from.whole(count.name, 0);
  p.sequence_parallel = from.flag("sequence_parallel");
  p.order = from.text("order");
  const std::string word = from.text("recompute");
  const auto at = std::find(planner::kRecomputeNames.begin(), planner::kRecomputeNames.end(), word);
  if (at == planner::kRecomputeNames.end()) from.wrong(from.span(), "no recompute policy is called '" + word + "'");
  else p.recompute = static_cast<planner::Recompute>(at - planner::kRecomputeNames.begin());
  return p;
}

/// Numbers by name; those that are 0 are left out. `what`: of what these are names.
template <size_t n> void read_named(const JsonObject& from, const std::array<const char*, n>& names, const char* what,
                                    std::array<double, n>& numbers) {
  for (const dsl::Entry& entry : from.entries()) {
    const auto name = std::find(names.begin(), names.end(), entry.key);
    if (name == names.end()) from.wrong(entry.key_span, fmt::format("no {} is called '{}'", what, entry.key));
    else numbers[static_cast<size_t>(name - names.begin())] = from.number(*name);
  }
}

planner::Begun begun(const JsonObject& from) {
  return {.part = from.whole("part", 0), .candidates = from.whole("candidates", 0)};
}

void read_figure(const planner::ResultRow& row, const JsonObject& shown, const JsonObject& hidden,
                 planner::Results& results) {
  using Kind = planner::ResultRow::Kind;
  if (row.kind == Kind::derived || !row.is_in_shards()) return;
  const JsonObject& from = row.about.column ? shown : hidden;
  if (row.kind == Kind::optional) row.set(results, from.number_or_null(row.key()));
  else if (row.kind == Kind::count)
    row.set(results, static_cast<double>(from.whole(row.key(), static_cast<int64_t>(row.about.least))));
  else row.set(results, from.number(row.key()));
}

Found found(const JsonObject& from, const std::vector<std::string>& names) {
  const JsonObject hidden = from.object("partial");
  Found f;
  f.position = read_position(hidden);
  f.choices = read_choices(from.object("choices"), names);
  f.parallelism = layout(from.object("parallelism"));
  f.global_batch = from.whole("global_batch", 1);
  f.microbatches = from.whole("microbatches", 0);
  f.objective = hidden.number("objective");
  read_named(hidden.object("errors"), operator_models::kKindNames, "kind of operator", f.results.errors.kinds);
  read_named(hidden.object("departures"), planner::kDepartureNames, "departure", f.departures);
  for (const planner::ResultRow& row : planner::result_figures()) read_figure(row, from, hidden, f.results);
  return f;
}

std::vector<Found> rows(const JsonObject& document, const char* key, const Partial& partial,
                        dsl::Diagnostics& diagnostics) {
  std::vector<Found> out;
  for (const Node& row : document.list(key))
    if (document.good()) out.push_back(found(JsonObject(row, diagnostics), partial.head.choices));
  return out;
}

void read_space(const JsonObject& space, planner::SearchResult& result) {
  result.candidates = space.whole("candidates", 0);
  result.evaluated = space.whole("evaluated", 0);
  result.feasible = space.whole("feasible", 0);
  result.uncertain = space.whole("uncertain", 0);
  const JsonObject rejected = space.object("rejected");
  for (const dsl::Entry& entry : rejected.entries()) result.rejected[entry.key] = rejected.whole(entry.key.c_str(), 0);
}

// Parts in order, none twice.
bool possible(const planner::Unfinished& left) {
  int64_t before = -1;
  if (left.next_part > kMostCount) return false;
  for (const planner::Begun& p : left.begun) {
    if (p.part <= before || p.part >= left.next_part) return false;
    before = p.part;
  }
  return true;
}

void read_unfinished(const JsonObject& partial, Partial& out, dsl::Diagnostics& diagnostics) {
  const Node* node = partial.member("unfinished");
  if (!node || node->kind == Node::Kind::null) return;
  const JsonObject from = partial.object("unfinished");
  planner::Unfinished left{.base = from.number("base"), .next_part = from.whole("next_part", 0), .begun = {}};
  for (const Node& part : from.list("begun")) left.begun.push_back(begun(JsonObject(part, diagnostics)));
  if (!possible(left)) from.wrong(from.span(), "these are not parts that a shard walks");
  out.result.unfinished = std::move(left);
  out.result.stopped = true;
}

void read_axes(const JsonObject& partial, planner::SearchOptions& options) {
  for (const Node& name : partial.list("pareto")) {
    const planner::ResultRow* row = planner::find_result(name.text);
    if (row) options.pareto.push_back(row);
    else partial.wrong(name.span, "no result is called '" + name.text + "'");
  }
}

void read_gpus(const JsonObject& partial, std::vector<int64_t>& gpus) {
  for (const Node& node : partial.list("feasible_gpus")) {
    const int64_t number = json_whole(node).value_or(0);
    if (number <= (gpus.empty() ? 0 : gpus.back()))
      return partial.wrong(node.span, "expected ascending numbers of GPUs");
    gpus.push_back(number);
  }
}

void read_head(const JsonObject& partial, Partial& out) {
  out.digest = partial.text("digest");
  out.head.title = partial.text("title");
  out.head.goal = partial.text("goal");
  out.head.timed = partial.flag("timed");
  for (const Node& name : partial.list("choices")) out.head.choices.push_back(name.text);
  out.options.shards = partial.whole("shards", 1);
  out.options.shard = partial.whole("shard", 1) - 1;
  if (out.options.shards > kMostShards)
    partial.wrong(partial.place("shards"), fmt::format("expected {} shards at most", kMostShards));
  if (out.options.shard >= out.options.shards)
    partial.wrong(partial.place("shard"),
                  fmt::format("there is no shard {} of {}", out.options.shard + 1, out.options.shards));
  out.options.top = static_cast<size_t>(partial.whole("top", 1));
  out.options.window = planner::TieLaw{.timed = out.head.timed}.window();
  read_gpus(partial, out.result.feasible_gpus);
  out.searched = read_searched(partial.object("searched"));
  out.result.fewest_throughput = partial.number("fewest_throughput");
  for (const dsl::Entry& entry : partial.entries()) out.places[entry.key] = entry.value.span;
}

/// As plan_basis.h prints it.
planner::Lengths lengths_of(const JsonObject& document, dsl::Diagnostics& diagnostics) {
  planner::Lengths lengths;
  if (!document.has("sequence")) return lengths;
  const JsonObject sequence = document.object("sequence");
  for (const Node& node : sequence.list("points")) {
    const JsonObject point(node, diagnostics);
    lengths.shares.push_back({point.whole("length", 1), point.number("weight"), {}});
  }
  const auto figure = [&](const char* key) { return sequence.number_or_null(key).value_or(0); };
  lengths.distinct = static_cast<int64_t>(figure("unique_lengths"));
  lengths.steps = static_cast<int64_t>(figure("iterations"));
  lengths.left_over = static_cast<int64_t>(figure("left_over_sequences"));
  lengths.error = figure("error");
  lengths.padding = figure("padding");
  return lengths;
}

/// Whether it is a result of `search` at all, and one that is not the whole of it.
bool is_partial(const JsonObject& document) {
  const bool named = document.has("format");
  const std::string format = named ? document.text("format") : "";
  if (!named) document.wrong(document.span(), "expected the JSON that `trainplan search` printed");
  if (document.good() && format != "trainplan.search/1")
    document.wrong(document.place("format"), "expected a result of `trainplan search`, got '" + format + "'");
  if (document.good() && !document.has("partial"))
    document.wrong(
        document.span(), "this search is complete: neither a shard nor interrupted",
        "`search --shard I/N --format json` prints what `merge` reads, an interrupted one what `--resume` does");
  return document.good();
}

}  // namespace

std::optional<Partial> read_partial(const dsl::Source& source, dsl::Diagnostics& diagnostics) {
  if (source.text.empty()) {
    diagnostics.error({}, "'" + source.name + "' is empty",
                      "output redirected into the file that is read empties it before: write to another file");
    return std::nullopt;
  }
  const Node tree = dsl::parse_json(source, diagnostics, kResultLimits);
  if (diagnostics.has_errors()) return std::nullopt;
  const JsonObject document(tree, diagnostics);
  if (!is_partial(document)) return std::nullopt;
  Partial partial{.head = {}, .digest = {}, .options = {.pareto = {}}, .result = {}};
  const JsonObject members = document.object("partial");
  read_head(members, partial);
  partial.head.lengths = lengths_of(document, diagnostics);
  read_axes(members, partial.options);
  read_unfinished(members, partial, diagnostics);
  read_space(document.object("space"), partial.result);
  for (const Node& path : document.object("space").list("opened")) partial.head.opened.push_back(path.text);
  read_refused(members, partial.head.choices, diagnostics, partial.result);
  partial.result.plans = rows(document, "plans", partial, diagnostics);
  if (!partial.options.pareto.empty()) partial.result.pareto = rows(document, "pareto", partial, diagnostics);
  check_possible(partial, document);
  const std::string content = members.text(kContent);
  if (document.good() && content != content_digest(tree))
    document.wrong(members.place(kContent), "the file is not as it was printed: its digest is another one",
                   "search that shard again");
  if (!document.good()) return std::nullopt;
  return partial;
}

}  // namespace cli
