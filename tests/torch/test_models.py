"""Models of the libraries that people use, tiny and with random weights: losses, gradients and generated text as on the CPU.

They are skipped where the libraries are not installed: `pip install transformers diffusers`.
"""

import copy
import os

import pytest
import torch
import torch.nn.functional as F
from support import same

os.environ.setdefault("HF_HUB_OFFLINE", "1")

SMALL = dict(vocab_size=64, hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=4, max_position_embeddings=64)
TEXT = dict(bos_token_id=1, eos_token_id=2, pad_token_id=0)


@pytest.fixture
def transformers():
    return pytest.importorskip("transformers", reason="transformers is not installed")


def trained(model, device, steps=3, **batch):
    """Losses of some steps and the gradients of the last, on a copy of the model."""
    model = copy.deepcopy(model).to(device).train()
    batch = {name: value.to(device) for name, value in batch.items()}
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    losses = []
    for _ in range(steps):
        optimizer.zero_grad()
        loss = model(**batch).loss
        loss.backward()
        optimizer.step()
        losses.append(loss.detach().cpu())
    gradients = [parameter.grad for parameter in model.parameters() if parameter.grad is not None]
    return [torch.stack(losses), *gradients]


def trains_alike(model, **batch):
    same(trained(model, "npu", **batch), trained(model, "cpu", **batch), rtol=2e-3, atol=1e-4)


def tokens(rows=2, length=12):
    return torch.randint(3, 64, (rows, length), generator=torch.Generator().manual_seed(8))


def without_dropout(config):
    for name in vars(config):
        if name.endswith("dropout") or name.endswith("dropout_prob"):
            setattr(config, name, 0.0)
    return config


def test_deberta(transformers):
    """Its attention takes logarithms of relative positions."""
    config = transformers.DebertaV2Config(
        **SMALL, relative_attention=True, position_buckets=8, pos_att_type=["p2c", "c2p"], norm_rel_ebd="layer_norm", share_att_key=True,
        type_vocab_size=0, pad_token_id=0,
    )
    model = transformers.DebertaV2ForMaskedLM(without_dropout(config))
    ids = tokens()
    mask = torch.ones_like(ids)
    mask[1, 9:] = 0
    trains_alike(model, input_ids=ids, attention_mask=mask, labels=ids)


def test_bert(transformers):
    model = transformers.BertForSequenceClassification(without_dropout(transformers.BertConfig(**SMALL, num_labels=3)))
    ids = tokens()
    mask = torch.ones_like(ids)
    mask[1, 7:] = 0
    trains_alike(model, input_ids=ids, attention_mask=mask, labels=torch.tensor([0, 2]))


def llama(transformers, **more):
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(**SMALL, **TEXT, num_key_value_heads=2, **more))


@pytest.mark.parametrize("attention", ["eager", "sdpa"])
def test_llama_trains(transformers, attention):
    ids = tokens()
    trains_alike(llama(transformers, attn_implementation=attention), input_ids=ids, labels=ids)


def written(model, device, ids, **options):
    model = copy.deepcopy(model).to(device).eval()
    with torch.no_grad():
        return model.generate(ids.to(device), attention_mask=torch.ones_like(ids).to(device), max_new_tokens=10, do_sample=False, **options).cpu()


@pytest.mark.parametrize("options", [{}, {"cache_implementation": "static"}, {"num_beams": 3}], ids=["dynamic cache", "static cache", "beams"])
def test_llama_writes(transformers, options):
    model, ids = llama(transformers), tokens(length=6)
    same(written(model, "npu", ids, **options), written(model, "cpu", ids, **options))


def test_llama_samples(transformers):
    """Random, so only the range is known; filters by probability sort and add up."""
    model, ids = llama(transformers), tokens(length=6)
    model = model.npu().eval()
    with torch.no_grad():
        found = model.generate(ids.npu(), attention_mask=torch.ones_like(ids).npu(), max_new_tokens=8, do_sample=True, top_k=5, top_p=0.9, temperature=0.7)
    assert found.shape[0] == 2 and 6 < found.shape[1] <= 14
    same(found[:, :6], ids)
    assert 0 <= found.min() and found.max() < 64


@pytest.mark.parametrize("options", [{}, {"cache_implementation": "static"}], ids=["its own cache", "static cache"])
def test_gemma_2(transformers, options):
    """A sliding window in every second layer, and limits on attention and answers by tanh."""
    config = transformers.Gemma2Config(
        **SMALL, **TEXT, num_key_value_heads=2, head_dim=8, sliding_window=8, query_pre_attn_scalar=8, attn_implementation="eager",
        hidden_activation="gelu",
    )
    model, ids = transformers.Gemma2ForCausalLM(config), tokens(length=10)
    same(written(model, "npu", ids, **options), written(model, "cpu", ids, **options))
    if not options:
        trains_alike(model, input_ids=ids, labels=ids)


def test_mixture_of_experts(transformers):
    config = transformers.Qwen3MoeConfig(
        **SMALL, **TEXT, num_key_value_heads=2, head_dim=8, num_experts=4, num_experts_per_tok=2, moe_intermediate_size=16, norm_topk_prob=True,
    )
    model, ids = transformers.Qwen3MoeForCausalLM(config), tokens()
    trains_alike(model, input_ids=ids, labels=ids)
    same(written(model, "npu", ids), written(model, "cpu", ids))


def test_unet_of_a_diffusion_model(monkeypatch):
    """Its feed-forward layers use a gated GELU, which diffusers computes with one operator on NPUs, in its tanh form."""
    diffusers = pytest.importorskip("diffusers", reason="diffusers is not installed")
    torch.manual_seed(2)
    model = diffusers.UNet2DConditionModel(
        sample_size=8, in_channels=4, out_channels=4, layers_per_block=1, block_out_channels=(8, 16), norm_num_groups=4, cross_attention_dim=8,
        attention_head_dim=4, down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"), up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"),
    )
    sample, text = torch.randn(2, 4, 8, 8), torch.randn(2, 5, 8)
    scheduler = diffusers.DDPMScheduler(num_train_timesteps=50)

    def run(device):
        if device == "cpu":
            # Where torch_npu is installed, diffusers calls its operator on every device.
            monkeypatch.setattr(diffusers.models.activations, "is_torch_npu_available", lambda: False)
            monkeypatch.setattr(diffusers.models.activations.GEGLU, "gelu", lambda self, gate: F.gelu(gate, approximate="tanh"))
        own = copy.deepcopy(model).to(device)
        noise, times = torch.ones_like(sample) / 2, torch.tensor([3, 40])
        noisy = scheduler.add_noise(sample.to(device), noise.to(device), times.to(device))
        found = own(noisy, times.to(device), text.to(device)).sample
        loss = F.mse_loss(found, noise.to(device))
        loss.backward()
        return [found, loss, *(parameter.grad for parameter in own.parameters() if parameter.grad is not None)]

    same(run("npu"), run("cpu"), rtol=2e-3, atol=1e-4)
