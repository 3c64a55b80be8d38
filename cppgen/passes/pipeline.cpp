#include "cppgen/passes/pipeline.h"

#include <functional>

#include "cppgen/ops/op.h"
#include "cppgen/passes/canonicalize.h"
#include "cppgen/passes/eliminate_common_subexpressions.h"
#include "cppgen/passes/eliminate_dead_code.h"
#include "cppgen/passes/expand_channel_blocks.h"
#include "cppgen/passes/expand_composites.h"
#include "cppgen/passes/expand_quantized_operators.h"
#include "cppgen/passes/expand_string_vocabularies.h"
#include "cppgen/passes/expanded_operators.h"
#include "cppgen/passes/fold_affine.h"
#include "cppgen/passes/fold_constants.h"
#include "cppgen/passes/fold_requantization.h"
#include "cppgen/passes/form_integer_contractions.h"
#include "cppgen/passes/form_n_bit_products.h"
#include "cppgen/passes/interpolate_bytes.h"
#include "cppgen/passes/learner.h"
#include "cppgen/passes/relate_dimensions.h"
#include "cppgen/passes/sink_dequantize.h"
#include "cppgen/passes/use_unsigned_activations.h"

namespace cppgen::passes {

namespace {

// Bodies at any depth, each after the graph around it.
void for_each_body(Graph& graph, const std::function<void(Graph&)>& f) {
  for (const Node& node : graph.nodes)
    for (const auto& body : bodies_of(node)) {
      f(*body);
      for_each_body(*body, f);
    }
}

}  // namespace

void run_passes(Graph& graph, const PassOptions& options) {
  auto once = [&](const char* name, auto pass) {
    pass(graph);
    verify(graph);
    if (options.trace) options.trace(name, graph);
  };
  auto run = [&](const char* name, auto pass) {
    once(name, [&](Graph& g) {
      pass(g);
      for_each_body(g, pass);
    });
  };

  // `once` sees bodies by itself, `run` is for each graph alone.
  // First: what no output needs must not be refused, typed or folded.
  run("eliminate_dead_code", [&](Graph& g) { eliminate_dead_code(g); });
  // Of the model's own nodes; what takes their place has the attributes that it needs.
  once("check_attributes", [&](Graph& g) { ops::check_attributes(g, versions_before_expansion); });
  // Before inference, which types what it makes.
  run("expand_string_vocabularies", [&](Graph& g) { expand_string_vocabularies(g); });
  // Before the support check, which sees what they become.
  // In front of those, because it makes some of them.
  run("expand_channel_blocks", [&](Graph& g) { expand_channel_blocks(g); });
  run("expand_composites", [&](Graph& g) { expand_composites(g); });
  run("expand_learners", [&](Graph& g) { expand_learners(g); });
  // Before inference, so that a model's unsupported operators are reported together.
  once("check_supported", [&](Graph& g) { ops::check_supported(g); });
  // Every later pass relies on types; small constants are folded on the way because types depend on them.
  once("infer_types", [&](Graph& g) { infer_types_relating_dimensions(g, options); });
  // Before the rewrites: they look at operands and need them as constants, not as nodes that compute constants. Those
  // over quantized graphs need the bytes of weights, so DequantizeLinear waits for them.
  const bool quantized = options.pattern_matcher;
  if (options.constant_folding) run("fold_constants", [&](Graph& g) { fold_constants(g, options, !quantized); });
  if (options.pattern_matcher) {
    // Before affine folding: Identity and the like between a Conv and its normalisation would hide one from the other.
    run("canonicalize", [&](Graph& g) { canonicalize(g); });
    // Dead users would count as uses and keep chains from being folded.
    run("eliminate_dead_code", [&](Graph& g) { eliminate_dead_code(g); });
    // Each of these relies on the form that the ones before it make.
    run("expand_quantized_operators", [&](Graph& g) { expand_quantized_operators(g, options.freezing); });
    run("sink_dequantize", [&](Graph& g) { sink_dequantize(g, options.freezing); });
    run("use_unsigned_activations", [&](Graph& g) { use_unsigned_activations(g, options.freezing); });
    run("form_integer_contractions", [&](Graph& g) { form_integer_contractions(g, options.freezing); });
    run("form_n_bit_products", [&](Graph& g) { form_n_bit_products(g, options.freezing); });
    run("interpolate_bytes", [&](Graph& g) { interpolate_bytes(g, options.freezing); });
    // Dequantizations that these read no longer are no readers for the next.
    run("eliminate_dead_code", [&](Graph& g) { eliminate_dead_code(g); });
    run("fold_requantization", [&](Graph& g) { fold_requantization(g, options.freezing); });
    if (options.constant_folding) run("fold_constants", [&](Graph& g) { fold_constants(g, options); });
    run("fold_affine", [&](Graph& g) { fold_affine(g, options.freezing); });
    // After all rewrites: equal forms are found only once they are canonical, and folded weights are compared too.
    run("eliminate_common_subexpressions", [&](Graph& g) { eliminate_common_subexpressions(g, options.freezing); });
  }
  // Last: rewrites leave replaced nodes, and constants without users hold memory.
  run("eliminate_dead_code", [&](Graph& g) { eliminate_dead_code(g); });
}

}  // namespace cppgen::passes
