#include "runtime/values/npy.h"

#include <gtest/gtest.h>

#include <cstring>

#include "runtime/base/errors.h"
#include "runtime/values/npy_strings.h"
#include "tests/runtime/test_package.h"

namespace cppgen::rt::test {
namespace {

using namespace std::string_literals;

// A file of format version `version` with this header and data.
std::string npy(const std::string& header, const std::string& data, int version = 1) {
  std::string file = std::string("\x93NUMPY") + char(version) + '\0';
  const auto length = uint32_t(header.size());
  file.append(reinterpret_cast<const char*>(&length), version == 1 ? 2 : 4);
  return file + header + data;
}

class Npy : public testing::Test {
 protected:
  std::string path() const { return directory_.file("x.npy"); }

  Tensor read(const std::string& content, std::optional<DType> as = {}) const {
    write_text(path(), content);
    return read_npy(path(), as);
  }
  void refused(const std::string& content, const std::string& part) const {
    try {
      read(content);
      FAIL() << "read: " << part;
    } catch (const UserError& error) {
      EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
      EXPECT_NE(std::string(error.what()).find(path()), std::string::npos) << error.what();
    }
  }

  TempDirectory directory_;
};

TEST_F(Npy, EveryTypeAndRankComesBack) {
  for (int type = 0; type < kDTypeCount; type++)
    for (const std::vector<int64_t>& dims : {std::vector<int64_t>{}, {0}, {5}, {2, 3}, {1, 0, 4}, {2, 1, 3, 2}}) {
      Tensor tensor(DType(type), dims);
      for (int64_t i = 0; i < tensor.bytes(); i++)
        tensor.as<char>()[i] = char(DType(type) == DType::boolean ? i % 2 : bits_of(DType(type)) < 8 ? i % 2 : 37 * i);
      write_npy(path(), tensor.view());
      EXPECT_EQ(read_text(path()).size() % 64, size_t(tensor.bytes()) % 64);
      const Tensor again = read_npy(path(), DType(type));
      ASSERT_EQ(again.dims(), dims);
      ASSERT_EQ(again.type(), DType(type));
      ASSERT_EQ(std::memcmp(again.data(), tensor.data(), size_t(tensor.bytes())), 0);
    }
}

TEST_F(Npy, VersionsAndSpellings) {
  const std::string data(8, '\1');
  for (int version : {1, 2, 3})
    EXPECT_EQ(read(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }  \n", data, version)).dims(),
              std::vector<int64_t>{2});
  EXPECT_EQ(read(npy(R"({"shape":(1,2),"fortran_order":False,"descr":"<i4"})", data)).type(), DType::i32);
  EXPECT_EQ(read(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2L,)}", data)).elements(), 2);
  EXPECT_EQ(read(npy("{'descr': '|b1', 'fortran_order': False, 'shape': (8,)}", std::string("\2\0\1\377\0\0\0\0", 8)))
                .as<uint8_t>()[3],
            data[0]);
}

TEST_F(Npy, TypesAreCheckedAndBfloat16IsReadFromUint16) {
  const std::string shorts = npy("{'descr': '<u2', 'fortran_order': False, 'shape': (2,)}", "abcd");
  EXPECT_EQ(read(shorts).type(), DType::u16);
  EXPECT_EQ(read(shorts, DType::bf16).type(), DType::bf16);
  EXPECT_THROW(read(shorts, DType::f16), UserError);
}

TEST_F(Npy, TypesThatNumPyLacks) {
  const auto file = [](const std::string& descr, const std::string& data) {
    return npy("{'descr': '" + descr + "', 'fortran_order': False, 'shape': (2,)}", data);
  };
  for (const char* descr : {"|u1", "<u1", "|V1", "<f1"}) {
    const Tensor t = read(file(descr, "\x3f\xc8"), DType::f8e5m2fnuz);
    EXPECT_EQ(t.type(), DType::f8e5m2fnuz);
    EXPECT_EQ(t.as<uint8_t>()[1], 0xc8);
  }
  EXPECT_EQ(read(file("|V2", "abcd"), DType::bf16).type(), DType::bf16);
  EXPECT_THROW(read(file("|i1", "ab"), DType::f8e4m3fn), UserError);
  EXPECT_THROW(read(file("|V1", "ab"), DType::u8), UserError);
  EXPECT_THROW(read(file("|V1", "ab")), UserError);
  EXPECT_EQ(read(file("|i1", "\xf8\x07"), DType::i4).as<int8_t>()[0], -8);
  EXPECT_EQ(read(file("|u1", "\x0f\x01"), DType::u4).as<uint8_t>()[0], 15);
  for (DType type : {DType::i4, DType::u4}) {
    try {
      read(file("|V1", "\x01\x10"), type);
      ADD_FAILURE() << "16 was read";
    } catch (const UserError& error) {
      EXPECT_NE(std::string(error.what()).find("holds the " + std::string(name_of(type)) + " 16; allowed are"),
                std::string::npos)
          << error.what();
    }
  }
}

TEST_F(Npy, FortranOrder) {
  const std::string header = "{'descr': '<i4', 'fortran_order': True, 'shape': ";
  const std::vector<int32_t> columns{1, 4, 2, 5, 3, 6};
  const std::string data(reinterpret_cast<const char*>(columns.data()), 24);
  const Tensor matrix = read(npy(header + "(2, 3)}", data));
  ASSERT_EQ(matrix.dims(), (std::vector<int64_t>{2, 3}));
  EXPECT_EQ(std::vector<int32_t>(matrix.as<int32_t>(), matrix.as<int32_t>() + 6),
            (std::vector<int32_t>{1, 2, 3, 4, 5, 6}));
  const Tensor deep = read(npy(header + "(2, 1, 3)}", data));
  EXPECT_EQ(std::vector<int32_t>(deep.as<int32_t>(), deep.as<int32_t>() + 6), (std::vector<int32_t>{1, 2, 3, 4, 5, 6}));
  EXPECT_EQ(read(npy(header + "(0, 3)}", "")).elements(), 0);
  EXPECT_EQ(read(npy(header + "()}", data.substr(0, 4))).as<int32_t>()[0], 1);
}

TEST_F(Npy, HostileFiles) {
  const std::string data(8, '\1');
  const auto header = [](const std::string& descr, const std::string& order, const std::string& shape) {
    return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + "}";
  };
  refused("", "is not a .npy file");
  refused("PK\3\4 a zip file of some length", "is not a .npy file");
  refused(std::string("\x93NUMPY\7\0\1\0 x", 12), "has .npy format version 7");
  refused(std::string("\x93NUMPY\1\0\xff\xff{", 11), "is truncated: its header is incomplete");
  refused(std::string("\x93NUMPY\2\0\xff\xff", 10), "is truncated: its header is incomplete");
  refused(npy("", data), "the header is malformed");
  refused(npy("{", data), "its elements are not numbers");
  refused(npy("{}", data), "the header lacks");
  refused(npy("{'descr': '<f4", data), "the header is malformed");
  refused(npy("{'surprise': 1}", data), "the header has an unknown key");
  refused(npy(header("<f4", "Maybe", "(2,)"), data), "neither True nor False");
  refused(npy(header(">f4", "False", "(2,)"), data), "big-endian");
  refused(npy(header("<c8", "False", "(1,)"), data), "elements of the kind '<c8'");
  refused(npy(header("|O", "False", "(1,)"), data), "elements of the kind '|O'");
  refused(npy(header("<U2", "False", "(1,)"), data), "elements of the kind '<U2'");
  refused(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", data), "elements are not numbers");
  refused(npy(header("<f4", "False", "(3,)"), data), "holds 8 bytes of data; its header says float32 of shape [3]");
  refused(npy(header("<f4", "False", "(1,)"), data), "holds 8 bytes of data");
  refused(npy(header("<f4", "False", "(-2,)"), data), "the shape is malformed");
  refused(npy(header("<f4", "False", "(2"), data), "the shape is malformed");
  refused(npy(header("<f4", "False", "2"), data), "the header is malformed");
  refused(npy(header("<f4", "False", "(99999999999999999999,)"), data), "the shape is malformed");
  EXPECT_THROW(read(npy(header("<f8", "False", "(4611686018427387904, 4)"), data)), UserError);
  std::string many = "(";
  for (int i = 0; i < 100; i++) many += "1,";
  refused(npy(header("<f4", "False", many + ")"), data), "more than 64 dimensions");
  EXPECT_THROW(read_npy(directory_.file("missing.npy")), UserError);
  EXPECT_THROW(write_npy(directory_.file("no/such/folder.npy"), Tensor(DType::f32, {1}).view()), UserError);
}

TEST_F(Npy, StringsComeBack) {
  const StringTensor texts{{2, 2}, {"a", "", "\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80", "four"}};
  write_npy_strings(path(), texts);
  EXPECT_TRUE(holds_strings(path()));
  EXPECT_EQ(read_npy_strings(path()).elements, texts.elements);
  EXPECT_EQ(read_npy_strings(path()).dims, texts.dims);
  EXPECT_THROW(read_npy(path()), UserError);
  for (const StringTensor& other : {StringTensor{{2}, {"not UTF-8: \xff", "b"}}, StringTensor{{0, 3}, {}},
                                    StringTensor{{}, {"\xed\xa0\x80"}}, StringTensor{{1}, {"\xc0\x80"}}}) {
    write_npy_strings(path(), other);
    EXPECT_EQ(read_npy_strings(path()).elements, other.elements);
    EXPECT_EQ(read_npy_strings(path()).dims, other.dims);
  }
  write_npy(path(), Tensor(DType::f32, {1}).view());
  EXPECT_FALSE(holds_strings(path()));
}

// Reads what np.save writes for np.array(['ab', 'c']); and what it cannot have written.
TEST_F(Npy, StringsOfOthers) {
  const auto strings = [&](const std::string& descr, const std::string& shape, const std::string& data) {
    write_text(path(), npy("{'descr': '" + descr + "', 'fortran_order': False, 'shape': " + shape + "}", data));
    return read_npy_strings(path()).elements;
  };
  const std::string data("a\0\0\0b\0\0\0c\0\0\0\0\0\0\0", 16);
  EXPECT_EQ(strings("<U2", "(2,)", data), (std::vector<std::string>{"ab", "c"}));
  EXPECT_EQ(strings("|S4", "(1,)", "xy"s + std::string(2, '\0')), std::vector<std::string>{"xy"});
  EXPECT_EQ(strings("<U0", "(2,)", ""), (std::vector<std::string>{"", ""}));
  EXPECT_THROW(strings("<U2", "(3,)", data), UserError);
  EXPECT_THROW(strings("<U0", "(99999999999,)", ""), UserError);
  EXPECT_THROW(strings(">U2", "(2,)", data), UserError);
  EXPECT_THROW(strings("<U99999999999999999999", "(1,)", data), UserError);
  EXPECT_THROW(strings("<U1", "(1,)", std::string(4, '\xff')), UserError);
  EXPECT_THROW(strings("<f4", "(4,)", data), UserError);
}

TEST_F(Npy, EveryTruncationIsRefused) {
  const std::string good = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n", std::string(8, 'x'));
  for (size_t length = 0; length < good.size(); length++)
    EXPECT_THROW(read(good.substr(0, length)), UserError) << length;
}

}  // namespace
}  // namespace cppgen::rt::test
