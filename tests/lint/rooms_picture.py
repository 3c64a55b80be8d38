"""The picture of the rooms in docs/architecture.md, drawn from who includes whom."""
import math

WIDTH, HEIGHT, GAP, ROW = 148, 34, 16, 84  # of a box, between boxes, from row to row
MARGIN = 20


def levels_of(arrows):
    """The row of each room, from the bottom: one above the highest room that it includes."""
    levels = {}

    def level(room):
        if room not in levels:
            levels[room] = 1 + max((level(other) for other in arrows[room]), default=-1)
        return levels[room]

    for room in arrows:
        level(room)
    return levels


def reachable(arrows, start):
    found, todo = set(), list(arrows[start])
    while todo:
        room = todo.pop()
        if room not in found:
            found.add(room)
            todo += arrows[room]
    return found


def direct_arrows(arrows):
    """Without the arrows that others together imply."""
    return {room: [o for o in others if not any(o in reachable(arrows, p) for p in others if p != o)]
            for room, others in arrows.items()}


def places_of(levels, arrows):
    """The middle of each box: rows as wide as the widest, each room near the rooms above that include it."""
    rows = [sorted(r for r in levels if levels[r] == n) for n in range(max(levels.values()) + 1)]
    width = max(len(row) for row in rows) * (WIDTH + GAP) - GAP
    places = {}
    for n in range(len(rows) - 1, -1, -1):
        def wanted(room):
            above = [places[r][0] for r in places if room in arrows[r]]
            middle = math.fsum(above) / len(above) if above else width / 2  # the same in all versions of Python
            return (middle, room)
        row = sorted(rows[n], key=wanted)
        step = width / len(row)
        for i, room in enumerate(row):
            places[room] = (MARGIN + step * (i + 0.5), MARGIN + HEIGHT / 2 + (len(rows) - 1 - n) * ROW)
    return places, width + 2 * MARGIN, (len(rows) - 1) * ROW + HEIGHT + 2 * MARGIN


def picture(arrows):
    direct = direct_arrows(arrows)
    places, width, height = places_of(levels_of(arrows), direct)
    out = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" font-family="sans-serif">',
           f'<rect width="{width:.0f}" height="{height:.0f}" fill="white"/>']
    for room in sorted(direct):
        for other in direct[room]:
            (x, y), (u, v) = places[room], places[other]
            y, v = y + HEIGHT / 2, v - HEIGHT / 2
            bend = (v - y) / 2
            out.append(f'<path d="M{x:.0f} {y:.0f} C{x:.0f} {y + bend:.0f} {u:.0f} {v - bend:.0f} {u:.0f} {v:.0f}" '
                       'fill="none" stroke="#889" stroke-width="1.2"/>')
    for room, (x, y) in sorted(places.items()):
        fill = "#dbe8fb" if room.startswith("cppgen/") else "#e2f3df" if room.startswith("runtime/") else "#f6ecd2"
        out.append(f'<rect x="{x - WIDTH / 2:.0f}" y="{y - HEIGHT / 2:.0f}" width="{WIDTH}" height="{HEIGHT}" rx="5" '
                   f'fill="{fill}" stroke="#556"/>')
        out.append(f'<text x="{x:.0f}" y="{y + 5:.0f}" font-size="14" text-anchor="middle">{room}</text>')
    return "\n".join(out + ["</svg>", ""])
