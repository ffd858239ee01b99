// What a search opens of a layout that a scenario does not write.
#include "planner/resolve/layout_policy.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "planner/scenario/vocabulary.h"
#include "tests/dsl/folder.h"

using planner::OpenedField;
using planner::Opens;

namespace {

const std::string kHead =
    "model: {use: llama3-70b}\njob: {sequence: 8192, global_batch: 512}\n"
    "cluster: {use: dgx-h100, gpus: 64}\n";

/// A scenario read with its choices open, and what the policy opens of it.
struct Asked {
  Asked(const std::string& more, Opens opens, const std::string& directory = "", std::vector<dsl::Override> sets = {}) {
    const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
    const dsl::Source& source = sources.emplace_back(dsl::Source{"ask.yaml", kHead + more, directory});
    auto open = planner::read_open_scenario(source, sets, catalog, sources, diagnostics);
    if (!open) return;
    fields = planner::fields_to_open(*open, {source, sets, catalog, sources}, opens, diagnostics);
  }
  std::string values(const std::string& path) const {
    const auto row = std::ranges::find(fields, path, &OpenedField::path);
    return row == fields.end() ? "" : row->values;
  }
  std::string told() const {
    std::string text;
    for (const dsl::Diagnostic& d : diagnostics.list) text += dsl::render(d);
    return text;
  }
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  std::vector<OpenedField> fields;
};

}  // namespace

TEST_CASE("a search opens what a scenario does not write, each field with its reason") {
  const Asked nothing("", Opens::unwritten);
  REQUIRE(!nothing.diagnostics.has_errors());
  CHECK(nothing.fields.front().path == "parallelism.tp");
  CHECK(nothing.values("parallelism.recompute") == "[none, selective, full]");
  for (const OpenedField& field : nothing.fields) CHECK_MESSAGE(!field.why.empty(), field.path);
  const Asked some("parallelism: {tp: 8, recompute: full}\n", Opens::unwritten);
  for (const char* path : {"parallelism.tp", "parallelism.recompute"}) CHECK(some.values(path).empty());
  CHECK(some.fields.size() == nothing.fields.size() - 2);
  const Asked set("", Opens::unwritten, "", {{"parallelism.tp=4"}});
  CHECK(set.values("parallelism.tp").empty());
}

TEST_CASE("choices of its own, or 'auto: false', leave a layout as it is written; 'auto' asks aloud") {
  CHECK(Asked("parallelism: {tp: [4, 8]}\n", Opens::unwritten).fields.empty());
  CHECK(Asked("parallelism: {auto: false}\n", Opens::unwritten).fields.empty());
  CHECK(Asked("", Opens::said).fields.empty());
  CHECK(!Asked("parallelism: {tp: [4, 8], auto: true}\n", Opens::unwritten).fields.empty());
  const Asked aloud("parallelism: auto\n", Opens::said), map("parallelism: {auto: true}\n", Opens::said);
  CHECK(aloud.fields.size() == Asked("", Opens::unwritten).fields.size());
  CHECK(map.fields.size() == aloud.fields.size());
  // Another field beside the word does not take it back.
  CHECK(Asked("parallelism: auto\n", Opens::said, "", {{"parallelism.tp=4"}}).fields.size() == aloud.fields.size() - 1);
  CHECK(Asked("", Opens::said, "", {{"parallelism=auto"}}).fields.size() == aloud.fields.size());
}

TEST_CASE("a profile of software says what it can do in place of the policy") {
  CHECK(Asked("software: {use: megatron-core}\n", Opens::unwritten).values("parallelism.zero") == "[0, 1]");
  CHECK(Asked("software: {use: torchtitan-compile}\n", Opens::unwritten).values("parallelism.zero") == "[2, 3]");
  const Asked ddp("software: {use: ddp-amp}\n", Opens::unwritten);
  for (const char* path : {"parallelism.tp", "parallelism.pp", "parallelism.cp"}) CHECK(ddp.values(path) == "1");
  CHECK(ddp.values("parallelism.zero") == "0");
}

TEST_CASE("a policy of one's own, and what is wrong with it") {
  const TestFolder folder;
  const auto with = [&](const std::string& text) {
    folder.add("mine.yaml", text);
    return Asked("software: {use: megatron-core}\nparallelism: {auto: mine.yaml}\n", Opens::unwritten, folder.name());
  };
  const Asked mine = with("open:\n  parallelism.tp: '[1, 2]'\n  parallelism.pp: 4  # as it was\n");
  REQUIRE_MESSAGE(!mine.diagnostics.has_errors(), mine.told());
  REQUIRE(mine.fields.size() == 2);
  CHECK(mine.values("parallelism.pp") == "4");
  CHECK(mine.fields[1].why == "as it was");
  struct Row {
    const char *text, *told;
  };
  for (const Row& row : {Row{"open:\n  parallelism.tpp: 1\n", "mine.yaml:2:3: error: unknown field 'parallelism.tpp'"},
                         Row{"open:\n  parallelism.tp: [1, 2]\n", "mine.yaml:2:19: error: expected an expression"},
                         Row{"open: [1]\n", "mine.yaml:1:7: error: expected fields and their values"},
                         Row{"close: {}\n", "opens nothing"}})
    CHECK_MESSAGE(with(row.text).told().find(row.told) != std::string::npos, with(row.text).told());
  const Asked none("parallelism: {auto: layout-polisy}\n", Opens::unwritten);
  CHECK_MESSAGE(none.told().find("did you mean 'layout-policy'") != std::string::npos, none.told());
}

TEST_CASE("a plan does not leave its layout to a search without being told which") {
  const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  const dsl::Source& source = sources.emplace_back(dsl::Source{"ask.yaml", kHead + "parallelism: auto\n", ""});
  CHECK(!planner::read_scenario(source, {}, catalog, sources, diagnostics));
  REQUIRE(diagnostics.list.size() == 1);
  CHECK(diagnostics.list[0].span.line == 4);
  CHECK(diagnostics.list[0].hint.find("--pick best") != std::string::npos);
}

TEST_CASE("of a run that is known, what it writes is opened too, and what its software's flags could change") {
  const std::string run = "software: {use: megatron-core}\nparallelism: {tp: 8, recompute: full}\n";
  const Asked written(run, Opens::written);
  REQUIRE(!written.diagnostics.has_errors());
  CHECK(written.values("parallelism.tp") == Asked("", Opens::unwritten).values("parallelism.tp"));
  CHECK(written.values("software.overlap.gradients") == "[false, true]");
  CHECK(Asked(run, Opens::unwritten).values("software.overlap.gradients").empty());
  // Set fields stay, also if the run keeps its layout, or has choices.
  const Asked set(run, Opens::written, "", {{"parallelism.tp=4"}});
  CHECK(set.values("parallelism.tp").empty());
  CHECK(set.fields.size() == written.fields.size() - 1);
  CHECK(Asked("parallelism: {auto: false}\n", Opens::written).fields.size() >=
        Asked("", Opens::unwritten).fields.size());
  CHECK(Asked("software: {use: torchtitan-compile}\n", Opens::written).values("software.overlap.gradients").empty());
}
