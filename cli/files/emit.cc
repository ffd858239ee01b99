#include "cli/files/emit.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "dsl/quoting.h"

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
  'trainplan search '@PARALLEL_SCENARIO@ @PARALLEL_FLAGS@ \
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
    input: lambda wildcards: @PYTHON_SCENARIO@
    output: "shard-{i}.json"
    params: flags=lambda wildcards: @PYTHON_FLAGS@  # texts as they are: braces mean nothing
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

/// One pass: filled-in text is not searched again.
std::string filled(std::string_view text, const std::vector<Fill>& fills) {
  std::string out;
  while (!text.empty()) {
    const auto at = std::ranges::find_if(fills, [&](const Fill& fill) { return text.starts_with(fill.first); });
    out += at == fills.end() ? std::string(text.substr(0, 1)) : at->second;
    text.remove_prefix(at == fills.end() ? 1 : std::string_view(at->first).size());
  }
  return out;
}

std::string flags_of(const Sharded& job, std::string (*quote)(std::string_view)) {
  std::string flags = fmt::format("--threads {}", job.threads);
  for (const std::string& word : job.flags) flags += " " + quote(word);
  return flags;
}

/// Kubernetes reads "$(NAME)" in arguments, and "$$" as "$": a sign before either is doubled.
std::string kubernetes_text(const std::string& text) {
  std::string out;
  for (size_t i = 0; i < text.size(); ++i) {
    const char next = i + 1 < text.size() ? text[i + 1] : ' ';
    out += text[i] == '$' && (next == '$' || next == '(') ? std::string("$$") : std::string(1, text[i]);
  }
  return dsl::double_quoted(out);
}

std::string fill(const char* text, const Sharded& job) {
  const std::string shards = std::to_string(job.shards), flags = flags_of(job, dsl::shell_word),
                    scenario = dsl::shell_word(job.scenario);
  const std::string command = fmt::format(
      "exec trainplan search {} {} --shard auto/{} --format json --output shard-$JOB_COMPLETION_INDEX.json "
      "--resume auto",
      scenario, flags, shards);
  return filled(text, {{"@SHARDS@", shards},
                       {"@THREADS@", std::to_string(job.threads)},
                       {"@RETRIES@", std::to_string(3 * job.shards)},
                       {"@SCENARIO@", scenario},
                       {"@FLAGS@", flags},
                       {"@PARALLEL_SCENARIO@", dsl::shell_word(dsl::parallel_word(job.scenario))},
                       {"@PARALLEL_FLAGS@", dsl::shell_word(flags_of(job, dsl::parallel_word))},
                       {"@PYTHON_SCENARIO@", dsl::double_quoted(job.scenario)},
                       {"@PYTHON_FLAGS@", dsl::double_quoted(flags)},
                       {"@GROOVY_SCENARIO@", dsl::groovy_text(scenario)},
                       {"@GROOVY_FLAGS@", dsl::groovy_text(flags)},
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

}  // namespace cli
