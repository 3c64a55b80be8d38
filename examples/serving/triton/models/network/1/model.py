"""A package as a model of Triton's Python backend: model.package lies next to this file."""
import json
import os

import triton_python_backend_utils as pb_utils

import cppgen


class TritonPythonModel:

    def initialize(self, args):
        parameters = json.loads(args["model_config"]).get("parameters", {})
        threads = int(parameters["threads"]["string_value"]) if "threads" in parameters else None
        package = os.path.join(args["model_repository"], args["model_version"], "model.package")
        self.session = cppgen.Session(package, threads=threads)

    def execute(self, requests):
        return [self.answer(request) for request in requests]

    def answer(self, request):
        inputs = {it.name(): it.as_numpy() for it in request.inputs()}
        try:
            results = self.session.run(inputs, outputs=list(request.requested_output_names()) or None)
        except cppgen.UserError as error:
            return pb_utils.InferenceResponse(output_tensors=[], error=pb_utils.TritonError(str(error)))
        tensors = [pb_utils.Tensor(name, value) for name, value in results.items()]
        return pb_utils.InferenceResponse(output_tensors=tensors)
