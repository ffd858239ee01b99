// The pictures of `ops`: what the roofline and the bars hold, before they are drawn.
#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include "cli/pages/ops_report.h"
#include "tests/planner/sample.h"

using planner::OperatorRow;

namespace {

const planner::Scenario& split() {
  static const planner::Scenario s = sample::llama({"parallelism.tp=2", "parallelism.dp=4"});
  return s;
}

double total(const cli::svg::Bar& bar) { return std::accumulate(bar.parts.begin(), bar.parts.end(), 0.0); }

/// Shares by a column, summed from the rows themselves.
std::map<std::string, double> shares(const std::vector<OperatorRow>& rows, const std::string& key) {
  std::map<std::string, double> out;
  for (const OperatorRow& r : rows) out[cli::group_values(r, {key}).front()] += r.share;
  return out;
}

}  // namespace

TEST_CASE("the roofline of a step has a mark for every operator, in its class's colour") {
  const auto rows = planner::operator_rows(split());
  const cli::svg::Roofline chart = cli::ops_roofline(split(), rows);
  REQUIRE(chart.marks.size() == rows.size());
  double share = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const cli::svg::RooflineMark& mark = chart.marks[i];
    CAPTURE(mark.label);
    REQUIRE(mark.series < chart.series.size());
    CHECK(chart.series[mark.series] == rows[i].op_class);
    CHECK(mark.label.starts_with(rows[i].name));
    CHECK(mark.tip.ends_with("bound: " + rows[i].bound));
    CHECK(mark.bytes == rows[i].bytes_read + rows[i].bytes_written);
    CHECK((mark.tip.find("FLOP/B") != std::string::npos) == (rows[i].flops > 0));
    CHECK(mark.seconds > 0);
    share += mark.share;
  }
  CHECK(share == doctest::Approx(1));
}

TEST_CASE("series are the classes that operators have, each once; the others leave a colour free") {
  const auto rows = planner::operator_rows(split());
  const auto classes = shares(rows, "class");
  std::set<std::string> named;
  size_t names = 0;
  for (const std::string& name : cli::ops_roofline(split(), rows).series)
    if (!name.empty()) named.insert(name), ++names;
  CHECK(names == named.size());
  REQUIRE(named.size() == classes.size());
  for (const auto& [name, share] : classes) {
    const auto& said = name;
    CHECK_MESSAGE(named.contains(name), said);
  }
  CHECK(named.contains("communication"));
  std::vector<OperatorRow> local = rows;
  std::erase_if(local, [](const OperatorRow& r) { return r.op_class == "communication"; });
  const auto left = cli::ops_roofline(split(), local).series, all = cli::ops_roofline(split(), rows).series;
  REQUIRE(left.size() == all.size());
  for (size_t i = 0; i < all.size(); ++i) CHECK(left[i] == (all[i] == "communication" ? "" : all[i]));
}

TEST_CASE("operators of one name are told apart by their phase or layer") {
  const auto rows = planner::operator_rows(split());
  std::map<std::string, int> names;
  for (const OperatorRow& r : rows) ++names[r.name];
  const auto chart = cli::ops_roofline(split(), rows);
  std::set<std::string> tips;
  size_t shared = 0;
  for (size_t i = 0; i < rows.size(); ++i) {
    const std::string tip = chart.marks[i].tip, name = tip.substr(0, tip.find(": "));
    CHECK_MESSAGE(tips.insert(name).second, name);
    CHECK((name == rows[i].name) == (names[rows[i].name] == 1));
    shared += names[rows[i].name] > 1;
  }
  CHECK(shared > 0);
}

TEST_CASE("roofs are the peaks of the GPU, equal ones once; what the job uses is strong") {
  const auto strong = [](const char* precision) {
    const planner::Scenario s = sample::gpt({std::string("job.precision=") + precision});
    std::set<double> peaks;
    std::string names;
    for (const cli::svg::Roof& roof : cli::ops_roofline(s, planner::operator_rows(s)).roofs) {
      CHECK_MESSAGE(peaks.insert(roof.flops_per_second).second, roof.label);
      if (roof.strong) names += roof.label + "; ";
    }
    return names;
  };
  CHECK(strong("fp16").find("fp16, bf16 312.0 TFLOP/s") != std::string::npos);
  CHECK(strong("tf32").find("bf16") == std::string::npos);
  CHECK(strong("tf32").find("tf32 156.0 TFLOP/s") != std::string::npos);
  CHECK(strong("tf32").find("vector fp32") != std::string::npos);
}

TEST_CASE("bars of a column hold the shares of its values, the largest first, and sum to the whole") {
  const auto rows = planner::operator_rows(split());
  for (const char* key : {"class", "phase", "layer", "kind", "bound", "provenance"}) {
    CAPTURE(std::string(key));
    const auto chart = cli::ops_bars(split(), rows, {key});
    const auto expected = shares(rows, key);
    REQUIRE(chart.bars.size() == expected.size());
    double sum = 0;
    for (size_t i = 0; i < chart.bars.size(); ++i) {
      const cli::svg::Bar& bar = chart.bars[i];
      REQUIRE(expected.contains(bar.label));
      CHECK(bar.parts.size() == chart.series.size());
      CHECK(total(bar) == doctest::Approx(expected.at(bar.label)));
      if (i > 0) CHECK(total(bar) <= total(chart.bars[i - 1]) + 1e-12);
      sum += total(bar);
      for (size_t part = 0; part < bar.parts.size(); ++part)
        if (chart.series[part].empty() || (key == std::string("class") && chart.series[part] != bar.label))
          CHECK(bar.parts[part] == 0);
    }
    CHECK(sum == doctest::Approx(1));
  }
}

TEST_CASE("bars of two columns are their combinations, the outer name first") {
  const auto rows = planner::operator_rows(split());
  const auto chart = cli::ops_bars(split(), rows, {"phase", "class"});
  std::set<std::string> expected, labels;
  for (const OperatorRow& r : rows) expected.insert(r.phase + " / " + r.op_class);
  for (const cli::svg::Bar& bar : chart.bars) labels.insert(bar.label);
  CHECK(labels == expected);
  CHECK(labels.size() == chart.bars.size());
  CHECK(chart.title.ends_with("operators by phase, class"));
}

TEST_CASE("without operators both pictures say why, and a model without a name is a model") {
  const auto roofline = cli::ops_roofline(split(), {});
  CHECK(roofline.marks.empty());
  CHECK(roofline.title.starts_with("a model on 8 x "));
  const auto bars = cli::ops_bars(split(), {}, {"class"});
  CHECK(bars.bars.empty());
  CHECK(bars.nothing == roofline.nothing);
  CHECK(bars.nothing.find("not feasible") != std::string::npos);
}
