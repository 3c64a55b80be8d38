#include "cppgen/onnxruntime/protobuf.h"

#include <cstring>
#include <iterator>

namespace cppgen::ep {
namespace {

enum WireType : int { kVariableInteger = 0, kLengthDelimited = 2, kFourBytes = 5 };

}  // namespace

void Message::own(std::string_view bytes) {
  if (pieces_.empty() || !pieces_.back().borrowed.empty()) pieces_.emplace_back();
  pieces_.back().owned += bytes;
  size_ += bytes.size();
}

// Seven bits a byte, the least significant first.
void Message::number(uint64_t value) {
  char bytes[10];
  size_t count = 0;
  for (; value >= 0x80; value >>= 7) bytes[count++] = char(value | 0x80);
  bytes[count++] = char(value);
  own({bytes, count});
}

void Message::head(int field, int kind, uint64_t value) {
  number(uint64_t(field) << 3 | uint64_t(kind));
  number(value);
}

Message& Message::integer(int field, int64_t value) {
  head(field, kVariableInteger, uint64_t(value));
  return *this;
}

Message& Message::real(int field, float value) {
  number(uint64_t(field) << 3 | kFourBytes);
  char bytes[sizeof value];
  std::memcpy(bytes, &value, sizeof value);
  own({bytes, sizeof value});
  return *this;
}

Message& Message::text(int field, std::string_view value) {
  head(field, kLengthDelimited, value.size());
  own(value);
  return *this;
}

Message& Message::reference(int field, std::string_view value) {
  head(field, kLengthDelimited, value.size());
  if (value.empty()) return *this;
  pieces_.back().borrowed = value;
  size_ += value.size();
  return *this;
}

Message& Message::message(int field, Message value) {
  head(field, kLengthDelimited, value.size());
  size_ += value.size();
  pieces_.insert(pieces_.end(), std::make_move_iterator(value.pieces_.begin()),
                 std::make_move_iterator(value.pieces_.end()));
  return *this;
}

std::string Message::serialized() const {
  std::string bytes;
  bytes.reserve(size_);
  for (const Piece& piece : pieces_) (bytes += piece.owned) += piece.borrowed;
  return bytes;
}

}  // namespace cppgen::ep
