// GroupQueryAttention against plain loops: what is in the cache, which keys a query sees, and what is refused.
#include "tests/ops/attention_reference.h"

namespace cppgen::ops_test {
namespace {

constexpr int64_t kBatch = 2, kHeads = 4, kKeyHeads = 2, kHeadSize = 8, kPositions = 32;

struct Row {
  int64_t rows, past, total;  // of this run; of the earlier cache, -1: none; total_sequence_length
  std::vector<int32_t> last;  // seqlens_k
  bool packed = false;
  int rotary = 0;              // 1: halves, 2: interleaved
  int64_t turned = kHeadSize;  // features
  int64_t window = -1;
  float cap = 0;
  bool bias = false, positions = false, smooth = false, sink = false;
};

class Reference {
 public:
  explicit Reference(const Row& r) : r_(r) {
    const int64_t n = r.rows, packed_width = (kHeads + 2 * kKeyHeads) * kHeadSize;
    query_ = wave({kBatch, n, r.packed ? packed_width : kHeads * kHeadSize}, 0);
    key_ = wave({kBatch, n, kKeyHeads * kHeadSize}, 1), value_ = wave({kBatch, n, kKeyHeads * kHeadSize}, 2);
    past_key_ = wave({kBatch, kKeyHeads, std::max<int64_t>(r.past, 0), kHeadSize}, 3);
    past_value_ = wave(past_key_.dims, 4);
    cosine_ = wave({kPositions, r.turned / 2}, 5), sine_ = wave({kPositions, r.turned / 2}, 6);
    bias_ = wave({1, kHeads, n, keys()}, 7);
    std::vector<int64_t> positions;
    for (int64_t i = 0; i < kBatch * n; i++) positions.push_back((i * 7 + 3) % kPositions);
    positions_ = tensor<int64_t>({kBatch, n}, positions);
    sink_ = wave({kHeads}, 8);
  }

  int64_t keys() const { return r_.past < 0 ? r_.rows : std::max(r_.past, r_.total); }

  NodeCase node(int outputs = 3) const {
    std::map<std::string, Attribute> attributes{{"num_heads", integer(kHeads)}, {"kv_num_heads", integer(kKeyHeads)}};
    if (r_.rotary) attributes["do_rotary"] = integer(1), attributes["rotary_interleaved"] = integer(r_.rotary == 2);
    if (r_.window > 0) attributes["local_window_size"] = integer(r_.window);
    if (r_.cap > 0) attributes["softcap"] = r_.cap;
    if (r_.smooth) attributes["smooth_softmax"] = integer(1);
    NodeCase c = microsoft("GroupQueryAttention", attributes,
                           {query_, key_, value_, past_key_, past_value_, tensor<int32_t>({kBatch}, r_.last),
                            tensor<int32_t>({}, {int32_t(r_.total)}), cosine_, sine_, positions_, bias_, sink_},
                           {false, r_.packed, r_.packed, r_.past < 0, r_.past < 0, false, false, !r_.rotary, !r_.rotary,
                            !r_.positions, !r_.bias, !r_.sink},
                           outputs);
    c.constant.assign(12, false), c.constant[6] = true;
    return c;
  }

  void expect(const std::vector<HostTensor>& out) const {
    ASSERT_EQ(out[1].dims, (Dims{kBatch, kKeyHeads, keys(), kHeadSize}));
    ASSERT_EQ(out[2].dims, out[1].dims);
    for (int64_t b = 0; b < kBatch; b++)
      for (int64_t h = 0; h < kKeyHeads; h++)
        for (int64_t j = 0; j < keys(); j++)
          for (int64_t d = 0; d < kHeadSize; d++) {
            ASSERT_NEAR(apart(out[1])(b, h, j, d), present(true, b, h, j, d), 1e-6) << b << h << j << d;
            ASSERT_NEAR(apart(out[2])(b, h, j, d), present(false, b, h, j, d), 1e-6);
          }
    for (int64_t b = 0; b < kBatch; b++)
      for (int64_t h = 0; h < kHeads; h++)
        for (int64_t i = 0; i < r_.rows; i++) expect_row(b, h, i, out[0]);
  }

 private:
  Row r_;
  HostTensor query_, key_, value_, past_key_, past_value_, cosine_, sine_, positions_, bias_, sink_;

  int64_t total(int64_t b) const { return r_.last[size_t(b)] + 1; }
  int64_t start(int64_t b) const { return r_.past < 0 || r_.total == r_.rows ? 0 : total(b) - r_.rows; }

  double element(const HostTensor& t, int64_t first, int64_t b, int64_t h, int64_t i, int64_t d) const {
    const HostTensor& from = r_.packed ? query_ : t;
    const int64_t at = (r_.packed ? first : 0) + h;
    return from.as<float>()[(b * r_.rows + i) * from.dims[2] + at * kHeadSize + d];
  }

  // Element of a head of queries or keys, turned by the angle of its position.
  double turned(const HostTensor& t, int64_t first, int64_t b, int64_t h, int64_t i, int64_t d) const {
    const double x = element(t, first, b, h, i, d);
    if (!r_.rotary || d >= r_.turned) return x;
    const int64_t half = r_.turned / 2;
    const bool is_first = r_.rotary == 2 ? d % 2 == 0 : d < half;
    const int64_t pair = r_.rotary == 2 ? d / 2 : d % half, step = r_.rotary == 2 ? 1 : half;
    const int64_t position = r_.positions ? positions_.as<int64_t>()[b * r_.rows + i] : start(b) + i;
    const double c = cosine_.as<float>()[position * half + pair], s = sine_.as<float>()[position * half + pair];
    return is_first ? x * c - element(t, first, b, h, i, d + step) * s
                    : x * c + element(t, first, b, h, i, d - step) * s;
  }

  double present(bool key, int64_t b, int64_t h, int64_t j, int64_t d) const {
    const int64_t i = j - start(b);
    if (i >= 0 && i < r_.rows)
      return key ? turned(key_, kHeads, b, h, i, d) : element(value_, kHeads + kKeyHeads, b, h, i, d);
    return i < 0 && j < r_.past ? apart(key ? past_key_ : past_value_)(b, h, j, d) : 0;
  }

  void expect_row(int64_t b, int64_t h, int64_t i, const HostTensor& out) const {
    const int64_t seen = std::min(start(b) + i + 1, total(b)), kh = h / (kHeads / kKeyHeads),
                  from = r_.window > 0 ? std::max<int64_t>(0, seen - r_.window) : 0;
    std::vector<double> powers;
    double sum = r_.sink ? std::exp(double(sink_.as<float>()[h])) : r_.smooth ? 1 : 0;
    for (int64_t j = from; j < seen; j++) {
      double x = 0;
      for (int64_t d = 0; d < kHeadSize; d++) x += turned(query_, 0, b, h, i, d) * present(true, b, kh, j, d);
      x /= std::sqrt(double(kHeadSize));
      if (r_.cap > 0) x = std::tanh(x / r_.cap) * r_.cap;
      if (r_.bias) x += bias_.as<float>()[(h * r_.rows + i) * keys() + j];
      powers.push_back(std::exp(x)), sum += powers.back();
    }
    for (int64_t d = 0; d < kHeadSize; d++) {
      double y = 0;
      for (int64_t j = from; j < seen; j++) y += powers[size_t(j - from)] / sum * present(false, b, kh, j, d);
      ASSERT_NEAR(beside(out, kHeads)(b, h, i, d), y, 1e-5) << b << " " << h << " " << i << " " << d;
    }
  }
};

void expect(const Row& row) {
  const Reference reference(row);
  reference.expect(run(reference.node()));
}

TEST(GroupQueryAttention, FirstRunsWithPaddingAtTheEnd) {
  expect({.rows = 5, .past = -1, .total = 5, .last = {4, 2}});
  expect({.rows = 5, .past = 0, .total = 5, .last = {4, 4}, .rotary = 1});
  expect({.rows = 5, .past = 9, .total = 5, .last = {4, 2}, .rotary = 2});  // a cache with room
}

TEST(GroupQueryAttention, LaterRunsAppend) {
  expect({.rows = 1, .past = 6, .total = 7, .last = {6, 6}, .rotary = 1});
  expect({.rows = 1, .past = 12, .total = 7, .last = {6, 3}, .rotary = 1});
  expect({.rows = 3, .past = 6, .total = 9, .last = {8, 8}, .packed = true, .rotary = 2});
}

TEST(GroupQueryAttention, Forms) {
  expect({.rows = 6, .past = -1, .total = 6, .last = {5, 5}, .packed = true});
  expect({.rows = 6, .past = -1, .total = 6, .last = {5, 5}, .window = 3});
  expect({.rows = 2, .past = 8, .total = 10, .last = {9, 6}, .window = 4, .cap = 0.5f});
  expect({.rows = 2, .past = 8, .total = 10, .last = {9, 9}, .rotary = 1, .turned = 4, .bias = true});
  expect({.rows = 2, .past = 8, .total = 10, .last = {9, 9}, .rotary = 1, .positions = true});
}

TEST(GroupQueryAttention, SinksTakeTheirPart) {
  expect({.rows = 3, .past = -1, .total = 3, .last = {2, 1}, .smooth = true});
  expect({.rows = 2, .past = 8, .total = 10, .last = {9, 6}, .window = 4, .smooth = true});
  expect({.rows = 1, .past = 6, .total = 7, .last = {6, 6}, .cap = 0.5f, .sink = true});
  expect({.rows = 2, .past = 8, .total = 10, .last = {9, 9}, .rotary = 1, .bias = true, .smooth = true, .sink = true});
}

TEST(GroupQueryAttention, OutputsMayBeLeftOut) {
  const Reference reference({.rows = 2, .past = 8, .total = 10, .last = {9, 9}});
  const auto all = run(reference.node()), one = run(reference.node(1));
  EXPECT_EQ(one[0].bytes, all[0].bytes);
}

TEST(GroupQueryAttention, RefusesByName) {
  const auto refusal = [](const char* name, Attribute value) {
    NodeCase c = Reference({.rows = 2, .past = 8, .total = 10, .last = {9, 9}}).node();
    c.attributes[name] = std::move(value);
    return error_of(c);
  };
  EXPECT_NE(refusal("qk_output", integer(2)).find("qk_output is not supported"), std::string::npos);
  EXPECT_NE(refusal("k_quant_type", std::string("PER_TENSOR")).find("k_quant_type other than NONE"), std::string::npos);
  EXPECT_NE(refusal("kv_num_heads", integer(3)).find("num_heads is not a multiple of kv_num_heads"), std::string::npos);
  NodeCase unknown = Reference({.rows = 2, .past = 8, .total = 10, .last = {9, 9}}).node();
  unknown.constant[6] = false;
  EXPECT_NE(error_of(unknown).find("total_sequence_length must be constant"), std::string::npos) << error_of(unknown);
}

}  // namespace
}  // namespace cppgen::ops_test
