// The shapes of documents of `tune` (contract_shape.h).
#pragma once

inline constexpr const char* kTune = R"({
  "format": "=trainplan.tune/1",
  "reduction": "string", "step_seconds": "number", "before_seconds": "number",
  "after_seconds": "number",
  "strategies": [{"strategy": "string", "operators": "string", "size_bytes": "integer?", "setting": "string?",
                  "buckets": "integer", "largest_bucket_bytes": "number", "exposed_seconds": "number",
                  "step_seconds": "number", "replayed_seconds": "number?"}],
  "buckets": [{"bucket": "integer", "first": "string", "last": "string", "gradients": "integer", "bytes": "number",
               "partitions": "integer", "ready_seconds": "number", "begin_seconds": "number",
               "end_seconds": "number"}],
  "to_apply": ["?", {
    "format": "=trainplan.decisions/1", "strategy": "string", "measured_seconds": "number",
    "replayed_seconds": "number", "gradients": "integer", "unreduced": ["integer"],
    "reduction": {"collective": "=all-reduce", "ranks": "integer", "seconds_per_partition": "number",
                  "seconds_per_byte": "number"},
    "buckets": [{"gradients": ["integer"], "bytes": "number", "partitions": "integer", "wait_seconds": "number"}],
    "decisions": [{"pass": "string", "target": "string", "replayed_gain_seconds": "number?"}],
    "passes?": {"matrix_factor": "number?", "fuses_operators": "boolean", "parts": "integer", "blocks": "integer",
                "recomputed": "integer"}}]})";

// Additionally for scenarios.
inline constexpr const char* kSettings = R"({
  "step_seconds_before": "number", "step_seconds_after": "number", "peak_bytes_before": "number",
  "peak_bytes_after": "number", "budget_bytes": "number", "fits": "boolean", "plans": "integer",
  "decisions": [{"pass": "string", "setting": "string", "replayed_gain_seconds": "number?", "edits": "string",
                 "bound": "string"}],
  "memory": [{"passes": "string", "setting": "string", "step_seconds": "number", "peak_bytes": "number",
              "fits": "boolean"}]})";

// Additionally for traces.
inline constexpr const char* kPasses = R"({
  "step_seconds_before": "number", "step_seconds_after": "number", "peak_bytes_before": "number?",
  "peak_bytes_after": "number?", "budget_bytes": "number?", "fits": "boolean", "replays": "integer",
  "memory_estimate": {"source": "string", "optimizer": "string", "parameter_bytes": "number",
                      "gradient_bytes": "number", "state_bytes": "number", "activation_bytes": "number?",
                      "other_bytes": "number?"},
  "passes": [{"pass": "string", "setting": "string", "applies": "boolean", "gain_seconds": "number?",
              "memory_bytes": "number?", "taken": "boolean"}],
  "decisions": [{"pass": "string", "setting": "string", "replayed_gain_seconds": "number?"}],
  "memory": [{"passes": "string", "setting": "string", "step_seconds": "number", "peak_bytes": "number",
              "fits": "boolean"}]})";
