#include "runtime/base/usable_cpus.h"

#include <gtest/gtest.h>
#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmath>
#include <filesystem>
#include <fstream>

namespace cppgen {
namespace {

namespace fs = std::filesystem;

// A root directory with the files of a control group hierarchy.
class FakeRoot {
 public:
  FakeRoot() {
    std::string pattern = (fs::temp_directory_path() / "cppgen_cgroup_XXXXXX").string();
    root_ = mkdtemp(pattern.data());
  }
  ~FakeRoot() { fs::remove_all(root_); }
  void write(const std::string& path, const std::string& text) {
    fs::create_directories((root_ / path).parent_path());
    std::ofstream(root_ / path) << text;
  }
  std::optional<double> limit() const { return cgroup_cpu_limit(root_.string()); }

 private:
  fs::path root_;
};

constexpr const char* kMountV2 = "30 23 0:26 / /sys/fs/cgroup rw,nosuid shared:4 - cgroup2 cgroup2 rw,nsdelegate\n";
constexpr const char* kMountV1 =
    "31 23 0:27 / /sys/fs/cgroup/memory rw shared:5 - cgroup cgroup rw,memory\n"
    "32 23 0:28 / /sys/fs/cgroup/cpu,cpuacct rw shared:6 - cgroup cgroup rw,cpu,cpuacct\n";

TEST(CgroupCpuLimit, V2TakesTheLeastOfTheGroupAndItsAncestors) {
  FakeRoot root;
  root.write("proc/self/mountinfo", kMountV2);
  root.write("proc/self/cgroup", "0::/system.slice/job\n");
  EXPECT_EQ(root.limit(), std::nullopt);
  root.write("sys/fs/cgroup/system.slice/job/cpu.max", "max 100000\n");
  EXPECT_EQ(root.limit(), std::nullopt);
  root.write("sys/fs/cgroup/system.slice/cpu.max", "150000 100000\n");
  EXPECT_DOUBLE_EQ(root.limit().value(), 1.5);
  root.write("sys/fs/cgroup/system.slice/job/cpu.max", "50000 100000\n");
  EXPECT_DOUBLE_EQ(root.limit().value(), 0.5);
}

TEST(CgroupCpuLimit, V1ReadsQuotaAndPeriod) {
  FakeRoot root;
  root.write("proc/self/mountinfo", kMountV1);
  root.write("proc/self/cgroup", "5:memory:/m\n4:cpu,cpuacct:/batch\n");
  root.write("sys/fs/cgroup/cpu,cpuacct/batch/cpu.cfs_quota_us", "-1\n");
  root.write("sys/fs/cgroup/cpu,cpuacct/batch/cpu.cfs_period_us", "100000\n");
  EXPECT_EQ(root.limit(), std::nullopt);
  root.write("sys/fs/cgroup/cpu,cpuacct/batch/cpu.cfs_quota_us", "300000\n");
  EXPECT_DOUBLE_EQ(root.limit().value(), 3);
}

TEST(CgroupCpuLimit, HybridHierarchiesBothCount) {
  FakeRoot root;
  root.write("proc/self/mountinfo", std::string(kMountV1) + kMountV2);
  root.write("proc/self/cgroup", "4:cpu,cpuacct:/\n0::/\n");
  root.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us", "400000");
  root.write("sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us", "100000");
  root.write("sys/fs/cgroup/cpu.max", "200000 100000");
  EXPECT_DOUBLE_EQ(root.limit().value(), 2);
}

TEST(CgroupCpuLimit, AContainerSeesItsOwnGroupAtTheMountPoint) {
  FakeRoot root;
  root.write("proc/self/mountinfo", "30 23 0:26 /docker/abc /sys/fs/cgroup ro - cgroup2 cgroup rw\n");
  root.write("proc/self/cgroup", "0::/docker/abc\n");
  root.write("sys/fs/cgroup/cpu.max", "250000 100000\n");
  EXPECT_DOUBLE_EQ(root.limit().value(), 2.5);
}

TEST(CgroupCpuLimit, MalformedFilesLimitNothing) {
  FakeRoot root;
  EXPECT_EQ(root.limit(), std::nullopt);
  root.write("proc/self/mountinfo", std::string("nonsense\n - \n") + kMountV2);
  root.write("proc/self/cgroup", "garbage\n0::/\n");
  for (const char* text : {"", "x y", "100000", "100000 0", "-5 100000"}) {
    root.write("sys/fs/cgroup/cpu.max", text);
    EXPECT_EQ(root.limit(), std::nullopt) << text;
  }
}

TEST(UsableCpus, FollowsTheAffinityMask) {
  EXPECT_GE(usable_cpus(), 1);
  pid_t child = fork();
  if (child == 0) {
    cpu_set_t all, one;
    CPU_ZERO(&one);
    if (sched_getaffinity(0, sizeof all, &all) != 0) _exit(2);
    int cpu = 0;
    while (!CPU_ISSET(cpu, &all)) ++cpu;
    CPU_SET(cpu, &one);
    if (sched_setaffinity(0, sizeof one, &one) != 0) _exit(3);
    _exit(usable_cpus() == 1 ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace cppgen
