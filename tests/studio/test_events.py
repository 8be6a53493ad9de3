"""A burst of news about one thing becomes one message."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor

from reenact.studio.events import Events
from reenact.studio.messages import Job, JobEvent, LibraryEvent


def run_apart(coroutine):
    """Run a coroutine in a thread of its own: a browser driver may have left an event loop running in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, coroutine).result()


def job(number: str, progress: float) -> JobEvent:
    more = {
        "message": "",
        "command": "",
        "clips": (1,),
        "result": None,
        "result_is_new": False,
        "report": {},
        "error": None,
    }
    made = {"results": (), "new": (), "picture": "", "page": "", "video": "", "marks": (), "doubts": (), "change": 0}
    made |= {"sources": ("walk",), "files": ()}
    return JobEvent(Job(id=number, operation="cut", state="running", progress=progress, **more, **made))


def test_burst_collapses() -> None:
    async def listen() -> None:
        events = Events()
        with events.listening() as listener:
            deliveries = listener.deliveries()
            assert await anext(deliveries) == [LibraryEvent(0)]
            for step in range(100):
                events.publish(job("a", step / 100))
                events.publish(job("b", step / 200))
                events.library_changed()
            news = await anext(deliveries)
            assert len(news) == 3
            assert job("a", 0.99) in news
            assert job("b", 0.495) in news
            assert LibraryEvent(100) in news
        events.publish(job("a", 1.0))  # nobody listens any more

    run_apart(listen())
