// The command line as a value, and the streams a command may touch.
#pragma once

#include <cstdint>
#include <istream>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <vector>

namespace cli {

/// Exit statuses of the contract.
enum Status : int {
  kDone = 0,
  kInvalidInput = 1,
  kWrongUsage = 2,
  kNotFeasible = 3,
  kAboveLimit = 4,
  kInterrupted = 130
};

struct Options {
  std::vector<std::string> inputs;  // SCENARIO, FILE..., NAME
  std::string format = "table";
  std::vector<std::string> columns;  // empty: all
  std::string sort;
  std::optional<int64_t> top;
  std::vector<std::string> set;      // "PATH=EXPR", in order
  std::vector<std::string> catalog;  // directories, the first wins
  int64_t threads = 0;               // 0: as many as there are cores; changes no result
  bool timing = false, quiet = false, no_color = false;
  std::string pick;                 // plan: "", "first", "best"
  std::string to;                   // export: the program
  std::string timeline;             // plan: file for the events of the pipeline
  bool roi = false;                 // comm: only the backward GEMMs and their gradients
  bool graph = false;               // ops: what reads what, and the critical paths
  std::string dump;                 // ops: "", "blocks", "workload", "costed"
  std::vector<std::string> group;   // ops: "phase", "sublayer", "kind", "class" ...; outer first
  std::string where;                // validate
  std::optional<double> max_mape;   // validate
  std::string cluster;              // import megatron, calibrate
  std::string gpu, precision;       // calibrate: accelerator and precision that were measured
  std::string kernel, model;        // calibrate: attention kernel; model to fit or score
  std::string score;                // calibrate: catalogue profile to score instead of fitting
  std::string base;                 // calibrate: rows of the base iteration (model baseline)
  std::string kit;                  // calibrate: folder for the measurement scripts
  std::string within;               // calibrate: rows whose errors count
  std::vector<std::string> pareto;  // search: axes of the front
  std::optional<int64_t> verify;    // search: candidates to plan a second time
  bool sensitivity = false;         // search: what the best plan depends on
  std::optional<int64_t> explain;   // search: rank of the plan to hold against the next
  std::string solve, until;         // search: field whose break-even value is sought, and the condition
  std::string shard;                // search: "I/N", one of N parts of the space
  std::string resume;               // search: the JSON of the same search, interrupted
  std::string limit;                // search, sweep: combinations at most, "1e9"
  std::vector<std::string> fit;     // calibrate steps: parameters to fit; empty: those that the rows determine
  // scale:
  std::string modeler, measure, exponents, scaling;  // words; empty: what the data says
  std::string callpath, metric;                      // only these series
  std::optional<double> evaluate_from;               // points from here on are predicted, not fitted
  std::optional<double> reach;                       // largest value of the parameter to look at
  std::vector<double> at;                            // values of the parameter to look at; empty: the points
  std::optional<double> cores, gpus;                 // of a rank
  std::string price, budget, time_limit;             // expressions
  std::vector<std::string> epoch;                    // "KEY=EXPR", in order
  bool advise = false;                               // --plan
  std::string against, vary;                         // a scenario, and the field of it that is the parameter
  // seqpoint:
  std::string scenario, on;                              // what times the lengths; road map of machines to project to
  std::string order;                                     // corpus, sorted, bucketed, shuffled
  std::optional<int64_t> seed, divide, quantum, warmup;  // of batches; of the alternative `prior`
  std::optional<double> threshold;                       // error of the projection
};

/// Data goes to `out`, everything else to `err`.
struct Streams {
  std::istream& in;
  std::ostream& out;
  std::ostream& err;
  bool color = false;     // `err` is a terminal that wants colour
  int width = 80;         // of `out`; 80 where it is no terminal
  bool terminal = false;  // `err` is a terminal
};

/// Bits of the flags that a command takes beside the common ones; a row of the table in options.cc each.
enum Flags : unsigned {
  kReads = 1,      // --set, --threads: commands that read a scenario
  kPick = 2,       // --pick
  kGroup = 4,      // --group, --graph, --dump
  kValidate = 8,   // --where, --max-mape
  kTimeline = 16,  // --timeline
  kImport = 32,    // --cluster
  kCalibrate =
      64,  // --gpu, --precision, --kernel, --model, --score, --base, --within, --fit, --kit, --where, --set, --cluster
  kSearch = 128,     // --pareto, --sensitivity, --explain, --solve, --until, --shard, --resume, --verify
  kExport = 256,     // --to
  kLimit = 512,      // --limit
  kComm = 1024,      // --roi
  kPicture = 2048,   // --format svg
  kScale = 4096,     // --modeler ... --epoch
  kSeqpoint = 8192,  // --scenario, --on, --order, --seed, --divide, --quantum, --threshold, --warmup
};

struct Command {
  const char* name;
  const char* summary;
  const char* argument;  // "SCENARIO", "FILE...", "[KIND]": how many inputs it takes
  unsigned flags;
  int (*function)(const Options&, Streams&);
};

/// What the arguments ask for: a command with its options, or a text to print (--help, --version, a usage line).
struct Request {
  const Command* command = nullptr;
  Options options;
  std::string text;
  int status = kDone;  // without a command: kDone prints to `out`, kWrongUsage to `err`
};

/// `args` without the program's name.
Request parse(const std::vector<std::string>& args, std::span<const Command> commands);
/// "usage: trainplan plan SCENARIO [flags]", the tail of every message about wrong usage.
std::string usage(const Command& command);
/// The flags of a command, for shells: "--format", "--columns", ...
std::vector<std::string> flag_names(const Command& command);

}  // namespace cli
