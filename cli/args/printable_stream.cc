#include "cli/args/printable_stream.h"

#include "dsl/quoting.h"

namespace cli {

PrintableStream::Buffer::int_type PrintableStream::Buffer::overflow(int_type c) {
  if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
  const char letter = traits_type::to_char_type(c);
  return xsputn(&letter, 1) == 1 ? c : traits_type::eof();
}

std::streamsize PrintableStream::Buffer::xsputn(const char* text, std::streamsize size) {
  to_ << dsl::printable({text, static_cast<size_t>(size)}, "\n");
  return to_ ? size : 0;
}

int PrintableStream::Buffer::sync() { return to_.flush() ? 0 : -1; }

}  // namespace cli
