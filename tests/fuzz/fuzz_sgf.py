"""SGF under atheris, which looks for bytes that reach code it has not seen yet.

    pip install --target /tmp/atheris atheris
    PYTHONPATH=/tmp/atheris:. python tests/fuzz/fuzz_sgf.py -runs=100000

Anything but a KatachiError ends it, and so does one that comes after the file has been read.
`sgf_mutations.py` does without atheris.
"""

import inspect
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import FunctionType, ModuleType

from sgfmill import sgf_grammar

from katachi.core.errors import KatachiError
from katachi.games.go import record, sgf, vertex
from tests.fuzz.sgf_mutations import corpus, read_and_write

WATCHED = (sgf_grammar, sgf, record, vertex)


def functions(module: ModuleType) -> Iterator[FunctionType]:
    """All functions of a module, also those of its classes."""
    classes = [item for item in vars(module).values() if inspect.isclass(item) and item.__module__ == module.__name__]
    for holder in (module, *classes):
        for item in vars(holder).values():
            found = item.fget if isinstance(item, property) else getattr(item, "__func__", item)
            if inspect.isfunction(found) and found.__module__ == module.__name__:
                yield found


def read(data: bytes) -> None:
    """What atheris repeats."""
    try:
        read_and_write(data)
    except KatachiError:
        return


def main() -> None:
    """Hands the command line to libFuzzer; the files of `sgf_mutations.corpus` are where it starts."""
    import atheris

    # One by one: `atheris.instrument_imports` sees nothing of modules that an editable install loads.
    for module in WATCHED:
        for function in functions(module):
            atheris.instrument_func(function)
    with tempfile.TemporaryDirectory() as folder:
        for number, data in enumerate(corpus()):
            (Path(folder) / f"{number}.sgf").write_bytes(data)
        atheris.Setup([*sys.argv, folder], read)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
