#include "planner/scaling/given.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "dsl/csv.h"
#include "dsl/expression_tree.h"
#include "dsl/node.h"
#include "dsl/raw_text.h"
#include "operator_models/pmnf.h"

namespace planner::scaling {
namespace {

using dsl::Node;

/// What `scale --format json` prints beside what a model needs; it says nothing here.
constexpr std::array kTopKeys{"parameters", "points",   "models", "format", "rare",
                              "refused",    "analysis", "advice", "against"};
constexpr std::array kModelKeys{"callpath",  "metric",    "model",    "constant", "terms", "segments",
                                "formula",   "smape",     "growth",   "ar2",      "rss",   "re",
                                "variation", "evaluated", "warnings", "points"};

template <size_t n> std::vector<std::string> list_of(const std::array<const char*, n>& keys) {
  return {keys.begin(), keys.end()};
}

class ModelsReader {
 public:
  explicit ModelsReader(dsl::Diagnostics& diagnostics) : diagnostics_(diagnostics) {}

  std::optional<Models> read(const Node& tree) {
    refuse_unknown(tree, list_of(kTopKeys));
    const Node* parameters = tree.find("parameters");
    if (!parameters) return told(tree, "a file of models names its parameters", "write parameters: [ranks]");
    for (const Node& name : items(*parameters)) out_.parameters.push_back(text(name));
    if (out_.parameters.empty() || out_.parameters.size() > operator_models::kMostParameters)
      return told(*parameters, "models have one to four parameters");
    if (const Node* points = tree.find("points")) points_ = points_of(*points);
    for (const Node& model : items(*tree.find("models"))) read_model(model);
    if (out_.models.empty() && !diagnostics_.has_errors()) return told(tree, "the file has no models");
    if (diagnostics_.has_errors()) return std::nullopt;
    return std::move(out_);
  }

 private:
  std::nullopt_t told(const Node& node, const std::string& message, const std::string& hint = {}) {
    diagnostics_.error(node.span, message, hint);
    return std::nullopt;
  }

  void refuse_unknown(const Node& map, const std::vector<std::string>& known) {
    for (const dsl::Entry& e : map.entries)
      if (std::ranges::find(known, e.key) == known.end())
        diagnostics_.error(e.key_span, fmt::format("unknown key '{}'", dsl::shortened(e.key)),
                           dsl::did_you_mean(e.key, known));
  }

  // A single item is accepted in place of a list of one.
  static std::vector<Node> items(const Node& node) {
    return node.kind == Node::Kind::list ? node.items : std::vector<Node>{node};
  }

  std::string text(const Node& node) {
    if (node.kind != Node::Kind::scalar || node.text.empty()) told(node, "expected a name");
    return node.text;
  }

  /// A number, or a formula of numbers: "2/3".
  double number(const Node& node) {
    const dsl::ExprPtr tree =
        node.kind == Node::Kind::scalar ? dsl::parse_expression(node.text, node.span, diagnostics_) : nullptr;
    if (!tree) return node.kind == Node::Kind::scalar ? 0 : (told(node, "expected a number"), 0);
    const std::optional<Pmnf> value = pmnf_of(*tree, {}, diagnostics_);
    return value ? value->constant : 0;
  }

  std::vector<std::vector<double>> points_of(const Node& node) {
    std::vector<std::vector<double>> points;
    for (const Node& point : items(node)) read_point(point, points);
    return points;
  }

  void read_point(const Node& node, std::vector<std::vector<double>>& points) {
    std::vector<double> point;
    for (const Node& x : items(node)) point.push_back(number(x));
    if (point.size() != out_.parameters.size())
      told(node, fmt::format("a point has {} coordinates, one for each parameter", out_.parameters.size()));
    else if (std::ranges::any_of(point, [](double x) { return !(x > 0); })) told(node, "a coordinate is above zero");
    else points.push_back(std::move(point));
  }

  /// Of a model's values, as `scale` prints it: twice the whole is as far as a SMAPE goes.
  double share(const Node& node) {
    const std::optional<double> x = node.kind == Node::Kind::scalar ? dsl::cell_number(node.text) : std::nullopt;
    if (x && *x >= 0 && *x <= 2) return *x;
    told(node, "expected the SMAPE as a share from 0 to 2, such as 0.05");
    return 0;
  }

  void read_model(const Node& node) {
    if (node.kind != Node::Kind::map)
      return void(told(node, "expected a model {callpath: ..., metric: ..., model: ...}"));
    refuse_unknown(node, list_of(kModelKeys));
    Model model;
    if (const Node* callpath = node.find("callpath")) model.callpath = callpath->text;
    if (const Node* metric = node.find("metric")) model.metric = metric->text;
    const Node* segments = node.find("segments");
    if (segments && segments->kind == Node::Kind::map) read_segments(*segments, model);
    else if (std::optional<Pmnf> function = function_of(node)) model.parts = {std::move(*function)};
    if (model.parts.empty()) return;
    if (const Node* smape = node.find("smape"); smape && smape->kind != Node::Kind::null) model.smape = share(*smape);
    const Node* points = node.find("points");
    model.points = points ? points_of(*points) : points_;
    out_.models.push_back(std::move(model));
  }

  void read_segments(const Node& node, Model& model) {
    const Node *models = node.find("models"), *changes = node.find("change_points");
    if (!models || !changes || models->items.size() != 2)
      return void(told(node, "expected segments {models: [FIRST, SECOND], change_points: [X]}"));
    for (const Node& part : models->items)
      if (std::optional<Pmnf> function = function_of(part)) model.parts.push_back(std::move(*function));
    for (const Node& x : items(*changes)) model.change_points.push_back(number(x));
    if (model.change_points.empty()) told(*changes, "expected the point at which the model changes");
    if (model.parts.size() != 2 || model.change_points.empty()) model.parts.clear();
  }

  std::optional<Pmnf> function_of(const Node& node) {
    if (const Node* formula = node.find("model")) {
      if (formula->kind != Node::Kind::scalar) return told(*formula, "expected a formula such as 3 + 2 * p * log2(p)");
      const dsl::ExprPtr tree = dsl::parse_expression(formula->text, formula->span, diagnostics_);
      return tree ? pmnf_of(*tree, out_.parameters, diagnostics_) : std::nullopt;
    }
    const Node *constant = node.find("constant"), *terms = node.find("terms");
    if (!constant) return told(node, "a model has a formula ('model') or a 'constant' and 'terms'");
    Pmnf function{.constant = number(*constant)};
    if (terms)
      for (const Node& term : items(*terms)) function.terms.push_back(term_of(term));
    return function;
  }

  Term term_of(const Node& node) {
    Term term;
    const Node *coefficient = node.find("coefficient"), *factors = node.find("factors");
    if (!coefficient || !factors || factors->kind != Node::Kind::map) {
      told(node, "expected a term {coefficient: 1, factors: {PARAMETER: {exponent: 1, log2_exponent: 0}}}");
      return term;
    }
    term.coefficient = number(*coefficient);
    for (const dsl::Entry& e : factors->entries) {
      const auto at = std::ranges::find(out_.parameters, e.key);
      if (at == out_.parameters.end()) {
        diagnostics_.error(e.key_span, fmt::format("no parameter is called '{}'", dsl::shortened(e.key)));
        continue;
      }
      term.factors.push_back({static_cast<size_t>(at - out_.parameters.begin()), exponent(e.value, "exponent"),
                              exponent(e.value, "log2_exponent")});
    }
    return term;
  }

  Fraction exponent(const Node& map, const char* key) {
    const Node* node = map.kind == Node::Kind::map ? map.find(key) : nullptr;
    if (!node) return {};
    const std::optional<Fraction> exact = exponent_of(number(*node));
    if (!exact) told(*node, "an exponent is a fraction with a denominator up to 1000");
    return exact.value_or(Fraction{});
  }

  dsl::Diagnostics& diagnostics_;
  Models out_;
  std::vector<std::vector<double>> points_;
};

}  // namespace

bool holds_models(const dsl::Source& source) {
  if (source.text.find("models") == std::string::npos) return false;
  dsl::Diagnostics ignored;
  const Node tree = dsl::parse_yaml(source, ignored);
  return tree.kind == Node::Kind::map && tree.find("models");
}

std::optional<Models> read_models(const dsl::Source& source, dsl::Diagnostics& diagnostics) {
  const Node tree = dsl::parse_yaml(source, diagnostics);
  if (tree.broken || diagnostics.has_errors()) return std::nullopt;
  return ModelsReader(diagnostics).read(tree);
}

}  // namespace planner::scaling
