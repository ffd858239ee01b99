// Models that are given as formulas, or as what `scale --format json` printed.
#include <doctest/doctest.h>

#include <cmath>

#include "planner/scaling/given.h"

using namespace planner::scaling;  // NOLINT: the test is of this namespace alone

namespace {

/// The model of a formula over p and n, or the messages that it gets.
struct Given {
  dsl::Sources sources;
  dsl::Diagnostics diagnostics;
  std::optional<Models> models;

  explicit Given(const std::string& text) {
    const dsl::Source& source = sources.emplace_back(dsl::Source{"models.yaml", text, ""});
    models = read_models(source, diagnostics);
  }
  std::string mistakes() const {
    std::string out;
    for (const dsl::Diagnostic& d : diagnostics.list)
      out += (out.empty() ? "" : "; ") + std::to_string(d.span.line) + ":" + std::to_string(d.span.column) + " " +
             d.message;
    return out;
  }
};

std::string file(const std::string& formula) {
  return "parameters: [p, n]\nmodels:\n  - {callpath: main, metric: time, model: '" + formula + "'}\n";
}

std::string points(const std::string& of_model) {
  const Given given("parameters: p\npoints: [2, 4]\nmodels: [{metric: time, model: p" + of_model + "}]\n");
  if (!given.models) return "! " + given.mistakes();
  std::string out;
  for (const auto& point : given.models->models[0].points) out += std::to_string(static_cast<int>(point[0])) + " ";
  return out + (given.models->models[0].smape ? "+- " + std::to_string(*given.models->models[0].smape) : "");
}

std::string formula(const std::string& text) {
  const Given given(file(text));
  if (!given.models) return "! " + given.mistakes();
  const std::vector<std::string> names{"p", "n"};
  return planner::scaling::text(given.models->models[0].last(), names);
}

double value(const std::string& text, double p, double n) {
  const Given given(file(text));
  REQUIRE_MESSAGE(given.models.has_value(), given.mistakes());
  const std::vector<double> x{p, n};
  return given.models->models[0].at(x);
}

}  // namespace

TEST_CASE("formulas become terms, multiplied out") {
  CHECK(formula("3") == "3");
  CHECK(formula("158.58 + 0.58 * p^(2/3) * log2(p)^2") == "158.58 + 0.58 * p^(2/3) * log2(p)^(2)");
  CHECK(formula("3.56 * p^(2/3) * 0.78 * log2(p) + 30") == "30 + 2.7768 * p^(2/3) * log2(p)");
  CHECK(formula("0.082 * p^1.62") == "0 + 0.082 * p^(81/50)");
  CHECK(formula("(1 + p) * (2 - n)") == "2 - 1 * n + 2 * p - 1 * p * n");
  CHECK(formula("2 * p * n / p / 4") == "0 + 0.5 * n");
  CHECK(formula("sqrt(p) - -log2(n)") == "0 + 1 * p^(1/2) + 1 * log2(n)");
  CHECK(formula("p^2 - p * p") == formula("0 * p^2"));
  CHECK(formula("1 / p + 5") == "5 + 1 * p^(-1)");
}

TEST_CASE("a formula has the value that arithmetic gives it") {
  for (const double p : {1.0, 2.0, 7.5, 64.0})
    for (const double n : {3.0, 100.0}) {
      CHECK(value("2 + 3 * p^(3/4) * log2(p)^2 / n", p, n) ==
            doctest::Approx(2 + 3 * std::pow(p, 0.75) * std::pow(std::log2(p), 2) / n).epsilon(1e-12));
      CHECK(value("(p + n)*(p - n) * 0.25", p, n) == doctest::Approx((p * p - n * n) / 4).epsilon(1e-12));
    }
}

TEST_CASE("what is no sum of products is told where it stands") {
  CHECK(formula("p^n") == "! 3:46 an exponent is a number");
  CHECK(formula("log2(p * n)") == "! 3:49 a model has the log2 of a parameter alone");
  CHECK(formula("(1 + p)^2") == "! 3:45 a model raises one term to a power, not a sum");
  CHECK(formula("2 / (p + 1)") == "! 3:44 a model divides by one term that is not zero");
  CHECK(formula("1 + q") == "! 3:48 no parameter is called 'q'");
  CHECK(formula("max(p, 2)") == "! 3:44 a model has no function 'max'");
  CHECK(formula("2 s + p") == "! 3:44 expected a plain number, got time");
  CHECK(formula("p > 2").starts_with("! 3:44 a model"));
  CHECK(formula("p^3.14159265358979").starts_with("! 3:44 an exponent is a fraction"));
  for (const char* text : {"p^900000 * p^900000", "(p^900000)^900000", "(p^(1/999))^(1/998)", "p^(1/999) * p^(1/998)"})
    CHECK(formula(text).starts_with("! 3:44 an exponent is a fraction"));
  for (const char* text : {"1e308 * 10 * p", "(-1)^0.5 * p", "p / 1e-320", "p * (1e308 + 1e308)"})
    CHECK(formula(text).find(" this has no finite value") != std::string::npos);
}

TEST_CASE("what the file lacks or has too much is told") {
  const auto mistakes = [](const std::string& text) { return Given(text).mistakes(); };
  CHECK(mistakes("models: []\n") == "1:1 a file of models names its parameters");
  CHECK(mistakes("parameters: p\nmodels: []\n") == "1:1 the file has no models");
  CHECK(mistakes("parameters: [a, b, c, d, e]\nmodels: {constant: 1}\n") == "1:13 models have one to four parameters");
  CHECK(mistakes("parameters: p\npoints: [2, [3, 4], 0]\nmodels: {constant: 1}\n") ==
        "2:13 a point has 1 coordinates, one for each parameter; 2:21 a coordinate is above zero");
  CHECK(mistakes("parameters: p\nmodels: [{constnt: 1}]\n") ==
        "2:11 unknown key 'constnt'; 2:10 a model has a formula ('model') or a 'constant' and 'terms'");
  CHECK(mistakes("parameters: p\nmodels: [{constant: 1, terms: [{coefficient: 2}]}]\n")
            .starts_with("2:32 expected a term"));
  CHECK(mistakes("parameters: p\nmodels: [{constant: 1, terms: [{coefficient: 2, factors: {q: {exponent: 1}}}]}]\n") ==
        "2:59 no parameter is called 'q'");
}

TEST_CASE("terms by their exponents are the formula's") {
  const Given given(
      "parameters: [p]\npoints: [2, 4]\n"
      "models: [{constant: 1.5, terms: [{coefficient: 2, factors: {p: {exponent: 0.6666666666666666, log2_exponent: "
      "2}}}]}]\n");
  REQUIRE_MESSAGE(given.models.has_value(), given.mistakes());
  const std::vector<std::string> names{"p"};
  CHECK(planner::scaling::text(given.models->models[0].last(), names) == "1.5 + 2 * p^(2/3) * log2(p)^(2)");
  CHECK(given.models->models[0].points == std::vector<std::vector<double>>{{2}, {4}});
}

TEST_CASE("a model may have points and an error of its own, else it has the file's points") {
  CHECK(points("") == "2 4 ");
  CHECK(points(", points: [8, 16, 32]") == "8 16 32 ");
  CHECK(points(", points: [[8], [16]], smape: 0.5") == "8 16 +- 0.500000");
  CHECK(points(", smape: null") == "2 4 ");
  CHECK(points(", points: [8, 0]") == "! 3:47 a coordinate is above zero");
}
