#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace cppgen::ep {

// A message of Protocol Buffers that is being written, field by field. Large values can stay where they are until the
// message is done, so that weights are copied once. Fields are numbered as in onnx.proto.
class Message {
 public:
  Message& integer(int field, int64_t value);
  Message& real(int field, float value);
  // Text, bytes, or packed numbers.
  Message& text(int field, std::string_view value);
  // Adds it without a copy: the memory must stay valid and unchanged until serialized().
  Message& reference(int field, std::string_view value);
  Message& message(int field, Message value);

  size_t size() const { return size_; }
  std::string serialized() const;

 private:
  struct Piece {
    std::string owned;
    std::string_view borrowed;  // follows `owned`
  };
  void number(uint64_t value);
  void head(int field, int kind, uint64_t value);
  void own(std::string_view bytes);

  std::vector<Piece> pieces_;
  size_t size_ = 0;
};

}  // namespace cppgen::ep
