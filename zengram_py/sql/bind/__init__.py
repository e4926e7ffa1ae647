"""Binding: trees to bound trees. Each module binds one kind of thing and builds on the one before.

coercion ◀ expressions ◀ calls ◀ sources ◀ selects ◀ queries ◀ changes
"""
