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
CONVERT = (
    *("--offset.disable-normalization", "true", "--keep-edges.components", "1"),
    *("--xml-validation", "never", "--no-warnings", "true"),
)
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
    layout = [*region.layout.split(), "--seed", str(seed), "-p", str(raw)]
    _call(programs / "netgenerate", layout)
    rng = generator(seed, f"{NAME} network", list(REGIONS).index(region.name))
    nodes = [node.attrib for node in ET.parse(f"{raw}.nod.xml").getroot().iter("node")]
    names = [node["id"] for node in nodes]
    xy = np.array([(float(node["x"]), float(node["y"])) for node in nodes])
    xy += JITTER * rng.standard_normal(xy.shape) - (xy.min(axis=0) + xy.max(axis=0)) / 2
    index = {name: i for i, name in enumerate(names)}
    edges = [edge.attrib for edge in ET.parse(f"{raw}.edg.xml").getroot().iter("edge")]
    ends = [(edge["id"], index[edge["from"]], index[edge["to"]]) for edge in edges]

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
        ET.SubElement(root, "node", {"id": name, "type": kind} | place)
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
    town = ["-n", str(folder / "town.nod.xml"), "-e", str(folder / "town.edg.xml"), "-o", str(net)]
    _call(programs / "netconvert", [*town, *CONVERT])
    net.write_text(re.sub(r"<!--.*?-->\s*", "", net.read_text(), flags=re.DOTALL))
    return net


def read_edges(net: Path) -> list[Edge]:
    """Read the streets of a network, without those within junctions."""
    edges = []
    for edge in ET.parse(net).getroot().iter("edge"):
        if edge.get("function") != "internal":
            lane = edge.findall("lane")[0].attrib
            points = [point.split(",")[:2] for point in lane["shape"].split()]
            edges.append(
                Edge(
                    id=edge.attrib["id"],
                    speed=float(lane["speed"]),
                    length=float(lane["length"]),
                    shape=np.array(points, dtype=float),
                )
            )
    return edges


def _hills(xy: np.ndarray, steepness: float, rng: np.random.Generator) -> np.ndarray:
    """Draw heights above the mean ``[n]``, a sum of waves with this root mean square slope."""
    shortest, longest = np.log(WAVELENGTHS)
    length = np.exp(rng.uniform(shortest, longest, WAVES))
    angle, phase = rng.uniform(0, 2 * np.pi, (2, WAVES))
    along = xy @ np.stack([np.cos(angle), np.sin(angle)])
    # The slope of a wave of height h is 2 pi h / length; its root mean square is that / sqrt(2).
    height = steepness * np.sqrt(2 / WAVES) * length / (2 * np.pi)
    return np.sin(2 * np.pi * along / length + phase) @ height


def _main_roads(
    xy: np.ndarray, streets: set[tuple[int, int]], rng: np.random.Generator
) -> dict[tuple[int, int], float]:
    """Return speed limits of the streets on shortest ways between opposite gates."""
    angle = rng.uniform(0, 2 * np.pi) + 2 * np.pi * np.arange(GATES) / GATES
    along = xy @ np.stack([np.cos(angle), np.sin(angle)])
    across = np.abs(xy @ np.stack([-np.sin(angle), np.cos(angle)]))
    gates = np.argmax(along - across, axis=0)
    a, b = np.array(sorted(streets)).T
    cost = np.hypot(*(xy[a] - xy[b]).T)
    limit: dict[tuple[int, int], float] = {}
    for gate in range(GATES // 2):
        _, before = dijkstra(
            csr_array((cost, (a, b)), shape=(len(xy),) * 2),
            indices=gates[gate],
            return_predecessors=True,
        )
        node = gates[gate + GATES // 2]
        while before[node] >= 0:
            for street in ((before[node], node), (node, before[node])):
                limit.setdefault(street, EXPRESS if gate == 0 else MAIN)
            node = before[node]
    return limit


def _call(program: Path, options: list[str]) -> None:
    done = subprocess.run([str(program), *options], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        errors = [line for line in done.stderr.splitlines() if line.startswith("Error")]
        reason = errors[0] if errors else f"status {done.returncode}"
        raise UserError(f"{NAME}: {program.name} failed: {reason}")
