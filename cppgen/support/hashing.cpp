#include "cppgen/support/hashing.h"

#include <openssl/evp.h>

#include <algorithm>

#include "cppgen/support/file_io.h"
#include "runtime/base/errors.h"

namespace cppgen {

namespace {

std::string to_hex(const unsigned char* bytes, size_t count) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  text.reserve(2 * count);
  for (size_t i = 0; i < count; ++i) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

}  // namespace

Hasher::Hasher() : context_(EVP_MD_CTX_new(), EVP_MD_CTX_free) {
  check(context_ && EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr) == 1, "OpenSSL offers no SHA-256");
}
Hasher::~Hasher() = default;
Hasher::Hasher(Hasher&&) noexcept = default;
Hasher& Hasher::operator=(Hasher&&) noexcept = default;

void Hasher::bytes(std::string_view data) {
  check(context_ != nullptr, "Hasher used after hex()");
  check(EVP_DigestUpdate(context_.get(), data.data(), data.size()) == 1, "SHA-256 update failed");
}

void Hasher::length(uint64_t n) {
  char le[8];
  for (int i = 0; i < 8; ++i) le[i] = static_cast<char>(n >> (8 * i));
  bytes({le, sizeof le});
}

Hasher& Hasher::field(std::string_view tag, std::string_view value) {
  length(tag.size());
  bytes(tag);
  length(value.size());
  bytes(value);
  return *this;
}

Hasher& Hasher::field(std::string_view tag, int64_t value) { return field(tag, std::to_string(value)); }

Hasher& Hasher::field(std::string_view tag, const std::vector<std::string>& values) {
  field(tag, static_cast<int64_t>(values.size()));
  for (const std::string& value : values) field(tag, value);
  return *this;
}

std::string Hasher::hex() {
  check(context_ != nullptr, "Hasher used after hex()");
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  check(EVP_DigestFinal_ex(context_.get(), digest, &size) == 1, "SHA-256 final failed");
  context_.reset();
  return to_hex(digest, size);
}

std::string sha256_hex(std::string_view data) {
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  check(EVP_Digest(data.data(), data.size(), digest, &size, EVP_sha256(), nullptr) == 1, "SHA-256 failed");
  return to_hex(digest, size);
}

std::string file_sha256_hex(const std::string& path) { return sha256_hex(read_file(path)); }

bool is_hex(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

}  // namespace cppgen
