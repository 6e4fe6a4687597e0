# What the scripts share: where the checkout is, what the machine has, how to install, build and test.
# Sourced by bash scripts; sourcing runs nothing but these settings.
# shellcheck shell=bash
# shellcheck disable=SC2034 # the settings are for those who source this
set -euo pipefail
export LC_ALL=C.UTF-8  # messages of tools are read below, so they must not be translated

checkout="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)"

say() { printf '==> %s\n' "$*"; }
fail() {
  printf 'error: %s\n' "$*" >&2
  exit 1
}

# --- What the machine has -----------------------------------------------------------------------

# The tests of this file put another machine's files below here.
machine_root="${PINHOLE_TEST_MACHINE:-}"

# Prints the model of the first NVIDIA GPU; fails when there is none.
gpu_name() {
  local line device
  for device in "$machine_root"/proc/driver/nvidia/gpus/*/information; do
    line="$(grep -m1 '^Model:' "$device" 2>/dev/null)" || continue
    line="${line#Model:}"
    echo "${line#"${line%%[![:space:]]*}"}"  # without the leading blanks
    return
  done
  # Without the driver the bus still shows it: vendor 10de, class "display controller".
  for device in "$machine_root"/sys/bus/pci/devices/*; do
    if [[ "$(cat "$device/vendor" 2>/dev/null)" == 0x10de &&
      "$(cat "$device/class" 2>/dev/null)" == 0x03* ]]; then
      echo "an NVIDIA GPU"
      return
    fi
  done
  [[ -e "$machine_root/dev/nvidiactl" ]] && echo "an NVIDIA GPU"
}

# Prints the version of the running kernel driver, such as 580.159.04; fails when none runs.
driver_version() {
  grep -m1 '^NVRM version:' "$machine_root/proc/driver/nvidia/version" 2>/dev/null |
    grep -oE '[0-9]+(\.[0-9]+)+' | head -n1 | grep .
}

# Prints the path of nvcc; fails when there is none.
find_nvcc() {
  local candidate
  for candidate in "${CUDACXX:-}" "${CUDA_HOME:+$CUDA_HOME/bin/nvcc}" "$(command -v nvcc || true)" \
    "$machine_root/usr/local/cuda/bin/nvcc"; do
    if [[ -n "$candidate" ]] && command -v "$candidate"; then
      return
    fi
  done
  return 1
}

# Prints the release of nvcc "$1", such as 13.0.
nvcc_version() { "$1" --version | grep -oE 'release [0-9]+\.[0-9]+' | cut -d' ' -f2; }

at_least() { printf '%s\n%s\n' "$2" "$1" | sort --check=quiet --version-sort; }

oldest_nvcc=12.8
# The oldest driver that runs all that a toolkit compiles.
oldest_driver_for() { if at_least "$1" 13.0; then echo 580; else echo 570; fi; }

get_toolkit="install NVIDIA's CUDA toolkit $oldest_nvcc or newer (https://developer.nvidia.com/cuda-downloads;\
 Debian's own package is older) and put its bin folder on PATH"

# Sets `nvcc` (empty: none that is good enough) and `device`, a sentence that says which device
# programs will use and, for the CPU device, why and what would change it.
look_at_machine() {
  local gpu driver="" version="" no_nvcc=""
  nvcc="$(find_nvcc)" || nvcc=""
  if [[ -z "$nvcc" ]]; then
    no_nvcc="there is no nvcc"
  else
    version="$(nvcc_version "$nvcc")" || version=0
    if ! at_least "$version" "$oldest_nvcc"; then
      no_nvcc="nvcc $version is older than $oldest_nvcc"
      nvcc=""
    fi
  fi

  local cpu="the CPU device (its times say nothing about a PCIe link)"
  if ! gpu="$(gpu_name)"; then
    device="$cpu, because this machine has no NVIDIA GPU"
  elif [[ -n "$no_nvcc" ]]; then
    device="$cpu, although there is $gpu: $no_nvcc. To use the GPU, $get_toolkit"
  elif ! driver="$(driver_version)"; then
    device="$cpu, although there is $gpu: its driver does not run. To use the GPU, install NVIDIA's\
 driver $(oldest_driver_for "$version") or newer and restart the machine"
  elif ! at_least "$driver" "$(oldest_driver_for "$version")"; then
    device="$cpu, although there is $gpu: driver $driver is too old for CUDA $version. To use the GPU,\
 install NVIDIA's driver $(oldest_driver_for "$version") or newer and restart the machine"
  elif [[ "${CUDA_VISIBLE_DEVICES-unset}" =~ ^(-1.*)?$ ]]; then
    device="$cpu, although there is $gpu: CUDA_VISIBLE_DEVICES hides it. To use the GPU, unset that"
  else
    device="$gpu (driver $driver, CUDA $version)"
    gpu_usable=yes
    return
  fi
  gpu_usable=no
}

# --- Installing ---------------------------------------------------------------------------------

# What building and testing need: a command or file that shows it is there, and Debian's package.
needed=(
  "g++=g++"
  "cmake=cmake"
  "ninja=ninja-build"
  "ccache=ccache"
  "git=git"
  "/usr/include/CLI/CLI.hpp=libcli11-dev"
  "/usr/include/fmt/format.h=libfmt-dev"
  "/usr/include/nlohmann/json.hpp=nlohmann-json3-dev"
  "/usr/include/gtest/gtest.h=libgtest-dev"
  "/usr/include/png.h=libpng-dev"
  "/usr/include/vulkan/vulkan_core.h=libvulkan-dev"
  "python3=python3"
  "spin=spin"
  "/usr/share/javascript/chart.js/chart.min.js=libjs-chart.js"
  "/usr/share/dict/american-english=wamerican"
)

# install_missing NEED...: installs the packages of those needs that are not there.
install_missing() {
  local need missing=() as_root=()
  for need in "$@"; do
    if [[ ! -e "${need%%=*}" ]] && ! command -v "${need%%=*}" >/dev/null; then
      missing+=("${need#*=}")
    fi
  done
  if ((${#missing[@]} == 0)); then
    say "Nothing to install: all $# things needed are there"
    return
  fi
  if ! command -v apt-get >/dev/null; then
    say "This is not a Debian system. Please install what these Debian packages hold: ${missing[*]}"
    for need in g++ cmake ninja; do
      command -v "$need" >/dev/null || fail "$need is not there"
    done
    say "Trying with what is there"
    return
  fi
  if ((EUID != 0)); then
    command -v sudo >/dev/null ||
      fail "root must install: apt-get install ${missing[*]}"
    as_root=(sudo)
  fi
  say "Installing from Debian's packages: ${missing[*]}"
  # A list of packages that is out of date only matters when something is missing.
  "${as_root[@]}" apt-get update -qq || say "The list of packages could not be renewed; trying as it is"
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -y -o DPkg::Lock::Timeout=300 \
    install --no-install-recommends "${missing[@]}" >/dev/null ||
    fail "these packages could not be installed: ${missing[*]}"
}

# --- Building and testing -----------------------------------------------------------------------

# What a script wants configured besides its preset.
configure_options=()

# build PRESET [TARGET...]: configures and builds in build/PRESET.
build() {
  local preset="$1" version
  shift
  version="$(cmake --version | grep -oE '[0-9]+\.[0-9]+\.[0-9]+' | head -n1)"
  at_least "$version" 3.25 || fail "CMake $version is too old: 3.25 or newer is needed"
  if [[ -n "$nvcc" ]]; then
    export CUDACXX="$nvcc"
  fi
  if [[ -z "${HOME:-}" ]]; then
    export CCACHE_DIR="${CCACHE_DIR:-$checkout/.ccache}"  # ccache would look for it below HOME
  fi
  say "Configuring the preset $preset in build/$preset"
  (cd "$checkout" && cmake --preset "$preset" "${configure_options[@]}" --log-level=WARNING >/dev/null) || return
  say "Building ${*:-everything} in build/$preset"
  cmake --build "$checkout/build/$preset" ${1:+--target "$@"}
}

# The sum of all that this script has tested so far.
passed=0 failed=0 skipped=0
closing_line() { printf '%d passed, %d failed, %d skipped\n' "$passed" "$failed" "$skipped"; }

# run_tests PRESET: runs its tests, lists what was waived with the reason, and adds to the sum. A test
# that was skipped without saying why counts as failed.
run_tests() {
  local preset="$1" report="$checkout/build/$1/tests.xml" fixed_addresses=() run bad waived
  rm -f "$report"
  # ThreadSanitizer of g++ 12 cannot start where the kernel spreads addresses wider than it knew.
  if [[ "$preset" == tsan ]] && setarch --addr-no-randomize true 2>/dev/null; then
    fixed_addresses=(setarch --addr-no-randomize)
  fi
  say "Testing build/$preset"
  (cd "$checkout" && "${fixed_addresses[@]}" ctest --preset "$preset" --parallel "$(nproc)" \
    --output-junit "$report") || true
  if [[ ! -s "$report" ]]; then
    failed=$((failed + 1))  # ctest itself could not run
    return
  fi
  awk -f "$checkout/scripts/waived.awk" "$report"
  read -r run bad waived < <(awk -v counts_only=1 -f "$checkout/scripts/waived.awk" "$report")
  passed=$((passed + run)) failed=$((failed + bad)) skipped=$((skipped + waived))
}
