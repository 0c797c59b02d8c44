"""The half of a federation that runs at the server: rounds, progress, and what came of them."""

import hashlib
from pathlib import Path

from fedreact.federation import phase_2, rounds
from fedreact.federation.members import Link, Members
from fedreact.federation.outcome import Outcome
from fedreact.federation.plan import Plan, Serving, settled


def serve(plan: Plan, serving: Serving, link: Link) -> Outcome:
    """Run a federation to its end, or on from where it was interrupted.

    Raises
    ------
    UserError
        It cannot go on; one line says why.
    """
    members = Members(link, plan, serving)
    task = members.gather()
    sizes = [member.n_train for _, member in sorted(members.joined.items())]
    members.plan = settled(plan, task, sizes)
    members.run = run_name(members.plan, serving)
    run = phase_2.run if plan.kind == "clustered" else rounds.run
    outcome = run(members)
    outcome.traffic = dict(members.traffic)
    outcome.save(Path(serving.folder))
    return outcome


def run_name(plan: Plan, serving: Serving) -> str:
    """Name what server and clients keep of a run: another plan is another run."""
    text = f"{plan.as_text()} {serving.clients}"
    return hashlib.sha256(text.encode()).hexdigest()[:16]
