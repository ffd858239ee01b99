// Extra-P's experiments: a ZIP archive whose member experiment.json holds
//
//     {"parameters": ["p"], "measurements": {"CALLPATH": {"METRIC": [
//         {"coordinate": [4], "mean": 8.1, "median": 8.1, "values": [CHUNK, INDEX], ...}]}}}
//
// A measurement without `values` has lost its repetitions: its mean replaces them.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstring>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "dsl/json.h"
#include "dsl/raw_text.h"
#include "planner/scaling/read/formats.h"
#include "planner/scaling/read/json_members.h"
#include "planner/unpack/zip.h"

namespace planner::scaling {
namespace {

// The repetitions of an Extra-P experiment (4.1 and later), stored next to its JSON: members values/N.indx and
// values/N.vals, each a sequence of arrays in NumPy's format NPY.

class ExtrapValues {
 public:
  ExtrapValues(const dsl::Source& archive, const std::vector<unpack::ZipMember>& members, dsl::Diagnostics& diagnostics)
      : archive_(archive), members_(members), diagnostics_(diagnostics) {}

  /// Returns the array that `chunk` and `index` name; it is empty where it is not there or not readable (diagnosed at
  /// `place`).
  std::vector<double> read(size_t chunk, size_t index, dsl::Span place);

 private:
  const std::string* member(const std::string& name, std::string_view mark);
  /// Adds `more` to `taken`; false (diagnosed once) above `most`.
  bool may_take(size_t& taken, size_t more, size_t most);

  const dsl::Source& archive_;
  const std::vector<unpack::ZipMember>& members_;
  dsl::Diagnostics& diagnostics_;
  std::map<std::string, std::optional<std::string>> unpacked_;
  size_t unpacked_bytes_ = 0, numbers_ = 0;
  bool too_much_ = false;
};

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

constexpr const char* kMember = "experiment.json";
// Members of the JSON that hold no measurement: models are fitted anew.
constexpr std::string_view kPassedOver[] = {"Extra-P",  "scaling",   "callpaths",  "metrics",
                                            "modelers", "call_tree", "parameters", "measurements"};

class ExperimentReader {
 public:
  ExperimentReader(ExtrapValues& values, ReadContext& context)
      : values_(values), builder_(context.builder), diagnostics_(context.diagnostics), json_(context.diagnostics) {}

  void read(const dsl::Node& file) {
    const dsl::Node* names = json_.list(file, "parameters");
    const dsl::Node* measurements = names ? json_.member(file, "measurements") : nullptr;
    if (!measurements || !json_.is_map(*measurements)) return;
    std::vector<PlacedName> parameters;
    for (const dsl::Node& item : names->items) {
      const auto name = json_.text(item);
      if (!name) return;
      parameters.push_back({*name, item.span});
    }
    if (parameters.empty()) return diagnostics_.error(names->span, "no parameters");
    if (!builder_.parameters(parameters)) return;
    warn_unknown(file);
    for (const dsl::Entry& callpath : measurements->entries) {
      if (!json_.is_map(callpath.value)) continue;
      for (const dsl::Entry& metric : callpath.value.entries) read_series(callpath.key, metric);
    }
    if (!lost_.source) return;
    diagnostics_.warning(
        lost_, fmt::format("{} of {} measurements have no repetitions: their mean is taken", lost_count_, count_),
        "their medians differ; Extra-P keeps repetitions where it is asked to keep values");
  }

 private:
  void warn_unknown(const dsl::Node& file) {
    for (const dsl::Entry& entry : file.entries)
      if (std::find(std::begin(kPassedOver), std::end(kPassedOver), entry.key) == std::end(kPassedOver))
        diagnostics_.warning(entry.key_span, fmt::format("'{}' is left out", dsl::shortened(entry.key)));
  }

  void read_series(const std::string& callpath, const dsl::Entry& metric) {
    if (!json_.is_list(metric.value)) return;
    const size_t series = builder_.series(callpath, metric.key, metric.key_span, false);
    for (const dsl::Node& item : metric.value.items) {
      const dsl::Node* place = json_.member(item, "coordinate");
      const auto coordinates = place ? json_.numbers(*place) : std::nullopt;
      const auto point = coordinates ? builder_.point(*coordinates, place->span) : std::nullopt;
      if (!point) continue;
      for (const double value : values_of(item)) builder_.measure(series, *point, value, item.span);
    }
  }

  std::vector<double> values_of(const dsl::Node& item) {
    ++count_;
    const dsl::Node* stored = item.find("values");
    if (stored && stored->kind != dsl::Node::Kind::null) {
      const auto numbers = json_.numbers(*stored);
      const bool indices = numbers && numbers->size() == 2 && numbers->at(0) >= 0 && numbers->at(1) >= 0;
      if (indices && numbers->at(0) < 1e9 && numbers->at(1) < 1e9)
        return values_.read(static_cast<size_t>(numbers->at(0)), static_cast<size_t>(numbers->at(1)), stored->span);
      if (numbers) diagnostics_.error(stored->span, "expected [chunk, index] of an array");
      return {};
    }
    const dsl::Node *mean = json_.member(item, "mean"), *median = item.find("median");
    const auto value = mean ? json_.number(*mean) : std::nullopt;
    if (!value) return {};
    if (median && median->text != mean->text && ++lost_count_ == 1) lost_ = mean->span;
    return {*value};
  }

  ExtrapValues& values_;
  ExperimentBuilder& builder_;
  dsl::Diagnostics& diagnostics_;
  JsonMembers json_;
  size_t count_ = 0, lost_count_ = 0;  // measurements; those that differ in mean and median but have no repetitions
  dsl::Span lost_;                     // the first of them
};

}  // namespace

bool looks_like_zip(const MeasurementFile& file) { return file.source->text.starts_with("PK\3\4"); }

void read_extrap(const dsl::Source& source, ReadContext& context) {
  const auto members = unpack::zip_members(source, context.diagnostics);
  if (!members) return;
  const auto at =
      std::find_if(members->begin(), members->end(), [](const unpack::ZipMember& m) { return m.name == kMember; });
  if (at == members->end())
    return context.diagnostics.error({&source, 1, 1, 0}, fmt::format("the ZIP archive has no member '{}'", kMember));
  auto text = unpack::unzip(source, *at, context.diagnostics);
  if (!text) return;
  const dsl::Source& json =
      context.sources.emplace_back(dsl::Source{source.name + ":" + kMember, std::move(*text), source.directory});
  const dsl::Node file = dsl::parse_json(json, context.diagnostics, dsl::kWrittenLimits);
  ExtrapValues values(source, *members, context.diagnostics);
  if (!file.broken) ExperimentReader(values, context).read(file);
}

}  // namespace planner::scaling
