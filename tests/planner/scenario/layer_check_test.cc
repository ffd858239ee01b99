// What kinds of layers and their pattern must hold: each mistake at its field, and candidates of a search that break
// it.
#include "planner/scenario/layer_check.h"

#include <doctest/doctest.h>

#include "planner/resolve/read.h"
#include "planner/search/search.h"
#include "tests/planner/sample.h"

namespace {

using planner::FeedForward;
using planner::LayerMistake;
using planner::LayerRow;
using planner::LayerStep;
using planner::Mixer;
using planner::Model;
using planner::StepInput;
using planner::StepKind;

LayerRow attention(const char* letter) {
  LayerRow row;
  row.letter = letter;
  row.heads = 8;
  row.kv_heads = 4;
  return row;
}

LayerRow recurrence(const char* letter) {
  LayerRow row = attention(letter);
  row.mixer = Mixer::steps;
  row.feed_forward = FeedForward::none;
  row.key_heads = 2;
  row.steps.push_back(LayerStep{});
  return row;
}

/// Four layers of two kinds, without a mistake.
Model hybrid() {
  Model m;
  m.layers = 4;
  m.hidden = 64;
  m.pattern = "(MA)x2";
  m.kinds = {recurrence("M"), attention("A")};
  return m;
}

using Change = void (*)(Model&);
struct MistakeCase {
  Change change;
  const char *field, *message, *hint;
};
constexpr MistakeCase kMistakes[] = {
    {[](Model& m) {
       m.pattern.clear(), m.kinds.clear();
       for (char letter = 'A'; m.kinds.size() < 61; letter = letter == '~' ? '!' : static_cast<char>(letter + 1))
         if (std::string_view("()|x0123456789").find(letter) == std::string_view::npos) {
           m.kinds.push_back(attention(std::string(1, letter).c_str()));
           m.pattern += letter;
         }
       m.layers = 61;
     },
     "model.kinds", "61 kinds of layers, at most 60 can be planned", "make one kind of those that nearly agree"},
    {[](Model& m) { m.pattern = "(MA"; }, "model.pattern", "model.pattern, letter 1: the bracket is never closed",
     "letters of model.kinds, with repeats such as (MEM*E)x4"},
    {[](Model& m) { m.pattern = "MA)MA"; }, "model.pattern", "model.pattern, letter 3: no '(' stands before this ')'",
     "letters of model.kinds, with repeats such as (MEM*E)x4"},
    {[](Model& m) { m.pattern = "MAMB"; }, "model.pattern", "model.pattern: no kind of layers has the letter 'B'",
     "letters of model.kinds: MA"},
    {[](Model& m) { m.pattern = "MA"; }, "model.pattern", "model.pattern has 2 layers, model.layers is 4",
     "write '(MA)x2'"},
    {[](Model& m) { m.pattern = "MAM"; }, "model.pattern", "model.pattern has 3 layers, model.layers is 4",
     "repeats such as (MEM*E)x4 make it 4 letters"},
    {[](Model& m) { m.pattern = "(MA)x3"; }, "model.pattern", "model.pattern has 6 layers, model.layers is 4",
     "repeats such as (MEM*E)x4 make it 4 letters"},
    {[](Model& m) { m.pattern = ""; }, "model.kinds[0].letter", "no pattern uses these kinds of layers",
     "write 'pattern: (MA)x2' below 'model'"},
    {[](Model& m) { m.kinds.clear(); }, "model.pattern", "model.pattern: no kind of layers has the letter 'M'",
     "name kinds below 'model': 'kinds: [{use: mamba2}, {use: attention}]'"},
    {[](Model& m) { m.kinds[1].letter = "M", m.pattern = "Mx4"; }, "model.kinds[1].letter",
     "two kinds of layers have the letter 'M'", "give one of them another letter"},
    {[](Model& m) { m.kinds[1].mixer = Mixer::none, m.kinds[1].feed_forward = FeedForward::none; },
     "model.kinds[1].mixer", "model.kinds[1] has neither a mixer nor a feed-forward part",
     "write 'feed_forward: mlp', or another mixer"},
    {[](Model& m) { m.kinds[0].steps.clear(); }, "model.kinds[0].mixer", "model.kinds[0] has no steps",
     "list them below 'steps', or write 'use: mamba2'"},
    {[](Model& m) { m.kinds[1].steps.push_back(LayerStep{}); }, "model.kinds[1].mixer",
     "model.kinds[1] has steps, but its mixer is 'attention'", "write 'mixer: steps'"},
    {[](Model& m) { m.kinds[1].feed_forward = FeedForward::experts; }, "model.kinds[1].feed_forward",
     "model.kinds[1] has experts, the model has none", "write how many below 'model': 'experts: {count: 8, top_k: 2}'"},
    {[](Model& m) { m.kinds[0].key_heads = 3; }, "model.kinds[0].key_heads",
     "model.kinds[0]: 8 heads are not a multiple of 3 key heads", ""},
    {[](Model& m) { m.kinds[1].expert_width = 64; }, "model.kinds[1].expert_width",
     "model.kinds[1]: tokens of 64 values are not narrowed to 64",
     "leave expert_width out where experts see whole tokens"},
    {[](Model& m) {
       m.kinds[0].steps = {{.name = "a", .out = 10},
                           {.name = "b", .out = 6, .reads = StepInput::input},
                           {.name = "w", .kind = StepKind::weights, .out = 3},
                           {.name = "c", .kind = StepKind::activation}};
     },
     "model.kinds[0].steps[3].in", "model.kinds[0].steps[3] reads 2 results, and does not say how many of their values",
     "'in: 16' reads all of them"},
    {[](Model& m) { m.mtp_pattern = "AB"; }, "model.mtp_pattern",
     "model.mtp_pattern: no kind of layers has the letter 'B'", "letters of model.kinds: MA"},
    {[](Model& m) { m.mtp = 1, m.mtp_pattern = "Ax17"; }, "model.mtp_pattern",
     "a prediction layer of 17 layers, at most 16 can be planned", "name each kind of its layers once"},
    {[](Model& m) { m.kinds[1].kv_heads = 3; }, "model.kinds[1].kv_heads",
     "model.kinds[1]: 8 heads are not a multiple of 3 key/value heads", ""},
};

std::string of_scenario(const std::string& model) {
  return "model: {layers: 4, hidden: 1024, heads: 16, vocab: 32000, " + model +
         "}\njob: {sequence: 1024, global_batch: 64}\ncluster: {use: dgx-h100, gpus: 8}\n"
         "software: {use: megatron-core}\nparallelism: {auto: false}\ngoal: {minimize: step}\n";
}

/// The candidates of a space that fit.
int64_t feasible(const std::string& model) {
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
  const dsl::Source& source = sources.emplace_back(dsl::Source{"a.yaml", of_scenario(model), "/nonexistent"});
  const auto open = planner::read_open_scenario(source, {}, catalog, sources, diagnostics);
  for (const dsl::Diagnostic& d : diagnostics.list) MESSAGE(dsl::render(d));
  REQUIRE(open.has_value());
  return planner::search(*open, {.top = 4, .pareto = {}}).feasible;
}

}  // namespace

TEST_CASE("a hybrid without a mistake has none, nor has a model without kinds") {
  CHECK(planner::layer_mistakes(hybrid()).empty());
  Model plain;
  plain.layers = 4;
  CHECK(planner::layer_mistakes(plain).empty());
}

TEST_CASE("each mistake of kinds and pattern is told at its field, with what would do") {
  for (const MistakeCase& row : kMistakes) {
    CAPTURE(std::string(row.message));
    Model m = hybrid();
    row.change(m);
    const std::vector<LayerMistake> found = planner::layer_mistakes(m);
    REQUIRE(found.size() == 1);
    CHECK(found[0].field == row.field);
    CHECK(found[0].message == row.message);
    CHECK(found[0].hint == row.hint);
  }
}

TEST_CASE("a letter of a kind is one letter that no pattern reads otherwise") {
  for (const char* letter : {"", "AB", " ", "x", "(", ")", "|", "0", "9"}) {
    CAPTURE(std::string(letter));
    Model m = hybrid();
    m.kinds[1].letter = letter;
    m.pattern = "Mx4";
    const std::vector<LayerMistake> found = planner::layer_mistakes(m);
    REQUIRE(!found.empty());
    CHECK(found[0].field == "model.kinds[1].letter");
    CHECK(found[0].message.starts_with("a kind is one letter of model.pattern, got '"));
  }
}

TEST_CASE("several mistakes are all told") {
  Model m = hybrid();
  m.kinds[0].key_heads = 3;
  m.kinds[1].kv_heads = 5;
  m.pattern = "MAMB";
  CHECK(planner::layer_mistakes(m).size() == 3);
}

TEST_CASE("a candidate of a search that breaks one is refused, the others stay") {
  struct SpaceCase {
    const char* model;
    int64_t feasible;
  };
  for (const SpaceCase& row : {
           SpaceCase{"pattern: '(MA)x2', kinds: [{use: mamba2}, {use: block}]", 1},
           SpaceCase{"pattern: ['(MA)x2', Mx4, AMMA], kinds: [{use: mamba2}, {use: block}]", 3},
           SpaceCase{"pattern: ['(MA)x2', '(MA)x3', MAMB, '(MA'], kinds: [{use: mamba2}, {use: block}]", 1},
           SpaceCase{"pattern: '(MA)x2', kinds: [{use: mamba2, key_heads: [8, 7, 4]}, {use: block}]", 2},
           SpaceCase{"pattern: '(MA)x2', kinds: [{use: mamba2}, {use: block, feed_forward: [mlp, experts, none]}]", 2},
           SpaceCase{"pattern: '(MA)x2', kinds: [{use: mamba2}, {use: block, mixer: [attention, steps]}]", 1},
       }) {
    CAPTURE(std::string(row.model));
    CHECK(feasible(row.model) == row.feasible);
  }
}

TEST_CASE("a pattern of another length than the model's layers comes again, or ends early") {
  Model m = hybrid();
  m.pattern = "MAA";
  const std::vector<planner::LayerKind> layers = planner::layers_of(m);
  REQUIRE(layers.size() == 4);
  CHECK(layers[0] == layers[3]);
  CHECK(layers[1] == layers[2]);
  CHECK(layers[0].row == 0);
  CHECK(layers[1].row == 1);
  m.layers = 2;
  CHECK(planner::layers_of(m).size() == 2);
  CHECK(planner::layer_kinds(m).size() == 2);
}
