"""The trips of ``asynchronous.py`` in FLSim's asynchronous trainer, in a process of its own.

Its environment: this package, and what ``flsim_model.py`` says. It trains one client after the
other, on one thread here.
"""

import torch
from rival import answer


def make_run(name, hidden):
    """Return a function that trains so many updates and returns their number."""
    import hydra.utils
    from asynchronous import CLIENTS, LEARNING_RATE, SAMPLES, SHAPES, STEPS, Plain, noise
    from flsim_model import Model, patched

    with patched():
        from flsim.clients.base_client import ClientConfig
        from flsim.data.data_provider import FLDataProviderFromList
        from flsim.optimizers import async_aggregators as aggregators
        from flsim.optimizers.local_optimizers import LocalOptimizerAdamConfig
        from flsim.trainers.async_trainer import AsyncTrainerConfig
        from flsim.utils.async_trainer import training_event_generator as events
        from flsim.utils.async_trainer.async_user_selector import AsyncUserSelectorType
        from flsim.utils.timing import training_duration_distribution as durations

    channels, _, classes, batch_size, _ = SHAPES[name]
    X, y = (torch.from_numpy(array) for array in noise(name))
    # A client's batches are made once, as FLSim's own loaders do.
    clients = zip(X.split(SAMPLES), y.split(SAMPLES))
    batches = [list(zip(*(part.split(batch_size) for part in own)))[:STEPS] for own in clients]
    # So many clients are in flight on average, for the 10 to 100 s that the package's take.
    duration = durations.PerUserUniformDurationDistributionConfig(
        training_duration_mean=55.0, training_duration_min=10.0
    )
    start = events.ConstantAsyncTrainingStartTimeDistrConfig(training_rate=CLIENTS / 55.0)
    config = AsyncTrainerConfig(
        epochs=1.0,
        do_eval=False,
        report_train_metrics=False,
        client=ClientConfig(optimizer=LocalOptimizerAdamConfig(lr=LEARNING_RATE, weight_decay=0.0)),
        aggregator=aggregators.FedAvgWithLRAsyncAggregatorConfig(
            aggregation_type=aggregators.AsyncAggregationType.fed_async_aggregation, lr=0.6
        ),
        training_event_generator=events.AsyncTrainingEventGeneratorConfig(
            training_start_time_distribution=start, duration_distribution_generator=duration
        ),
        async_user_selector_type=AsyncUserSelectorType.ROUND_ROBIN,
    )

    torch.set_num_threads(1)

    def run(updates):
        model = Model(Plain(channels, hidden, classes))
        # An epoch is as many trips as there are users: so each user is one trip of a client's.
        trips = [batches[i % CLIENTS] for i in range(updates)]
        data = FLDataProviderFromList(trips, [], [], model)
        trainer = hydra.utils.instantiate(config, model=model)
        trainer.train(data, None, updates)
        return trainer.aggregator.global_seqnum

    run(1)  # torch imports its optimizers' parts at the first step
    return run


def serve(fd):
    """Answer numbers of updates."""
    answer(fd, make_run)
