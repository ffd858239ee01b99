#include "planner/import/megatron.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "dsl/raw_text.h"
#include "planner/import/field_tree.h"
#include "planner/import/launch_line.h"
#include "planner/import/megatron_flags.h"
#include "planner/scenario/scenario.h"

namespace planner {
namespace {

using megatron::Flags;

constexpr int64_t kMostGpus = 1'000'000;  // of a degree

/// Scripts of other models than GPT take other flags.
void check_script(const ShellCommand& command, dsl::Diagnostics& diagnostics) {
  for (const ShellWord& word : command.words) {
    const std::string name = word.text.substr(word.text.rfind('/') + 1);
    if (name.starts_with("pretrain_") && name.ends_with(".py") && name != "pretrain_gpt.py")
      diagnostics.warning(word.span, "'" + name + "' is read as pretrain_gpt.py");
  }
}

/// GPUs that hold the model once; 0: a degree is no number, which is told where it is read.
int64_t ranks_of_replica(const Flags& f) {
  int64_t ranks = 1;
  for (const char* flag :
       {"--tensor-model-parallel-size", "--pipeline-model-parallel-size", "--context-parallel-size"}) {
    const std::string text = f.has(flag) ? f.text(flag) : "1";
    int64_t degree = 0;
    std::from_chars(text.data(), text.data() + text.size(), degree);
    ranks *= std::min<int64_t>(degree, kMostGpus);
  }
  return ranks;
}

void cluster(Flags& f, const std::string& name) {
  if (name.empty()) f.leave_open("cluster.use", "a cluster of `trainplan list cluster`");
  else put_field(f.scenario, "cluster.use", value_node(name, {}, "", true));
  const char* each = f.has("--nproc_per_node") ? "--nproc_per_node" : "--nproc-per-node";
  for (const char* flag : {each, "--nnodes"})  // a script may leave them to its caller
    if (f.text(flag).starts_with('$')) return f.leave_open("cluster.gpus", std::string(flag) + " " + f.text(flag));
  if (!f.has(each)) return f.leave_open("cluster.gpus", "GPUs of the job");
  const int64_t nodes = f.count("--nnodes", 1), gpus = f.count(each, 1);
  const int64_t replica = ranks_of_replica(f);
  if (!f.has("--nnodes") && replica > 0 && gpus % replica != 0)
    return f.leave_open("cluster.gpus", fmt::format("GPUs of the job: a replica has {} ranks, and without --nnodes "
                                                    "there are {}",
                                                    replica, gpus));
  f.put("cluster.gpus", std::to_string(nodes) + " * " + std::to_string(gpus), each);
}

}  // namespace

ImportedRun import_megatron(const dsl::Source& text, const std::string& cluster_name, dsl::Diagnostics& diagnostics) {
  const dsl::Span place{&text, 1, 1, 1};
  if (const auto bad = dsl::find_bad_byte(text.text)) {
    diagnostics.error(dsl::LineMap(text).at(bad->offset, 1), bad->message, bad->hint);
    return {};
  }
  ShellText shell = read_shell(text, diagnostics);
  const ShellCommand* command = launch_of(shell);
  if (!command) {
    if (!diagnostics.has_errors()) diagnostics.error(place, "no flags of Megatron-LM here");
    return {};
  }
  check_script(*command, diagnostics);
  Flags flags(*command, command->words.front().span, diagnostics);
  put_field(flags.scenario, "software.use", value_node("megatron-core", place, "", true));
  flags.put_fields();
  megatron::model_rules(flags);
  megatron::job_rules(flags);
  megatron::layout_rules(flags);
  megatron::software_rules(flags);
  cluster(flags, cluster_name);
  std::vector<std::string> ignored = flags.judge();
  order_fields(flags.scenario, scenario_schema());
  flags.scenario.span = place;
  return {std::move(flags.scenario), std::move(ignored), flags.complete};
}

}  // namespace planner
