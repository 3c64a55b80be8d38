#include "cppgen/schedule/engines/packed_constant.h"

#include "runtime/contraction/tile.h"

namespace cppgen::schedule {

void write_panels(const Program& program, const PackedConstant& p, int64_t batch, char* out) {
  if (p.n_bits) {
    const bool of_bytes = p.format == rt::TileFormat::n_bits_of_i8;
    return rt::pack_n_bits(source_of(program, *p.n_bits), p.width, out,
                           of_bytes ? rt::n_bits::Order::halves : rt::n_bits::Order::steps);
  }
  const ir::Buffer& source = program.buffer(p.source);
  std::vector<rt::PanelSource> taps;
  for (int64_t offset : p.tap_offsets) {
    const int64_t first = p.batch_offsets[size_t(batch)] + offset;
    taps.push_back({static_cast<const char*>(source.data.bytes) + first * int64_t(size_of(source.type)), p.k.constant(),
                    p.columns.constant(), p.k_stride, p.column_stride});
  }
  if (p.winograd.side != 0)
    return rt::pack_winograd(p.winograd, taps, p.width, static_cast<float*>(static_cast<void*>(out)));
  rt::pack_panels(p.format, taps, p.width, out);
}

rt::NBitSource source_of(const Program& program, const ir::NBitWeights& w) {
  const auto data = [&](BufferId b) { return b < 0 ? nullptr : program.buffer(b).data.bytes; };
  const auto type = [&](BufferId b) { return b < 0 ? DType::u8 : program.buffer(b).type; };
  return {static_cast<const uint8_t*>(static_cast<const void*>(data(w.values))),
          data(w.scales),
          type(w.scales),
          data(w.zeros),
          type(w.zeros),
          w.columns,
          w.k,
          w.bits,
          w.block};
}

}  // namespace cppgen::schedule
