// Steps of decoders that follow their data.
#include <algorithm>
#include <limits>
#include <span>

#include "runtime/base/errors.h"
#include "runtime/host/host_functions.h"
#include "runtime/plan/calls/host_choices.h"

namespace cppgen::rt {
namespace {

using Values = std::vector<Value>;

enum Step : uint8_t { kBoth, kRow, kColumn };  // from which neighbour the cheapest way comes

// Finds the last step of the cheapest way to each cell; of equal ones it takes that along the row.
std::vector<Step> cheapest_steps(const float* costs, int64_t rows, int64_t columns) {
  constexpr float kNoWay = std::numeric_limits<float>::infinity();
  std::vector<Step> steps(size_t(rows * columns));
  std::vector<float> before(size_t(columns) + 1, kNoWay), own(before);
  before[0] = 0;
  for (int64_t i = 0; i < rows; i++) {
    own[0] = kNoWay;
    for (size_t j = 1; j <= size_t(columns); j++) {
      const float both = before[j - 1], row = before[j], column = own[j - 1];
      const Step step = both < row && both < column ? kBoth : row < both && row < column ? kRow : kColumn;
      const size_t at = size_t(i * columns) + j - 1;
      steps[at] = step;
      own[j] = (step == kBoth ? both : step == kRow ? row : column) + costs[at];
    }
    std::swap(before, own);
  }
  return steps;
}

Values time_warping(const HostCall& call) {
  const Tensor& x = call.tensor(0);
  const std::vector<int64_t>& dims = x.dims();
  if (x.type() != DType::f32 || dims.size() < 2 || dims.size() > 3 || (dims.size() == 3 && dims[0] != 1))
    call.fail(fmt::format("costs are {} of shape {}", name_of(x.type()), shape_text(dims)));
  const int64_t rows = dims[dims.size() - 2], columns = dims.back();
  const std::vector<Step> steps = cheapest_steps(x.as<float>(), rows, columns);
  std::vector<std::pair<int32_t, int32_t>> way;
  for (int64_t i = rows - 1, j = columns - 1; i >= 0 && j >= 0;) {
    way.emplace_back(int32_t(i), int32_t(j));
    const Step step = steps[size_t(i * columns + j)];
    i -= step != kColumn, j -= step != kRow;
  }
  const auto length = int64_t(way.size());
  Tensor result(DType::i32, {2, length});
  for (int64_t k = 0; k < length; k++) {
    const auto [i, j] = way[size_t(length - 1 - k)];
    result.as<int32_t>()[k] = i, result.as<int32_t>()[length + k] = j;
  }
  return one_value(std::move(result));
}

std::span<const int64_t> tokens_of(const HostCall& call, size_t i) {
  const Tensor& t = call.tensor(i);
  if (t.type() != DType::i64) call.fail(fmt::format("input {} is {}, not int64", i, name_of(t.type())));
  return {t.as<int64_t>(), size_t(t.elements())};
}

// The tokens, and of the prediction all that the source has, too, and one more.
std::vector<int64_t> longer_tokens(const HostCall& call, std::span<const int64_t> source) {
  const auto tokens = tokens_of(call, 1);
  std::vector<int64_t> all(tokens.begin(), tokens.end());
  if (!call.has(3)) return all;
  const auto predicted = tokens_of(call, 3);
  const int64_t from = call.integer(2);
  if (from < 0 || from > int64_t(source.size()) || predicted.size() != source.size() - size_t(from) + 1)
    call.fail(fmt::format("{} tokens are predicted from position {} of a source of {} tokens", predicted.size(), from,
                          source.size()));
  const auto rest = source.subspan(size_t(from));
  const auto same = std::mismatch(rest.begin(), rest.end(), predicted.begin()).second - predicted.begin();
  all.insert(all.end(), predicted.begin(), predicted.begin() + same + 1);
  return all;
}

// The end of the only occurrence of the last tokens in the source; -1: none, or several. Longer runs of tokens decide
// among several occurrences.
int64_t end_in_source(std::span<const int64_t> source, std::span<const int64_t> tokens, int64_t least, int64_t most) {
  int64_t end = -1;
  for (int64_t n = least; n <= std::min(most, int64_t(tokens.size())); n++) {
    const auto last = tokens.last(size_t(n));
    const auto first = std::search(source.begin(), source.end(), last.begin(), last.end());
    if (first == source.end()) break;
    end = first - source.begin() + n;
    if (end >= int64_t(source.size())) break;
    if (std::search(first + 1, source.end(), last.begin(), last.end()) != source.end()) end = -1;
  }
  return end;
}

Values bifurcation(const HostCall& call, const BifurcationCall& fields) {
  const auto source = tokens_of(call, 0);
  const std::vector<int64_t> tokens = longer_tokens(call, source);
  Tensor all(DType::i64, {int64_t(tokens.size())}), end(DType::i64, call.tensor(2).dims());
  if (end.elements() != 1) call.fail(fmt::format("input 2 has {} elements, not 1", end.elements()));
  std::copy(tokens.begin(), tokens.end(), all.as<int64_t>());
  *end.as<int64_t>() = end_in_source(source, tokens, fields.fewest, fields.most);
  Values values = one_value(std::move(all));
  values.emplace_back(std::move(end));
  return values;
}

}  // namespace

HostFunction prepare_time_warping(const HostStep& step) { return prepared(time_warping, step); }
HostFunction prepare_bifurcation(const HostStep& step) { return prepared(bifurcation, step); }

}  // namespace cppgen::rt
