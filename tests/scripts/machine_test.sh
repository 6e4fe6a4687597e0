#!/usr/bin/env bash
# What scripts/lib.sh says about machines with and without a GPU, a driver and a toolkit.
set -euo pipefail
lib="$(dirname "${BASH_SOURCE[0]}")/../../scripts/lib.sh"
machine="$(mktemp -d)"
trap 'rm -rf "$machine"' EXIT
wrong=0

gpu_on_the_bus() {
  mkdir -p "$machine/sys/bus/pci/devices/0000:01:00.0"
  echo 0x10de >"$machine/sys/bus/pci/devices/0000:01:00.0/vendor"
  echo 0x030200 >"$machine/sys/bus/pci/devices/0000:01:00.0/class"
}
driver() {
  mkdir -p "$machine/proc/driver/nvidia/gpus/0000:01:00.0"
  printf 'Model: \t\t NVIDIA H200\nIRQ:   \t\t 16\n' \
    >"$machine/proc/driver/nvidia/gpus/0000:01:00.0/information"
  echo "NVRM version: NVIDIA UNIX Open Kernel Module for x86_64  $1  Release Build" \
    >"$machine/proc/driver/nvidia/version"
}
toolkit() {
  mkdir -p "$machine/usr/local/cuda/bin"
  printf '#!/bin/sh\necho "Cuda compilation tools, release %s, V%s.88"\n' "$1" "$1" \
    >"$machine/usr/local/cuda/bin/nvcc"
  chmod +x "$machine/usr/local/cuda/bin/nvcc"
}

# expect USABLE TEXT... [-- VARIABLE=VALUE...]: whether the GPU is usable, and what the text contains.
expect() {
  local usable="$1" found text
  shift
  # shellcheck disable=SC2016 # the inner shell expands it
  found="$(env -u CUDACXX -u CUDA_HOME -u CUDA_VISIBLE_DEVICES PATH=/usr/bin:/bin \
    PINHOLE_TEST_MACHINE="$machine" ${variable:+"$variable"} \
    bash -c 'source "$0"; look_at_machine; echo "usable: $gpu_usable; $device"' "$lib")"
  for text in "usable: $usable" "$@"; do
    if [[ "$found" != *"$text"* ]]; then
      echo "expected '$text' in: $found"
      wrong=1
    fi
  done
}

expect no "CPU device" "this machine has no NVIDIA GPU"
toolkit 13.0
expect no "this machine has no NVIDIA GPU"
gpu_on_the_bus
expect no "there is an NVIDIA GPU" "its driver does not run" "driver 580 or newer"
driver 535.247.01
expect no "NVIDIA H200" "driver 535.247.01 is too old for CUDA 13.0" "driver 580 or newer"
toolkit 12.8
expect no "driver 535.247.01 is too old for CUDA 12.8" "driver 570 or newer"
toolkit 11.8
expect no "nvcc 11.8 is older than 12.8" "https://developer.nvidia.com/cuda-downloads"
rm "$machine/usr/local/cuda/bin/nvcc"
expect no "there is no nvcc" "https://developer.nvidia.com/cuda-downloads"
driver 580.159.04
toolkit 13.0
expect yes "NVIDIA H200 (driver 580.159.04, CUDA 13.0)"
variable="CUDA_VISIBLE_DEVICES=" expect no "CUDA_VISIBLE_DEVICES hides it"
variable="CUDA_VISIBLE_DEVICES=-1" expect no "CUDA_VISIBLE_DEVICES hides it"
variable="CUDA_VISIBLE_DEVICES=0" expect yes "NVIDIA H200"
exit "$wrong"
