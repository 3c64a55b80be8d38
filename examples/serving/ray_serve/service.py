"""A package behind Ray Serve; network.yaml says which one.

POST {"x": [[1, 2, 3, 4]]} answers {"y": [...]}: inputs and outputs by their names, as lists of rows.
"""
import numpy as np
import pydantic
from ray import serve
from starlette.responses import JSONResponse

import cppgen


class Arguments(pydantic.BaseModel):
    package: str
    replicas: int = 1
    threads: int = 1  # of each replica


@serve.deployment
class Service:

    def __init__(self, package, threads):
        self.session = cppgen.Session(package, threads=threads)  # once in each replica

    @serve.batch(max_batch_size=32, batch_wait_timeout_s=0.002)
    async def run(self, requests):
        """Rows of requests that arrive together run together; a bad request must not spoil the others."""
        rows = [len(next(iter(inputs.values()))) for inputs in requests]
        joined = {name: np.concatenate([inputs[name] for inputs in requests]) for name in requests[0]}
        results = await self.session.run_async(joined)
        ends = np.cumsum(rows)[:-1]
        split = {name: np.split(value, ends) for name, value in results.items()}
        return [{name: parts[index] for name, parts in split.items()} for index in range(len(requests))]

    def checked(self, body):
        """The inputs as arrays: all of them, with the sizes of the model and equally many rows."""
        inputs = {it.name: np.asarray(body[it.name], it.dtype) for it in self.session.inputs}
        for it in self.session.inputs:
            shape = inputs[it.name].shape
            fixed = [(got, size) for got, size in zip(shape, it.shape) if isinstance(size, int)]
            if len(shape) != len(it.shape) or any(got != size for got, size in fixed):
                raise ValueError(f"{it} does not take the shape {list(shape)}")
        if len({len(value) for value in inputs.values()}) != 1:
            raise ValueError("the inputs have different numbers of rows")
        return inputs

    async def __call__(self, request):
        try:
            inputs = self.checked(await request.json())
        except (KeyError, TypeError, ValueError) as error:
            return JSONResponse({"error": f"{type(error).__name__}: {error}"}, status_code=400)
        return {name: value.tolist() for name, value in (await self.run(inputs)).items()}


def app(arguments: Arguments):
    """Replicas that have as many processors as they have threads."""
    service = Service.options(num_replicas=arguments.replicas, ray_actor_options={"num_cpus": arguments.threads})
    return service.bind(arguments.package, arguments.threads)
