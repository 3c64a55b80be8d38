#include "cppgen/passes/pipeline.h"

#include "cppgen/ops/op.h"
#include "cppgen/passes/canonicalize.h"
#include "cppgen/passes/eliminate_common_subexpressions.h"
#include "cppgen/passes/eliminate_dead_code.h"
#include "cppgen/passes/expand_quantized_operators.h"
#include "cppgen/passes/fold_affine.h"
#include "cppgen/passes/fold_constants.h"
#include "cppgen/passes/fold_requantization.h"
#include "cppgen/passes/form_integer_contractions.h"
#include "cppgen/passes/form_n_bit_products.h"
#include "cppgen/passes/infer_types.h"
#include "cppgen/passes/sink_dequantize.h"
#include "cppgen/passes/use_unsigned_activations.h"

namespace cppgen::passes {

void run_passes(Graph& graph, const PassOptions& options) {
  auto run = [&](const char* name, auto pass) {
    pass();
    verify(graph);
    if (options.trace) options.trace(name, graph);
  };

  // First: what no output needs must not be refused, typed or folded.
  run("eliminate_dead_code", [&] { eliminate_dead_code(graph); });
  // Before inference, so that a model's unsupported operators are reported together.
  run("check_supported", [&] { ops::check_supported(graph); });
  // Every later pass relies on types; small constants are folded on the way because types depend on them.
  run("infer_types", [&] { infer_types(graph, options); });
  // Before the rewrites: they look at operands and need them as constants, not as nodes that compute constants. Those
  // over quantized graphs need the bytes of weights, so DequantizeLinear waits for them.
  const bool quantized = options.pattern_matcher;
  if (options.constant_folding) run("fold_constants", [&] { fold_constants(graph, options, !quantized); });
  if (options.pattern_matcher) {
    // Before affine folding: Identity and the like between a Conv and its normalisation would hide one from the other.
    run("canonicalize", [&] { canonicalize(graph); });
    // Dead users would count as uses and keep chains from being folded.
    run("eliminate_dead_code", [&] { eliminate_dead_code(graph); });
    // Each of these relies on the form that the ones before it make.
    run("expand_quantized_operators", [&] { expand_quantized_operators(graph, options.freezing); });
    run("sink_dequantize", [&] { sink_dequantize(graph, options.freezing); });
    run("use_unsigned_activations", [&] { use_unsigned_activations(graph, options.freezing); });
    run("form_integer_contractions", [&] { form_integer_contractions(graph, options.freezing); });
    run("form_n_bit_products", [&] { form_n_bit_products(graph, options.freezing); });
    // Dequantizations that contractions read no longer are no readers for the next.
    run("eliminate_dead_code", [&] { eliminate_dead_code(graph); });
    run("fold_requantization", [&] { fold_requantization(graph, options.freezing); });
    if (options.constant_folding) run("fold_constants", [&] { fold_constants(graph, options); });
    run("fold_affine", [&] { fold_affine(graph, options.freezing); });
    // After all rewrites: equal forms are found only once they are canonical, and folded weights are compared too.
    run("eliminate_common_subexpressions", [&] { eliminate_common_subexpressions(graph, options.freezing); });
  }
  // Last: rewrites leave replaced nodes, and constants without users hold memory.
  run("eliminate_dead_code", [&] { eliminate_dead_code(graph); });
}

}  // namespace cppgen::passes
