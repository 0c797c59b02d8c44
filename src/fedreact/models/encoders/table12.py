"""The causal CNN whose parameters Table 12 of Fed-REACT (arXiv) counts: 153,380 without a head."""

from fedreact.models.causal_cnn import CausalCNN

ENCODER = CausalCNN
