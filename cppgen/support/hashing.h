#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

struct evp_md_ctx_st;  // OpenSSL's EVP_MD_CTX

namespace cppgen {

// SHA-256 over tagged fields. Every field is stored as tag length, tag, value length, value (lengths as 64-bit little
// endian), so that no two different sequences of fields feed the same bytes.
class Hasher {
 public:
  Hasher();
  ~Hasher();
  Hasher(Hasher&&) noexcept;
  Hasher& operator=(Hasher&&) noexcept;

  Hasher& field(std::string_view tag, std::string_view value);
  Hasher& field(std::string_view tag, int64_t value);
  // A list is its length followed by its items: ["ab"] and ["a", "b"] differ.
  Hasher& field(std::string_view tag, const std::vector<std::string>& values);

  // 64 lower-case hex digits. Ends the hasher: no field may follow.
  std::string hex();

 private:
  void bytes(std::string_view);
  void length(uint64_t);
  std::unique_ptr<evp_md_ctx_st, void (*)(evp_md_ctx_st*)> context_;
};

// SHA-256 of plain bytes as 64 lower-case hex digits, as sha256sum prints it.
std::string sha256_hex(std::string_view bytes);

// SHA-256 of a file's content. UserError naming the path if it cannot be read or is not a regular file.
std::string file_sha256_hex(const std::string& path);

// Equal for lists of equal bytes, else different: SHA-256 over the hashes of their chunks, which up to `threads`
// threads compute in parallel.
std::string content_key(std::span<const std::span<const std::byte>> parts, int threads);

bool is_hex(std::string_view text);  // only 0-9 and a-f

}  // namespace cppgen
