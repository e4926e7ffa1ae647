"""Binding: trees to bound trees. Each module binds one kind of thing and builds on the one before.

coercion ◀ expressions ◀ calls ◀ sources ◀ selects ◀ queries ◀ changes

    definitions ◀ alter          with constraints.py, columns.py and stored.py: what the engine keeps of it
"""
