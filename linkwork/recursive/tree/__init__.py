"""The mechanism as a tree: its graph, joints, tables, and its picture."""
