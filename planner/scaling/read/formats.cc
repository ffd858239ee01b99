#include "planner/scaling/read/formats.h"

#include <algorithm>

#include "dsl/lower_case.h"
#include "dsl/raw_text.h"

namespace planner::scaling {
namespace {

using Read = void (*)(const dsl::Source&, ReadContext&);

// A reader of one file for all files of a format. `text`: their bytes must be text.
template <Read read, bool text = true> void each(std::span<const MeasurementFile> files, ReadContext& context) {
  for (const MeasurementFile& file : files) {
    const auto bad = text ? dsl::find_bad_byte(file.source->text) : std::nullopt;
    if (bad) context.diagnostics.error(dsl::LineMap(*file.source).at(bad->offset, 1), bad->message, bad->hint);
    else read(*file.source, context);
  }
}

bool is_database(const MeasurementFile& file) { return file.database; }

constexpr MeasurementFormat kFormats[] = {
    {"Nsight Systems SQLite export", ".sqlite", is_database, read_nsight},
    {"Extra-P experiment", ".extra-p", looks_like_zip, each<read_extrap, false>},
    {"Extra-P JSON Lines", ".jsonl", looks_like_json_lines, each<read_json_lines>},
    {"TaLPas", "", looks_like_talpas, each<read_talpas>},
    {"Extra-P JSON", ".json", looks_like_json, each<read_json>},
    {"Extra-P text", ".txt", looks_like_text, each<read_text>},
    {"CSV", ".csv", nullptr, each<read_csv_table>},
};

bool has_extension(const std::string& path, std::string_view extension) {
  return !extension.empty() && dsl::lower_case(path).ends_with(extension);
}

}  // namespace

std::span<const MeasurementFormat> formats() { return kFormats; }

const MeasurementFormat* format_of(const MeasurementFile& file) {
  for (const MeasurementFormat& format : kFormats)
    if (format.recognises && format.recognises(file)) return &format;
  for (const MeasurementFormat& format : kFormats)
    if (has_extension(file.path, format.extension)) return &format;
  const std::string_view text = file.source->text, line = text.substr(0, text.find('\n'));
  return line.find(',') != std::string_view::npos ? &std::end(kFormats)[-1] : nullptr;  // a table without its name
}

}  // namespace planner::scaling
