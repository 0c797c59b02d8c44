"""What is checked before the first step of a workflow."""

import os
import time

import pytest

from fedreact.errors import UserError
from fedreact.workflow.start import check_times


def test_a_file_from_the_future_is_refused_with_the_command_that_mends_it(tmp_path):
    old, new = tmp_path / "old.csv", tmp_path / "new.csv"
    for path in (old, new):
        path.touch()
    check_times(tmp_path)
    os.utime(new, (time.time() + 3600,) * 2)
    with pytest.raises(UserError, match="is dated in the future") as error:
        check_times(tmp_path)
    command = str(error.value).split(": ")[-1]
    assert os.system(command) == 0
    check_times(tmp_path)
