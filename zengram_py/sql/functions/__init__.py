"""What operators, functions and casts compute, by family; registry.py finds it by signature."""
