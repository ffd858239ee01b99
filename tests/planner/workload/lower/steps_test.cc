// A mixer that is a list of steps: the operators of each step, what it reads, keeps and owns, whole and divided.
#include <algorithm>
#include <set>

#include "tests/planner/sample.h"

using operator_models::Scan;
using operator_models::Vector;
using operator_models::VectorKind;
using planner::Block;
using planner::Role;
using planner::Saved;
using planner::SavedRole;
using planner::Split;
using planner::StepPhase;
using planner::WorkOp;

namespace {

constexpr double kTokens = 512, kWidth = 384;  // two sequences of 256

// Every kind of step. Numbers of values all differ, so that no two of them can be mistaken for one another.
constexpr const char* kEveryStep =
    "{name: narrow, kind: linear, out: 96}, {name: up, kind: linear, out: 640, split: columns},"
    "{name: convolution, kind: convolution, in: 320, bias: true, kept: 640},"
    "{name: side, kind: linear, reads: input, out: 48, split: columns, bias: true},"
    "{name: scan, kind: scan, in: 368, out: 256}, {name: decay, kind: weights, out: 24},"
    "{name: norm, kind: norm, in: 512, out: 256, width: 32, parameters: 32}, {name: whole, kind: norm},"
    "{name: gated, kind: activation, in: 512, out: 256, kept: 0},"
    "{name: out, kind: linear, out: 384, split: rows}, {name: behind, kind: activation}";

// One region of tensor ranks: two matrices by columns that read the layer's input, one by rows.
constexpr const char* kOneRegion =
    "{name: in, kind: linear, out: 640, split: columns}, {name: gate, kind: linear, reads: input, out: 256, split: "
    "columns}, {name: scan, kind: scan, in: 896, out: 256}, {name: out, kind: linear, out: 384, split: rows}";

planner::Scenario of_steps(const std::string& steps, sample::Sets sets = {}) {
  sets.insert(sets.begin(), {"job.global_batch=16", "parallelism.microbatch=2"});
  return sample::scenario(
      "model: {layers: 2, hidden: 384, heads: 8, vocab: 32000, bias: false, norm: rmsnorm, pattern: ZZ, kinds: [\n"
      "  {letter: Z, mixer: steps, feed_forward: none, heads: 8, value_dim: 32, key_heads: 4, key_dim: 16, kernel: 4,\n"
      "   chunk: 64, rule: delta, steps: [" +
          steps + "]}]}\njob: {sequence: 256}\ncluster: {use: dgx-h100, gpus: 8}\nsoftware: {use: megatron-core}\n",
      sets);
}
Block unsharded(const std::string& steps, const sample::Sets& sets = {}) {
  return planner::lower(of_steps(steps, sets)).layer();
}
Block divided(const std::string& steps, bool sequence_parallel) {
  const char* shards = sequence_parallel ? "true" : "false";
  return planner::build_blocks(
             of_steps(steps, {"parallelism.tp=2", std::string("parallelism.sequence_parallel=") + shards,
                              "software.overlap.tensor=false", "software.overlap.tensor_backward=false"}))
      .layer();
}

using Sizes = std::array<int64_t, 3>;  // m, n, k
Sizes sizes(const WorkOp& op) {
  const operator_models::Gemm g = sample::gemm(op);
  return {g.m, g.n, g.k};
}
template <class Op> Op as(const WorkOp& op) {
  REQUIRE_MESSAGE(std::holds_alternative<Op>(op.op), op.name);
  return std::get<Op>(op.op);
}

const Saved* kept_as(const Block& b, const std::string& name) {
  const auto found = std::ranges::find_if(b.saved, [&](const Saved& s) { return s.name.str() == name; });
  return found == b.saved.end() ? nullptr : &*found;
}
const planner::Weight& weight_of(const Block& b, const std::string& name) {
  const auto found = std::ranges::find_if(b.weights, [&](const planner::Weight& w) { return w.name.str() == name; });
  REQUIRE_MESSAGE(found != b.weights.end(), name);
  return *found;
}

/// Names of what an operator reads.
std::set<std::string> producers(const Block& b, const WorkOp& op) {
  std::set<std::string> names;
  for (int input : op.inputs) names.insert(input < 0 ? "-" : b.ops[static_cast<size_t>(input)].name.str());
  return names;
}

struct Moved {
  const char* name;
  StepPhase phase;
  operator_models::CollectiveKind kind;
  double bytes;
};
void check_moved(const Block& b, const std::vector<Moved>& expected) {
  size_t collectives = 0;
  for (const WorkOp& op : b.ops) collectives += std::holds_alternative<operator_models::Collective>(op.op) ? 1 : 0;
  CHECK(collectives == expected.size());
  for (const Moved& row : expected) {
    CAPTURE(std::string(row.name));
    const operator_models::Collective c = sample::collective(sample::only(b.ops, row.name, row.phase));
    CHECK(c.kind == row.kind);
    CHECK(c.bytes.value == row.bytes);
    CHECK(c.group.ranks == 2);
  }
}

}  // namespace

TEST_CASE("a linear step is a product and its two gradients") {
  struct Row {
    const char* name;
    int64_t in, out;
    Split split;
  };
  const Row rows[] = {{"mixer.narrow", 384, 96, Split::sequence},
                      {"mixer.up", 96, 640, Split::column},
                      {"mixer.side", 384, 48, Split::column},
                      {"mixer.out", 256, 384, Split::row}};
  const Block b = unsharded(kEveryStep);
  for (const Row& row : rows) {
    const std::string name = row.name;
    CAPTURE(name);
    const auto tokens = static_cast<int64_t>(kTokens);
    const WorkOp forward = sample::only(b.ops, name), data = sample::only(b.ops, name + ".dgrad", StepPhase::backward),
                 weights = sample::only(b.ops, name + ".wgrad", StepPhase::backward);
    CHECK(sizes(forward) == Sizes{row.out, tokens, row.in});
    CHECK(sizes(data) == Sizes{row.in, tokens, row.out});
    CHECK(sizes(weights) == Sizes{row.in, row.out, tokens});
    for (const WorkOp& op : {forward, data, weights}) {
      CHECK(op.role == Role::mixer_product);
      CHECK(op.sublayer == planner::Sublayer::mixer);
      CHECK(op.split == row.split);
      CHECK(op.product == forward.product);
    }
    const planner::Weight& w = weight_of(b, name);
    CHECK(w.parameters == static_cast<double>(row.in * row.out));
    CHECK(w.in == row.in);
    CHECK(w.out == row.out);
    CHECK(w.split == row.split);
  }
}

TEST_CASE("steps bound by memory read what they read and write what they write") {
  struct Row {
    const char* name;
    VectorKind kind;
    double in, out, flops;
    int64_t width;
    Split split;
  };
  const Row rows[] = {{"mixer.convolution", VectorKind::convolution, 320, 320, 8, 0, Split::column},
                      {"mixer.norm", VectorKind::normalization, 512, 256, 4, 32, Split::column},
                      {"mixer.whole", VectorKind::normalization, 256, 256, 4, 256, Split::column},
                      {"mixer.gated", VectorKind::activation, 512, 256, 9, 0, Split::column},
                      {"mixer.behind", VectorKind::activation, 384, 384, 9, 0, Split::sequence}};
  const Block b = unsharded(kEveryStep);
  for (const Row& row : rows)
    for (StepPhase phase : {StepPhase::forward, StepPhase::backward}) {
      CAPTURE(std::string(row.name));
      const bool back = phase == StepPhase::backward;
      const WorkOp op = sample::only(b.ops, row.name, phase);
      const Vector v = as<Vector>(op);
      CHECK(op.role == Role::mixer_step);
      CHECK(op.split == row.split);
      CHECK(v.kind == row.kind);
      CHECK(v.elements == kTokens * row.out);
      CHECK(v.read.value == doctest::Approx(2 * kTokens * (back ? row.in + row.out : row.in)));
      CHECK(v.written.value == doctest::Approx(2 * kTokens * (back ? row.in : row.out)));
      CHECK(v.flops_per_element == (back ? 2 : 1) * row.flops);
      CHECK(v.width == row.width);
    }
}

TEST_CASE("a scan has the kind's heads, keys and chunks, both ways") {
  const Block b = unsharded(kEveryStep);
  for (StepPhase phase : {StepPhase::forward, StepPhase::backward}) {
    const WorkOp op = sample::only(b.ops, "mixer.scan", phase);
    const Scan scan = as<Scan>(op);
    CHECK(op.role == Role::scan);
    CHECK(op.split == Split::heads);
    CHECK(scan.rule == operator_models::ScanRule::delta);
    CHECK(std::array{scan.batch, scan.heads, scan.key_heads, scan.length} == std::array<int64_t, 4>{2, 8, 4, 256});
    CHECK(std::array{scan.key_dim, scan.value_dim, scan.chunk} == std::array<int64_t, 3>{16, 32, 64});
    CHECK(scan.backward == (phase == StepPhase::backward));
  }
}

TEST_CASE("weights beside matrices: taps and bias, norms, what no step reads") {
  struct Row {
    const char* name;
    double parameters;
    Split split;
  };
  const Row rows[] = {{"mixer.convolution", 320 * (4 + 1), Split::column},
                      {"mixer.side.bias", 48, Split::column},
                      {"mixer.decay", 24, Split::column},
                      {"mixer.norm", 32, Split::none},  // heads share them, and so do ranks
                      {"mixer.whole", 256, Split::column}};
  const planner::Scenario s = of_steps(kEveryStep);
  const Block b = planner::lower(s).layer();
  double matrices = 384 * 96 + 96 * 640 + 384 * 48 + 256 * 384, rest = 0;
  for (const Row& row : rows) {
    CAPTURE(std::string(row.name));
    CHECK(weight_of(b, row.name).parameters == row.parameters);
    CHECK(weight_of(b, row.name).split == row.split);
    rest += row.parameters;
  }
  CHECK(b.parameters() == matrices + rest + kWidth);  // the norm before it
  CHECK(planner::layer_parameters(s.model, b.layer) == b.parameters());
}

TEST_CASE("what a step reads is kept for backward, or as much as it says; the layer's input once") {
  struct Row {
    const char* name;
    double values;
    SavedRole role;
    Split split;
  };
  const Row rows[] = {{"mixer.input", 384, SavedRole::attention_input, Split::sequence},
                      {"mixer.up.input", 96, SavedRole::mixer_product, Split::sequence},
                      {"mixer.convolution.input", 640, SavedRole::mixer_product, Split::column},
                      {"mixer.scan.input", 320 + 48, SavedRole::mixer_product, Split::column},
                      {"mixer.norm.input", 512, SavedRole::mixer_term, Split::column},
                      {"mixer.whole.input", 256, SavedRole::mixer_term, Split::column},
                      {"mixer.out.input", 256, SavedRole::mixer_term, Split::column},
                      {"mixer.behind.input", 384, SavedRole::mixer_product, Split::sequence}};
  const Block b = unsharded(kEveryStep);
  size_t of_mixer = 0;
  for (const Saved& s : b.saved) of_mixer += s.name.str().starts_with("mixer.") ? 1 : 0;
  CHECK(of_mixer == std::size(rows));  // none of narrow, side and gated
  for (const Row& row : rows) {
    const Saved* saved = kept_as(b, row.name);
    REQUIRE_MESSAGE(saved, std::string(row.name));
    CAPTURE(std::string(row.name));
    CHECK(saved->bytes == 2 * kTokens * row.values);
    CHECK(saved->role == row.role);
    CHECK(saved->split == row.split);
    CHECK(saved->gathered == (saved->name.str() == "mixer.input"));
  }
}

TEST_CASE("in eight bits inputs of products alone are kept narrow, and cast where no norm wrote them so") {
  const Block b = unsharded(kEveryStep, {"job.precision=fp8", "software.fusion.norm=true"});
  for (const auto& [name, bytes] : {std::pair{"mixer.input", 384.0},
                                    {"mixer.up.input", 96.0},
                                    {"mixer.out.input", 256.0},
                                    {"mixer.convolution.input", 2 * 640.0},
                                    {"mixer.norm.input", 2 * 512.0}}) {
    const auto& said = name;
    REQUIRE_MESSAGE(kept_as(b, name), std::string(said));
    CHECK_MESSAGE(kept_as(b, name)->bytes == kTokens * bytes, std::string(said));
  }
  for (const auto& [name, casts] : {std::pair{"narrow", 1}, {"up", 1}, {"side", 0}, {"out", 1}}) {
    const auto& said = name;
    CAPTURE(std::string(said));
    CHECK(sample::named(b.ops, std::string("mixer.") + name + ".cast-input").size() == static_cast<size_t>(casts));
    CHECK(sample::named(b.ops, std::string("mixer.") + name + ".cast-weight").size() == 1);
  }
}

TEST_CASE("a step reads the one before it, the layer's input, or all that stand beside each other") {
  using Names = std::set<std::string>;
  struct Row {
    const char* name;
    StepPhase phase;
    Names reads;
  };
  const StepPhase forward = StepPhase::forward, backward = StepPhase::backward;
  const Row rows[] = {{"mixer.narrow", forward, {"attention.norm"}},
                      {"mixer.up", forward, {"mixer.narrow"}},
                      {"mixer.side", forward, {"attention.norm"}},
                      {"mixer.scan", forward, {"mixer.convolution", "mixer.side"}},
                      {"mixer.norm", forward, {"mixer.scan"}},
                      {"mixer.out", forward, {"mixer.gated"}},
                      {"mixer.behind", forward, {"mixer.out"}},
                      {"mixer.scan", backward, {"mixer.norm"}},
                      {"mixer.convolution", backward, {"mixer.scan"}},
                      {"mixer.side.dgrad", backward, {"mixer.scan"}},
                      {"mixer.side.wgrad", backward, {"mixer.scan"}},
                      {"mixer.up.wgrad", backward, {"mixer.convolution"}},
                      {"mixer.narrow.dgrad", backward, {"mixer.up.dgrad"}},
                      {"attention.norm", backward, {"mixer.narrow.dgrad", "mixer.side.dgrad"}}};
  const Block b = unsharded(kEveryStep);
  for (const Row& row : rows) {
    CAPTURE(std::string(row.name));
    CHECK(producers(b, sample::only(b.ops, row.name, row.phase)) == row.reads);
  }
}

TEST_CASE("tensor ranks divide what lies between columns and rows; the sequence may divide the rest") {
  for (bool shards : {false, true}) {
    CAPTURE(shards);
    const Block b = divided(kEveryStep, shards);
    const int64_t tokens = shards ? 256 : 512;
    CHECK(sizes(sample::only(b.ops, "mixer.narrow")) == Sizes{96, tokens, 384});
    CHECK(sizes(sample::only(b.ops, "mixer.up")) == Sizes{320, 512, 96});
    CHECK(sizes(sample::only(b.ops, "mixer.side.wgrad", StepPhase::backward)) == Sizes{384, 24, 512});
    CHECK(sizes(sample::only(b.ops, "mixer.out")) == Sizes{384, 512, 128});
    const Scan scan = as<Scan>(sample::only(b.ops, "mixer.scan"));
    CHECK(std::array{scan.heads, scan.key_heads, scan.length} == std::array<int64_t, 3>{4, 2, 256});
    for (const auto& [name, elements] : {std::pair{"mixer.convolution", 512 * 160.0},
                                         {"mixer.norm", 512 * 128.0},
                                         {"mixer.behind", static_cast<double>(tokens) * 384}}) {
      const auto& said = name;
      CHECK_MESSAGE(as<Vector>(sample::only(b.ops, name)).elements == elements, std::string(said));
    }
    for (const auto& [name, parameters] : {std::pair{"mixer.narrow", 384 * 96.0},
                                           {"mixer.up", 96 * 320.0},
                                           {"mixer.out", 128 * 384.0},
                                           {"mixer.convolution", 160 * 5.0},
                                           {"mixer.decay", 12.0},
                                           {"mixer.norm", 32.0},
                                           {"mixer.whole", 128.0}}) {
      const auto& said = name;
      CHECK_MESSAGE(weight_of(b, name).parameters == parameters, std::string(said));
    }
    CHECK(kept_as(b, "mixer.scan.input")->bytes == kTokens * (320 + 48));
    CHECK(kept_as(b, "mixer.up.input")->bytes == 2 * static_cast<double>(tokens) * 96);
  }
}

TEST_CASE("a region of steps has the collectives of one: matrices beside each other share theirs") {
  using operator_models::CollectiveKind;
  const double bytes = 2 * kTokens * kWidth;
  const StepPhase forward = StepPhase::forward, backward = StepPhase::backward;
  check_moved(divided(kOneRegion, false), {{"mixer.out.all-reduce", forward, CollectiveKind::all_reduce, bytes},
                                           {"mixer.in.dgrad.all-reduce", backward, CollectiveKind::all_reduce, bytes}});
  const Block b = divided(kOneRegion, true);
  check_moved(b, {{"mixer.in.all-gather", forward, CollectiveKind::all_gather, bytes},
                  {"mixer.out.reduce-scatter", forward, CollectiveKind::reduce_scatter, bytes},
                  {"mixer.out.dgrad.all-gather", backward, CollectiveKind::all_gather, bytes},
                  {"mixer.in.dgrad.all-gather-input", backward, CollectiveKind::all_gather, bytes},
                  {"mixer.in.dgrad.reduce-scatter", backward, CollectiveKind::reduce_scatter, bytes}});
  using Names = std::set<std::string>;
  for (const char* name : {"mixer.in", "mixer.gate"})
    CHECK_MESSAGE(producers(b, sample::only(b.ops, name)) == Names{"mixer.in.all-gather"}, std::string(name));
  CHECK(producers(b, sample::only(b.ops, "mixer.in.dgrad.reduce-scatter", backward)) ==
        Names{"mixer.in.dgrad", "mixer.gate.dgrad"});
}

TEST_CASE("a step that reads more than stands there says so; what it says is what it is") {
  struct Row {
    const char* steps;
    int64_t in;  // of the last step
  };
  const Row rows[] = {
      {"{name: a, kind: linear, out: 64}, {name: z, kind: linear, out: 384}", 64},
      {"{name: a, kind: linear, out: 64}, {name: z, kind: linear, in: 128, out: 384}", 128},
      {"{name: a, kind: linear, out: 64}, {name: b, kind: linear, reads: input, out: 32}, {name: z, kind: linear, in: "
       "96, out: 384}",
       96},
      {"{name: a, kind: linear, out: 64}, {name: w, kind: weights, out: 1000}, {name: z, kind: linear, out: 384}", 64},
      {"{name: a, kind: linear, out: 64}, {name: z, kind: linear, reads: input, out: 384}", 384}};
  for (const Row& row : rows) {
    CAPTURE(std::string(row.steps));
    const Block b = unsharded(row.steps);
    CHECK(sizes(sample::only(b.ops, "mixer.z")) == Sizes{384, 512, row.in});
    CHECK(weight_of(b, "mixer.z").parameters == static_cast<double>(row.in) * 384);
  }
}
