#include "cli/commands/commands.h"

#include <fmt/format.h>

#include <array>
#include <ostream>
#include <streambuf>

#include "cli/args/help.h"
#include "cli/args/parse.h"
#include "cli/commands/whole_file.h"
#include "cli/input/examples.h"
#include "cli/render/render.h"
#include "dsl/quoting.h"

namespace cli {
namespace {

/// The given value of the flag of this name; monostate: none.
FlagValue given(const Request& request, std::string_view name) {
  const std::span<const Flag> flags = request.command->flags;
  for (size_t i = 0; i < flags.size(); ++i)
    if (flags[i].name == name) return request.arguments.values[i];
  return {};
}

/// The member of a command's row, and a word for what it draws.
struct DrawnKind {
  bool Command::*has;
  const char* what;
};
DrawnKind drawn(Draws draws) {
  if (draws == Draws::graph) return {&Command::graphs, "graph"};
  if (draws == Draws::places) return {&Command::places, "list of mistakes"};
  return {&Command::pictures, "picture"};
}

/// Returns "" or the mistake in a format that draws: the command has no picture or graph, or flags select rows.
std::string wrong_picture(const Request& request) {
  const FlagValue name = given(request, "--format");
  const ReportFormat* format = find_format(name.index() ? std::get<std::string>(name) : "");
  if (!format || format->draws == Draws::nothing) return "";
  const auto [has_one, what] = drawn(format->draws);
  const auto has = [drawn = has_one](const Command& c) { return c.*drawn; };
  const FlagValue columns = given(request, "--columns"), sort = given(request, "--sort");
  const bool picks = columns.index() != 0 || (sort.index() != 0 && !std::get<std::string>(sort).empty());
  if (has(*request.command)) return picks ? fmt::format("--columns and --sort pick rows, and a {} has none", what) : "";
  std::string names;
  for (const Command& c : commands())
    if (has(c)) names += (names.empty() ? "" : ", ") + std::string(c.name);
  return fmt::format("--format {}: there is no {} of {}; there is one of {}", format->name, what, request.command->name,
                     names);
}

/// A flag whose file the command writes, and its name.
struct Output {
  const char* flag;
  std::string path;
};
std::vector<Output> outputs_of(const Request& request) {
  std::vector<Output> outputs;
  const std::span<const Flag> flags = request.command->flags;
  for (size_t i = 0; i < flags.size(); ++i)
    if (const FlagValue& value = request.arguments.values[i]; flags[i].takes == Takes::output && value.index() != 0)
      outputs.push_back({flags[i].name, std::get<std::string>(value)});
  return outputs;
}

/// Returns "" or the mistake in the names of files to write.
std::string wrong_output(const Request& request) {
  const std::vector<Output> outputs = outputs_of(request);
  for (size_t i = 0; i < outputs.size(); ++i) {
    const auto& [flag, path] = outputs[i];
    if (path.empty()) return fmt::format("{}: expected the name of a file, got ''", flag);
    for (size_t j = 0; j < i; ++j)
      if (are_one_file(path, outputs[j].path))
        return fmt::format("{} and {} name one file, '{}'", outputs[j].flag, flag, path);
  }
  return "";
}

int run_command(const Request& request, Streams& streams) {
  const auto command = [&](Streams& into) { return request.command->function(request.arguments, into); };
  for (const Output& output : outputs_of(request))
    if (const std::string wrong = also_read(output.path, request.arguments.inputs); !wrong.empty()) {
      streams.err << "trainplan: " << wrong << "\n";
      return kInvalidInput;
    }
  const FlagValue output = given(request, "--output");
  return output.index() == 0 ? command(streams) : run_into_file(std::get<std::string>(output), streams, command);
}

/// A stream for people: what shows as no letter, in names and texts that come from elsewhere, leaves as '?'.
class PrintableStream : public std::ostream {
 public:
  /// Writes to `to`, at once. Lines stay lines.
  explicit PrintableStream(std::ostream& to) : std::ostream(&buffer_), buffer_(to) {}

 private:
  class Buffer : public std::streambuf {
   public:
    explicit Buffer(std::ostream& to) : to_(to) {}

   protected:
    int_type overflow(int_type c) override {
      if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
      const char letter = traits_type::to_char_type(c);
      return xsputn(&letter, 1) == 1 ? c : traits_type::eof();
    }
    std::streamsize xsputn(const char* text, std::streamsize size) override {
      to_ << dsl::printable({text, static_cast<size_t>(size)}, "\n");
      return to_ ? size : 0;
    }
    int sync() override { return to_.flush() ? 0 : -1; }

   private:
    std::ostream& to_;
  };

  Buffer buffer_;
};

/// "trainplan plan 'my run.yaml'".
std::string shell_line(const std::vector<std::string>& words) {
  std::string line = "trainplan";
  for (const std::string& word : words) line += " " + dsl::shell_word(word);
  return line;
}

}  // namespace

std::span<const Command> commands() {
  static const std::array kCommands{
      plan_command(),     search_command(),     sweep_command(),  merge_command(),   compare_command(),
      clusters_command(), ops_command(),        comm_command(),   roadmap_command(), seqpoint_command(),
      validate_command(), calibrate_command(),  scale_command(),  list_command(),    show_command(),
      explain_command(),  check_command(),      import_command(), export_command(),  schema_command(),
      emit_command(),     replay_command(),     tune_command(),   shard_command(),   init_command(),
      serve_command(),    completion_command(), man_command(),    help_command(),
  };
  return kCommands;
}

int run(const std::vector<std::string>& args, Streams& streams) {
  static const bool embedded = (dsl::embed_files(example_files()), true);  // once: `serve` runs several commands
  static_cast<void>(embedded);
  if (!args.empty() && args[0] == "__complete") return complete_words({args.begin() + 1, args.end()}, streams);
  Request request = parse(with_example_endings(args), commands());
  for (const auto check : {wrong_picture, wrong_output})
    if (const std::string wrong = request.command ? check(request) : ""; !wrong.empty())
      request = wrong_usage(*request.command, wrong);
  PrintableStream err(streams.err);
  Streams shown{.in = streams.in,
                .out = streams.out,
                .err = err,
                .color = streams.color,
                .width = streams.width,
                .terminal = streams.terminal,
                .line = shell_line(args),
                .as_it_is = &streams.err,
                .color_out = streams.color_out};
  if (request.command) return run_command(request, shown);
  (request.status == kDone ? shown.out : shown.err) << request.text;
  return request.status;
}

}  // namespace cli
