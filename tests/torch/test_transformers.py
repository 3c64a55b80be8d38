"""Small models of the package transformers with random weights, where it is found: each becomes one model."""
import pytest
import torch

from conftest import assert_same, flat

transformers = pytest.importorskip("transformers")

SIZES = {"hidden_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 128}
TEXT = {**SIZES, "vocab_size": 1000}
DECODER = {**TEXT, "num_key_value_heads": 2}
GPT2 = {"n_embd": 64, "n_layer": 2, "n_head": 4, "vocab_size": 1000}
T5 = {"d_model": 64, "d_kv": 16, "d_ff": 128, "num_layers": 2, "num_heads": 4, "vocab_size": 1000, "use_cache": False}


def ids(batch, length):
    return {"input_ids": torch.randint(1, 999, (batch, length))}


def masked(batch, length):
    attended = torch.ones(batch, length, dtype=torch.int64)
    attended[-1, length - 2:] = 0
    return {**ids(batch, length), "attention_mask": attended}


def both(batch, length):
    return {**ids(batch, length), "decoder_input_ids": torch.randint(1, 999, (batch, length + 1))}


def image(batch, length):
    return {"pixel_values": torch.randn(batch, 3, 32, 32)}


def sound(batch, length):
    return {"input_features": torch.randn(batch, 80, 200)}


def made(name, config, **arguments):
    return lambda: getattr(transformers, name)(getattr(transformers, config)(**arguments))


def whisper_encoder():
    from transformers.models.whisper.modeling_whisper import WhisperEncoder

    return WhisperEncoder(transformers.WhisperConfig(d_model=64, encoder_layers=2, encoder_attention_heads=4,
                                                     encoder_ffn_dim=128, max_source_positions=100))


CASES = {
    "bert": (made("BertModel", "BertConfig", **TEXT), masked),
    "roberta": (made("RobertaModel", "RobertaConfig", **TEXT), masked),
    "distilbert": (made("DistilBertModel", "DistilBertConfig", dim=64, n_layers=2, n_heads=4, hidden_dim=128,
                        vocab_size=1000), masked),
    "gpt2": (made("GPT2LMHeadModel", "GPT2Config", **GPT2), masked),
    "gpt2_without_cache": (made("GPT2LMHeadModel", "GPT2Config", **GPT2, use_cache=False), ids),
    "t5": (made("T5ForConditionalGeneration", "T5Config", **T5), both),
    "t5_encoder": (made("T5EncoderModel", "T5Config", **T5), masked),
    "llama": (made("LlamaForCausalLM", "LlamaConfig", **DECODER), masked),
    "vit": (made("ViTModel", "ViTConfig", image_size=32, patch_size=8, **SIZES), image),
    "whisper": (whisper_encoder, sound),
}  # yapf: disable


def results(value):
    """The tensors of a model's output, with those of its cache."""
    if hasattr(value, "layers"):
        return [it for layer in value.layers for it in (layer.keys, layer.values)]
    if isinstance(value, dict):
        return [it for part in value.values() for it in results(part)]
    return flat(value)


@pytest.mark.parametrize("dynamic", (False, True))
@pytest.mark.parametrize("name", CASES)
def test_model(name, dynamic, compiled, compilations):
    make, inputs = CASES[name]
    model = make().eval()
    f = compiled(model, fullgraph=True, **({"dynamic": True} if dynamic else {}))
    for batch, length in ((2, 16), (3, 11), (2, 24)) if dynamic else ((2, 16), ):
        given = inputs(batch, length)
        with torch.no_grad():
            got, wanted = results(f(**given)), results(model(**given))
        assert len(got) == len(wanted)
        for index, (a, b) in enumerate(zip(got, wanted)):
            assert_same(a, b, 1e-5, f"result {index}")
    assert len(compilations) == 1
