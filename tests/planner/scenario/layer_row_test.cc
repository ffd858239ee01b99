// Patterns of layers, letter by letter, and what steps leave open.
#include "planner/scenario/layer_row.h"

#include <doctest/doctest.h>

namespace {

struct PatternCase {
  const char *pattern, *letters;
};
constexpr PatternCase kRead[] = {
    {"", ""},
    {"M*ME", "M*ME"},
    {"Mx3", "MMM"},
    {"(ME)x2*", "MEME*"},
    {"(Mx2 E)x2", "MMEMME"},
    {"M | E |", "ME"},
    {"((AB)x2C)x2", "ABABCABABC"},
    {"-x1", "-"},
};

struct RefusedCase {
  const char* pattern;
  size_t wrong;
};
constexpr RefusedCase kRefused[] = {
    {"(M", 0}, {"M)", 1}, {"Mx0", 1}, {"Mx200000", 1}, {"(((((((((((((((((M)))))))))))))))))", 16}};

planner::LayerStep step(planner::StepKind kind, int64_t in, int64_t out,
                        planner::StepInput reads = planner::StepInput::previous) {
  planner::LayerStep s;
  s.kind = kind;
  s.in = in;
  s.out = out;
  s.reads = reads;
  return s;
}

}  // namespace

TEST_CASE("a pattern writes its repeats out") {
  for (const PatternCase& row : kRead) {
    CAPTURE(row.pattern);
    const planner::PatternLetters read = planner::expand_pattern(row.pattern);
    CHECK(read.wrong == std::string::npos);
    CHECK(read.letters == row.letters);
  }
}

TEST_CASE("a pattern that cannot be read says where") {
  for (const RefusedCase& row : kRefused) {
    CAPTURE(row.pattern);
    const planner::PatternLetters read = planner::expand_pattern(row.pattern);
    CHECK(!read.why.empty());
    CHECK(read.wrong == row.wrong);
  }
}

TEST_CASE("steps read what stands there: the layer's input, what was written, and what was written beside it") {
  using enum planner::StepKind;
  planner::LayerRow row;
  row.steps = {step(linear, 0, 10), step(linear, 0, 4, planner::StepInput::input), step(weights, 0, 3),
               step(activation, 0, 0), step(linear, 0, 8)};
  const std::vector<planner::LayerStep> steps = planner::settled_steps(row, 8);
  CHECK(steps[0].in == 8);
  CHECK(steps[1].in == 8);
  CHECK(steps[3].in == 14);
  CHECK(steps[3].out == 14);
  CHECK(steps[4].in == 14);
  CHECK(planner::step_matrix(steps[1]) == 32);
  CHECK(planner::step_vectors(steps[2], row) == 3);
}
