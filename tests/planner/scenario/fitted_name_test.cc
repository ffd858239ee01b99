// pmnf(FILE[, CALLPATH][, PARAMETER=FEATURE]...): what it reads as, and what it may not be.
#include "planner/scenario/fitted_name.h"

#include <doctest/doctest.h>

using planner::FittedName;
using planner::names_fitted;
using planner::parse_fitted;

namespace {

/// "file|call path|p=f;..." of a text, or "! why".
std::string parsed(const std::string& text) {
  std::string why;
  const auto name = parse_fitted(text, why);
  if (!name) return "! " + why;
  std::string out = name->file + "|" + name->callpath.value_or("") + "|";
  for (const auto& [parameter, feature] : name->features) out += parameter + "=" + feature + ";";
  return out;
}

}  // namespace

TEST_CASE("names of fitted models are read as they are meant") {
  const std::pair<const char*, const char*> kRows[] = {
      {"pmnf(a.json)", "a.json||"},
      {" pmnf ( a b.csv ) ", "a b.csv||"},
      {"pmnf(a.json, main)", "a.json|main|"},
      {"pmnf(a.json, main->send, p=ranks, n = bytes)", "a.json|main->send|p=ranks;n=bytes;"},
      {"pmnf(a.json, p=ranks, main)", "a.json|main|p=ranks;"},
      {"pmnf('a,b (1).json', \"x = y\", 'my p'=m)", "a,b (1).json|x = y|my p=m;"},
      {"pmnf(steps.csv, ranks=cluster.gpus)", "steps.csv||ranks=cluster.gpus;"},
  };
  for (const auto& [text, expected] : kRows) CHECK(parsed(text) == expected);
}

TEST_CASE("a name written again is the name") {
  for (const char* text : {"pmnf(a.json)", "pmnf(a.json, main, p=ranks)", "pmnf('a,b (1).json', 'x = y', 'q=r'=m)",
                           "pmnf(\"it's, so.csv\")"}) {
    std::string why;
    const auto name = parse_fitted(text, why);
    REQUIRE(name);
    CHECK(parsed(planner::text(*name)) == parsed(text));
  }
}

TEST_CASE("what is no name of a fitted model is told") {
  const char* const kForm = "! expected pmnf(FILE[, CALLPATH][, PARAMETER=FEATURE]...)";
  const std::pair<const char*, std::string> kRows[] = {
      {"pmnf", kForm},
      {"pmnf(a.json", kForm},
      {"pmnf(a.json))", kForm},
      {"pmnf(a(b).json)", kForm},
      {"pmnf(a.json) x", kForm},
      {"pmnf('a.json)", kForm},
      {"pmnf()", "! pmnf() names no file"},
      {"pmnf(a.json,, x)", "! an argument of pmnf(...) is empty"},
      {"pmnf(a.json, )", "! an argument of pmnf(...) is empty"},
      {"pmnf(a.json, x, y)", "! a model has one call path, not 'x' and another"},
      {"pmnf(a.json, p=m, p=n)", "! the parameter 'p' has two features"},
      {"pmnf(a.json, p=)", "! 'p=' names no feature"},
      {"pmnf('a'. \"it's\")", "! a name has one kind of quotes, ' or \""},
      {"pmnf(a.json, 'x'=y'\"')", "! a name has one kind of quotes, ' or \""},
  };
  for (const auto& [text, expected] : kRows) CHECK(parsed(text) == expected);
}

TEST_CASE("only what begins with the word means a fitted model") {
  for (const char* text : {"pmnf", "pmnf(x)", " pmnf (x", "pmnf)"}) CHECK(names_fitted(text));
  for (const char* text : {"", "wave", "pmnfs(x)", "pmnf_2", "x pmnf(y)"}) CHECK_FALSE(names_fitted(text));
}

TEST_CASE("files begin where they are named, afterwards at the working directory") {
  dsl::Source source{.name = "dir/s.yaml", .text = "", .directory = "dir"};
  const auto rebased = [&](const std::string& text) {
    using Kind = dsl::Node::Kind;
    dsl::Node value(Kind::scalar, {&source, 1, 1, 1}), list(Kind::list), models(Kind::map), tree(Kind::map);
    value.text = text;
    list.items = {value};
    models.entries = {{"gemm", {}, list}, {"vector", {}, value}};
    tree.entries = {{"operator_models", {}, models}, {"other", {}, models}};
    planner::rebase_fitted(tree);
    CHECK(tree.entries[1].value.entries[1].value.text == text);
    CHECK(tree.entries[0].value.entries[0].value.items[0].text == tree.entries[0].value.entries[1].value.text);
    return tree.entries[0].value.entries[1].value.text;
  };
  CHECK(rebased("pmnf(a.csv, p=m)") == "pmnf(dir/a.csv, p=m)");
  CHECK(rebased("pmnf(../a.csv)") == "pmnf(a.csv)");
  CHECK(rebased("pmnf(/x/a.csv)") == "pmnf(/x/a.csv)");
  CHECK(rebased("wave") == "wave");
  CHECK(rebased("pmnf(a.csv") == "pmnf(a.csv");
}
