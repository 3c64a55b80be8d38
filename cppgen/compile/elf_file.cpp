#include "cppgen/compile/elf_file.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

#include "isa/arch/arch.h"

namespace cppgen {

namespace {

// Copies the T at `offset`; false if it lies outside.
template <class T>
bool read_at(std::string_view bytes, uint64_t offset, T& value) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return false;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return true;
}

std::optional<std::string_view> section_bytes(std::string_view bytes, const Elf64_Shdr& section) {
  if (section.sh_offset > bytes.size() || bytes.size() - section.sh_offset < section.sh_size) return std::nullopt;
  return bytes.substr(section.sh_offset, section.sh_size);
}

std::optional<std::string> string_at(std::string_view table, uint64_t offset) {
  if (offset >= table.size()) return std::nullopt;
  const size_t end = table.find('\0', offset);
  if (end == std::string_view::npos) return std::nullopt;
  return std::string(table.substr(offset, end - offset));
}

bool read_section(std::string_view bytes, const Elf64_Ehdr& header, uint64_t index, Elf64_Shdr& section) {
  if (index >= header.e_shnum || header.e_shoff > bytes.size()) return false;
  return read_at(bytes, header.e_shoff + index * sizeof(Elf64_Shdr), section);
}

const char* header_problem(std::string_view bytes, Elf64_Ehdr& header) {
  if (bytes.empty()) return "it is empty";
  if (!read_at(bytes, 0, header) || std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) return "it is not an ELF file";
  if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB) {
    return "it is not a 64-bit little-endian ELF file";
  }
  if (header.e_machine != arch::kElfMachine) return "it is for another machine";
  if (header.e_type != ET_DYN) return "it is not a shared object";
  if (header.e_shentsize != sizeof(Elf64_Shdr)) return "its section headers are damaged";
  // The section headers come last in a linked file: a file cut anywhere lacks some of them.
  if (header.e_shoff > bytes.size() || (bytes.size() - header.e_shoff) / sizeof(Elf64_Shdr) < header.e_shnum) {
    return "it is truncated";
  }
  return nullptr;
}

bool collect_symbols(std::string_view symbols, std::string_view strings, SharedObjectSymbols& result) {
  Elf64_Sym symbol;
  for (uint64_t offset = sizeof symbol; read_at(symbols, offset, symbol); offset += sizeof symbol) {
    const int binding = ELF64_ST_BIND(symbol.st_info);
    if (binding != STB_GLOBAL && binding != STB_WEAK && binding != STB_GNU_UNIQUE) continue;
    auto name = string_at(strings, symbol.st_name);
    if (!name) return false;
    (symbol.st_shndx == SHN_UNDEF ? result.undefined : result.defined).push_back(std::move(*name));
  }
  return true;
}

void sort_unique(std::vector<std::string>& names) {
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
}

}  // namespace

std::optional<SharedObjectSymbols> read_shared_object(std::string_view bytes, std::string& why) {
  Elf64_Ehdr header;
  if (const char* problem = header_problem(bytes, header)) {
    why = problem;
    return std::nullopt;
  }
  for (uint64_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section, string_section;
    if (!read_section(bytes, header, i, section) || section.sh_type != SHT_DYNSYM) continue;
    SharedObjectSymbols result;
    const auto symbols = section_bytes(bytes, section);
    if (!symbols || !read_section(bytes, header, section.sh_link, string_section)) break;
    const auto strings = section_bytes(bytes, string_section);
    if (!strings || !collect_symbols(*symbols, *strings, result)) break;
    sort_unique(result.defined);
    sort_unique(result.undefined);
    return result;
  }
  why = "it has no readable dynamic symbol table";
  return std::nullopt;
}

}  // namespace cppgen
