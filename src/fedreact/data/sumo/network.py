"""The streets of a town: SUMO's random layout with hills, main roads and a place on Earth.

``netgenerate`` gives junctions and streets; heights, speed limits and signals are set here, and
``netconvert`` makes the network of them.
"""

import re
import subprocess
import xml.etree.ElementTree as ET
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import dijkstra

from fedreact.data.sumo.regions import NAME, REGIONS, Region
from fedreact.errors import UserError
from fedreact.rng import generator

GATES = 6  # where main roads leave the town; opposite ones are joined
MAIN, EXPRESS = 60 / 3.6, 90 / 3.6  # m/s
STREET, QUIET = 50 / 3.6, 30 / 3.6
QUIET_SHARE = 0.4
JITTER = 30.0  # m, by which junctions are moved, so that no town is a chessboard
WAVES, WAVELENGTHS = 6, (1500.0, 8000.0)


@dataclass(frozen=True)
class Edge:
    """One direction of a street: speed limit in m/s, and the points of its first lane in m."""

    id: str
    speed: float
    length: float
    shape: np.ndarray


def build_network(region: Region, seed: int, programs: Path, folder: Path) -> Path:
    """Make a region's street network.

    Parameters
    ----------
    programs
        Folder of SUMO's programs.
    folder
        Where files are written.

    Returns
    -------
    Path
        The network; without its comments, which hold the time, the same for the same seed.

    Raises
    ------
    UserError
        A program of SUMO failed.
    """
    raw, net = folder / "raw", folder / "net.xml"
    _call(programs / "netgenerate", *region.layout.split(), "--seed", str(seed), "-p", str(raw))
    rng = generator(seed, f"{NAME} network", list(REGIONS).index(region.name))
    nodes = ET.parse(f"{raw}.nod.xml").getroot().iter("node")
    at = {node.get("id"): (float(node.get("x")), float(node.get("y"))) for node in nodes}
    names = list(at)
    xy = np.array(list(at.values()))
    xy += JITTER * rng.standard_normal(xy.shape) - (xy.min(axis=0) + xy.max(axis=0)) / 2
    index = {name: i for i, name in enumerate(names)}
    edges = ET.parse(f"{raw}.edg.xml").getroot().iter("edge")
    ends = [(e.get("id"), index[e.get("from")], index[e.get("to")]) for e in edges]

    limit = _main_roads(xy, {(a, b) for _, a, b in ends}, rng)
    touching = np.bincount([a for a, _ in limit], minlength=len(xy))
    z = region.elevation + _hills(xy, region.steepness, rng)
    root = ET.Element("nodes")
    projection = f"+proj=tmerc +lat_0={region.latitude} +lon_0={region.longitude}"
    ET.SubElement(
        root,
        "location",
        netOffset="0,0",
        convBoundary="0,0,0,0",
        origBoundary="0,0,0,0",
        projParameter=f"{projection} +k=1 +x_0=0 +y_0=0 +ellps=WGS84 +units=m +no_defs",
    )
    for name, (x, y), height, roads in zip(names, xy, z, touching):
        kind = "traffic_light" if roads > 2 else "priority"
        place = {"x": f"{x:.2f}", "y": f"{y:.2f}", "z": f"{height:.2f}"}
        ET.SubElement(root, "node", id=name, type=kind, **place)
    ET.ElementTree(root).write(folder / "town.nod.xml")

    root = ET.Element("edges")
    quiet: dict[tuple[int, int], bool] = {}
    for name, a, b in ends:
        slow = quiet.setdefault((min(a, b), max(a, b)), bool(rng.random() < QUIET_SHARE))
        speed = limit.get((a, b), QUIET if slow else STREET)
        main = speed >= MAIN
        ET.SubElement(
            root,
            "edge",
            {"id": name, "from": names[a], "to": names[b], "speed": f"{speed:.2f}"},
            numLanes="2" if main else "1",
            priority="3" if main else "1",
        )
    ET.ElementTree(root).write(folder / "town.edg.xml")
    _call(
        *(programs / "netconvert", "-n", folder / "town.nod.xml", "-e", folder / "town.edg.xml"),
        *("--offset.disable-normalization", "true", "--keep-edges.components", "1"),
        *("--xml-validation", "never", "--no-warnings", "true", "-o", net),
    )
    net.write_text(re.sub(r"<!--.*?-->\s*", "", net.read_text(), flags=re.DOTALL))
    return net


def read_edges(net: Path) -> list[Edge]:
    """Read the streets of a network, without those within junctions."""
    edges = []
    for edge in ET.parse(net).getroot().iter("edge"):
        if edge.get("function") != "internal":
            lanes = edge.findall("lane")
            points = [point.split(",")[:2] for point in lanes[0].get("shape").split()]
            of_lane = float(lanes[0].get("speed")), float(lanes[0].get("length"))
            edges.append(Edge(edge.get("id"), *of_lane, np.array(points, dtype=float)))
    return edges


def _hills(xy, steepness, rng):
    """Heights above the mean ``[n]``, a sum of plane waves with this root mean square slope."""
    length = np.exp(rng.uniform(*np.log(WAVELENGTHS), WAVES))
    angle, phase = rng.uniform(0, 2 * np.pi, (2, WAVES))
    along = xy @ np.stack([np.cos(angle), np.sin(angle)])
    # The slope of a wave of height h is 2 pi h / length; its root mean square is that / sqrt(2).
    height = steepness * np.sqrt(2 / WAVES) * length / (2 * np.pi)
    return np.sin(2 * np.pi * along / length + phase) @ height


def _main_roads(xy, streets, rng):
    """Speed limits of the streets on shortest ways between opposite gates."""
    angle = rng.uniform(0, 2 * np.pi) + 2 * np.pi * np.arange(GATES) / GATES
    along = xy @ np.stack([np.cos(angle), np.sin(angle)])
    across = np.abs(xy @ np.stack([-np.sin(angle), np.cos(angle)]))
    gates = np.argmax(along - across, axis=0)
    a, b = np.array(sorted(streets)).T
    cost = np.hypot(*(xy[a] - xy[b]).T)
    limit = {}
    for one in range(GATES // 2):
        _, before = dijkstra(
            csr_array((cost, (a, b)), shape=(len(xy),) * 2),
            indices=gates[one],
            return_predecessors=True,
        )
        node = gates[one + GATES // 2]
        while before[node] >= 0:
            for street in ((before[node], node), (node, before[node])):
                limit.setdefault(street, EXPRESS if one == 0 else MAIN)
            node = before[node]
    return limit


def _call(program, *options):
    words = [str(program), *map(str, options)]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        reason = [line for line in done.stderr.splitlines() if line.startswith("Error")]
        what = reason[0] if reason else f"status {done.returncode}"
        raise UserError(f"{NAME}: {Path(program).name} failed: {what}")
