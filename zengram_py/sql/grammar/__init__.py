"""The grammar: tokens to trees, by recursive descent. Each module reads one kind of thing and builds on the one before.

cursor ◀ type_names ◀ calls ◀ primaries ◀ expressions ◀ sources ◀ queries ◀ changes ◀ tables ◀ alter ◀ objects ◀ commands
"""

from .commands import Grammar

__all__ = ["Grammar"]
