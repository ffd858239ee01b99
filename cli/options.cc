// Arguments -> Request. The only user of CLI11; its exceptions end here.
#include "cli/options.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <array>
#include <limits>

#include "cli/graph_report.h"
#include "cli/render.h"

namespace cli {
namespace {

struct FlagRow {
  unsigned bit;  // command flag, or 0: every command
  const char* name;
  const char* value;  // placeholder; "": a switch
  const char* help;
  void (*add)(CLI::App&, const FlagRow&, Options&);
};

template <auto member> void add_value(CLI::App& app, const FlagRow& row, Options& options) {
  app.add_option(row.name, options.*member)->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}
template <auto member> void add_positive(CLI::App& app, const FlagRow& row, Options& options) {
  app.add_option(row.name, options.*member)
      ->check(CLI::PositiveNumber)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}
template <auto member> void add_switch(CLI::App& app, const FlagRow& row, Options& options) {
  app.add_flag(row.name, options.*member);
}
/// One value for each time the flag is given: `--set a=1 FILE` keeps FILE, `--set a=[4,8]` its brackets.
template <auto member> void add_repeated(CLI::App& app, const FlagRow& row, Options& options) {
  app.add_option(row.name, options.*member)->allow_extra_args(false);
}
template <auto member> void add_list(CLI::App& app, const FlagRow& row, Options& options) {
  app.add_option(row.name, options.*member)->delimiter(',')->allow_extra_args(false);
}
/// The value's placeholder lists what it may be: "table|json|csv".
template <auto member> void add_word(CLI::App& app, const FlagRow& row, Options& options) {
  app.add_option(row.name, options.*member)
      ->check(CLI::IsMember(CLI::detail::split(row.value, '|')))
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
}
/// Several of them.
template <auto member> void add_words(CLI::App& app, const FlagRow& row, Options& options) {
  app.add_option(row.name, options.*member)
      ->check(CLI::IsMember(CLI::detail::split(row.value, '|')))
      ->delimiter(',')
      ->allow_extra_args(false)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

constexpr std::array kFlags{
    FlagRow{
        0, "--format", "table|json|ndjson|csv|tsv|md|svg|dot",
        "how the result is printed (table); svg is a picture, of commands that have one, dot the graph of ops --graph",
        add_word<&Options::format>},
    FlagRow{0, "--columns", "A,B", "only these columns, in this order", add_list<&Options::columns>},
    FlagRow{0, "--sort", "KEY", "rows by a column: numbers largest first, text A to Z; KEY:asc and KEY:desc say which",
            add_value<&Options::sort>},
    FlagRow{0, "--top", "N", "the first N rows", add_positive<&Options::top>},
    FlagRow{kReads | kValidate | kCalibrate | kScale, "--set", "PATH=EXPR",
            "a field's value, as if written in the scenario; repeatable", add_repeated<&Options::set>},
    FlagRow{0, "--catalog", "DIR", "catalogue files that come before the built-in ones; repeatable",
            add_repeated<&Options::catalog>},
    FlagRow{kReads, "--threads", "N", "threads; never changes the result", add_positive<&Options::threads>},
    FlagRow{kPick, "--pick", "first|best", "which value of an open choice to take", add_word<&Options::pick>},
    FlagRow{kExport, "--to", "megatron|deepspeed|torchtitan|nemo", "the program that runs the plan",
            add_value<&Options::to>},
    FlagRow{kSearch, "--pareto", "A,B", "the plans that no other beats on all of these results: days,usd,gpus ...",
            add_list<&Options::pareto>},
    FlagRow{kSearch, "--sensitivity", "",
            "what the best plan depends on: peak rates, bandwidths, latencies, memory, price",
            add_switch<&Options::sensitivity>},
    FlagRow{kSearch, "--explain", "N",
            "where the time of row N goes against the next row, and what would turn their order",
            add_positive<&Options::explain>},
    FlagRow{kSearch, "--solve", "PATH", "the value of this field at which --until begins to hold for the best plan",
            add_value<&Options::solve>},
    FlagRow{kSearch, "--until", "CONDITION", "of --solve: over results and fields, as in 'mfu >= 0.45'",
            add_value<&Options::until>},
    FlagRow{kSearch, "--shard", "I/N", "walks the I-th of N parts of the space; `merge` unites the results",
            add_value<&Options::shard>},
    FlagRow{kSearch, "--resume", "FILE", "goes on with a search that Ctrl-C stopped: FILE is the JSON that it printed",
            add_value<&Options::resume>},
    FlagRow{kLimit, "--limit", "N", "an error where the choices have more combinations (1e12)",
            add_value<&Options::limit>},
    FlagRow{kSearch, "--verify", "N", "plans N of the candidates again, one by one; any bit of difference is an error",
            add_positive<&Options::verify>},
    FlagRow{kTimeline, "--timeline", "FILE",
            "the events of the pipeline, in the trace-event format of Perfetto and Chrome",
            add_value<&Options::timeline>},
    FlagRow{kComm, "--roi", "", "only the backward GEMMs and the collective of their gradients",
            add_switch<&Options::roi>},
    FlagRow{kGroup, "--group", "phase|layer|sublayer|kind|class|part|bound|model|provenance",
            "sums of the operators that share a value, or several: A,B", add_words<&Options::group>},
    FlagRow{kGroup, "--graph", "", "what reads what: critical paths of the blocks, and operators that run side by side",
            add_switch<&Options::graph>},
    FlagRow{kGroup, "--dump", "blocks|workload|costed", "every value of the step as text, an operator a line",
            add_word<&Options::dump>},
    FlagRow{kSeqpoint, "--scenario", "FILE", "model and machine that time lengths, and are projected from",
            add_value<&Options::scenario>},
    FlagRow{kSeqpoint, "--on", "ROADMAP",
            "other machines to project to: a preset, or steps as under roadmap:", add_value<&Options::on>},
    FlagRow{kSeqpoint, "--order", "corpus|sorted|bucketed|shuffled", "of a data set's sequences, or batches (corpus)",
            add_word<&Options::order>},
    FlagRow{kSeqpoint, "--seed", "N", "of bucketed and shuffled (1)", add_positive<&Options::seed>},
    FlagRow{kSeqpoint, "--divide", "N", "units of the data in one of job.sequence: 160 samples in a frame (1)",
            add_positive<&Options::divide>},
    FlagRow{kSeqpoint, "--quantum", "N", "batches are padded to a multiple of N units of job.sequence (1)",
            add_positive<&Options::quantum>},
    FlagRow{kSeqpoint, "--threshold", "X", "largest error of the projection, a fraction (0.001)",
            add_value<&Options::threshold>},
    FlagRow{kSeqpoint, "--warmup", "N", "iterations before the 50 of the alternative 'prior' (50)",
            add_value<&Options::warmup>},
    FlagRow{kCalibrate, "--gpu", "NAME", "catalogue name of the accelerator that was measured",
            add_value<&Options::gpu>},
    FlagRow{kCalibrate, "--precision", "NAME", "precision of the data where no column says it (bf16)",
            add_value<&Options::precision>},
    FlagRow{kCalibrate, "--kernel", "NAME", "attention: row of the calibration that the data is of",
            add_value<&Options::kernel>},
    FlagRow{kCalibrate, "--model", "NAME", "model to fit or to score; the first of the kind if not given",
            add_value<&Options::model>},
    FlagRow{kCalibrate, "--score", "NAME", "fits nothing: scores a catalogue profile on the data",
            add_value<&Options::score>},
    FlagRow{kCalibrate, "--kit", "DIR", "writes the scripts that measure a machine into DIR, and nothing else",
            add_value<&Options::kit>},
    FlagRow{kCalibrate, "--base", "EXPR", "model baseline: the rows that the others are projected from",
            add_value<&Options::base>},
    FlagRow{kCalibrate, "--within", "EXPR", "errors count only the rows for which the expression holds",
            add_value<&Options::within>},
    FlagRow{kCalibrate, "--fit", "PATH", "steps: fit this parameter, and no other that is not named; repeatable",
            add_repeated<&Options::fit>},
    FlagRow{kValidate | kCalibrate, "--where", "EXPR", "only the rows for which the expression holds",
            add_value<&Options::where>},
    FlagRow{kValidate, "--max-mape", "X", "exit status 4 if the mean error is above X", add_value<&Options::max_mape>},
    FlagRow{kImport | kCalibrate, "--cluster", "NAME", "catalogue name of the cluster, which the input does not say",
            add_value<&Options::cluster>},
    FlagRow{kScale, "--callpath", "NAME", "only the series of this call path", add_value<&Options::callpath>},
    FlagRow{kScale, "--metric", "NAME", "only the series of this metric", add_value<&Options::metric>},
    FlagRow{kScale, "--modeler", "basic|refining|segmented", "how series of one parameter are fitted (basic)",
            add_word<&Options::modeler>},
    FlagRow{kScale, "--measure", "mean|median", "what stands for the repetitions of a point (mean; of profiles median)",
            add_word<&Options::measure>},
    FlagRow{kScale, "--exponents", "default|negative",
            "whether exponents below zero are tried (where a time falls with a parameter)",
            add_word<&Options::exponents>},
    FlagRow{kScale, "--epoch", "KEY=EXPR",
            "from steps to epochs: training, validation (samples), batch, ranks, model_parallel; repeatable",
            add_repeated<&Options::epoch>},
    FlagRow{kScale, "--evaluate-from", "X", "points from here on are not fitted but predicted, with their errors",
            add_positive<&Options::evaluate_from>},
    FlagRow{kScale, "--at", "X,Y", "values of the first parameter to look at (the measured points)",
            add_list<&Options::at>},
    FlagRow{kScale, "--reach", "X", "largest value of the first parameter that is considered (16 x the largest point)",
            add_positive<&Options::reach>},
    FlagRow{kScale, "--scaling", "weak|strong", "whether the work grows with the ranks (strong where times fall)",
            add_word<&Options::scaling>},
    FlagRow{kScale, "--cores", "N", "CPU cores of a rank (1)", add_positive<&Options::cores>},
    FlagRow{kScale, "--gpus", "N", "GPUs of a rank (1)", add_positive<&Options::gpus>},
    FlagRow{kScale, "--price", "EXPR",
            "cost of a configuration, over seconds, core_hours, gpu_hours and the parameters (core_hours)",
            add_value<&Options::price>},
    FlagRow{kScale, "--budget", "EXPR", "the most that a configuration may cost", add_value<&Options::budget>},
    FlagRow{kScale, "--time-limit", "EXPR", "the longest that it may take, as in '40 s'",
            add_value<&Options::time_limit>},
    FlagRow{kScale, "--plan", "", "which points to measure next", add_switch<&Options::advise>},
    FlagRow{kScale, "--against", "SCENARIO", "the planner's step beside the model, at each value of the parameter",
            add_value<&Options::against>},
    FlagRow{kScale, "--vary", "PATH", "of --against: the field that is the parameter (cluster.gpus)",
            add_value<&Options::vary>},
    FlagRow{0, "--timing", "", "the tool's own times, on standard error", add_switch<&Options::timing>},
    FlagRow{0, "--quiet", "", "no warnings", add_switch<&Options::quiet>},
    FlagRow{0, "--no-color", "", "no colour in messages (also: NO_COLOR in the environment)",
            add_switch<&Options::no_color>},
};

bool takes(const Command& command, const FlagRow& row) { return row.bit == 0 || (command.flags & row.bit); }

/// How many there may be is checked after parsing, for a message that names the one too many.
void add_inputs(CLI::App& app, const Command& command, Options& options) {
  const std::string argument = command.argument;
  app.add_option(argument.substr(argument.rfind(' ') + 1), options.inputs)->required(argument.front() != '[');
}

/// How many inputs there may be: one for each word, any number behind "...".
size_t most_inputs(const Command& command) {
  const std::string_view argument = command.argument;
  if (argument.ends_with("...")) return std::numeric_limits<size_t>::max();
  return 1 + static_cast<size_t>(std::count(argument.begin(), argument.end(), ' '));
}

/// "A is required" is CLI11's word of the first; the same of those behind it.
std::string missing_input(const Command& command, const Options& options) {
  const std::string argument = command.argument;
  const bool fixed = argument.find_first_of("[.") == std::string::npos;
  if (!fixed || options.inputs.size() >= most_inputs(command)) return "";
  return argument.substr(argument.rfind(' ') + 1) + " is required";
}

std::string help(const Command& command) {
  std::string text = fmt::format("{}\n\n{}\n\nflags:\n", usage(command), command.summary);
  for (const FlagRow& row : kFlags) {
    if (!takes(command, row)) continue;
    std::string left = fmt::format("{} {}", row.name, row.value);
    // A long left side stands on a line of its own.
    std::string gap = left.size() > 20 ? "\n" + std::string(24, ' ') : std::string(22 - left.size(), ' ');
    text += "  " + left;
    for (const std::string& line : wrapped(row.help, 56)) {
      text += gap + line;
      gap = "\n" + std::string(24, ' ');
    }
    text += '\n';
  }
  return text;
}

std::string overview(std::span<const Command> commands) {
  std::string text =
      "usage: trainplan COMMAND ... [flags]\n\nWhat a training run will take - time, memory, money - before anything "
      "is rented.\n\ncommands:\n";
  for (const Command& c : commands)
    text += fmt::format("  {:<20}  {}\n", fmt::format("{} {}", c.name, c.argument), c.summary);
  return text + "\ntrainplan COMMAND --help lists a command's flags; trainplan --version prints the version.\n";
}

Request wrong(std::string message, const std::string& usage_line) {
  return {
      .command = nullptr, .options = {}, .text = fmt::format("{}; {}\n", message, usage_line), .status = kWrongUsage};
}

Request unknown_command(const std::string& name, std::span<const Command> commands) {
  std::vector<std::string> names;
  for (const Command& c : commands) names.emplace_back(c.name);
  std::string hint = dsl::did_you_mean(name, names);
  const char* what = name.starts_with('-') ? "flag" : "command";
  return wrong(fmt::format("trainplan: unknown {} '{}'{}{}", what, name, hint.empty() ? "" : ", ", hint),
               "usage: trainplan COMMAND ... (trainplan --help lists the commands)");
}

/// What an unexpected argument was: a flag with a typing mistake, or one input too many.
std::string unexpected(const CLI::App& app, const Command& command) {
  std::vector<std::string> left = app.remaining();
  std::string word = left.empty() ? "" : left.front();
  if (!word.starts_with('-')) return fmt::format("unexpected argument '{}'", word);
  std::string hint = dsl::did_you_mean(word.substr(0, word.find('=')), flag_names(command));
  return fmt::format("unknown flag '{}'{}{}", word, hint.empty() ? "" : ", ", hint);
}

/// "--num-layers 2 --hidden-size 64" as one argument is a text, though it begins like a flag: behind "--" it is an
/// input.
std::vector<std::string> texts_last(std::vector<std::string> args) {
  if (std::find(args.begin(), args.end(), "--") != args.end()) return args;
  const auto is_flag = [](const std::string& a) {
    return !a.starts_with("--") || a.find_first_of(" \t\n") >= std::min(a.find('='), a.size());
  };
  const auto texts = std::stable_partition(args.begin(), args.end(), is_flag);
  if (texts != args.end()) args.insert(texts, "--");
  return args;
}

/// --format svg of a command without a picture, or with flags that say something about rows.
std::string wrong_picture(const Command& command, const Options& options, std::span<const Command> commands) {
  if (options.format != "svg") return "";
  if (command.flags & kPicture)
    return options.columns.empty() && options.sort.empty() ? ""
                                                           : "--columns and --sort pick rows, and a picture has none";
  std::string names;
  for (const Command& c : commands)
    if (c.flags & kPicture) names += (names.empty() ? "" : ", ") + std::string(c.name);
  return fmt::format("--format svg: there is no picture of {}; there is one of {}", command.name, names);
}

Request parse_command(const Command& command, std::vector<std::string> args, std::span<const Command> commands) {
  Request request{.command = &command, .options = {}, .text = "", .status = kDone};
  CLI::App app;
  app.name(fmt::format("trainplan {}", command.name));
  for (const FlagRow& row : kFlags)
    if (takes(command, row)) row.add(app, row, request.options);
  add_inputs(app, command, request.options);
  std::string message;
  if (command.flags & kImport) args = texts_last(std::move(args));
  try {
    app.parse(std::vector<std::string>(args.rbegin(), args.rend()));
    const size_t most = most_inputs(command);
    message = request.options.inputs.size() > most
                  ? fmt::format("unexpected argument '{}'", request.options.inputs[most])
                  : missing_input(command, request.options);
    if (message.empty()) message = wrong_graph(request.options);
    if (message.empty()) message = wrong_picture(command, request.options, commands);
    if (message.empty()) return request;
  } catch (const CLI::CallForHelp&) {
    return {.command = nullptr, .options = {}, .text = help(command), .status = kDone};
  } catch (const CLI::ExtrasError&) {
    message = unexpected(app, command);
  } catch (const CLI::Error& e) {
    message = e.what();
  }
  return wrong(fmt::format("trainplan {}: {}", command.name, message), usage(command));
}

}  // namespace

std::string usage(const Command& command) {
  return fmt::format("usage: trainplan {} {} [flags]", command.name, command.argument);
}

std::vector<std::string> flag_names(const Command& command) {
  std::vector<std::string> names;
  for (const FlagRow& row : kFlags)
    if (takes(command, row)) names.emplace_back(row.name);
  names.emplace_back("--help");
  return names;
}

Request parse(const std::vector<std::string>& args, std::span<const Command> commands) {
  std::string first = args.empty() ? "" : args[0];
  if (first == "--version")
    return {.command = nullptr, .options = {}, .text = "trainplan " TRAINPLAN_VERSION "\n", .status = kDone};
  if (first == "--help" || first == "-h" || first == "help")
    return {.command = nullptr, .options = {}, .text = overview(commands), .status = kDone};
  if (first.empty())
    return wrong("trainplan: no command", "usage: trainplan COMMAND ... (trainplan --help lists the commands)");
  for (const Command& c : commands)
    if (first == c.name) return parse_command(c, {args.begin() + 1, args.end()}, commands);
  return unknown_command(first, commands);
}

}  // namespace cli
