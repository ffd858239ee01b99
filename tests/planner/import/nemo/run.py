# A run of NeMo 2 that changes a recipe.
import nemo_run as run
from nemo.collections import llm

recipe = llm.llama3_8b.pretrain_recipe(name="ours", num_nodes=4)
recipe.trainer.strategy.context_parallel_size = 2
recipe.data.global_batch_size = 128

if __name__ == "__main__":
    run.run(recipe)
