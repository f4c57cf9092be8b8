// The words of C23 and C++23, and the macros and types of the headers that a generated one
// includes.
#include "CNames.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

static constexpr StringLiteral words =
    "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char16_t char32_t "
    "char8_t class co_await co_return co_yield compl concept const const_cast consteval constexpr "
    "constinit continue decltype default delete do double dynamic_cast else enum explicit export "
    "extern false float for friend goto if inline int long mutable namespace new noexcept not "
    "not_eq nullptr operator or or_eq private protected public register reinterpret_cast requires "
    "restrict return short signed sizeof static static_assert static_cast struct switch template "
    "this thread_local throw true try typedef typeid typename typeof typeof_unqual union unsigned "
    "using virtual void volatile wchar_t while xor xor_eq "
    "linux unix BUFSIZ EOF FILENAME_MAX FOPEN_MAX L_ctermid L_tmpnam NULL P_tmpdir SEEK_CUR "
    "SEEK_END SEEK_SET TMP_MAX int64_t uint64_t stdin stdout stderr";

tegula::CNames::CNames() {
  SmallVector<StringRef> all;
  words.split(all, ' ');
  for (StringRef word : all)
    taken.insert(word);
}

/// As INT64_MAX and UINTPTR_MAX.
static bool isLimit(StringRef name) {
  name.consume_front("U");
  return name.consume_front("INT") && !name.empty() &&
         (isDigit(name[0]) || name[0] == '_' || name.starts_with("MAX") || name.starts_with("PTR"));
}

/// Of the implementation, of <stdint.h> and of runtime.h.
static bool isReserved(StringRef name) {
  bool isImplementations =
      name.size() > 1 && name[0] == '_' && (name[1] == '_' || isUpper(name[1]));
  return isImplementations || isLimit(name) || name.starts_with("TGR_") || name.starts_with("tgr_");
}

std::string tegula::CNames::unique(StringRef wanted) {
  std::string name;
  for (char c : wanted)
    name += c == '/' ? "_div_" : c == '*' ? "_times_" : std::string(1, isAlnum(c) ? c : '_');
  if (name.empty() || isDigit(name[0]))
    name = "_" + name;
  if (isReserved(name))
    name = "arg" + name;
  while (!taken.insert(name).second)
    name += "_";
  return name;
}

std::string tegula::cString(StringRef text) {
  std::string literal = "\"";
  raw_string_ostream os(literal);
  for (unsigned char c : text)
    if (isAlnum(c) || StringRef("._- ").contains(c))
      os << c;
    else // three digits: what follows may be one more
      os << '\\' << char('0' + (c >> 6)) << char('0' + (c >> 3 & 7)) << char('0' + (c & 7));
  os << '"';
  return literal;
}

std::string tegula::cComment(StringRef text) {
  std::string result;
  for (char c : text) {
    StringRef before = result;
    if ((c == '/' && before.ends_with("*")) || (c == '*' && before.ends_with("/")) ||
        (c == '?' && before.ends_with("?"))) // ??/ is a backslash
      result += ' ';
    result += c;
  }
  return result;
}
