#pragma once
#include <cstdint>
#include <memory>
#include <string>

#include "cppgen/ir/program/program.h"
#include "cppgen/support/external_files.h"

namespace cppgen::import {

// Files of external data of a model. Constants point into them and keep them mapped.
class ExternalData {
 public:
  explicit ExternalData(std::string folder);

  // UserError if the location is not allowed, cannot be read, or does not have the bytes offset .. offset + size.
  ir::ConstantData read(const std::string& location, int64_t offset, int64_t size);

  std::shared_ptr<const ExternalFiles> files() const { return files_; }

 private:
  bool has_folder_;
  std::shared_ptr<ExternalFiles> files_;
};

}  // namespace cppgen::import
