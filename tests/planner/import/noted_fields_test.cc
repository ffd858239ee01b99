// Measured figures that an export notes in comments, and imports read.
#include "planner/import/noted_fields.h"

#include <doctest/doctest.h>

#include "dsl/node_path.h"
#include "tests/planner/export/export_sample.h"

namespace {

struct Noted {
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  dsl::Node scenario;

  explicit Noted(const std::string& text) {
    planner::put_noted_fields(sources.emplace_back(dsl::Source{"run.sh", text, "."}), scenario, diagnostics);
  }
  std::string at(const char* path) const {
    const dsl::Node* node = dsl::node_at(scenario, path);
    return node && node != &scenario ? node->text : "none";
  }
};

}  // namespace

TEST_CASE("notes are fields, and other comments are not") {
  const Noted noted(
      "# trainplan: software.gap = 13.39 us\n# software.skew = 1 us\ntorchrun x\n"
      "# trainplan: software.memory.logits=2\n  # trainplan: software.launch = 1 us\n# trainplan: "
      "software.vector_slowdown = 1.5");
  CHECK(noted.diagnostics.list.empty());
  CHECK(noted.at("software.gap") == "13.39 us");
  CHECK(noted.at("software.memory.logits") == "2");
  CHECK(noted.at("software.vector_slowdown") == "1.5");
  CHECK(noted.at("software.skew") == "none");
  CHECK(noted.at("software.launch") == "none");
}

TEST_CASE("a note of what is no figure is an error at its place") {
  struct Row {
    const char *text, *message, *hint;
  };
  const Row rows[] = {
      {"# trainplan: software.gpa = 1 us", "'software.gpa' is no measured figure of a software", "software.gap"},
      {"# trainplan: software.use = nemo", "'software.use' is no measured figure of a software", ""},
      {"# trainplan: parallelism.tp = 2", "'parallelism.tp' is no measured figure of a software", ""},
      {"# trainplan: ", "'' is no measured figure of a software", ""},
      {"# trainplan: software.gap", "'software.gap' has no value", "`# trainplan: software.gap = 0`"}};
  for (const Row& row : rows) {
    const Noted noted(std::string("\n") + row.text);
    CAPTURE(std::string(row.text));
    REQUIRE(noted.diagnostics.list.size() == 1);
    const dsl::Diagnostic& d = noted.diagnostics.list[0];
    CHECK(d.message == row.message);
    CHECK_MESSAGE(d.hint.find(row.hint) != std::string::npos, d.hint);
    CHECK(d.span.line == 2);
    CHECK(d.span.column == 14);
  }
}

TEST_CASE("an export notes what its software takes longer or holds more than the program's profile") {
  const std::string text = export_scenario("megatron");
  const Exported usual("megatron", text, {}), other("megatron", text, {"software.use=nemo", "software.gap=7 us"});
  REQUIRE_MESSAGE((usual.result && other.result), other.told());
  CHECK(usual.result->text.find("# trainplan:") == std::string::npos);
  CHECK(other.result->text.find("# trainplan: software.gap = 7 us\n") != std::string::npos);
  CHECK(other.result->text.find("# trainplan: software.memory.logits = 2\n") != std::string::npos);
}
