"""Ways to train with several ranks. Each rank also trains on the CPU, alone, with the batches of all ranks, and compares."""

import contextlib
import copy
import tempfile

import torch
import torch.distributed as dist
from common import DEVICE, RANK, RANKS, close, run, values
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.nn.parallel import DistributedDataParallel

BATCH = 4
STEPS = 3
HALF = RANKS // 2


def network():
    torch.manual_seed(7)
    return nn.Sequential(nn.Linear(12, 16), nn.GELU(), nn.Linear(16, 16), nn.ReLU(), nn.Linear(16, 4))


def batch(step, rank=None):
    """Inputs and targets of one rank, or of all in one batch; on the CPU."""
    if rank is not None:
        return values(rank, BATCH, 12, seed=2 * step) / 5, values(rank, BATCH, 4, seed=2 * step + 1) / 5
    parts = [batch(step, each) for each in range(RANKS)]
    return torch.cat([inputs for inputs, _ in parts]), torch.cat([targets for _, targets in parts])


def optimiser(parameters):
    return torch.optim.SGD(parameters, lr=0.1, momentum=0.9)


def train(model, steps, make=optimiser, clip=None):
    """Trains on the batches of `steps` and returns the losses."""
    steering, losses = make(model.parameters()), []
    for inputs, targets in steps:
        loss = nn.functional.mse_loss(model(inputs), targets)
        loss.backward()
        if clip:
            clip(model)
        steering.step()
        steering.zero_grad()
        losses.append(loss.detach())
    return torch.stack(losses)


def on_the_device(rank=RANK, device=DEVICE):
    return [[tensor.to(device) for tensor in batch(step, rank)] for step in range(STEPS)]


def on_the_cpu(model=None, **options):
    """The same training by one rank."""
    model = model or network()
    losses = train(model, [batch(step) for step in range(STEPS)], **options)
    return model, losses


def agree(ours, cpu):
    """Compares the parameters and buffers of two models, and the first with those of the other ranks."""
    for (name, value), (other, expected) in zip(ours.items(), cpu.items(), strict=True):
        assert name == other
        close(value, expected)


def mean(losses):
    """Each rank's loss is of its part of the batch."""
    dist.all_reduce(losses)
    return losses / RANKS


def parallel(model, **options):
    return DistributedDataParallel(model.to(DEVICE), device_ids=[torch.device(DEVICE).index], **options)


def ddp():
    for options in ({}, {"gradient_as_bucket_view": True, "static_graph": True}, {"bucket_cap_mb": 0.0001}):
        model = parallel(network(), **options)
        losses = mean(train(model, on_the_device()))
        expected, expected_losses = on_the_cpu()
        agree(model.module.state_dict(), expected.state_dict())
        close(losses, expected_losses)


class Branches(nn.Module):
    """Uses one of two layers, which depends on the rank in odd steps."""

    def __init__(self):
        super().__init__()
        self.first, self.layers, self.calls = nn.Linear(12, 8), nn.ModuleList([nn.Linear(8, 4), nn.Linear(8, 4)]), 0

    def forward(self, inputs, rank=RANK):
        step = self.calls
        return self.layers[rank % 2 if step % 2 else 0](self.first(inputs))


def ddp_with_unused_parameters():
    torch.manual_seed(7)
    model = Branches()
    cpu = copy.deepcopy(model)
    model = parallel(model, find_unused_parameters=True)
    ours, theirs = optimiser(model.parameters()), optimiser(cpu.parameters())
    for step in range(STEPS):
        model.module.calls = cpu.calls = step
        inputs, targets = (tensor.to(DEVICE) for tensor in batch(step, RANK))
        nn.functional.mse_loss(model(inputs), targets).backward()
        for rank in range(RANKS):
            inputs, targets = batch(step, rank)
            (nn.functional.mse_loss(cpu(inputs, rank), targets) / RANKS).backward()
        for steering in (ours, theirs):
            steering.step()
            # Zeros and not None: a parameter that no rank used has a gradient of zero on the device.
            steering.zero_grad(set_to_none=False)
    agree(model.module.state_dict(), cpu.state_dict())


def ddp_with_accumulation():
    model, cpu = parallel(network()), network()
    ours, theirs = optimiser(model.parameters()), optimiser(cpu.parameters())
    for step in range(4):
        is_last = step % 2 == 1
        with contextlib.nullcontext() if is_last else model.no_sync():
            inputs, targets = (tensor.to(DEVICE) for tensor in batch(step, RANK))
            nn.functional.mse_loss(model(inputs), targets).backward()
        nn.functional.mse_loss(cpu(batch(step)[0]), batch(step)[1]).backward()
        if is_last:
            for steering in (ours, theirs):
                steering.step()
                steering.zero_grad()
    agree(model.module.state_dict(), cpu.state_dict())


def ddp_with_uneven_inputs():
    from torch.distributed.algorithms.join import Join

    model, cpu = parallel(network()), network()
    ours, theirs = optimiser(model.parameters()), optimiser(cpu.parameters())
    with Join([model]):
        for step in range(RANK + 1):
            inputs, targets = (tensor.to(DEVICE) for tensor in batch(step, RANK))
            nn.functional.mse_loss(model(inputs), targets).backward()
            ours.step()
            ours.zero_grad()
    for step in range(RANKS):
        for rank in range(step, RANKS):
            inputs, targets = batch(step, rank)
            (nn.functional.mse_loss(cpu(inputs), targets) / RANKS).backward()
        theirs.step()
        theirs.zero_grad()
    # At the end all ranks get the model of one that came to the last step.
    agree(model.module.state_dict(), cpu.state_dict())


def ddp_with_a_hook():
    from torch.distributed.algorithms.ddp_comm_hooks import default_hooks

    model = parallel(network())
    model.register_comm_hook(None, default_hooks.fp16_compress_hook)
    train(model, on_the_device())
    for value, expected in zip(model.module.parameters(), on_the_cpu()[0].parameters(), strict=True):
        torch.testing.assert_close(value.detach().cpu(), expected.detach(), rtol=1e-2, atol=1e-3)


def zero_redundancy_optimiser():
    from torch.distributed.optim import ZeroRedundancyOptimizer

    def sharded(parameters):
        return ZeroRedundancyOptimizer(parameters, torch.optim.Adam, lr=0.01)

    model = parallel(network())
    train(model, on_the_device(), sharded)
    cpu, _ = on_the_cpu(make=lambda parameters: torch.optim.Adam(parameters, lr=0.01))
    agree(model.module.state_dict(), cpu.state_dict())


def synchronised_batch_norm():
    def convolutions():
        torch.manual_seed(3)
        return nn.Sequential(
            nn.Unflatten(1, (3, 2, 2)), nn.Conv2d(3, 6, 1), nn.BatchNorm2d(6), nn.ReLU(), nn.Flatten(), nn.Linear(24, 4)
        )

    model = parallel(nn.SyncBatchNorm.convert_sync_batchnorm(convolutions()))
    losses = mean(train(model, on_the_device()))
    cpu, expected = on_the_cpu(convolutions())
    close(losses, expected)
    agree(model.module.state_dict(), cpu.state_dict())


def clip_all(model):
    nn.utils.clip_grad_norm_(model.parameters(), 0.05)


def fsdp1():
    from torch.distributed.fsdp import FullStateDictConfig, FullyShardedDataParallel, ShardingStrategy, StateDictType
    from torch.distributed.fsdp.wrap import ModuleWrapPolicy

    cpu, expected = on_the_cpu(clip=clip_all)
    for strategy in (ShardingStrategy.FULL_SHARD, ShardingStrategy.SHARD_GRAD_OP, ShardingStrategy.NO_SHARD):
        model = FullyShardedDataParallel(
            network().to(DEVICE),
            sharding_strategy=strategy,
            auto_wrap_policy=ModuleWrapPolicy({nn.Linear}),
            device_id=torch.device(DEVICE),
            use_orig_params=strategy is ShardingStrategy.SHARD_GRAD_OP,
        )
        losses = mean(train(model, on_the_device(), clip=lambda model: model.clip_grad_norm_(0.05)))
        close(losses, expected)
        with FullyShardedDataParallel.state_dict_type(model, StateDictType.FULL_STATE_DICT, FullStateDictConfig()):
            agree(model.state_dict(), cpu.state_dict())


def fsdp2():
    from torch.distributed.fsdp import MixedPrecisionPolicy, fully_shard

    cpu, expected = on_the_cpu(clip=clip_all)
    for options in ({}, {"reshard_after_forward": False}):
        model = network().to(DEVICE)
        for layer in model:
            if isinstance(layer, nn.Linear):
                fully_shard(layer, **options)
        fully_shard(model, **options)
        close(mean(train(model, on_the_device(), clip=clip_all)), expected)
        agree({name: value.full_tensor() for name, value in model.state_dict().items()}, cpu.state_dict())
    # bfloat16 for the products and float32 for the sums.
    model = network().to(DEVICE)
    fully_shard(model, mp_policy=MixedPrecisionPolicy(param_dtype=torch.bfloat16, reduce_dtype=torch.float32))
    losses = mean(train(model, on_the_device()).float())
    torch.testing.assert_close(losses.cpu(), on_the_cpu()[1], rtol=3e-2, atol=3e-2)


def dtensor():
    from torch.distributed.tensor import Partial, Replicate, Shard, distribute_tensor

    mesh = init_device_mesh("npu", (RANKS,))
    x, y = values(0, 8, 6), values(1, 6, 8)
    for one, other in ((Shard(0), Replicate()), (Replicate(), Shard(1)), (Shard(1), Shard(0))):
        left, right = distribute_tensor(x.to(DEVICE), mesh, [one]), distribute_tensor(y.to(DEVICE), mesh, [other])
        close((left @ right).full_tensor(), x @ y)
    sharded = distribute_tensor(x.to(DEVICE), mesh, [Shard(0)])
    close(sharded.redistribute(mesh, [Shard(1)]).full_tensor(), x)
    close(sharded.sum().full_tensor(), x.sum())
    close(sharded.mean(0).redistribute(mesh, [Replicate()]).to_local(), x.mean(0))
    from torch.distributed.tensor import DTensor

    close(DTensor.from_local(x.to(DEVICE), mesh, [Partial()]).full_tensor(), x * RANKS)
    # 7 rows do not divide by the ranks.
    uneven = values(2, 7, 3)
    close((distribute_tensor(uneven.to(DEVICE), mesh, [Shard(0)]) * 2).full_tensor(), uneven * 2)


def tensor_parallel():
    from torch.distributed.tensor import Replicate
    from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

    mesh = init_device_mesh("npu", (RANKS,))
    plan = {"0": ColwiseParallel(), "2": RowwiseParallel(), "4": ColwiseParallel(output_layouts=Replicate())}
    model = parallelize_module(network().to(DEVICE), mesh, plan)
    # All ranks have the same batch.
    losses = train(model, [[tensor.to(DEVICE) for tensor in batch(step)] for step in range(STEPS)])
    cpu, expected = on_the_cpu()
    close(losses, expected)
    agree({name: full(value) for name, value in model.state_dict().items()}, cpu.state_dict())


def full(value):
    return value.full_tensor() if hasattr(value, "full_tensor") else value


def sequence_parallel():
    from torch.distributed.tensor import Replicate, Shard
    from torch.distributed.tensor.parallel import (
        ColwiseParallel,
        PrepareModuleInput,
        RowwiseParallel,
        SequenceParallel,
        parallelize_module,
    )

    def blocks():
        torch.manual_seed(5)
        return nn.Sequential(nn.LayerNorm(12), nn.Linear(12, 16), nn.GELU(), nn.Linear(16, 12), nn.LayerNorm(12))

    mesh = init_device_mesh("npu", (RANKS,))
    plan = {
        "0": SequenceParallel(use_local_output=True),
        "1": ColwiseParallel(input_layouts=Shard(1)),
        "3": RowwiseParallel(output_layouts=Shard(1), use_local_output=True),
        "4": PrepareModuleInput(input_layouts=Shard(1), desired_input_layouts=Replicate(), use_local_output=True),
    }
    model, cpu = parallelize_module(blocks().to(DEVICE), mesh, plan), blocks()
    whole = values(0, 2, 4 * RANKS, 12) / 5
    part = whole[:, RANK * 4 : RANK * 4 + 4].to(DEVICE)
    close(full(model(part)), cpu(whole))


def fsdp2_with_tensor_parallel():
    """Two dimensions, with four ranks."""
    from torch.distributed.fsdp import fully_shard
    from torch.distributed.tensor import Replicate
    from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

    mesh = init_device_mesh("npu", (HALF, 2), mesh_dim_names=("data", "tensor"))
    plan = {"0": ColwiseParallel(), "2": RowwiseParallel(), "4": ColwiseParallel(output_layouts=Replicate())}
    model = parallelize_module(network().to(DEVICE), mesh["tensor"], plan)
    fully_shard(model, mesh=mesh["data"])
    # The two ranks of a tensor group have the same batch: those of two ranks in one.
    first = RANK // 2 * 2
    steps = []
    for step in range(STEPS):
        pair = [batch(step, first), batch(step, first + 1)]
        steps.append([torch.cat(parts).to(DEVICE) for parts in zip(*pair)])
    losses = mean(train(model, steps))
    cpu, expected = on_the_cpu()
    close(losses, expected)
    agree({name: full(value) for name, value in model.state_dict().items()}, cpu.state_dict())


def hybrid_shards():
    from torch.distributed.fsdp import FullyShardedDataParallel, ShardingStrategy, fully_shard

    mesh = init_device_mesh("npu", (2, HALF), mesh_dim_names=("replicas", "shards"))
    cpu, expected = on_the_cpu()
    model = network().to(DEVICE)
    fully_shard(model, mesh=mesh)
    close(mean(train(model, on_the_device())), expected)
    agree({name: value.full_tensor() for name, value in model.state_dict().items()}, cpu.state_dict())
    model = FullyShardedDataParallel(
        network().to(DEVICE), device_mesh=mesh, sharding_strategy=ShardingStrategy.HYBRID_SHARD, use_orig_params=True
    )
    close(mean(train(model, on_the_device())), expected)


def pipeline_by_hand():
    """Each rank has one layer; activations go forward and gradients back, in two ways."""
    torch.manual_seed(11)
    layers = [nn.Linear(8, 8) for _ in range(RANKS)]
    layer = copy.deepcopy(layers[RANK]).to(DEVICE)
    whole = values(0, 6, 8) / 5
    is_first, is_last = RANK == 0, RANK == RANKS - 1
    for batched in (False, True):

        def move(send=None, to=None, shape=None, source=None):
            received = torch.empty(*shape, device=DEVICE) if shape else None
            if not batched:
                if send is not None:
                    dist.send(send, to)
                if shape:
                    dist.recv(received, source)
                return received
            work = [dist.P2POp(dist.isend, send, to)] if send is not None else []
            work += [dist.P2POp(dist.irecv, received, source)] if shape else []
            for each in dist.batch_isend_irecv(work) if work else []:
                each.wait()
            return received

        layer.zero_grad()
        inputs = whole.to(DEVICE) if is_first else move(shape=(6, 8), source=RANK - 1)
        inputs.requires_grad_(not is_first)
        output = layer(inputs).tanh()
        if is_last:
            output.pow(2).mean().backward()
        else:
            gradient = None
            move(send=output.detach(), to=RANK + 1)
            gradient = move(shape=(6, 8), source=RANK + 1)
            output.backward(gradient)
        if not is_first:
            move(send=inputs.grad, to=RANK - 1)
        for each in layers:
            each.zero_grad()
        expected = whole
        for each in layers:
            expected = each(expected).tanh()
        expected.pow(2).mean().backward()
        close(layer.weight.grad, layers[RANK].weight.grad)
        close(layer.bias.grad, layers[RANK].bias.grad)


def pipeline_schedules():
    from torch.distributed.pipelining import PipelineStage, Schedule1F1B, ScheduleGPipe

    torch.manual_seed(11)
    layers = [nn.Sequential(nn.Linear(8, 8), nn.Tanh()) for _ in range(RANKS)]
    whole, targets = values(0, 8, 8) / 5, values(1, 8, 8) / 5
    for kind in (ScheduleGPipe, Schedule1F1B):
        stage = PipelineStage(copy.deepcopy(layers[RANK]).to(DEVICE), RANK, RANKS, torch.device(DEVICE))
        schedule = kind(stage, 4, loss_fn=nn.functional.mse_loss)
        if RANK == 0:
            schedule.step(whole.to(DEVICE))
        elif RANK == RANKS - 1:
            losses = []
            schedule.step(target=targets.to(DEVICE), losses=losses)
        else:
            schedule.step()
        cpu = copy.deepcopy(nn.Sequential(*layers))
        loss = nn.functional.mse_loss(cpu(whole), targets)
        loss.backward()
        if RANK == RANKS - 1:
            close(torch.stack(losses).mean(), loss)
        for parameter, expected in zip(stage.submod.parameters(), cpu[RANK].parameters(), strict=True):
            close(parameter.grad, expected.grad)


def checkpoint():
    """Saves the shards of all ranks and loads them into another model."""
    import torch.distributed.checkpoint as saving
    from torch.distributed.fsdp import fully_shard

    model = fully_shard(network().to(DEVICE))
    train(model, on_the_device())
    folder = [tempfile.mkdtemp() if RANK == 0 else None]
    dist.broadcast_object_list(folder, src=0)
    saving.save(model.state_dict(), checkpoint_id=folder[0])
    other = fully_shard(nn.Sequential(*[copy.deepcopy(layer) for layer in network()]).to(DEVICE))
    read = other.state_dict()
    saving.load(read, checkpoint_id=folder[0])
    other.load_state_dict(read)
    cpu, _ = on_the_cpu()
    agree({name: value.full_tensor() for name, value in other.state_dict().items()}, cpu.state_dict())
    dist.barrier()
    if RANK == 0:
        import shutil

        shutil.rmtree(folder[0])


def autocast_with_ddp():
    model = parallel(network())
    steering = optimiser(model.parameters())
    scaler = torch.amp.GradScaler("npu")
    inputs, targets = (tensor.to(DEVICE) for tensor in batch(0, RANK))
    with torch.autocast("npu", torch.float16):
        loss = nn.functional.mse_loss(model(inputs).float(), targets)
    scaler.scale(loss).backward()
    scaler.step(steering)
    scaler.update()
    cpu = network()
    train(cpu, [batch(0)])
    for value, expected in zip(model.module.parameters(), cpu.parameters(), strict=True):
        torch.testing.assert_close(value.detach().cpu(), expected.detach(), rtol=1e-2, atol=1e-3)


CASES = [
    ddp,
    ddp_with_unused_parameters,
    ddp_with_accumulation,
    ddp_with_uneven_inputs,
    ddp_with_a_hook,
    autocast_with_ddp,
    zero_redundancy_optimiser,
    synchronised_batch_norm,
    fsdp1,
    fsdp2,
    dtensor,
    tensor_parallel,
    sequence_parallel,
    pipeline_by_hand,
    pipeline_schedules,
    checkpoint,
]
if RANKS == 4:
    CASES += [fsdp2_with_tensor_parallel, hybrid_shards]
run(CASES)
