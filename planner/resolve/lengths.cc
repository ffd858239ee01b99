#include "planner/resolve/lengths.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "dsl/node_path.h"
#include "dsl/write.h"

namespace planner {
namespace {

using dsl::Node;

constexpr const char* kPrefix = "job.sequence.";
constexpr size_t kMostPoints = 1000;  // each is a plan
constexpr size_t kTimed = 256;  // lengths that are planned to find the points; times between them are interpolated

/// The map alone, as a tree whose fields have their full paths.
Node alone(const Node& map) {
  Node root(Node::Kind::map, map.span);
  make_at(root, kSequence) = map;
  return root;
}

seqpoint::Batching batching_of(const SequenceFields& f, int64_t batch) {
  return {.batch = batch,
          .order = f.batching,
          .seed = static_cast<uint64_t>(f.seed),
          .divide = f.divide,
          .quantum = f.quantum};
}

class LengthsReader {
 public:
  /// Null takes back what another file says.
  LengthsReader(const Node& map, dsl::Sources& sources, dsl::Diagnostics& diagnostics)
      : map_(map), sources_(sources), diagnostics_(diagnostics) {
    std::erase_if(map_.entries, [](const dsl::Entry& e) { return e.value.kind == Node::Kind::null; });
  }

  std::optional<LengthSource> read() {
    static const dsl::Schema schema = dsl::schema_of<SequenceFields>(kPrefix);
    dsl::Diagnostics found;
    found_ = &found;
    check_single();
    if (!found.has_errors()) record_ = dsl::evaluate(alone(map_), schema, {}, found);
    if (!found.has_errors()) {
      out_.fields = dsl::bind<SequenceFields>(record_, kPrefix);
      out_.place = map_.span;
      check();
    }
    diagnostics_.append(found);
    return found.has_errors() ? std::nullopt : std::optional(std::move(out_));
  }

 private:
  const dsl::Slot& slot(const char* name) const { return *record_.find(std::string(kPrefix) + name); }
  void error(const dsl::Span& place, std::string message, std::string hint = "") {
    found_->error(place, std::move(message), std::move(hint));
  }

  void check_single() {
    for (const dsl::Entry& e : map_.entries)
      if (e.value.kind == Node::Kind::list && e.key != "points" && e.key != "weights")
        error(e.value.span, fmt::format("job.sequence.{} takes one value", e.key),
              e.key == "lengths" ? "lengths in the scenario itself are points: [...], weights: [...]" : "");
  }

  void check() {
    const bool given = !out_.fields.points.empty() || !out_.fields.weights.empty();
    if (given && out_.fields.lengths)
      return error(slot("points").given ? slot("points").span : slot("weights").span,
                   "the lengths are those of a file or these points, not both",
                   "leave one out; null takes back what another file says (lengths: null)");
    if (given) return check_points();
    if (!out_.fields.lengths)
      return error(map_.span, "no lengths: job.sequence is a map without 'lengths' and 'points'",
                   "sequence: {lengths: FILE}, or {points: [...], weights: [...]}, or one number of tokens");
    read_file();
  }

  void check_points() {
    const std::vector<int64_t>& points = out_.fields.points;
    const std::vector<double>& weights = out_.fields.weights;
    if (points.size() != weights.size())
      return error(slot("points").given ? slot("points").span : slot("weights").span,
                   fmt::format("{} points and {} weights", points.size(), weights.size()),
                   "a weight is the number of steps that a point stands for");
    if (points.size() > kMostPoints)
      return error(slot("points").span, fmt::format("more than {} points", kMostPoints), "each of them is a plan");
    if (std::adjacent_find(points.begin(), points.end(), std::greater_equal<>()) != points.end())
      error(slot("points").span, "the points do not ascend", "each length stands once, the shortest first");
    if (std::all_of(weights.begin(), weights.end(), [](double w) { return w == 0; }))
      error(slot("weights").span, "all weights are zero");
    only_with("lengths", {"batching", "seed", "divide", "quantum", "threshold"}, "these points are the run's already");
    out_.longest = points.back();
  }

  /// Fields that say nothing here.
  void only_with(const char* what, std::initializer_list<const char*> names, const char* why) {
    for (const char* name : names)
      if (slot(name).given) error(slot(name).span, fmt::format("'{}' goes with {}: {}", name, what, why));
  }

  void read_file() {
    only_with("points", {"unique_lengths", "iterations", "left_over_sequences", "error", "padding"},
              "the file says them");
    const dsl::Span place = slot("lengths").span;
    std::string why;
    const dsl::Source* file = dsl::open_file(*out_.fields.lengths, "", place.source ? place.source->directory : "",
                                             sources_, why, seqpoint::kMostLogBytes);
    if (!file) return error(place, why, "a file of lengths, relative to the file that names it");
    dsl::Diagnostics told;
    auto log = seqpoint::read_log(*file, sources_, told);
    for (const dsl::Diagnostic& d : told.list) error(d.span.source ? d.span : place, d.message, d.hint);
    if (!log) return;
    out_.log = std::move(*log);
    if (!out_.log.sequences)
      only_with("a data set", {"batching", "seed", "divide", "quantum"}, "this file has the iterations of a run");
    out_.longest = longest_of(out_.log, batching_of(out_.fields, 1));
  }

  Node map_;
  dsl::Sources& sources_;
  dsl::Diagnostics& diagnostics_;
  dsl::Diagnostics* found_ = nullptr;
  dsl::Record record_;
  LengthSource out_;
};

Lengths given_points(const SequenceFields& f) {
  Lengths lengths{.shares = {},
                  .distinct = f.unique_lengths,
                  .steps = f.iterations,
                  .left_over = f.left_over_sequences,
                  .error = f.error,
                  .padding = f.padding};
  for (size_t i = 0; i < f.points.size(); ++i) lengths.shares.push_back({f.points[i], f.weights[i], {}});
  return lengths;
}

/// Times at many lengths from those at some, straight lines between.
std::vector<double> interpolated(const std::vector<int64_t>& lengths, const StepTimes& times) {
  const size_t n = std::min(lengths.size(), kTimed);
  std::vector<size_t> at(n);
  for (size_t i = 0; i < n; ++i) at[i] = n == 1 ? 0 : i * (lengths.size() - 1) / (n - 1);
  std::vector<int64_t> some;
  for (const size_t i : at) some.push_back(lengths[i]);
  const std::vector<double> known = times(some);
  std::vector<double> all;
  for (size_t i = 0, next = 0; i < lengths.size() && !known.empty(); ++i) {
    while (at[next] < i) ++next;
    if (at[next] == i) {
      all.push_back(known[next]);
      continue;
    }
    const auto x = [&](size_t k) { return static_cast<double>(lengths[k]); };
    const double share = (x(i) - x(at[next - 1])) / (x(at[next]) - x(at[next - 1]));
    all.push_back(known[next - 1] + share * (known[next] - known[next - 1]));
  }
  return all;
}

void set_times(const LengthSource& source, const StepTimes& times, seqpoint::Epoch& epoch) {
  if (!source.log.seconds.empty()) return;  // measured
  std::vector<int64_t> lengths;
  for (const seqpoint::LengthTime& l : epoch.lengths) lengths.push_back(l.length);
  const std::vector<double> planned = interpolated(lengths, times);
  for (size_t i = 0; i < lengths.size(); ++i)
    epoch.lengths[i].seconds = planned.empty() ? static_cast<double>(lengths[i]) : planned[i];
}

Lengths found_points(const LengthSource& source, const seqpoint::Epoch& epoch, dsl::Diagnostics& diagnostics) {
  const seqpoint::Selection selection = select_seqpoints(epoch, {.threshold = source.fields.threshold});
  if (!selection.met)
    diagnostics.warning(source.place, fmt::format("no number of bins brings the error of the projection to {}",
                                                  source.fields.threshold));
  Lengths out{.shares = {},
              .distinct = static_cast<int64_t>(epoch.lengths.size()),
              .steps = epoch.iterations(),
              .error = projection_error(epoch, selection.sample, epoch.times())};
  for (const seqpoint::Point& p : selection.sample.points)
    out.shares.push_back({epoch.lengths[p.at].length, static_cast<double>(p.weight), {}});
  const int64_t longest = epoch.lengths.back().length;
  if (out.shares.back().length != longest) out.shares.push_back({longest, 0, {}});
  return out;
}

}  // namespace

std::optional<LengthSource> take_lengths(Node& tree, dsl::Sources& sources, dsl::Diagnostics& diagnostics) {
  Node* sequence = node_at(tree, kSequence);
  if (!sequence || sequence->kind != Node::Kind::map || sequence->broken) return std::nullopt;
  std::optional<LengthSource> source = LengthsReader(*sequence, sources, diagnostics).read();
  set_lengths(tree, {source ? source->longest : 1});
  return source;
}

std::optional<Lengths> resolve_lengths(const LengthSource& source, int64_t global_batch, const StepTimes& times,
                                       dsl::Diagnostics& diagnostics) {
  if (source.log.lengths.empty()) return given_points(source.fields);
  const seqpoint::Batching batching = batching_of(source.fields, global_batch);
  std::optional<seqpoint::LogRun> run = run_of(source.log, batching, source.place, diagnostics);
  if (!run) return std::nullopt;
  set_times(source, times, run->epoch);
  Lengths lengths = found_points(source, run->epoch, diagnostics);
  lengths.padding = source.log.sequences ? padding_share(source.log.lengths, batching) : 0;
  lengths.left_over = run->left_over;
  lengths.batched = source.log.sequences;
  return lengths;
}

bool may_follow_length(std::string_view path) {
  constexpr std::array kFields{kSequence,
                               "job.document",
                               "job.global_batch",
                               "parallelism.microbatch",
                               "parallelism.recompute",
                               "parallelism.recompute_every"};
  return path.starts_with("model.operators[") || std::ranges::find(kFields, path) != kFields.end();
}

void set_lengths(Node& tree, const std::vector<int64_t>& lengths) {
  Node* sequence = node_at(tree, kSequence);
  if (!sequence) return;
  const dsl::Span place = sequence->span;
  dsl::List values;
  for (const int64_t length : lengths) values.push_back({dsl::Number{static_cast<double>(length), dsl::kNone}});
  *sequence = dsl::value_node(values.size() == 1 ? values.front() : dsl::Value{values});
  sequence->span = place;
  for (Node& item : sequence->items) item.span = place;
}

Node lengths_node(const Lengths& lengths) {
  const auto number = [](double x) { return dsl::Value{dsl::Number{x, dsl::kNone}}; };
  dsl::List points, weights;
  for (const LengthShare& share : lengths.shares) {
    points.push_back(number(static_cast<double>(share.length)));
    weights.push_back(number(share.weight));
  }
  Node node(Node::Kind::map);
  const auto add = [&](const char* key, const dsl::Value& value) {
    node.entries.push_back({key, {}, dsl::value_node(value)});
  };
  add("points", {points});
  add("weights", {weights});
  if (lengths.steps == 0) return node;
  add("unique_lengths", number(static_cast<double>(lengths.distinct)));
  add("iterations", number(static_cast<double>(lengths.steps)));
  add("left_over_sequences", number(static_cast<double>(lengths.left_over)));
  add("error", number(lengths.error));
  add("padding", number(lengths.padding));
  return node;
}

}  // namespace planner
