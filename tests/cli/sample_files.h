// Small input files for tests of commands.
#pragma once

#include <string>

/// A small job that fits one node of the catalogue's DGX A100.
inline const char* const kSmallJob = R"(model: {use: megatron-1.7b}
job: {sequence: 2048, global_batch: 64, tokens: 1e9}
cluster: {use: dgx-a100-80gb, gpus: 8}
parallelism: {tp: 2, microbatch: 2}
)";
inline const char* const kToyModel = "# a toy\nlayers: 2\nhidden: 64\nheads: 2\nvocab: 100\n";

inline bool holds(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }
