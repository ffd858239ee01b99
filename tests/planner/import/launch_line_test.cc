// The command of a script that launches a run.
#include "planner/import/launch_line.h"

#include <doctest/doctest.h>

namespace {

/// The words of the command that launches, with '|' between; "none" where no command has a flag.
std::string launch(const std::string& script) {
  const dsl::Source source{"run.sh", script, "."};
  dsl::Diagnostics diagnostics;
  planner::ShellText text = planner::read_shell(source, diagnostics);
  const planner::ShellCommand* command = planner::launch_of(text);
  if (!command) return "none";
  std::string out;
  for (const planner::ShellWord& word : command->words) out += (out.empty() ? "" : "|") + word.text;
  return out;
}

struct LaunchCase {
  const char *script, *words;
};
constexpr LaunchCase kLaunches[] = {
    {"", "none"},
    {"python train.py", "none"},
    {"python train.py --lr 1", "python|train.py|--lr|1"},
    {"mkdir --parents out\npython train.py --lr 1 --bf16\nls --all", "python|train.py|--lr|1|--bf16"},
    {"a --b 1\nc --d 2", "a|--b|1"},  // of as many flags the first
    {"bash -c 'python train.py --lr 1 --bf16'", "bash|-c|python|train.py|--lr|1|--bf16"},
    {"N=8\ntorchrun --nproc-per-node $N train.py", "torchrun|--nproc-per-node|8|train.py"},
    {"python train.py \\\n  --lr 1 \\\n  --bf16\n", "python|train.py|--lr|1|--bf16"},
    {"srun --nodes 2 bash -c \"python train.py --lr 1\"", "srun|--nodes|2|bash|-c|python|train.py|--lr|1"},
};

}  // namespace

TEST_CASE("the command with most flags launches the run") {
  for (const LaunchCase& c : kLaunches) {
    CAPTURE(std::string(c.script));
    CHECK(launch(c.script) == c.words);
  }
}
