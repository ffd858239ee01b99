#include "planner/import/hf_likeness.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "dsl/quoting.h"
#include "planner/import/hf_model.h"
#include "planner/scenario/model.h"

namespace planner::hf {
namespace {

/// How `--as` takes the row: by the shorter of its names.
std::string word_of(const Architecture& row) { return *row.model_type ? row.model_type : row.name; }

/// Keys without an effect on a plan that distinguish families.
struct Sign {
  const char *key, *field, *value;
};
constexpr Sign kSigns[] = {{"rms_norm_eps", "norm", "rmsnorm"},
                           {"layer_norm_eps", "norm", "layernorm"},
                           {"layer_norm_epsilon", "norm", "layernorm"},
                           {"rope_theta", "rotary", "true"}};

int contradicted(const dsl::Node& config, const dsl::Node& model) {
  static const dsl::Schema schema = dsl::schema_of<Model>();
  int n = 0;
  for (const Sign& sign : kSigns) {
    if (!config.find(sign.key)) continue;
    const dsl::Node* said = model.find(sign.field);
    const auto field = std::ranges::find(schema, sign.field, &dsl::Field::path);
    n += (said ? said->text : field->otherwise) != sign.value;
  }
  return n;
}

struct Likeness {
  const Architecture* row = nullptr;
  ModelReading reading;
  int contradictions = 0;

  /// Less is more alike: errors, then what the row does not read, then what it reads and the configuration lacks.
  auto distance() const {
    const auto size = [](const std::vector<std::string>& list) { return static_cast<int>(list.size()); };
    return std::tuple(reading.model.broken, size(reading.missing), size(reading.unread) + contradictions,
                      reading.lacked - reading.shared);
  }
};

Likeness nearest(const dsl::Node& config) {
  Likeness best;
  for (const Architecture& row : architectures()) {
    dsl::Diagnostics ignored;
    Likeness one{&row, read_as(config, row, config.span, ignored)};
    one.contradictions = contradicted(config, one.reading.model);
    if (one.reading.shared > 0 && (!best.row || one.distance() < best.distance())) best = std::move(one);
  }
  return best;
}

std::string known_names() {
  std::string text;
  for (const Architecture& row : architectures()) text += (text.empty() ? "known: " : ", ") + std::string(row.name);
  return text;
}

std::string file_of(const dsl::Node& config) {
  const std::string& name = config.span.source->name;
  return name.starts_with('<') ? "-" : dsl::shell_word(name);
}

}  // namespace

std::string likeness_hint(const dsl::Node& config) {
  const Likeness like = nearest(config);
  // Two keys are in any configuration; a family has more.
  constexpr int kFew = 3;
  if (!like.row || like.reading.shared < kFew) return known_names();
  const ModelReading& reading = like.reading;
  const std::string word = word_of(*like.row);
  if (reading.model.broken)
    return fmt::format("its keys are nearest to those of '{}', without {}; {}", word,
                       reading.missing.empty() ? "their values" : fmt::format("{}", fmt::join(reading.missing, ", ")),
                       known_names());
  const std::string unread =
      reading.unread.empty() ? "" : fmt::format(", which does not read {}", fmt::join(reading.unread, ", "));
  return fmt::format("its keys are those of '{0}'{1}: `trainplan import hf {2} --as {0}`", word, unread,
                     file_of(config));
}

}  // namespace planner::hf
