// Shared code of importers of configurations: values by their paths, old names, messages about each key.
#include "planner/import/settings.h"

#include "planner/import/launch_line.h"
#include "tests/planner/import/import_sample.h"

namespace {

constexpr planner::FieldKey kFields[] = {{"run.ranks", "parallelism.tp"}, {"run.fused", "software.fusion.norm"}};
constexpr const char *kRules[] = {"run.length", "run.share"}, *kLost[] = {"run.lost", "run.part.lost"},
                     *kIdle[] = {"logs", "run.part"}, *kFlags[] = {"--known"}, *kLostFlags[] = {"--lost"};
constexpr planner::OldName kOld[] = {{"before.length", "run.length"}, {"before.ranks", "run.ranks"}};
constexpr planner::RefusedKey kRefused[] = {{"run.narrow", "halves the states"},
                                            {"run.mode", "changes the mode", "`run.length`", "usual"},
                                            {"teacher", "distills a teacher"}};
constexpr planner::KeyTable kTable{kFields, kRules, kLost, kIdle, kFlags, kLostFlags, kOld, kRefused};

constexpr planner::megatron::ProgramWord kTypes[] = {{"4", "fp32"}, {"2", "bf16"}};
constexpr planner::FieldKey kWritten[] = {{"type", "software.reduce_bytes", nullptr, kTypes},
                                          {"narrow", "software.gather_bytes", "1"},
                                          {"fused", "software.fusion.rope", nullptr, {}, "false"}};
constexpr planner::KeyTable kStrict{kWritten, {}, {}, {}, {}, {}, {}, {}, "Strict"};

/// A JSON and a launch line, read by the table above.
struct Sample : ImportSample {
  planner::LaunchLine launch_line;
  dsl::Node tree;
  std::optional<planner::megatron::Flags> flags;
  std::optional<planner::Settings> settings;

  explicit Sample(const std::string& json, const std::string& launch = "", const planner::KeyTable& table = kTable) {
    const planner::RunFiles given = files("a.json", json, launch, "");
    tree = dsl::parse_json(*given.config, diagnostics);
    launch_line = planner::read_launch(given.launch, {}, planner::reads_flag_of(kTable), diagnostics);
    flags.emplace(launch_line.command, tree.span, diagnostics);
    settings.emplace(tree, table, *flags, launch_line.is_found(), diagnostics);
  }
  planner::Settings& operator*() { return *settings; }
  /// The listed keys, after messages about the others.
  std::string judged() {
    std::string out;
    for (const std::string& key : settings->judge()) out += key + " ";
    return told() + out;
  }
};

}  // namespace

TEST_CASE("a value is found by its path, or by what the path was called before") {
  Sample now(R"({"run": {"length": 8, "share": "auto"}})"),
      before(R"({"before": {"length": 4}, "run": {"share": null}})");
  CHECK(((*now).text("run.length") == "8" && (*now).written("run.length") == "run.length"));
  CHECK(((*before).text("run.length") == "4" && (*before).written("run.length") == "before.length"));
  CHECK(((*now).is_auto("run.share") && !(*now).has("run.share")));
  CHECK((!(*before).is_auto("run.share") && !(*before).has("run.share")));
  CHECK((!(*now).has("run.length.more") && !(*now).has("no.such") && (*now).text("no.such").empty()));
}

TEST_CASE("a value is a whole number, a figure or a truth, or is told") {
  Sample s(R"({"run": {"length": 2.5, "share": "x", "ranks": -1, "fused": "yes"}})");
  CHECK((*s).count("run.length", 7) == 7);
  CHECK((*s).figure("run.length", "") == "2.5");
  CHECK((*s).figure("run.share", "1") == "1");
  CHECK((*s).count("run.ranks", 3) == 3);
  CHECK((*s).is_true("run.fused", true));
  CHECK((*s).count("run.other", 5) == 5);
  CHECK(s.told() ==
        "a.json:1:20 error: expected a whole number for 'run.length', got '2.5'\n"
        "a.json:1:34 error: expected a number, 0 or more, for 'run.share', got 'x'\n"
        "a.json:1:48 error: expected a number, 0 or more, for 'run.ranks', got '-1'\n"
        "a.json:1:61 error: expected true or false for 'run.fused', got 'yes'\n");
}

TEST_CASE("rows of fields are put, each with the name that the file has") {
  Sample s(R"({"before": {"ranks": 4}, "run": {"fused": true}})", "a --known 1");
  (*s).put_fields();
  (*s).put("job.sequence", "8", "run.length", "nobody says");
  s.result.scenario = s.flags->scenario;
  CHECK((s.at("parallelism.tp") == "4" && s.at("software.fusion.norm") == "true"));
  CHECK(dsl::node_at(s.result.scenario, "parallelism.tp")->comment == "before.ranks");
  CHECK(dsl::node_at(s.result.scenario, "job.sequence")->comment == "run.length: nobody says");
  CHECK((*s).launched);
}

TEST_CASE("a row says how a value is written, and what the program does without the key") {
  Sample s(R"({"type": "bf16", "narrow": true})", "", kStrict),
      other(R"({"type": "int3", "narrow": false, "fused": true})", "", kStrict);
  (*s).put_fields(), (*other).put_fields();
  s.result.scenario = s.flags->scenario, other.result.scenario = other.flags->scenario;
  CHECK(s.fields("software.reduce_bytes=2; software.gather_bytes=1; software.fusion.rope=false") ==
        "software.reduce_bytes=2; software.gather_bytes=1; software.fusion.rope=false");
  CHECK(dsl::node_at(s.result.scenario, "software.fusion.rope")->comment == "fused: default of Strict");
  CHECK(other.fields("software.reduce_bytes=none; software.gather_bytes=none; software.fusion.rope=true") ==
        "software.reduce_bytes=none; software.gather_bytes=none; software.fusion.rope=true");
  CHECK(other.told() == "a.json:1:10 warning: 'int3' is left out\n");
}

TEST_CASE("a program that refuses keys which it does not know is named") {
  CHECK(Sample(R"({"typo": 1})", "", kStrict).judged() ==
        "a.json:1:2 error: unknown key 'typo': Strict refuses it; did you mean 'type'?\n");
}

TEST_CASE("a key has the role of its row, or of the section around it") {
  using planner::KeyRole;
  constexpr struct {
    const char* path;
    KeyRole role;
  } kRoles[] = {{"run.ranks", KeyRole::read},  {"run.length", KeyRole::read},      {"before.length", KeyRole::read},
                {"run", KeyRole::section},     {"run.narrow", KeyRole::refused},   {"teacher.x", KeyRole::refused},
                {"run.lost", KeyRole::lost},   {"run.part.lost", KeyRole::lost},   {"logs.x", KeyRole::idle},
                {"run.part.x", KeyRole::idle}, {"run.length.x", KeyRole::unknown}, {"run.x", KeyRole::unknown},
                {"x", KeyRole::unknown}};
  for (const auto& row : kRoles) CHECK_MESSAGE(kTable.role_of(row.path) == row.role, std::string(row.path));
}

TEST_CASE("keys are judged by their rows") {
  const auto judged = [](const std::string& json, const std::string& launch = "") {
    Sample sample(json, launch);
    return sample.judged();
  };
  CHECK(judged(R"({"logs": {"x": 1}, "run": {"length": 1, "part": {"x": 2}}})") == "logs run.part.x ");
  CHECK(judged(R"({"run": {"lost": 7, "part": {"lost": true}}})") ==
        "a.json:1:10 warning: 'run.lost' has no counterpart in a plan and is left out\n"
        "a.json:1:30 warning: 'run.part.lost' has no counterpart in a plan and is left out\n");
  for (const char* off : {"0", "1", "false", "null", "\"\"", "\"auto\"", "[]", "{}", "{\"enabled\": false}"})
    CHECK(judged("{\"run\": {\"lost\": " + std::string(off) + "}}") == "");
  CHECK(judged(R"({"run": {"narrow": true, "mode": "odd"}, "teacher": {"x": 1}})") ==
        "a.json:1:10 error: 'run.narrow' halves the states, which is not planned; take it out to plan the run without "
        "it\na.json:1:26 error: 'run.mode' changes the mode, which is not planned; `run.length`\n"
        "a.json:1:42 error: 'teacher' distills a teacher, which is not planned; take it out to plan the run without "
        "it\n");
  CHECK(judged(R"({"run": {"narrow": false, "mode": "usual"}, "teacher": {"enabled": false, "x": 1}})") == "");
  CHECK(judged(R"({"run": {"lenght": 1}, "rum": {}})") ==
        "a.json:1:10 warning: unknown key 'run.lenght'; did you mean 'length'?\n"
        "a.json:1:24 warning: unknown key 'rum'; did you mean 'run'?\n");
  CHECK(judged(R"({"run": 8})") == "a.json:1:9 error: 'run' holds keys, got '8'\n");
  CHECK(judged(R"({"run": {"length": 1}, "before": {"length": 1}})") ==
        "a.json:1:45 error: 'before.length' is what 'run.length' was called before; give one of them\n");
  CHECK(judged("{}", "a --known --lost 1 --mine") ==
        "run.sh:1:18 warning: --lost: has no counterpart in a plan and is left out\n--mine ");
}
