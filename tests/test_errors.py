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


def test_of_many_names_the_ten_most_like_it_are_listed():
    names = [f"{letter}{number}" for letter in "ab" for number in range(16)]
    text = known(names, "a1")
    assert text.startswith("a1, ")
    assert text.endswith(" and 22 more (did you mean a1?)")
    assert len(text.split(", ")) == 10
    assert known(names[:30], "a1").startswith(", ".join(names[:30]))
