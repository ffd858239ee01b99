// Parameter servers by hand: who carries what, over which tier, and what the workers no longer do.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>

#include "planner/plan/ops.h"
#include "planner/workload/overlap.h"
#include "planner/workload/placement.h"
#include "tests/planner/sample.h"

using operator_models::SendRecv;
using planner::CommunicationRow;
using planner::Scenario;
using planner::StepPhase;
using sample::llama;
using sample::near;
using sample::Sets;
using sample::operator+;

namespace {

std::string servers(int64_t k) { return "parallelism.servers=" + std::to_string(k); }
const Sets kNodes{"cluster.gpus=64"};

std::map<std::string, CommunicationRow> rows(const Scenario& s) {
  std::map<std::string, CommunicationRow> found;
  for (const CommunicationRow& r : sample::plan(s).communication) found[r.name] = r;
  return found;
}
SendRecv push(const Scenario& s) {
  return std::get<SendRecv>(
      sample::only(sample::workload(s).classes.front().step_ops, "servers.push", StepPhase::backward).op);
}
double parameters(const Scenario& s) { return sample::workload(s).classes.front().trained.sum(); }

}  // namespace

TEST_CASE("the busier link decides: a server's up to as many servers as workers, then a worker's") {
  const double p = parameters(llama());
  for (int64_t k : {1, 4, 32, 64, 256}) {
    CAPTURE(k);
    const Scenario s = llama(kNodes + Sets{servers(k)});
    const double bytes = p * std::max(1.0, 64.0 / static_cast<double>(k));
    const auto found = rows(s);
    CHECK(found.size() == 2);
    CHECK(near(found.at("servers.push").bytes, 4 * bytes));
    CHECK(near(found.at("servers.pull").bytes, 2 * bytes));
    for (const auto& [name, r] : found) {
      CHECK(r.kind == "send-recv");
      CHECK(r.tiers == std::vector<std::string>{"infiniband"});
    }
  }
}

TEST_CASE("a hash deals partitions to machines: the fullest has more than its share, the more so the fewer each has") {
  const double p = parameters(llama());
  const auto crowding = [&](int64_t machines, const char* partition) {
    const std::string gpus = std::to_string(8 * machines);
    const Scenario s = llama({"cluster.gpus=" + gpus, "job.global_batch=" + gpus, servers(8 * machines),
                              std::string("software.partition_bytes=") + partition});
    return push(s).bytes.value / (4 * p);
  };
  CHECK(near(crowding(1, "4 MB"), 1));
  CHECK(near(crowding(4, "0 B"), 1));
  double before = 1;
  for (int64_t machines : {2, 4, 8, 16}) {
    CAPTURE(machines);
    const double some = crowding(machines, "256 MB"), many = crowding(machines, "4 MB");
    CHECK(many < some);
    CHECK(before < some);
    CHECK(some <= static_cast<double>(machines));
    before = some;
  }
}

TEST_CASE("the fullest of sixteen machines as brute force deals it") {
  const Scenario s =
      llama({"cluster.gpus=128", "job.global_batch=128", servers(128), "software.partition_bytes=64 MB"});
  const double share = push(s).bytes.value / (4 * parameters(llama()));
  const auto partitions = static_cast<int>(std::ceil(4 * parameters(llama()) / 64e6));
  std::mt19937 random(1);
  double sum = 0;
  for (int n = 0; n < 2000; ++n) {
    std::array<int, 16> dealt{};
    for (int i = 0; i < partitions; ++i) ++dealt[random() % 16];
    sum += *std::ranges::max_element(dealt);
  }
  CHECK(share * partitions / 16 == doctest::Approx(sum / 2000).epsilon(0.10));
}

TEST_CASE("every rank of every stage pushes what it holds") {
  const Scenario s = llama(kNodes + Sets{servers(1), "parallelism.tp=2", "parallelism.pp=2"});
  const planner::Workload w = sample::workload(s);
  double all = 0;
  for (int c : w.class_of_stage) all += w.classes[static_cast<size_t>(c)].trained.sum() * 2 * 16;
  CHECK(near(push(s).bytes.value, 4 * all));
}

TEST_CASE("time by hand: base, one hop and the bytes at the tier's rate of an all-to-all") {
  const Scenario s = llama(kNodes + Sets{servers(16)});
  const auto& row = s.calibration.collective.contains("infiniband-all-to-all")
                        ? s.calibration.collective.at("infiniband-all-to-all")
                        : s.calibration.collective.at("infiniband");
  const double bytes = push(s).bytes.value;
  const double seconds =
      row.base.value + 2.7e-6 + bytes / (row.efficiency * 25e9) * (1 + std::sqrt(row.half_size.value / bytes));
  CHECK(near(rows(s).at("servers.push").seconds, seconds));
}

TEST_CASE("servers are other machines: even the data ranks of one node reach them through their NICs") {
  CHECK(push(llama({servers(8)})).tier == 1);
  const Sets three{
      "cluster.network=[{name: nvlink, size: 8, bandwidth: 300 GB/s, latency: 1 us}, {name: rail, size: 64, bandwidth: "
      "25 GB/s, latency: 2 us}, {name: spine, bandwidth: 20 GB/s, latency: 3 us}]"};
  CHECK(push(llama(three + Sets{servers(8)})).tier == 1);
  CHECK(push(llama(three + kNodes + Sets{servers(8)})).tier == 1);
  CHECK(push(llama(three + Sets{"cluster.gpus=128", "job.global_batch=128", servers(8)})).tier == 2);
  const Sets island{"cluster.network=[{name: nvlink, size: 8, bandwidth: 300 GB/s, latency: 1 us}]"};
  CHECK(push(llama(island + Sets{servers(8)})).tier == 0);
}

TEST_CASE("workers neither update nor hold states; they still clear their gradients") {
  const Scenario s = llama({servers(8)}), all_reduce = llama();
  const planner::StageMemory with = planner::make_memory(s, sample::workload(s)).stages.front();
  const planner::StageMemory without = planner::make_memory(all_reduce, sample::workload(all_reduce)).stages.front();
  CHECK(with.optimizer == 0);
  CHECK(with.weights == without.weights);
  CHECK(with.gradients == without.gradients);
  double cleared = 0;
  for (const planner::OperatorRow& r : planner::operator_rows(s)) {
    CHECK(r.name != "adam");
    CHECK(r.name != "data.all-reduce");
    if (r.name == "optimizer.zero-gradients") cleared = r.bytes_written;
  }
  CHECK(near(cleared, without.gradients));
  CHECK(sample::plan(s).breakdown->optimizer < sample::plan(all_reduce).breakdown->optimizer);
}

TEST_CASE("push and pull hide by the software's habits, the last layer's share never") {
  const Sets job = kNodes + Sets{servers(64), "model.hidden=2048", "job.sequence=8192"};
  const auto hidden = rows(llama(job));
  for (const char* name : {"servers.push", "servers.pull"}) {
    CHECK(hidden.at(name).exposed_seconds >= hidden.at(name).seconds / 8 * (1 - 1e-9));
    CHECK(hidden.at(name).exposed_seconds < hidden.at(name).seconds);
  }
  const auto seen = rows(llama(job + Sets{"software.overlap={gradients: false, parameters: false}"}));
  for (const char* name : {"servers.push", "servers.pull"}) CHECK(seen.at(name).hidden_seconds == 0);
}

TEST_CASE("more servers never slow a step, nor does a faster network") {
  double last = 1e300;
  for (int64_t k : {1, 2, 8, 32, 64, 128}) {
    const double now = sample::plan(llama(kNodes + Sets{servers(k)})).step->seconds;
    CHECK(now <= last);
    last = now;
  }
  last = 1e300;
  for (const char* rate : {"5 GB/s", "25 GB/s", "100 GB/s"}) {
    const double now =
        sample::plan(llama(kNodes + Sets{servers(4), "cluster.network[1].bandwidth=" + std::string(rate)}))
            .step->seconds;
    CHECK(now < last);
    last = now;
  }
}

TEST_CASE("a tied embedding is summed by the servers, and no collective is left") {
  const Scenario s = sample::gpt({servers(8), "parallelism.pp=2"});
  for (const CommunicationRow& r : sample::plan(s).communication) CHECK(r.name != "embedding.all-reduce");
}

TEST_CASE("servers with offloaded weights: nothing goes through the device to the host") {
  const Sets host{"cluster.host={bandwidth: 20 GB/s, memory: 1 TB, memory_bandwidth: 400 GB/s}"};
  const auto found = rows(llama(host + Sets{servers(8), "parallelism.offload.weights=1"}));
  CHECK(found.contains("offload.weights"));
  CHECK_FALSE(found.contains("offload.updated"));
}

TEST_CASE("ranks of a node that sum first push a part each, and gather what comes back") {
  const double p = parameters(llama());
  for (int64_t k : {1, 4, 8, 64}) {
    CAPTURE(k);
    const auto found = rows(llama(kNodes + Sets{servers(k), "software.sums_in_node=true"}));
    CHECK(found.size() == 4);
    // 64 ranks in nodes of 8: each pushes an eighth, and the servers take that of 64.
    const double bytes = p / 8 * std::max(1.0, 64.0 / static_cast<double>(k));
    CHECK(near(found.at("servers.push").bytes, 4 * bytes));
    CHECK(near(found.at("servers.pull").bytes, 2 * bytes));
    CHECK(near(found.at("servers.reduce-scatter").bytes, 4 * p));
    CHECK(near(found.at("servers.all-gather").bytes, 2 * p));
    for (const char* name : {"servers.reduce-scatter", "servers.all-gather"}) {
      CHECK(found.at(name).ranks == 8);
      CHECK(found.at(name).tiers == std::vector<std::string>{"nvlink"});
    }
  }
}

TEST_CASE("partitions take a base each, and leave one of the way back") {
  // One machine's, which serves all partitions: each of its eight links carries what eight of the ranks push.
  const Sets base = kNodes + Sets{servers(8), "software.gather_bytes=4"};
  const double p = parameters(llama(base)), gradients = 4 * p, carried = 8 * gradients;
  const auto whole = rows(llama(base));
  for (const double parts : {2.0, 5.0, 40.0}) {
    CAPTURE(parts);
    Scenario s = llama(base);
    s.software.partition_bytes = {gradients / parts * 1.0001};
    const auto found = rows(s);
    CHECK(push(s).messages == parts);
    CHECK(near(found.at("servers.push").bytes, carried));
    CHECK(near(found.at("servers.pull").bytes, carried / parts));
    const double more = found.at("servers.push").seconds - whole.at("servers.push").seconds, each = more / (parts - 1);
    CHECK(each > 1e-6);
    CHECK(each < 1e-4);
  }
  const Scenario more_back =
      llama(kNodes + Sets{servers(64), "software.gather_bytes=8", "software.partition_bytes=1 MB"});
  CHECK(rows(more_back).at("servers.pull").bytes > 4 * p);  // what pulls are more than pushes
}
