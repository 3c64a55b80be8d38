// Generates bytes greedily with a decoder whose caches are states, and once more without states, as a comparison.
// usage: generate PACKAGE_WITH_STATES PACKAGE_WITHOUT TEXT COUNT
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "cppgen.hpp"

using Tokens = std::vector<int64_t>;
// Runs the tokens that follow those of earlier runs and returns the logits of the last one.
using Step = std::function<std::vector<float>(Tokens&)>;

static std::vector<float> last_row(const cppgen::Tensor& logits) {
  const float* end = logits.as<float>() + logits.elements();
  return {end - logits.dims().back(), end};
}

static Tokens generate(Tokens tokens, int count, const char* what, const Step& step) {
  Tokens all, next = std::move(tokens);
  const auto begin = std::chrono::steady_clock::now();
  for (int i = 0; i < count; i++) {
    const std::vector<float> logits = step(next);
    next = {std::max_element(logits.begin(), logits.end()) - logits.begin()};
    all.push_back(next[0]);
  }
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - begin;
  std::printf("%s: %.0f tokens per second\n", what, count / seconds.count());
  return all;
}

static cppgen::Tensor tensor_of(Tokens& tokens) { return {{1, int64_t(tokens.size())}, tokens.data()}; }

static Tokens with_states(const char* package, const Tokens& prompt, int count) {
  cppgen::Session session(package);
  cppgen::State state(session);
  return generate(prompt, count, "with states",
                  [&](Tokens& tokens) { return last_row(session.run(state, {tensor_of(tokens)}).tensor(0)); });
}

// Hands over the caches from run to run: all outputs but the first are the next inputs but the first.
static Tokens without_states(const char* package, const Tokens& prompt, int count) {
  cppgen::Session session(package);
  std::vector<cppgen::Tensor> caches;
  for (const cppgen::TensorInfo& input : session.inputs()) {
    std::vector<int64_t> dims = input.dims;
    std::replace(dims.begin(), dims.end(), int64_t{-1}, int64_t{0});
    caches.emplace_back(input.type, dims, nullptr);
  }
  std::vector<cppgen::Results> kept;
  return generate(prompt, count, "without states", [&](Tokens& tokens) {
    caches[0] = tensor_of(tokens);
    cppgen::Results results = session.run(caches);
    for (size_t i = 1; i < caches.size(); i++) caches[i] = results.tensor(i);
    kept.clear();
    kept.push_back(std::move(results));
    return last_row(kept[0].tensor(0));
  });
}

int main(int argc, char** argv) try {
  if (argc != 5) {
    std::fprintf(stderr, "usage: %s PACKAGE_WITH_STATES PACKAGE_WITHOUT TEXT COUNT\n", argv[0]);
    return 2;
  }
  const std::string text = argv[3];
  Tokens prompt;
  for (const char c : text) prompt.push_back(static_cast<unsigned char>(c));
  const int count = std::atoi(argv[4]);
  const Tokens kept = with_states(argv[1], prompt, count), plain = without_states(argv[2], prompt, count);
  for (const int64_t token : kept) std::printf("%02x", unsigned(token));
  std::printf("\n");
  if (kept == plain) return 0;
  std::fprintf(stderr, "the bytes with and without states differ\n");
  return 1;
} catch (const cppgen::Error& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}
