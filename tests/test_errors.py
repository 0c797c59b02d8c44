"""What errors say of names."""

from fedreact.errors import known, unknown


def test_the_name_that_may_have_been_meant():
    assert known(["visiting", "migration"], "vsiting") == (
        "visiting, migration (did you mean visiting?)"
    )
    assert known(["visiting", "migration"], "x") == "visiting, migration"
    assert known([1, 2], 1.5) == "1, 2"
    assert unknown("b", ["bb"]) == "'b' is unknown; known: bb (did you mean bb?)"
    assert unknown(["a"], []) == "['a'] is unknown; known: "
