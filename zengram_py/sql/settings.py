"""Settings: what ``set``, ``show`` and ``reset`` know.

A setting is a text by its name. Some of them do something here:

    search_path          where names without a schema are looked for
    statement_timeout    milliseconds after which a statement is given up (57014); 0 is never
    max_rows             rows that a statement may make on its way (54000); 0 is any number
    as_of                microseconds since 1970, or a timestamp: transactions read that state and cannot write
    branch               the branch that transactions read and write
    default_transaction_isolation, default_transaction_read_only
                         every transaction reads one state, whatever level below serializable it asks for

Others are accepted since drivers and tools of PostgreSQL send them; of these, such as the time zone, one value alone may be the one that
there is. A name with a point in it is the user's own. Everything else is refused (42704).
"""

from __future__ import annotations

from collections.abc import Callable

from .errors import error, unsupported
from .moments import read_timestamp
from .nodes import node

VERSION = "18.0"
"""The version of PostgreSQL whose SQL this is."""

Reader = Callable[[str, str], str]
"""(title, text) to the text that is kept; raises what is wrong with it."""

_TRUE = ("on", "true", "yes", "1", "t", "y", "tr", "tru", "ye")
_FALSE = ("off", "false", "no", "0", "f", "n", "of", "fa", "fal", "fals")
_UNITS = {"us": 0.001, "ms": 1.0, "s": 1000.0, "min": 60_000.0, "h": 3_600_000.0, "d": 86_400_000.0}
_UTC = frozenset(("utc", "etc/utc", "gmt", "etc/gmt", "z", "zulu", "uct", "universal", "0", "+0", "-0", "+00", "00:00", "+00:00", "default", "local"))  # fmt: skip
_ISOLATIONS = ("serializable", "repeatable read", "read committed", "read uncommitted")


def _any(title: str, text: str) -> str:
    return text


def _invalid(title: str, text: str, hint: str = "") -> Exception:
    return error("22023", f'invalid value for parameter "{title}": "{text}"', hint=hint)


def _switch(title: str, text: str) -> str:
    word = text.strip().lower()
    if word in _TRUE:
        return "on"
    if word in _FALSE:
        return "off"
    raise error("22023", f'parameter "{title}" requires a Boolean value')


def _integer(title: str, text: str) -> str:
    try:
        return str(int(text))
    except ValueError:
        raise _invalid(title, text) from None


def _natural(title: str, text: str) -> str:
    value = _integer(title, text)
    if value.startswith("-"):
        raise error(
            "22023", f'{value} is outside the valid range for parameter "{title}" (0 .. 9223372036854775807)'
        )
    return value


def _milliseconds(title: str, text: str) -> str:
    bare = text.strip()
    number = bare.rstrip("abcdefghijklmnopqrstuvwxyz ")
    unit = bare[len(number) :].strip() or "ms"
    if unit not in _UNITS:
        raise _invalid(
            title, text, 'Valid units for this parameter are "us", "ms", "s", "min", "h", and "d".'
        )
    try:
        value = round(float(number) * _UNITS[unit])
    except (ValueError, OverflowError):
        raise _invalid(title, text) from None
    if not 0 <= value < 1 << 31:
        raise error(
            "22023", f'{value} ms is outside the valid range for parameter "{title}" (0 ms .. 2147483647 ms)'
        )
    return str(value)


def _isolation(title: str, text: str) -> str:
    word = text.strip().lower()
    if word not in _ISOLATIONS:
        raise _invalid(title, text, f"Available values: {', '.join(_ISOLATIONS)}.")
    return word


def _one_of(*known: str) -> Reader:
    def read(title: str, text: str) -> str:
        word = text.strip().lower()
        if word not in known:
            raise _invalid(title, text, f"Available values: {', '.join(known)}.")
        return word

    return read


def _always(value: str, *known: str) -> Reader:
    """Return the reader of a setting that cannot be anything else."""

    def read(title: str, text: str) -> str:
        if text.strip().lower() not in (value.lower(), *known):
            raise unsupported(f'"{text}" for parameter "{title}"')
        return value

    return read


def _zone(title: str, text: str) -> str:
    if text.strip().lower() not in _UTC:
        raise unsupported(f'time zone "{text}" (times are in UTC)')
    return "UTC"


def _date_style(title: str, text: str) -> str:
    words = [w.strip().lower() for w in text.split(",")]
    if any(w not in ("iso", "mdy", "us", "noneuro", "noneuropean", "default") for w in words):
        raise unsupported(f'"{text}" for parameter "DateStyle"')
    return "ISO, MDY"


def _fixed(title: str, text: str) -> str:
    raise error("55P02", f'parameter "{title}" cannot be changed')


def _time(title: str, text: str) -> str:
    """Read a point in time; empty is now."""
    bare = text.strip()
    if not bare or bare.lstrip("-").isdigit():
        return bare
    return str(read_timestamp(bare))


@node(frozen=True, slots=True)
class Setting:
    """A setting that has a name of its own.

    Attributes
    ----------
    title : str
        Its name as it is shown.
    default : str
        Its value when nothing was set.
    read : callable
        What makes of a given text the one that is kept.
    text : str
        What ``show all`` says of it.
    """

    title: str
    default: str
    read: Reader = _any
    text: str = ""


_KNOWN: dict[str, Setting] = {
    s.title.lower(): s
    for s in (
        Setting("application_name", "", _any, "Sets the application name."),
        Setting("as_of", "", _time, "The time whose state is read, in microseconds since 1970; empty is now."),
        Setting("branch", "main", _any, "The branch that is read and written."),
        Setting("bytea_output", "hex", _always("hex"), "Sets the output format for bytea."),
        Setting("check_function_bodies", "on", _switch, "Check routine bodies when they are created."),
        Setting("client_encoding", "UTF8", _always("UTF8", "utf-8", "unicode"), "Sets the client's encoding."),
        Setting("client_min_messages", "notice", _any, "Sets the message levels that are sent to the client."),
        Setting("DateStyle", "ISO, MDY", _date_style, "Sets the display format for date and time values."),
        Setting("default_text_search_config", "pg_catalog.english", _any, "Sets default text search configuration."),
        Setting("default_transaction_deferrable", "off", _switch, "Has no effect."),
        Setting("default_transaction_isolation", "read committed", _isolation, "The isolation of new transactions."),
        Setting("default_transaction_read_only", "off", _switch, "Whether new transactions only read."),
        Setting("extra_float_digits", "1", _integer, "Has no effect: floats are shown with all digits that count."),
        Setting("idle_in_transaction_session_timeout", "0", _milliseconds, "Has no effect."),
        Setting("integer_datetimes", "on", _fixed, "Shows whether datetimes are integer based."),
        Setting("IntervalStyle", "postgres", _always("postgres"), "Sets the display format for interval values."),
        Setting("is_superuser", "on", _fixed, "Shows whether the current user is a superuser."),
        Setting("jit", "off", _switch, "Has no effect."),
        Setting("lc_collate", "C", _fixed, "Texts are in the order of their code points."),
        Setting("lc_messages", "C", _any, "Has no effect."),
        Setting("lc_monetary", "C", _any, "Has no effect."),
        Setting("lc_numeric", "C", _any, "Has no effect."),
        Setting("lc_time", "C", _any, "Has no effect."),
        Setting("lock_timeout", "0", _milliseconds, "Has no effect: nothing waits."),
        Setting("maintenance_work_mem", "64MB", _any, "Has no effect."),
        Setting("max_identifier_length", "63", _fixed, "Shows the maximum identifier length."),
        Setting("max_rows", "0", _natural, "Rows that a statement may make on its way; 0 is any number."),
        Setting("password_encryption", "scram-sha-256", _any, "Has no effect."),
        Setting("quote_all_identifiers", "off", _switch, "Has no effect."),
        Setting("row_security", "on", _switch, "Has no effect."),
        Setting("search_path", "public", _any, "Sets the schema search order for names that are not schema-qualified."),
        Setting("server_encoding", "UTF8", _fixed, "Shows the server (database) character set encoding."),
        Setting("server_version", VERSION, _fixed, "Shows the version of PostgreSQL whose SQL this is."),
        Setting("server_version_num", "180000", _fixed, "Shows the server version as an integer."),
        Setting("session_authorization", "zengram", _always("zengram", "default"), "Shows the session user."),
        Setting("standard_conforming_strings", "on", _always("on"), "Causes '...' strings to treat backslashes literally."),
        Setting("statement_timeout", "0", _milliseconds, "Milliseconds that a statement may take; 0 is any time."),
        Setting("synchronous_commit", "on", _any, "Has no effect: a commit returns when it is done."),
        Setting("TimeZone", "UTC", _zone, "Sets the time zone; times are in UTC."),
        Setting("transaction_deferrable", "off", _switch, "Has no effect."),
        Setting("transaction_isolation", "read committed", _isolation, "The isolation of the transaction."),
        Setting("transaction_read_only", "off", _switch, "Whether the transaction only reads."),
        Setting("work_mem", "4MB", _any, "Has no effect."),
        Setting("xmloption", "content", _one_of("content", "document"), "Has no effect."),
    )
}  # fmt: skip
_PLANNER = ("enable_", "cpu_", "seq_page_cost", "random_page_cost", "geqo", "constraint_exclusion", "cursor_tuple_fraction", "from_collapse_limit", "join_collapse_limit", "parallel_", "min_parallel_", "max_parallel_", "effective_", "plan_cache_mode")  # fmt: skip
OF_TRANSACTION = frozenset(("transaction_isolation", "transaction_read_only", "transaction_deferrable"))
"""Settings of one transaction, which a session does not keep."""


def setting_of(name: str) -> Setting | None:
    """Return a setting by name: a known one, or one of the user's own; None if there is none."""
    found = _KNOWN.get(name.lower())
    if found is None and ("." in name or name.lower().startswith(_PLANNER)):
        return Setting(name, "", _any)
    return found


class Settings:
    """The settings of a session; what was never set has its default.

    Attributes
    ----------
    max_rows : int
        Rows that a statement may make on its way; 0 is any number.
    timeout : float
        Seconds that a statement may take; 0 is any time.
    as_of : int or None
        The time whose state is read.
    schemas : tuple of str
        The search path.
    branch : str
        The branch.
    """

    def __init__(self, values: dict[str, str] | None = None) -> None:
        self.values: dict[str, str] = dict(values or {})
        self.changes = 0
        """How often they changed."""
        self._understand()

    def _understand(self) -> None:
        """Read what the texts mean."""
        self.changes += 1
        self.max_rows = int(self.get("max_rows"))
        self.timeout = int(self.get("statement_timeout")) / 1000
        as_of = self.get("as_of")
        self.as_of = int(as_of) if as_of else None
        self.schemas = tuple(_schemas(self.get("search_path")))
        self.branch = self.get("branch")
        self.isolation = self.get("default_transaction_isolation")
        self.read_only = self.get("default_transaction_read_only") == "on"

    def get(self, name: str, *, missing_ok: bool = False) -> str:
        """Return the text of a setting; 42704 for an unknown one.

        A setting of the user's own is unknown until it is set.
        """
        found = self.values.get(name.lower())
        if found is not None:
            return found
        known = setting_of(name)
        if known is None or ("." in name and not missing_ok):
            raise error("42704", f'unrecognized configuration parameter "{name}"')
        return known.default

    def put(self, name: str, text: str | None) -> None:
        """Change a setting; None gives it its default.

        Raises
        ------
        SqlError
            42704 if there is no such setting, 22023 if it does not take the value, 0A000 if it is one that is not supported.
        """
        known = setting_of(name)
        if known is None:
            raise error("42704", f'unrecognized configuration parameter "{name}"')
        if text is None:
            if known.read is _fixed:
                _fixed(known.title, "")
            self.values.pop(name.lower(), None)
            if "." in name:  # once it was named it stays known
                self.values[name.lower()] = ""
        else:
            self.values[name.lower()] = known.read(known.title, text)
        self._understand()

    def reset(self) -> None:
        """Give all settings their defaults."""
        self.restore({})

    def saved(self) -> dict[str, str]:
        """Return what :meth:`restore` takes back."""
        return dict(self.values)

    def restore(self, saved: dict[str, str]) -> None:
        """Go back to settings as they were."""
        if saved != self.values:
            self.values = dict(saved)
            self._understand()

    def all(self) -> list[tuple[str, str, str]]:
        """Return (name, value, text) of all settings, by name."""
        own = [(name, value, "") for name, value in self.values.items() if name not in _KNOWN]
        known = [(s.title, self.get(s.title), s.text) for s in _KNOWN.values()]
        return sorted([*known, *own], key=lambda row: row[0].lower())


def _schemas(text: str) -> list[str]:
    """Return the schemas of a search path as it is written: a list of names, quoted or not."""
    found = []
    for part in text.split(","):
        name = part.strip()
        name = name[1:-1].replace('""', '"') if len(name) > 1 and name[0] == name[-1] == '"' else name
        if name and name != "$user":
            found.append(name)
    return found
