"""Flower's simulation by its Message API: Ray, a core for each client that trains."""

import json
from functools import cache

from flwr.app import ArrayRecord, ConfigRecord, Message, MetricRecord, RecordDict
from flwr.clientapp import ClientApp
from flwr.serverapp import ServerApp
from flwr.serverapp.strategy import FedAvg
from flwr.simulation import run_simulation

from rivals.case import Case, as_words, flat

client = ClientApp()


@cache
def case_of(words):
    """Return a case and prepare for it, once in each process of Ray."""
    case = Case(**json.loads(words))
    case.prepare()
    return case


@client.train()
def train(message, context):
    """Train a client; in round 0, hand back the weights."""
    config, content = message.content["config"], message.content["arrays"]
    case, k = case_of(config["case"]), int(context.node_config["partition-id"])
    if config["round"]:
        model = case.module_of(content.to_torch_state_dict())
        case.train(model, k, config["round"])
        content = ArrayRecord(model.state_dict())
    metrics = MetricRecord({"num-examples": len(case.client(k))})
    answer = RecordDict({"arrays": content, "metrics": metrics})
    return Message(content=answer, reply_to=message)


def run(job, orders):
    """Train on so many cores, which Ray is told of."""
    case = job.case

    class InTurn(FedAvg):
        """FedAvg whose rounds are ordered."""

        def configure_train(self, server_round, arrays, config, grid):
            """Wait for the next round."""
            t = orders.next(lambda: flat(case.module_of(arrays.to_torch_state_dict())))
            if t is None:
                raise Last
            config["round"] = t
            return super().configure_train(server_round, arrays, config, grid)

        def aggregate_train(self, server_round, replies):
            """Check that all clients have trained."""
            replies = list(replies)
            failed = sum(reply.has_error() for reply in replies)
            if failed or len(replies) != case.clients:
                raise RuntimeError(f"{failed} of {len(replies)} clients failed")
            return super().aggregate_train(server_round, replies)

    server = ServerApp()

    @server.main()
    def main(grid, context):
        initial = ArrayRecord(case.module(job.theta).state_dict())
        config = ConfigRecord({"case": json.dumps(as_words(case)), "round": 0})
        strategy = InTurn(fraction_evaluate=0.0, min_available_nodes=case.clients)
        strategy.start(grid, initial, num_rounds=10**6, train_config=config)

    one_core = {"client_resources": {"num_cpus": 1}, "init_args": {"num_cpus": job.cores}}
    run_simulation(server, client, num_supernodes=case.clients, backend_config=one_core)


class Last(Exception):
    """There is no other round."""
