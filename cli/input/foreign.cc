#include "cli/input/foreign.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "dsl/raw_text.h"
#include "dsl/read_text.h"
#include "dsl/write.h"
#include "planner/import/core_config.h"
#include "planner/import/deepspeed.h"
#include "planner/import/gpt_neox.h"
#include "planner/import/megatron.h"
#include "planner/import/noted_fields.h"
#include "planner/import/primus.h"
#include "planner/import/run_kinds.h"
#include "planner/import/torchtitan.h"
#include "planner/import/trainer.h"

namespace cli {
namespace {

constexpr std::array kMegatronFlags{"--num-layers", "--hidden-size", "--tensor-model-parallel-size"};

bool is_kind(const dsl::Source& source, std::string_view word) {
  const planner::RunKind* kind = planner::kind_of(source);
  return kind && kind->word == word;
}

bool is_hf(const dsl::Source& source) {
  const size_t first = source.text.find_first_not_of(" \t\r\n");
  return first != std::string::npos && source.text[first] == '{' && is_kind(source, "hf");
}

/// A flag that no comment holds: what `import` prints names the flags behind its lines.
bool is_script(const dsl::Source& source) {
  if (source.text.starts_with("#!")) return true;
  return std::ranges::any_of(kMegatronFlags, [&](const char* flag) {
    const size_t at = source.text.find(flag);
    if (at == std::string::npos) return false;
    const size_t line = source.text.rfind('\n', at) + 1;
    return source.text.substr(line, at - line).find('#') == std::string::npos;
  });
}

bool is_toml(const dsl::Source& source) { return source.name.ends_with(".toml"); }

/// A file that says a whole run; `word` is that of `import`.
struct RunFormat {
  const char *word, *got, *title;
  planner::RunReader read;
};

constexpr std::array kRunFormats{
    RunFormat{"torchtitan", "TOML", "a job configuration of torchtitan", planner::import_torchtitan},
    RunFormat{"megatron", "arguments of Megatron-LM", "a configuration of Megatron-LM", planner::import_megatron},
    RunFormat{"accelerate", "a configuration of accelerate", "it", planner::import_trainer},
    RunFormat{"trainer", "a configuration of a Trainer", "it", planner::import_trainer},
    RunFormat{"deepspeed", "a configuration of DeepSpeed", "it", planner::import_deepspeed},
    RunFormat{"primus", "an experiment of Primus", "it", planner::import_primus},
    RunFormat{"gpt-neox", "a configuration of GPT-NeoX", "it", planner::import_gpt_neox},
    RunFormat{"nemo", "a configuration of NeMo", "it", planner::import_nemo},
    RunFormat{"nemo2", "a script of NeMo 2", "it", planner::import_nemo2},
    RunFormat{"megatron-bridge", "a script of Megatron-Bridge", "it", planner::import_megatron_bridge}};
constexpr RunFormat kScript{"megatron", "a script", "a launch script of Megatron-LM", planner::import_megatron};

const RunFormat* format_of(const dsl::Source& source) {
  if (is_toml(source)) return &kRunFormats[0];
  const planner::RunKind* kind = planner::kind_of(source);
  const auto row = std::ranges::find_if(
      kRunFormats, [&](const RunFormat& format) { return kind && std::string_view(kind->word) == format.word; });
  if (row != kRunFormats.end()) return &*row;
  return is_script(source) ? &kScript : nullptr;
}

std::string hf_hint(const std::string& path) {
  return fmt::format(
      "`trainplan init hf:{0} CLUSTER` makes a scenario of it, `trainplan import hf {0}` its model alone", path);
}

/// The configuration of Hugging Face in a folder or file, diagnosed.
bool refuse_hf(const std::string& path, const dsl::Source* source, Session& session) {
  if (!source && dsl::is_text_file(path + "/config.json"))
    session.diagnostics.error(
        {}, fmt::format("'{}' is a folder with a configuration of Hugging Face, not a scenario", path), hf_hint(path));
  else if (source && is_hf(*source))
    session.diagnostics.error({source, 1, 1, 0}, "expected a scenario, got a configuration of Hugging Face",
                              hf_hint(path));
  else return false;
  return true;
}

/// As read_input; null for a configuration of Hugging Face, too.
const dsl::Source* read_but_hf(const std::string& path, Streams& streams, Session& session) {
  if (refuse_hf(path, nullptr, session)) return nullptr;
  const dsl::Source* source = read_input(path, streams, session);
  return source && !refuse_hf(path, source, session) ? source : nullptr;
}

}  // namespace

planner::ShellInput scripts_of(Session& session) {
  const auto open = [&session](const std::string& path) -> const dsl::Source* {
    std::vector<std::string> places{path};
    for (const dsl::Sources* sources : {&session.sources, &session.scripts})
      for (const dsl::Source& source : *sources) places.push_back(source.directory + "/" + path);
    for (const std::string& place : places) {
      std::string why;
      if (!dsl::is_text_file(place)) continue;
      std::optional<std::string> text = dsl::read_file(place, dsl::ParseLimits{}.bytes, why);
      if (!text || dsl::find_bad_byte(*text)) continue;
      return &session.scripts.emplace_back(
          dsl::Source{place, *std::move(text), std::filesystem::path(place).parent_path().string()});
    }
    return nullptr;
  };
  return {.open = open};
}

const dsl::Source* read_scenario_text(const std::string& path, Streams& streams, Session& session) {
  const dsl::Source* source = read_but_hf(path, streams, session);
  const RunFormat* format = source ? format_of(*source) : nullptr;
  if (!format) return source;
  session.diagnostics.error(
      {source, 1, 1, 0}, fmt::format("expected a scenario, got {}", format->got),
      fmt::format("`trainplan import {0} {1} --cluster NAME` makes a scenario of {2}, "
                  "`trainplan search --from {1} --set cluster.use=NAME` says what would be better",
                  format->word, path, format->title));
  return nullptr;
}

const dsl::Source* read_run_text(const std::string& path, Streams& streams, Session& session) {
  const dsl::Source* source = read_but_hf(path, streams, session);
  const RunFormat* format = source ? format_of(*source) : nullptr;
  if (!format) return source;
  session.scripts.push_back(session.sources.back());
  session.sources.pop_back();  // the scenario is read again from the first source
  const dsl::Source& script = session.scripts.back();
  planner::ImportedRun run =
      format->read({.config = &script, .shell = scripts_of(session)}, session.scripts, session.diagnostics);
  if (!session.diagnostics.has_errors()) planner::put_noted_fields(script, run.scenario, session.diagnostics);
  if (session.diagnostics.has_errors()) return nullptr;
  return &session.sources.emplace_back(
      dsl::Source{script.name + " as a scenario", dsl::write_yaml(run.scenario), script.directory});
}

}  // namespace cli
