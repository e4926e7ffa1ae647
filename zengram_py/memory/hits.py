"""What recall gives: answers, and how they came about."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Explanation:
    """How a hit's score came about: the score is the sum of ``parts``.

    Attributes
    ----------
    preset : str
        The formula (fusion.py).
    vector, text, entities : float
        What the arms say of the fact, calibrated: 0 to 1, names 0 to 0.3.
    vector_rank, text_rank, entity_rank : int
        The fact's place among the candidates in each arm, from 1; 0 where the arm says nothing of it.
    text_score : float
        The BM25 score before it was calibrated (of the vector, ``Hit.similarity`` is that).
    shared : int
        Names that the fact and the question share.
    relevance : float
        What the arms say together.
    age_days, recency : float
        The fact's age, and what it makes of 1.
    importance : float
        The fact's importance.
    spread : dict of str to float
        What it was handed by its neighbours, by kind of link; empty without any.
    redundancy : float
        Under ``mmr``, the greatest cosine with a hit before it; else 0.
    parts : dict of str to float
        What adds up to the score.
    """

    preset: str
    vector: float
    text: float
    entities: float
    vector_rank: int
    text_rank: int
    entity_rank: int
    text_score: float
    shared: int
    relevance: float
    age_days: float
    recency: float
    importance: float
    spread: dict[str, float]
    redundancy: float
    parts: dict[str, float]


@dataclass(frozen=True)
class Hit:
    """One answer.

    Attributes
    ----------
    knowledge_id, subject, content : str
        The fact.
    score : float
        What the ranking goes by.
    similarity : float
        The cosine of the fact's and the question's vector, -1 to 1; 0 for a question without a vector.
    importance : float
        The fact's importance, 0 to 1.
    status : str
        ``"active"``, unless others were asked for.
    time_created : int
        Microseconds since the epoch, UTC.
    tokens : int
        About how many tokens ``"subject: content"`` has (tokens.py).
    explanation : Explanation or None
        Why it is here, if that was asked for.
    """

    knowledge_id: str
    subject: str
    content: str
    score: float
    similarity: float
    importance: float
    status: str
    time_created: int
    tokens: int
    explanation: Explanation | None = None
