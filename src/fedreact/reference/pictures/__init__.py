"""Pictures of the documentation, one a file, drawn from what is kept (see ``contract.py``)."""
