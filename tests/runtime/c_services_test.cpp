// Tests of the services that applications give to the C API, and of structs of older and newer headers.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "runtime/package/metadata.h"
#include "runtime/package/package.h"
#include "runtime/session/cppgen.hpp"
#include "tests/runtime/test_package.h"

namespace cppgen::rt::test {
namespace {

// y[N, 4] = (x[N, 4] + w[4]) * 2, with something said about the model.
class CServices : public testing::Test {
 protected:
  static void SetUpTestSuite() {
    directory_ = new TempDirectory;
    write_package(directory_->path(), two_step_plan(), kTwoStepSource, kTwoStepWeights);
    write_metadata(directory_->path(), {{"producer_name", "test"}, {"metadata:key", "value\n\"quoted\""}});
    write_manifest(directory_->path(), two_step_plan().isa);
  }
  static void TearDownTestSuite() { delete directory_; }
  static std::string package() { return directory_->path(); }

  // The status of a function, and its message.
  template <class F, class... Args>
  static std::pair<cppgen_status, std::string> status_of(F function, Args... args) {
    cppgen_error error;
    const cppgen_status status = function(args..., &error);
    return {status, error.message};
  }
  template <class F, class... Args>
  static void expect_refused(const std::string& why, F function, Args... args) {
    const auto [status, message] = status_of(function, args...);
    EXPECT_EQ(status, CPPGEN_USER_ERROR) << message;
    EXPECT_NE(message.find(why), message.npos) << message;
  }

  static std::vector<cppgen::Value> values_of(const cppgen::Tensor& tensor) {
    std::vector<cppgen::Value> values;
    values.emplace_back(tensor);
    return values;
  }
  static void expect_right(Session& session, int64_t rows = 3) {
    std::vector<float> x(size_t(rows * 4)), y(x.size());
    for (size_t i = 0; i < x.size(); i++) x[i] = float(i);
    session.run({cppgen::Tensor({rows, 4}, x.data())}, {cppgen::Tensor({rows, 4}, y.data())});
    for (size_t i = 0; i < x.size(); i++) ASSERT_EQ(y[i], float((i + i % 4 + 1) * 2)) << i;
    const Results results = session.run({cppgen::Tensor({rows, 4}, x.data())});
    ASSERT_EQ(results.tensor(0).elements(), rows * 4);
    EXPECT_EQ(std::memcmp(results.tensor(0).data(), y.data(), y.size() * sizeof(float)), 0);
  }

  using Session = cppgen::Session;
  using Results = cppgen::Results;
  static TempDirectory* directory_;
};
TempDirectory* CServices::directory_ = nullptr;

TEST_F(CServices, OptionsOfAnOlderHeaderAreNotWrittenBeyondTheirEnd) {
  constexpr size_t kOlder = offsetof(cppgen_options, pool);
  std::vector<unsigned char> bytes(kOlder + 64, 0xab);
  auto* options = reinterpret_cast<cppgen_options*>(bytes.data());
  ASSERT_EQ(status_of(cppgen_options_init_sized, options, kOlder).first, CPPGEN_OK);
  EXPECT_EQ(options->struct_size, kOlder);
  for (size_t i = kOlder; i < bytes.size(); i++) EXPECT_EQ(bytes[i], 0xab) << i;
  options->threads = 1;
  cppgen_session* session = nullptr;
  ASSERT_EQ(status_of(cppgen_session_load, package().c_str(), options, &session).second, "");
  cppgen_stats stats;
  std::memset(static_cast<void*>(&stats), 0xab, sizeof stats);
  ASSERT_EQ(status_of(cppgen_session_stats_sized, session, &stats, offsetof(cppgen_stats, arena_bytes)).first,
            CPPGEN_OK);
  EXPECT_EQ(stats.threads, 1);
  EXPECT_EQ(uint64_t(stats.arena_bytes), 0xabababababababab);
  cppgen_session_free(session);
}

TEST_F(CServices, OptionsOfANewerHeaderAreRefusedOnlyIfTheyAreUsed) {
  std::vector<unsigned char> bytes(sizeof(cppgen_options) + 16, 0xab);
  auto* options = reinterpret_cast<cppgen_options*>(bytes.data());
  ASSERT_EQ(status_of(cppgen_options_init_sized, options, bytes.size()).first, CPPGEN_OK);
  cppgen_session* session = nullptr;
  ASSERT_EQ(status_of(cppgen_session_load, package().c_str(), options, &session).second, "");
  cppgen_session_free(session);
  bytes.back() = 1;
  expect_refused("this library (", cppgen_session_load, package().c_str(), options, &session);
  options->struct_size = 3;
  expect_refused("was it initialised?", cppgen_session_load, package().c_str(), options, &session);
  options->struct_size = size_t(-1);
  expect_refused("was it initialised?", cppgen_session_load, package().c_str(), options, &session);
  expect_refused("the size 8 is none", cppgen_options_init_sized, options, size_t{8});
}

TEST_F(CServices, NamesAndMetadata) {
  Session session(package());
  EXPECT_EQ(session.input("x"), 0u);
  EXPECT_EQ(session.output("y"), 0u);
  size_t index;
  expect_refused("the model has no input 'z'", cppgen_session_input_index, session.get(), "z", &index);
  expect_refused("the argument 'name' is null", cppgen_session_output_index, session.get(), nullptr, &index);
  const std::vector<std::pair<std::string, std::string>> expected{{"producer_name", "test"},
                                                                  {"metadata:key", "value\n\"quoted\""}};
  EXPECT_EQ(session.metadata(), expected);
  const char *key, *value;
  expect_refused("there is no entry 2", cppgen_session_metadata, session.get(), size_t{2}, &key, &value);
  EXPECT_EQ(cppgen_session_metadata_count(nullptr), 0u);
  ASSERT_EQ(session.inputs().size(), 1u);
  EXPECT_EQ(session.inputs()[0].dims, (std::vector<int64_t>{-1, 4}));
}

TEST_F(CServices, DimensionsHaveNames) {
  Session session(package());
  const char* name = nullptr;
  cppgen_error error;
  ASSERT_EQ(cppgen_session_input_dim_name(session.get(), 0, 0, &name, &error), CPPGEN_OK) << error.message;
  EXPECT_STREQ(name, "N");
  ASSERT_EQ(cppgen_session_output_dim_name(session.get(), 0, 0, &name, &error), CPPGEN_OK) << error.message;
  EXPECT_STREQ(name, "N");
  ASSERT_EQ(cppgen_session_input_dim_name(session.get(), 0, 1, &name, &error), CPPGEN_OK) << error.message;
  EXPECT_EQ(name, nullptr);
  expect_refused("'x' has 2 dimensions, none is 2", cppgen_session_input_dim_name, session.get(), 0, 2, &name);
  expect_refused("there is no tensor 1", cppgen_session_output_dim_name, session.get(), 1, 0, &name);
  expect_refused("'session' is null", cppgen_session_output_dim_name, nullptr, 0, 0, &name);
}

TEST_F(CServices, DimensionsOfAllOutputs) {
  Session session(package());
  const cppgen::Tensor x({5, 4}, static_cast<float*>(nullptr));
  const cppgen_tensor input = x.view();
  int64_t dims[2] = {};
  cppgen_error error;
  ASSERT_EQ(cppgen_session_all_output_dims(session.get(), &input, 1, dims, 2, &error), CPPGEN_OK) << error.message;
  EXPECT_EQ(dims[0], 5);
  EXPECT_EQ(dims[1], 4);
  expect_refused("there is space for 1 dimensions; 2 are needed", cppgen_session_all_output_dims, session.get(), &input,
                 1, dims, 1);
}

TEST_F(CServices, StepsAreMeasured) {
  cppgen::Options options;
  options.profile = 1;
  Session session(package(), options);
  expect_right(session);
  size_t count = 0;
  cppgen_error error;
  ASSERT_EQ(cppgen_session_steps(session.get(), nullptr, 0, &count, &error), CPPGEN_OK) << error.message;
  ASSERT_EQ(count, 2u);
  cppgen_step steps[3] = {};
  ASSERT_EQ(cppgen_session_steps(session.get(), steps, 1, nullptr, &error), CPPGEN_OK) << error.message;
  EXPECT_EQ(steps[1].name, nullptr);
  ASSERT_EQ(cppgen_session_steps(session.get(), steps, 3, nullptr, &error), CPPGEN_OK) << error.message;
  EXPECT_STREQ(steps[1].name, two_step_plan().steps[1].name.c_str());
  EXPECT_STREQ(steps[1].engine, two_step_plan().steps[1].engine.c_str());
  EXPECT_STREQ(steps[1].version, "");
  EXPECT_EQ(steps[1].calls, 2);
  EXPECT_GT(steps[1].seconds, 0);
  EXPECT_LT(steps[1].seconds, 60);
  expect_refused("'steps' is null", cppgen_session_steps_sized, session.get(), nullptr, sizeof *steps, 1, nullptr);
}

// The files of a package in memory, each `misplaced` bytes behind an aligned address.
struct FilesInMemory {
  std::map<std::string, std::vector<char>> contents;
  std::vector<cppgen_file> files;

  explicit FilesInMemory(const std::string& package, size_t misplaced = 0) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(package)) {
      const std::string name = std::filesystem::relative(entry.path(), package).string();
      if (!entry.is_regular_file()) continue;
      const std::string text = read_text(entry.path().string());
      std::vector<char>& memory = contents[name];
      memory.resize(text.size() + 128);
      const size_t begin = 64 - reinterpret_cast<uintptr_t>(memory.data()) % 64 + misplaced;
      std::memcpy(memory.data() + begin, text.data(), text.size());
      files.push_back({contents.find(name)->first.c_str(), memory.data() + begin, text.size()});
    }
  }
};

TEST_F(CServices, PackagesInMemory) {
  for (const size_t misplaced : {0, 4}) {
    const FilesInMemory files(package(), misplaced);
    Session session(files.files);
    expect_right(session);
    EXPECT_EQ(session.metadata().size(), 2u);
  }
  const FilesInMemory files(package());
  const Manifest manifest = read_manifest(package());
  cppgen_session* session;
  expect_refused("'in memory' is not a package", cppgen_session_load_memory, files.files.data(), size_t{0}, nullptr,
                 &session);
  EXPECT_EQ(session, nullptr);
  for (size_t i = 0; i < files.files.size(); i++) {
    if (!manifest.find(files.files[i].name) && files.files[i].name != kManifestFile) continue;
    auto without = files.files;
    without.erase(without.begin() + ptrdiff_t(i));
    expect_refused("", cppgen_session_load_memory, without.data(), without.size(), nullptr, &session);
    auto shorter = files.files;
    shorter[i].bytes -= 3;
    expect_refused("", cppgen_session_load_memory, shorter.data(), shorter.size(), nullptr, &session);
  }
  auto twice = files.files;
  twice.push_back(twice[0]);
  expect_refused("two files", cppgen_session_load_memory, twice.data(), twice.size(), nullptr, &session);
}

struct Reader {
  std::string package;
  std::thread::id thread = std::this_thread::get_id();
  int reads = 0, failing_read = -1;

  static int64_t size(void* context, const char* name) {
    std::error_code error;
    const auto bytes = std::filesystem::file_size(static_cast<Reader*>(context)->package + "/" + name, error);
    return error ? -1 : int64_t(bytes);
  }
  static int read(void* context, const char* name, uint64_t offset, void* to, size_t bytes) {
    auto* reader = static_cast<Reader*>(context);
    EXPECT_EQ(std::this_thread::get_id(), reader->thread);
    if (reader->reads++ == reader->failing_read) return 5;
    const std::string content = read_text(reader->package + "/" + name);
    if (offset + bytes > content.size()) return 1;
    std::memcpy(to, content.data() + offset, bytes);
    return 0;
  }
};

TEST_F(CServices, PackagesThroughCallbacks) {
  Reader state{package()};
  cppgen_reader reader{sizeof(cppgen_reader), &state, Reader::size, Reader::read};
  {
    Session session(reader);
    expect_right(session);
  }
  const int reads = state.reads;
  cppgen_session* session;
  for (int i = 0; i < reads; i++) {
    state.reads = 0, state.failing_read = i;
    expect_refused("the application cannot read", cppgen_session_load_reader, &reader, nullptr, &session);
  }
  reader.read = nullptr;
  expect_refused("the argument 'reader.read' is null", cppgen_session_load_reader, &reader, nullptr, &session);
  reader.struct_size = 0;
  expect_refused("reader: the size 0", cppgen_session_load_reader, &reader, nullptr, &session);
  expect_refused("the argument 'reader' is null", cppgen_session_load_reader, nullptr, nullptr, &session);
}

struct Memory {
  std::mutex mutex;
  std::map<void*, size_t> held;
  int allocations = 0, left = 1 << 30;

  static void* allocate(void* context, size_t bytes, size_t alignment) {
    auto* memory = static_cast<Memory*>(context);
    const std::lock_guard lock(memory->mutex);
    if (memory->left-- <= 0) return nullptr;
    memory->allocations++;
    void* allocated = std::aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    std::memset(allocated, 0xff, bytes);
    memory->held[allocated] = bytes;
    return allocated;
  }
  static void release(void* context, void* released, size_t bytes) {
    auto* memory = static_cast<Memory*>(context);
    const std::lock_guard lock(memory->mutex);
    EXPECT_EQ(memory->held[released], bytes);
    memory->held.erase(released);
    std::free(released);
  }
};

TEST_F(CServices, MemoryOfTheApplication) {
  Memory memory;
  const cppgen_allocator allocator{sizeof(cppgen_allocator), &memory, Memory::allocate, Memory::release};
  cppgen::Options options;
  options.allocator = &allocator;
  {
    Session session(package(), options);
    std::vector<float> x(12, 1.0f);
    {
      const Results results = session.run({cppgen::Tensor({3, 4}, x.data())});
      const std::lock_guard lock(memory.mutex);
      EXPECT_TRUE(memory.held.contains(results.tensor(0).data()));
      EXPECT_GE(memory.held.size(), 2u) << "the result and the arena";
    }
    const int allocations = memory.allocations;
    expect_right(session);
    EXPECT_EQ(memory.allocations, allocations + 1) << "the arena is kept";
  }
  EXPECT_TRUE(memory.held.empty());
  Session session(package(), options);
  memory.left = 0;
  std::vector<float> x(12, 1.0f);
  try {
    session.run({cppgen::Tensor({3, 4}, x.data())});
    ADD_FAILURE();
  } catch (const cppgen::Error& error) {
    EXPECT_NE(std::string(error.what()).find("the application's allocator has no"), std::string::npos) << error.what();
  }
  memory.left = 1 << 30;
  expect_right(session);
}

// Threads of the application: each call of help has a thread of its own.
struct Threads {
  std::mutex mutex;
  std::vector<std::thread> all;
  static constexpr int kAsManyAsAskedFor = 1 << 30;
  int permitted = kAsManyAsAskedFor;

  ~Threads() { join(); }
  void join() {
    for (std::thread& thread : all) thread.join();
    all.clear();
  }
  static int bring(void* context, int count, void (*help)(void*), void* argument) {
    auto* threads = static_cast<Threads*>(context);
    const std::lock_guard lock(threads->mutex);
    int brought = 0;
    for (; brought < count && threads->permitted > 0; brought++, threads->permitted--)
      threads->all.emplace_back(help, argument);
    return brought;
  }
};

TEST_F(CServices, ThreadsOfTheApplication) {
  for (const int permitted : {0, 1, Threads::kAsManyAsAskedFor}) {
    Threads threads;
    threads.permitted = permitted;
    const cppgen_executor executor{sizeof(cppgen_executor), &threads, 3, Threads::bring};
    cppgen::Pool pool(executor);
    cppgen::Options options;
    options.pool = pool.get(), options.min_chunk_size = 1;
    Session session(package(), options), other(package(), options);
    EXPECT_EQ(session.stats().threads, 3);
    for (int i = 0; i < 20; i++) expect_right(session, 200000), expect_right(other, 100000);
    EXPECT_EQ(threads.all.empty(), permitted == 0);
  }
  cppgen_pool* pool;
  cppgen_executor none{sizeof(cppgen_executor), nullptr, 0, Threads::bring};
  expect_refused("it has 0 threads", cppgen_pool_create_on, &none, &pool);
  none.threads = 2, none.bring = nullptr;
  expect_refused("the argument 'executor.bring' is null", cppgen_pool_create_on, &none, &pool);
}

// Counts the threads that three runs of two steps ask for; `between` is called after each run.
int threads_for_three_runs(const std::string& package, int64_t spin_microseconds,
                           const std::function<void(Threads&)>& between) {
  Threads threads;
  cppgen::Pool pool({sizeof(cppgen_executor), &threads, 2, Threads::bring}, spin_microseconds);
  cppgen::Options options;
  options.pool = pool.get(), options.min_chunk_size = 1;
  cppgen::Session session(package, options);
  std::vector<float> x(800000), y(x.size());
  for (int run = 0; run < 3; run++) {
    session.run({cppgen::Tensor({200000, 4}, x.data())}, {cppgen::Tensor({200000, 4}, y.data())});
    between(threads);
  }
  const std::lock_guard lock(threads.mutex);
  return Threads::kAsManyAsAskedFor - threads.permitted;
}

// Those that have left are asked for again.
TEST_F(CServices, ThreadsOfTheApplicationStayAsLongAsTheyShould) {
  constexpr int64_t kMinute = int64_t{60} * 1'000'000;
  EXPECT_EQ(threads_for_three_runs(package(), kMinute, [](Threads&) {}), 1);
  EXPECT_GE(threads_for_three_runs(package(), 0, [](Threads& threads) { threads.join(); }), 3) << "steps may, too";
  Threads threads;
  const cppgen_executor executor{sizeof(cppgen_executor), &threads, 2, Threads::bring};
  cppgen_pool* pool;
  expect_refused("it spins for -1 microseconds", cppgen_pool_create_on_spinning, &executor, int64_t{-1}, &pool);
}

TEST_F(CServices, SessionsShareThreads) {
  cppgen::Options options;
  options.threads = 3, options.min_chunk_size = 1;
  auto pool = std::make_unique<cppgen::Pool>(options);
  options.pool = pool->get(), options.threads = 1;
  Session first(package(), options), second(package(), options);
  EXPECT_EQ(first.stats().threads, 3);
  pool = nullptr;  // its sessions keep it
  std::thread other([&] {
    for (int i = 0; i < 50; i++) expect_right(second, 500);
  });
  for (int i = 0; i < 50; i++) expect_right(first, 500);
  other.join();
  cppgen_pool_free(nullptr);
}

TEST_F(CServices, CancelledRuns) {
  Session session(package());
  cppgen::Cancel cancel;
  std::vector<float> x(12, 1.0f), y(12);
  const cppgen::Tensor input({3, 4}, x.data()), output({3, 4}, y.data());
  session.run({input}, {output}, &cancel);
  EXPECT_EQ(y[0], 4.0f);
  cancel.request();
  for (const bool with_results : {false, true}) try {
      with_results ? void(session.run(values_of(input), &cancel)) : session.run({input}, {output}, &cancel);
      ADD_FAILURE();
    } catch (const cppgen::Error& error) {
      EXPECT_EQ(error.status(), CPPGEN_CANCELLED);
      EXPECT_STREQ(error.what(), "the run was cancelled");
    }
  expect_right(session);  // without it
  cancel.reset();
  session.run({input}, {output}, &cancel);
  cppgen_cancel_request(nullptr), cppgen_cancel_reset(nullptr), cppgen_cancel_free(nullptr);
}

// A kernel that runs until it is told to stop, chunk after chunk.
constexpr const char* kSlowSource = R"(
#include <unistd.h>
#include "runtime/abi/abi.h"
extern "C" void k_add(const cppgen_kernel_args*, long, long) { usleep(20000); }
extern "C" void k_twice(const cppgen_kernel_args*, long, long) {}
)";

TEST_F(CServices, ARunIsCancelledBetweenItsChunks) {
  TempDirectory directory;
  write_package(directory.path(), two_step_plan(), kSlowSource, kTwoStepWeights);
  cppgen::Options options;
  options.threads = 1, options.min_chunk_size = 1;
  Session session(directory.path(), options);
  cppgen::Cancel cancel;
  std::vector<float> x(4 << 20), y(x.size());
  std::atomic<bool> done{false};
  std::thread runner([&] {
    try {
      while (true)  // until a run is cancelled in its middle, or before it begins
        session.run({cppgen::Tensor({1 << 20, 4}, x.data())}, {cppgen::Tensor({1 << 20, 4}, y.data())}, &cancel);
    } catch (const cppgen::Error& error) {
      EXPECT_EQ(error.status(), CPPGEN_CANCELLED);
    }
    done = true;
  });
  std::this_thread::sleep_for(std::chrono::milliseconds(50));
  EXPECT_FALSE(done);
  cancel.request();
  runner.join();
}

TEST_F(CServices, MessagesGoToTheApplication) {
  std::vector<std::pair<int, std::string>> messages;
  cppgen_set_log(
      [](void* context, int severity, const char* message) {
        static_cast<std::vector<std::pair<int, std::string>>*>(context)->emplace_back(severity, message);
      },
      &messages);
  setenv("CPPGEN_THREADZ", "3", 1);
  testing::internal::CaptureStderr();
  Session session(package());
  cppgen_set_log(nullptr, nullptr);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  ASSERT_FALSE(messages.empty());
  EXPECT_EQ(messages[0].first, 2);
  EXPECT_NE(messages[0].second.find("THREADZ"), std::string::npos) << messages[0].second;
  unsetenv("CPPGEN_THREADZ");
}

TEST_F(CServices, Values) {
  Session session(package());
  std::vector<float> x{1, 2, 3, 4};
  const Results results = session.run(values_of(cppgen::Tensor({1, 4}, x.data())));
  EXPECT_EQ(results.tensor(0).as<float>()[3], 16.0f);
  EXPECT_THROW(results.tensor(0).as<int32_t>(), cppgen::Error);
  cppgen_results* none = nullptr;
  std::vector<cppgen::Value> elements;
  elements.emplace_back(std::vector<std::string>{"a"});
  const auto sequence = cppgen::Value::sequence(elements);
  const cppgen_value* input = sequence.get();
  expect_refused("", cppgen_session_run_values, session.get(), &input, size_t{1}, nullptr, &none);
  input = nullptr;
  expect_refused("input 0 is null", cppgen_session_run_values, session.get(), &input, size_t{1}, nullptr, &none);
  const auto nothing = cppgen::Value::nothing();
  input = nothing.get();
  expect_refused("", cppgen_session_run_values, session.get(), &input, size_t{1}, nullptr, &none);
  cppgen_value_free(nullptr);
}

}  // namespace
}  // namespace cppgen::rt::test
