"""What examples/serving/triton uses of the module of this name, which exists only inside of Triton."""


class TritonModelException(Exception):
    pass


class TritonError:

    def __init__(self, message):
        self._message = message

    def message(self):
        return self._message


class Tensor:

    def __init__(self, name, array):
        if array.dtype.kind in "UV":
            raise TritonModelException(f"Triton has no tensors of {array.dtype}")
        self._name, self._array = name, array

    def name(self):
        return self._name

    def as_numpy(self):
        return self._array


class InferenceRequest:

    def __init__(self, inputs, requested_output_names):
        self._inputs, self._names = inputs, requested_output_names

    def inputs(self):
        return self._inputs

    def requested_output_names(self):
        return self._names


class InferenceResponse:

    def __init__(self, output_tensors, error=None):
        if not isinstance(output_tensors, list):
            raise TritonModelException("output_tensors must be a list")
        self._tensors, self._error = output_tensors, error

    def output_tensors(self):
        return self._tensors

    def has_error(self):
        return self._error is not None

    def error(self):
        return self._error
