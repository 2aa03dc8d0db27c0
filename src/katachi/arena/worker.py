"""A worker process of `LocalWorkers`: one line of JSON in, one out, until the pipe ends.

The end of the pipe ends it at once, in the middle of a game too: whoever wanted the result is gone. So does SIGTERM.
External engines of the game are ended first, if that is quick; otherwise they end as those of a worker that is killed
(`katachi.players.gtp_process`).
"""

import json
import os
import queue
import signal
import threading
import time
import traceback
from typing import Any, NoReturn

from katachi.arena.executor import answer_of

__all__ = ["main"]

_TO_CLOSE = 1.0  # seconds


def main() -> None:
    """Works until nobody asks any more."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever else writes to stdout
    signal.signal(signal.SIGTERM, _leave)
    asked: queue.Queue[bytes] = queue.Queue()
    threading.Thread(target=_read, args=(asked,), daemon=True).start()
    while True:
        question = json.loads(asked.get())
        try:
            line = json.dumps(answer_of(question["function"], question["argument"]))
        except Exception:  # a mistake in the work: whoever asked wants to see where
            answer: dict[str, Any] = {"error": traceback.format_exc().rstrip(), "kind": "WorkerError"}
            line = json.dumps(answer)
        answers.write(line.encode() + b"\n")
        answers.flush()


def _read(asked: "queue.Queue[bytes]") -> None:
    with os.fdopen(os.dup(0), "rb") as source:
        for line in source:
            asked.put(line)
    main_thread = threading.main_thread().ident
    assert main_thread is not None
    signal.pthread_kill(main_thread, signal.SIGTERM)  # to this thread, so that it wakes up
    time.sleep(_TO_CLOSE)
    os._exit(0)


def _leave(_number: int, _frame: object) -> NoReturn:
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    raise SystemExit(0)


if __name__ == "__main__":
    main()
