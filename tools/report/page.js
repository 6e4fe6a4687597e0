// Draws the page's charts from the data that the program embedded in it.
'use strict';

const data = JSON.parse(document.getElementById('data').textContent);
const dark = matchMedia('(prefers-color-scheme: dark)');
const narrow = matchMedia('(max-width: 480px)');

// Told apart by those who do not see all colours: Okabe and Ito, darkened for thin lines.
const colours = {
  staged: '#d55e00', mapped: '#0072b2', registered: '#009e73', managed: '#b8860b', vram: '#a5578a',
  naive: '#8a8f98', expert: '#d55e00', 'in place': '#0072b2', other: '#7a828c',
};
const colour = (name) => colours[name] || colours.other;

const sizes = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
function bytes(value) {
  let unit = 0;
  while (value >= 1024 && unit + 1 < sizes.length) {
    value /= 1024;
    ++unit;
  }
  return `${digits(value)} ${sizes[unit]}`;
}
function digits(value) {
  return value >= 100 ? value.toFixed(0) : Number(value.toPrecision(3)).toString();
}
function time(us) {
  if (us < 1) { return `${digits(us * 1e3)} ns`; }
  if (us < 1e3) { return `${digits(us)} µs`; }
  return us < 1e6 ? `${digits(us / 1e3)} ms` : `${digits(us / 1e6)} s`;
}
const percent = (share) => `${digits(share * 100)} %`;

// Ticks at powers of a base, as many as there is room for.
function powers(axis, base) {
  const first = Math.ceil(Math.log(axis.min) / Math.log(base) - 1e-9);
  const last = Math.floor(Math.log(axis.max) / Math.log(base) + 1e-9);
  const step = Math.max(1, Math.ceil((last - first + 1) / (narrow.matches ? 5 : 10)));
  axis.ticks = [];
  for (let power = first; power <= last; power += step) {
    axis.ticks.push({ value: base ** power });
  }
}
function logarithmic(title, text, base = 10) {
  return {
    type: 'logarithmic',
    title: { display: true, text: title },
    afterBuildTicks: (axis) => powers(axis, base),
    ticks: { autoSkip: false, maxRotation: 0, callback: (value) => text(value) },
  };
}

const charts = [];
function draw(canvas, config) {
  config.options = {
    responsive: true, maintainAspectRatio: false, animation: false, ...config.options,
  };
  charts.push(new Chart(canvas, config));
}
const canvas_of = (id) => document.querySelector(`#${id} canvas`);

// Charts cannot read the style sheet, and paper is white whatever the screen is.
const theme = { text: '', rule: '' };
function set_theme(is_dark) {
  theme.text = is_dark ? '#c3ccd5' : '#3d454e';
  theme.rule = is_dark ? '#2f3740' : '#d9dfe5';
  charts.forEach((chart) => chart.update('none'));
}
const text_colour = () => theme.text;
const rule_colour = () => theme.rule;

const describe = (format) => ({
  callbacks: { title: () => '', label: (item) => format(item.raw, item.dataset.label) },
});

// Lines that lie on each other differ in their dashes.
const line_of = (name, data, i) => ({
  label: name, data, showLine: true, borderColor: colour(name), backgroundColor: colour(name),
  borderWidth: 2, borderDash: [[], [9, 4], [2, 4], [9, 3, 2, 3]][i % 4], pointRadius: 0,
  pointHitRadius: 8, pointStyle: 'line',
});
const measured = ', measured';

function crossover(series) {
  const datasets = series.flatMap(({ name, line, points }, i) => [
    line_of(name, line, i),
    { label: name + measured, data: points, backgroundColor: colour(name), pointRadius: 4 },
  ]).filter((set) => set.data.length > 0);
  draw(canvas_of('crossover'), {
    type: 'scatter',
    data: { datasets },
    options: {
      scales: { x: { ...logarithmic('bytes', bytes, 4), min: 4 }, y: logarithmic('time of a call', time) },
      plugins: {
        legend: { labels: { usePointStyle: true, filter: (item) => !item.text.endsWith(measured) } },
        tooltip: describe(({ x, y }, label) => `${label}: ${bytes(x)} in ${time(y)}`),
      },
    },
  });
}

// A rectangle of one cell, to be drawn as a point.
function cell_of(chart, { columns, rows }, name) {
  const made = document.createElement('canvas');
  const area = chart.chartArea || { width: columns, height: rows };
  made.width = Math.ceil(area.width / columns);
  made.height = Math.ceil(area.height / rows);
  const pen = made.getContext('2d');
  pen.fillStyle = colour(name);
  pen.fillRect(0, 0, made.width, made.height);
  return made;
}

function decision_map(map) {
  const { cells } = map;
  const winners = [...new Set(cells.map((cell) => cell.winner))];
  // Half a cell around the outermost ones.
  const ends = (values, step) => ({
    min: Math.min(...values) / Math.sqrt(step), max: Math.max(...values) * Math.sqrt(step),
  });
  const columns_end = ends(cells.map((cell) => cell.x), 2);
  const rows_end = ends(cells.map((cell) => cell.y), 10 ** (1 / 3));
  draw(canvas_of('map'), {
    type: 'scatter',
    data: {
      datasets: winners.map((name) => ({
        label: name,
        data: cells.filter((cell) => cell.winner === name),
        backgroundColor: colour(name),
        pointStyle: ({ chart }) => cell_of(chart, map, name),
        radius: 12, hoverRadius: 12,
      })),
    },
    options: {
      scales: {
        x: { ...logarithmic('bytes', bytes, 4), ...columns_end },
        y: { ...logarithmic('touched share', percent), ...rows_end },
      },
      plugins: {
        tooltip: {
          callbacks: {
            title: ([item]) => `${bytes(item.raw.x)}, ${percent(item.raw.y)} touched`,
            label: (item) => item.raw.times.map(([name, us]) => `${name}: ${time(us)}`),
          },
        },
      },
    },
  });
}

function cliff(series) {
  draw(canvas_of('cliff'), {
    type: 'scatter',
    data: {
      datasets: series.map(({ name, line }, i) => line_of(name, line, i)),
    },
    options: {
      scales: {
        x: logarithmic('footprint', bytes, 4),
        y: { beginAtZero: true, title: { display: true, text: 'ns an access' } },
      },
      plugins: {
        legend: { labels: { usePointStyle: true } },
        tooltip: describe(({ x, y }, label) => `${label}: ${digits(y)} ns over ${bytes(x)}`),
      },
    },
  });
}

// Long labels take two lines where there is little room.
function lines_of(label) {
  const most = narrow.matches ? 16 : 34;
  const lines = [''];
  for (const word of label.split(' ')) {
    const last = lines[lines.length - 1];
    if (last && last.length + word.length >= most) {
      lines.push(word);
    } else {
      lines[lines.length - 1] = last ? `${last} ${word}` : word;
    }
  }
  return lines;
}

// Bars from the left edge: on a logarithmic axis there is no zero to start from.
function bars(canvas, labels, datasets, tooltip) {
  const values = datasets.flatMap((set) => set.data.map((item) => item.x)).filter((x) => x > 0);
  const scale = logarithmic('', time);
  draw(canvas, {
    type: 'bar',
    data: { labels, datasets },
    options: {
      indexAxis: 'y',
      scales: {
        x: { ...scale, title: { display: false }, min: 10 ** Math.floor(Math.log10(Math.min(...values) / 1.5)) },
        y: {
          grid: { display: false },
          ticks: { autoSkip: false, callback(value) { return lines_of(this.getLabelForValue(value)); } },
        },
      },
      plugins: { legend: { display: datasets.length > 1 }, tooltip },
    },
  });
}

function ladder(steps) {
  canvas_of('ladder').parentElement.style.height = `${steps.length * (narrow.matches ? 54 : 42) + 60}px`;
  bars(canvas_of('ladder'), steps.map((step) => step.name),
    [{ label: 'latency', backgroundColor: colour('mapped'),
      data: steps.map((step) => ({ x: step.us, y: step.name, ...step })) }],
    describe((step) => `${time(step.us)} (${time(step.low)} to ${time(step.high)})`));
}

function scenarios(all) {
  const into = document.getElementById('trials');
  for (const { name, trials } of all) {
    const roles = ['naive', 'expert', 'in place'].filter((role) => trials.some((one) => one.arms[role]));
    const heading = document.createElement('h3');
    heading.textContent = name;
    const figure = document.createElement('figure');
    figure.style.height = `${trials.length * (roles.length * 16 + 14) + 80}px`;
    const canvas = document.createElement('canvas');
    canvas.setAttribute('role', 'img');
    canvas.setAttribute('aria-label', `Times of ${name}`);
    figure.append(canvas);
    into.append(heading, figure);
    bars(canvas, trials.map((one) => one.label),
      roles.map((role) => ({
        label: role, backgroundColor: colour(role),
        data: trials.map((one) => ({ ...one.arms[role], x: one.arms[role] ? one.arms[role].us : 0, y: one.label })),
      })),
      describe((arm, label) => `${label}: ${arm.name}, ${time(arm.us)} (p99 ${time(arm.p99_us)})`));
  }
}

function row(cells, kind, name) {
  const made = document.createElement('tr');
  made.className = name || '';
  for (const text of cells) {
    const cell = document.createElement(kind);
    cell.textContent = text;
    made.append(cell);
  }
  return made;
}

function regret({ count, choices, predictions, points }) {
  document.getElementById('regret_note').textContent =
    `${count} patterns, drawn from the whole space. Regret is the time of what was chosen / the time ` +
    'of what turned out best: the best is picked on half of the repetitions, and judged on the ' +
    `other half. Of all predictions, ${percent(predictions.within_30_percent)} came within 30 %; ` +
    `the median error is ${percent(predictions.median_error)}.`;
  const table = document.getElementById('choices');
  table.append(row(['choice', 'geomean', 'p95', 'worst', 'best choice'], 'th'));
  for (const one of choices) {
    table.append(row([one.choice, one.geomean.toFixed(3), digits(one.p95), digits(one.worst),
      percent(one.best_share)], 'td', one.choice));
  }
  const all = Object.values(points).flat();
  const ends = [Math.min(...all.map((at) => at.x)), Math.max(...all.map((at) => at.x))];
  const diagonal = { label: 'as predicted', data: ends.map((x) => ({ x, y: x })), showLine: true,
    borderColor: colours.other, borderWidth: 1, pointRadius: 0 };
  draw(canvas_of('regret'), {
    type: 'scatter',
    data: {
      datasets: [...Object.entries(points).map(([name, at]) => ({
        label: name, data: at, backgroundColor: `${colour(name)}99`, pointRadius: 2.5, borderWidth: 0,
      })), diagonal],
    },
    options: {
      scales: { x: logarithmic('measured', time), y: logarithmic('predicted', time) },
      plugins: { tooltip: describe(({ x, y }, label) => `${label}: ${time(x)}, predicted ${time(y)}`) },
    },
  });
}

function describe_machine() {
  document.getElementById('device').textContent = data.device;
  document.getElementById('device_note').textContent = data.note;
  const facts = document.getElementById('facts');
  for (const [name, text] of data.facts) {
    const term = document.createElement('dt');
    const meaning = document.createElement('dd');
    term.textContent = name;
    meaning.textContent = text;
    facts.append(term, meaning);
  }
  for (const [id, list] of [['sources', data.sources], ['missing', data.missing]]) {
    const into = document.querySelector(id === 'sources' ? '#sources' : '#missing ul');
    for (const text of list) {
      const item = document.createElement('li');
      item.textContent = text;
      into.append(item);
    }
  }
  document.getElementById('missing').hidden = data.missing.length === 0;
}

Chart.defaults.font.family = getComputedStyle(document.body).fontFamily;
Chart.defaults.font.size = 13;
Chart.defaults.scale.ticks.color = text_colour;
Chart.defaults.scale.title.color = text_colour;
Chart.defaults.scale.grid.color = rule_colour;
Chart.defaults.scale.grid.borderColor = rule_colour;
Chart.defaults.plugins.legend.labels.color = text_colour;
set_theme(dark.matches);
describe_machine();
const sections = { crossover, map: decision_map, cliff, ladder, scenarios, regret };
for (const [id, show] of Object.entries(sections)) {
  document.getElementById(id).hidden = !data[id];
  if (data[id]) {
    show(data[id]);
  }
}
dark.addEventListener('change', () => set_theme(dark.matches));
addEventListener('beforeprint', () => {
  set_theme(false);
  charts.forEach((chart) => chart.resize());
});
addEventListener('afterprint', () => {
  set_theme(dark.matches);
  charts.forEach((chart) => chart.resize());
});
