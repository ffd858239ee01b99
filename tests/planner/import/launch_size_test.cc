// How many processes a launch line starts.
#include "planner/import/launch_size.h"

#include "planner/import/launch_line.h"
#include "tests/planner/import/import_sample.h"

namespace {

struct Size {
  const char* line;
  int64_t processes;
  const char* flag;
};

constexpr Size kSizes[] = {
    {"torchrun --nproc_per_node 8 a.py", 8, "--nproc_per_node"},
    {"torchrun --nproc-per-node=4 --nnodes=2 a.py", 8, "--nproc-per-node"},
    {"deepspeed --include localhost:0,1,2,3 a.py", 4, "--include"},
    {"deepspeed --include a:0,1@b:0 a.py", 3, "--include"},
    {"deepspeed --include a@b a.py", 0, "--num_processes"},
    {"deepspeed --num_gpus 8 --num_nodes 3 a.py", 24, "--num_gpus"},
    {"accelerate launch --num_processes 16 --num_machines 2 a.py", 16, "--num_processes"},
    {"accelerate launch --num_processes 16 --nproc_per_node 8 a.py", 16, "--num_processes"},
    {"torchrun --nnodes 2 a.py", 0, "--num_processes"},
    {"torchrun --nproc_per_node $GPUS a.py", 0, "--nproc_per_node"},
    {"torchrun --nproc_per_node 8 --nnodes $NODES a.py", 0, "--nproc_per_node"},
    {"torchrun --nproc_per_node 1e9 a.py", planner::kMostRanks, "--nproc_per_node"},
    {"a --lr 1", 0, "--num_processes"},
};

planner::LaunchLine launch_line(const planner::RunFiles& files, dsl::Diagnostics& diagnostics) {
  return planner::read_launch(
      files.launch, {}, [](const std::string&) { return true; }, diagnostics);
}

}  // namespace

TEST_CASE("a launch line says how many processes there are, or leaves it open") {
  for (const Size& size : kSizes) {
    CAPTURE(std::string(size.line));
    ImportSample sample;
    const planner::RunFiles files = sample.files("none", "", size.line, "");
    const planner::LaunchLine line = launch_line(files, sample.diagnostics);
    planner::megatron::Flags flags(line.command, {files.launch, 1, 1, 1}, sample.diagnostics);
    CHECK(planner::processes(flags) == size.processes);
    CHECK(std::string(planner::flag_of_processes(flags)) == size.flag);
    CHECK(sample.told() == "");
  }
}

TEST_CASE("what is no number of processes is told") {
  ImportSample sample;
  const planner::RunFiles files = sample.files("none", "", "torchrun --nproc_per_node gpu a.py", "");
  const planner::LaunchLine line = launch_line(files, sample.diagnostics);
  planner::megatron::Flags flags(line.command, {files.launch, 1, 1, 1}, sample.diagnostics);
  CHECK(planner::processes(flags) == 0);
  CHECK(sample.told() == "run.sh:1:27 error: expected a number, 0 or more, for --nproc_per_node, got 'gpu'\n");
}
