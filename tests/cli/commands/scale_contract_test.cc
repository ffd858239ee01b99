// `scale` from end to end: one model whatever the format, what must hold of any model, and the whole document.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>

#include "tests/cli/harness.h"

namespace {

using Json = nlohmann::json;
using Flags = std::vector<std::string>;

Json json_of(const std::string& data, Flags flags = {}, int status = 0) {
  flags.insert(flags.begin(), {"scale", "-", "--format", "json"});
  const Ran r = ran(flags, data);
  INFO(r.err);
  REQUIRE(r.status == status);
  CHECK_FALSE(has_nan(r.out));
  return Json::parse(r.out);
}
Json first_subject(const Json& j) { return j["analysis"]["subjects"][0]; }
doctest::Approx near(double value, double relative = 1e-9) { return doctest::Approx(value).epsilon(relative).scale(0); }

// Two call paths, the first with two repetitions.
const std::vector<double> kX{4, 8, 16, 32, 64};
const std::vector<std::vector<double>> kSolve{{10.5, 10.25}, {18.25, 18}, {34, 34.5}, {66.25, 66}, {130, 130.5}};
const std::vector<double> kSend{2, 3, 4, 5.25, 6};

std::string extrap_text() {
  std::ostringstream out;
  out << "PARAMETER p\nPOINTS 4 8 16 32 64\nMETRIC time\nREGION solve\n";
  for (const auto& v : kSolve) out << "DATA " << v[0] << ' ' << v[1] << '\n';
  out << "REGION send\n";
  for (const double v : kSend) out << "DATA " << v << '\n';
  return out.str();
}

std::string extrap_json() {
  Json solve = Json::array(), send = Json::array();
  for (size_t i = 0; i < kX.size(); ++i) {
    solve.push_back({{"point", {kX[i]}}, {"values", kSolve[i]}});
    send.push_back({{"point", {kX[i]}}, {"values", {kSend[i]}}});
  }
  const std::string times = R"({"solve": {"time": )" + solve.dump() + R"(}, "send": {"time": )" + send.dump() + "}}";
  return R"({"parameters": ["p"], "measurements": )" + times + "}";
}

std::string extrap_old_json() {
  Json out = Json::parse(R"({"parameters": [{"id": 1, "name": "p"}], "metrics": [{"id": 1, "name": "time"}],
"callpaths": [{"id": 1, "name": "solve"}, {"id": 2, "name": "send"}], "coordinates": [], "measurements": []})");
  int id = 0;
  const auto measure = [&](int callpath, size_t point, double value) {
    const Json one{
        {"id", ++id}, {"callpath_id", callpath}, {"metric_id", 1}, {"coordinate_id", point + 1}, {"value", value}};
    out["measurements"].push_back(one);
  };
  for (size_t i = 0; i < kX.size(); ++i) {
    const Json pair{{"parameter_id", 1}, {"parameter_value", kX[i]}};
    out["coordinates"].push_back(Json{{"id", i + 1}, {"parameter_value_pairs", Json::array({pair})}});
    for (const double v : kSolve[i]) measure(1, i, v);
  }
  for (size_t i = 0; i < kX.size(); ++i) measure(2, i, kSend[i]);
  return out.dump();
}

// One measurement in a line; TaLPas parts its members with semicolons and says `parameters`.
std::string lines(const char* parameters, char separator) {
  std::ostringstream out;
  const auto line = [&](const char* callpath, double x, double value) {
    out << R"({")" << parameters << R"(":{"p":)" << x << '}' << separator << R"("metric":"time")" << separator
        << R"("callpath":")" << callpath << '"' << separator << R"("value":)" << value << "}\n";
  };
  for (size_t i = 0; i < kX.size(); ++i)
    for (const double v : kSolve[i]) line("solve", kX[i], v);
  for (size_t i = 0; i < kX.size(); ++i) line("send", kX[i], kSend[i]);
  return out.str();
}

std::string csv() {
  std::ostringstream out;
  out << "p,callpath,metric,value\n";
  for (size_t i = 0; i < kX.size(); ++i)
    for (const double v : kSolve[i]) out << kX[i] << ",solve,time," << v << '\n';
  for (size_t i = 0; i < kX.size(); ++i) out << kX[i] << ",send,time," << kSend[i] << '\n';
  return out.str();
}

// A table of CSV with the time of `law` at 2, 4, ... 128.
std::string table(const std::function<double(double)>& law, double factor = 1, const std::string& name = "p") {
  std::ostringstream out;
  out.precision(17);
  out << name << ",time\n";
  for (double x = 2; x <= 128; x *= 2) out << x << ',' << factor * law(x) << '\n';
  return out.str();
}

// No exact law: the rest keeps errors and bands away from zero.
double weak(double p) { return 40 + 3 * std::sqrt(p) * std::log2(p) + 0.2 * std::sin(p); }
double strong(double p) { return 12 + 900 / p + 0.2 * std::sin(p); }

// The terms of a model by their factors: "p^1 log^0 q^2 log^0".
std::map<std::string, double> terms_of(const Json& model) {
  std::map<std::string, double> out;
  for (const Json& term : model["terms"]) {
    std::ostringstream key;
    for (const auto& [name, factor] : term["factors"].items())
      key << name << '^' << factor["exponent"].get<double>() << " log^" << factor["log2_exponent"].get<double>() << ' ';
    out[key.str()] = term["coefficient"];
  }
  return out;
}

// Whether every interval of `inner` lies in one of `outer`.
bool covered(const Json& inner, const Json& outer) {
  return std::all_of(inner.begin(), inner.end(), [&](const Json& i) {
    return std::any_of(outer.begin(), outer.end(), [&](const Json& o) { return o[0] <= i[0] && i[1] <= o[1]; });
  });
}

}  // namespace

TEST_CASE("scale contract: the same measurements in every format give the same document") {
  const Json expected = json_of(extrap_text());
  REQUIRE(expected["models"].size() == 2);
  CHECK(expected["models"][0]["callpath"] == "solve");
  CHECK(expected["models"][0]["variation"].get<double>() == near(0.25 / 10.375));  // both repetitions were read
  struct Row {
    const char* format;
    std::string text;
  };
  for (const Row& row :
       {Row{"JSON", extrap_json()}, Row{"old JSON", extrap_old_json()}, Row{"JSON Lines", lines("params", ',')},
        Row{"TaLPas", lines("parameters", ';')}, Row{"CSV", csv()}}) {
    CAPTURE(row.format);
    Json j = json_of(row.text);
    REQUIRE(j["models"].size() == 2);
    if (j["models"][0]["callpath"] == "send") std::swap(j["models"][0], j["models"][1]);  // members are sorted
    CHECK(j["models"] == expected["models"]);
    CHECK(j["analysis"]["ranking"] == expected["analysis"]["ranking"]);
  }
}

TEST_CASE("scale contract: values times a factor are coefficients times it, and the same ratios") {
  for (const auto law : {weak, strong})
    for (const double factor : {1000.0, 0.37}) {
      CAPTURE(factor);
      const Json a = json_of(table(law)), b = json_of(table(law, factor));
      CHECK(b["models"][0]["constant"].get<double>() == near(factor * a["models"][0]["constant"].get<double>()));
      CHECK(b["models"][0]["growth"] == a["models"][0]["growth"]);
      CHECK(b["models"][0]["smape"].get<double>() == near(a["models"][0]["smape"].get<double>(), 1e-7));
      const auto before = terms_of(a["models"][0]), after = terms_of(b["models"][0]);
      REQUIRE(after.size() == before.size());
      for (const auto& [factors, coefficient] : before) CHECK(after.at(factors) == near(factor * coefficient));
      const Json p = first_subject(a)["points"], q = first_subject(b)["points"];
      for (size_t i = 0; i < p.size(); ++i) {
        CHECK(q[i]["high_seconds"].get<double>() == near(factor * p[i]["high_seconds"].get<double>(), 1e-7));
        CHECK(q[i]["parallel_efficiency"].get<double>() == near(p[i]["parallel_efficiency"].get<double>()));
      }
    }
}

TEST_CASE("scale contract: another name of the parameter changes names alone") {
  const Ran renamed = ran({"scale", "-", "--format", "json", "--plan"}, table(strong, 1, "nodes"));
  const Json back = Json::parse(std::regex_replace(renamed.out, std::regex(R"(\bnodes\b)"), "p"));
  CHECK(back == json_of(table(strong), {"--plan"}));
}

TEST_CASE("scale contract: the order of the points does not matter") {
  const std::string head = "p,time\n", rows = table(weak).substr(head.size());
  std::vector<std::string> list;
  std::istringstream in(rows);
  for (std::string row; std::getline(in, row);) list.push_back(row + "\n");
  const Json expected = json_of(head + rows);
  for (int turn = 0; turn < 4; ++turn) {
    std::rotate(list.begin(), list.begin() + 3, list.end());
    std::swap(list[0], list[4]);
    std::string text = head;
    for (const std::string& row : list) text += row;
    CAPTURE(text);
    const Json j = json_of(text);
    CHECK(j["models"][0]["growth"] == expected["models"][0]["growth"]);
    CHECK(j["models"][0]["constant"].get<double>() == near(expected["models"][0]["constant"].get<double>()));
    CHECK(first_subject(j)["base"] == 2);
    const Json p = first_subject(j)["points"], q = first_subject(expected)["points"];
    REQUIRE(p.size() == q.size());
    for (size_t i = 0; i < p.size(); ++i) {
      CHECK(p[i]["x"] == q[i]["x"]);
      CHECK(p[i]["seconds"].get<double>() == near(q[i]["seconds"].get<double>()));
      CHECK(p[i]["high_seconds"].get<double>() == near(q[i]["high_seconds"].get<double>(), 1e-7));
    }
  }
}

TEST_CASE("scale contract: a speed-up is the efficiency times the growth of the ranks") {
  for (const auto law : {weak, strong})
    for (const char* scaling : {"weak", "strong"}) {
      const Json s = first_subject(json_of(table(law), {"--scaling", scaling}));
      CHECK(s["scaling"] == scaling);
      const double base = s["base"];
      for (const Json& p : s["points"]) {
        CHECK(p["speedup"].get<double>() == near(p["parallel_efficiency"].get<double>() * p["x"].get<double>() / base));
        CHECK(p["low_seconds"].get<double>() < p["seconds"].get<double>());
        CHECK(p["seconds"].get<double>() < p["high_seconds"].get<double>());
      }
    }
}

TEST_CASE("scale contract: core hours and GPU hours are seconds times ranks times what a rank has") {
  for (const int cores : {1, 2, 24})
    for (const int gpus : {1, 4}) {
      const Json s =
          first_subject(json_of(table(weak), {"--cores", std::to_string(cores), "--gpus", std::to_string(gpus),
                                              "--price", "2 * gpu_hours + 0.5 * core_hours"}));
      for (const Json& p : s["points"]) {
        const double hours = p["seconds"].get<double>() * p["x"].get<double>() / 3600;
        CHECK(p["core_hours"].get<double>() == near(hours * cores));
        CHECK(p["gpu_hours"].get<double>() == near(hours * gpus));
        CHECK(p["cost"].get<double>() == near(hours * (2 * gpus + 0.5 * cores)));
      }
    }
}

TEST_CASE("scale contract: a larger limit never shrinks what is valid nor worsens the choice") {
  struct Row {
    double (*law)(double);
    const char *scaling, *flag, *unit;
    std::vector<int> limits;
  };
  const std::vector<Row> rows{{weak, "weak", "--time-limit", " s", {50, 90, 900}},
                              {weak, "weak", "--budget", "", {1, 5, 100}},
                              {strong, "strong", "--time-limit", " s", {13, 50, 600}},
                              {strong, "strong", "--budget", "", {1, 5, 100}}};
  for (const Row& row : rows) {
    CAPTURE(row.flag);
    Json before;
    for (const int limit : row.limits) {
      const Json best = first_subject(json_of(
          table(row.law), {"--at", "2", "--scaling", row.scaling, row.flag, std::to_string(limit) + row.unit}))["best"];
      REQUIRE_FALSE(best["valid"].empty());
      const bool of_time = std::string(row.flag) == "--time-limit";
      CHECK(best[of_time ? "seconds" : "cost"].get<double>() <= limit);
      if (!before.is_null()) {
        CHECK(covered(before["valid"], best["valid"]));
        if (std::string(row.scaling) == "weak") CHECK(best["x"].get<double>() <= before["x"].get<double>());
        else CHECK(best["parallel_efficiency"].get<double>() >= before["parallel_efficiency"].get<double>() - 1e-12);
      }
      before = best;
    }
  }
}

TEST_CASE("scale contract: laws of two parameters are found again and reach beyond the points") {
  struct Row {
    double (*law)(double p, double q);
    double constant;
    std::map<std::string, double> terms;
  };
  const std::vector<Row> rows{
      {[](double p, double q) { return 7 + 3 * p * q; }, 7, {{"p^1 log^0 q^1 log^0 ", 3}}},
      {[](double p, double q) { return 3 + 4 * p + 0.5 * q * q; }, 3, {{"p^1 log^0 ", 4}, {"q^2 log^0 ", 0.5}}},
      {[](double p, double q) { return 1 + 2 * std::log2(p) * std::sqrt(q); }, 1, {{"p^0 log^1 q^0.5 log^0 ", 2}}},
      {[](double p, double) { return 10 + 3 * p * std::sqrt(p); }, 10, {{"p^1.5 log^0 ", 3}}}};
  for (const Row& row : rows) {
    std::ostringstream data;
    data.precision(17);
    data << "p,q,time\n";
    for (const double p : {2, 4, 8, 16, 32})
      for (const double q : {10, 20, 30, 40, 50}) data << p << ',' << q << ',' << row.law(p, q) << '\n';
    const Json j = json_of(data.str(), {"--at", "128"});
    const Json& model = j["models"][0];
    CAPTURE(model["formula"].get<std::string>());
    CHECK(model["constant"].get<double>() == near(row.constant, 1e-6));
    const auto found = terms_of(model);
    REQUIRE(found.size() == row.terms.size());
    for (const auto& [factors, coefficient] : row.terms) {
      REQUIRE(found.contains(factors));
      CHECK(found.at(factors) == near(coefficient, 1e-6));
    }
    CHECK(first_subject(j)["points"][0]["seconds"].get<double>() == near(row.law(128, 50), 1e-6));
  }
}

TEST_CASE("scale contract: refining finds an exponent between those that are tried first") {
  const auto law = [](double p) { return 3 + 2 * std::pow(p, 0.6); };
  const std::string data = std::regex_replace(table(law), std::regex("\n2,.*"), "");  // from 4 on
  const Json basic = json_of(data), refined = json_of(data, {"--at", "1024", "--modeler", "refining"});
  CHECK(terms_of(refined["models"][0]).begin()->first == "p^0.6 log^0 ");
  CHECK(refined["models"][0]["smape"].get<double>() < basic["models"][0]["smape"].get<double>());
  CHECK(first_subject(refined)["points"][0]["seconds"].get<double>() == near(law(1024), 1e-6));
}

TEST_CASE("scale contract: refining is never worse than the list of exponents that it refines") {
  // From 2 on the refinement of the first stops at p^(1/2) * log2(p), above the list's p^(2/3).
  const std::vector<double (*)(double)> laws{[](double p) { return 3 + 2 * std::pow(p, 0.6); },
                                             [](double p) { return 5 + std::pow(p, 0.3); },
                                             [](double p) { return 1 + 0.5 * std::pow(p, 0.7) * std::log2(p); },
                                             [](double p) { return 20 + std::pow(p, 1.4); },
                                             [](double p) { return 2 + std::sqrt(p) + 0.1 * p; },
                                             weak,
                                             strong};
  for (const auto law : laws) {
    const Json basic = json_of(table(law))["models"][0],
               refined = json_of(table(law), {"--modeler", "refining"})["models"][0];
    CAPTURE(refined["formula"].get<std::string>());
    CHECK(refined["smape"].get<double>() <= basic["smape"].get<double>());
  }
  CHECK(terms_of(json_of(table(laws[0]), {"--modeler", "refining"})["models"][0]).begin()->first ==
        "p^0.666667 log^0 ");
}

TEST_CASE("scale contract: a change of law is two models, and one law is none") {
  const auto bent = [](double p) { return p <= 16 ? p * p : 136 + 30 * std::log2(p); };  // both 256 at 16
  const Json model = json_of(table(bent), {"--modeler", "segmented"})["models"][0];
  REQUIRE(model["segments"].is_object());
  CHECK(model["segments"]["change_points"] == Json::array({16}));
  const Json parts = model["segments"]["models"];
  REQUIRE(parts.size() == 2);
  CHECK(terms_of(parts[0]).at("p^2 log^0 ") == near(1));
  CHECK(terms_of(parts[1]).at("p^0 log^1 ") == near(30));
  CHECK(parts[1]["constant"] == model["constant"]);
  CHECK(parts[1]["terms"] == model["terms"]);
  const Json whole = json_of(table(weak), {"--modeler", "segmented"})["models"][0];
  CHECK(whole["segments"].is_null());
  CHECK(terms_of(whole) == terms_of(json_of(table(weak))["models"][0]));
}

TEST_CASE("scale contract: inputs that are refused, in full") {
  struct Row {
    const char *data, *said;
  };
  const std::vector<Row> rows{
      {"PARAMETER p\nPOINTS 4 8 16\nREGION main\nMETRIC time\nDATA 1\nDATA 2\n",
       "<stdin>:5:1: error: 'main' (time) is measured at 2 of 3 points: (16) is missing\n   5 | DATA 1\n     | ^~~~\n"
       "hint: each metric of each call path needs a value at each point\n"},
      {"PARAMETER p\nPOINTS 4 8 16\nDATA 1\nDATA 2\nDATA 3\nDATA 4\n",
       "<stdin>:6:1: error: more DATA lines than the 3 points of POINTS\n   6 | DATA 4\n     | ^~~~\n"
       "hint: repetitions stand in one line\n"},
      {"PARAMETER p\nPOINTZ 4 8 16\nDATA 1\n",
       "<stdin>:2:1: error: unknown keyword 'POINTZ'\n   2 | POINTZ 4 8 16\n     | ^~~~~~\n"
       "hint: did you mean 'POINTS'?\n"},
      {"PARAMETER p\nPOINTS 0 8 16\nDATA 1\nDATA 2\nDATA 3\n",
       "<stdin>:2:8: error: parameter 'p' is 0, expected a value above zero\n   2 | POINTS 0 8 16\n     |        ^\n"
       "hint: models take powers and logarithms of it\n"},
      {"a,b,c,d,e,time\n1,1,1,1,1,1\n",
       "<stdin>:1:9: error: a fifth parameter 'e'\n   1 | a,b,c,d,e,time\n     |         ^\n"
       "hint: models have at most 4 parameters\n"},
      {"PK\3\4broken",
       "<stdin>:1:1: error: the ZIP archive is cut off\n   1 | PK??broken\n     | ^\n"
       "hint: an Extra-P experiment is a ZIP archive with a member experiment.json\n"}};
  for (const Row& row : rows) {
    const Ran r = ran({"scale", "-"}, row.data);
    CHECK(r.status == 1);
    CHECK(r.out.empty());
    CHECK(r.err == row.said);
  }
}
