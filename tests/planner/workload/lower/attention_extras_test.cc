// What a kind adds to attention and experts: gates, narrow projections, chosen and compressed keys, residual streams,
// narrowed tokens; and the states that context ranks hand on.
#include <algorithm>
#include <numeric>

#include "tests/planner/sample.h"

using operator_models::Attention;
using operator_models::Selection;
using operator_models::Vector;
using planner::Block;
using planner::Split;
using planner::StepPhase;
using planner::WorkOp;

namespace {

constexpr double kTokens = 2048, kWidth = 512, kHeads = 8 * 64;  // two sequences of 1024; heads together
constexpr StepPhase kForward = StepPhase::forward, kBackward = StepPhase::backward;

planner::Scenario of_kind(const std::string& fields, const sample::Sets& sets = {}) {
  using sample::operator+;
  return sample::scenario(
      "model: {layers: 2, hidden: 512, ffn: 1536, heads: 8, kv_heads: 2, head_dim: 64, vocab: 32000, bias: false,\n"
      "  norm: rmsnorm, rotary: true, experts: {count: 8, top_k: 2, ffn: 256}, pattern: ZZ,\n  kinds: [{letter: Z, " +
          fields + "}]}\njob: {sequence: 1024}\ncluster: {use: dgx-h100, gpus: 8}\nsoftware: {use: megatron-core}\n",
      sample::Sets{"job.global_batch=16", "parallelism.microbatch=2"} + sets);
}
Block unsharded(const std::string& fields, const sample::Sets& sets = {}) {
  return planner::lower(of_kind(fields, sets)).layer();
}
Block divided(const std::string& fields, const sample::Sets& sets) {
  return planner::build_blocks(of_kind(fields, sets)).layer();
}

template <class Op> Op as(const WorkOp& op) {
  REQUIRE_MESSAGE(std::holds_alternative<Op>(op.op), op.name);
  return std::get<Op>(op.op);
}
double bytes_kept(const Block& b, const std::string& name) {
  double sum = 0;
  for (const planner::Saved& s : b.saved)
    if (s.name.str() == name) sum += s.bytes;
  return sum;
}
double owned(const Block& b, const std::string& name) {
  double sum = 0;
  for (const planner::Weight& w : b.weights)
    if (w.name.str() == name) sum += w.parameters;
  return sum;
}

struct Product {
  const char* name;
  int64_t in, out, batch = 1;
};
void check_products(const Block& b, std::initializer_list<Product> products) {
  for (const Product& p : products) {
    const std::string name = p.name;
    CAPTURE(name);
    const auto forward = sample::gemm(sample::only(b.ops, name)),
               weights = sample::gemm(sample::only(b.ops, name + ".wgrad", kBackward));
    CHECK(std::array{forward.m, forward.k, forward.batch} == std::array{p.out, p.in, p.batch});
    CHECK(std::array{weights.m, weights.n, weights.k} == std::array{p.in, p.out, forward.n});
    CHECK(owned(b, name) == static_cast<double>(p.in * p.out * p.batch));
  }
}

}  // namespace

TEST_CASE("projections of heads: gates beside queries, values that are keys, queries in two steps") {
  const char* fused = "software.fusion.qkv=true";
  const char* separate = "software.fusion.qkv=false";
  struct Row {
    const char* fields;
    const char* fusion;
    std::initializer_list<Product> products;
    std::initializer_list<const char*> absent;
  };
  const Row rows[] = {
      {"gated: false", fused, {{"attention.qkv", 512, 512 + 2 * 128}}, {"attention.gated", "attention.q"}},
      {"gated: true", fused, {{"attention.qkv", 512, 2 * 512 + 2 * 128}}, {"attention.gate"}},
      {"gated: true", separate, {{"attention.q", 512, 2 * 512}, {"attention.v", 512, 128}}, {"attention.qkv"}},
      {"shared_values: true", fused, {{"attention.qkv", 512, 512 + 128}}, {"attention.v"}},
      {"shared_values: true", separate, {{"attention.q", 512, 512}, {"attention.k", 512, 128}}, {"attention.v"}},
      {"query_rank: 96",  // whether projections of one input are one product or not: these have none in common
       fused,
       {{"attention.q-down", 512, 96}, {"attention.q-up", 96, 512}, {"attention.k", 512, 128}},
       {"attention.qkv", "attention.q"}}};
  for (const Row& row : rows) {
    CAPTURE(std::string(row.fields));
    const planner::Scenario s = of_kind(row.fields, {row.fusion});
    const Block b = planner::lower(s).layer();
    check_products(b, row.products);
    for (const char* name : row.absent) CHECK_MESSAGE(sample::named(b.ops, name).empty(), std::string(name));
    CHECK(b.parameters() == planner::layer_parameters(s.model, b.layer));
    CHECK(bytes_kept(b, "attention.query") == 2 * kTokens * kHeads);  // the gate is kept beside it
  }
}

TEST_CASE("a gate multiplies the context, and both factors are kept") {
  const Block b = unsharded("gated: true");
  const WorkOp forward = sample::only(b.ops, "attention.gated"),
               back = sample::only(b.ops, "attention.gated", kBackward);
  CHECK(as<Vector>(forward).elements == kTokens * kHeads);
  CHECK(as<Vector>(forward).read.value == 2 * 2 * kTokens * kHeads);
  CHECK(as<Vector>(forward).written.value == 2 * kTokens * kHeads);
  CHECK(as<Vector>(back).read.value == 3 * 2 * kTokens * kHeads);
  CHECK(as<Vector>(back).written.value == 2 * 2 * kTokens * kHeads);
  for (const char* name : {"attention.gate", "attention.gated", "attention.context"})
    CHECK_MESSAGE(bytes_kept(b, name) == 2 * kTokens * kHeads, std::string(name));
  const Block half = divided("gated: true", {"parallelism.tp=2"});
  CHECK(as<Vector>(sample::only(half.ops, "attention.gated")).elements == kTokens * kHeads / 2);
}

TEST_CASE("with latents the gate is a projection of the layer's input") {
  const sample::Sets latent{"model.latent={rank: 128, query_rank: 192, rotary_dim: 32, value_dim: 48}"};
  const Block b = unsharded("gated: true", latent);
  check_products(b, {{"attention.gate", 512, 8 * 48}});
  const WorkOp gate = sample::only(b.ops, "attention.gate");
  REQUIRE(gate.inputs.size() == 1);
  CHECK(b.ops[static_cast<size_t>(gate.inputs.front())].name.str() == "attention.norm");
  CHECK(unsharded("gated: false", latent).parameters() + 512 * 8 * 48 == b.parameters());
}

TEST_CASE("a narrow latent of queries has a norm, and is kept before and behind it") {
  const Block b = unsharded("query_rank: 96");
  const WorkOp norm = sample::only(b.ops, "attention.q-norm");
  CHECK(as<Vector>(norm).width == 96);
  CHECK(owned(b, "attention.q-norm") == 96);
  CHECK(bytes_kept(b, "attention.q-norm.output") == 2 * kTokens * 96);
  // Each rank has all of the latent and a share of the queries.
  const Block half = divided("query_rank: 96", {"parallelism.tp=2", "parallelism.sequence_parallel=true"});
  const auto down = sample::gemm(sample::only(half.ops, "attention.q-down")),
             up = sample::gemm(sample::only(half.ops, "attention.q-up"));
  CHECK(std::array{down.m, down.n, down.k} == std::array<int64_t, 3>{96, 1024, 512});
  CHECK(std::array{up.m, up.n, up.k} == std::array<int64_t, 3>{256, 2048, 96});
  CHECK(sample::collective(sample::only(half.ops, "attention.q-up.all-gather")).bytes.value == 2 * kTokens * 96);
}

TEST_CASE("groups of heads are narrowed each, and joined by one matrix") {
  struct Row {
    int64_t rank, groups;
  };
  for (const Row& row : {Row{64, 1}, Row{32, 4}, Row{48, 8}}) {
    CAPTURE(row.groups);
    const std::string fields =
        "output_rank: " + std::to_string(row.rank) + ", output_groups: " + std::to_string(row.groups);
    const planner::Scenario s = of_kind(fields);
    const Block b = planner::lower(s).layer();
    check_products(b, {{"attention.projection-down", 512 / row.groups, row.rank, row.groups},
                       {"attention.projection", row.rank * row.groups, 512}});
    CHECK(sample::gemm(sample::only(b.ops, "attention.projection-down")).grouped == (row.groups > 1));
    CHECK(bytes_kept(b, "attention.projected") == 2 * kTokens * static_cast<double>(row.rank * row.groups));
    CHECK(b.parameters() == planner::layer_parameters(s.model, b.layer));
    if (row.groups == 1) continue;
    const Block half = divided(fields, {"parallelism.tp=2"});
    CHECK(sample::gemm(sample::only(half.ops, "attention.projection-down")).batch == row.groups / 2);
    CHECK(sample::gemm(sample::only(half.ops, "attention.projection")).k == row.rank * row.groups / 2);
  }
}

TEST_CASE("an indexer scores keys with narrow heads, from the queries' latent where there is one") {
  const std::string indexer = "indexer: {heads: 16, head_dim: 32, top_k: 8, block: 4}";
  for (int64_t rank : {0, 96}) {
    CAPTURE(rank);
    const Block b = unsharded(indexer + ", query_rank: " + std::to_string(rank));
    check_products(b, {{"attention.index-q", rank > 0 ? rank : 512, 16 * 32},
                       {"attention.index-k", 512, 32},
                       {"attention.index-weights", 512, 16}});
    CHECK(bytes_kept(b, "attention.index") == 2 * kTokens * (16 + 1) * 32);
    for (StepPhase phase : {kForward, kBackward}) {
      const Selection choice = as<Selection>(sample::only(b.ops, "attention.choice", phase));
      CHECK(std::array{choice.batch, choice.queries, choice.keys} == std::array<int64_t, 3>{2, 1024, 1024 / 4});
      CHECK(std::array{choice.heads, choice.head_dim, choice.top_k} == std::array<int64_t, 3>{16, 32, 8});
      CHECK(choice.causal);
      CHECK(choice.backward == (phase == kBackward));
    }
  }
}

TEST_CASE("a layer that shares a choice attends as if it had chosen, and has nothing of the indexer") {
  const std::string fields = "indexer: {heads: 16, head_dim: 32, top_k: 8, block: 4, shared: ";
  const Block own = unsharded(fields + "false}"), shared = unsharded(fields + "true}"),
              none = unsharded("gated: false");
  CHECK(std::ranges::count(own.ops, planner::Role::selection, &WorkOp::role) > 0);
  CHECK(std::ranges::count(shared.ops, planner::Role::selection, &WorkOp::role) == 0);
  CHECK(shared.parameters() == none.parameters());
  CHECK(own.parameters() - none.parameters() == 512 * (16 * 32 + 32 + 16));
  CHECK(shared.saved_bytes() == none.saved_bytes());
  for (const Block* b : {&own, &shared})
    CHECK(as<Attention>(sample::only(b->ops, "attention.fused")).selected == 8 * 4);
}

TEST_CASE("a query sees chosen keys, half of the compressed ones, and its window") {
  struct Row {
    const char* fields;
    int64_t selected, window, scored;  // scored: keys that an indexer scores; 0: there is no indexer
  };
  const Row rows[] = {{"gated: false", 0, 0, 0},
                      {"window: 128", 0, 128, 0},
                      {"compression: 16", 1024 / 32, 0, 0},
                      {"compression: 16, window: 128", 1024 / 32 + 128, 0, 0},
                      {"compression: 4096", 1, 0, 0},
                      {"indexer: {heads: 4, top_k: 64}", 64, 0, 1024},
                      {"indexer: {heads: 4, top_k: 4, block: 32}", 128, 0, 32},
                      {"indexer: {heads: 4, top_k: 2048}", 512, 0, 1024},  // no more than there are
                      {"indexer: {heads: 4, top_k: 64}, compression: 4, window: 32", 64 + 32, 0, 256},
                      {"indexer: {heads: 4, top_k: 2048}, compression: 4, window: 32", 128 + 32, 0, 256},
                      {"compression: 2, window: 900", 1024, 0, 0}};
  for (const Row& row : rows) {
    CAPTURE(std::string(row.fields));
    const Block b = unsharded(row.fields);
    for (StepPhase phase : {kForward, kBackward}) {
      const Attention a = as<Attention>(sample::only(b.ops, "attention.fused", phase));
      CHECK(a.selected == row.selected);
      CHECK(a.window == row.window);
      CHECK(a.keys == 1024);
    }
    const std::vector<WorkOp> choices = sample::named(b.ops, "attention.choice");
    CHECK(choices.size() == (row.scored > 0 ? 2U : 0U));
    for (const WorkOp& choice : choices) CHECK(as<Selection>(choice).keys == row.scored);
  }
}

TEST_CASE("streams are mixed before each part and written behind it") {
  struct Row {
    const char* parts;
    std::vector<std::string> mixed;
  };
  const Row rows[] = {
      {"feed_forward: mlp", {"attention", "mlp"}}, {"feed_forward: none", {"attention"}}, {"mixer: none", {"mlp"}}};
  for (const Row& row : rows)
    for (double n : {2.0, 4.0}) {
      CAPTURE(std::string(row.parts));
      CAPTURE(n);
      const Block one = unsharded(row.parts);
      const Block b = unsharded(std::string(row.parts) + ", streams: " + std::to_string(static_cast<int>(n)));
      const double stream = 2 * kTokens * kWidth, weights = n * kWidth * (2 * n + n * n);
      const auto parts = static_cast<double>(row.mixed.size());
      CHECK(b.input_bytes == n * one.input_bytes);
      CHECK(b.parameters() == one.parameters() + parts * weights);
      CHECK(b.saved_bytes() == one.saved_bytes() + parts * (n - 1) * stream);
      CHECK(std::ranges::count(b.ops, planner::Role::stream_mix, &WorkOp::role) == 4 * std::ssize(row.mixed));
      for (const std::string& part : row.mixed) {
        const Vector in = as<Vector>(sample::only(b.ops, part + ".streams-in")),
                     out = as<Vector>(sample::only(b.ops, part + ".streams-out"));
        CHECK(in.elements == n * kTokens * kWidth);
        CHECK(in.read.value == doctest::Approx(n * stream));
        CHECK(in.written.value == doctest::Approx(stream));  // what the part reads
        CHECK(out.read.value == doctest::Approx((n + 1) * stream));
        CHECK(out.written.value == doctest::Approx(n * stream));
        CHECK(owned(b, part + ".streams-in") == weights);
      }
    }
}

TEST_CASE("each part attends to the sums of earlier parts") {
  struct Row {
    const char* parts;
    int64_t block;
    double sums;  // by hand, over the parts of two layers: the embedding, full sums, the one in the making
    std::vector<std::string> reading;
  };
  const Row rows[] = {{"feed_forward: mlp", 2, (1 + 2 + 2 + 3) / 4.0, {"attention", "mlp"}},
                      {"feed_forward: mlp", 3, (1 + 2 + 2 + 2) / 4.0, {"attention", "mlp"}},
                      {"feed_forward: mlp", 1, (1 + 2 + 3 + 4) / 4.0, {"attention", "mlp"}},
                      {"feed_forward: mlp", 100, (1 + 2 + 2 + 2) / 4.0, {"attention", "mlp"}},
                      {"feed_forward: none", 1, (1 + 2) / 2.0, {"attention"}},
                      {"mixer: none", 2, (1 + 2) / 2.0, {"mlp"}}};
  for (const Row& row : rows) {
    const std::string fields = std::string(row.parts) + ", residual_block: " + std::to_string(row.block);
    CAPTURE(fields);
    const planner::Scenario s = of_kind(fields);
    CHECK(planner::attended_sums(s.model, s.model.kinds.front()) == doctest::Approx(row.sums));
    const Block one = unsharded(row.parts), b = planner::lower(s).layer();
    const double sum = 2 * kTokens * kWidth;
    const auto parts = static_cast<double>(row.reading.size());
    CHECK(b.parameters() == one.parameters() + parts * 2 * kWidth);
    CHECK(b.parameters() == planner::layer_parameters(s.model, b.layer));
    CHECK(b.saved_bytes() == doctest::Approx(one.saved_bytes() + parts * sum / static_cast<double>(row.block)));
    for (const std::string& part : row.reading) {
      const Vector reads = as<Vector>(sample::only(b.ops, part + ".residuals", kForward));
      CHECK(reads.read.value == doctest::Approx(row.sums * sum));
      CHECK(reads.written.value == doctest::Approx(sum));
    }
  }
}

TEST_CASE("tokens are pooled into compressed keys by weights of their own") {
  for (int64_t overlap : {1, 2}) {
    const std::string plain = "compression: 4, window: 32", fields = plain + ", overlap: " + std::to_string(overlap);
    CAPTURE(overlap);
    const double key = 2.0 * 64;  // two heads
    const planner::Scenario s = of_kind(fields);
    const Block without = unsharded(plain), b = planner::lower(s).layer();
    check_products(b, {{"attention.compress", 512, 2 * overlap * 128}});
    CHECK(b.parameters() - without.parameters() == static_cast<double>(overlap) * key * (2 * kWidth + 4));
    CHECK(b.parameters() == planner::layer_parameters(s.model, b.layer));
    CHECK(bytes_kept(b, "attention.pooled") == 2 * kTokens * 2 * static_cast<double>(overlap) * key);
    const Vector pooled = as<Vector>(sample::only(b.ops, "attention.pooled", kForward));
    CHECK(pooled.written.value == doctest::Approx(2 * kTokens * key / 4));
    // Keys of the indexer are pooled as those of attention.
    const std::string indexer = ", indexer: {heads: 4, head_dim: 32, top_k: 64}";
    const planner::Scenario chosen = of_kind(fields + indexer);
    const Block chooses = planner::lower(chosen).layer();
    check_products(chooses, {{"attention.index-k", 512, 2 * overlap * 32}});
    CHECK(chooses.parameters() == planner::layer_parameters(chosen.model, chooses.layer));
  }
}

TEST_CASE("routed experts get narrowed tokens, shared ones whole ones") {
  const std::string experts = "mixer: none, feed_forward: experts";
  const sample::Sets shared{"model.experts.shared=1"};
  const planner::Scenario s = of_kind(experts + ", expert_width: 128", shared);
  const Block whole = unsharded(experts, shared), b = planner::lower(s).layer();
  check_products(b, {{"experts.narrow", 512, 128},
                     {"experts.widen", 128, 512},
                     {"experts.fc1", 128, 256, 8},
                     {"experts.fc2", 256, 128, 8},
                     {"shared.fc1", 512, 256},
                     {"router", 512, 8}});
  CHECK(sample::named(whole.ops, "experts.narrow").empty());
  CHECK(bytes_kept(b, "experts.narrowed") == 2 * kTokens * 128);
  CHECK(bytes_kept(b, "experts.narrow-sum") == 2 * kTokens * 128);
  CHECK(bytes_kept(b, "experts.input") == 2 * 2 * kTokens * 128);  // two experts of each token
  CHECK(bytes_kept(whole, "experts.input") == 2 * 2 * kTokens * 512);
  CHECK(b.parameters() == planner::layer_parameters(s.model, b.layer));
}

TEST_CASE("expert ranks send tokens as narrow as experts get them") {
  const std::string experts = "mixer: none, feed_forward: experts, expert_width: ";
  for (const char* dispatch : {"all-to-all", "all-gather"})
    for (double width : {0.0, 128.0, 64.0}) {
      const double sent = width > 0 ? width : kWidth;
      CAPTURE(std::string(dispatch));
      CAPTURE(width);
      const Block b = divided(experts + std::to_string(static_cast<int>(width)),
                              {"parallelism.ep=4", std::string("software.experts.dispatch=") + dispatch,
                               "software.experts.dispatch_bytes=2", "software.experts.combine_bytes=2"});
      // Two copies of each token; or all tokens of the four ranks.
      const double bytes = 2 * sent * kTokens * (std::string(dispatch) == "all-gather" ? 4 : 2);
      for (const auto& [name, phase] : {std::pair{"experts.dispatch", kForward},
                                        {"experts.combine", kForward},
                                        {"experts.combine-gradient", kBackward},
                                        {"experts.dispatch-gradient", kBackward}}) {
        const auto& said = name;
        CHECK_MESSAGE(sample::collective(sample::only(b.ops, name, phase)).bytes.value == bytes, std::string(said));
      }
    }
}

TEST_CASE("context ranks gather the states of all pieces before each scan, tensor ranks those of their heads") {
  const std::string fields = "use: gated-delta, heads: 16, key_heads: 8, key_dim: 32, value_dim: 64";
  for (int cp : {2, 4})
    for (int tp : {1, 2}) {
      CAPTURE(cp);
      CAPTURE(tp);
      const Block b = divided(fields, {"parallelism.cp=" + std::to_string(cp), "parallelism.tp=" + std::to_string(tp)});
      CHECK(bytes_kept(b, "mixer.scan.input") > 0);
      for (StepPhase phase : {kForward, kBackward}) {
        const WorkOp states = sample::only(b.ops, "mixer.states", phase),
                     scan = sample::only(b.ops, "mixer.scan", phase);
        const auto c = sample::collective(states);
        CHECK(c.kind == operator_models::CollectiveKind::all_gather);
        CHECK(c.bytes.value == 4.0 * 2 * (16 / tp) * 32 * 64 * cp);  // fp32, of two sequences
        CHECK(c.group.ranks == cp);
        CHECK(states.purpose == planner::Purpose::cp);
        CHECK(as<operator_models::Scan>(scan).length == 1024 / cp);
        REQUIRE(scan.inputs.size() == 1);
        CHECK(b.ops[static_cast<size_t>(scan.inputs.front())].name.str() == "mixer.states");
      }
    }
  for (const char* other : {"use: block", "use: mlp", "use: experts"})
    CHECK(sample::named(divided(other, {"parallelism.cp=2"}).ops, "mixer.states").empty());
}
