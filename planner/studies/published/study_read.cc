// The `study:` section of a file as a Study.
//
// `set`, `of` and `over` are read here, since their keys are not fields. They are taken out of a copy of the section,
// and the schema of the structs reads the rest.
#include <fmt/format.h>

#include <algorithm>

#include "dsl/raw_text.h"
#include "planner/resolve/read.h"
#include "planner/studies/published/study.h"

namespace planner {
namespace {

using dsl::Node;

constexpr const char* kSection = "study";

/// Takes the entry `key` out of a map.
std::optional<dsl::Entry> take(Node& map, std::string_view key) {
  const auto at = std::ranges::find(map.entries, key, &dsl::Entry::key);
  if (at == map.entries.end()) return std::nullopt;
  dsl::Entry entry = std::move(*at);
  map.entries.erase(at);
  return entry;
}

Node* items_of(Node& map, std::string_view key) {
  const auto at = std::ranges::find(map.entries, key, &dsl::Entry::key);
  return at != map.entries.end() && at->value.kind == Node::Kind::list ? &at->value : nullptr;
}

std::vector<std::string> case_names(const Study& study) {
  std::vector<std::string> names;
  for (const Case& c : study.cases) names.push_back(c.name);
  return names;
}

/// Whether a text holds words of another in quotation marks.
bool quotes(std::string_view text) {
  const size_t first = text.find('"');
  return first != text.npos && text.find('"', first + 2) != text.npos;
}

/// Entries next to the fields of one expectation.
struct ExtraEntries {
  std::optional<dsl::Entry> of, over;
};

class StudyReader {
 public:
  explicit StudyReader(dsl::Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  std::optional<Study> read(const Node& section) {
    Node root;
    root.kind = Node::Kind::map;
    root.span = section.span;
    root.entries.push_back({kSection, section.span, section});
    take_besides(root.entries.front().value);
    static const dsl::Schema schema = dsl::schema_of<Study>(std::string(kSection) + ".");
    record_ = dsl::evaluate(root, schema, {}, diagnostics_);
    if (diagnostics_.has_errors()) return std::nullopt;
    Study study = dsl::bind<Study>(record_, std::string(kSection) + ".");
    for (size_t i = 0; i < study.cases.size(); ++i) {
      study.cases[i].span = place(fmt::format("cases[{}].name", i));
      read_set(sets_[i], study.cases[i].set, "a case");
    }
    for (size_t i = 0; i < study.assumed.size(); ++i) {
      study.assumed[i].span = place(fmt::format("assumed[{}].name", i));
      read_set(assumed_sets_[i], study.assumed[i].set, "an assumption");
      if (study.assumed[i].set.empty())
        error(study.assumed[i].span, "another assumption sets something", "write set: {cluster.gpu.speedup: 2}");
    }
    check_names(study);
    for (size_t i = 0; i < study.cases.size(); ++i)
      for (size_t j = 0; j < study.cases[i].expect.size(); ++j) finish(study, i, j);
    for (const Case& c : study.cases)
      for (const Expectation& e : c.expect) check_value(study, e);
    if (diagnostics_.has_errors()) return std::nullopt;
    return study;
  }

 private:
  void error(dsl::Span span, std::string message, std::string hint = {}) {
    diagnostics_.error(span, std::move(message), std::move(hint));
  }

  // Malformed lists and items stay in place: the schema reports their mistakes.
  void take_besides(Node& section) {
    if (Node* assumed = items_of(section, "assumed"))
      for (Node& a : assumed->items) assumed_sets_.push_back(take(a, "set"));
    Node* cases = items_of(section, "cases");
    if (!cases) return;
    for (Node& c : cases->items) {
      sets_.push_back(take(c, "set"));
      std::vector<ExtraEntries>& besides = besides_.emplace_back();
      Node* expect = items_of(c, "expect");
      for (size_t i = 0; expect && i < expect->items.size(); ++i) {
        Node& e = expect->items[i];
        besides.push_back({take(e, "of"), take(e, "over")});
      }
    }
  }

  /// Where a field of the section is written.
  dsl::Span place(const std::string& field) const { return record_.find(fmt::format("{}.{}", kSection, field))->span; }

  void read_set(std::optional<dsl::Entry>& from, std::vector<dsl::Entry>& to, const char* who) {
    if (!from) return;
    Node& set = from->value;
    if (set.kind != Node::Kind::map)
      return error(from->key_span, "expected a map of paths and values after 'set'",
                   "write set: {job.global_batch: 4}");
    for (const dsl::Entry& e : set.entries)
      if (const std::string first = e.key.substr(0, e.key.find('.')); first == kSection || first == "extends")
        error(e.key_span, fmt::format("{} cannot set '{}'", who, e.key),
              "it sets fields of the scenario, or names of 'let'");
    to = std::move(set.entries);
  }

  void check_names(const Study& study) {
    std::vector<std::string> names;
    for (const Case& c : study.cases) {
      if (std::ranges::find(names, c.name) != names.end())
        error(c.span, fmt::format("two cases are called '{}'", c.name));
      names.push_back(c.name);
    }
  }

  void finish(Study& study, size_t at, size_t number) {
    Expectation& e = study.cases[at].expect[number];
    const ExtraEntries& beside = besides_[at][number];
    e.span = place(fmt::format("cases[{}].expect[{}].what", at, number));
    e.asked.measure = find_measure(e.what);
    if (!e.asked.measure) {
      std::vector<std::string> known;
      for (const Measure& m : measures()) known.emplace_back(m.name);
      const std::string hint = dsl::did_you_mean(e.what, known);
      return error(e.span, fmt::format("no measure is called '{}'", dsl::shortened(e.what)),
                   hint.empty() ? fmt::format("known: {}", fmt::join(known, ", ")) : hint);
    }
    e.asked.span = e.span;
    e.asked.each = e.each;
    if (beside.of) read_of(*beside.of, e.asked);
    else if (e.asked.measure->of == MeasureOf::expression)
      error(e.span, fmt::format("'{}' needs an expression", e.what), "write of: job.sequence * job.global_batch");
    else if (e.asked.measure->of == MeasureOf::rows)
      error(e.span, "'rows' needs the label of other rows", "write of: LABEL");
    if (beside.over) read_over(study, at, *beside.over, e);
    check(e);
    if (e.asked.measure->of == MeasureOf::rows) check_rows(study, e);
  }

  // ---- of

  void read_of(const dsl::Entry& of, AskedMeasure& asked) {
    if (asked.measure->of == MeasureOf::nothing)
      return error(of.key_span, fmt::format("'{}' is of the whole step and takes no 'of'", asked.measure->name));
    if (asked.measure->of == MeasureOf::expression) return read_expression(of.value, asked);
    if (asked.measure->of == MeasureOf::rows) return read_label(of.value, asked);
    if (of.value.kind != Node::Kind::map)
      return error(of.value.span,
                   fmt::format("expected a filter of operators after 'of', such as {{class: optimizer}}"));
    asked.filter = {};
    asked.text.clear();
    for (const dsl::Entry& e : of.value.entries) read_column(e, asked);
  }

  void read_expression(const Node& node, AskedMeasure& asked) {
    if (node.kind != Node::Kind::scalar) return error(node.span, "expected an expression after 'of'");
    asked.text = node.text;
    asked.expression = {dsl::parse_expression(node.text, node.span, diagnostics_), node.text, node.span};
  }

  void read_label(const Node& node, AskedMeasure& asked) {
    if (node.kind != Node::Kind::scalar) return error(node.span, "expected the label of other rows after 'of'");
    asked.text = node.text;
  }

  /// Whether `rows` of the study take its values.
  static bool is_taken(const Study& study, const Expectation& e) {
    return std::ranges::any_of(study.cases, [&](const Case& c) {
      return std::ranges::any_of(c.expect, [&](const Expectation& other) {
        return other.what == "rows" && stands_for(other.asked.text, e.label);
      });
    });
  }

  void check_value(const Study& study, const Expectation& e) {
    if (e.is_value() && !is_taken(study, e))
      error(e.span, "an expectation has a figure ('paper'), a bound ('least', 'most') or a 'trend'",
            "without one its label is one that 'rows' take");
  }

  void check_rows(const Study& study, const Expectation& e) {
    if (e.over || e.trend) return error(e.span, "rows are taken as they are: they have no 'over' and no 'trend'");
    std::vector<std::string> labels;
    for (const Case& c : study.cases)
      for (const Expectation& other : c.expect)
        if (is_row_of_label(other)) labels.push_back(other.label);
    if (std::ranges::none_of(labels, [&](const auto& label) { return stands_for(e.asked.text, label); }))
      error(e.span, fmt::format("no row with figures has the label '{}'", dsl::shortened(e.asked.text)),
            dsl::did_you_mean(e.asked.text, labels));
  }

  void read_column(const dsl::Entry& e, AskedMeasure& asked) {
    std::vector<std::string> known;
    OperatorFilter::OperatorColumn column{.name = e.key, .field = nullptr};
    for (const FilterColumn& c : filter_columns()) {
      known.emplace_back(c.name);
      if (e.key == c.name) column.field = c.field;
    }
    if (!column.field)
      return error(e.key_span, fmt::format("operators have no column '{}'; known: {}", e.key, fmt::join(known, ", ")),
                   dsl::did_you_mean(e.key, known));
    std::string text;
    const std::vector<Node> alone{e.value};
    for (const Node& word : e.value.kind == Node::Kind::list ? e.value.items : alone) {
      if (word.kind != Node::Kind::scalar || word.text.empty())
        return error(word.span, fmt::format("expected a value of the column '{}', or a list of them", e.key));
      column.words.push_back({word.text, word.span});
      text += (text.empty() ? "" : ", ") + word.text;
    }
    asked.text += fmt::format("{}{}={}", asked.text.empty() ? "" : " ", e.key, text);
    asked.filter.columns.push_back(std::move(column));
  }

  // ---- over: CASE, or {case: CASE, of: ...}

  void read_over(const Study& study, size_t at, const dsl::Entry& over, Expectation& e) {
    Base base{.at = at, .case_name = study.cases[at].name, .asked = e.asked};
    const Node& node = over.value;
    if (node.kind == Node::Kind::scalar) read_case(study, node, base);
    else if (node.kind != Node::Kind::map)
      return error(over.key_span, "expected the name of a case after 'over', or {case: NAME, of: {...}}");
    for (const dsl::Entry& entry : node.entries) {
      if (entry.key == "case") read_case(study, entry.value, base);
      else if (entry.key == "of") read_of(entry, base.asked);
      else error(entry.key_span, fmt::format("'over' has 'case' and 'of', not '{}'", entry.key));
    }
    e.over = std::move(base);
  }

  void read_case(const Study& study, const Node& name, Base& base) {
    const std::vector<std::string> names = case_names(study);
    const auto found = std::ranges::find(names, name.text);
    base.case_name = name.text;
    if (found != names.end()) base.at = static_cast<size_t>(found - names.begin());
    else
      error(name.span, fmt::format("no case of this study is called '{}'", dsl::shortened(name.text)),
            dsl::did_you_mean(name.text, names));
  }

  // ---- checks across fields

  void check(const Expectation& e) {
    const bool bound = e.least || e.most;
    if (!e.paper.empty() + bound + e.trend.has_value() > 1)
      error(e.span, "an expectation has a figure ('paper'), a bound ('least', 'most') or a 'trend'");
    if (e.trend.has_value() == e.along.empty())
      error(e.span, e.trend ? "a trend needs the choice that it is along" : "'along' is of a trend",
            e.trend ? "write along: parallelism.tp" : "");
    if (e.paper.size() > 2 || (e.paper.size() == 2 && e.paper[0] > e.paper[1]) ||
        (e.least && e.most && *e.least > *e.most))
      error(e.span, "'paper' is a figure, or a range [low, high]");
    if (e.trend && e.taking != Taking::every) error(e.span, "'taking' is of a figure, and a trend is of all values");
    if (e.above && e.taking != Taking::every) error(e.span, "'above' takes a share of the values, and 'taking' others");
    if (e.trend && (e.above || e.each)) error(e.span, "a trend is of the configurations, and has no 'above' or 'each'");
    if (e.each && e.asked.measure->of != MeasureOf::operators)
      error(e.span, fmt::format("'{}' is not of operators: it has no 'each'", e.what));
    if (e.change && !e.over) error(e.span, "a change needs what it is a change from", "write over: CASE");
    if (e.rests_on && (e.why.empty() || !e.required || e.is_value()))
      error(e.span, "a figure that rests on something is required, and 'why' says on what",
            "write why: both counts are the formula's");
    if (!e.required && !quotes(e.why))
      error(e.span, "a figure that is not required quotes the places of the text that exclude it",
            R"(write why: 'section 5.3: "..."')");
  }

  dsl::Diagnostics& diagnostics_;
  dsl::Record record_;
  std::vector<std::optional<dsl::Entry>> sets_;  // by case
  std::vector<std::optional<dsl::Entry>> assumed_sets_;
  std::vector<std::vector<ExtraEntries>> besides_;  // by case and expectation
};

}  // namespace

std::optional<Study> read_study(const dsl::Source& source, const dsl::Catalog& catalog, dsl::Sources& sources,
                                dsl::Diagnostics& diagnostics) {
  const Node tree = dsl::load(source, {}, scenario_pulls(), catalog, sources, diagnostics);
  if (diagnostics.has_errors()) return std::nullopt;
  const Node* section = tree.find(kSection);
  if (!section) {
    diagnostics.error({&source, 1, 1, 1}, "the scenario has no 'study'", "docs/language.md says what one is");
    return std::nullopt;
  }
  return StudyReader(diagnostics).read(*section);
}

}  // namespace planner
