# pinhole report and compare --html from outside, and the page in a real browser. Run by run_test.sh.
# shellcheck shell=bash

profile="$SOURCE/tests/cli/advice/sample.json"
runs="$SOURCE/tests/cli/report/runs.json"
regret="$SOURCE/tests/cli/report/regret.json"
sections=(crossover map cliff ladder scenarios regret)

needs_charts() {
  [[ "$("$PINHOLE" report -o charts.html --from "$profile" 2>&1)" != *"built without charts"* ]] ||
    waive "this pinhole was built without Chart.js, which draws the charts"
}

find_browser() {
  local candidate
  for candidate in chromium-headless-shell chromium chromium-browser google-chrome; do
    browser="$(command -v "$candidate")" && return
  done
  waive "there is no Chromium here (Debian: chromium-headless-shell)"
}

# browse WIDTH PAGE: the page as it stands after its scripts, in $out; its console is in $err.
browse() {
  capture timeout 120 "$browser" --headless --no-sandbox --disable-gpu --disable-dev-shm-usage \
    --user-data-dir="$scratch/browser" --enable-logging=stderr --virtual-time-budget=10000 \
    --window-size="$1,2000" --dump-dom "file://$PWD/$2"
  expect_code 0
}

# Says of every chart how many of its pixels are drawn, and whether the page is wider than the window.
# shellcheck disable=SC2016 # it is JavaScript
probe='<script>addEventListener("load", () => { const seen = [...document.querySelectorAll("canvas")].map(
  (c) => { const p = c.getContext("2d").getImageData(0, 0, c.width, c.height).data; let drawn = 0;
    for (let i = 3; i < p.length; i += 4) { drawn += p[i] > 0; }
    return `${(c.closest("section") || {}).id}=${drawn}@${c.clientWidth}`; });
  const smallest = Math.min(...[...document.querySelectorAll("body *")].filter((e) => e.offsetParent)
    .map((e) => parseFloat(getComputedStyle(e).fontSize)), Chart.defaults.font.size);
  document.documentElement.dataset.seen = [...seen, `fits=${document.documentElement.scrollWidth <= innerWidth}`,
    `smallest=${smallest}`].join(" "); });</script>'

# with_probe PAGE: adds the probe at its end.
with_probe() {
  local page
  page="$(<"$1")"
  printf '%s%s</body></html>' "${page%</body>*}" "$probe" >"$1"
}

seen() { grep -o 'data-seen="[^"]*"' "$scratch/out" | head -n1; }

expect_drawn() {
  local section pixels
  for section in "$@"; do
    pixels="$(seen | grep -oE "$section=[0-9]+" | sort -t= -k2n | head -n1)"
    ((${pixels#*=} > 2000)) || fail "$section is not drawn: $(seen)"
  done
  [[ "$err" != *CONSOLE* ]] || fail "the console says: $(grep CONSOLE <<<"$err")"
}

test_the_page_is_whole() {
  needs_charts
  capture "$PINHOLE" report --from "$profile" "$runs" "$regret" -o page.html
  expect_code 0
  expect out "page.html"
  [[ "$(<page.html)" != *"{{"*"}}"*"</html>"*"{{"* ]] || fail "a part is missing"
  ! grep -oE '(src|href)=|@import|url\(' page.html | head -n1 | grep . || fail "it loads something"
  local section
  for section in "${sections[@]}"; do
    grep -q "\"$section\":" page.html || fail "there is no $section"
  done
  # What came from files ends no script.
  (($(grep -o '</script>' page.html | wc -l) == 3)) || fail "a text ends a script"
  grep -q 'u003c/script>' page.html || fail "the text that tries it is not there"
}

test_what_is_missing_is_said() {
  needs_charts
  capture "$PINHOLE" report --from "$runs" -o -
  expect_code 0
  expect out "pinhole calibrate -o FILE"
  expect out "pinhole compare --regret --json FILE"
  expect out '"crossover":[{"name":"staged","line":[],'  # points alone
}

test_bad_input() {
  needs_charts
  rm charts.html
  refused "-o is missing" -- "$PINHOLE" report --from "$profile"
  refused "-o: cannot write 'none/x.html'" -- "$PINHOLE" report --from "$profile" -o none/x.html
  refused "--from: cannot read 'none.json'" -- "$PINHOLE" report --from none.json -o x.html
  echo '[1]' >list.json
  echo '{"trials": [1]}' >trials.json
  echo '{"other": 1}' >other.json
  echo '{"trials"' >cut.json
  refused "--from: 'list.json' is not a JSON object" -- "$PINHOLE" report --from list.json -o x.html
  refused "--from: 'cut.json' is not a JSON object" -- "$PINHOLE" report --from cut.json -o x.html
  refused "--from: 'trials.json' is not whole" -- "$PINHOLE" report --from trials.json -o x.html
  refused "--from: 'other.json' is nothing to show" -- "$PINHOLE" report --from other.json -o x.html
  sed 's/"launch_wait_us": {"value": [0-9.]*/"launch_wait_us": {"value": -5/' "$profile" >bad.json
  refused "--from: 'bad.json'" "figures.launch_wait_us.value is -5" -- \
    "$PINHOLE" report --from bad.json -o x.html
  sed 's/"Sample GPU"/"Other GPU"/' "$profile" >other.json
  refused "'other.json' is of Other GPU, and 'sample.json' of Sample GPU" -- \
    "$PINHOLE" report --from "$profile" other.json -o x.html
  refused "--html: cannot write 'none/x.html'" -- "$FAKE" compare quick --html none/x.html
  [[ ! -e x.html ]] || fail "a page was written"
}

test_every_chart_is_drawn() {
  needs_charts
  find_browser
  "$PINHOLE" report --from "$profile" "$runs" "$regret" -o page.html >/dev/null
  with_probe page.html
  local width
  for width in 1280 390; do
    browse "$width" page.html
    expect_drawn "${sections[@]}"
    [[ "$(seen)" == *fits=true* ]] || fail "it is wider than $width: $(seen)"
    [[ "$(seen)" =~ smallest=1[2-9] ]] || fail "a text is smaller than 12 pixels: $(seen)"
  done
}

test_the_page_of_one_run() {
  needs_charts
  capture "$FAKE" compare quick --html page.html
  expect_code 0
  grep -q '"scenarios":' page.html || fail "no scenarios"
  find_browser
  with_probe page.html
  browse 1280 page.html
  expect_drawn scenarios
}
