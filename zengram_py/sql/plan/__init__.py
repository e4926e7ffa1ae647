"""Plans: planner.py makes them of bound statements; every other module is one kind of node, or one decision of the planner."""
