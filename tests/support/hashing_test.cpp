#include "cppgen/support/hashing.h"

#include <gtest/gtest.h>

#include "cppgen/support/temp_directory.h"
#include "runtime/base/errors.h"

namespace cppgen {
namespace {

TEST(Hashing, PlainBytesGiveThePublishedDigests) {  // FIPS 180-2, appendix B
  EXPECT_EQ(sha256_hex(""), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  EXPECT_EQ(sha256_hex("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(Hashing, FieldsAreDelimited) {
  EXPECT_NE(Hasher().field("a", "bc").hex(), Hasher().field("ab", "c").hex());
  EXPECT_NE(Hasher().field("a", "b").field("a", "c").hex(), Hasher().field("a", "bac").hex());
  EXPECT_NE(Hasher().field("l", std::vector<std::string>{"ab"}).hex(),
            Hasher().field("l", std::vector<std::string>{"a", "b"}).hex());
  EXPECT_NE(Hasher().field("l", std::vector<std::string>{}).hex(), Hasher().hex());
  EXPECT_EQ(Hasher().field("n", 12).hex(), Hasher().field("n", "12").hex());
}

TEST(Hashing, EncodingStaysStable) {
  // The digest of 1,0..0 "t" 1,0..0 "v" with lengths as 8 little-endian bytes.
  const std::string encoded = std::string("\1\0\0\0\0\0\0\0t\1\0\0\0\0\0\0\0v", 18);
  EXPECT_EQ(Hasher().field("t", "v").hex(), sha256_hex(encoded));
}

TEST(Hashing, UseAfterHexIsABug) {
  Hasher hasher;
  EXPECT_EQ(hasher.hex().size(), 64u);
  EXPECT_THROW(hasher.field("a", "b"), InternalError);
}

TEST(Hashing, FilesAndHexDigits) {
  const TempDirectory dir(system_temp_directory(), "cppgen-test-");
  ASSERT_EQ(write_file(dir.path() + "/f", "abc"), 0);
  EXPECT_EQ(file_sha256_hex(dir.path() + "/f"), sha256_hex("abc"));
  EXPECT_THROW(file_sha256_hex(dir.path() + "/absent"), UserError);
  EXPECT_TRUE(is_hex("09af"));
  EXPECT_FALSE(is_hex("0x"));
  EXPECT_FALSE(is_hex("AF"));
}

}  // namespace
}  // namespace cppgen
