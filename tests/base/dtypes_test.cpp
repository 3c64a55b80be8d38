// The table of element types.
#include <gtest/gtest.h>

#include <set>

#include "runtime/base/dtype.h"

namespace cppgen {
namespace {

TEST(DTypes, NamesAndNumbersAreDistinct) {
  std::set<std::string_view> names;
  std::set<int> numbers;
  for (int i = 0; i < kDTypeCount; i++) {
    const DType type = DType(i);
    EXPECT_EQ(dtype_from_name(name_of(type)), type);
    EXPECT_EQ(dtype_from_onnx(dtype_row(type).onnx), type);
    names.insert(name_of(type)), numbers.insert(dtype_row(type).onnx);
  }
  EXPECT_EQ(names.size(), size_t(kDTypeCount));
  EXPECT_EQ(numbers.size(), size_t(kDTypeCount));
  EXPECT_EQ(dtype_from_name("string"), std::nullopt);
  EXPECT_EQ(dtype_from_onnx(8), std::nullopt);  // string
}

TEST(DTypes, ValuesHaveTypesThatAreTheirOwn) {
  for (int i = 0; i < kDTypeCount; i++) {
    const DTypeRow& row = dtype_row(DType(i));
    EXPECT_EQ(dtype_row(row.value).value, row.value) << row.name;
    EXPECT_EQ(dtype_row(row.value).storage, DTypeStorage::value) << row.name;
    EXPECT_EQ(row.value == DType(i), row.storage == DTypeStorage::value) << row.name;
    EXPECT_EQ(size_t(row.npy[1] - '0'), size_of(DType(i))) << row.name;
  }
}

}  // namespace
}  // namespace cppgen
