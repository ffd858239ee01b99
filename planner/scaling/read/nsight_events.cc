#include "planner/scaling/read/nsight_events.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <unordered_map>

#include "planner/scaling/read/nsight_sums.h"

namespace planner::scaling {
namespace {

constexpr double kSecondsPerTick = 1e-9;

// Where a table says what an event is called.
enum class Naming {
  string,     // an id of StringIds
  text,       // NVTX: a text, or an id of StringIds
  copy_kind,  // CUDA_MEMCPY_KIND
  none,
};

// Tables of an export (Nsight Systems, SQLite export schema reference). Which kernels are computation, communication
// and memory is Extra-Deep's choice (extra-p/extradeep, application phases): calls of the CUDA runtime and of the
// operating system are computation, kernels of NCCL and MPI wherever it shows are communication (`add`); regions of the
// program hold all three and are none.
struct EventTable {
  const char *table, *kind;
  Naming naming;
  const char *name, *bytes;  // columns; bytes null or not there: it has none
  Category category;
};
constexpr EventTable kTables[] = {
    {"CUPTI_ACTIVITY_KIND_KERNEL", "kernel", Naming::string, "demangledName", nullptr, Category::computation},
    {"CUPTI_ACTIVITY_KIND_RUNTIME", "runtime", Naming::string, "nameId", nullptr, Category::computation},
    {"CUPTI_ACTIVITY_KIND_MEMCPY", "memcpy", Naming::copy_kind, "copyKind", "bytes", Category::memory},
    {"CUPTI_ACTIVITY_KIND_MEMSET", "memset", Naming::none, "0", "bytes", Category::memory},
    {"CUBLAS_EVENTS", "cublas", Naming::string, "nameId", nullptr, Category::computation},
    {"CUDNN_EVENTS", "cudnn", Naming::string, "nameId", nullptr, Category::computation},
    {"NVTX_EVENTS", "nvtx", Naming::text, "textId", nullptr, Category::none},
    {"OSRT_API", "os", Naming::string, "nameId", nullptr, Category::computation},
    {"MPI_P2P_EVENTS", "mpi", Naming::string, "textId", "size", Category::communication},
    {"MPI_COLLECTIVES_EVENTS", "mpi", Naming::string, "textId", "size", Category::communication},
    {"MPI_START_WAIT_EVENTS", "mpi", Naming::string, "textId", nullptr, Category::communication},
    {"MPI_OTHER_EVENTS", "mpi", Naming::string, "textId", nullptr, Category::communication},
};

constexpr const char* kCopyKinds[] = {
    "unknown",        "host to device",         "device to host",         "host to array",           "array to host",
    "array to array", "array to device",        "device to array",        "device to device",        "host to host",
    "peer to peer",   "unified host to device", "unified device to host", "unified device to device"};

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

class KernelReader {
 public:
  KernelReader(Database& database, const Windows& windows, const Strings& strings)
      : database_(database), windows_(windows), strings_(strings) {}

  std::vector<Kernel> read() {
    for (const EventTable& table : kTables)
      if (database_.good() && database_.has(table.table)) read_table(table);
    if (windows_.marked) add_steps();
    std::vector<Kernel> kernels;
    for (auto& [key, kernel] : kernels_) kernels.push_back(std::move(kernel));
    return kernels;
  }

 private:
  void read_table(const EventTable& table) {
    if (!has_columns(table)) return;
    has_bytes_ = table.bytes && database_.has(table.table, table.bytes);
    StepSums sums(windows_);
    texts_.clear();
    texts_in_order_.clear();
    Rows rows(database_, query(table));
    while (rows.next()) {
      if (rows.is_null(1)) continue;  // still running when the profile ended
      const int64_t name = table.naming == Naming::text && !rows.is_null(4) ? id_of(rows.text(4)) : rows.integer(2);
      sums.add(name, rows.integer(0), rows.integer(1), rows.integer(3));
    }
    for (auto& [name, steps] : sums.take()) add(table, name_of(table, name), steps);
  }

  bool has_columns(const EventTable& table) {
    const bool named = table.naming != Naming::none && table.naming != Naming::text;
    for (const char* column : {"start", "end", named ? table.name : "start"}) {
      if (database_.has(table.table, column)) continue;
      database_.fail(fmt::format("table {} has no column '{}'", table.table, column),
                     "export the report anew, with a version of Nsight Systems that is known here");
      return false;
    }
    return true;
  }

  // Columns: start, end, name, bytes, and of NVTX the text.
  std::string query(const EventTable& table) {
    const bool nvtx = table.naming == Naming::text;
    std::string name = nvtx && !database_.has(table.table, table.name) ? "0" : table.name, where;
    if (nvtx) where = " WHERE eventType IN (59, 60, 70, 71)";  // ranges: pushed, started, and those of domains
    if (nvtx && !windows_.categories.empty()) {
      where += " AND (category IS NULL OR category NOT IN (";
      for (const int64_t category : windows_.categories) where += fmt::format("{}, ", category);
      where.replace(where.size() - 2, 2, "))");
    }
    return fmt::format("SELECT start, end, {}, {}{} FROM {}{}", name, has_bytes_ ? table.bytes : "0",
                       nvtx ? ", text" : "", table.table, where);
  }

  // Texts count down from -1, where no id of StringIds is.
  int64_t id_of(std::string_view text) {
    const auto [at, is_new] = texts_.try_emplace(std::string(text), -1 - static_cast<int64_t>(texts_.size()));
    if (!is_new) return at->second;
    texts_in_order_.push_back(&at->first);
    may_hold(text_bytes_ += text.size(), database_);
    return at->second;
  }

  std::string name_of(const EventTable& table, int64_t id) {
    if (table.naming == Naming::none) return "";
    if (table.naming == Naming::copy_kind)
      return id >= 0 && id < std::ssize(kCopyKinds) ? kCopyKinds[id] : fmt::format("kind {}", id);
    if (id < 0 && static_cast<size_t>(-1 - id) < texts_.size()) return *texts_in_order_[static_cast<size_t>(-1 - id)];
    const std::string* text = strings_.find(id);
    return text ? *text : fmt::format("string {}", id);
  }

  void add(const EventTable& table, const std::string& name, const std::vector<StepSum>& steps) {
    const bool mpi = table.naming == Naming::text && name.starts_with("MPI_");  // older exports have no tables of MPI
    const bool nccl = table.category == Category::computation && lower(name).find("nccl") != std::string::npos;
    const std::string callpath = name.empty() ? table.kind : fmt::format("{}->{}", mpi ? "mpi" : table.kind, name);
    const Category category = mpi || nccl ? Category::communication : table.category;
    add_kernel(callpath, category, has_bytes_, steps);
  }

  void add_kernel(const std::string& callpath, Category category, bool has_bytes, const std::vector<StepSum>& steps) {
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
      Kernel& kernel = kernels_[{callpath, phase}];  // two names of one text are one kernel
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
    add_kernel("step", Category::none, false, steps);
  }

  Database& database_;
  const Windows& windows_;
  const Strings& strings_;
  bool has_bytes_ = false;  // this table
  std::unordered_map<std::string, int64_t> texts_;
  std::vector<const std::string*> texts_in_order_;
  size_t text_bytes_ = 0;  // of all tables
  std::map<std::pair<std::string, Phase>, Kernel> kernels_;
};

}  // namespace

std::vector<Kernel> read_kernels(Database& database, const Windows& windows, const Strings& strings) {
  return KernelReader(database, windows, strings).read();
}

}  // namespace planner::scaling
