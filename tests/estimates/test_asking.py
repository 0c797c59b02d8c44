"""What Snakemake says that it cannot do."""

from fedreact.estimates.asking import reason

PRINTED = """Using workflow specific profile profiles/default.
WorkflowError in file "/p/workflow/rules/common.smk", line 35:
config/papers/x/tables.yaml: columns: no such method
  File "/p/workflow/rules/common.smk", line 35, in <module>
"""


def test_the_reason_is_what_is_wrong_not_where_it_was_noticed():
    assert reason(PRINTED) == "config/papers/x/tables.yaml: columns: no such method"
    assert reason("") == ""
