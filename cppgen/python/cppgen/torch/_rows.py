"""All rows of the table: importing this module fills it."""
from . import (_activations, _comparisons, _indexing, _layers, _makers, _pointwise, _pools, _reductions, _resizing,
               _sequences, _shapes)

ROOMS = (_activations, _comparisons, _indexing, _layers, _makers, _pointwise, _pools, _reductions, _resizing, _sequences,
         _shapes)
