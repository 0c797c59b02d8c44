"""The simulated clock, by cases worked by hand."""

import numpy as np
import pytest

from fedreact.clock.clock import Clock
from fedreact.clock.devices import Devices, Network
from fedreact.kinds.asynchronous.algorithms.fedat import FedAT
from fedreact.kinds.asynchronous.algorithms.fedcond import FedConD
from fedreact.kinds.asynchronous.algorithms.rounds import Rounds
from fedreact.kinds.asynchronous.contract import Algorithm


def as_many(held, new):
    return float(held)


def devices(n_samples=(10, 20, 30), gflops=as_many, seed=0, horizon=np.inf, **network):
    return Devices(Network(**network), n_samples, gflops, seed, horizon)


def flights(algorithm, clock, n):
    algorithm.begin(clock)
    found = []
    for _ in range(n):
        flight = clock.next()
        found.append(flight)
        algorithm.proceed(clock, flight, None)
    return found


# --- Devices


def test_a_trip_takes_its_delay_and_what_its_device_computes():
    made = devices(delays=((5.0, 5.0),), rate=2.0)
    assert made.trip(0, 0) == (5.0 + 10 / 2, True, 10, 0)
    assert made.trip(2, 0) == (5.0 + 30 / 2, True, 30, 0)


def test_a_client_has_one_delay_or_another_each_time():
    once = devices(delays=((10.0, 100.0),), gflops=lambda held, new: 0.0)
    assert once.trip(1, 0) == once.trip(1, 1)
    anew = devices(delays=((10.0, 100.0),), gflops=lambda held, new: 0.0, redrawn=True)
    seconds = [anew.trip(1, i)[0] for i in range(200)]
    assert 10 <= min(seconds) < 20
    assert 90 < max(seconds) <= 100


def test_a_clients_trips_do_not_depend_on_those_of_others():
    made = {"delays": ((0.0, 9.0),), "redrawn": True, "lost": 0.3}
    a, b = devices(**made), devices(**made)
    alone = [a.trip(1, i) for i in range(5)]
    mixed = []
    for i in range(5):
        b.trip(0, i)
        mixed.append(b.trip(1, i))
        b.trip(2, i)
    assert alone == mixed


def test_parts_of_the_clients_have_the_ranges_of_delays():
    ranges = ((0.0, 0.0), (1.0, 5.0), (6.0, 10.0))
    made = devices(n_samples=[1] * 9, delays=ranges, gflops=lambda held, new: 0.0, redrawn=True)
    assert np.bincount(made.part).tolist() == [3, 3, 3]
    for k in range(9):
        low, high = ranges[made.part[k]]
        assert low <= made.trip(k, 0)[0] <= high


def test_samples_arrive_with_each_trip_until_all_are_there():
    made = devices(n_samples=[100], start=(0.25, 0.25), growth=(0.1, 0.1))
    assert [made.held(0, trip) for trip in (0, 1, 2, 7, 8, 50)] == [25, 35, 45, 95, 100, 100]


def test_what_arrives_between_trips_is_new():
    made = devices(n_samples=[100], start=(0.25, 0.25), growth=(0.1, 0.1), gflops=lambda *n: n[1])
    trips = [made.trip(0, trip) for trip in (0, 1, 7, 8, 9)]
    assert [(seconds, new) for seconds, _, _, new in trips] == [(n, n) for n in (0, 10, 10, 5, 0)]


@pytest.mark.parametrize("redrawn", [False, True])
def test_who_leaves_and_what_is_lost_change_no_delay(redrawn):
    """So that runs with and without them can be paired."""
    given = {"n_samples": [1] * 9, "delays": ((1.0, 9.0),), "redrawn": redrawn, "horizon": 60.0}
    as_it_is, other = devices(**given), devices(**given, leaving=4, lost=0.5)
    for k in range(9):
        for trip in range(5):
            assert as_it_is.trip(k, trip)[0] == other.trip(k, trip)[0]
    assert np.isfinite(other.leaves).sum() == 4


def test_a_client_has_a_sample_at_least():
    assert devices(n_samples=[3], start=(0.01, 0.01)).held(0, 0) == 1


# --- The clock


def test_everyone_trains_all_the_time():
    # Trips take 1, 2 and 3 seconds. Ties go to who began first.
    clock = Clock(devices(n_samples=[1, 2, 3]))
    found = flights(Algorithm(), clock, 7)
    assert [f.ends for f in found] == [1, 2, 2, 3, 3, 4, 4]
    assert [f.all.tolist() for f in found] == [[0], [1], [0], [2], [0], [1], [0]]
    assert [f.trips.tolist() for f in found][:4] == [[0], [0], [1], [0]]
    # Mean seconds of the trips before: eq. 5.11.
    assert np.isnan(found[0].waited[0])
    assert found[2].waited.tolist() == [1.0]


def test_a_round_waits_for_its_slowest():
    clock = Clock(devices(n_samples=[1, 2, 3]))
    found = flights(Rounds(share=1.0), clock, 3)
    assert [f.ends for f in found] == [3, 6, 9]
    assert [f.clients.tolist() for f in found] == [[0, 1, 2]] * 3


def test_a_round_draws_a_share_anew():
    clock = Clock(devices(n_samples=[1] * 10))
    found = flights(Rounds(share=0.2), clock, 20)
    assert {len(f.clients) for f in found} == {2}
    assert len({tuple(f.clients) for f in found}) > 5


def test_the_devices_with_fewest_updates_are_asked():
    """Algorithm 4, line 7: no client is two trips ahead of another that is idle."""
    clock = Clock(devices(n_samples=[1, 2, 3, 4, 5] * 2))
    algorithm = FedConD(gamma=0.3)
    algorithm.begin(clock)
    for _ in range(100):
        assert len(clock.under_way) == 3
        flight = clock.next()
        available = clock.available()
        algorithm.proceed(clock, flight, None)
        (sent,) = clock.sent_off()[-1].all
        assert clock.trips[sent] - 1 == min(clock.trips[k] - (k == sent) for k in available)


def test_tiers_have_rounds_of_their_own():
    # Two tiers of two clients; their delays are 1 and 3 seconds.
    clock = Clock(devices([1] * 4, lambda held, new: 0.0, delays=((1.0, 1.0), (3.0, 3.0))))
    found = flights(FedAT(clients=2), clock, 8)
    assert [(f.ends, f.tier) for f in found[:5]] == [(1, 0), (2, 0), (3, 1), (3, 0), (4, 0)]
    part = clock.devices.part
    assert all((part[f.all] == f.tier).all() for f in found)


def test_who_never_answers_is_not_asked():
    clock = Clock(devices(n_samples=[1] * 10, silent=0.5))
    found = flights(Algorithm(), clock, 40)
    asked = {int(k) for f in found for k in f.all}
    assert asked == set(np.flatnonzero(~clock.devices.silent))
    assert len(asked) == 5


def test_who_leaves_on_the_way_is_waited_for_until_then_and_never_asked_again():
    made = devices(n_samples=[1, 1, 9], leaving=0)
    made.leaves[2] = 4.0
    clock = Clock(made)
    found = flights(Rounds(share=1.0), clock, 2)
    assert found[0].all.tolist() == [0, 1, 2]
    assert (found[0].ends, found[0].clients.tolist()) == (4, [0, 1])
    assert found[1].all.tolist() == [0, 1]


def test_a_flight_of_clients_that_all_leave_ends_when_they_do():
    made = devices(n_samples=[9])
    made.leaves[0] = 4.0
    clock = Clock(made)
    Algorithm().begin(clock)
    flight = clock.next()
    assert (flight.ends, len(flight.clients)) == (4.0, 0)
    Algorithm().proceed(clock, flight, None)
    assert clock.next() is None


def test_clients_leave_within_the_horizon():
    made = devices(n_samples=[1] * 20, leaving=5, horizon=60.0)
    assert np.isfinite(made.leaves).sum() == 5
    assert made.leaves.min() >= 0
    assert np.sort(made.leaves)[4] <= 60


def test_updates_are_lost_as_often_as_they_say():
    clock = Clock(devices(n_samples=[1] * 4, lost=0.25))
    found = flights(Algorithm(), clock, 4000)
    assert np.mean([len(f.clients) == 0 for f in found]) == pytest.approx(0.25, abs=0.02)


def test_the_server_knows_what_has_arrived_at_clients_it_has_heard_of():
    clock = Clock(devices(n_samples=[10, 20], start=(0.5, 0.5), growth=(0.1, 0.1)))
    assert clock.held.tolist() == [5, 10]
    flights(Algorithm(), clock, 2)  # those of clients 0 and 1, after 5 and 10 seconds
    assert clock.held.tolist() == [5, 10]
    clock.next()  # the second one of client 0, after 11
    assert clock.held.tolist() == [6, 10]


def test_the_same_seed_gives_the_same_trace():
    def trace(seed):
        made = {"delays": ((1.0, 9.0),), "redrawn": True, "lost": 0.1}
        clock = Clock(devices([5] * 8, seed=seed, **made))
        return [(f.ends, f.all.tolist()) for f in flights(FedConD(gamma=0.5), clock, 50)]

    assert trace(3) == trace(3)
    assert trace(3) != trace(4)
