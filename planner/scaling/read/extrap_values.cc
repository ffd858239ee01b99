#include "planner/scaling/read/extrap_values.h"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>

namespace planner::scaling {
namespace {

static_assert(std::endian::native == std::endian::little, "NPY arrays and the index are read in the machine's order");

constexpr std::string_view kIndexMark("Extra-P INDEX\0\0\0", 16), kValuesMark("Extra-P VALUES\0\0", 16);

std::optional<uint64_t> word_at(std::string_view text, size_t at) {
  uint64_t word = 0;
  if (at > text.size() || text.size() - at < sizeof word) return std::nullopt;
  std::memcpy(&word, text.data() + at, sizeof word);
  return word;
}

// The number of elements that an NPY header's shape, "(5,)" or "(5, 2)", gives; 0 where it gives none.
size_t elements(std::string_view header) {
  size_t at = header.find('('), end = header.find(')'), product = 1, dimension = 0;
  if (at == std::string_view::npos || end == std::string_view::npos) return 0;
  bool digits = false;
  for (++at; at <= end && at < header.size(); ++at) {
    if (header[at] >= '0' && header[at] <= '9') {
      dimension = dimension * 10 + static_cast<size_t>(header[at] - '0');
      digits = true;
    } else if (digits) {
      if (dimension > (size_t{1} << 30) / product) return 0;
      product *= dimension;
      dimension = 0;
      digits = false;
    }
    if (dimension > size_t{1} << 30 || product == 0) return 0;
  }
  return product;
}

template <class Number> std::vector<double> convert(std::string_view bytes, size_t count) {
  std::vector<double> values;
  for (size_t i = 0; i < count; ++i) {
    Number number;
    std::memcpy(&number, bytes.data() + i * sizeof number, sizeof number);
    values.push_back(static_cast<double>(number));
  }
  return values;
}

// The array whose NPY header begins the text (NumPy's format 1.0 and 2.0); empty for any other format.
std::vector<double> read_npy(std::string_view text) {
  if (!text.starts_with("\x93NUMPY") || text.size() < 12) return {};
  const bool first = text[6] == 1;
  const auto byte = [&](size_t at) { return static_cast<size_t>(static_cast<unsigned char>(text[at])); };
  const size_t begin = first ? 10 : 12;
  const size_t length = byte(8) | byte(9) << 8 | (first ? 0 : byte(10) << 16 | byte(11) << 24);
  if (text.size() - begin < length) return {};
  const std::string_view header = text.substr(begin, length), bytes = text.substr(begin + length);
  const size_t count = elements(header);
  if (bytes.size() / 8 < count) return {};
  if (header.find("'<f8'") != std::string_view::npos) return convert<double>(bytes, count);
  if (header.find("'<i8'") != std::string_view::npos) return convert<int64_t>(bytes, count);
  return {};
}

// A repetition may be named more than once, and a member be packed very small.
constexpr size_t kMostUnpacked = size_t{512} << 20, kMostNumbers = 20'000'000;

}  // namespace

const std::string* ExtrapValues::member(const std::string& name, std::string_view mark) {
  const auto [at, is_new] = unpacked_.try_emplace(name);
  for (size_t i = 0; is_new && i < members_.size(); ++i) {
    if (members_[i].name != name || !may_take(unpacked_bytes_, members_[i].size, kMostUnpacked)) continue;
    at->second = unpack::unzip(archive_, members_[i], diagnostics_);
  }
  return at->second && at->second->starts_with(mark) ? &*at->second : nullptr;
}

bool ExtrapValues::may_take(size_t& taken, size_t more, size_t most) {
  taken += std::min(more, most + 1);
  if (taken <= most || too_much_) return !too_much_;
  too_much_ = true;
  diagnostics_.error({&archive_, 1, 1, 0},
                     fmt::format("the repetitions are more than {} MiB unpacked, or {} numbers in all",
                                 kMostUnpacked >> 20, kMostNumbers),
                     "save the experiment without values: means are read then");
  return false;
}

std::vector<double> ExtrapValues::read(size_t chunk, size_t index, dsl::Span place) {
  if (too_much_) return {};
  const std::string name = fmt::format("values/{}", chunk);
  const std::string* index_text = member(name + ".indx", kIndexMark);
  const std::string* text = index_text ? member(name + ".vals", kValuesMark) : nullptr;
  // Behind the mark, the number of positions and the positions.
  const auto at =
      text && index < index_text->size() ? word_at(*index_text, kIndexMark.size() + 8 * (index + 1)) : std::nullopt;
  std::vector<double> values;
  if (at && *at < text->size()) values = read_npy(std::string_view(*text).substr(*at));
  if (too_much_ || !may_take(numbers_, values.size(), kMostNumbers)) return {};
  if (values.empty())
    diagnostics_.error(place, fmt::format("cannot read array {} of member '{}.vals'", index, name),
                       "expected arrays of NumPy, of 8-byte numbers");
  return values;
}

}  // namespace planner::scaling
