"""KataGo's JSON protocol on two streams: lines are read while a search runs, and answered where it runs."""

import json
import threading
from collections.abc import Callable
from io import RawIOBase
from typing import Any, BinaryIO

from katachi.analysis.engine import AnalysisEngine
from katachi.analysis.query import LONGEST_LINE
from katachi.core.line_inbox import LineInbox, read_lines

__all__ = ["serve"]

Say = Callable[[dict[str, Any]], None]


def serve(make_engine: Callable[[Say], AnalysisEngine], source: RawIOBase, sink: BinaryIO) -> None:
    """Answers until the input ends and all that was asked is answered. The source is unbuffered."""

    def say(answer: dict[str, Any]) -> None:
        sink.write(json.dumps(answer, sort_keys=True, separators=(",", ":")).encode() + b"\n")
        sink.flush()

    engine = make_engine(say)
    inbox = LineInbox()

    def listen() -> None:
        while inbox.has_lines() and (line := inbox.take()) is not None:
            engine.hear(line)

    threading.Thread(target=read_lines, args=(source, inbox, LONGEST_LINE), daemon=True, name="query-reader").start()
    while True:
        listen()
        if engine.has_work:
            engine.work(listen)
        elif (line := inbox.take()) is None:
            return
        else:
            engine.hear(line)
