"""The report as a PDF: it compiles, and its pages show something."""

import io
import re

import numpy as np
import pytest
import typst
from PIL import Image
from report_of_papers import paper, report

from fedreact.report import content, document
from fedreact.report.tables import ReportBlock, ReportCell


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    place = tmp_path_factory.mktemp("papers")
    return report(paper(place), paper(place, "toy", "Second paper", ledger=None, claims=None))


def test_it_is_a_document_for_all_without_a_date(given):
    found = document.document(content.read(given.papers), given)
    assert found.startswith(b"%PDF-")
    assert found == document.document(content.read(given.papers), given)
    assert b"CreationDate" not in found
    assert len(re.findall(rb"/Type\s*/Page\b", found)) >= 3


def test_pages_are_not_empty(given, tmp_path):
    file = document.prepare(content.read(given.papers), given, tmp_path)
    pages = typst.compile(
        str(file), root=str(tmp_path), ignore_system_fonts=True, format="png", ppi=40
    )
    assert len(pages) >= 3
    for one in pages:
        grey = np.asarray(Image.open(io.BytesIO(one)).convert("L"))
        ink = (grey < 200).mean()
        assert 0.001 < ink < 0.5
        assert (grey[:, :20] > 200).all()  # nothing in the margin
        assert (grey[:, -20:] > 200).all()


def test_wide_blocks_come_in_parts():
    columns = [f"c{i}" for i in range(15)]
    cells = [ReportCell(i, "1") for i in range(15)]
    block = ReportBlock("Accuracy", "higher", "", columns, [("a", cells)])
    parts = list(document._parts(block))
    assert [column for part in parts for column in part["columns"]] == columns
    assert max(len(part["columns"]) for part in parts) <= document.WIDEST
    assert parts[0]["title"] == "Accuracy, part 1 of 3"
