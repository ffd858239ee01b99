#include "cli/pages/emit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace cli {
namespace {

constexpr const char* kSlurm = R"text(#!/bin/bash
# A search in @SHARDS@ shards. What ends a task - the time limit, a node - costs a minute of its work: it goes on from
# its checkpoint when it is given again. Shards that are missing, of files that may be none yet:
#   sbatch --array="$(trainplan merge --missing shard-*.json)" THIS_FILE
# and when none is: trainplan merge shard-*.json
#SBATCH --job-name=trainplan
#SBATCH --array=1-@SHARDS@
#SBATCH --cpus-per-task=@THREADS@
#SBATCH --signal=TERM@60
#SBATCH --requeue
#SBATCH --output=shard-%a.log
srun trainplan search @SCENARIO@ @FLAGS@ \
  --shard auto/@SHARDS@ --format json --output "shard-$SLURM_ARRAY_TASK_ID.json" --resume auto
)text";

constexpr const char* kParallel = R"text(#!/bin/bash
# A search in @SHARDS@ shards by GNU parallel, on this machine. On others that see this folder: --sshloginfile HOSTS
# --workdir . behind `parallel`. Run it again, and what was not finished goes on from its checkpoints.
set -euo pipefail
parallel --jobs "$(((($(nproc) - 1) / @THREADS@) + 1))" --retries 3 \
  'trainplan search' @QUOTED_SCENARIO@ @QUOTED_FLAGS@ \
  '--shard {}/@SHARDS@ --format json --output shard-{}.json --resume auto' ::: $(seq @SHARDS@)
trainplan merge $(seq -f 'shard-%g.json' @SHARDS@) --format json --output result.json
)text";

constexpr const char* kSnakemake =
    R"text(# A search in @SHARDS@ shards by Snakemake: snakemake --cores all. A shard that fails is tried again from its checkpoint.
rule merge:
    input: expand("shard-{i}.json", i=range(1, @SHARDS@ + 1))
    output: "result.json"
    shell: "trainplan merge {input} --format json --output {output}"

rule shard:
    input: @PYTHON_SCENARIO@
    output: "shard-{i}.json"
    params: flags=lambda wildcards: @PYTHON_FLAGS@  # a text as it is: braces mean nothing
    threads: @THREADS@
    retries: 3
    shell:
        "trainplan search {input:q} {params.flags} --shard {wildcards.i}/@SHARDS@ "
        "--format json --output {output} --resume auto"
)text";

constexpr const char* kNextflow =
    R"text(// A search in @SHARDS@ shards by Nextflow: nextflow run THIS_FILE. Files stand in the folder of the launch, so that a
// shard that is tried again finds its checkpoint.
nextflow.enable.dsl = 2

params.scenario = @GROOVY_SCENARIO@
params.flags = @GROOVY_FLAGS@

process shard {
    cpus @THREADS@
    errorStrategy 'retry'
    maxRetries 3

    input: val i
    output: val "${launchDir}/shard-${i}.json"

    script:
    """
    cd "${launchDir}"
    trainplan search ${params.scenario} ${params.flags} --shard ${i}/@SHARDS@ \
      --format json --output shard-${i}.json --resume auto
    """
}

process merge {
    publishDir launchDir, mode: 'copy'

    input: val shards
    output: path 'result.json'

    script:
    """
    trainplan merge ${shards.join(' ')} --format json --output result.json
    """
}

workflow {
    merge(shard(Channel.of(1..@SHARDS@)).collect())
}
)text";

constexpr const char* kKubernetes =
    R"text(# A search in @SHARDS@ shards as an indexed Job: kubectl apply -f THIS_FILE. FILL_IN: an image with trainplan in its PATH,
# and a claim whose volume all pods may write and that holds the scenario. A pod that is evicted goes on from its
# checkpoint. Then, in a pod with that volume: trainplan merge shard-*.json
apiVersion: batch/v1
kind: Job
metadata:
  name: trainplan-search
spec:
  completionMode: Indexed
  completions: @SHARDS@
  parallelism: @SHARDS@
  backoffLimit: @RETRIES@
  template:
    spec:
      restartPolicy: OnFailure
      terminationGracePeriodSeconds: 60
      containers:
        - name: search
          image: FILL_IN
          workingDir: /data
          command: ["/bin/sh", "-c"]
          args:
            - @YAML_COMMAND@
          resources:
            requests:
              cpu: @THREADS@
          volumeMounts:
            - name: data
              mountPath: /data
      volumes:
        - name: data
          persistentVolumeClaim:
            claimName: FILL_IN
)text";

using Fill = std::pair<const char*, std::string>;

/// One pass: what is filled in is not searched for more.
std::string filled(std::string_view text, const std::vector<Fill>& fills) {
  std::string out;
  while (!text.empty()) {
    const auto at = std::ranges::find_if(fills, [&](const Fill& fill) { return text.starts_with(fill.first); });
    out += at == fills.end() ? std::string(text.substr(0, 1)) : at->second;
    text.remove_prefix(at == fills.end() ? 1 : std::string_view(at->first).size());
  }
  return out;
}

std::string flags_of(const Sharded& job) {
  std::string flags = fmt::format("--threads {}", job.threads);
  for (const std::string& word : job.flags) flags += " " + shell_word(word);
  return flags;
}

/// Between quotes, with a backslash before what would end or change the text there.
std::string escaped(const std::string& text, char quote, std::string_view special) {
  std::string out(1, quote);
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) out += '\\';
    if (c == '\n') out += "\\n";
    else out += c;
  }
  return out + quote;
}
std::string double_quoted(const std::string& text) { return escaped(text, '"', "\"\\"); }  // YAML, Python
std::string groovy(const std::string& text) { return escaped(text, '\'', "'\\"); }

/// Kubernetes reads "$(NAME)" in arguments; "$$(" is the text "$(".
std::string kubernetes_text(const std::string& text) { return double_quoted(filled(text, {{"$(", "$$("}})); }

std::string fill(const char* text, const Sharded& job) {
  const std::string shards = std::to_string(job.shards), flags = flags_of(job), scenario = shell_word(job.scenario);
  const std::string command = fmt::format(
      "exec trainplan search {} {} --shard auto/{} --format json --output shard-$JOB_COMPLETION_INDEX.json "
      "--resume auto",
      scenario, flags, shards);
  return filled(text, {{"@SHARDS@", shards},
                       {"@THREADS@", std::to_string(job.threads)},
                       {"@RETRIES@", std::to_string(3 * job.shards)},
                       {"@SCENARIO@", scenario},
                       {"@FLAGS@", flags},
                       {"@QUOTED_SCENARIO@", shell_word(scenario)},
                       {"@QUOTED_FLAGS@", shell_word(flags)},
                       {"@PYTHON_SCENARIO@", double_quoted(job.scenario)},
                       {"@PYTHON_FLAGS@", double_quoted(flags)},
                       {"@GROOVY_SCENARIO@", groovy(scenario)},
                       {"@GROOVY_FLAGS@", groovy(flags)},
                       {"@YAML_COMMAND@", kubernetes_text(command)}});
}

template <const char* const& text> std::string emitted(const Sharded& job) { return fill(text, job); }

constexpr std::array kTargets{
    EmitTarget{"slurm", "a job array for sbatch", emitted<kSlurm>},
    EmitTarget{"parallel", "a shell script for GNU parallel", emitted<kParallel>},
    EmitTarget{"snakemake", "a Snakefile", emitted<kSnakemake>},
    EmitTarget{"nextflow", "a script for Nextflow", emitted<kNextflow>},
    EmitTarget{"kubernetes", "an indexed Job", emitted<kKubernetes>},
};

}  // namespace

std::span<const EmitTarget> emit_targets() { return kTargets; }

std::string shell_word(const std::string& word) {
  const char* const kPlain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=./:,@%";
  if (!word.empty() && word.find_first_not_of(kPlain) == std::string::npos) return word;
  std::string quoted = "'";
  for (const char c : word) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

}  // namespace cli
