"""Index structures, each behind the interface of :mod:`zengram_py.engine.index.base`."""
