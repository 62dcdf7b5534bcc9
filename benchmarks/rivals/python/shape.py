"""What systems are asked to do, whichever they are."""

from dataclasses import dataclass
from typing import Callable


class Waits:
    """How long nodes of waiting runs wait, in seconds: even between two bounds, from the generator that weft_bench has
    (std::minstd_rand). `begun` counts runs that came to their first wait."""

    def __init__(self, least=0.005, most=0.05):
        self._last = 1
        self._least = round(least * 1e6)
        self._span = round((most - least) * 1e6) + 1
        self.begun = 0

    def next(self):
        self._last = self._last * 48_271 % 2_147_483_647
        return (self._least + self._last % self._span) / 1e6


@dataclass
class AgentShape:
    """An agent, and how its model behaves: it calls the tool in every turn but the last."""

    system: str
    before: list
    question: str
    tool: str
    arguments: Callable[[int], dict]
    result: Callable[[dict], str]
    answer: str
    turns: int
    delay: float = 0
