# A run of Megatron-Bridge.
import torch
from megatron.bridge import AutoBridge
from megatron.bridge.training.config import ConfigContainer, DistributedDataParallelConfig, TrainingConfig


def pretrain_config() -> ConfigContainer:
    cfg = ConfigContainer(
        model=AutoBridge.from_hf_pretrained("Qwen/Qwen3-30B-A3B").to_megatron_provider(load_weights=False),
        train=TrainingConfig(train_iters=50, global_batch_size=256, micro_batch_size=1),
        ddp=DistributedDataParallelConfig(use_distributed_optimizer=True, grad_reduce_in_fp32=False),
        comm_overlap=CommOverlapConfig(tp_comm_overlap=False),
        mixed_precision="bf16_mixed",
    )
    cfg.model.seq_length = 4096
    cfg.model.tensor_model_parallel_size = 1
    cfg.model.expert_model_parallel_size = 16
    cfg.model.moe_token_dispatcher_type = "alltoall"
    cfg.model.recompute_granularity = None
    cfg.optimizer.exp_avg_dtype = torch.float32
    return cfg
