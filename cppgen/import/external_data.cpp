#include "cppgen/import/external_data.h"

#include "cppgen/graph/graph.h"
#include "runtime/base/errors.h"

namespace cppgen::import {

ExternalData::ExternalData(std::string folder)
    : has_folder_(!folder.empty()), files_(std::make_shared<ExternalFiles>(std::move(folder))) {}

ir::ConstantData ExternalData::read(const std::string& location, int64_t offset, int64_t size) {
  if (!has_folder_) user_error("external data {}: the model has no directory to read it from", quoted(location));
  const ExternalFiles::Part part = files_->read(location, offset, size);
  return {part.mapping, part.bytes.data(), part.bytes.size()};
}

}  // namespace cppgen::import
