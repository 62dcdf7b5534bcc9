"""A node in Python: rates how easy a text is to read.

    uvicorn rate:service --port 8001
"""

import re

from fastapi import FastAPI
from pydantic import BaseModel

service = FastAPI()


class Reads(BaseModel):
    """The keys that the node reads."""

    text: str


class Writes(BaseModel):
    """The keys that it writes."""

    words: int
    score: float


@service.post("/rate")
def rate(state: Reads) -> Writes:
    words = re.findall(r"\w+", state.text)
    sentences = max(1, len(re.findall(r"[.!?]+", state.text)))
    # Short sentences of short words are easy.
    effort = len(words) / sentences / 20 + sum(map(len, words)) / max(1, len(words)) / 10
    return Writes(words=len(words), score=round(max(0.0, 1 - effort / 2), 2))
