#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "cppgen/ir/program.h"

namespace cppgen::import {

// Files of weights beside a model, mapped read-only, each once; mappings live as long as a tensor points into them.
//
// A location is a path below the model's folder: not absolute, no "..", and no symbolic link on the way may lead out.
class ExternalData {
 public:
  explicit ExternalData(std::string folder) : folder_(std::move(folder)) {}

  struct Mapping {
    const std::byte* bytes = nullptr;
    int64_t size = 0;
    ~Mapping();
  };

  // UserError if the location is not allowed, cannot be read, or has no bytes offset .. offset + size.
  ir::ConstantData read(const std::string& location, int64_t offset, int64_t size);

 private:
  std::shared_ptr<Mapping> open(const std::string& location);

  std::string folder_;
  std::map<std::string, std::shared_ptr<Mapping>> mappings_;
};

}  // namespace cppgen::import
