#include "cppgen/compile/kernel_key.h"

#include <fmt/format.h>

#include <map>
#include <set>

#include "cppgen/compile/toolchain.h"
#include "cppgen/support/hashing.h"

namespace cppgen {

namespace {

constexpr int kKeyFormat = 1;

std::map<std::string, std::string> parse_dump(const std::string& dump) {
  std::map<std::string, std::string> fields;
  for (size_t begin = 0; begin < dump.size();) {
    const size_t end = std::min(dump.find('\n', begin), dump.size());
    const std::string line = dump.substr(begin, end - begin);
    begin = end + 1;
    const size_t equals = line.find(" = ");
    if (equals != std::string::npos) fields[line.substr(0, equals)] = line.substr(equals + 3);
  }
  return fields;
}

}  // namespace

KernelKey make_kernel_key(const CompileJob& job, const std::vector<std::string>& flags,
                          const std::vector<std::string>& compiler, const std::string& headers_hash, int abi_version) {
  KernelKey key;
  Hasher hasher;
  const auto note = [&key](const std::string& tag, const std::string& value) {
    key.dump += fmt::format("{} = {}\n", tag, value);
  };
  hasher.field("format", kKeyFormat).field("abi", abi_version).field("isa", job.isa_name).field("flags", flags);
  hasher.field("compiler", compiler).field("headers", headers_hash).field("source", job.source);
  hasher.field("symbols", job.expected_symbols);
  note("format", std::to_string(kKeyFormat));
  note("abi", std::to_string(abi_version));
  note("isa", job.isa_name);
  note("flags", join_command(flags));
  note("compiler", join_command(compiler));
  note("headers", headers_hash);
  note("source", sha256_hex(job.source));
  note("symbols", join_command(job.expected_symbols));
  key.hex = hasher.hex();
  return key;
}

std::vector<std::string> compare_key_dumps(const std::string& before, const std::string& now) {
  const auto old_fields = parse_dump(before), new_fields = parse_dump(now);
  std::set<std::string> tags;
  for (const auto& [tag, value] : old_fields) tags.insert(tag);
  for (const auto& [tag, value] : new_fields) tags.insert(tag);
  std::vector<std::string> differences;
  for (const std::string& tag : tags) {
    const auto a = old_fields.find(tag), b = new_fields.find(tag);
    const std::string was = a == old_fields.end() ? "" : a->second, is = b == new_fields.end() ? "" : b->second;
    if (was != is) differences.push_back(fmt::format("{}: was '{}', is '{}'", tag, was, is));
  }
  return differences;
}

}  // namespace cppgen
