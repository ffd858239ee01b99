// Tables of recurrent mixers and of the choice of keys: messages about wrong cells and their places, units, skipped
// rows, and fits of tables that a known calibration wrote.
#include <fmt/format.h>

#include "operator_models/calibrate/fits.h"
#include "operator_models/calibrate/readers.h"
#include "operator_models/scan_work.h"
#include "tests/operator_models/measured_text.h"

using namespace operator_models;

namespace {

operator_models::Machine b200() { return test::machine_of("b200-180gb", 8); }

struct Read : test::MeasuredText {
  explicit Read(std::string text, bool selections = false, const Task& task = {})
      : MeasuredText(std::move(text), task, b200(), selections ? read_selections : read_scans) {}
};

const std::string kOwn = "rule,batch,heads,key_heads,length,key_dim,value_dim,chunk,backward,time_us,precision\n";
const std::string kOwnRow = "delta,2,8,4,1024,64,32,64,0,5000,bf16\n";
const std::string kEngine = "kernel,phase,batch_size,seq_len,d_state,nheads,head_dim,n_groups,chunk_size,latency_us\n";
const std::string kEngineRow = "mamba_chunk_scan_combined,context,1,4096,128,64,32,8,256,356\n";
const std::string kFla = "mode,batch_size,seq_len,num_heads,head_dim,op,ms\n";
const std::string kFlaRow = "fwd,1,8192,96,128,chunk_gdn,1.25\n";
const std::string kChosen = "batch,heads,queries,keys,head_dim,top_k,backward,time_us\n";
const std::string kChosenRow = "2,64,128,4096,128,512,0,90\n";
const std::string kParts = "gpu,op,batch_size,seq_len,prefix_len,latency_us\n";
const std::string kPartsRow = "x,glm5_mqa_logits,1,8192,0,148\n";

/// A row that is wrong between two that are right; '@' stands before the cell that is meant.
struct WrongCell {
  bool selections;
  const std::string &head, &right;
  std::string row;
  const char* message;
};

std::string first_line(const dsl::Diagnostic& d) {
  const std::string all = dsl::render(d);
  return all.substr(0, all.find('\n'));
}

std::string row_text(const Scan& op, double seconds) {
  return fmt::format("{},{},{},{},{},{},{},{},{},{},{}\n", name(op.rule), op.batch, op.heads, op.key_heads, op.length,
                     op.key_dim, op.value_dim, op.chunk, op.backward ? 1 : 0, seconds * 1e6, name(op.precision));
}

/// A table of one rule as the machine's calibration times it.
std::string scan_table(const operator_models::Machine& machine, ScanRule rule, bool backward) {
  std::string rows;
  for (const int64_t length : {128, 1024, 8192, 32768})
    for (const int64_t heads : {4, 32, 128}) {
      const Scan op{.rule = rule,
                    .heads = heads,
                    .key_heads = heads / 2,
                    .length = length,
                    .key_dim = 128,
                    .value_dim = 64,
                    .backward = backward};
      rows += row_text(op, cost(op, device_of(machine, machine.calibration)).seconds.value);
    }
  return rows;
}

}  // namespace

TEST_CASE("a wrong cell is told with its file, line and column, and the rows around it are read") {
  const std::vector<WrongCell> cells{
      {false, kOwn, kOwnRow, "delta,@0,8,4,1024,64,32,64,0,5000,bf16", "expected 'batch' above zero, got 0"},
      {false, kOwn, kOwnRow, "delta,2,@eight,4,1024,64,32,64,0,5000,bf16", "expected a number in 'heads', got 'eight'"},
      {false, kOwn, kOwnRow, "delta,2,8,4,@1e16,64,32,64,0,5000,bf16", "expected a whole number in 'length'"},
      {false, kOwn, kOwnRow, "delta,2,8,4,1024,64,32,64,@2,5000,bf16", "expected 0 or 1 in 'backward', got '2'"},
      {false, kOwn, kOwnRow, "delta,2,8,4,1024,64,32,64,0,@5 ms,bf16", "the cell says '5 ms', its column 'time_us'"},
      {false, kOwn, kOwnRow, "delta,2,8,4,1024,64,32,64,0,5000,@bf17", "unknown precision 'bf17'"},
      {false, kEngine, kEngineRow, "mamba_chunk_scan_combined,context,1,4096,@0,64,32,8,256,356", "'d_state'"},
      {false, kEngine, kEngineRow, "mamba_chunk_scan_combined,context,1,4096,128,64,32,8,@,356", "'chunk_size'"},
      {false, kFla, kFlaRow, "fwd,1,8192,96,128,chunk_gdn,@1.25 us", "the cell says '1.25 us', its column 'ms'"},
      {false, kFla, kFlaRow, "@fwdbwd,2,8192,96,128,chunk_gdn,9", "no row has the forward pass of this shape"},
      {false, kFla, kFlaRow, "fwdbwd,1,8192,96,128,chunk_gdn,@1.25", "forward alone takes no less time"},
      {true, kChosen, kChosenRow, "2,64,128,4096,128,@0,0,90", "expected 'top_k' above zero, got 0"},
      {true, kChosen, kChosenRow, "2,64,128,4096,128,512,@yes,90", "expected 0 or 1 in 'backward', got 'yes'"},
      {true, kParts, kPartsRow, "x,glm5_mqa_logits,1,8192,@-1,148", "expected 'prefix_len' above zero, got -1"},
      {true, kParts, kPartsRow, "x,glm5_mqa_logits,1,8192,0,@0", "expected 'latency_us' above zero, got 0"},
      {true, kParts, kPartsRow, "x,glm5_topk,1,8192,0,@1 s", "the cell says '1 s', its column 'latency_us'"}};
  for (WrongCell cell : cells) {
    CAPTURE(cell.row);
    const size_t column = cell.row.find('@') + 1;
    cell.row.erase(column - 1, 1);
    const std::string text = cell.head + cell.right + cell.row + "\n" + cell.right;
    const Read read(text, cell.selections);
    REQUIRE(read.diagnostics.list.size() == 1);
    const std::string said = first_line(read.diagnostics.list[0]);
    CHECK(said.find(fmt::format("t.csv:3:{}: error: ", column)) == 0);
    CHECK_MESSAGE(said.find(cell.message) != std::string::npos, said);
    CHECK(read.set.samples.size() == 2);
  }
}

TEST_CASE("a time that never ended is left out with a warning, columns of no layout are told at the header") {
  const Read scans(kOwn + "delta,2,8,4,1024,64,32,64,0,inf,bf16\n" + kOwnRow);
  REQUIRE(scans.diagnostics.list.size() == 1);
  CHECK(first_line(scans.diagnostics.list[0]).find("t.csv:2:29: warning: 'inf' in 'time_us' is no time") == 0);
  CHECK(scans.set.samples.size() == 1);
  const std::string unknown = "rule,batch,heads\ndelta,1,1\n";
  for (const bool selections : {false, true}) {
    const Read read(unknown, selections);
    REQUIRE(read.diagnostics.list.size() == 1);
    CHECK(first_line(read.diagnostics.list[0]) ==
          "t.csv:1:1: error: no known layout has the columns rule, batch, heads");
    CHECK(read.diagnostics.list[0].hint.find("time_us") != std::string::npos);
    CHECK(read.set.samples.empty());
  }
}

TEST_CASE("times are seconds by the unit of their column, and a cell may repeat it") {
  struct Time {
    std::string text;
    double seconds;
  };
  for (const Time& time : {Time{kOwn + kOwnRow, 5e-3},
                           {kOwn + "delta,2,8,4,1024,64,32,64,0,5000 us,bf16\n", 5e-3},
                           {kEngine + kEngineRow, 356e-6},
                           {kFla + kFlaRow, 1.25e-3},
                           {kFla + "fwd,1,8192,96,128,chunk_gdn,1.25 ms\n", 1.25e-3}}) {
    CAPTURE(time.text);
    const Read read(time.text);
    CHECK(read.diagnostics.list.empty());
    REQUIRE(read.set.samples.size() == 1);
    CHECK(read.set.samples[0].seconds == doctest::Approx(time.seconds));
  }
  const Read parts(kParts + "x,glm5_topk,1,64,0,7 us\nx,glm5_mqa_logits,1,64,0,5 us\n", true);
  REQUIRE(parts.set.samples.size() == 2);
  CHECK(parts.set.samples[1].seconds == doctest::Approx(12e-6));
}

TEST_CASE("backward is what is left of the forward pass of its own shape and operator, wherever that stands") {
  const Read read(kFla +
                  "fwdbwd,2,4096,96,128,chunk_gdn,9\nfwd,1,4096,96,128,chunk_gdn,1\nfwd,2,8192,96,128,chunk_gdn,2\n"
                  "fwd,2,4096,48,128,chunk_gdn,3\nfwd,2,4096,96,64,chunk_gdn,4\nfwd,2,4096,96,128,chunk_kda,5\n"
                  "fwd,2,4096,96,128,chunk_gdn,6\n");
  CHECK(read.diagnostics.list.empty());
  REQUIRE(read.set.samples.size() == 7);
  CHECK(read.set.samples[0].seconds * 1e3 == doctest::Approx(9 - 6));
  CHECK(read.op<Scan>(0).backward);
  CHECK(read.set.samples[0].values == std::vector<std::string>{"2", "96", "4096", "delta"});
  CHECK(read.op<Scan>(5).rule == ScanRule::channel_delta);
}

TEST_CASE("a choice of keys is joined with the scores of its GPU and shape alone") {
  const Read read(kParts +
                      "x,glm5_mqa_logits,2,128,896,10\ny,glm5_mqa_logits,2,128,896,30\nx,glm5_topk,2,128,896,5\n"
                      "y,glm5_topk,2,128,896,7\nz,glm5_topk,2,128,896,1\nx,glm5_topk,2,128,897,1\n",
                  true);
  REQUIRE(read.set.samples.size() == 4);
  CHECK(read.set.passed_over == 2);
  CHECK(read.set.samples[2].seconds * 1e6 == doctest::Approx(15));
  CHECK(read.set.samples[3].seconds * 1e6 == doctest::Approx(37));
  const Selection& both = read.op<Selection>(3);
  CHECK(both.keys == 1024);
  CHECK(both.heads == 32);
  CHECK(both.head_dim == 128);
  CHECK(both.top_k == 2048);
  CHECK(both.precision == Precision::fp8);
  CHECK(read.set.samples[3].values == std::vector<std::string>{"2", "128", "1024"});
}

TEST_CASE("rows that are not selected are not read, those that are not counted say so") {
  dsl::Diagnostics diagnostics;
  const dsl::Source own{"own.csv", kOwn + "wrong,2,8,4,1024,64,32,64,0,5000,bf16\n" + kOwnRow + kOwnRow, ""};
  SampleSet scans;
  read_scans({{&own, dsl::read_csv(own, diagnostics), {1, 2}, {1, 1, 0}}, {}, b200(), scans, diagnostics});
  REQUIRE(scans.samples.size() == 2);
  CHECK(scans.samples[0].counted);
  CHECK_FALSE(scans.samples[1].counted);
  CHECK(scans.samples[1].place.line == 4);
  const dsl::Source parts{"parts.csv", kParts + kPartsRow + "x,glm5_topk,1,8192,0,100\n", ""};
  SampleSet choices;
  read_selections({{&parts, dsl::read_csv(parts, diagnostics), {1}, {1, 1}}, {}, b200(), choices, diagnostics});
  CHECK(choices.samples.empty());
  CHECK(choices.passed_over == 1);  // its scores were not selected
  CHECK(diagnostics.list.empty());
}

TEST_CASE("nothing is faster than the peak of its precision, the column's before the task's") {
  const auto& flops = b200().gpu.flops;
  struct Peak {
    Precision precision;
    double value;
  };
  for (const Peak& peak : {Peak{Precision::bf16, flops.bf16->value}, {Precision::fp8, flops.fp8->value}})
    for (const double share : {0.99, 1.01}) {
      const Scan op{.rule = ScanRule::delta,
                    .heads = 64,
                    .key_heads = 64,
                    .length = 8192,
                    .key_dim = 128,
                    .value_dim = 128,
                    .precision = peak.precision};
      const Read read(kOwn + row_text(op, scan_work(op).matrix_flops / (share * peak.value)), false,
                      {.precision = Precision::fp32});
      CAPTURE(name(peak.precision));
      CHECK(read.set.samples.size() == (share < 1 ? 1 : 0));
      CHECK(read.diagnostics.has_errors() == (share > 1));
    }
}

TEST_CASE("a table that a known calibration wrote gives it back, rule by rule; other rules stay") {
  operator_models::Machine known = b200();
  known.calibration.scan["delta"] = {.memory = 0.5, .base = {7e-6}, .step = {2e-6}, .backward = 1.4};
  known.calibration.scan["state-space"] = {.memory = 0.7, .base = {2e-5}, .step = {5e-7}, .backward = 0.8};
  std::string text = kOwn;
  for (const ScanRule rule : {ScanRule::delta, ScanRule::state_space})
    for (const bool backward : {false, true}) text += scan_table(known, rule, backward);
  for (int i = 0; i < 3; ++i) text += "decay,1,8,8,1024,128,128,64,0,90,bf16\n";
  const Read read(text);
  const Fitted fitted = fit_scan(read.set, b200());
  for (const char* rule : {"delta", "state-space"}) {
    CAPTURE(rule);
    const ScanCalibration &found = fitted.calibration.scan.at(rule), &wanted = known.calibration.scan.at(rule);
    CHECK(found.memory == doctest::Approx(wanted.memory).epsilon(0.02));
    CHECK(found.base.value * 1e6 == doctest::Approx(wanted.base.value * 1e6).epsilon(0.02));
    CHECK(found.step.value * 1e6 == doctest::Approx(wanted.step.value * 1e6).epsilon(0.02));
    CHECK(found.backward == doctest::Approx(wanted.backward).epsilon(0.01));
    CHECK(found.relative_error < 0.01);
  }
  REQUIRE(fitted.warnings.size() == 1);
  CHECK(fitted.warnings[0] == "decay: fewer than six rows forward and two backward");
  for (const char* left : {"channel-delta", "rwkv7"})
    CHECK(fitted.calibration.scan.contains(left) == b200().calibration.scan.contains(left));
}

TEST_CASE("backward rows alone move backward's factor alone") {
  operator_models::Machine known = b200();
  known.calibration.scan["rwkv7"] = {.backward = 2.5};
  known.calibration.selection["default"].backward = 3;
  const Fitted scans = fit_scan(Read(kOwn + scan_table(known, ScanRule::rwkv7, true)).set, b200());
  CHECK_FALSE(scans.empty);
  CHECK(scans.calibration.scan.at("rwkv7").backward == doctest::Approx(2.5).epsilon(0.01));
  CHECK(scans.calibration.scan.at("rwkv7").memory == ScanCalibration{}.memory);
  std::string text = kChosen;
  for (const int64_t queries : {1024, 8192}) {
    const Selection op{.queries = queries, .keys = 8192, .heads = 64, .head_dim = 128, .top_k = 512, .backward = true};
    text += fmt::format("1,64,{},8192,128,512,true,{}\n", queries,
                        cost(op, device_of(known, known.calibration)).seconds.value * 1e6);
  }
  const Fitted selections = fit_selection(Read(text, true).set, b200());
  const SelectionCalibration &found = selections.calibration.selection.at("default"),
                             before = b200().calibration.selection.at("default");
  CHECK_FALSE(selections.empty);
  CHECK(found.backward == doctest::Approx(3).epsilon(0.01));
  CHECK(found.choice == before.choice);
  CHECK(found.query.value == before.query.value);
}
