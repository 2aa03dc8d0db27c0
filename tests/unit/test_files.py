"""Files that are written whole; links, permissions and failures are in test_sgf.py, by way of records."""

import os
import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from katachi.core.files import write_whole


def test_permissions_can_be_given(tmp_path: Path) -> None:
    path = tmp_path / "file"
    for mode in (0o600, 0o640):
        write_whole(path, b"secret", mode=mode)
        assert stat.S_IMODE(path.stat().st_mode) == mode
    write_whole(path, b"other")
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"other", 0o640)


def test_many_writers_of_one_file(tmp_path: Path) -> None:
    path = tmp_path / "file"
    contents = [bytes([i]) * 100_000 for i in range(20)]
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda content: write_whole(path, content), contents))
    assert path.read_bytes() in contents
    assert os.listdir(tmp_path) == ["file"]


def test_a_folder_is_no_file(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        write_whole(tmp_path, b"")
