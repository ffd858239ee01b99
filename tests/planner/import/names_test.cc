// Every flag and key of a program's newest sources has a class, and every row is a name of these or of earlier ones.
#include <algorithm>
#include <regex>

#include "planner/import/deepspeed_config.h"
#include "planner/import/megatron.h"
#include "planner/import/megatron_table.h"
#include "planner/import/torchtitan_table.h"
#include "tests/planner/import/stored_names.h"

namespace {

using planner::KeyRole;
using planner::KeyTable;
using planner::megatron::FlagRole;
using planner::megatron::LostFlag;
using planner::megatron::megatron_deepspeed;
using planner::megatron::megatron_lm;
using planner::megatron::ProgramFlags;
using planner::megatron::RefusedFlag;

constexpr const char* kNameLists[] = {"accelerate",      "deepspeed",          "launchers",
                                      "megatron-bridge", "megatron-deepspeed", "megatron-deepspeed-older",
                                      "megatron-lm",     "megatron-lm-older",  "nemo",
                                      "nemo2",           "torchtitan",         "torchtitan-newest",
                                      "torchtitan-older"};

/// A run of the program of a table: what it says of one flag more.
struct FlagRun : ImportSample {
  explicit FlagRun(const std::string& flags, const ProgramFlags& table = megatron_lm()) {
    const std::string program = &table == &megatron_lm() ? "" : "--deepspeed ";
    const planner::RunFiles given = files(
        "run.sh",
        "pretrain_gpt.py --num-layers 4 --hidden-size 64 --num-attention-heads 4 --seq-length 128 --vocab-size 100 "
        "--micro-batch-size 2 --global-batch-size 32 --train-iters 9 --bf16 --nproc-per-node 8 " +
            program + flags,
        "", "");
    result = planner::import_megatron(given, sources, diagnostics);
  }
};

/// A row's flag with a value that is not its usual one, behind the flag that it needs.
template <typename Row> std::string odd_value(const Row& row) {
  const std::string needs = row.needs, value = std::string(row.usual).empty() ? "" : " 77";
  const std::string with_value = needs == "--fp8-format"                           ? " hybrid "
                                 : needs == "--recompute-granularity"              ? " full "
                                 : needs == "--moe-expert-capacity-factor"         ? " 1 "
                                 : needs == "--fine-grained-activation-offloading" ? " --offload-modules qkv_linear "
                                                                                   : " ";
  return needs + with_value + row.name + value;
}

/// Every name has a role, and every row is a name.
void check_flags(const ProgramFlags& table, const std::vector<const char*>& newest,
                 const std::vector<const char*>& all) {
  for (const std::string& name : stored_names(newest)) CHECK_MESSAGE(table.role_of(name) != FlagRole::unknown, name);
  const std::set<std::string> known = stored_names(all);
  // of the YAML of Megatron-LM, and of forks of it
  const std::set<std::string> elsewhere{"--beta-fast", "--beta-slow", "--use-mamba-mem-eff-path", "--cpu-offload",
                                        "--deepspeed_mpi"};
  for (const std::string& name : table.names()) CHECK_MESSAGE((known.contains(name) || elsewhere.contains(name)), name);
}

void check_keys(const KeyTable& table, const std::vector<const char*>& all, const std::set<std::string>& elsewhere) {
  const std::set<std::string> known = stored_names(all);
  for (const std::string& name : known) CHECK_MESSAGE(table.role_of(name) != KeyRole::unknown, name);
  std::set<std::string> rows;
  for (const auto& row : table.fields) rows.insert(row.name);
  for (const auto& row : table.refused) rows.insert(row.key);
  for (const auto& row : table.old_names) rows.insert({row.old, row.now});
  for (const auto& list : {table.rules, table.lost, table.idle}) rows.insert(list.begin(), list.end());
  for (const std::string& row : rows) CHECK_MESSAGE((known.contains(row) || elsewhere.contains(row)), row);
}

}  // namespace

TEST_CASE("a list of names says where it is from, and has each name once, in order") {
  for (const char* list : kNameLists) {
    CAPTURE(std::string(list));
    std::istringstream text(import_text("names/" + std::string(list) + ".txt"));
    std::string head;
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) {
      if (line[0] == '#') head += line + " ";
      else lines.push_back(line);
    }
    CHECK(std::regex_search(head, std::regex("[0-9a-f]{8}, (# )?20[0-9]{2}-[0-9]{2}-[0-9]{2}")));
    CHECK(std::ranges::is_sorted(lines));
    CHECK(std::ranges::adjacent_find(lines) == lines.end());
    CHECK(lines.size() > 60);
  }
}

TEST_CASE("every flag of the newest Megatron-LM has a class") {
  CHECK(stored_names({"megatron-lm"}).size() == 900);
  CHECK(megatron_lm().role_of("--no-such-flag") == FlagRole::unknown);
  check_flags(megatron_lm(), {"megatron-lm"}, {"megatron-lm", "megatron-lm-older", "launchers"});
}

TEST_CASE("every flag of the newest Megatron-DeepSpeed has a class") {
  check_flags(megatron_deepspeed(), {"megatron-deepspeed"},
              {"megatron-deepspeed", "megatron-deepspeed-older", "megatron-lm", "megatron-lm-older", "launchers"});
}

TEST_CASE("every key of DeepSpeed and torchtitan has a class") {
  CHECK(planner::deepspeed::key_table().role_of("zero_optimization.stag") == KeyRole::unknown);
  check_keys(planner::deepspeed::key_table(), {"deepspeed"},
             {"bfloat16.enabled", "load_universal_checkpoint", "use_node_local_storage", "seed", "data_parallel_size"});
  check_keys(planner::torchtitan::key_table(), {"torchtitan", "torchtitan-older", "torchtitan-newest"},
             {"float8.moe_fqns", "liger_kernel.enable_fused_linear_cross_entropy", "job.custom_config_module"});
}

TEST_CASE("a refused flag is an error at its place, unless it has its usual value or lacks what it needs") {
  for (const ProgramFlags* table : {&megatron_lm(), &megatron_deepspeed()})
    for (const RefusedFlag& row : table->refused) {
      CAPTURE(std::string(row.name));
      const FlagRun odd(odd_value(row), *table);
      const std::string message = std::string(row.name) + " " + row.change + ", which is not planned; ";
      CHECK_MESSAGE(odd.told().find(message) != std::string::npos, odd.told());
      CHECK(odd.diagnostics.has_errors());
      const std::string usual = std::string(row.usual).starts_with("--") ? "1" : row.usual;
      if (!usual.empty()) CHECK(FlagRun(row.name + (" " + usual), *table).told() == "");
      if (!std::string(row.needs).empty()) CHECK(FlagRun(row.name, *table).told() == "");
    }
}

TEST_CASE("a flag whose effect is lost is a warning, unless it has its usual value or lacks what it needs") {
  for (const ProgramFlags* table : {&megatron_lm(), &megatron_deepspeed()})
    for (const LostFlag& row : table->lost) {
      CAPTURE(std::string(row.name));
      const FlagRun odd(odd_value(row), *table);
      CHECK_MESSAGE(odd.told().ends_with(std::string(row.name) + " has no counterpart in a plan and is left out\n"),
                    odd.told());
      CHECK(!odd.diagnostics.has_errors());
      if (!std::string(row.usual).empty())
        CHECK(FlagRun(row.name + (" " + std::string(row.usual)), *table).told() == "");
      if (!std::string(row.needs).empty()) CHECK(FlagRun(row.name, *table).told() == "");
    }
}

TEST_CASE("layers that a program describes are refused, but for those of Megatron-Core") {
  CHECK(
      FlagRun("--spec my.module my_spec").told() ==
      "run.sh:1:200 error: --spec describes layers of its own, which is not planned; take it out to plan the run with "
      "Megatron-Core's layers\n");
  CHECK(FlagRun("--spec megatron.core.models.gpt.gpt_layer_specs get_gpt_layer_local_spec").told() == "");
  CHECK(FlagRun("--hybrid-layer-pattern M- --spec megatron.core.models.hybrid.hybrid_layer_specs "
                "gated_delta_product_stack_spec")
            .told()
            .find("error: 'M' is a gated delta product, which is not planned") != std::string::npos);
}

TEST_CASE("flags of earlier versions recompute whole layers") {
  for (const ProgramFlags* table : {&megatron_lm(), &megatron_deepspeed()}) {
    const FlagRun old("--checkpoint-activations --checkpoint-num-layers 2", *table);
    CHECK((old.at("parallelism.recompute") == "full" && old.at("parallelism.recompute_every") == "2"));
    const FlagRun uniform("--activations-checkpoint-method uniform --activations-checkpoint-num-layers 2", *table);
    CHECK((uniform.at("parallelism.recompute") == "full" && uniform.at("parallelism.recompute_every") == "2"));
    const FlagRun block("--activations-checkpoint-method block --activations-checkpoint-num-layers 2", *table);
    CHECK(block.at("parallelism.recompute_layers") == "min(model.layers, 2 * pp * interleave)");
    CHECK(old.told() + uniform.told() + block.told() == "");
  }
}

TEST_CASE("a usual value may be that of another flag") {
  const std::string group = "--microbatch-group-size-per-virtual-pipeline-stage ";
  CHECK(FlagRun("--pipeline-model-parallel-size 2 " + group + "2").told() == "");
  CHECK(FlagRun("--pipeline-model-parallel-size 2 " + group + "1").told().find("is not planned") != std::string::npos);
  CHECK(FlagRun(group + "1").told() == "");
}

TEST_CASE("a hint of a refused flag that is one in place of it names flags that are read") {
  const std::regex flag("--[a-z0-9-]+");
  for (const ProgramFlags* table : {&megatron_lm(), &megatron_deepspeed()})
    for (const RefusedFlag& row : table->refused) {
      const std::string hint = row.hint;
      for (std::sregex_iterator it(hint.begin(), hint.end(), flag), end; it != end; ++it)
        CHECK_MESSAGE(table->reads(it->str()), hint);
    }
}

TEST_CASE("an abbreviation is no flag: Megatron-LM allows none") {
  CHECK(FlagRun("--tensor-model-parallel 2")
            .told()
            .find("unknown flag '--tensor-model-parallel'; did you mean '--tensor-model-parallel-size'") !=
        std::string::npos);
}
