// Plans as settings of other programs: no field is forgotten, and Megatron-LM's flags come back as the same plan.
#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "dsl/read_text.h"
#include "dsl/write.h"
#include "planner/export/relevance.h"
#include "planner/export/table.h"
#include "planner/import/deepspeed_config.h"
#include "planner/import/field_tree.h"
#include "planner/import/megatron.h"
#include "planner/resolve/read.h"
#include "planner/workload/partition.h"
#include "tests/planner/export/export_sample.h"
#include "tests/planner/import/stored_names.h"

namespace {

namespace exporting = planner::exporting;

std::string file_text(const std::string& name) {
  std::ifstream in(std::string(TRAINPLAN_SOURCE_DIR "/scenarios/") + name + ".yaml", std::ios::binary);
  REQUIRE(in.good());
  return {std::istreambuf_iterator<char>(in), {}};
}

/// Fields that become settings, as the schema has them.
std::vector<std::string> exported_fields() {
  std::vector<std::string> out;
  for (const dsl::Field& field : planner::scenario_schema())
    if (exporting::is_setting(field)) out.push_back(field.path);
  return out;
}

/// A shipped scenario that Megatron-LM can express: its file, its cluster, its software.
struct Shipped {
  const char *file, *cluster, *software;
};
constexpr Shipped kShipped[] = {{"gpt3-13b-offload", "dgx-a100-40gb", "megatron-core"},
                                {"gpt3-175b", "dgx-a100-80gb", "megatron-core"},
                                {"korthikanti-22b", "dgx-a100-80gb", "megatron-2021"},
                                {"korthikanti-175b", "dgx-a100-80gb", "megatron-2021"},
                                {"korthikanti-530b", "dgx-a100-80gb", "megatron-2021"},
                                {"korthikanti-1t", "dgx-a100-80gb", "megatron-2021"},
                                {"llama3-70b-b200-fp8", "dgx-b200", "nemo"},
                                {"llama3-70b-h100", "dgx-h100", "megatron-core"},
                                {"llama3.1-405b-h100", "dgx-h100", "megatron-core"},
                                {"mixtral-8x22b-h100", "dgx-h100", "megatron-core"}};

/// The scenario that Megatron-LM's flags say, on this cluster and with this software.
struct Back {
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  std::optional<planner::LoadedScenario> loaded;

  Back(const std::string& flags, const std::string& cluster, const std::string& software) {
    const dsl::Source& text = sources.emplace_back(dsl::Source{"run.sh", flags, "."});
    planner::ImportedRun import = planner::import_megatron(
        {.config = &text, .launch = nullptr, .model = "", .cluster = cluster}, sources, diagnostics);
    planner::put_field(import.scenario, "software.use", planner::value_node(software, {}, "", true));
    const dsl::Source& yaml =
        sources.emplace_back(dsl::Source{"back.yaml", dsl::write_yaml(import.scenario), "/nowhere"});
    const dsl::Catalog catalog{.builtin = planner::builtin_catalog(), .directories = {}};
    loaded = planner::read_scenario(yaml, {}, catalog, sources, diagnostics);
  }
  Back(const Back&) = delete;

  std::string told() const {
    std::string out;
    for (const dsl::Diagnostic& d : diagnostics.list) out += d.message + "\n";
    return out;
  }
};

/// Fields of a section that differ; "" where none does.
std::string differences(const dsl::Record& a, const dsl::Record& b) {
  const std::set<std::string> kElsewhere{"job.tokens",           // a run ends with a sample
                                         "parallelism.stages"};  // compared as they are filled
  std::string out;
  for (const std::string& field : exported_fields()) {
    if (kElsewhere.contains(field) || field.find_first_of("[*") != std::string::npos) continue;
    const std::string left = dsl::to_text(a.find(field)->value), right = dsl::to_text(b.find(field)->value);
    if (left != right) out += field + ": " + left + " is " + right + "\n";
  }
  return out;
}

}  // namespace

TEST_CASE("every row is of a setting, and says what becomes of it") {
  std::vector<std::string> fields;
  for (const dsl::Field& field : planner::scenario_schema()) fields.push_back(field.path);
  for (const exporting::Target& target : exporting::targets()) {
    for (const exporting::ExportRow& row : target.rows) {
      CAPTURE(std::string(target.name));
      CAPTURE(std::string(row.field));
      CHECK(std::any_of(fields.begin(), fields.end(),
                        [&](const std::string& f) { return exporting::matches(f, row.field); }));
      CHECK((row.name || row.only || row.rule || row.with || *row.hint));
      if (row.with) CHECK(exporting::find_row(target.rows, row.with));
    }
  }
}

TEST_CASE("a field that a target does not know is refused where it is set, and nowhere else") {
  for (const exporting::Target& target : exporting::targets()) {
    const std::string name = target.name;
    CAPTURE(name);
    CHECK(export_outcome(name, "model.post_norm=true").find("refused: model.post_norm: true") == 0);
    CHECK(export_outcome(name, "software.fusion.vector=true") == "refused: software.fusion.vector: true");
    CHECK(export_outcome(name, "software.gap=1 ms; software.memory.context=2 GiB").empty());
    CHECK(export_outcome(name, "parallelism.cp_inner=2; software.selective=mlp; job.lora.targets=qv").empty());
  }
}

TEST_CASE("every flag that an export writes is read back") {
  struct Written {
    const char* file;
    std::vector<std::string> idle;  // of what is the default anyway
    std::function<bool(const std::string&)> reads;
  };
  const auto reads_of = [](const planner::megatron::ProgramFlags& flags) {
    return [&flags](const std::string& flag) { return flags.reads(flag); };
  };
  const Written kWritten[] = {
      {"megatron_lm.cc", {}, reads_of(planner::megatron::megatron_lm())},
      {"megatron_layers.cc", {}, reads_of(planner::megatron::megatron_lm())},
      {"deepspeed.cc",
       {"--no-pipeline-parallel", "--deepspeed-activation-checkpointing"},
       reads_of(planner::megatron::megatron_deepspeed())},
      {"accelerate.cc", {"--num_machines"}, planner::reads_flag_of(planner::deepspeed::key_table())}};
  for (const Written& written : kWritten) {
    std::string why;
    const auto text = dsl::read_file(std::string(TRAINPLAN_SOURCE_DIR "/planner/export/") + written.file, 1 << 20, why);
    REQUIRE(text);
    const std::regex flag("\"(--[a-z0-9_-]+)\"");
    size_t n = 0;
    for (std::sregex_iterator it(text->begin(), text->end(), flag), end; it != end; ++it, ++n) {
      const std::string name = (*it)[1];
      const bool is_idle = std::ranges::find(written.idle, name) != written.idle.end();
      CHECK_MESSAGE((is_idle || written.reads(name)), name);
    }
    CHECK(n > 3);
  }
}

TEST_CASE("every flag and key that an export writes is one of the program's newest release") {
  struct Written {
    const char* file;
    std::vector<const char*> lists;
    std::set<std::string> elsewhere;  // of an earlier release, of Lightning, an optimizer, or transformers' run_clm.py
  };
  const Written kWritten[] = {{"megatron_lm.cc", {"megatron-lm", "launchers"}, {}},
                              {"megatron_layers.cc", {"megatron-lm"}, {}},
                              {"deepspeed.cc", {"megatron-deepspeed", "deepspeed", "launchers"}, {}},
                              {"deepspeed_json.cc", {"deepspeed"}, {}},
                              {"accelerate.cc",
                               {"accelerate", "deepspeed"},
                               {"--block_size", "--config_name", "--gradient_checkpointing", "--max_steps",
                                "--model_name_or_path", "--per_device_train_batch_size"}},
                              {"torchtitan.cc", {"torchtitan", "torchtitan-newest", "launchers"}, {}},
                              {"core.cc", {"megatron-bridge"}, {}},
                              {"core.cc", {"nemo2"}, {}},
                              {"core_script.cc", {"megatron-bridge"}, {}},
                              {"core_script.cc", {"nemo2"}, {}},
                              {"megatron_bridge.cc", {"megatron-bridge", "launchers"}, {}},
                              {"nemo2.cc", {"nemo2"}, {"trainer.devices", "trainer.max_steps", "trainer.num_nodes"}},
                              {"nemo.cc",
                               {"nemo"},
                               {"model.optim.grad_sync_dtype", "model.optim.overlap_grad_sync",
                                "model.optim.overlap_param_sync", "model.override_vocab_size"}}};
  const std::regex name(
      "\"(--[a-z0-9_-]{2,})\"|put(?:_word|_switch)?(?:_of)?\\((?:w, )?\"([^\"]{3,})\"|\\.name = \"([^\"]{3,})\"");
  for (const Written& written : kWritten) {
    CAPTURE(std::string(written.file));
    std::string why;
    const auto text = dsl::read_file(std::string(TRAINPLAN_SOURCE_DIR "/planner/export/") + written.file, 1 << 20, why);
    REQUIRE(text);
    const std::set<std::string> known = stored_names(written.lists);
    std::set<std::string> unused = written.elsewhere;
    size_t n = 0;
    for (std::sregex_iterator it(text->begin(), text->end(), name), end; it != end; ++it, ++n) {
      const std::string found = (*it)[1].str() + (*it)[2].str() + (*it)[3].str();
      unused.erase(found);
      CHECK_MESSAGE((known.contains(found) || written.elsewhere.contains(found)), found);
    }
    CHECK(unused.empty());
    CHECK(n > 2);
  }
}

TEST_CASE("every flag of Megatron-LM's table that an export writes is one of its newest release") {
  const std::set<std::string> known = stored_names({"megatron-lm", "launchers"});
  size_t n = 0;
  for (const exporting::ExportRow& row : exporting::megatron_rows())
    if (row.name) CHECK_MESSAGE((++n, known.contains(row.name)), std::string(row.name));
  CHECK(n > 40);
}

TEST_CASE("the flags of a shipped scenario come back as the same plan") {
  for (const Shipped& shipped : kShipped) {
    CAPTURE(std::string(shipped.file));
    const Exported there("megatron", file_text(shipped.file), {});
    REQUIRE_MESSAGE(there.result, there.told());
    const Back back(there.result->text, shipped.cluster, shipped.software);
    CHECK(back.told() == "");
    REQUIRE(back.loaded);
    CHECK(differences(there.loaded->record, back.loaded->record) == "");
    CHECK(planner::layers_per_part(there.loaded->scenario) == planner::layers_per_part(back.loaded->scenario));
    const planner::Plan a = planner::make_plan(there.loaded->scenario), b = planner::make_plan(back.loaded->scenario);
    REQUIRE((a.step && b.step));
    CHECK(a.step->seconds == b.step->seconds);
    CHECK(a.memory->device.peak_bytes == b.memory->device.peak_bytes);
  }
}

TEST_CASE("fields that the shipped scenarios leave alone come back too") {
  const char* const kSets[] = {
      "parallelism.pp=4; parallelism.stages=[8, 12, 12, 8]",
      "parallelism.pp=4; parallelism.interleave=7; model.layers=26; parallelism.stages=[0, 1, 1, 1, 1, 1, 1, 1, 1, 1, "
      "1, "
      "1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 0]",
      "parallelism.pp=4; parallelism.stages=[9, 10, 11, 10]",
      "parallelism.pp=4; parallelism.interleave=2; parallelism.stages=[3, 6, 5, 5, 5, 5, 5, 6]",
      "parallelism.pp=2; parallelism.interleave=2; parallelism.stages=[8, 12, 12, 8]; model.mtp=1",
      "parallelism.cp=2; software.context=all-to-all",
      "parallelism.zero_group=2",
      "parallelism.order=tp-cp-ep-pp-dp",
      "parallelism.recompute=full; parallelism.recompute_every=2",
      "parallelism.offload.activations=0.5",
      "parallelism.offload.optimizer=0.25",
      "model.positions=0; model.rotary=true; model.kv_heads=8; model.norm=rmsnorm; model.qk_norm=true",
      "model.bias=false; model.qkv_bias=true; model.sinks=true; model.window.size=128; model.window.global_every=4",
      "model.gated_mlp=true; model.activation=silu; model.ffn=13824; software.fusion.bias_activation=false",
      "model.latent.rank=512; model.latent.query_rank=256; model.latent.rotary_dim=32; model.latent.value_dim=64",
      "parallelism.sequence_parallel=true; model.experts.count=8; model.experts.every=2; parallelism.ep=4",
      "parallelism.sequence_parallel=true; model.experts.count=8; model.experts.first_dense=4; model.experts.shared=1",
      "parallelism.sequence_parallel=true; model.experts.count=8; job.routing.capacity=1.5; parallelism.etp=2",
      "job.precision=fp8; software.scaling=current; software.gather_bytes=1",
      "software.overlap.gradients=false; software.overlap.parameters=false; software.fusion.gradient=false",
      "software.attention=unfused; software.fusion.softmax=false; model.dropout=0"};
  for (const char* set : kSets) {
    CAPTURE(std::string(set));
    const Exported there("megatron", export_scenario("megatron"), parts_of(set, "; "));
    REQUIRE_MESSAGE(there.result, there.told());
    const Back back(there.result->text, "dgx-h100", "megatron-core");
    REQUIRE_MESSAGE(back.loaded, back.told());
    CHECK(differences(there.loaded->record, back.loaded->record) == "");
    CHECK(planner::layers_per_part(there.loaded->scenario) == planner::layers_per_part(back.loaded->scenario));
  }
}

TEST_CASE("a refusal stands at its place and says what would do") {
  const Exported titan("torchtitan", export_scenario("torchtitan"), {"parallelism.zero=1"});
  REQUIRE(titan.diagnostics.list.size() == 1);
  const dsl::Diagnostic& refusal = titan.diagnostics.list[0];
  CHECK(refusal.message == "torchtitan cannot express 'parallelism.zero: 1': it shards gradients with the states");
  CHECK(refusal.hint == "zero 2 or 3");
  CHECK(refusal.span.source->name == "--set");
}

TEST_CASE("what another program's software does is refused once, with the software that would do") {
  size_t folded = 0;  // targets that refuse more than two of its habits
  for (const planner::ExportTarget& target : planner::export_targets()) {
    const Exported other(target.name, export_scenario("megatron"), {"software.use=composer-fsdp"});
    size_t of_profile = 0, each = 0;
    for (const dsl::Diagnostic& d : other.diagnostics.list) {
      each += d.message.find("cannot express 'software.") != std::string::npos;
      if (d.message.find("does not run as 'composer-fsdp' does") == std::string::npos) continue;
      ++of_profile;
      const std::string use = "`--set software.use=";
      REQUIRE(d.hint.starts_with(use));
      const std::string software = d.hint.substr(use.size(), d.hint.find('`', 1) - use.size());
      const Exported own(target.name, export_scenario("megatron"), {"software.use=" + software});
      for (const dsl::Diagnostic& left : own.diagnostics.list)
        CHECK_MESSAGE(left.message.find("does not run as") == std::string::npos, left.message);
    }
    CHECK_MESSAGE((of_profile == 1 ? each == 0 : each <= 2), target.name);
    folded += of_profile;
  }
  CHECK(folded >= 4);
}

TEST_CASE("a list of operators is refused once") {
  const std::string text =
      "model: {use: resnet-50}\njob: {sequence: 1, global_batch: 2048, precision: fp16, optimizer: sgd}\n"
      "cluster: {use: dgx-a100-80gb, gpus: 8}\nsoftware: {use: ddp-amp}\nparallelism: {dp: 8, microbatch: 256}\n";
  for (const planner::ExportTarget& target : planner::export_targets()) {
    const Exported out(target.name, text, {});
    size_t times = 0;
    for (const dsl::Diagnostic& d : out.diagnostics.list)
      times += d.message.find("no list of operators") < d.message.size();
    CHECK(times == 1);
  }
}

TEST_CASE("JSON, YAML and TOML say each setting once") {
  const std::vector<planner::Setting> settings{{"a.b", "1", false, ""},
                                               {"c.d", "say \"x\"", true, ""},
                                               {"--flag", "(1,0)", true, ""},
                                               {"--switch", "", false, ""},
                                               {"a.e", "[1, 2]", false, ""}};
  const nlohmann::ordered_json json = nlohmann::ordered_json::parse(exporting::render_json(settings));
  CHECK(json.dump() == R"({"a":{"b":1,"e":[1,2]},"c":{"d":"say \"x\""}})");
  CHECK(exporting::render_toml(settings) == "[a]\nb = 1\ne = [1, 2]\n\n[c]\nd = \"say \\\"x\\\"\"\n");
  CHECK(exporting::render_yaml(settings) == "a:\n  b: 1\n  e: [1, 2]\nc:\n  d: \"say \\\"x\\\"\"\n");
  CHECK(exporting::render_flags("run", settings) == "run \\\n  --flag '(1,0)' \\\n  --switch\n");
}

TEST_CASE("a program that is not known exports nothing") {
  const Exported none("pax", export_scenario("megatron"), {});
  CHECK(!none.result);
  CHECK(none.told() == "");
}
