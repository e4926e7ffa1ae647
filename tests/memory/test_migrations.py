"""The memory's schema: what it is, how a database comes to have it, and what is refused."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from zengram_py import ZengramMemory
from zengram_py.clock import ManualClock
from zengram_py.engine import (
    BOOLEAN,
    FLOAT64,
    INT64,
    JSON,
    TEXT,
    TIMESTAMP,
    ColumnDef,
    Database,
    IndexDef,
    vector,
)
from zengram_py.errors import DimensionError, InvalidArgumentError, MigrationError, SnapshotError
from zengram_py.memory import schema
from zengram_py.memory.schema.checksums import CHECKSUMS
from zengram_py.memory.schema.migrations import GRAPH_KIND, RECORD
from zengram_py.memory.schema.specs import Graph, Migration, More, Table, integer, json, ordered, text
from zengram_py.sql.zeta import ZetaDb

RESERVED = [
    "_zengram_config",
    "_zengram_migrations",
    "account",
    "account_state",
    "agent_mailbox",
    "agent_registry",
    "branch",
    "cg_degree",
    "cg_edge",
    "cg_file",
    "cg_node",
    "cg_source",
    "demotion_config",
    "embedding",
    "environment",
    "event_log",
    "extraction_config",
    "file_operation",
    "file_reservation",
    "knowledge",
    "mailbox_cursor",
    "okf_bundle",
    "okf_concept",
    "okf_link",
    "part",
    "peer",
    "permission_rule",
    "project",
    "provenance",
    "reminder",
    "retrieval_config",
    "scheduled_job",
    "session",
    "session_share",
    "snapshot",
    "state_snapshot",
    "storage_budget",
    "subagent_run",
    "task",
    "task_dependency",
    "task_file",
    "token_estimate",
    "tool_call",
    "turn",
    "workspace",
    "workspace_file",
]

PUBLISHED = {
    "_zengram_migrations": "version name checksum applied_at",
    "event_log": "lsn session_id event_type event_data branch_id parent_lsn agent_id severity time_created",
    "embedding": "id source_type source_id content_text vector model dimensions time_created",
    "project": "id name root_path metadata time_created time_updated worktree vcs icon_url icon_color sandboxes commands time_initialized",
    "session": "id project_id parent_id title slug agent model_id provider_id channel_type channel_account channel_peer channel_meta status "
    "active_branch total_tokens total_cost_usd total_turns time_created time_updated time_archived workspace_id directory version share_url "
    "summary_additions summary_deletions summary_files summary_diffs revert_state permission_json time_compacting",
    "branch": "id session_id parent_branch fork_turn_id name status merge_target time_created time_updated",
    "turn": "id session_id branch_id parent_turn_id role agent tokens_input tokens_output tokens_reasoning tokens_cache_read "
    "tokens_cache_write cost_usd status tier finish_reason summary summary_model time_created time_completed model_id provider_id",
    "part": "id turn_id session_id type data content_hash position time_created time_updated",
    "tool_call": "id turn_id part_id session_id tool_id tool_source state input output output_hash error duration_ms tokens_consumed "
    "permission_type permission_patterns permission_action category target_paths time_created time_completed",
    "task": "id session_id project_id parent_task_id title description priority status assigned_agent assigned_branch acceptance "
    "verification source_turn_id completion_turn estimated_turns actual_turns time_created time_started time_completed",
    "task_dependency": "task_id depends_on type",
    "task_file": "task_id file_path role",
    "permission_rule": "id project_id session_id permission pattern action context_agent context_branch context_path_prefix "
    "context_risk_max trust_level times_granted times_denied source priority time_created time_expires",
    "provenance": "id session_id source_type source_id target_type target_id relation confidence time_created",
    "agent_mailbox": "id from_agent to_agent message_type payload status claimed_by session_id reply_to time_created time_claimed "
    "time_processed time_expires",
    "subagent_run": "id parent_session child_session agent_type status spawn_depth result error time_created time_completed runtime_ms",
    "knowledge": "id project_id scope categories subject content valid_from valid_to importance confidence access_count last_accessed "
    "similarity_hash consolidated_from superseded_by source_type source_session source_turn private status times_confirmed "
    "times_contradicted time_created time_updated time_expires subject_peer time_decayed",
    "extraction_config": "scope enabled extract_on min_turn_tokens reflection_trigger reflection_scope categories_prompt time_updated",
    "retrieval_config": "scope vector_weight text_weight recency_weight importance_weight mmr_lambda decay_half_life_days limit_default "
    "score_threshold",
    "storage_budget": "scope max_bytes high_water_bytes current_bytes last_pruned prune_strategy retain_min time_updated",
    "token_estimate": "entity_type entity_id model_family token_count time_computed",
    "demotion_config": "scope hot_budget_pct reserve_pct strategy min_tokens_freed warm_ttl_days cold_ttl_days",
    "state_snapshot": "id project_id type version includes path_mappings location size_bytes checksum status time_created",
    "file_operation": "id tool_call_id session_id file_path operation content_hash diff additions deletions depth time_created",
    "workspace_file": "session_id file_path understanding relevance content_hash last_read_turn last_write_turn edit_state related_test "
    "purpose time_updated",
    "snapshot": "id session_id turn_id tree_hash type additions deletions files_changed time_created",
    "environment": "id session_id project_id type status snapshot_ref setup_script working_dir resource_budget resource_used "
    "time_created time_updated",
    "workspace": "id project_id type branch name directory extra time_created time_updated",
    "session_share": "session_id share_id secret url time_created time_updated",
    "account": "id email url access_token refresh_token token_expiry time_created time_updated",
    "account_state": "id active_account_id active_org_id",
}
DEFAULTS = {
    ("session", "title"): "",
    ("session", "status"): "active",
    ("session", "total_tokens"): 0,
    ("turn", "tier"): "hot",
    ("turn", "status"): "active",
    ("tool_call", "state"): "pending",
    ("tool_call", "tool_source"): "builtin",
    ("task", "priority"): "medium",
    ("task_dependency", "type"): "blocks",
    ("task_file", "role"): "target",
    ("permission_rule", "trust_level"): 0.5,
    ("permission_rule", "source"): "user",
    ("provenance", "confidence"): 1.0,
    ("knowledge", "scope"): "/",
    ("knowledge", "importance"): 0.5,
    ("knowledge", "private"): False,
    ("extraction_config", "extract_on"): "assistant_turn",
    ("extraction_config", "min_turn_tokens"): 100,
    ("retrieval_config", "vector_weight"): 0.4,
    ("retrieval_config", "limit_default"): 20,
    ("storage_budget", "retain_min"): 10,
    ("storage_budget", "prune_strategy"): "oldest",
    ("demotion_config", "min_tokens_freed"): 20_000,
    ("demotion_config", "cold_ttl_days"): 365,
    ("workspace_file", "understanding"): "unknown",
    ("workspace_file", "edit_state"): "clean",
    ("file_operation", "depth"): "listed",
    ("event_log", "severity"): "info",
    ("subagent_run", "status"): "running",
    ("environment", "status"): None,
}


def tables_of(database: Database) -> dict[str, Any]:
    return {table.title: table for table in database.tables()}


@pytest.fixture
def memory() -> ZengramMemory:
    return ZengramMemory.open(3, clock=ManualClock())


def test_all_reserved_tables_are_there_and_the_others_are_named_as_ours(memory: ZengramMemory) -> None:
    names = set(tables_of(memory._database))
    assert len(RESERVED) == 46
    assert set(RESERVED) <= names
    assert all(name.startswith("_zengram_") for name in names - set(RESERVED))


@pytest.mark.parametrize("name", PUBLISHED)
def test_a_published_table_has_its_columns(memory: ZengramMemory, name: str) -> None:
    have = [column.name for column in tables_of(memory._database)[name].columns]
    wanted = PUBLISHED[name].split()
    assert [column for column in wanted if column not in have] == []


def test_published_defaults(memory: ZengramMemory) -> None:
    tables = tables_of(memory._database)
    for (table, column), value in DEFAULTS.items():
        tree = tables[table].by_name[column].default
        assert tree == (None if value is None else ["lit", value]), (table, column)


def test_times_are_whole_microseconds(memory: ZengramMemory) -> None:
    for table in memory._database.tables():
        for column in table.columns:
            if re.match(r"time_|valid_|last_accessed$|last_pruned$|applied_at$|token_expiry$", column.name):
                assert column.type == INT64, (table.title, column.name)


def test_sql_shows_every_table_with_its_columns(memory: ZengramMemory) -> None:
    shown = {table["name"]: table for table in memory.sql().schema()["tables"]}
    assert set(RESERVED) <= set(shown)
    assert [c["name"] for c in shown["branch"]["columns"]] == PUBLISHED["branch"].split()


def test_migrations_are_recorded_with_their_checksums_and_run_once(memory: ZengramMemory) -> None:
    rows = memory.query(
        "select version, name, checksum, applied_at from _zengram_migrations order by version"
    ).rows
    assert [row["version"] for row in rows] == list(range(1, len(schema.MIGRATIONS) + 1))
    assert [row["name"] for row in rows[:9]] == [
        "layer0_storage",
        "layer1_core",
        "layer2_intelligence",
        "property_graph",
        "cross_cutting",
        "layer3_coding",
        "opencode_extensions",
        "turn_opencode_fields",
        "knowledge_vector",
    ]
    assert [row["checksum"] for row in rows] == [schema.checksum(one) for one in schema.MIGRATIONS]
    assert all(re.fullmatch("[0-9a-f]{64}", row["checksum"]) for row in rows)
    assert schema.MIGRATIONS[0].label == "V001__layer0_storage"
    before = memory.export_snapshot()
    assert schema.migrate(memory._database, 3) == []
    assert memory.export_snapshot() == before


def test_a_checksum_does_not_depend_on_the_vectors_and_tells_every_change() -> None:
    (one, *_) = schema.MIGRATIONS
    assert len({schema.checksum(m) for m in schema.MIGRATIONS}) == len(schema.MIGRATIONS)
    table = one.steps[1]
    assert isinstance(table, Table)
    changed = replace(one, steps=[one.steps[0], replace(table, columns=table.columns[:-1]), *one.steps[2:]])
    assert schema.checksum(changed) != schema.checksum(one)


def test_what_was_released_is_as_it_was() -> None:
    """A migration that was released never changes: what is to be different is another migration."""
    assert {one.label: schema.checksum(one) for one in schema.MIGRATIONS} == CHECKSUMS


def test_another_checksum_is_refused(memory: ZengramMemory) -> None:
    memory.query("update _zengram_migrations set checksum = 'x' where version = 3")
    with pytest.raises(MigrationError, match="V003__layer2_intelligence") as caught:
        schema.migrate(memory._database, 3)
    assert caught.value.code == "MIGRATION_CHECKSUM"
    with pytest.raises(MigrationError, match="V003__layer2_intelligence"):
        ZengramMemory.open_from_snapshot(memory.export_snapshot(), 3)


def test_a_later_version_is_refused(memory: ZengramMemory) -> None:
    memory.query("insert into _zengram_migrations values (99, 'later', 'x', 0)")
    with pytest.raises(MigrationError, match="later version"):
        ZengramMemory.over_engine(ZetaDb(memory._database), 3)
    with pytest.raises(MigrationError) as caught:
        ZengramMemory.open_from_snapshot(memory.export_snapshot(), 3)
    assert caught.value.code == "MIGRATION_UNKNOWN", "bytes that are not damaged"


def test_migrations_that_come_later_are_applied_one_by_one(memory: ZengramMemory) -> None:
    memory.remember_with_vector("a", "b", "/", [1, 0, 0])
    later = [
        Migration(
            len(schema.MIGRATIONS) + 1,
            "more",
            [
                Table(
                    "_zengram_note", [text("id"), text("knowledge_id?")], links={"knowledge_id": "knowledge"}
                ),
                More(
                    "knowledge", [json("extra?"), integer("stars", 3)], indexes=[ordered("by_stars", "stars")]
                ),
                Graph("agent_graph", {"Note": "_zengram_note"}, []),
            ],
        )
    ]
    every = [*schema.MIGRATIONS, *later]
    assert schema.migrate(memory._database, 3, every) == [f"V{len(every):03}__more"]
    assert schema.migrate(memory._database, 3, every) == []
    fresh = Database.open()
    schema.migrate(fresh, 3, every)
    for name, table in tables_of(fresh).items():
        here = tables_of(memory._database)[name]
        assert {c.name: c.type for c in table.columns} == {c.name: c.type for c in here.columns}
        assert {i.name for i in table.indexes} == {i.name for i in here.indexes}
    assert memory.query("select stars from knowledge").rows == [{"stars": 3}]
    graph = memory._database.catalog.at(memory._database.begin().view).find(
        GRAPH_KIND, ("zengram", "public", "agent_graph")
    )
    assert graph is not None
    assert {"knowledge", "note"} <= set(graph.definition["vertices"])  # type: ignore[union-attr]


def test_a_failed_migration_leaves_nothing(memory: ZengramMemory) -> None:
    before = tables_of(memory._database), memory._database.lsn
    broken = Migration(
        len(schema.MIGRATIONS) + 1,
        "broken",
        [Table("_zengram_x", [text("id")]), More("nowhere", [text("y?")])],
    )
    with pytest.raises(Exception, match="nowhere"):
        schema.migrate(memory._database, 3, [*schema.MIGRATIONS, broken])
    assert (tables_of(memory._database), memory._database.lsn) == before


@pytest.mark.parametrize(
    "name", ["task", "session", "_zengram_migrations", "_zengram_config", "_zengram_entity"]
)
def test_an_applications_own_table_is_named_and_left_alone(name: str) -> None:
    db = ZetaDb.open()
    db.exec_ddl(f"create table {name} (key text primary key, mine int)")
    db.exec_mut(f"insert into {name} values ('k', 1)")
    before = db.export_snapshot()
    with pytest.raises(MigrationError, match=f"'{name}'") as caught:
        ZengramMemory.over_engine(db, 3)
    assert caught.value.code == "MIGRATION_CLASH"
    assert db.export_snapshot() == before
    assert db.query(f"select * from {name}").rows == [{"key": "k", "mine": 1}]


def test_an_applications_own_graph_is_named() -> None:
    db = ZetaDb.open()
    db.exec_ddl("create table person (id int primary key)")
    db.exec_ddl("create property graph agent_graph vertex tables (person)")
    with pytest.raises(MigrationError, match="agent_graph"):
        ZengramMemory.over_engine(db, 3)


def test_a_memory_lies_beside_an_applications_tables_attached_twice_and_restored() -> None:
    db = ZetaDb.open()
    db.exec_ddl("create table note (id int primary key, about text)")
    db.exec_mut("insert into note values (1, 'tea')")
    first = ZengramMemory.over_engine(db, 3)
    fact = first.remember_with_vector("tea", "user drinks tea", "/", [1, 0, 0])
    second = ZengramMemory.over_engine(db, 3)
    assert [f.id for f in second.facts("/")] == [fact]
    restored = ZetaDb.open_from_snapshot(db.export_snapshot())
    third = ZengramMemory.over_engine(restored, 3)
    assert [f.id for f in third.facts("/")] == [fact]
    joined = "select n.id, k.content from note n join knowledge k on k.subject = n.about"
    assert restored.query(joined).rows == [{"id": 1, "content": "user drinks tea"}]
    names = {table["name"] for table in restored.schema()["tables"]}
    assert {"note", *RESERVED} <= names
    with pytest.raises(DimensionError, match=r"3 dimensions.*dim 4"):
        ZengramMemory.over_engine(restored, 4)


def test_a_memorys_tables_may_get_more_columns_and_indexes_but_must_keep_theirs(
    memory: ZengramMemory,
) -> None:
    db = memory.sql()
    db.exec_ddl("alter table knowledge add column colour text")
    db.exec_ddl("create index by_colour on knowledge (colour)")
    again = ZengramMemory.open_from_snapshot(memory.export_snapshot(), 3)
    again.remember_with_vector("a", "b", "/", [1, 0, 0])
    again.sql().exec_ddl("alter table turn drop column tier")
    with pytest.raises(SnapshotError, match=r"turn.*tier"):
        ZengramMemory.open_from_snapshot(again.export_snapshot(), 3)


def test_what_is_no_database_is_refused() -> None:
    with pytest.raises(InvalidArgumentError, match="ZetaDb"):
        ZengramMemory.over_engine({}, 3)


# -- memories from before there were migrations -----------------------------------------------------------------------------


def _required(name: str, kind: Any) -> ColumnDef:
    return ColumnDef(name, kind, nullable=False)


def _default(name: str, kind: Any, value: Any) -> ColumnDef:
    return ColumnDef(name, kind, nullable=False, default=["lit", value])


OLD_KNOWLEDGE = [
    _required("id", TEXT),
    ColumnDef("project_id", TEXT),
    _default("scope", TEXT, "/"),
    ColumnDef("categories", JSON),
    _required("subject", TEXT),
    _required("content", TEXT),
    ColumnDef("valid_from", TIMESTAMP),
    ColumnDef("valid_to", TIMESTAMP),
    _default("importance", FLOAT64, 0.5),
    _default("confidence", FLOAT64, 0.5),
    _default("access_count", INT64, 0),
    ColumnDef("last_accessed", TIMESTAMP),
    ColumnDef("similarity_hash", TEXT),
    ColumnDef("consolidated_from", JSON),
    ColumnDef("superseded_by", TEXT),
    _default("source_type", TEXT, "agent"),
    ColumnDef("source_session", TEXT),
    ColumnDef("source_turn", TEXT),
    _default("private", BOOLEAN, False),
    _default("status", TEXT, "active"),
    _default("times_confirmed", INT64, 0),
    _default("times_contradicted", INT64, 0),
    _required("time_created", TIMESTAMP),
    _required("time_updated", TIMESTAMP),
    ColumnDef("time_expires", TIMESTAMP),
    ColumnDef("subject_peer", TEXT),
    ColumnDef("time_decayed", TIMESTAMP),
]
OLD_EMBEDDING = [
    _required("id", TEXT),
    _required("source_type", TEXT),
    _required("source_id", TEXT),
    ColumnDef("content_text", TEXT),
    ColumnDef("vector", vector(3)),
    _required("model", TEXT),
    _required("dimensions", INT64),
    _required("time_created", TIMESTAMP),
]


OLD_ENTITY = [
    ColumnDef("id", INT64, identity="default"),
    _required("name", TEXT),
    _required("key", TEXT),
    _required("time_created", TIMESTAMP),
]
OLD_LINK = [_required("entity", INT64), _required("knowledge_id", TEXT)]


def old_snapshot(memory: ZengramMemory, *, names: bool) -> bytes:
    """Return what an earlier version would have kept of a memory: facts, vectors and settings, later also names; no text index or labels."""
    old = Database.open(clock=memory._clock)
    by_subject = IndexDef("knowledge_scope_subject", "hash", (["col", "scope"], ["fold", ["col", "subject"]]))
    by_vector = IndexDef("embedding_vector", "flat", (["col", "vector"],), options={"metric": "cosine"})
    by_source = IndexDef("embedding_source", "hash", (["col", "source_type"], ["col", "source_id"]))
    old.create_table(
        "_zengram_config", [_required("key", TEXT), _required("value", JSON)], primary_key=["key"]
    )
    old.create_table("knowledge", OLD_KNOWLEDGE, primary_key=["id"], indexes=[by_subject])
    old.create_table("embedding", OLD_EMBEDDING, primary_key=["id"], indexes=[by_source, by_vector])
    with old.begin() as writing, memory._database.begin(read_only=True) as reading:
        writing.insert("_zengram_config", {"key": "dimensions", "value": 3})
        tables = [("knowledge", OLD_KNOWLEDGE), ("embedding", OLD_EMBEDDING)]
        if names:
            by_key = IndexDef("entity_key", "hash", (["col", "key"],), unique=True)
            writing.create_table("_zengram_entity", OLD_ENTITY, primary_key=["id"], indexes=[by_key])
            writing.create_table("_zengram_entity_link", OLD_LINK, primary_key=["entity", "knowledge_id"])
            tables += [("_zengram_entity", OLD_ENTITY), ("_zengram_entity_link", OLD_LINK)]
        for name, columns in tables:
            for row in reading.scan(name, [column.name for column in columns]):
                writing.insert(name, row)
            if name == "knowledge":
                for row in list(writing.scan(name, ["id", "subject"])):
                    if row["subject"] == "dog":
                        writing.update(name, row["id"], {"source_session": "s1", "source_turn": "t1"})
    return old.export()


@pytest.mark.parametrize("names", [False, True])
def test_a_memory_from_before_gets_what_it_lacks(names: bool) -> None:
    clock = ManualClock()
    memory = ZengramMemory.open(3, clock=clock)
    memory.remember_with_vector("dog", "Rex is walked at seven", "/", [0, 0, 1])
    clock.advance(seconds=1)
    memory.remember_with_vector("tea", "user drinks green tea from Kyoto", "/", [1, 0, 0])
    clock.advance(days=1)
    memory.remember_with_vector("tea", "user drinks black tea from Assam", "/", [1, 1, 0])
    question = ("when is rex walked?", "/", [1, 0, 0.5])
    before = memory.recall_with_vector(*question, explain=True)
    mentioned = memory.entities("/")
    again = ZengramMemory.open_from_snapshot(old_snapshot(memory, names=names), 3, clock=clock)
    assert again.recall_with_vector(*question, explain=True) == before
    assert again.entities("/") == mentioned
    assert [f.content for f in again.history("TEA")] == [f.content for f in memory.history("tea")]
    (dog,) = again.history("dog")
    assert (dog.session_id, dog.turn_id) == ("s1", "t1")
    assert again.query("select project_id, status from session where id = 's1'").rows == [
        {"project_id": "imported", "status": "ended"}
    ]
    again.remember_with_vector("cat", "Tom sleeps", "/", [0, 1, 0], tags=["pet"])
    assert [h.content for h in again.recall_with_vector("", "/", [0, 1, 0], tags="pet")] == ["Tom sleeps"]
    assert again.configure_recall("/", limit_default=1).limit_default == 1
    third = ZengramMemory.open_from_snapshot(again.export_snapshot(), 3, clock=clock)
    assert third.facts("/") == again.facts("/")
    assert schema.faults(third._database, 3) == []
    assert RECORD.name in tables_of(third._database)
