"""A package as a model of MLServer, which speaks the Open Inference Protocol of KServe over HTTP and gRPC."""
from mlserver import MLModel
from mlserver.codecs import NumpyCodec
from mlserver.codecs.numpy import to_datatype
from mlserver.errors import InferenceError
from mlserver.types import InferenceResponse, MetadataTensor
from mlserver.utils import get_model_uri

import cppgen


def described(info):
    """An input or output of the model; -1 is a size that requests decide."""
    shape = [size if isinstance(size, int) else -1 for size in info.shape]
    return MetadataTensor(name=info.name, datatype=to_datatype(info.dtype), shape=shape)


class CppgenModel(MLModel):
    """parameters.uri of model-settings.json is a package; parameters.extra are arguments of cppgen.Session."""

    async def load(self):
        package = await get_model_uri(self.settings)
        self.session = cppgen.Session(package, **(self.settings.parameters.extra or {}))
        self.inputs = [described(it) for it in self.session.inputs]
        self.outputs = [described(it) for it in self.session.outputs]
        return True

    async def predict(self, payload):
        inputs = {it.name: self.decode(it, default_codec=NumpyCodec) for it in payload.inputs}
        wanted = [it.name for it in payload.outputs] if payload.outputs else None
        try:
            results = await self.session.run_async(inputs, outputs=wanted)
        except cppgen.UserError as error:  # the request's mistake: status 400
            raise InferenceError(str(error)) from error
        outputs = [NumpyCodec.encode_output(name, value) for name, value in results.items()]
        return InferenceResponse(model_name=self.name, model_version=self.version, outputs=outputs)
