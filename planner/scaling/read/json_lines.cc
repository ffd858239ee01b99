// One measurement in a line: Extra-P's JSON Lines and TaLPas (extra-p/extrap docs/file-formats.md).
//
//     {"params": {"p": 4, "n": 100}, "callpath": "main", "metric": "time", "value": [3.1, 3.2]}
//     {"parameters": {"p": 4}; "metric": "time"; "callpath": "main"; "value": 3.1}
//
// JSON Lines may leave out the call path and the metric. Lines of the same point are repetitions.

#include "dsl/json.h"
#include "planner/scaling/read/formats.h"
#include "planner/scaling/read/json_members.h"

namespace planner::scaling {
namespace {

struct Dialect {
  const char* parameters;         // the key of the map of parameters
  bool semicolons;                // between members, ';' is what ',' is
  const char *callpath, *metric;  // where the line has none; null: it must
};
constexpr Dialect kJsonLines = {"params", false, "<root>", "<default>"};
constexpr Dialect kTalpas = {"parameters", true, nullptr, nullptr};

class LineReader {
 public:
  LineReader(const Dialect& dialect, ReadContext& context)
      : dialect_(dialect), builder_(context.builder), diagnostics_(context.diagnostics), json_(context.diagnostics) {}

  void read(const dsl::Source& source) {
    dsl::JsonText text(source, diagnostics_, dsl::kWrittenLimits, dialect_.semicolons, dsl::JsonText::Ends::in_line);
    for (int before = 0; !text.at_end(); before = text.place().line) {
      if (text.place().line == before)
        return diagnostics_.error(text.place(), "a second value in this line", "one measurement in a line");
      const dsl::Node line = text.next();
      if (line.broken) return;
      read_line(line);
    }
  }

 private:
  void read_line(const dsl::Node& line) {
    if (!json_.only(line, {dialect_.parameters, "callpath", "metric", "value"})) return;
    const dsl::Node* parameters = json_.member(line, dialect_.parameters);
    const dsl::Node* values = json_.member(line, "value");
    const auto callpath = text(line, "callpath", dialect_.callpath), metric = text(line, "metric", dialect_.metric);
    const auto point = parameters ? read_point(*parameters) : std::nullopt;
    const auto numbers = values ? json_.numbers(*values) : std::nullopt;
    if (!callpath || !metric || !point || !numbers) return;
    const size_t series = builder_.series(*callpath, *metric, line.span);
    for (size_t i = 0; i < numbers->size(); ++i)
      builder_.measure(series, *point, (*numbers)[i], values->items.empty() ? values->span : values->items[i].span);
  }

  std::optional<std::string> text(const dsl::Node& line, const char* key, const char* otherwise) {
    if (otherwise && !line.find(key)) return otherwise;
    const dsl::Node* value = json_.member(line, key);
    return value ? json_.text(*value) : std::nullopt;
  }

  // The first line defines the parameters and their order.
  std::optional<size_t> read_point(const dsl::Node& map) {
    if (!json_.is_map(map)) return std::nullopt;
    if (builder_.parameters().empty() && !set_parameters(map)) return std::nullopt;
    if (!json_.only(map, builder_.parameters())) return std::nullopt;
    std::vector<double> coordinates;
    for (const std::string& name : builder_.parameters()) {
      const dsl::Node* value = json_.member(map, name.c_str());
      const auto number = value ? json_.number(*value) : std::nullopt;
      if (!number) return std::nullopt;
      coordinates.push_back(*number);
    }
    return builder_.point(coordinates, map.span);
  }

  bool set_parameters(const dsl::Node& map) {
    std::vector<PlacedName> names;
    for (const dsl::Entry& entry : map.entries) names.push_back({entry.key, entry.key_span});
    if (names.empty()) diagnostics_.error(map.span, "no parameters");
    return !names.empty() && builder_.parameters(names);
  }

  const Dialect& dialect_;
  ExperimentBuilder& builder_;
  dsl::Diagnostics& diagnostics_;
  JsonMembers json_;
};

constexpr size_t kLongestLine = 1 << 16;  // the length inspected to detect the format

// The first value of the file, if it is a map.
dsl::Node first_map(const MeasurementFile& file, const Dialect& dialect) {
  const size_t at = file.source->text.find_first_not_of(" \t\r\n");
  if (at == std::string::npos || file.source->text[at] != '{') return {};
  const size_t end = std::min(file.source->text.find('\n', at), file.source->text.size());
  if (end - at > kLongestLine) return {};
  const dsl::Source line{"", file.source->text.substr(at, end - at), ""};
  dsl::Diagnostics unheard;  // the reader reports mistakes
  dsl::Node node = dsl::JsonText(line, unheard, dsl::kWrittenLimits, dialect.semicolons).next();
  if (node.broken) return {};
  return node;
}

bool has_map(const dsl::Node& node, const char* key) {
  const dsl::Node* value = node.find(key);
  return value && value->kind == dsl::Node::Kind::map;
}

}  // namespace

bool looks_like_json_lines(const MeasurementFile& file) {
  return (file.path.ends_with(".jsonl") && looks_like_json(file)) || first_map(file, kJsonLines).find("params");
}

bool looks_like_talpas(const MeasurementFile& file) { return has_map(first_map(file, kTalpas), "parameters"); }

void read_json_lines(const dsl::Source& source, ReadContext& context) { LineReader(kJsonLines, context).read(source); }

void read_talpas(const dsl::Source& source, ReadContext& context) { LineReader(kTalpas, context).read(source); }

}  // namespace planner::scaling
