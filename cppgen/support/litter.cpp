#include "cppgen/support/litter.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <map>
#include <mutex>
#include <thread>
#include <utility>

#include "cppgen/support/file_io.h"

namespace cppgen {
namespace {

struct Thing {
  std::string path;
  bool directory = false;
  pid_t leader = 0;
};

struct List {
  std::mutex mutex;
  std::map<int64_t, Thing> things;
  int64_t next_id = 1;
};

// Never destroyed: threads may end after the static objects of a program.
List& list() {
  static List* list = new List;
  return *list;
}

int64_t enter(Thing thing) {
  List& all = list();
  all.things.emplace(all.next_id, std::move(thing));
  return all.next_id++;
}

// A killed process no longer writes once it is a zombie. Its owner still has to reap it.
void wait_until_dead(pid_t leader) {
  for (int i = 0; i < 100; i++) {
    siginfo_t info{};
    if (waitid(P_PID, id_t(leader), &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid != 0) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
}

// Under its own name a thread that still writes there could add files while they are removed.
void remove_directory(const std::string& path) {
  const std::string hidden = path + ".gone";
  const std::string& at = ::rename(path.c_str(), hidden.c_str()) == 0 ? hidden : path;
  for (int i = 0; i < 10 && access(at.c_str(), F_OK) == 0; i++) remove_tree(at);
}

}  // namespace

LitterEntry::LitterEntry(LitterEntry&& other) noexcept : id_(std::exchange(other.id_, 0)) {}

LitterEntry& LitterEntry::operator=(LitterEntry&& other) noexcept {
  std::swap(id_, other.id_);
  return *this;
}

void LitterEntry::forget() {
  if (id_ == 0) return;
  const std::lock_guard lock(list().mutex);
  list().things.erase(std::exchange(id_, 0));
}

LitterLock::LitterLock() { list().mutex.lock(); }
LitterLock::~LitterLock() { list().mutex.unlock(); }

LitterEntry LitterLock::directory(std::string path) { return LitterEntry(enter({std::move(path), true, 0})); }
LitterEntry LitterLock::file(std::string path) { return LitterEntry(enter({std::move(path), false, 0})); }
LitterEntry LitterLock::process_group(pid_t leader) { return LitterEntry(enter({"", false, leader})); }

void remove_litter_for_exit() {
  List& all = list();
  all.mutex.lock();
  for (const auto& [id, thing] : all.things)
    if (thing.leader > 0) ::kill(-thing.leader, SIGKILL);
  for (const auto& [id, thing] : all.things)
    if (thing.leader > 0) wait_until_dead(thing.leader);
  for (const auto& [id, thing] : all.things) {
    if (thing.directory) remove_directory(thing.path);
    if (!thing.directory && thing.leader == 0) ::unlink(thing.path.c_str());
  }
}

}  // namespace cppgen
