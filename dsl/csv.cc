#include "dsl/csv.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <set>

#include "dsl/foreign_table.h"
#include "dsl/raw_text.h"

namespace dsl {
namespace {

class CsvReader {
 public:
  CsvReader(const Source& source, Diagnostics& diagnostics)
      : lines_(source), text_(source.text), diagnostics_(diagnostics) {}

  CsvTable read() {
    CsvTable table;
    while (at_ < text_.size()) {
      if (end_line()) continue;
      std::vector<CsvCell> row = read_row();
      if (table.header.empty()) table.header = std::move(row);
      else if (row.size() == table.header.size()) table.rows.push_back(std::move(row));
      else ragged(row, table.header.size());
    }
    return table;
  }

 private:
  /// Skips the end of a line; false if there is none here.
  bool end_line() {
    size_t length = text_.substr(at_).starts_with("\r\n") ? 2 : text_[at_] == '\n' ? 1 : 0;
    if (length == 0) return false;
    at_ += length;
    return true;
  }
  Span place(size_t begin, size_t length) const { return lines_.at(begin, length); }
  void ragged(const std::vector<CsvCell>& row, size_t columns) {
    diagnostics_.error(row[std::min(row.size() - 1, columns)].span,
                       fmt::format("expected {} cells as in the header, got {}", columns, row.size()),
                       "a cell with a comma stands in double quotes");
  }

  std::vector<CsvCell> read_row() {
    std::vector<CsvCell> row;
    do row.push_back(text_.substr(at_).starts_with('"') ? quoted_cell() : bare_cell());
    while (at_ < text_.size() && text_[at_] == ',' && ++at_);
    if (at_ < text_.size()) end_line();
    return row;
  }

  CsvCell bare_cell() {
    size_t begin = at_, end = std::min(text_.find_first_of(",\n", at_), text_.size());
    at_ = end > begin && text_[end - 1] == '\r' && end < text_.size() && text_[end] == '\n' ? end - 1 : end;
    CsvCell cell{std::string(text_.substr(begin, at_ - begin)), place(begin, at_ - begin)};
    size_t quote = cell.text.find('"');
    if (quote != std::string::npos)
      diagnostics_.error(place(begin + quote, 1), "a quote inside a cell that does not begin with one",
                         "quote the whole cell and double the quotes in it");
    return cell;
  }

  CsvCell quoted_cell() {
    size_t begin = at_++;
    CsvCell cell{"", place(begin, 1)};
    for (bool open = true; open; ++at_) {
      if (at_ >= text_.size()) {
        diagnostics_.error(cell.span, "the quote is not closed");
        return cell;
      }
      bool quote = text_[at_] == '"', twice = quote && text_.substr(at_ + 1).starts_with('"');
      open = !quote || twice;
      if (open) cell.text += text_[at_];
      if (twice) ++at_;
    }
    if (cell.span.line == place(at_ - 1, 1).line) cell.span.length = static_cast<int>(at_ - begin);
    size_t end = std::min(text_.find_first_of(",\r\n", at_), text_.size());
    if (end > at_) diagnostics_.error(place(at_, end - at_), "text after the closing quote");
    at_ = end;
    return cell;
  }

  LineMap lines_;
  std::string_view text_;
  Diagnostics& diagnostics_;
  size_t at_ = 0;
};

void check_header(const CsvTable& table, const Source& source, Diagnostics& diagnostics) {
  if (table.header.empty())
    return diagnostics.error({&source, 1, 1, 0}, "the file is empty: expected a header line of column names");
  std::set<std::string> seen;
  for (const CsvCell& cell : table.header) {
    if (cell.text.empty()) diagnostics.error(cell.span, "a column without a name");
    else if (!seen.insert(cell.text).second)
      diagnostics.error(cell.span, "a second column is called '" + cell.text + "'");
  }
}

}  // namespace

std::optional<size_t> CsvTable::column(std::string_view name) const {
  for (size_t i = 0; i < header.size(); ++i)
    if (header[i].text == name) return i;
  return std::nullopt;
}

std::vector<std::string> CsvTable::names() const {
  std::vector<std::string> out;
  for (const CsvCell& cell : header) out.push_back(cell.text);
  return out;
}

std::optional<double> cell_number(std::string_view text) {
  double value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || !std::isfinite(value))
    return std::nullopt;
  return value;
}

CsvTable read_csv(const Source& source, Diagnostics& diagnostics) {
  if (const ForeignTable* table = find_foreign_table(source.text)) {
    diagnostics.error({&source, 1, 1, 1}, fmt::format("{} is not read", table->what), table->instead);
    return {};
  }
  if (has_bad_byte(source, diagnostics)) return {};
  CsvTable table = CsvReader(source, diagnostics).read();
  check_header(table, source, diagnostics);
  return table;
}

}  // namespace dsl
