"""pfl: its simulated backend, a process of one thread a core, as its page on speed advises."""

import os
import pickle
import socket
import subprocess
import sys


def run(job, orders):
    """Train in as many processes as cores; this one is the first and is asked for all."""
    if job.cores > 1:
        with socket.socket() as free:
            free.bind(("localhost", 0))
            port = free.getsockname()[1]
        # Processes meet at the first of these, and no other is opened.
        addresses = ",".join(f"localhost:{port + i}" for i in range(job.cores))
        os.environ |= {"PFL_WORKER_ADDRESSES": addresses, "PFL_WORKER_RANK": "0"}
    others = [start(job, rank) for rank in range(1, job.cores)]
    train(job, orders)
    for other in others:
        other.wait()


def start(job, rank):
    """Start another process."""
    process = subprocess.Popen(
        [sys.executable, "-c", "from rivals.pfl import follow; follow()"],
        env=os.environ | {"PFL_WORKER_RANK": str(rank)},
        stdin=subprocess.PIPE,
    )
    process.stdin.write(pickle.dumps(job))
    process.stdin.close()
    return process


def follow():
    """In another process: train its share of the clients."""
    train(pickle.loads(sys.stdin.buffer.read()), None)


def train(job, orders):
    """Import pfl, at which all processes meet, and train."""
    from rivals.pfl_training import train

    train(job, orders)
