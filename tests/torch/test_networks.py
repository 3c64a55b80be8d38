"""Networks of torchvision with random weights, where torchvision is found."""
import pytest
import torch

models = pytest.importorskip("torchvision.models")

NAMES = ("resnet18", "mobilenet_v2", "squeezenet1_1", "densenet121", "googlenet", "shufflenet_v2_x1_0", "efficientnet_b0",
         "convnext_tiny", "vit_b_16", "swin_t")


@pytest.mark.parametrize("name", NAMES)
def test_network(name, compare):
    arguments = {"init_weights": False} if name == "googlenet" else {}
    model = getattr(models, name)(**arguments)
    for parameter in model.parameters():  # some are zero
        if not parameter.any():
            torch.nn.init.normal_(parameter, std=0.02)
    compare(model, torch.randn(1, 3, 224, 224), tolerance=1e-3)
