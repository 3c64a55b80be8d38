#include "cppgen/support/hashing.h"

#include <openssl/evp.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "cppgen/support/input_file.h"
#include "runtime/base/errors.h"
#include "runtime/base/helper_threads.h"

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

namespace {

constexpr size_t kReadBytes = size_t{1} << 20, kChunkBytes = size_t{32} << 20;

InputFile open_to_read(const std::string& path) {
  try {
    return InputFile::open(path);
  } catch (const UserError& error) {
    user_error("{}: cannot be read: {}", path, error.what());
  }
}

// SHA-256 of up to `length` bytes from `offset`, fewer at the end of the file.
std::string hash_range(int fd, const std::string& path, size_t offset, size_t length) {
  std::unique_ptr<evp_md_ctx_st, void (*)(evp_md_ctx_st*)> context(EVP_MD_CTX_new(), EVP_MD_CTX_free);
  check(context && EVP_DigestInit_ex(context.get(), EVP_sha256(), nullptr) == 1, "SHA-256 is not available");
  std::vector<char> buffer(std::min(length, kReadBytes));
  while (length > 0) {
    ssize_t n = pread(fd, buffer.data(), std::min(length, buffer.size()), off_t(offset));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) user_error("{}: cannot be read: {}", path, error_text(errno));
    if (n == 0) break;
    check(EVP_DigestUpdate(context.get(), buffer.data(), size_t(n)) == 1, "SHA-256 update failed");
    offset += size_t(n), length -= size_t(n);
  }
  unsigned char digest[EVP_MAX_MD_SIZE];
  unsigned size = 0;
  check(EVP_DigestFinal_ex(context.get(), digest, &size) == 1, "SHA-256 final failed");
  return to_hex(digest, size);
}

}  // namespace

std::string file_sha256_hex(const std::string& path) {
  const InputFile file = open_to_read(path);
  return hash_range(file.descriptor(), path, 0, SIZE_MAX);
}

std::string content_key(std::span<const std::span<const std::byte>> parts, int threads) {
  std::vector<std::string_view> chunks;
  for (const auto& part : parts) {
    const std::string_view all(reinterpret_cast<const char*>(part.data()), part.size());
    for (size_t at = 0; at < all.size(); at += kChunkBytes) chunks.push_back(all.substr(at, kChunkBytes));
  }
  std::vector<std::string> hashes(chunks.size());
  each_on_threads(threads, chunks.size(), [&](size_t i) { hashes[i] = sha256_hex(chunks[i]); });
  Hasher hasher;
  for (const auto& part : parts) hasher.field("bytes", int64_t(part.size()));
  return hasher.field("chunks", hashes).hex();
}

bool is_hex(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f'); });
}

}  // namespace cppgen
