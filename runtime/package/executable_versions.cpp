// The members of Executable that concern its versions.
#include <algorithm>

#include "runtime/base/errors.h"
#include "runtime/package/executable.h"
#include "runtime/package/versions.h"

namespace cppgen::rt {
namespace {

bool same_tensors(const std::vector<TensorInfo>& a, const std::vector<TensorInfo>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const TensorInfo& x, const TensorInfo& y) {
    return x.name == y.name && x.type == y.type && x.kind == y.kind;
  });
}

// Returns whether the model of the version has this size wherever a run finds the symbol's.
bool has_size(const Plan& version, const Symbol& symbol, int64_t size) {
  const std::vector<DimExpr>& dims = version.inputs[size_t(symbol.input)].dims;
  return size_t(symbol.axis) < dims.size() && dims[size_t(symbol.axis)] == DimExpr::of(size);
}

}  // namespace

// The version must be what the table says: a run with its sizes must be one that its plan accepts.
void Executable::add_version(const VersionRow& row, std::shared_ptr<Executable> version) {
  const std::string name = name_of(row.sizes);
  if (!same_tensors(plan_.inputs, version->plan_.inputs) || !same_tensors(plan_.outputs, version->plan_.outputs))
    user_error("package '{}': its version {} has other inputs or outputs than the general one", directory(), name);
  Version added{{}, version};
  for (const auto& [symbol, size] : row.sizes) {
    size_t at = 0;
    while (at < plan_.symbols.size() && plan_.symbols[at].name != symbol) at++;
    if (at == plan_.symbols.size())
      user_error("package '{}': its version {} fixes the dimension '{}', which the model does not have", directory(),
                 name, symbol);
    if (!has_size(version->plan_, plan_.symbols[at], size))
      user_error("package '{}': its version {} was compiled for another size of '{}'", directory(), name, symbol);
    added.sizes.emplace_back(at, size);
  }
  version->version_ = name, version_ = name_of({});
  const auto place = std::find_if(versions_.begin(), versions_.end(),
                                  [&](const Version& other) { return other.sizes.size() < added.sizes.size(); });
  versions_.insert(place, std::move(added));
}

int64_t Executable::version_for(std::span<const int64_t> symbols) const {
  for (size_t i = 0; i < versions_.size(); i++)
    if (std::all_of(versions_[i].sizes.begin(), versions_[i].sizes.end(),
                    [&](const auto& fixed) { return symbols[fixed.first] == fixed.second; }))
      return int64_t(i);
  return -1;
}

void Executable::note_weights(std::map<const void*, int64_t>& bytes) const {
  if (weights_) bytes[weights_->data()] = weights_->bytes();
  for (const auto& part : parts_) part->note_weights(bytes);
  for (const Version& version : versions_) version.executable->note_weights(bytes);
}

int64_t Executable::weights_bytes() const {
  std::map<const void*, int64_t> files;
  note_weights(files);
  int64_t all = 0;
  for (const auto& [data, bytes] : files) all += bytes;
  return all;
}

}  // namespace cppgen::rt
