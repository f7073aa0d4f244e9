from linkwork.math.compiled import fused
@fused
def enter_link(tree, s, i, q, v):
    pass
@fused
def leave_link(tree, s, i, q, v):
    pass
