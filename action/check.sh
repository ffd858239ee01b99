#!/usr/bin/env bash
# Mistakes and warnings beside the lines of the change.
source "${BASH_SOURCE%/*}/files.sh"
trainplan check --format github "${files[@]}"
