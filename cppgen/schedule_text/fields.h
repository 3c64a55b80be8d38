#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "cppgen/schedule/draft.h"

// The fields of the structs of a schedule, in the order in which its text has them. Each `fields` names all members of
// one struct, so that it does not compile once there are others, and visits each of them. The printer
// (field_printer.h) and the reader (field_reader.h) are visitors V:
//
//   v("name", x)                 a value that is always there
//   v("name", x, usual)          a value that is left out if it is `usual`
//   v.word(name, text, usual)    a text that is mostly a plain name, such as that of a function
//   v.buffer, v.buffers          values that are numbers of buffers; an empty list is left out
//   v.choice(name, x, names)     an enumerator
//   v.record(name, x, usual)     a struct in braces
//   v.records(name, list)        a struct in braces for each element; v.maybe(name, x): for an optional
//   v.by(index, name, list, is_usual)   those elements of a list that are not usual; `index` tells which one each is
//   v.alternative<T>(name, x)    a variant that has a T; true if it has
//   v.scope()                    until the result's end, loops that are visited are variables
//   v.values(roots)              the values that follow share the names t0, t1 ... of what they use twice
//   v.result(type)               values that follow may use acc0, which is none of their own reductions
namespace cppgen::schedule_text {

using namespace cppgen::schedule;

inline constexpr std::string_view kPlaces[] = {"memory", "row", "value"};
inline constexpr std::string_view kTileFormats[] = {
#define CPPGEN_TILE_FORMAT(format, ...) #format,
#include "runtime/contraction/tile_formats.def"
};

template <class V>
void fields(V& v, Layout& layout) {
  auto& [order, pad] = layout;
  v("order", order, {});
  v("pad", pad, 0);
}

template <class V>
void fields(V& v, rt::TileShape& shape) {
  auto& [mr, nr] = shape;
  v("mr", mr);
  v("nr", nr);
}

template <class V>
void fields(V& v, rt::winograd::Form& form) {
  auto& [side, taps, flat, stride] = form;
  v("side", side);
  v("taps", taps);
  v("flat", flat, false);
  v("stride", stride, 1);
}

template <class V>
void fields(V& v, RowTiling& tiling) {
  auto& [skips_padding, height, width, left, right] = tiling;
  v("skips_padding", skips_padding, false);
  v("height", height, 0);
  v("width", width, 0);
  v("left", left, 0);
  v("right", right, 0);
}

template <class V>
void fields(V& v, Segment& segment) {
  auto& [loops, reduced, reductions, body, stores] = segment;
  const auto scope = v.scope();
  v("for", loops, {});
  v("reduce", reduced, {});
  v.values(roots_of(segment));
  v.reductions(reductions);
  v.stores_inside("body", body);
  v.stores(stores);
}

template <class V>
void fields(V& v, Local& local) {
  auto& [buffer, place, elements] = local;
  v.buffer("buffer", buffer);
  v.choice("place", place, kPlaces);
  v("elements", elements, 1);
}

template <class V>
void fields(V& v, TileContraction& contraction) {
  auto& [left, right, left_scales, left_value, batch, rows, taps, columns, k, engine, form, format, shape,
         right_in_place, packed, packed_batch, panel_elements, tiling, winograd, transformed, summed_channels, blocking,
         unpacked_k, in_registers, site, convolution, tuning] = contraction;
  auto& [row_tiles, panels] = blocking;
  v.word("engine", engine, "");
  v.word("form", form, kTilesForm);
  v.choice("format", format, kTileFormats);
  v.record("shape", shape);
  v("batch", batch, {});
  v("rows", rows, {});
  v("columns", columns);
  v("taps", taps, {});
  v("k", k);
  v.values({left, right, left_scales, left_value});
  v("left", left);
  v("right", right, nullptr);
  v("left_scales", left_scales, nullptr);
  v("left_value", left_value, nullptr);
  v("right_in_place", right_in_place, false);
  v.buffer("packed", packed);
  v("packed_batch", packed_batch, 0);
  v("panel_elements", panel_elements);
  v.record("tiling", tiling, {});
  v.record("winograd", winograd, {});
  v.buffer("transformed", transformed, -1);
  v("summed_channels", summed_channels, 0);
  v("row_tiles", row_tiles, 0);
  v("panels", panels, 0);
  v("unpacked_k", unpacked_k, 0);
  v("in_registers", in_registers, false);
  v("site", site, "");
  v("convolution", convolution, false);
  v.tuning("tuning", tuning);
  v.result(rt::info(format).sum);
}

template <class V>
void fields(V& v, Attention& attention) {
  auto& [batch, rows, keys, head_size, columns, query, key, value, score, divides, zeros, form] = attention;
  v("batch", batch, {});
  v("rows", rows);
  v("keys", keys);
  v("head_size", head_size);
  v("columns", columns);
  v.result(DType::f32);
  v.values({query, key, value, score});
  v("query", query);
  v("key", key);
  v("value", value);
  v("score", score);
  v("divides", divides, false);
  v("zeros", zeros, false);
  v.word("form", form, kAttentionForm);
}

template <class V>
void fields(V& v, FusedKernel& kernel) {
  auto& [name, outer, vector_outer, transpose_loop, segments, locals, contraction, attention, inputs, outputs,
         reads_back, non_temporal, origins, site, tuning] = kernel;
  const auto scope = v.scope();
  v.word("name", name);
  v("origins", origins, {});
  v("outer", outer, {});
  v("vector_outer", vector_outer, true);
  v("transpose_loop", transpose_loop, -1);
  v.maybe("contraction", contraction);
  v.maybe("attention", attention);
  v.records("segment", segments);
  v.records("local", locals);
  v.buffers("inputs", inputs);
  v.buffers("outputs", outputs);
  v.buffers("reads_back", reads_back);
  v.buffers("non_temporal", non_temporal);
  v("site", site, "");
  v.tuning("tuning", tuning);
  v.plan(kernel);
}

template <class V>
void fields(V& v, ir::NBitWeights& weights) {
  auto& [values, scales, zeros, columns, k, bits, block] = weights;
  v.buffer("values", values);
  v.buffer("scales", scales);
  v.buffer("zeros", zeros, -1);
  v("columns", columns);
  v("k", k);
  v("bits", bits);
  v("block", block);
}

template <class V>
void fields(V& v, PackedConstant& constant) {
  auto& [source, packed, format, width, columns, k, column_stride, k_stride, batch_offsets, tap_offsets, winograd,
         n_bits] = constant;
  v.buffer("source", source);
  v.buffer("packed", packed);
  v.choice("format", format, kTileFormats);
  v("width", width);
  v("columns", columns);
  v("k", k);
  v("column_stride", column_stride, 0);
  v("k_stride", k_stride, 0);
  v("batch_offsets", batch_offsets, {});
  v("tap_offsets", tap_offsets, {});
  v.record("winograd", winograd, {});
  v.maybe("n_bits", n_bits);
}

template <class V>
void fields(V& v, LibraryStep& call) {
  auto& [function, engine, inputs, outputs, params, numbers, origins, flops, products, site, convolution] = call;
  v.word("function", function);
  v.word("engine", engine, "");
  v("origins", origins, {});
  v.buffers("inputs", inputs);
  v.buffers("outputs", outputs);
  v("params", params, {});
  v("numbers", numbers, {});
  v("flops", flops, 0);
  v("products", products, 0);
  v("site", site, "");
  v("convolution", convolution, false);
}

template <class V>
void fields(V& v, ir::Carried& carried) {
  auto& [initial, before, after] = carried;
  v.buffer("before", before);
  v.buffer("initial", initial);
  v.buffer("after", after);
}

template <class V>
void fields(V& v, RepeatedSteps& repeated) {
  auto& [step, steps, carried, body, inputs, outputs] = repeated;
  v("step", step);
  v("steps", steps);
  v.records("carry", carried);
  v.steps(body);
  v.buffers("inputs", inputs);
  v.buffers("outputs", outputs);
}

// One of the three.
template <class V>
void fields(V& v, ScheduledStep& step) {
  v.template alternative<FusedKernel>("kernel", step) || v.template alternative<LibraryStep>("library", step) ||
      v.template alternative<RepeatedSteps>("repeat", step);
}

template <class V>
void fields(V& v, InPlace& pair) {
  auto& [output, input] = pair;
  v.buffer("output", output);
  v.buffer("input", input);
}

template <class V>
void fields(V& v, ChosenEngine& chosen) {
  auto& [origins, batch, rows, columns, k, left, right, result, engine] = chosen;
  v.word("engine", engine);
  v("origins", origins, {});
  v("batch", batch, 1);
  v("rows", rows, 1);
  v("columns", columns, 1);
  v("k", k, 1);
  v.word("left", left, "");
  v.word("right", right, "");
  v.word("result", result);
}

template <class V>
void fields(V& v, DecisionLog::Entry& entry) {
  auto& [rule, subject, decision] = entry;
  auto& [applies, reason] = decision;
  v("rule", rule);
  v("subject", subject);
  v("applies", applies, false);
  v("reason", reason, "");
}

template <class V>
void fields(V& v, DecisionLog::Copy& copy) {
  auto& [buffer, kind, reason] = copy;
  v.buffer("buffer", buffer);
  v("kind", kind);
  v("reason", reason, "");
}

template <class V>
void fields(V& v, FoundAttention& found) {
  auto& [engine, attention, stores, inside] = found;
  const auto scope = v.scope();
  v.engine("engine", engine);
  fields(v, attention);
  v.values(roots_of(Segment{{}, {}, {}, {}, stores}));
  v.stores(stores);
  v.buffers("inside", inside);
}

template <class V>
void fields(V& v, EngineChoice& choice) {
  auto& [engine, site] = choice;
  v.engine("engine", engine);
  v("site", site, "");
}

template <class V>
void fields(V& v, ContractionStep& step) {
  const auto scope = v.scope();
  v.template alternative<TileContraction>("tiles", step) || v.template alternative<LibraryStep>("library", step);
}

template <class V>
void fields(V& v, Group& group) {
  auto& [statements, outer, segments, closed, attention] = group;
  const auto scope = v.scope();
  v("statements", statements);
  v("outer", outer, {});
  v.records("segment", segments);
  v("closed", closed, false);
  v("attention", attention, -1);
}

template <class V>
void fields(V& v, Target& target) {
  auto& [isa, lanes, tiles, l2_bytes, l3_bytes, bf16_dot_speed, finished_tiles, byte_dots, cache_line, l1_set_period,
         tuning, costs] = target;
  v.word("isa", isa);
  const Target usual = v.usual_target(isa);
  v("lanes", lanes, usual.lanes);
  for (size_t f = 0; f < rt::kTileFormatCount; f++)
    v.record("tile_" + std::string(kTileFormats[f]), tiles[f], usual.tiles[f]);
  v("l2_bytes", l2_bytes);
  v("l3_bytes", l3_bytes);
  v("bf16_dot_speed", bf16_dot_speed);
  v("finished_tiles", finished_tiles, usual.finished_tiles);
  v("byte_dots", byte_dots, usual.byte_dots);
  v("cache_line", cache_line, usual.cache_line);
  v("l1_set_period", l1_set_period, usual.l1_set_period);
  v.tuning("tuning", tuning, Tuning(lanes));
  v.costs("costs", costs);
}

// The part of the text after the program and the target, whose constants are those that were chosen for the program.
template <class V>
void fields(V& v, DraftState& draft) {
  auto& [schedule, after, inside_attentions, attentions, engines, contractions, groups] = draft;
  auto& [program, layouts, steps, packed, in_place, chosen, log, site, tuning] = schedule;
  const ir::Program& of = program;
  v.by("buffer", "layout", layouts,
       [&of](const Layout& l, size_t b) { return l == row_major(of.buffers[b].shape.size()); });
  v("site", site, "");
  v.buffers("inside_attentions", inside_attentions);
  v.records("attention", attentions);
  v.by("statement", "choice", engines, [](const EngineChoice& c, size_t) { return !c.engine; });
  v.by("statement", "contraction", contractions, [](const ContractionStep& c, size_t) { return c.index() == 0; });
  v.records("group", groups);
  v.steps(steps);
  v.records("packed", packed);
  v.records("in_place", in_place);
  v.records("engine", chosen);
  v.records("decision", log.entries);
  v.records("copy", log.copies);
}

}  // namespace cppgen::schedule_text
