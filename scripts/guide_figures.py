"""What the scripts that put figures into guides have in common.

A guide holds blocks, '<!-- TOPIC: NAME -->' to '<!-- /TOPIC -->', whose lines a script writes from a
file of results.
"""

import argparse
import json
import math
import re
import statistics
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
WIDTH, HEIGHT, LEFT, RIGHT, TOP, BOTTOM = 860, 480, 70, 210, 20, 50


def bytes_text(count):
    for unit, size in (("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= size:
            return f"{count / size:g} {unit}"
    return f"{count:g} B"


def number(value):
    """Three digits, as a table wants them."""
    return f"{value:.0f}" if value >= 100 else f"{value:.1f}" if value >= 10 else f"{value:.2f}"


def table(headings, rows):
    """Lines of a table in Markdown; the first column is text."""
    yield "|" + "|".join(f" {heading} " if heading else " " for heading in headings) + "|"
    yield "|---|" + "---:|" * (len(headings) - 1)
    for row in rows:
        yield "| " + " | ".join(row) + " |"


class Report:
    """A file of results."""

    def __init__(self, path):
        self.report = json.loads(path.read_text(encoding="utf-8"))
        self.samples = self.report["samples"]

    def median(self, name):
        return statistics.median(self.samples[name])

    def measured_on(self, what=""):
        """Where the figures come from; `what` is said behind the link."""
        device, report = self.report["device"], self.report
        return (f"Measured on one {device['name']}, driver {device['driver']}, PCIe "
                f"{device['link']['pcie_generation']} x{device['link']['pcie_width']}, {what}at commit "
                f"{report['commit'][:12]} on {report['date'][:10]}. Medians; "
                f"`results/{device['name'].split()[-1].lower()}/{report['topic']}.json` holds every "
                "sample.")


def labels_apart(wanted, gap=16):
    """Pushes labels down until no two overlap."""
    placed = []
    for at, what in sorted(wanted):
        placed.append((max(at, placed[-1][0] + gap) if placed else at, what))
    return placed


def scales(curves):
    """Both axes are logarithmic: functions from x and y to the picture, and the decades of y."""
    across = [math.log2(x) for points in curves.values() for x, _ in points]
    upwards = [math.log10(y) for points in curves.values() for _, y in points]
    low, high = math.floor(min(upwards)), math.ceil(max(upwards))
    left = min(across)
    per_x = (WIDTH - LEFT - RIGHT) / max(max(across) - left, 1)
    per_y = (HEIGHT - TOP - BOTTOM) / max(high - low, 1)
    return (lambda x: LEFT + (math.log2(x) - left) * per_x,
            lambda y: HEIGHT - BOTTOM - (math.log10(y) - low) * per_y,
            range(low, high + 1))


def plot(title, curves, colours, ticks, y_unit, x_text=bytes_text):
    """Lines of an SVG: `curves` by name as lists of (x, y), in the order of `colours`."""
    x, y, decades = scales(curves)
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" '
           'font-family="sans-serif" font-size="12">')
    yield f"<title>{title}</title>"
    yield f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>'
    for power in decades:
        at, label = y(10 ** power), f"{10 ** power:g} {y_unit}"
        yield f'<line x1="{LEFT}" x2="{WIDTH - RIGHT}" y1="{at:.1f}" y2="{at:.1f}" stroke="#ddd"/>'
        yield f'<text x="{LEFT - 8}" y="{at + 4:.1f}" text-anchor="end">{label}</text>'
    for tick in ticks:
        at = x(tick)
        yield f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{TOP}" y2="{HEIGHT - BOTTOM}" stroke="#eee"/>'
        yield (f'<text x="{at:.1f}" y="{HEIGHT - BOTTOM + 20}" text-anchor="middle">'
               f"{x_text(tick)}</text>")
    ends = []
    for name, colour in colours.items():
        points = curves.get(name)
        if points:
            line = " ".join(f"{x(at):.1f},{y(value):.1f}" for at, value in points)
            yield f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>'
            ends.append((y(points[-1][1]) + 4, (name, colour)))
    for at, (name, colour) in labels_apart(ends):
        yield f'<text x="{WIDTH - RIGHT + 10}" y="{at:.1f}" fill="{colour}">{name}</text>'
    yield "</svg>"


def text_of(lines):
    return "".join(line + "\n" for line in lines)


def filled(topic, page, blocks, results):
    """The page with its blocks written anew."""
    pattern = re.compile(rf"(<!-- {topic}: ([a-z]+) -->\n).*?(<!-- /{topic} -->)", re.DOTALL)

    def fill(block):
        begin, name, end = block.groups()
        return begin + text_of(blocks[name](results)) + end

    return pattern.sub(fill, page)


def main(doc, topic, read, wanted, guide):
    """Runs a script: `wanted(results, options.guide)` are the texts of all files that it writes."""
    parser = argparse.ArgumentParser(description=doc.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing; complain instead")
    parser.add_argument("--results", type=Path, default=ROOT / f"results/h200/{topic}.json", metavar="FILE")
    parser.add_argument("--guide", type=Path, default=guide, metavar="FILE")
    options = parser.parse_args()
    try:
        texts = wanted(read(options.results), options.guide)
    except (OSError, ValueError) as failed:
        parser.error(f"cannot be read: {failed}")
    except KeyError as lacks:
        parser.error(f"{options.results}: not a file of the topic {topic}: it lacks {lacks}")

    code = 0
    for path, text in texts.items():
        if not options.check:
            path.write_text(text, encoding="utf-8")
        elif not path.exists() or path.read_text(encoding="utf-8") != text:
            print(f"{path}: its figures are not those of {options.results}", file=sys.stderr)
            code = 1
    return code
