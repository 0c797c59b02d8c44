"""Labels that differ from the last row of their window; runs of kind ``split`` record this.

Persistence scores 0, and chance level is 1/2.
"""

from fedreact.metrics.subsets.contract import RecordedSubset

SUBSET = RecordedSubset("of labels that have changed", bases=("balanced_accuracy",))
