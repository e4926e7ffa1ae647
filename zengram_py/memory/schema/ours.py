"""V009 and later: the index of vectors, and what Zengram has beyond the published schema.

Facts have labels (``tags``) beside categories, sessions have a summary and an end, scopes have more settings for ranking; names that
facts mention are a graph of their own (graph.py), and instructions are texts for the system prompt.
"""

from __future__ import annotations

from ...engine import IndexDef
from .cross_cutting import GRAPH
from .knowledge import VECTOR_INDEX
from .specs import Edge, Graph, Migration, More, Table, integer, json, number, text, time

KNOWLEDGE_VECTOR = Migration(
    9,
    "knowledge_vector",
    [
        More(
            "embedding",
            indexes=[IndexDef(VECTOR_INDEX, "auto", (["col", "vector"],), options={"metric": "cosine"})],
        )
    ],
)

ENTITIES = Migration(
    10,
    "entities",
    [
        Table(
            "_zengram_entity",
            # The id is made from the key, so that a name is one row, on whatever memory branch it was met first.
            [integer("id"), text("name", merge="newest"), text("key"), time("time_created", merge="max")],
            indexes=[IndexDef("entity_key", "hash", (["col", "key"],), unique=True)],
        ),
        Table(
            "_zengram_entity_link",
            [integer("entity"), text("knowledge_id")],
            key=("entity", "knowledge_id"),
            indexes=[IndexDef("entity_link_knowledge", "hash", (["col", "knowledge_id"],))],
        ),
    ],
)

RANKING = Migration(
    11,
    "ranking",
    [
        More("knowledge", [json("tags?")]),
        More(
            "retrieval_config",
            [
                text("preset", "hybrid"),
                number("spread_turns", 0.3),
                number("spread_session", 0.3),
                number("spread_sources", 0.3),
                number("spread_entities", 0.1),
                number("spread_peer", 0.2),
            ],
        ),
    ],
)

SESSIONS = Migration(
    12,
    "session_ends",
    [
        More("session", [text("summary?"), time("time_ended?")]),
        # For everyone (owner_id ''), for a project, or for a session.
        Table(
            "_zengram_instructions",
            [text("owner_type"), text("owner_id", ""), text("content"), time("time_updated", merge="max")],
            key=("owner_type", "owner_id"),
        ),
    ],
)

PROVENANCE_GRAPH = Migration(
    13,
    "provenance_graph",
    [
        Graph(
            GRAPH,
            {},
            [
                # From what there was first to what came of it.
                Edge(
                    "YIELDED",
                    "provenance",
                    ("source_id", "Turn"),
                    ("target_id", "Knowledge"),
                    ("relation", "confidence", "time_created"),
                ),
                Edge(
                    "REVEALED",
                    "provenance",
                    ("source_id", "ToolCall"),
                    ("target_id", "Knowledge"),
                    ("relation", "confidence", "time_created"),
                ),
                Edge(
                    "LED_TO",
                    "provenance",
                    ("source_id", "Knowledge"),
                    ("target_id", "Knowledge"),
                    ("relation", "confidence", "time_created"),
                ),
                Edge("SUPERSEDED_BY", "knowledge", ("id", "Knowledge"), ("superseded_by", "Knowledge")),
            ],
        )
    ],
)

TOKEN_DIGESTS = Migration(
    14,
    "token_digests",
    # Of the text that was counted; rows of before have none, and count for no text.
    [More("token_estimate", [text("text_digest?", merge="newest")])],
)
