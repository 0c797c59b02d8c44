"""The one exception meant for people."""


class UserError(Exception):
    """Bad input or a wrong setting; its text is one line: what, where, and what to do.

    Commands print the text without a traceback and exit with status 2. It stays one line whatever
    is quoted in it.
    """

    def __init__(self, text: str):
        super().__init__(" ".join(text.splitlines()))
