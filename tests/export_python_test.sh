#!/usr/bin/env bash
# Runs the Python scripts that `export` prints, with stand-ins for the modules they import: each begins a run, with the
# layout of the plan in its configuration.
# usage: tests/export_python_test.sh SOURCE_DIR TRAINPLAN; exit status 77: there is no python3.
set -euo pipefail
cd "$1"
program=$2
command -v python3 >/dev/null || { echo 'no python3: skipped'; exit 77; }
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

cat >"$work/run.py" <<'PY'
"""run.py SCRIPT BEGINS VALUE...: runs SCRIPT; its function BEGINS is called once, and each VALUE ("expression == value",
of the script's own names) is true."""
import importlib.abc, importlib.machinery, runpy, sys
from unittest.mock import MagicMock

class Anything(MagicMock):
    __path__ = []

class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path, target=None):
        if name.split(".")[0] in ("torch", "megatron", "nemo"):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
    def create_module(self, spec): return Anything(name=spec.name)
    def exec_module(self, module): pass

sys.meta_path.insert(0, Finder())
script, begins, *values = sys.argv[1:]
names = runpy.run_path(script, run_name="__main__")
assert eval(begins, names).call_count == 1, begins + " is not called once"
for value in values: assert eval(value, names), value
PY

# runs SCENARIO TARGET BEGINS [--set FIELD=VALUE]... -- VALUE...
runs() {
  local scenario=$1 target=$2 begins=$3 flags=()
  shift 3
  while [[ $1 != -- ]]; do flags+=("$1"); shift; done
  shift
  "$program" export "$scenario" --to "$target" ${flags[@]+"${flags[@]}"} >"$work/script.py"
  python3 "$work/run.py" "$work/script.py" "$begins" "$@"
}

bridge=tests/planner/export/llama3-70b-bridge.yaml
runs "$bridge" megatron-bridge pretrain -- \
  'hf_model == "meta-llama/Meta-Llama-3-70B"' 'cfg.model.tensor_model_parallel_size == 4' \
  'cfg.model.pipeline_model_parallel_layout == "Et*13|(t*14|)*2(t*13|)*2t*13L"' 'cfg.train.global_batch_size == 512' \
  'cfg.mixed_precision.bf16 is True' 'cfg.model.sequence_parallel is True' \
  'cfg.dataset.sequence_length == cfg.model.seq_length' \
  'GPTDatasetConfig.call_args.kwargs["sequence_length"] == 1'
runs "$bridge" megatron-bridge pretrain --set software.graphs=step -- \
  'cfg.model.cuda_graph_scope == "full_iteration"' 'cfg.rerun_state_machine.check_for_nan_in_loss is False' \
  'cfg.ddp.check_for_nan_in_grad is False'
runs "$bridge" megatron-bridge pretrain --set parallelism.recompute=selective --set job.precision=fp8 \
  --set software.graphs=static-parts --set software.memory.optimizer=6 --set software.attention=flash2 -- \
  'cfg.model.attention_backend is AttnBackend.flash' \
  'cfg.model.recompute_modules == ["core_attn"]' 'cfg.mixed_precision.fp8 == "hybrid"' \
  'cfg.model.cuda_graph_scope == ["attn", "moe_router", "moe_preprocess"]' \
  'cfg.optimizer.exp_avg_dtype is torch.bfloat16'
runs "$bridge" megatron-bridge pretrain --set model.use=deepseek-v3 --set parallelism.tp=1 \
  --set parallelism.sequence_parallel=false --set cluster.gpus=1024 --set parallelism.ep=64 --set parallelism.pp=16 \
  --set parallelism.cp=1 --set parallelism.recompute=full -- \
  'cfg.model.expert_model_parallel_size == 64' 'cfg.model.mtp_num_layers == 1' \
  'cfg.model.pipeline_model_parallel_layout == "Et*4|(t*4|)*14tmL"'

runs scenarios/gpt3-175b.yaml nemo2 llm.pretrain -- \
  'llm.GPTConfig.call_args.kwargs["num_layers"] == 96' 'nl.Trainer.call_args.kwargs["num_nodes"] == 64' \
  'nl.MegatronStrategy.call_args.kwargs["tensor_model_parallel_size"] == 8' \
  'nl.MegatronMixedPrecision.call_args.kwargs["precision"] == "bf16-mixed"'
runs scenarios/gpt3-175b.yaml nemo2 llm.pretrain --set parallelism.zero=1 --set parallelism.zero_group=4 -- \
  'nl.MegatronStrategy.call_args.kwargs["num_distributed_optimizer_instances"] == 2' \
  '"num_distributed_optimizer_instances" not in DistributedDataParallelConfig.call_args.kwargs'
runs scenarios/gpt3-175b.yaml nemo2 llm.pretrain --set parallelism.pp=2 --set parallelism.dp=32 \
  --set parallelism.interleave=1 --set "parallelism.stages=[47, 49]" -- \
  'nl.MegatronStrategy.call_args.kwargs["pipeline_model_parallel_layout"] == "Et*47|t*49L"'
runs scenarios/mixtral-8x22b-h100.yaml nemo2 llm.pretrain --set software.attention=flash2 -- \
  'llm.GPTConfig.call_args.kwargs["num_moe_experts"] == 8' \
  'llm.GPTConfig.call_args.kwargs["attention_backend"] is AttnBackend.flash' \
  'llm.GPTConfig.call_args.kwargs["gated_linear_unit"] is True'
