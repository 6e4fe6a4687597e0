# scripts/vram-guide and scripts/memory-guide: figures on their way into the guides. Run by
# run_test.sh.
# shellcheck shell=bash

guide="$SOURCE/scripts/vram-guide"
page="$SOURCE/docs/guide/when-the-cpu-should-write-to-gpu-memory.md"

# Results of a machine on which a copy costs 8 us and then 50 GB/s, and a write 16 GB/s.
make_results() {
  PYTHONPATH="$SOURCE/scripts" python3 -B - "$guide" >vram.json <<'MAKE'
import json, re, runpy, sys
script = runpy.run_path(sys.argv[1])
text = open(sys.argv[1]).read()
names = set(re.findall(r'"((?:write|read)_\d+[a-zA-Z]+_[a-z_]+)"', text)) - {"write_64B_by_"}
for size in ("4B", "64B", "4KiB"):
    names |= {f"write_{size}_{what}_us" for what in
              ("same_place_spaced", "same_place_back_to_back", "cold_spaced", "seen_and_answered")}
    names.add(f"cudamemcpy_{size}_us")
names |= {"write_64B_by_plain", "write_300KB_by_plain", "read_64KiB_by_plain"}
samples = {name: [1.0, 2.0, 30.0] for name in names}
samples["timed_nothing_us"] = [0.5]
figures = [{"name": name, "value": 1.5}
           for name in ("write_4B_fenced_us", "write_64B_fenced_us", "write_4KiB_us")]
curve = []
for size in (4 << 2 * i for i in range(9)):
    point = {"bytes": size, "arms": {}}
    for arm in script["COLOURS"]:
        name = f"curve/{arm}/{size}"
        samples[name] = [8 + size / 5e4 if arm.startswith("cudaMemcpy") else size / 1.6e4 + 0.1]
        point["arms"][arm] = {"unit": "us", "samples": name}
    curve.append(point)
json.dump({"topic": "vram", "figures": figures, "samples": samples, "curve": curve, "road": "through Vulkan", "commit": "c" * 40,
           "date": "2026-01-02T03:04:05Z",
           "device": {"name": "NVIDIA X1", "driver": "9", "link": {"pcie_generation": 5, "pcie_width": 16}}},
          sys.stdout)
MAKE
}

run_guide() { capture "$guide" --results vram.json --guide page.md "$@"; }

test_every_block_is_filled_and_the_plot_is_drawn() {
  make_results
  cp "$page" page.md
  run_guide
  expect_code 0
  ! grep -A1 '^<!-- vram: ' page.md | grep -q '^<!-- /vram' || fail "a block stayed empty: $(<page.md)"
  # shellcheck disable=SC2016 # the backticks are Markdown's
  grep -qF 'writes VRAM: faster than `cudaMemcpy to the device` up to 64 KiB, slower at 256 KiB' page.md ||
    fail "$(<page.md)"
  grep -qE '^\| written and fenced, us \| 1.50 \| 1.50 \| 1.50 \|$' page.md || fail "$(<page.md)"
  grep -qE '^\| the same, .* not in the caches, us \| 1.50 \|' page.md || fail "$(<page.md)"
  grep -qE '^\| the same, the mean of many in a row, us \| 2.00 \|' page.md || fail "$(<page.md)"
  python3 - <<'CHECK' || fail "$(<page.svg)"
import xml.etree.ElementTree as tree
drawn = tree.parse("page.svg").getroot()
lines = drawn.findall("{http://www.w3.org/2000/svg}polyline")
assert len(lines) == 8 and all(len(line.get("points").split()) == 9 for line in lines)
CHECK
}

test_check_tells_an_old_guide_from_a_new_one() {
  make_results
  cp "$page" page.md
  run_guide
  run_guide --check
  expect_code 0
  sed -i 's/2.00/3.00/' page.md
  run_guide --check
  expect_code 1
  expect err "page.md: its figures are not those of vram.json"
  grep -q '3.00' page.md || fail "--check wrote"
}

# Files of results that are older than a row have no such row.
test_what_was_not_measured_has_no_row() {
  make_results
  sed -i 's/"timed_nothing_us"/"other"/; s/"write_4KiB_seen_and_answered_us"/"another"/' vram.json
  sed -i 's/"write_4MiB_four_threads_cold"/"a third"/' vram.json
  cp "$page" page.md
  run_guide
  expect_code 0
  ! grep -q 'not in the caches' page.md || fail "$(<page.md)"
  ! grep -q '4 MiB, four threads, source in memory' page.md || fail "$(<page.md)"
  grep -qF '| | 4 B | 64 B |' page.md || fail "$(<page.md)"
}

test_what_is_no_file_of_the_topic_is_refused() {
  cp "$page" page.md
  run_guide
  expect_code 2
  expect err "cannot be read"
  printf '{"samples": {}}' >vram.json
  run_guide
  expect_code 2
  expect err "not a file of the topic vram: it lacks 'curve'"
}

test_the_committed_guide_shows_the_committed_results() {
  [[ -f "$SOURCE/results/h200/vram.json" ]] || waive "results/h200 has no topic vram"
  capture "$guide" --check
  expect_code 0
}

readme_table="$SOURCE/scripts/readme-table"

test_the_readme_shows_the_committed_results() {
  for topic in compare signal vram; do
    [[ -f "$SOURCE/results/h200/$topic.json" ]] || waive "results/h200 has no topic $topic"
  done
  capture "$readme_table" --check
  expect_code 0
}

test_the_readme_table_tells_old_figures_from_new_ones() {
  cp "$SOURCE/README.md" page.md
  capture "$readme_table" --readme page.md
  expect_code 0
  sed -i 's/^| `transfer`: 4 KiB, all of it | [0-9.]*/| `transfer`: 4 KiB, all of it | 0.001/' page.md
  capture "$readme_table" --readme page.md --check
  expect_code 1
  expect err "page.md does not show the results"
  capture "$readme_table" --readme page.md
  expect_code 0
  cmp "$SOURCE/README.md" page.md || fail "the table is not what it was"
}

test_the_readme_table_names_samples_that_are_missing() {
  echo '{"samples": {}, "trials": []}' | tee compare.json signal.json >vram.json
  cp "$SOURCE/README.md" page.md
  capture "$readme_table" --readme page.md --results .
  expect_code 2
  expect err "has no samples"
  cmp "$SOURCE/README.md" page.md || fail "the page was touched"
}

# Each curve has three points and the arms that the scripts ask for.
make_memory_results() {
  python3 - "$SOURCE/scripts/memory-guide" >memory.json <<'MAKE'
import json, re, sys
names = re.findall(r'"([^"]*, us)"', open(sys.argv[1]).read())
samples = {name: [1.0, 2.0, 30.0] for name in names}
arms = {"pinning": ["cudaHostAlloc", "mapped_buffer"],
        "registrations": ["register", "lookup", "unregister"],
        "footprint": [f"{what}, {kind}" for what in ("read 128 B", "write 4 B")
                      for kind in ("managed", "cudaHostAlloc")],
        "windows": ["gather 128 B", "gather 128 B by windows"],
        "block size": ["batch", "packed by threads", "gather", "as many bytes read in order"],
        "block count": ["batch", "packed by threads", "gather"],
        "row size": ["plain loop", "gather"]}
curves = {}
for curve, its in arms.items():
    points = []
    for i, x in enumerate((1 << 20, 1 << 26, 1 << 33)):
        point = {"x": x, "arms": {}}
        for k, arm in enumerate(its):
            point["arms"][arm] = name = f"{curve}/{arm}/{x}"
            samples[name] = [1e6 * (i + 1) * (k + 1)]
        points.append(point)
    curves[curve] = {"x": "x", "points": points}
json.dump({"topic": "memory", "samples": samples, "curves": curves, "commit": "c" * 40,
           "date": "2026-01-02T03:04:05Z",
           "device": {"name": "NVIDIA X1", "driver": "9", "link": {"pcie_generation": 5, "pcie_width": 16}}},
          sys.stdout)
MAKE
}

test_the_memory_guides_are_filled_and_checked() {
  make_memory_results
  cp "$SOURCE/docs/guide/pinning-memory.md" "$SOURCE/docs/guide/tables-larger-than-the-page-reach.md" .
  capture "$SOURCE/scripts/memory-guide" --results memory.json --guide pinning-memory.md
  expect_code 0
  ! grep -A1 '^<!-- memory: ' ./*.md | grep -q -e '-<!-- /memory' || fail "a block stayed empty"
  grep -qE '^\| 64 MiB \| 2.00 \| 6.00 \| 4.00 \| 8.00 \|$' tables*.md || fail "$(cat tables*.md)"
  [[ $(grep -c '<polyline' pinning-memory.svg) == 2 && $(grep -c '<polyline' tables*.svg) == 4 ]] ||
    fail "$(cat ./*.svg)"
  capture "$SOURCE/scripts/memory-guide" --results memory.json --guide pinning-memory.md --check
  expect_code 0
  sed -i 's/6.00/7.00/' tables*.md
  capture "$SOURCE/scripts/memory-guide" --results memory.json --guide pinning-memory.md --check
  expect_code 1
  expect err "its figures are not those of memory.json"
}

test_what_is_no_file_of_the_topic_memory_is_refused() {
  cp "$SOURCE/docs/guide/pinning-memory.md" "$SOURCE/docs/guide/tables-larger-than-the-page-reach.md" .
  printf '{"samples": {}}' >memory.json
  capture "$SOURCE/scripts/memory-guide" --results memory.json --guide pinning-memory.md
  expect_code 2
  expect err "not a file of the topic memory: it lacks 'curves'"
}

test_the_committed_memory_guides_show_the_committed_results() {
  [[ -f "$SOURCE/results/h200/memory.json" ]] || waive "results/h200 has no topic memory"
  capture "$SOURCE/scripts/memory-guide" --check
  expect_code 0
}
