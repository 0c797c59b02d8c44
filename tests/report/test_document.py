"""The report as a PDF: it compiles, and its pages show something."""

import io
import re

import numpy as np
import pytest
from PIL import Image
from report_of_papers import paper, told

from fedreact.report import content, document
from fedreact.report.tables import Block, Cell


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    place = tmp_path_factory.mktemp("papers")
    return told(paper(place), paper(place, "toy", "Second paper", ledger=None, claims=None))


def test_it_is_a_document_for_all_without_a_date(given):
    found = document.document(content.read(given["papers"]), given)
    assert found.startswith(b"%PDF-")
    assert found == document.document(content.read(given["papers"]), given)
    assert b"CreationDate" not in found
    assert len(re.findall(rb"/Type\s*/Page\b", found)) >= 3


def test_pages_are_not_empty(given):
    pages = document.document(content.read(given["papers"]), given, format="png", ppi=40)
    assert len(pages) >= 3
    for one in pages:
        grey = np.asarray(Image.open(io.BytesIO(one)).convert("L"))
        ink = (grey < 200).mean()
        assert 0.001 < ink < 0.5
        assert (grey[:, :20] > 200).all()  # nothing in the margin
        assert (grey[:, -20:] > 200).all()


def test_wide_blocks_come_in_parts():
    columns = [f"c{i}" for i in range(15)]
    block = Block("Accuracy", "higher", "", columns, [("a", [Cell(i, "1") for i in range(15)])])
    parts = list(document._parts(block))
    assert [column for part in parts for column in part["columns"]] == columns
    assert max(len(part["columns"]) for part in parts) <= document.WIDEST
    assert parts[0]["title"] == "Accuracy, part 1 of 3"
