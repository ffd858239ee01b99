# A recipe of NeMo 2 (nemo/collections/llm/recipes), cut to what a plan needs.
import nemo_run as run
from nemo import lightning as nl
from nemo.collections import llm


def trainer(num_nodes: int = 1, max_steps: int = 1000) -> run.Config[nl.Trainer]:
    strategy = run.Config(
        nl.MegatronStrategy,
        tensor_model_parallel_size=4,
        pipeline_model_parallel_size=2,
        virtual_pipeline_model_parallel_size=None,
        sequence_parallel=True,
    )
    return run.Config(
        nl.Trainer, devices=8, num_nodes=num_nodes, max_steps=max_steps, plugins=bf16_mixed(), strategy=strategy
    )


def pretrain_recipe(name: str = "default", num_nodes: int = 1, performance_mode: bool = False) -> run.Partial:
    recipe = run.Partial(
        llm.pretrain,
        model=run.Config(llm.LlamaModel, config=run.Config(llm.Llama3Config8B)),
        trainer=trainer(num_nodes=num_nodes),
        data=run.Config(llm.MockDataModule, seq_length=8192, global_batch_size=512, micro_batch_size=1),
        optim=distributed_fused_adam_with_cosine_annealing(max_lr=3e-4),
    )
    if performance_mode:
        recipe.trainer.strategy.tensor_model_parallel_size = 2
    return recipe
