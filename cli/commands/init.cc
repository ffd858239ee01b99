#include <filesystem>

#include "cli/commands/commands.h"
#include "cli/commands/flags.h"
#include "cli/input/examples.h"
#include "planner/studies/start/start.h"

namespace cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kHf = "hf:";

bool is_path(std::string_view name) { return name.find('/') != std::string_view::npos || name.ends_with(".yaml"); }

/// A file as the scenario has to name it: relative to where it will lie.
std::string seen_from(const std::string& directory, const std::string& name) {
  const bool foreign = name.starts_with(kHf);
  if (directory == "." || (!foreign && !is_path(name))) return name;
  const fs::path path = foreign ? name.substr(kHf.size()) : name;
  std::error_code error;
  const fs::path seen = path.is_absolute() ? path : fs::relative(path, directory, error);
  const std::string text = error || seen.empty() ? fs::absolute(path).string() : seen.string();
  return foreign ? std::string(kHf) + text : is_path(text) ? text : "./" + text;
}

struct InitFlags {
  CommonFlags common;
  std::string example;
};

constexpr std::array kInitRows{flag<&InitFlags::example>(
    {"--example", "NAME", "print the text of an example, to change it (`trainplan list example`)"})};
constexpr auto kInitFlags = plain_flags(kInitRows);

/// The text of an example; names of files in it work from any folder.
std::string example_text(const dsl::EmbeddedFile& file) {
  std::string text(file.text);
  const fs::path folder = fs::path(file.path).parent_path();
  for (const dsl::EmbeddedFile& other : example_files()) {
    const std::string name = fs::path(other.path).lexically_relative(folder).string();
    if (name.find('/') == std::string::npos) continue;
    for (size_t at = text.find(": " + name); at != std::string::npos; at = text.find(": " + name, at + 1))
      text.replace(at + 2, name.size(), std::string(dsl::kEmbedded) + std::string(other.path));
  }
  return text;
}

int print_example(const InitFlags& options, Streams& streams, Session& session) {
  const std::string name =
      options.example.starts_with(dsl::kEmbedded) ? options.example : std::string(dsl::kEmbedded) + options.example;
  if (!options.common.inputs.empty())
    session.diagnostics.error({}, "an example is a whole file: it takes no model and no cluster",
                              "--set changes it in every command");
  else if (const dsl::Source* source = read_input(name, streams, session); source)
    streams.out << example_text(*dsl::find_embedded(name));
  return report_diagnostics(options.common, streams, session);
}

int run_init(const InitFlags& options, Streams& streams) {
  Session session = open_session(options.common);
  if (!options.example.empty() && !session.diagnostics.has_errors()) return print_example(options, streams, session);
  planner::StartQuestion question;
  const fs::path folder = fs::path(options.common.output).parent_path();
  if (!folder.empty()) question.directory = folder.string();
  const std::vector<std::string>& inputs = options.common.inputs;
  if (!inputs.empty()) question.model = seen_from(question.directory, inputs[0]);
  if (inputs.size() > 1) question.cluster = seen_from(question.directory, inputs[1]);
  std::optional<std::string> text;
  if (!session.diagnostics.has_errors())
    text = planner::starting_scenario(question, session.catalog, session.sources, session.diagnostics);
  if (int status = report_diagnostics(options.common, streams, session)) return status;
  streams.out << *text;
  return kDone;
}

constexpr Example kInitExamples[] = {
    {"a model of 8 billion parameters on a node of H100", "trainplan init llama3-8b dgx-h100"},
    {"a model of Hugging Face, planned at once",
     "trainplan init hf:example:llama-3.1-8b dgx-a100-80gb | trainplan plan -"},
};

}  // namespace

Command init_command() {
  return command_of<kInitFlags, run_init>(
      {.name = "init",
       .summary = "write a first scenario with comments: a model on a machine, in a layout that fits",
       .argument = "[MODEL|hf:DIR] [CLUSTER]",
       .examples = kInitExamples});
}

}  // namespace cli
