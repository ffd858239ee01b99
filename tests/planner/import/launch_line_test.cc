// The command of a script that launches a run.
#include "planner/import/launch_line.h"

#include <doctest/doctest.h>

namespace {

/// The words of the command that launches, with '|' between; "none" where no command has a flag.
std::string launch(const std::string& script) {
  const dsl::Source source{"run.sh", script, "."};
  dsl::Diagnostics diagnostics;
  const auto reads = [](const std::string& flag) { return flag == "--size"; };
  const planner::LaunchLine line = planner::read_launch(&source, {}, reads, diagnostics);
  std::string out = line.is_found() ? "" : "none";
  for (const planner::ShellWord& word : line.command.words) out += (out.empty() ? "" : "|") + word.text;
  for (const dsl::Diagnostic& d : diagnostics.list) out += "! " + d.message + "! " + d.hint;
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
    {"a --b 1\nc --d 2", "a|--b|1"},            // of as many flags the first
    {"a --b 1 --c\nd --size 2", "d|--size|2"},  // what is read counts more
    {"bash -c 'python train.py --lr 1 --bf16'", "python|train.py|--lr|1|--bf16"},
    {"run_in 'python train.py --lr 1 --bf16'", "run_in|python|train.py|--lr|1|--bf16"},
    {"N=8\ntorchrun --nproc-per-node $N train.py", "torchrun|--nproc-per-node|8|train.py"},
    {"python train.py \\\n  --lr 1 \\\n  --bf16\n", "python|train.py|--lr|1|--bf16"},
    {"srun --nodes 2 bash -c \"python train.py --lr 1\"", "srun|--nodes|2|python|train.py|--lr|1"},
    // A condition that nothing decides is an error where it changes what is read, and only there.
    {"N=1\nif [ $X = 2 ]; then N=2; fi\na --size $N",
     "a|--size|1! --size is 1 or 2: that depends on '$X', which the script does not set! `--env X=VALUE` gives it"},
    {"A=\nif [ $1 = 2 ]; then A='--size 3'; fi\na --lr 1 --size 4 $A",
     "a|--lr|1|--size|4! --size is 4 or 3: that depends on '$1', which the script does not set! `--args 'WORDS'` gives "
     "the arguments of the script"},
    {"if [ -f x ]; then A='--size'; fi\na --size 1 --lr $A",
     "a|--size|1|--lr|$A! --size is 1 or given: that depends on '-f x', which the script does not set! put `true` or "
     "`false` in place of the condition"},
    {"if [ $X = 2 ]; then L=2; fi\na --size 1 --lr ${L:-1}", "a|--size|1|--lr|1"},
    {"if [ $X = go ]; then a --size 1; fi", "a|--size|1"},
    {"if [ $X = go ]; then a --size 1; else b --lr 1; fi", "a|--size|1"},
};

}  // namespace

TEST_CASE("the command with most flags launches the run") {
  for (const LaunchCase& c : kLaunches) {
    CAPTURE(std::string(c.script));
    CHECK(launch(c.script) == c.words);
  }
}
