#include "bench/kernels/limits.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <new>
#include <stdexcept>

#include "isa/vec_isa.h"

namespace cppgen::bench {

double now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

Team::Team(int threads) : start_(threads), finish_(threads) {
  for (int t = 1; t < threads; t++)
    workers_.emplace_back([this, t] {
      for (;;) {
        start_.arrive_and_wait();
        if (!work_) return;
        (*work_)(t);
        finish_.arrive_and_wait();
      }
    });
}

Team::~Team() {
  work_ = nullptr;
  start_.arrive_and_wait();
  for (auto& w : workers_) w.join();
}

double Team::run(const std::function<void(int)>& work) {
  work_ = &work;
  start_.arrive_and_wait();
  double from = now();
  work(0);
  finish_.arrive_and_wait();
  return now() - from;
}

const Probes& probes_of(const std::string& isa) {
  const VecISA* row = find_isa(isa);
#define CPPGEN_ISA(isa, ...) \
  if (row && row->folder == #isa) return kProbes_##isa;
#include "runtime/base/isas.def"
  throw std::runtime_error("no probes for the instruction set " + isa);
}

std::map<std::string, double> function_rates(const Probes& probes, const cppgen_runtime* runtime) {
  constexpr int kCount = 2048, kRepeats = 64, kRounds = 15;
  alignas(64) static float from[kCount], to[kCount];
  for (int i = 0; i < kCount; i++) from[i] = float(i - kCount / 2) * (8.0f / kCount) + 0.001f;
  std::map<std::string, double> rates;
  for (int f = 0; f < probes.function_count; f++) {
    // The least: an interruption can only lengthen a round, and a bound must not be too high.
    double best = 1e9;
    for (int round = 0; round < kRounds; round++) {
      double start = now();
      for (int r = 0; r < kRepeats; r++) probes.functions[f].apply(runtime, from, to, kCount);
      best = std::min(best, (now() - start) * 1e9 / (double(kCount) * kRepeats));
    }
    rates[probes.functions[f].name] = best;
  }
  return rates;
}

double multiply_add_rate(Team& team, const Probes& probes) {
  constexpr int64_t kRounds = 60'000;
  double seconds = team.run([&](int) {
    volatile float sum = probes.multiply_add(kRounds);
    (void)sum;
  });
  return probes.flops_of_round * double(kRounds) * team.size() / seconds;
}

static std::shared_ptr<float> floats(int64_t count) {
  void* memory = std::aligned_alloc(4096, size_t((count * 4 + 4095) / 4096 * 4096));
  if (!memory) throw std::bad_alloc();
  std::fill_n(static_cast<float*>(memory), count, 1.0f);
  return {static_cast<float*>(memory), std::free};
}

static void store_non_temporal(float* to, int64_t count) {
  constexpr int64_t kFloats = sizeof(arch::StreamedBlock) / sizeof(float);
  for (int64_t i = 0; i + kFloats <= count; i += kFloats) arch::store_streamed(to + i, arch::StreamedBlock{1, 1});
  arch::finish_streaming();
}

Streams::Streams(Team& team, const Probes& probes, int64_t read_bytes, int64_t write_bytes)
    : team_(team),
      probes_(probes),
      read_count_(read_bytes / 4),
      write_count_(write_bytes / 4),
      source_(floats(std::max<int64_t>(read_count_, 1))),
      target_(floats(std::max<int64_t>(write_count_, 1))) {}

template <class F>
double Streams::over_shares(int64_t count, F&& work) {
  int64_t share = (count / team_.size() + 127) / 128 * 128;
  return team_.run([&](int t) {
    int64_t begin = std::min(count, t * share), end = std::min(count, begin + share);
    work(begin, end - begin);
  });
}

double Streams::read() {
  return over_shares(read_count_, [&](int64_t at, int64_t n) {
    volatile float sum = probes_.read(source_.get() + at, n);
    (void)sum;
  });
}

double Streams::write() {
  return over_shares(write_count_, [&](int64_t at, int64_t n) { probes_.write(target_.get() + at, n); });
}

double Streams::write_non_temporal() {
  return over_shares(write_count_, [&](int64_t at, int64_t n) { store_non_temporal(target_.get() + at, n); });
}

}  // namespace cppgen::bench
