// Dimensions of operators: which size is which in each phase, and what dividing one does to work and traffic.
#include "planner/workload/dimensions.h"

#include <doctest/doctest.h>

#include <type_traits>
#include <variant>
#include <vector>

using namespace operator_models;
using planner::Dimensions;
using planner::dimensions_of;
using planner::StepPhase;
using planner::WorkOp;

namespace {

constexpr int64_t kBatch = 8, kTokens = 2048, kIn = 1024, kOut = 4096;

/// A linear layer as workloads write it: forward, its data gradient, its weight gradient.
WorkOp linear(StepPhase phase, bool weight_gradient) {
  WorkOp w;
  w.phase = phase;
  w.weight_gradient = weight_gradient;
  w.data_gradient = phase == StepPhase::backward && !weight_gradient;
  Gemm g{.batch = kBatch, .m = kOut, .n = kTokens, .k = kIn};
  if (w.data_gradient) g = {.batch = kBatch, .m = kIn, .n = kTokens, .k = kOut};
  if (weight_gradient) g = {.batch = kBatch, .m = kIn, .n = kOut, .k = kTokens};
  w.op = g;
  return w;
}

double flops(const WorkOp& w) {
  const Gemm& g = std::get<Gemm>(w.op);
  return 2.0 * static_cast<double>(g.batch) * static_cast<double>(g.m) * static_cast<double>(g.n) *
         static_cast<double>(g.k);
}

struct Case {
  const char* what;
  StepPhase phase;
  bool weight_gradient;
};
const std::vector<Case> kCases{{"forward", StepPhase::forward, false},
                               {"recompute", StepPhase::recompute, false},
                               {"data gradient", StepPhase::backward, false},
                               {"weight gradient", StepPhase::backward, true}};

/// How many places an operator has.
int places(const Dimensions& d) {
  int n = 0;
  for (const int64_t* p : {d.batch, d.tokens, d.in, d.out, d.heads[0], d.heads[1]}) n += p != nullptr;
  return n + (d.traffic != nullptr) + (d.message != nullptr);
}

}  // namespace

TEST_CASE("a linear layer's dimensions are the same sizes in every phase") {
  for (const Case& c : kCases) {
    CAPTURE(c.what);
    WorkOp w = linear(c.phase, c.weight_gradient);
    const Dimensions d = dimensions_of(w);
    REQUIRE(places(d) == 4);
    CHECK(*d.batch == kBatch);
    CHECK(*d.tokens == kTokens);
    CHECK(*d.in == kIn);
    CHECK(*d.out == kOut);
  }
}

TEST_CASE("dividing any dimension of a GEMM divides its FLOP by the same, and no other dimension") {
  int64_t* Dimensions::*const all[] = {&Dimensions::batch, &Dimensions::tokens, &Dimensions::in, &Dimensions::out};
  for (const Case& c : kCases) {
    for (const auto dimension : all) {
      for (const int64_t by : {2, 4, 8}) {
        CAPTURE(c.what);
        CAPTURE(by);
        WorkOp w = linear(c.phase, c.weight_gradient);
        const double before = flops(w);
        const Dimensions d = dimensions_of(w);
        *(d.*dimension) /= by;
        CHECK(flops(w) * static_cast<double>(by) == before);
        CHECK(*d.batch == (dimension == &Dimensions::batch ? kBatch / by : kBatch));
        CHECK(*d.tokens == (dimension == &Dimensions::tokens ? kTokens / by : kTokens));
        CHECK(*d.in == (dimension == &Dimensions::in ? kIn / by : kIn));
        CHECK(*d.out == (dimension == &Dimensions::out ? kOut / by : kOut));
      }
    }
  }
}

TEST_CASE("attention has heads alone, of queries and of keys and values") {
  for (const StepPhase phase : {StepPhase::forward, StepPhase::recompute, StepPhase::backward}) {
    WorkOp w;
    w.phase = phase;
    w.op = Attention{.heads = 16, .kv_heads = 4, .queries = 128, .keys = 256, .head_dim = 64};
    const Dimensions d = dimensions_of(w);
    REQUIRE(places(d) == 2);
    *d.heads[0] /= 4;
    *d.heads[1] /= 2;
    const Attention& a = std::get<Attention>(w.op);
    CHECK(a.heads == 4);
    CHECK(a.kv_heads == 2);
    CHECK(a.queries == 128);
    CHECK(a.keys == 256);
  }
}

TEST_CASE("a scan has tokens and heads, a selection heads alone") {
  for (const StepPhase phase : {StepPhase::forward, StepPhase::recompute, StepPhase::backward}) {
    WorkOp mixer{.phase = phase, .op = Scan{.heads = 16, .key_heads = 4, .length = 128}};
    const Dimensions d = dimensions_of(mixer);
    REQUIRE(places(d) == 3);
    *d.heads[0] /= 4;
    *d.heads[1] /= 2;
    *d.tokens /= 8;
    const Scan& s = std::get<Scan>(mixer.op);
    CHECK(s.heads == 4);
    CHECK(s.key_heads == 2);
    CHECK(s.length == 16);
    WorkOp indexer{.phase = phase, .op = Selection{.queries = 32, .keys = 64, .heads = 8}};
    CHECK(places(dimensions_of(indexer)) == 1);
    CHECK(dimensions_of(indexer).heads[0] == &std::get<Selection>(indexer.op).heads);
  }
}

TEST_CASE("a lookup has rows, messages have bytes, updates have nothing that passes divide") {
  for (const StepPhase phase : {StepPhase::forward, StepPhase::backward, StepPhase::optimizer}) {
    WorkOp lookup{.phase = phase, .op = Lookup{.rows = 12, .width = 5}};
    const Dimensions of_lookup = dimensions_of(lookup);
    CHECK(places(of_lookup) == 1);
    CHECK(of_lookup.tokens == &std::get<Lookup>(lookup.op).rows);
    WorkOp collective{.phase = phase, .op = Collective{}}, message{.phase = phase, .op = SendRecv{}},
        copy{.phase = phase, .op = HostCopy{}};
    CHECK(dimensions_of(collective).message == &std::get<Collective>(collective.op).bytes);
    CHECK(dimensions_of(message).message == &std::get<SendRecv>(message.op).bytes);
    CHECK(dimensions_of(copy).message == &std::get<HostCopy>(copy.op).bytes);
    for (WorkOp* w : {&collective, &message, &copy}) CHECK(places(dimensions_of(*w)) == 1);
    WorkOp update{.phase = phase, .op = Update{}}, on_host{.phase = phase, .op = HostUpdate{}},
        near{.phase = phase, .op = NearUpdate{}};
    CHECK(places(dimensions_of(update)) == 0);
    CHECK(places(dimensions_of(on_host)) == 0);
    CHECK(places(dimensions_of(near)) == 0);
  }
}

TEST_CASE("a kernel's elements and bytes are divided together, and multiplied back") {
  for (const double by : {1.0, 2.0, 8.0, 64.0}) {
    WorkOp w{.op = Vector{.elements = 4096, .read = dsl::Bytes{8192}, .written = dsl::Bytes{16384}, .width = 64}};
    const Dimensions d = dimensions_of(w);
    REQUIRE(places(d) == 1);
    planner::divide(*d.traffic, by);
    const Vector& v = std::get<Vector>(w.op);
    CHECK(v.elements == 4096 / by);
    CHECK(v.read.value == 8192 / by);
    CHECK(v.written.value == 16384 / by);
    CHECK(v.width == 64);
    planner::multiply(*d.traffic, by);
    CHECK(v.elements == 4096);
    CHECK(v.read.value == 8192);
    CHECK(v.written.value == 16384);
  }
}
