"""The five towns: where they lie, how their streets are laid out, how steep and how warm they are.

They are invented, and lie within 10 km of 48.0 N, 7.85 E, at the eastern edge of the Upper Rhine
plain, where a plain, vineyards, valleys and a plateau are that near; so one scale of latitude and
longitude tells both the towns and the places within a town apart. Being neighbours they share their
seasons, and differ in height, in frost and in fog.
"""

from dataclasses import dataclass

NAME = "sumo-ev"


@dataclass(frozen=True)
class Region:
    """One town.

    Attributes
    ----------
    latitude, longitude
        Centre of its street network, degrees.
    layout
        Options of SUMO's ``netgenerate``.
    elevation
        Mean height, m.
    steepness
        Root mean square slope of the terrain.
    temperature
        Mean over the year, degrees C.
    season, day
        Half the range of daily means over the year, and of temperature over a day, K.
    dew_gap
        How far the dew point lies below the daily mean temperature, K.
    """

    name: str
    latitude: float
    longitude: float
    layout: str
    elevation: float
    steepness: float
    temperature: float
    season: float
    day: float
    dew_gap: float


def _rand(iterations: int, distance: tuple[int, int]) -> str:
    """Return the options of a random layout with streets of these lengths in m."""
    return (
        f"--rand --rand.iterations {iterations} --rand.min-distance {distance[0]} "
        f"--rand.max-distance {distance[1]} --rand.connectivity 0.95 "
        "--rand.neighbor-dist1 0 --rand.neighbor-dist2 1"
    )


_GRID = "--grid --grid.x-number 14 --grid.y-number 12 --grid.x-length 320 --grid.y-length 300"
_SPIDER = "--spider --spider.arm-number 11 --spider.circle-number 7 --spider.space-radius 290"

REGIONS = {
    region.name: region
    for region in (
        Region("plain", 48.00, 7.74, _GRID, 200, 0.004, 11.5, 9.5, 5.5, 4.0),
        Region("city", 47.99, 7.85, _SPIDER, 280, 0.012, 11.5, 9.0, 4.5, 5.0),
        Region("vineyards", 48.08, 7.80, _rand(190, (220, 480)), 340, 0.025, 11.0, 9.0, 5.0, 5.5),
        Region("valley", 48.04, 7.95, _rand(160, (240, 520)), 420, 0.030, 9.5, 9.0, 6.5, 2.5),
        Region("plateau", 47.93, 7.92, _rand(210, (260, 600)), 650, 0.022, 7.5, 8.5, 5.0, 3.0),
    )
}
"""The towns by name, in the order in which their vehicles are numbered."""

VEHICLES_PER_REGION = 10
