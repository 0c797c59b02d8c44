"""The vehicles."""

from fedreact.data.sumo.fleet import OF_REGION, ROLES, TYPES, vehicles_of
from fedreact.data.sumo.regions import REGIONS


def test_fifty_vehicles_of_all_types_and_roles():
    fleet = [v for region in REGIONS.values() for v in vehicles_of(region, 0)]
    assert [v.number for v in fleet] == list(range(50))
    assert {v.type for v in fleet} == set(TYPES)
    assert {v.role for v in fleet} == set(ROLES) == set(OF_REGION)
    for v in fleet:
        type_, role = TYPES[v.type], ROLES[v.role]
        assert role.windows[0] <= v.windows <= role.windows[1]
        assert role.start[0] <= v.start / v.capacity <= role.start[1]
        assert 0.6 * type_.capacity < v.capacity <= type_.capacity
        assert 0 <= v.loading <= type_.loading
        assert 0.85 * type_.drag < v.drag < 1.15 * type_.drag
    assert vehicles_of(REGIONS["city"], 0) == fleet[10:20]
    assert vehicles_of(REGIONS["city"], 1) != fleet[10:20]
