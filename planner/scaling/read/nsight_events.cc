#include "planner/scaling/read/nsight_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>

#include "dsl/lower_case.h"

namespace planner::scaling {
namespace {

using trace::NsightNaming;
using trace::NsightRows;

// The assignment of kernels to computation, communication and memory is Extra-Deep's (extra-p/extradeep, application
// phases). Calls of the CUDA runtime and of the operating system are computation. Kernels of NCCL and MPI are
// communication wherever they appear (`add`). Regions of the program hold all three and belong to none.
struct EventTable {
  const trace::NsightTable& table;
  const char* kind;
  KernelCategory category;
};
constexpr EventTable kTables[] = {
    {trace::kNsightKernels, "kernel", KernelCategory::computation},
    {trace::kNsightCalls, "runtime", KernelCategory::computation},
    {trace::kNsightCopies, "memcpy", KernelCategory::memory},
    {trace::kNsightFills, "memset", KernelCategory::memory},
    {trace::kNsightCublas, "cublas", KernelCategory::computation},
    {trace::kNsightCudnn, "cudnn", KernelCategory::computation},
    {trace::kNsightRanges, "nvtx", KernelCategory::none},
    {trace::kNsightOs, "os", KernelCategory::computation},
    {trace::kNsightMpi[0], "mpi", KernelCategory::communication},
    {trace::kNsightMpi[1], "mpi", KernelCategory::communication},
    {trace::kNsightMpi[2], "mpi", KernelCategory::communication},
    {trace::kNsightMpi[3], "mpi", KernelCategory::communication},
};

class KernelReader {
 public:
  KernelReader(Database& database, const StepWindows& windows, const Strings& strings)
      : database_(database), windows_(windows), strings_(strings) {}

  std::vector<StepKernel> read() {
    for (const EventTable& table : kTables)
      if (database_.good() && database_.has(table.table.name)) read_table(table);
    if (windows_.marked) add_steps();
    std::vector<StepKernel> kernels;
    for (auto& [key, kernel] : kernels_) kernels.push_back(std::move(kernel));
    return kernels;
  }

 private:
  void read_table(const EventTable& table) {
    StepSums sums(windows_);
    texts_.clear();
    texts_in_order_.clear();
    NsightRows rows(database_, table.table, {}, where(table));
    has_bytes_ = rows.has_bytes();
    while (rows.next()) {
      if (!rows.has_ended()) continue;
      const int64_t name = rows.has_text() ? id_of(rows.text()) : rows.number();
      sums.add(name, rows.start(), rows.end(), rows.bytes());
    }
    for (auto& [name, steps] : sums.take()) add(table, name_of(table, name), steps);
  }

  // Of NVTX ranges those that mark no steps.
  std::string where(const EventTable& table) {
    if (table.table.naming != NsightNaming::text) return "";
    std::string where = trace::kNsightIsRange;
    if (windows_.categories.empty()) return where;
    where += " AND (category IS NULL OR category NOT IN (";
    for (const int64_t category : windows_.categories) where += fmt::format("{}, ", category);
    return where.replace(where.size() - 2, 2, "))");
  }

  // Texts count down from -1, where no id of StringIds is.
  int64_t id_of(std::string_view text) {
    const auto [at, is_new] = texts_.try_emplace(std::string(text), -1 - static_cast<int64_t>(texts_.size()));
    if (!is_new) return at->second;
    texts_in_order_.push_back(&at->first);
    trace::may_hold(text_bytes_ += text.size(), database_);
    return at->second;
  }

  std::string name_of(const EventTable& table, int64_t id) {
    if (id < 0 && static_cast<size_t>(-1 - id) < texts_.size()) return *texts_in_order_[static_cast<size_t>(-1 - id)];
    return trace::nsight_name(table.table, id, strings_);
  }

  void add(const EventTable& table, const std::string& name, const std::vector<StepSum>& steps) {
    const bool mpi =
        table.table.naming == NsightNaming::text && name.starts_with("MPI_");  // older exports have no tables of MPI
    const bool nccl =
        table.category == KernelCategory::computation && dsl::lower_case(name).find("nccl") != std::string::npos;
    const std::string callpath = name.empty() ? table.kind : fmt::format("{}->{}", mpi ? "mpi" : table.kind, name);
    const KernelCategory category = mpi || nccl ? KernelCategory::communication : table.category;
    add_kernel(callpath, category, has_bytes_, steps);
  }

  void add_kernel(const std::string& callpath, KernelCategory category, bool has_bytes,
                  const std::vector<StepSum>& steps) {
    for (const Phase phase : {Phase::training, Phase::validation}) {
      std::vector<double> time, visits, bytes;
      for (const StepSum& step : steps) {
        if (windows_.list[step.window].phase != phase) continue;
        time.push_back(step.time);
        visits.push_back(step.visits);
        bytes.push_back(step.bytes);
      }
      if (visits.empty()) continue;
      const size_t count = windows_.count(phase);
      StepKernel& kernel = kernels_[{callpath, phase}];  // two names of one text are one kernel
      kernel.callpath = callpath;
      kernel.category = category;
      kernel.phase = phase;
      kernel.time += median_with_zeros(time, count) * kSecondsPerTick;
      kernel.visits += median_with_zeros(visits, count);
      kernel.bytes += median_with_zeros(bytes, count);
      kernel.has_bytes |= has_bytes;
    }
  }

  void add_steps() {
    std::vector<StepSum> steps;
    for (size_t i = 0; i < windows_.list.size(); ++i) steps.push_back({i, windows_.list[i].length, 1, 0});
    add_kernel("step", KernelCategory::none, false, steps);
  }

  Database& database_;
  const StepWindows& windows_;
  const Strings& strings_;
  bool has_bytes_ = false;  // this table
  std::unordered_map<std::string, int64_t> texts_;
  std::vector<const std::string*> texts_in_order_;
  size_t text_bytes_ = 0;  // of all tables
  std::map<std::pair<std::string, Phase>, StepKernel> kernels_;
};

}  // namespace

bool StepSums::find_window(int64_t start) {
  const auto holds = [&](const StepWindow& window) { return window.start <= start && start < window.end; };
  if (window_ < windows_.size() && holds(windows_[window_])) return true;
  const auto after = std::upper_bound(windows_.begin(), windows_.end(), start,
                                      [](int64_t time, const StepWindow& window) { return time < window.start; });
  if (after == windows_.begin() || !holds(after[-1])) return false;
  window_ = static_cast<size_t>(after - windows_.begin()) - 1;
  return true;
}

void StepSums::add(int64_t name, int64_t start, int64_t end, int64_t bytes) {
  if (!find_window(start)) return;
  if (!last_ || last_name_ != name) {
    last_ = &sums_[name];
    last_name_ = name;
  }
  if (last_->empty() || last_->back().window != window_) last_->push_back({window_});
  StepSum& sum = last_->back();
  sum.time += static_cast<double>(end) - static_cast<double>(start);
  sum.visits += 1;
  sum.bytes += static_cast<double>(bytes);
}

std::unordered_map<int64_t, std::vector<StepSum>> StepSums::take() {
  for (auto& [name, sums] : sums_) {
    std::stable_sort(sums.begin(), sums.end(), [](const StepSum& a, const StepSum& b) { return a.window < b.window; });
    size_t kept = 0;
    for (size_t i = 1; i < sums.size(); ++i) {
      if (sums[i].window != sums[kept].window) {
        sums[++kept] = sums[i];
        continue;
      }
      sums[kept].time += sums[i].time;
      sums[kept].visits += sums[i].visits;
      sums[kept].bytes += sums[i].bytes;
    }
    sums.resize(kept + 1);
  }
  last_ = nullptr;
  return std::move(sums_);
}

double median_with_zeros(std::vector<double>& values, size_t count) {
  values.resize(std::max(values.size(), count));
  const size_t middle = values.size() / 2;
  if (values.empty()) return 0;
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle), values.end());
  const double upper = values[middle];
  if (values.size() % 2 == 1) return upper;
  return (upper + *std::max_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(middle))) / 2;
}

std::vector<StepKernel> read_kernels(Database& database, const StepWindows& windows, const Strings& strings) {
  return KernelReader(database, windows, strings).read();
}

}  // namespace planner::scaling
