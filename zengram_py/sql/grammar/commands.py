"""Whole statements: which one it is, and the commands: transactions, settings, branches, maintenance, explain.

A statement that begins with a word of PostgreSQL's that is not known here is refused as not supported (0A000), one that
begins with anything else is a syntax error (42601): nothing passes without being understood.
"""

from __future__ import annotations

from collections.abc import Callable

from ..errors import unsupported
from ..tree import (
    Comment,
    CreateBranch,
    Do,
    Explain,
    Maintain,
    MergeBranch,
    Name,
    Options,
    RebaseBranch,
    SetCommand,
    Show,
    Statement,
    TransactionCommand,
    Truncate,
)
from .objects import Objects

_KNOWN_ELSEWHERE = frozenset(
    [
        "abort",
        "call",
        "checkpoint",
        "close",
        "cluster",
        "copy",
        "deallocate",
        "declare",
        "discard",
        "end",
        "execute",
        "fetch",
        "grant",
        "import",
        "listen",
        "load",
        "lock",
        "move",
        "notify",
        "prepare",
        "reassign",
        "refresh",
        "replace",
        "revoke",
        "security",
        "unlisten",
        "use",
        "attach",
        "detach",
        "pragma",
    ]
)
_COMMENTED = (
    "table",
    "column",
    "index",
    "view",
    "sequence",
    "type",
    "function",
    "schema",
    "database",
    "constraint",
    "trigger",
)


class Grammar(Objects):
    """The whole grammar."""

    def statement(self) -> Statement:
        """Go past one statement."""
        token, at = self.token, self.token.start
        if self.at_mark("(") or self.at_query():
            return self.data_statement()
        if token.kind != "word":
            self.stop()
        if token.text in ("insert", "update", "delete") or self.at_words("merge", "into"):
            return self.data_statement()
        reader: Callable[[int], Statement] | None = {
            "create": self._create,
            "alter": self._alter,
            "drop": self._drop,
            "truncate": self._truncate,
            "merge": self._merge_branch,
            "begin": self._begin,
            "start": self._begin,
            "commit": self._end,
            "end": self._end,
            "rollback": self._rollback,
            "abort": self._rollback,
            "savepoint": self._savepoint,
            "release": self._release,
            "set": self._set,
            "reset": self._reset,
            "show": self._show,
            "explain": self._explain,
            "vacuum": self._maintain,
            "analyze": self._maintain,
            "analyse": self._maintain,
            "reindex": self._maintain,
            "do": self._do,
            "comment": self._comment,
        }.get(token.text)
        if reader is None:
            if token.text in _KNOWN_ELSEWHERE:
                raise unsupported(token.text.upper(), at)
            self.stop()
        self.advance()
        return reader(at)

    # Create, alter, drop.

    def _create(self, at: int) -> Statement:
        replace = self.take_words("or", "replace")
        temporary = self.take_word("temp", "temporary") is not None
        self.take_word("unlogged")
        what = self.at
        if self.take_words("unique", "index"):
            return self.create_index(at, True)
        if self.take_words("property", "graph"):
            return self.create_graph(at)
        word = self.token.text if self.token.kind == "word" else self.stop()
        if word not in _CREATED:
            raise unsupported(f"CREATE {word.upper()}", what)
        self.advance()
        if replace and word not in ("view", "function", "trigger"):
            raise self.refuse(self.tokens[self.index - 1])
        if temporary and word not in ("table", "view", "sequence"):
            raise self.refuse(self.tokens[self.index - 1])
        if word == "table":
            return self.create_table(at, temporary)
        if word == "index":
            return self.create_index(at, False)
        if word == "view":
            return self.create_view(at, replace, temporary)
        if word == "sequence":
            return self.create_sequence(at, temporary)
        if word == "type":
            return self.create_type(at)
        if word == "function":
            return self.create_function(at, replace)
        if word == "trigger":
            return self.create_trigger(at, replace)
        if word == "branch":
            return self._create_branch(at)
        return self.create_namespace(at, word)

    def _alter(self, at: int) -> Statement:
        word = self.token.text if self.token.kind == "word" else self.stop()
        what = self.at
        self.advance()
        if word == "table":
            return self.alter_table(at)
        if word == "sequence":
            return self.alter_sequence(at)
        if word == "type":
            return self.alter_type(at)
        if word in ("index", "view"):
            return self.alter_object(at, word)
        if word == "branch":
            return self._rebase(at)
        raise unsupported(f"ALTER {word.upper()}", what)

    def _drop(self, at: int) -> Statement:
        return self.drop(at)

    def _truncate(self, at: int) -> Statement:
        self.take_word("table")
        self.take_word("only")
        tables = self.list_of(self.qualified_name)
        restart = self.take_words("restart", "identity")
        if not restart:
            self.take_words("continue", "identity")
        return Truncate(tables, restart, self.cascade(), at=at)

    # Branches.

    def _create_branch(self, at: int) -> Statement:
        if_not_exists = self.if_not_exists()
        name = self.name()
        parent = self.name() if self.take_word("from") else None
        return CreateBranch(name, parent, self.as_of(), if_not_exists, at=at)

    def _merge_branch(self, at: int) -> Statement:
        self.expect_word("branch")
        name = self.name()
        into = self.name() if self.take_word("into") else None
        strategy, dry_run = self._merge_options()
        return MergeBranch(name, into, strategy, dry_run, at=at)

    def _rebase(self, at: int) -> Statement:
        name = self.name()
        self.expect_word("rebase")
        strategy, dry_run = self._merge_options()
        return RebaseBranch(name, strategy, dry_run, at=at)

    def _merge_options(self) -> tuple[str | None, bool]:
        strategy = self.expect_word("ours", "theirs", "newest") if self.take_word("using") else None
        return strategy, self.take_words("dry", "run")

    # Transactions.

    def _begin(self, at: int) -> Statement:
        if self.tokens[self.index - 1].text == "start":
            self.expect_word("transaction")
        else:
            self.take_word("work", "transaction")
        isolation, read_only = self._modes()
        return TransactionCommand("begin", None, isolation, read_only, at=at)

    def _modes(self) -> tuple[str | None, bool | None]:
        isolation = read_only = None
        while True:
            if self.take_words("isolation", "level"):
                isolation = self._isolation()
            elif self.take_words("read", "only"):
                read_only = True
            elif self.take_words("read", "write"):
                read_only = False
            elif not self.take_words("not", "deferrable") and not self.take_word("deferrable"):
                return isolation, read_only
            self.take_mark(",")

    def _isolation(self) -> str:
        if self.take_word("serializable"):
            return "serializable"
        if self.take_words("repeatable", "read"):
            return "repeatable read"
        self.expect_word("read")
        return "read " + self.expect_word("committed", "uncommitted")

    def _no_chain(self) -> None:
        self.take_word("work", "transaction")
        if self.at_words("and", "chain"):
            raise unsupported("AND CHAIN", self.at)
        self.take_words("and", "no", "chain")

    def _end(self, at: int) -> Statement:
        self._no_chain()
        return TransactionCommand("commit", at=at)

    def _rollback(self, at: int) -> Statement:
        self.take_word("work", "transaction")
        if self.take_word("to"):
            self.take_word("savepoint")
            return TransactionCommand("rollback to", self.name(), at=at)
        self._no_chain()
        return TransactionCommand("rollback", at=at)

    def _savepoint(self, at: int) -> Statement:
        return TransactionCommand("savepoint", self.name(), at=at)

    def _release(self, at: int) -> Statement:
        self.take_word("savepoint")
        return TransactionCommand("release", self.name(), at=at)

    # Settings.

    def _setting_name(self) -> str:
        if self.take_words("time", "zone"):
            return "timezone"
        if self.take_words("transaction", "isolation", "level"):
            return "transaction_isolation"
        if self.take_words("session", "authorization"):
            return "session_authorization"
        name = self.name()
        while self.take_mark("."):
            name += "." + self.label()
        return name

    def _set(self, at: int) -> Statement:
        scope = self.take_word("local", "session") if self.next.text not in ("=", "to") else None
        if self.take_word("transaction"):
            isolation, read_only = self._modes()
            if isolation is None and read_only is None:
                self.stop()
            return TransactionCommand("set", None, isolation, read_only, at=at)
        if self.at_word("constraints", "role"):
            raise unsupported(f"SET {self.token.text.upper()}", at)
        name = self._setting_name()
        is_bare = name == "timezone" and not self.at_word("to") and not self.at_operator("=")
        if not is_bare and not self.take_operator("="):
            self.expect_word("to")
        local = scope == "local"
        if self.take_word("default"):
            return SetCommand(name, None, local, at=at)
        return SetCommand(name, self.list_of(self.setting), local, at=at)

    def _reset(self, at: int) -> Statement:
        return SetCommand(None if self.take_word("all") else self._setting_name(), None, at=at)

    def _show(self, at: int) -> Statement:
        return Show("all" if self.take_word("all") else self._setting_name(), at=at)

    # Explain and maintenance.

    def _explain(self, at: int) -> Statement:
        options: Options = ()
        analyze = False
        if self.at_mark("(") and self.next.kind == "word" and not self._opens_select():
            options = self.in_parentheses(lambda: self.list_of(self._explain_option))
            analyze = any(
                o[0] in ("analyze", "analyse") and o[1] not in ("false", "off", "0") for o in options
            )
        else:
            analyze = self.take_word("analyze", "analyse") is not None
            if self.take_word("verbose"):
                options = (("verbose", "true"),)
        return Explain(self.data_statement(), analyze, options, at=at)

    def _opens_select(self) -> bool:
        return self.next.text in ("select", "values", "with", "table")

    def _explain_option(self) -> tuple[str, str]:
        name = self.label()
        if self.at_mark(",") or self.at_mark(")"):
            return name, "true"
        return name, self.setting()

    def _maintain(self, at: int) -> Statement:
        action = self.tokens[self.index - 1].text.replace("analyse", "analyze")
        if action != "reindex" and self.at_mark("("):
            self.in_parentheses(lambda: self.list_of(self._explain_option))
        while action == "vacuum" and self.take_word("full", "freeze", "verbose", "analyze"):
            pass
        self.take_word("verbose")
        kind = "table"
        if action == "reindex":
            kind = self.expect_word("index", "table", "schema", "database")
            self.take_word("concurrently")
        names: tuple[Name, ...] = ()
        if self.at_name():
            names = self.list_of(self._table_and_columns)
        return Maintain(action, names, kind, at=at)

    def _table_and_columns(self) -> Name:
        name = self.qualified_name()
        if self.at_mark("("):
            self.name_list()
        return name

    def _do(self, at: int) -> Statement:
        language = self.role_name() if self.take_word("language") else "plpgsql"
        body = self.expect_string()
        if self.take_word("language"):
            language = self.role_name()
        if language != "plpgsql":
            raise unsupported(f"DO in language {language}", at)
        return Do(body, language, at=at)

    def _comment(self, at: int) -> Statement:
        self.expect_word("on")
        if not self.at_word(*_COMMENTED):
            raise unsupported("COMMENT ON this", self.at)
        kind = self.advance().text
        name = self.qualified_name(4)
        if kind == "function" and self.take_mark("("):
            if not self.at_mark(")"):
                self.list_of(self._argument_type)
            self.expect_mark(")")
        if kind in ("constraint", "trigger"):
            self.expect_word("on")
            name = (*self.qualified_name(), *name)
        self.expect_word("is")
        return Comment(kind, name, None if self.take_word("null") else self.expect_string(), at=at)


_CREATED = frozenset(
    ("table", "index", "view", "sequence", "type", "function", "trigger", "branch", "database", "schema")
)
