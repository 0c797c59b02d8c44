"""Fed-REACT: federated representation learning for heterogeneous and evolving time series."""
