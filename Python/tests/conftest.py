from __future__ import annotations

from pathlib import Path

import fleet
import pytest


@pytest.fixture
def logs(tmp_path: Path) -> Path:
    folder = tmp_path / "logs"
    fleet.write(folder, 30)
    return folder
