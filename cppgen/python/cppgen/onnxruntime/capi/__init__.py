"""As in ONNX Runtime, where scripts find exceptions."""
