"""Commands of ``fedreact``, each a file that defines ``COMMAND`` (:mod:`fedreact.cli.contract`)."""
