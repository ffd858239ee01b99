#include <fmt/format.h>

#include "operator_models/calibrate/collective_cells.h"
#include "operator_models/calibrate/fits.h"
#include "operator_models/calibrate/holdout.h"
#include "operator_models/calibrate/readers.h"
#include "operator_models/collective.h"
#include "tests/operator_models/devices.h"

using namespace operator_models;
using test::within;

namespace {

/// Eight A100 to a node, and nothing known of its collectives.
operator_models::Machine blank(const test::MachineNames& names = test::kA100) {
  const test::Machine m = test::machine(names);
  operator_models::Machine out{m.gpu, m.network, 8, m.calibration};
  out.calibration.collective.clear();
  return out;
}

const FitRow& fit_named(const char* model) {
  for (const FitRow& fit : find_calibration_kind("collective")->fits)
    if (std::string(fit.model) == model) return fit;
  FAIL("no such fit");
  std::abort();
}

/// Samples of all-gather as the machine's calibration prices them with alpha-beta.
SampleSet sweep(const operator_models::Machine& machine, const std::vector<std::pair<int64_t, int64_t>>& layouts,
                CollectiveKind kind = CollectiveKind::all_gather) {
  SampleSet set{{"op", "layout", "size_bytes", "type", "run"}, {}, 0};
  const Device device = device_of(machine, machine.calibration);
  for (const auto& [nodes, per_node] : layouts)
    for (double bytes = 4096; bytes < 2e10; bytes *= 2) {
      const Collective op{.kind = kind, .bytes = {bytes}, .group = {nodes * per_node, {per_node, nodes * per_node}}};
      const double seconds = cost(op, device, {{"collective", "alpha-beta"}}).seconds.value;
      set.samples.push_back(
          {op,
           seconds,
           {name(kind), fmt::format("{}x{}", nodes, per_node), fmt::format("{:.0f}", bytes), "half", "1"},
           true,
           {}});
    }
  return set;
}

CollectiveCalibration known() {
  CollectiveCalibration row;
  row.efficiency = 0.72;
  row.pair = 0.8;
  row.base = {7e-6};
  row.step = {0.4e-6};
  row.half_size = {3e6};
  return row;
}

struct ReadTable {
  dsl::Source source;
  dsl::Diagnostics diagnostics;
  SampleSet set;
  explicit ReadTable(std::string text, const operator_models::Machine& machine = blank())
      : source{"data.csv", std::move(text), ""} {
    DataFile file{&source, dsl::read_csv(source, diagnostics), {}, {}};
    for (size_t i = 0; i < file.table.rows.size(); ++i) file.rows.push_back(i);
    file.counted.assign(file.rows.size(), 1);
    read_collectives({file, {}, machine, set, diagnostics});
  }
  std::string first() const { return diagnostics.list.empty() ? "" : diagnostics.list[0].message; }
  const Collective& op(size_t i) const { return std::get<Collective>(set.samples.at(i).op); }
};

}  // namespace

TEST_CASE("alpha-beta finds the numbers that made its samples") {
  operator_models::Machine machine = blank();
  machine.calibration.collective["nvlink-all-gather"] = known();
  const SampleSet set = sweep(machine, {{1, 2}, {1, 4}, {1, 8}});
  const Fitted fitted = fit_alpha_beta(set, blank());
  const CollectiveCalibration& row = fitted.calibration.collective.at("nvlink-all-gather");
  CHECK(within(row.efficiency, 0.72, 0.01));
  CHECK(within(row.pair, 0.8, 0.01));
  CHECK(within(row.base.value, 7e-6, 0.05));
  CHECK(within(row.step.value, 0.4e-6, 0.05));
  CHECK(within(row.half_size.value, 3e6, 0.03));
  CHECK(fitted.warnings.empty());
}

TEST_CASE("a fit does not begin at the catalogue's row of what it fits") {
  operator_models::Machine machine = blank(), other = blank();
  machine.calibration.collective["nvlink-all-gather"] = known();
  other.calibration.collective["nvlink-all-gather"] = {
      .efficiency = 0.1, .pair = 0.2, .table_ranks = {2, 8}, .table_us = {1, 2, 3, 4}};
  const SampleSet set = sweep(machine, {{1, 2}, {1, 8}});
  for (auto fit : {fit_alpha_beta, fit_collective_table}) {
    const CollectiveCalibration a = fit(set, blank()).calibration.collective.at("nvlink-all-gather");
    const CollectiveCalibration b = fit(set, other).calibration.collective.at("nvlink-all-gather");
    CHECK(a.efficiency == b.efficiency);
    CHECK(a.pair == b.pair);
    CHECK(a.table_us == b.table_us);
  }
}

TEST_CASE("a size that was not measured lies on the line in bytes between its neighbours") {
  operator_models::Machine machine = blank();
  machine.calibration.collective["nvlink-all-gather"] = known();
  SampleSet set = sweep(machine, {{1, 2}});
  const auto slow = [](const Sample& s) { return bytes_of(s.op) >= 1 << 22; };
  for (Sample& s : set.samples) s.seconds *= slow(s) ? 2 : 1;  // another protocol
  const CollectiveCalibration whole = fit_collective_table(set, blank()).calibration.collective["nvlink-all-gather"];
  std::erase_if(set.samples, [](const Sample& s) { return bytes_of(s.op) == 1 << 22; });
  const CollectiveCalibration row = fit_collective_table(set, blank()).calibration.collective["nvlink-all-gather"];
  const double below = table_us(row, 0, 1 << 21), above = table_us(row, 0, 1 << 23);
  CHECK(within(table_us(row, 0, 1 << 22), below + (above - below) / 3, 1e-6));
  CHECK(within(below, table_us(whole, 0, 1 << 21), 0.05));
}

TEST_CASE("what adding integers costs is found, and taken out of the table") {
  operator_models::Machine machine = blank();
  machine.calibration.collective["nvlink-all-reduce"] = known();
  SampleSet set = sweep(machine, {{1, 2}, {1, 8}}, CollectiveKind::all_reduce);
  for (Sample& s : set.samples) s.values[3] = "half";
  const Fitted floats = fit_collective_table(set, blank());
  machine.calibration.collective["nvlink-all-reduce"].integers = 1.2;
  for (size_t i = 0, n = set.samples.size(); i < n; ++i) {
    Sample s = set.samples[i];
    std::get<Collective>(s.op).in_switch = false;
    s.seconds = cost(s.op, device_of(machine, machine.calibration), {{"collective", "alpha-beta"}}).seconds.value;
    s.values[3] = "int8";
    set.samples.push_back(s);
  }
  const CollectiveCalibration a = floats.calibration.collective.at("nvlink-all-reduce");
  const CollectiveCalibration b = fit_collective_table(set, blank()).calibration.collective.at("nvlink-all-reduce");
  CHECK(a.integers == CollectiveCalibration{}.integers);  // half alone says nothing of it
  CHECK(within(b.integers, 1.2, 0.02));
  for (size_t i = 0; i < a.table_us.size(); ++i) CHECK(within(b.table_us[i], a.table_us[i], 0.03));
}

TEST_CASE("integers cost more where they are added, and nowhere else") {
  operator_models::Machine machine = blank();
  machine.calibration.collective["nvlink"] = known();
  machine.calibration.collective["nvlink"].integers = 1.5;
  const Device device = device_of(machine, machine.calibration);
  const auto ratio = [&](CollectiveKind kind, const char* model) {
    Collective op{.kind = kind, .bytes = {1e9}, .group = {8, {8, 8}}};
    const double floats = cost(op, device, {{"collective", model}}).seconds.value;
    op.in_switch = false;
    return cost(op, device, {{"collective", model}}).seconds.value / floats;
  };
  for (const char* model : {"alpha-beta", "table"}) {
    CHECK(within(ratio(CollectiveKind::all_reduce, model), 1.5, 0.01));
    CHECK(within(ratio(CollectiveKind::reduce_scatter, model), 1.5, 0.01));
    CHECK(ratio(CollectiveKind::all_gather, model) == 1);
    CHECK(ratio(CollectiveKind::all_to_all, model) == 1);
  }
}

TEST_CASE("across nodes a fit finds the NIC's share and the steps with the inside as it is") {
  operator_models::Machine machine = blank(), start = blank();
  machine.calibration.collective["nvlink-all-gather"] = start.calibration.collective["nvlink-all-gather"] = known();
  CollectiveCalibration network;
  network.efficiency = 0.9;
  network.step = {3e-6};
  network.inner_half_size = known().half_size;  // as one finds it inside
  machine.calibration.collective["infiniband-all-gather"] = network;
  const Fitted fitted = fit_collective_table(sweep(machine, {{2, 8}, {10, 2}, {10, 8}}), start);
  const CollectiveCalibration& row = fitted.calibration.collective.at("infiniband-all-gather");
  CHECK(within(row.efficiency, 0.9, 0.01));
  CHECK(within(row.step.value, 3e-6, 0.05));
  CHECK_FALSE(has_table(row));
  CHECK(fitted.calibration.collective.at("nvlink-all-gather").efficiency == 0.72);
}

TEST_CASE("table and three regions repeat a curve that no alpha-beta has") {
  operator_models::Machine machine = blank();
  machine.calibration.collective["nvlink-all-gather"] = known();
  SampleSet set = sweep(machine, {{1, 2}, {1, 8}});
  const CollectiveCurve curve{.latency = 12,
                              .first = 14,
                              .last = 27,
                              .height = 3,
                              .middle = 20,
                              .steepness = 0.5,
                              .floor = 2.5,
                              .bandwidth = 240};
  for (Sample& s : set.samples) s.seconds = 1e-6 * region_us(curve, bytes_of(s.op)) * (ranks_of(s.op) == 8 ? 1.5 : 1);
  for (const char* model : {"table", "three_region"}) {
    const FitRow& fit = fit_named(model);
    const Fitted fitted = fit.fit(set, blank());
    const operator_models::Machine plain = blank();
    const Errors errors = errors_of(log_ratios(set, device_of(plain, fitted.calibration), choice_of(fit)));
    CAPTURE(model);
    CHECK(*errors.geomean < 0.02);
  }
}

TEST_CASE("a table is non-decreasing though its samples are not, and one slow run lifts no larger message") {
  operator_models::Machine machine = blank();
  machine.calibration.collective["nvlink-all-gather"] = known();
  SampleSet set = sweep(machine, {{1, 8}});
  set.samples[2].seconds *= 6;
  const Fitted fitted = fit_collective_table(set, blank());
  const std::vector<double>& us = fitted.calibration.collective.at("nvlink-all-gather").table_us;
  CHECK(std::is_sorted(us.begin(), us.end()));
  CHECK(us.back() < 1.1e6 * set.samples.back().seconds);
  CHECK(us[12] < 1.15e6 * set.samples[12].seconds);
  REQUIRE(fitted.warnings.size() == 1);
  CHECK(fitted.warnings[0].find("outlier: all-gather of 16384 B over 1x8") != std::string::npos);
}

TEST_CASE("a size that is left out is not known to the fit that prices it") {
  operator_models::Machine machine = blank();
  machine.calibration.collective["nvlink-all-gather"] = known();
  SampleSet set = sweep(machine, {{1, 8}});
  const FitRow& fit = fit_named("table");
  const Holdout before = cross_validate(fit, set, blank());
  CHECK(*before.all.geomean < 0.03);
  for (Sample& s : set.samples)
    if (s.values[2] == "1048576") s.seconds *= 1.5;  // a kink that its neighbours do not show
  const Holdout after = cross_validate(fit, set, blank());
  double kinked = 0;
  for (const HoldoutFold& fold : after.folds)
    if (fold.left_out.find(" 1048576") != std::string::npos) kinked = *fold.errors.p90;
  CHECK(kinked > 0.25);
}

TEST_CASE("nothing is said of an operation, a tier or a group that the rest does not hold") {
  operator_models::Machine machine = blank();
  machine.calibration.collective["nvlink"] = known();
  SampleSet set = sweep(machine, {{1, 2}, {1, 8}, {4, 8}});
  const SampleSet other = sweep(machine, {{1, 2}, {1, 8}}, CollectiveKind::all_to_all);
  set.samples.insert(set.samples.end(), other.samples.begin(), other.samples.end());
  const Holdout holdout = cross_validate(fit_named("table"), set, blank());
  CHECK_FALSE(holdout.folds.empty());
  for (const HoldoutFold& fold : holdout.folds) {
    CHECK_FALSE(fold.left_out.starts_with("op ="));
    CHECK_FALSE(fold.left_out.starts_with("layout ="));  // 2, 8 and 32 ranks: each the only one of its hull or tier
  }
}

TEST_CASE("every layout of collectives is read") {
  const ReadTable ours("op,ranks,gpus_per_node,size_bytes,precision,time_us\nall_reduce,16,8,1048576,bf16,100\n");
  const ReadTable ai(
      "op,dtype,num_gpus,size_bytes,latency_us\nalltoall,int8,8,1048576,25\nall_reduce,int8,8,1048576,40\n");
  const ReadTable vidur(
      "op,num_gpus,gpus_per_node_used,gpus_per_node_max,size_bytes,median_ms\nsend_recv,2,1,8,1048576,0.5\n");
  CHECK(ours.first() + ai.first() + vidur.first() == "");
  CHECK(ours.op(0).group.inside == decltype(operator_models::Group::inside){8, 16});
  CHECK(ours.op(0).in_switch);
  CHECK(ours.set.samples[0].values == std::vector<std::string>{"all-reduce", "2x8", "1048576", "bf16", "1"});
  CHECK(ai.op(0).kind == CollectiveKind::all_to_all);
  CHECK(ai.op(0).group.inside[0] == 8);
  CHECK_FALSE(ai.op(1).in_switch);
  CHECK(std::get<SendRecv>(vidur.set.samples.at(0).op).tier == 1);
  CHECK(vidur.set.samples[0].seconds == doctest::Approx(0.5e-3));
}

TEST_CASE("an exchange of experts sends each token once to every rank that holds one of its experts") {
  const std::string head = "op,dtype,ep,hidden_size,topk,num_experts,num_tokens,latency_us\n";
  const auto bytes = [&](const std::string& row) {
    const ReadTable read(head + "dispatch," + row + ",9000\n");
    REQUIRE(read.first() == "");
    CHECK(read.op(0).kind == CollectiveKind::all_to_all);
    return read.op(0).bytes.value;
  };
  const double token = 7168 * 2;
  CHECK(bytes("bfloat16,2,7168,1,8,4096") == doctest::Approx(4096 * token));
  CHECK(bytes("bfloat16,8,7168,8,8,4096") == doctest::Approx(4096 * token * 8));      // all experts
  CHECK(bytes("bfloat16,2,7168,2,4,4096") == doctest::Approx(4096 * token * 5 / 3));  // 2 (1 - 1 of 6 pairs)
  CHECK(bytes("fp8,4,7168,2,4,4096") == doctest::Approx(4096 * token / 2 * 2));       // two ranks of four
  CHECK(ReadTable(head + "dispatch,bf17,2,7168,1,8,64,9\n").first() == "unknown precision 'bf17'");
  CHECK(ReadTable(head + "dispatch,bfloat16,2,7168,9,8,64,9\n").first() == "is above num_experts 8");
}

TEST_CASE("equally often repeated measurements are runs") {
  const std::string head = "op,dtype,num_gpus,size_bytes,latency_us\n";
  const std::string a = "all_gather,half,8,1048576,25\n", b = "all_gather,half,8,2097152,30\n";
  const auto runs = [&](const std::string& rows) {
    std::string all;
    for (const Sample& s : ReadTable(head + rows).set.samples) all += s.values.back();
    return all;
  };
  CHECK(runs(a + a + b + b) == "1212");
  CHECK(runs(a + a + b) == "111");
}

TEST_CASE("a table of collectives with a mistake names it") {
  const std::string head = "op,num_gpus,size_bytes,latency_us\n";
  CHECK(ReadTable("op,size_bytes,latency_us\n").first().find("no known layout has the columns") == 0);
  CHECK(ReadTable(head + "all_gather,8,1048576,fast\n").first() == "expected a number in 'latency_us', got 'fast'");
  CHECK(ReadTable(head + "all_gather,8,1048576,0\n").first() == "expected 'latency_us' above zero, got 0");
  CHECK(ReadTable(head + "all_gather,8,1048576,12 ms\n").first() == "the cell says '12 ms', its column 'latency_us'");
  CHECK(ReadTable(head + "all_gather,1,1048576,12\n").first() == "a collective has at least two ranks");
  CHECK(ReadTable(head + "all_gather,8,-5,12\n").first() == "expected 'size_bytes' above zero, got -5");
  CHECK(ReadTable(head + "all_gather,8,41e-308,12\n").first() == "expected 'size_bytes' from 1 to 1e+30, got 41e-308");
  CHECK(ReadTable(head + "all_gather,8,1024,1e300\n").first() ==
        "expected 'latency_us' from 1e-30 to 1e+30, got 1e300");
  CHECK(ReadTable(head + "all_gather,8,1073741824,25\n").first().find("GB/s of bus bandwidth are above") !=
        std::string::npos);
  CHECK(ReadTable(head + "barrier,8,1048576,12\n").set.passed_over == 1);
  operator_models::Machine alone = blank();
  alone.network.pop_back();
  CHECK(ReadTable(head + "all_gather,16,1048576,12\n", alone).first() ==
        "16 ranks do not fit into one node of a100-sxm-80gb");
}
