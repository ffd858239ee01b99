// The rows of the kinds of operators, against the registry and the names that scenarios use.
#include "operator_models/kinds.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>
#include <string>

#include "operator_models/cost.h"

using namespace operator_models;

namespace {

struct Example {
  Operator op;
  const char* name;
  bool communicates, multiplies, on_host;
};

const std::vector<Example> kExamples{
    {Gemm{.m = 1, .n = 1, .k = 1}, "gemm", false, true, false},
    {Attention{.kernel = "te"}, "attention", false, true, false},
    {Vector{}, "vector", false, false, false},
    {Lookup{}, "lookup", false, false, false},
    {Update{}, "update", false, false, false},
    {Collective{}, "collective", true, false, false},
    {SendRecv{}, "send-recv", true, false, false},
    {HostCopy{}, "host-copy", true, false, false},
    {HostUpdate{}, "host-update", false, false, true},
    {NearUpdate{}, "near-update", false, false, false},
    {ConcurrentGemms{}, "concurrent-gemm", false, true, false},
    {Scan{}, "scan", false, true, false},
    {Selection{}, "selection", false, true, false},
};

bool is_single_collective(const std::string& name) {
  return std::ranges::find(kCollectiveKinds, name) != kCollectiveKinds.end();
}

}  // namespace

TEST_CASE("the row of each operator says its name and what it does") {
  CHECK(kExamples.size() == kKinds.size());
  for (const Example& s : kExamples) {
    CAPTURE(s.name);
    const KindRow& row = kind(s.op);
    CHECK(std::string(row.name) == s.name);
    CHECK(std::string(kind_of(s.op)) == s.name);
    CHECK(row.alternative == s.op.index());
    CHECK(row.communicates == s.communicates);
    CHECK(row.multiplies == s.multiplies);
    CHECK(row.on_host == s.on_host);
  }
}

TEST_CASE("the names of kinds are unique, and none is that of a single collective") {
  std::set<std::string> names;
  for (const char* name : kKindNames) {
    CAPTURE(name);
    CHECK(names.insert(name).second);
    CHECK_FALSE(is_single_collective(name));
  }
  for (size_t i = 0; i < kKinds.size(); ++i) CHECK(std::string(kKindNames[i]) == kKinds[i].name);
}

TEST_CASE("every kind has a model, and every model is of a kind") {
  std::set<std::string> modelled;
  for (const ModelRow& row : registry()) {
    const std::string name(row.kind);
    CAPTURE(name);
    modelled.insert(name);
    CHECK((std::ranges::find(kKindNames, name) != kKindNames.end() || is_single_collective(name)));
  }
  for (const char* name : kKindNames) {
    CAPTURE(name);
    CHECK(modelled.contains(name));
  }
}

TEST_CASE("single collectives are named as their kinds, in their order") {
  for (size_t i = 0; i < kCollectiveKinds.size(); ++i) {
    std::string name = operator_models::name(static_cast<CollectiveKind>(i));
    std::ranges::replace(name, '-', '_');
    CHECK(name == kCollectiveKinds[i]);
  }
}
