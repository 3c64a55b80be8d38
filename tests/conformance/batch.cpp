#include "tests/conformance/batch.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <span>
#include <thread>

#include "cppgen/codegen/kernel_text.h"
#include "cppgen/compile/kernel_builder.h"
#include "cppgen/support/file_io.h"
#include "runtime/base/errors.h"
#include "tests/conformance/model_work.h"

namespace cppgen::conformance {
namespace {

constexpr size_t kKernelsPerUnit = 150;

using Models = std::vector<Prepared*>;

size_t kernels_of(const Models& models) {
  size_t n = 0;
  for (const Prepared* m : models) n += m->symbols.size();
  return n;
}

// Units of whole models in their order.
std::vector<Models> divide(std::vector<Prepared>& all) {
  std::vector<Models> units(1);
  for (Prepared& model : all) {
    if (model.symbols.empty()) continue;
    if (kernels_of(units.back()) + model.symbols.size() > kKernelsPerUnit && !units.back().empty())
      units.emplace_back();
    units.back().push_back(&model);
  }
  if (units.back().empty()) units.pop_back();
  return units;
}

class Worker {
 public:
  Worker(const VecISA& isa, const CompileOptions& options) : isa_(isa), builder_(one_process(options)) {}

  BatchStats stats;

  void compile(const Models& models) {
    try {
      const CompiledObject object = builder_.build({job_of(models)})[0];
      stats.units++, stats.cached_units += object.from_cache, stats.kernels += int(kernels_of(models));
      place(models, read_object(object));
    } catch (const UserError& e) {
      if (models.size() == 1) {
        models[0]->error = e.what();
        return;
      }
      const auto middle = models.begin() + std::ptrdiff_t(models.size() / 2);
      compile(Models(models.begin(), middle));
      compile(Models(middle, models.end()));
    }
  }

 private:
  const VecISA& isa_;
  KernelBuilder builder_;

  static CompileOptions one_process(CompileOptions options) {
    options.compile_threads = 1;
    return options;
  }

  CompileJob job_of(const Models& models) const {
    CompileJob job;
    job.name = "conformance";
    job.isa_name = std::string(isa_.name);
    job.isa_flags = {isa_.compiler_flags.begin(), isa_.compiler_flags.end()};
    job.source = codegen::kernel_headers(std::string(isa_.folder), true);
    for (const Prepared* m : models) {
      job.source += m->source;
      job.expected_symbols.insert(job.expected_symbols.end(), m->symbols.begin(), m->symbols.end());
    }
    return job;
  }

  // Each package's copy gets a seal of its own.
  static void place(const Models& models, const std::string& image) {
    for (const Prepared* model : models) {
      const std::string path = model->package + "/" + kLibraryFile;
      if (int e = write_file(path, image)) user_error("{}: cannot be written: {}", path, error_text(e));
    }
  }
};

}  // namespace

BatchStats compile_batches(std::vector<Prepared>& all, const VecISA& isa, const CompileOptions& options, int jobs) {
  const std::vector<Models> units = divide(all);
  std::mutex mutex;
  size_t next = 0;
  BatchStats total;
  auto work = [&] {
    Worker worker(isa, options);
    for (;;) {
      std::unique_lock lock(mutex);
      if (next == units.size()) break;
      const Models& unit = units[next++];
      lock.unlock();
      worker.compile(unit);
    }
    std::lock_guard lock(mutex);
    total.units += worker.stats.units, total.cached_units += worker.stats.cached_units;
    total.kernels += worker.stats.kernels;
  };
  std::vector<std::thread> threads;
  for (int i = 0; i < jobs; i++) threads.emplace_back(work);
  for (auto& t : threads) t.join();
  return total;
}

}  // namespace cppgen::conformance
