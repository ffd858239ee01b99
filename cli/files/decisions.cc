#include "cli/files/decisions.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <utility>

#include "cli/input/json_object.h"
#include "cli/report/row_fields.h"
#include "dsl/json.h"

namespace cli {
namespace {

namespace replay = planner::replay;
namespace tuning = planner::tuning;

constexpr int64_t kMostGradients = 10'000'000, kMostPartitions = 1'000'000, kMostRanks = 1'000'000'000,
                  kMostParts = 1024;
constexpr double kMostBytes = 1e18, kMostSeconds = 1e6;
constexpr std::array kPassNames{"tensor-fusion", "tensor-partition"};  // by tuning::Decision::Pass

const char* name_of(tuning::Decision::Pass pass) { return kPassNames[static_cast<size_t>(pass)]; }

bool is_of_buckets(std::string_view pass) { return std::ranges::find(kPassNames, pass) != kPassNames.end(); }

Data passes_document(const replay::PassEdits& passes) {
  return Data::Object{{"matrix_factor", Data(passes.matrix_factor)},
                      {"fuses_operators", passes.fuses_operators},
                      {"parts", static_cast<int64_t>(passes.parts)},
                      {"blocks", static_cast<int64_t>(passes.blocks)},
                      {"recomputed", static_cast<int64_t>(passes.recomputed)}};
}

Data numbers_from_1(const std::vector<size_t>& gradients) {
  return list_of(gradients, [](size_t gradient) { return gradient + 1; });
}

/// Those that no bucket has.
std::vector<size_t> unreduced(const replay::Decisions& decisions) {
  std::vector<bool> has(decisions.gradients);
  for (const replay::DecidedBucket& bucket : decisions.buckets)
    for (const size_t gradient : bucket.gradients) has[gradient] = true;
  std::vector<size_t> left;
  for (size_t i = 0; i < has.size(); ++i)
    if (!has[i]) left.push_back(i);
  return left;
}

/// Keys of the file, no other.
class DecisionMembers {
 public:
  DecisionMembers(const dsl::Node& node, dsl::Diagnostics& diagnostics, std::vector<std::string> keys)
      : object(node, diagnostics) {
    if (node.kind != dsl::Node::Kind::map) object.wrong(node.span, "expected an object here");
    for (const dsl::Entry& entry : node.entries)
      if (std::ranges::find(keys, entry.key) == keys.end())
        object.wrong(entry.key_span, "unknown key '" + entry.key + "'", dsl::did_you_mean(entry.key, keys));
  }
  int64_t whole(const char* key, int64_t least, int64_t most) const {
    const int64_t value = object.whole(key, least);
    if (value > most) wrong(key, fmt::format("expected {} at most for '{}'", most, key));
    return std::min(value, most);
  }
  double figure(const char* key, double most) const {
    const double value = object.number(key);
    if (!(value >= 0 && value <= most)) wrong(key, fmt::format("expected 0 to {:g} for '{}'", most, key));
    return value;
  }
  void wrong(const char* key, const std::string& message, const std::string& hint = "") const {
    object.wrong(object.place(key), message, hint);
  }

  const JsonObject object;
};

class DecisionsReader {
 public:
  explicit DecisionsReader(dsl::Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  ReadDecisions read(const dsl::Node& root) {
    const DecisionMembers top(root, diagnostics_,
                              {"format", "strategy", "measured_seconds", "replayed_seconds", "gradients", "unreduced",
                               "reduction", "buckets", "decisions", "passes"});
    check_format(top);
    if (top.object.has("passes")) read_passes(top);
    read_.decisions.gradients = static_cast<size_t>(top.whole("gradients", has_passes_ ? 0 : 1, kMostGradients));
    top.object.text("strategy");
    for (const char* key : {"measured_seconds", "replayed_seconds"}) top.figure(key, kMostSeconds);
    if (!good()) return {};
    read_.gradients_span = top.object.place("gradients");
    if (!has_reductions() && read_.passes.empty()) {
      top.wrong("passes", "these decisions change nothing: no pass and no bucket");
      return {};
    }
    owners_.resize(read_.decisions.gradients, kNobody);
    read_reduction(top);
    for (const dsl::Node& node : top.object.list("buckets"))
      if (good()) read_bucket(node);
    if (good()) read_list(top.object.list("unreduced"), kUnreduced);
    check_all(top);
    for (const dsl::Node& node : top.object.list("decisions")) check_decision(node);
    return std::move(read_);
  }

 private:
  static constexpr size_t kNobody = SIZE_MAX, kUnreduced = SIZE_MAX - 1;

  bool good() const { return !diagnostics_.has_errors(); }
  // Of a run without them there are passes alone.
  bool has_reductions() const { return !has_passes_ || read_.decisions.gradients > 0; }

  void check_format(const DecisionMembers& top) const {
    if (good() && top.object.text("format") != kDecisionsFormat)
      top.wrong("format", fmt::format("expected the format '{}'", kDecisionsFormat),
                "`trainplan tune TRACE... --write-decisions FILE` writes it");
  }

  void read_passes(const DecisionMembers& top) {
    const dsl::Node* node = top.object.member("passes");
    if (!node || !good()) return;
    const DecisionMembers from(*node, diagnostics_,
                               {"matrix_factor", "fuses_operators", "parts", "blocks", "recomputed"});
    replay::PassEdits& passes = read_.passes;
    if (from.object.number_or_null("matrix_factor")) passes.matrix_factor = from.figure("matrix_factor", 1);
    if (good() && passes.matrix_factor && *passes.matrix_factor <= 0)
      from.wrong("matrix_factor", "expected a share above zero for 'matrix_factor'");
    passes.fuses_operators = from.object.flag("fuses_operators");
    passes.parts = static_cast<int>(from.whole("parts", 1, kMostParts));
    passes.blocks = static_cast<size_t>(from.whole("blocks", 0, kMostGradients));
    passes.recomputed = static_cast<size_t>(from.whole("recomputed", 0, kMostGradients));
    if (good() && passes.recomputed > passes.blocks)
      from.wrong("recomputed",
                 fmt::format("expected {} at most for 'recomputed': there are no more blocks", passes.blocks));
    has_passes_ = true;
  }

  void read_reduction(const DecisionMembers& top) {
    const dsl::Node* node = top.object.member("reduction");
    if (!node || !good() || !has_reductions()) return;
    const DecisionMembers from(*node, diagnostics_,
                               {"collective", "ranks", "seconds_per_partition", "seconds_per_byte"});
    if (good() && from.object.text("collective") != "all-reduce") from.wrong("collective", "expected 'all-reduce'");
    read_.ranks = from.whole("ranks", 1, kMostRanks);
    read_.decisions.seconds_per_partition = from.figure("seconds_per_partition", kMostSeconds);
    read_.decisions.seconds_per_byte = from.figure("seconds_per_byte", kMostSeconds);
    if (good()) read_.ranks_span = from.object.place("ranks");
  }

  void read_bucket(const dsl::Node& node) {
    const DecisionMembers from(node, diagnostics_, {"gradients", "bytes", "partitions", "wait_seconds"});
    replay::DecidedBucket bucket{.gradients = {},
                                 .bytes = from.figure("bytes", kMostBytes),
                                 .partitions = static_cast<int>(from.whole("partitions", 1, kMostPartitions)),
                                 .wait_seconds = from.figure("wait_seconds", kMostSeconds)};
    const double seconds =
        read_.decisions.seconds_per_partition * bucket.partitions + read_.decisions.seconds_per_byte * bucket.bytes;
    if (seconds > kMostSeconds)
      from.object.wrong(from.object.span(),
                        fmt::format("a reduction of this bucket takes longer than {:g} s", kMostSeconds));
    partitions_ += bucket.partitions;
    if (partitions_ > kMostPartitions)
      from.object.wrong(from.object.span(),
                        fmt::format("expected {} partitions at most in all buckets", kMostPartitions));
    bucket.gradients = read_list(from.object.list("gradients"), read_.decisions.buckets.size());
    if (bucket.gradients.empty()) from.object.wrong(from.object.span(), "expected gradients in this bucket");
    read_.decisions.buckets.push_back(std::move(bucket));
  }

  /// Numbers from 1 to those from 0, by number. `owner`: whose they are from now on.
  std::vector<size_t> read_list(const std::vector<dsl::Node>& nodes, size_t owner) {
    std::vector<size_t> gradients;
    for (const dsl::Node& node : nodes) {
      const std::optional<int64_t> number = json_whole(node);
      if (!number || *number < 1 || *number > static_cast<int64_t>(owners_.size())) {
        wrong(node.span, fmt::format("expected the number of a gradient, 1 to {}", owners_.size()));
        break;
      }
      size_t& own = owners_[static_cast<size_t>(*number - 1)];
      if (own == kUnreduced) wrong(node.span, fmt::format("gradient {} stands in 'unreduced' twice", *number));
      else if (own != kNobody) wrong(node.span, fmt::format("gradient {} is in bucket {} already", *number, own + 1));
      own = owner;
      gradients.push_back(static_cast<size_t>(*number - 1));
    }
    std::ranges::sort(gradients);
    return gradients;
  }

  void check_all(const DecisionMembers& top) {
    const auto nobody = std::ranges::find(owners_, kNobody);
    if (good() && nobody != owners_.end())
      top.wrong("buckets", fmt::format("gradient {} is in no bucket", nobody - owners_.begin() + 1),
                "list a gradient that the trace never reduced in 'unreduced'");
    if (read_.decisions.buckets.empty() && has_reductions() && good())
      top.wrong("buckets", "expected buckets in this list");
    if (!good()) return;
    std::ranges::stable_sort(read_.decisions.buckets, {}, [](const auto& bucket) { return bucket.gradients.back(); });
  }

  void check_decision(const dsl::Node& node) {
    if (!good()) return;
    const DecisionMembers from(node, diagnostics_, {"pass", "target", "replayed_gain_seconds"});
    const std::string pass = from.object.text("pass");
    std::vector<std::string> names;
    for (const tuning::TracePass& each : tuning::trace_passes()) names.emplace_back(each.name);
    if (good() && std::ranges::find(names, pass) == names.end())
      from.wrong("pass", "no pass is called '" + pass + "'", fmt::format("expected one of {}", fmt::join(names, ", ")));
    from.object.text("target");
    from.object.number_or_null("replayed_gain_seconds");
  }

  void wrong(dsl::Span span, const std::string& message) {
    if (good()) diagnostics_.error(span, message);
  }

  dsl::Diagnostics& diagnostics_;
  ReadDecisions read_;
  int64_t partitions_ = 0;
  bool has_passes_ = false;
  std::vector<size_t> owners_;  // by gradient: its bucket
};

}  // namespace

Data decisions_document(const DecisionsFile& file) {
  const replay::Decisions none, &decisions = file.reductions ? *file.reductions : none;
  using Bucket = replay::DecidedBucket;
  const RowFields<Bucket> buckets{{"gradients", [](const Bucket& b) { return numbers_from_1(b.gradients); }},
                                  {"bytes", &Bucket::bytes},
                                  {"partitions", &Bucket::partitions},
                                  {"wait_seconds", &Bucket::wait_seconds}};
  Data::List gains;
  const auto add_gain = [&](const char* pass, const std::string& target, const Data& seconds) {
    gains.emplace_back(Data::Object{{"pass", pass}, {"target", target}, {"replayed_gain_seconds", seconds}});
  };
  for (const tuning::Decision& each : file.gains)
    add_gain(name_of(each.pass), fmt::format("bucket {}", each.bucket + 1), each.gain_seconds);
  for (const tuning::TraceDecision& each : file.taken)
    if (!is_of_buckets(each.pass->name)) add_gain(each.pass->name, each.setting, each.gain_seconds);
  const Data::Object reduction{{"collective", "all-reduce"},
                               {"ranks", file.ranks},
                               {"seconds_per_partition", decisions.seconds_per_partition},
                               {"seconds_per_byte", decisions.seconds_per_byte}};
  Data::Object document{{"format", kDecisionsFormat},
                        {"strategy", file.strategy},
                        {"measured_seconds", file.measured_seconds},
                        {"replayed_seconds", file.replayed_seconds},
                        {"gradients", static_cast<int64_t>(decisions.gradients)},
                        {"unreduced", numbers_from_1(unreduced(decisions))},
                        {"reduction", file.reductions ? Data(reduction) : Data()},
                        {"buckets", buckets.list(decisions.buckets)},
                        {"decisions", std::move(gains)}};
  if (!file.passes.empty()) document.push_back({"passes", passes_document(file.passes)});
  return document;
}

std::optional<ReadDecisions> read_decisions(const dsl::Source& source, dsl::Diagnostics& diagnostics) {
  const dsl::Node root = dsl::parse_json(source, diagnostics, dsl::kWrittenLimits);
  if (diagnostics.has_errors()) return std::nullopt;
  ReadDecisions read = DecisionsReader(diagnostics).read(root);
  if (diagnostics.has_errors()) return std::nullopt;
  return read;
}

}  // namespace cli
