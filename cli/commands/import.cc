#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/args/words.h"
#include "cli/commands/commands.h"
#include "cli/commands/flags.h"
#include "cli/input/foreign.h"
#include "dsl/node_path.h"
#include "dsl/quoting.h"
#include "dsl/read_text.h"
#include "dsl/write.h"
#include "planner/import/core_config.h"
#include "planner/import/deepspeed.h"
#include "planner/import/field_tree.h"
#include "planner/import/gpt_neox.h"
#include "planner/import/hf.h"
#include "planner/import/megatron.h"
#include "planner/import/noted_fields.h"
#include "planner/import/primus.h"
#include "planner/import/run_kinds.h"
#include "planner/import/torchtitan.h"
#include "planner/import/trainer.h"
#include "planner/scenario/vocabulary.h"
#include "planner/shell/read_shell.h"
#include "planner/shell/syntax.h"
#include "planner/studies/start/start.h"

namespace cli {
namespace {

struct ImportFlags {
  CommonFlags common;
  std::string cluster;           // of the catalogue
  std::string model;             // as `use` takes it
  std::string as;                // an architecture of Hugging Face
  std::vector<std::string> env;  // "NAME=VALUE" of a script's surroundings
  std::string args;              // words of a script's arguments
};

constexpr std::array kImportRows{
    flag<&ImportFlags::cluster>(
        {"--cluster", "NAME",
         "the cluster, by its catalogue name, if the input does not name it; with hf it makes a whole scenario"}),
    flag<&ImportFlags::model>(
        {"--model", "NAME",
         "the model, from the catalogue or hf:PATH, if the input does not name it (not with hf and megatron)"}),
    flag<&ImportFlags::as>(
        {"--as", "NAME", "hf: read the configuration as this architecture or model_type, whatever it names"}),
    flag<&ImportFlags::env>(
        {"--env", "NAME=VALUE", "a variable that a launch script expects to be set; may be given several times"}),
    flag<&ImportFlags::args>({"--args", "WORDS", "the arguments of a launch script: its $1, $2 and so on"}),
};
constexpr auto kImportFlags = plain_flags(kImportRows);

struct ImportFormat {
  const char *name, *input, *title;
  int (*function)(const ImportFlags&, Streams&, Session&);  // null: `read` reads the files
  planner::RunReader read = nullptr;
};

/// Mistakes that only the types and limits of the fields show, at their places in the configuration.
void check_model(const dsl::Node& model, Session& session) {
  dsl::Node scenario;
  planner::put_field(scenario, "model", model, model.span);
  const dsl::Schema schema = dsl::schema_of<planner::Model>("model.");
  dsl::evaluate(scenario, schema, {.vocabulary = planner::vocabulary()}, session.diagnostics);
}

/// With a cluster it is a whole scenario, as `init` makes it.
int start_with_hf(const ImportFlags& options, Streams& streams, Session& session) {
  const planner::StartQuestion question{.model = "hf:" + options.common.inputs[1], .cluster = options.cluster};
  const std::optional<std::string> text =
      planner::starting_scenario(question, session.catalog, session.sources, session.diagnostics);
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  streams.out << *text;
  return kDone;
}

int import_hf(const ImportFlags& options, Streams& streams, Session& session) {
  if (!options.cluster.empty()) return start_with_hf(options, streams, session);
  const std::string& path = options.common.inputs[1];
  std::error_code error;
  const bool folder = std::filesystem::is_directory(path, error);
  const dsl::Source* source =
      read_input(folder ? path + "/config.json" : path, streams, session, planner::kHfLimits.bytes);
  dsl::Node model = dsl::broken_node();
  if (source) model = dsl::parse_json(*source, session.diagnostics, planner::kHfLimits);
  if (!model.broken) model = planner::convert_hf_as(model, options.as, session.diagnostics);
  if (!model.broken) check_model(model, session);
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  planner::order_fields(model, dsl::schema_of<planner::Model>());
  streams.out << "# " << dsl::printable(fmt::format("{}, from {}", model.find("name")->text, source->name)) << "\n"
              << dsl::write_yaml(model);
  return kDone;
}

/// "run.sh": a name that no launch line is, whether the file is there or not.
bool is_file_name(std::string_view word) {
  constexpr std::string_view kEndings[] = {".sh",  ".bash", ".slurm", ".sbatch", ".yaml",
                                           ".yml", ".json", ".toml",  ".py"};
  return !word.starts_with('@') && word.find_first_of(" \t\n") == std::string_view::npos &&
         std::ranges::any_of(kEndings, [&](std::string_view ending) { return word.ends_with(ending); });
}

/// The inputs from `from` on as one line of shell; a single one may be the line itself, a file, "@FILE" or "-".
const dsl::Source* launch_text(const ImportFlags& options, size_t from, Streams& streams, Session& session) {
  const std::vector<std::string>& inputs = options.common.inputs;
  const std::string& first = inputs[from];
  const bool alone = inputs.size() == from + 1;
  if (alone && (first == "-" || dsl::is_text_file(first) || is_file_name(first)))
    return read_input(first, streams, session);
  if (alone && first.starts_with('@')) return read_input(first.substr(1), streams, session);
  std::string line;
  for (size_t i = from; i < inputs.size(); ++i) {
    const std::string& word = inputs[i];
    const bool plain = alone || word.find_first_of(" \t\n'\"\\$;&|()#") == std::string::npos;
    line += (i > from ? " " : "") + (plain ? word : dsl::single_quoted(word));
  }
  return &session.sources.emplace_back(dsl::Source{"<flags>", std::move(line), "."});
}

/// A number, or a product of some and of fields that are.
bool is_figure(std::string_view text, const dsl::Node& scenario) {
  constexpr std::string_view kTimes = " * ";
  if (const size_t at = text.find(kTimes); at != std::string_view::npos)
    return is_figure(text.substr(0, at), scenario) && is_figure(text.substr(at + kTimes.size()), scenario);
  const dsl::Node* field = dsl::node_at(scenario, text);
  if (field && field != &scenario) return is_figure(field->text, scenario);
  return text.find_first_not_of("0123456789.eE+-") == std::string_view::npos &&
         text.find_first_of("0123456789") != std::string_view::npos;
}

/// Numbers that their fields do not take, at their places in the input.
void check_figures(const dsl::Node& scenario, Session& session) {
  dsl::Node figures;
  dsl::Schema fields;
  for (const dsl::Field& field : planner::scenario_schema()) {
    if (field.type == dsl::Type::name || field.type == dsl::Type::expression ||
        field.path.find('[') != std::string::npos)
      continue;
    const dsl::Node* node = dsl::node_at(scenario, field.path);
    if (!node || node->kind != dsl::Node::Kind::scalar || !is_figure(node->text, scenario)) continue;
    planner::put_field(figures, field.path, *node, node->span);
    fields.push_back(field);
  }
  if (!fields.empty()) dsl::evaluate(figures, fields, {.vocabulary = planner::vocabulary()}, session.diagnostics);
}

/// `text`: the configuration; null: it is not there, which has been reported.
int print_run(planner::ImportedRun run, const dsl::Source* text, const char* title, const ImportFlags& options,
              Streams& streams, Session& session) {
  if (!session.diagnostics.has_errors() && text) planner::put_noted_fields(*text, run.scenario, session.diagnostics);
  if (!session.diagnostics.has_errors()) check_figures(run.scenario, session);
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  streams.out << "# From " << title << "\n" << dsl::write_yaml(run.scenario);
  if (options.common.quiet) return kDone;
  if (!run.ignored.empty()) streams.err << fmt::format("ignored: {}\n", fmt::join(run.ignored, ", "));
  if (!run.complete) streams.err << "note: lines that say FILL_IN are for you to complete\n";
  return kDone;
}

/// What a script gets from outside: the flags, and the files that it names.
planner::ShellInput shell_input(const ImportFlags& options, Session& session) {
  planner::ShellInput input = scripts_of(session);
  for (const std::string& given : options.env) {
    const size_t equals = given.find('=');
    input.variables[given.substr(0, equals)] = given.substr(equals + 1);
  }
  if (!options.args.empty()) input.arguments = planner::shell_words(options.args);
  return input;
}

/// Whether an input is one more configuration, and not the launch line: runs of these two have one.
bool is_config(const std::string& format, const std::string& input) {
  if (format == "megatron") return false;
  const bool is_python = input.ends_with(".py");
  const bool named = format == "torchtitan"
                         ? is_python
                         : is_python || input.ends_with(".yaml") || input.ends_with(".yml") || input.ends_with(".json");
  return named && dsl::is_text_file(input);
}

/// Whether one reader takes both: the files of a Trainer's run, in any order.
bool reads_together(std::string_view word, std::string_view other) {
  const auto is_of_trainer = [](std::string_view kind) {
    return kind == "accelerate" || kind == "trainer" || kind == "deepspeed";
  };
  return word == other || (word != "deepspeed" && is_of_trainer(word) && is_of_trainer(other));
}

/// Names the kind of a file that is another than `word`; true if it is.
bool refuse_kind(const std::string& word, const dsl::Source& source, Session& session) {
  const planner::RunKind* kind = planner::kind_of(source);
  const bool is_registry = word == "torchtitan" && planner::reads_as_registry(source);
  if (!kind || is_registry || reads_together(word, kind->word)) return false;
  const std::string hint =
      *kind->word ? fmt::format("`trainplan import {} {}`", kind->word, source.name) : kind->instead;
  session.diagnostics.error({&source, 1, 1, 0},
                            fmt::format("`import {}` does not read this: it is {}", word, kind->title), hint);
  return true;
}

/// False: a file is not there.
bool read_files(planner::RunFiles& files, const ImportFlags& options, Streams& streams, Session& session) {
  const std::vector<std::string>& inputs = options.common.inputs;
  files.model = options.model;
  files.shell = shell_input(options, session);
  files.cluster = options.cluster;
  const bool is_line = inputs[0] == "torchtitan" && planner::reads_as_registry({"", inputs[1], "."}) &&
                       !dsl::is_text_file(inputs[1]) && !inputs[1].ends_with(".py");
  files.config = is_line ? &session.sources.emplace_back(dsl::Source{"<flags>", inputs[1], "."})
                         : read_input(inputs[1], streams, session);
  if (files.config && refuse_kind(inputs[0], *files.config, session)) return false;
  size_t next = 2;
  for (; next < inputs.size() && is_config(inputs[0], inputs[next]); ++next)
    if (const dsl::Source* more = read_input(inputs[next], streams, session)) files.more.push_back(more);
  const bool launched = inputs.size() > next;
  if (launched) files.launch = launch_text(options, next, streams, session);
  return files.config && (files.launch || !launched);
}

/// A configuration, and the launch line beside it if there is one.
int import_config(const ImportFlags& options, const char* title, planner::RunReader read, Streams& streams,
                  Session& session) {
  planner::RunFiles files;
  const bool there = read_files(files, options, streams, session);
  return print_run(there ? read(files, session.sources, session.diagnostics) : planner::ImportedRun(), files.config,
                   title, options, streams, session);
}

int import_megatron(const ImportFlags& options, Streams& streams, Session& session) {
  const std::string& first = options.common.inputs[1];
  if ((first.ends_with(".yaml") || first.ends_with(".yml")) && first.find(" --") == std::string::npos)
    return import_config(options, "a configuration of Megatron-LM", planner::import_megatron, streams, session);
  const dsl::Source* line = launch_text(options, 1, streams, session);
  const planner::RunFiles files{.config = line, .cluster = options.cluster, .shell = shell_input(options, session)};
  return print_run(
      line ? planner::import_megatron(files, session.sources, session.diagnostics) : planner::ImportedRun(), line,
      "a command line of Megatron-LM", options, streams, session);
}

/// With a configuration beside it, of a Trainer.
planner::ImportedRun read_deepspeed(const planner::RunFiles& files, dsl::Sources& sources,
                                    dsl::Diagnostics& diagnostics) {
  return (files.more.empty() ? planner::import_deepspeed : planner::import_trainer)(files, sources, diagnostics);
}

constexpr ImportFormat kImportFormats[] = {
    {"hf", "PATH", "", import_hf},
    {"megatron", "FILE [LAUNCH...]|FLAGS...", "", import_megatron},
    {"deepspeed", "FILE [LAUNCH...]", "a configuration of DeepSpeed", {}, read_deepspeed},
    {"torchtitan", "FILE [CONFIG.py] [LAUNCH...]", "a job configuration of torchtitan", {}, planner::import_torchtitan},
    {"accelerate", "FILE... [LAUNCH...]", "a run of a Trainer", {}, planner::import_trainer},
    {"trainer", "FILE... [LAUNCH...]", "a run of a Trainer", {}, planner::import_trainer},
    {"primus", "FILE [MODEL.yaml] [LAUNCH...]", "an experiment of Primus", {}, planner::import_primus},
    {"gpt-neox", "FILE... [LAUNCH...]", "a configuration of GPT-NeoX", {}, planner::import_gpt_neox},
    {"nemo", "FILE [LAUNCH...]", "a configuration of NeMo", {}, planner::import_nemo},
    {"nemo2", "FILE.py [RECIPE.py...] [LAUNCH...]", "a script of NeMo 2", {}, planner::import_nemo2},
    {"megatron-bridge",
     "FILE.py [RECIPE.py...] [LAUNCH...]",
     "a script of Megatron-Bridge",
     {},
     planner::import_megatron_bridge}};

int wrong_usage(Streams& streams, const std::string& message) {
  std::string usage;
  for (const ImportFormat& format : kImportFormats)
    usage += fmt::format("{} trainplan import {} {}", usage.empty() ? "" : " |", format.name, format.input);
  return refuse_usage("import", fmt::format("{}; usage:{} [flags]", message, usage), streams);
}

/// Whether the format does not say its model.
bool takes_model(const ImportFormat& format) {
  return format.function != import_hf && format.function != import_megatron;
}

/// The mistake in --as: it requires a configuration of Hugging Face, and a known architecture.
std::string wrong_as(const ImportFlags& options) {
  if (options.as.empty()) return "";
  if (options.common.inputs[0] != "hf") return "--as goes with hf";
  if (!options.cluster.empty()) return "--as prints a model, without --cluster";
  if (planner::is_hf_architecture(options.as)) return "";
  std::vector<std::string> names = planner::hf_model_types();
  for (const std::string& name : planner::hf_architectures()) names.push_back(name);
  return fmt::format("unknown architecture '{}' of --as{}", options.as, or_meant(options.as, names));
}

/// The mistake in --env or --args: scripts alone have them.
std::string wrong_env(const ImportFlags& options) {
  const bool is_given = !options.env.empty() || !options.args.empty();
  if (is_given && options.common.inputs[0] == "hf") return "--env and --args go with launch scripts";
  for (const std::string& given : options.env) {
    const size_t equals = given.find('=');
    if (equals == 0 || equals == std::string::npos || planner::shell::name_length(given) != equals)
      return fmt::format("expected NAME=VALUE for --env, got '{}'", given);
  }
  return "";
}

/// `import hf PATH` prints a catalogue model, the others a scenario. What changes nothing in a plan is noted on `err`.
int run_import(const ImportFlags& options, Streams& streams) {
  Session session;
  for (const std::string& wrong : {wrong_as(options), wrong_env(options)})
    if (!wrong.empty()) return wrong_usage(streams, wrong);
  open_catalog(session, options.common.catalog);
  for (const ImportFormat& format : kImportFormats) {
    if (options.common.inputs[0] != format.name) continue;
    if (options.common.inputs.size() < 2) return wrong_usage(streams, fmt::format("missing {}", format.input));
    if (options.common.inputs.size() > 2 && std::string_view(format.input) == "PATH")
      return wrong_usage(streams, fmt::format("unexpected argument '{}'", options.common.inputs[2]));
    if (!options.model.empty() && !takes_model(format))
      return wrong_usage(streams, fmt::format("{} names its model: --model goes with the others", format.name));
    return format.function ? format.function(options, streams, session)
                           : import_config(options, format.title, format.read, streams, session);
  }
  const std::string& name = options.common.inputs[0];
  return wrong_usage(streams, fmt::format("unknown format '{}'{}", name, or_meant(name, import_formats())));
}

constexpr Example kImportExamples[] = {
    {"a model of Hugging Face", "trainplan import hf example:llama-3.1-8b"},
    {"a launch script of Megatron-LM as a scenario", "trainplan import megatron example:launch.sh --cluster dgx-h100"},
};

}  // namespace

std::vector<std::string> import_formats() { return names_of(kImportFormats); }

Command import_command() {
  return command_of<kImportFlags, run_import>(
      {.name = "import",
       .summary = "a Hugging Face configuration, or a run of Megatron-LM, NeMo, Megatron-Bridge, DeepSpeed, "
                  "torchtitan, accelerate, "
                  "a Trainer, Primus or GPT-NeoX, as YAML",
       .argument =
           "hf|megatron|deepspeed|torchtitan|accelerate|trainer|primus|gpt-neox|nemo|nemo2|megatron-bridge INPUT...",
       .examples = kImportExamples,
       .texts = true});
}

}  // namespace cli
