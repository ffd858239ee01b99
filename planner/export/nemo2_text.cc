// The script of NeMo 2 around the settings of a plan: llm.pretrain (nemo/collections/llm/api.py), nl.Trainer, and a
// data module (nemo/collections/llm/gpt/data/mock.py).
#include "planner/export/table.h"

namespace planner::exporting {
namespace {

constexpr const char* kHead = R"(import torch
from megatron.core.distributed import DistributedDataParallelConfig
from megatron.core.optimizer import OptimizerConfig
from megatron.core.transformer.enums import AttnBackend
from nemo import lightning as nl
from nemo.collections import llm
from nemo.collections.llm.fn.activation import squared_relu

)";

/// Lines "    name=value," of a section.
std::string arguments(const std::vector<Setting>& settings, const std::string& section) {
  std::string out;
  for (const Setting& setting : settings)
    if (setting.name.starts_with(section + "."))
      out += "    " + setting.name.substr(section.size() + 1) + "=" + python_value(setting) + ",\n";
  return out;
}

}  // namespace

std::string nemo2_text(const std::vector<Setting>& settings) {
  const auto call = [&](const std::string& name, const std::string& what, const std::string& section,
                        const std::string& more = "") {
    return name + " = " + what + "(\n" + arguments(settings, section) + more + ")\n";
  };
  return "# torchrun --nproc-per-node " + value_of(settings, "trainer.devices") + " --nnodes " +
         value_of(settings, "trainer.num_nodes") + " FILE\n" + kHead + call("config", "llm.GPTConfig", "model") +
         call("ddp", "DistributedDataParallelConfig", "ddp") +
         call("strategy", "nl.MegatronStrategy", "strategy", "    ddp=ddp,\n") +
         call("precision", "nl.MegatronMixedPrecision", "precision") +
         call("trainer", "nl.Trainer", "trainer",
              "    accelerator=\"gpu\",\n    strategy=strategy,\n    plugins=precision,\n"
              "    use_distributed_sampler=False,\n") +
         "\n# Yours to change: data (here made up), learning rate, checkpoints, logs.\n" +
         call("data", "llm.MockDataModule", "data") +
         call("optimizer", "OptimizerConfig", "optimizer", "    lr=1e-4,\n") +
         "\nif __name__ == \"__main__\":\n    llm.pretrain(model=llm.GPTModel(config), data=data, trainer=trainer,\n"
         "                 optim=nl.MegatronOptimizerModule(config=optimizer))\n";
}

}  // namespace planner::exporting
