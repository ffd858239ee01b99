#include "planner/scaling/read/measurements.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "dsl/read_text.h"
#include "planner/scaling/read/formats.h"
#include "planner/trace/nsight.h"
#include "planner/unpack/gzip.h"

namespace planner::scaling {
namespace {

namespace fs = std::filesystem;

std::vector<std::string> files_of(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      files.push_back(path);
      continue;
    }
    const size_t before = files.size();
    for (const auto& entry : fs::directory_iterator(path, error))
      if (entry.path().extension() == ".sqlite") files.push_back(entry.path().string());
    std::sort(files.begin() + static_cast<std::ptrdiff_t>(before), files.end());
    if (files.size() == before) files.push_back(path);  // reported as a folder
  }
  return files;
}

std::optional<std::string> load(const std::string& path, std::string& why) {
  std::error_code error;
  if (fs::is_directory(path, error)) return why = "a folder without .sqlite files", std::nullopt;
  if (dsl::is_text_file(path)) {
    std::optional<std::string> head = dsl::read_file(path, trace::kDatabaseHead.size() - 1, why);
    if (!head || *head == trace::kDatabaseHead) return head;  // SQLite opens its files itself
  }
  std::optional<std::string> text = dsl::read_file(path, kMostMeasurementBytes, why);
  if (text && text->size() > kMostMeasurementBytes)
    return why = fmt::format("larger than {} MiB", kMostMeasurementBytes >> 20), std::nullopt;
  return text;
}

enum class From { file, standard_input };

MeasurementFile data_file(const std::string& path, std::string text, From from, dsl::Sources& sources) {
  const fs::path where(path);
  dsl::Source& source =
      sources.emplace_back(dsl::Source{path, where.filename().string(), where.parent_path().string()});
  MeasurementFile file{path, &source, text.starts_with(trace::kDatabaseHead) || path.ends_with(".sqlite"),
                       std::nullopt};
  if (!file.database) source.text = std::move(text);  // of a database the name alone is shown
  else if (from == From::standard_input || !dsl::is_text_file(path)) file.bytes = std::move(text);
  return file;
}

std::optional<Experiment> read_files(const std::vector<MeasurementFile>& files, dsl::Sources& sources,
                                     dsl::Diagnostics& diagnostics) {
  ExperimentBuilder builder(diagnostics);
  ReadContext context{builder, sources, diagnostics};
  std::vector<const MeasurementFormat*> kinds;
  for (const MeasurementFile& file : files) {
    kinds.push_back(format_of(file));
    if (!kinds.back())
      diagnostics.error({file.source, 1, 1, 1}, "no format of measurements that is known here",
                        "known: " + known_formats());
  }
  for (const MeasurementFormat& format : formats()) {
    std::vector<MeasurementFile> mine;
    for (size_t i = 0; i < files.size(); ++i)
      if (kinds[i] == &format) mine.push_back(files[i]);
    if (!mine.empty()) format.read(mine, context);
  }
  if (diagnostics.has_errors()) return std::nullopt;
  return builder.finish(files.empty() ? dsl::Span{} : dsl::Span{files.front().source, 1, 1, 1});
}

bool is_empty_or_packed(const std::string& path, const std::string& text, dsl::Diagnostics& diagnostics) {
  if (text.empty())
    diagnostics.error({}, fmt::format("cannot read '{}': it is empty", path), "known: " + known_formats());
  const bool packed = unpack::is_gzip(text);
  if (packed)
    diagnostics.error({}, fmt::format("cannot read '{}': it is packed by gzip", path),
                      "`gunzip` unpacks it; `gzip -t` tells whether it is whole");
  return packed || text.empty();
}

}  // namespace

std::optional<Experiment> read_measurements(const std::vector<std::string>& paths, dsl::Sources& sources,
                                            dsl::Diagnostics& diagnostics) {
  std::vector<MeasurementFile> files;
  for (const std::string& path : files_of(paths)) {
    std::string why;
    std::optional<std::string> text = load(path, why);
    if (!text) diagnostics.error({}, fmt::format("cannot read '{}': {}", path, why));
    else if (!is_empty_or_packed(path, *text, diagnostics))
      files.push_back(data_file(path, std::move(*text), From::file, sources));
  }
  return read_files(files, sources, diagnostics);
}

std::optional<Experiment> read_measurements_text(const std::string& name, std::string text, dsl::Sources& sources,
                                                 dsl::Diagnostics& diagnostics) {
  if (is_empty_or_packed(name, text, diagnostics)) return std::nullopt;
  if (text.size() > kMostMeasurementBytes) {
    diagnostics.error({}, fmt::format("cannot read '{}': larger than {} MiB", name, kMostMeasurementBytes >> 20),
                      "leave out what is not needed, or split it");
    return std::nullopt;
  }
  return read_files({data_file(name, std::move(text), From::standard_input, sources)}, sources, diagnostics);
}

std::string known_formats() {
  std::string names;
  for (const MeasurementFormat& format : formats()) names += (names.empty() ? "" : ", ") + std::string(format.name);
  return names;
}

}  // namespace planner::scaling
