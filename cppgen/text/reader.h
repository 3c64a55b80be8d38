#pragma once
#include <string>
#include <string_view>

#include "cppgen/text/lexer.h"
#include "runtime/base/errors.h"

namespace cppgen::text {

// The common part of the recursive-descent readers of all texts: the next token, and errors at it.
class Reader {
 public:
  Reader(std::string_view text, std::string file);

  const Token& peek() const { return next_; }
  Token take();

  bool at_sign(std::string_view) const;
  bool at_word(std::string_view) const;
  bool at(TokenKind kind) const { return next_.kind == kind; }
  bool accept_sign(std::string_view);  // takes it if it is next
  bool accept_word(std::string_view);
  void expect_sign(std::string_view);
  void expect_word(std::string_view);
  void expect_end();

  std::string name(const char* what);      // a plain name, without points
  std::string any_name(const char* what);  // plain, or quoted
  std::string string(const char* what);
  int64_t integer(const char* what);  // with a sign, within the range of int64
  int64_t integer(const char* what, int64_t least, int64_t greatest);
  uint64_t bits(const char* what);  // 0x1f
  // The text of a number with its sign; inf and nan are numbers, too.
  std::string number(const char* what);

  [[noreturn]] void fail(const std::string& what) const { fail_at(next_.place, what); }
  [[noreturn]] void fail_at(Place place, const std::string& what) const { lexer_.fail(place, what); }
  [[noreturn]] void expected(const std::string& what) const;

  // Runs `work`; errors of functions that know nothing of texts get the place.
  template <class F>
  auto at_place(Place place, const F& work) const {
    try {
      return work();
    } catch (const PlacedError&) {
      throw;
    } catch (const UserError& e) {
      fail_at(place, e.what());
    } catch (const InternalError& e) {  // such as a sum of two types: here the text is wrong, not the program
      fail_at(place, e.what());
    }
  }

  // `[` items `]`, with commas between them.
  template <class F>
  void list(std::string_view open, std::string_view close, const F& item) {
    expect_sign(open);
    if (accept_sign(close)) return;
    items(item);
    expect_sign(close);
  }

  // Reads at least one item, with commas between them.
  template <class F>
  void items(const F& item) {
    do item();
    while (accept_sign(","));
  }

  // Bounds the recursion of a reader, which counts its levels, while it lives.
  class Level {
   public:
    Level(const Reader&, int& depth, int most, const char* what);
    ~Level() { depth_--; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;

   private:
    int& depth_;
  };

 private:
  Lexer lexer_;
  Token next_;

  std::string found() const;
};

}  // namespace cppgen::text
