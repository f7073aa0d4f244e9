"""The names with which you write an element, a joint, a law or an integration method of your own.

    from linkwork.extend import Entry, Family, Item, Kernel

These names are kept until version 1.0; other modules of linkwork may change with every version.
docs/howto/extend.md has examples that run, CONTRIBUTING.md longer ones.

Elements: an Item is what the user adds to a model.  It gives Entry objects, rows in the table
of a Family of elements, which has one Kernel and declares the outputs that it writes: each Output
has a name, a unit, an axis, and perhaps a Role in the sums of energy and momentum.  A Law changes
numbers of an entry in time; factor_law makes one of a drive that may follow the motion.  A Family
whose elements have mass says so with masses=, a function of reals (T, n) that gives one Mass for
each end that carries it: scales, fields and the overview of a model ask it.  as_frame
and as_drive read what the user gave, checks refuses it, and rotations has quaternions for arrays
(matrix, multiply, exponential, ...) and for kernels (qmul, qexp, ...).  Outputs of many families:

    POWER             the power that the element supplies (W)
    STORED_ENERGY     what it stores (J);   KINETIC_ENERGY    that of its masses (J)
    MOMENTUM          of its masses (N s);  ANGULAR_MOMENTUM  about the origin (N m s), world axes
    REACTION          of a constraint, four of them: force and torque on the second body about a
                      point, in axes; these, row by row; the point (world axes)

Kernels: kernel(ints, reals, motion, loads) computes all elements of its family: row k of ints
says where element k finds its nodes and blocks, row k of reals has its numbers, Motion and Loads
say what it sees and adds to.  record declares the columns of such a row, and the constants of a
kernel are unpacked from it.  Counts, codes and addresses are integers: so many as the Family has,
last in the row of ints; Entry.integers has a callback or an array where that has its address.
Where coef[OUT] is set, write(loads.out, k, (...)) puts the outputs of element k in their order.

1. It adds to f, balance, power and the blocks of bodies in vals, writes its rows of C_q whole
   (put_row), sets C, Ct and Qc in its own rows, and touches nothing else.
2. It depends on its arguments alone.  What element k remembers is row k of motion.memory (memory of
   the Family, and of its Entry at the start), written only where coef[ACCEPT] is set.
3. It works on scalars and tuples, makes no arrays, and calls `@inlined` functions alone.
4. Rotations are in body axes: columns 3 to 5 of a body's block belong to θ with R ← R exp(θ̃).
5. A force is added to f with a minus sign, cK K + cD D to its blocks, dissipated power to power[0],
   supplied power to power[1].
6. A constraint row is a function of the relative motion of its bodies.

Constants of kernels:

    A, B              ints: rows of the two bodies in nodes, f, vdot and x
    AA, AB, BA, BB    ints: the blocks of the two bodies in vals
    EQ, M             ints: the first constraint row; how many rows there are
    POS, QUAT, VEL    columns of nodes: position, quaternion, velocity (world axes)
    OMEGA, ROT        columns of nodes: angular velocity (body axes), rotation matrix (nine numbers)
    CK, CD, CM        coef: factors of ∂f/∂q, ∂f/∂v and ∂f/∂v̇ in the matrix
    TANGENT, KC       coef: whether the matrix, and the constraint stiffness in it, are wanted
    RATES             coef: whether Ct and Qc are wanted
    ACCEPT, OUT       coef: whether a step has been accepted; whether outputs are wanted
    GRAVITY           coef: the first of three components of gravity (world axes)
    STRIDE            numbers from one row of a block of bodies to the next
    IDENTITY          the unit matrix of 3×3 as nine numbers
    VALUE, RATE, SECOND            rows of values: a node's value and its derivatives
    BY_VALUE, BY_RATE, BY_SECOND   rows of values: how much each changes with the step's unknown

Nodes: unknowns beside those of bodies: a Node has a NodeKind, made by scalar, point or vector;
REFERENCE is the node whose value is zero.

Joints: a subclass of NamedJoint holds some rows of the lock joint, x y z rx ry rz.

Laws: a ConstitutiveLaw has a Routine(t, p, y, q), which all its elements share, and gives its own
numbers.  Reals of a law p, its work y and its integers q, which a routine may leave out, for n
components:

    OWN                   p: the first of the law's own numbers
    COMPONENTS            q: n
    STRAIN, STRAIN_RATE   y: what is given, n numbers each
    STRESS, STORED        y: to be added to: stress, and the part of it that stores energy
    KE, KD                y: to be set: ∂σ/∂ε and ∂σ/∂ε̇; entry i, j is at 6 i + j
    ENERGY, SUPPLIED      y: to be added to: stored energy, and its change with time alone
    WANTED                y: whether energy is wanted

Methods: a LinearMethod gives the Coefficients with which velocity and acceleration follow from
the displacement of a step and the history, and the FirstOrder relation for equations of first
order; newmark_family and first_order_family give those of generalized-alpha.  A StagedMethod gives
the Formula of a step, made by stage_formula from a Runge-Kutta tableau or by step_formula for
several steps, and may know the Past.

    V, VDOT, ALG            rows of the history: velocity, acceleration, algorithmic acceleration
    XPREV, VPREV, VDOTPREV  displacement of the step before, velocity and acceleration before it
    HISTORY                 how many rows there are
    STAGES, STEPS           kinds of formulas: Runge-Kutta stages, or values of several steps
"""

from linkwork.elements.joints.joints import NamedJoint
from linkwork.elements.laws.base import COMPONENTS, ENERGY, KD, KE, OWN, STORED, STRAIN, STRESS
from linkwork.elements.laws.base import RATE as STRAIN_RATE
from linkwork.elements.laws.base import SUPPLIED, WANTED, ConstitutiveLaw
from linkwork.elements.layout import (
    AA, AB, ACCEPT, BA, BB, BY_RATE, BY_SECOND, BY_VALUE, CD, CK, CM, EQ, GRAVITY, KC, OMEGA, POS,
    QUAT, RATE, RATES, ROT, SECOND, STRIDE, TANGENT, VALUE, VEL, A, B, M, OUT, add33, put6, put36,
    put_row, put_value, row_width, write,
)  # fmt: skip
from linkwork.elements.signals.signals import factor_law
from linkwork.integrators.first_order.formulas import Formula, stage_formula, step_formula
from linkwork.integrators.first_order.methods import Past, StagedMethod
from linkwork.integrators.first_order.stages import STAGES, STEPS
from linkwork.integrators.second_order.methods import (
    Coefficients, FirstOrder, LinearMethod, first_order_family, newmark_family,
)  # fmt: skip
from linkwork.integrators.values import ALG, HISTORY, VDOT, VDOTPREV, VPREV, XPREV, V
from linkwork.kernels import rotations
from linkwork.kernels.compiled import inlined
from linkwork.kernels.kernel import Kernel, Loads, Motion
from linkwork.kernels.memory.pointers import Routine
from linkwork.kernels.record import record
from linkwork.kernels.vectors import (
    IDENTITY, accumulate, add, at, at4, at9, cc, cm, column, cross, dot, inverse3, madd, mc, mm,
    mscale, mt, mv, outer, scale, skew, solve3, sub, tm, transpose, tv,
)  # fmt: skip
from linkwork.model import checks
from linkwork.model.drives import as_drive
from linkwork.model.frame import as_frame
from linkwork.model.nodes import REFERENCE, Node, NodeKind, point, scalar, vector
from linkwork.model.outputs import (
    ANGULAR_MOMENTUM, KINETIC_ENERGY, MOMENTUM, POWER, REACTION, STORED_ENERGY, Output, Role,
)  # fmt: skip
from linkwork.model.registry import Entry, Family, Item, Law, Mass, Memory

__all__ = [
    # elements
    "Item", "Family", "Entry", "Law", "Mass", "Memory", "as_frame", "as_drive", "factor_law",
    "checks", "rotations",
    "Output", "Role", "POWER", "STORED_ENERGY", "KINETIC_ENERGY", "MOMENTUM", "ANGULAR_MOMENTUM",
    "REACTION",
    # kernels
    "Kernel", "Motion", "Loads", "inlined", "record",
    "A", "B", "AA", "AB", "BA", "BB", "EQ", "M", "POS", "QUAT", "VEL", "OMEGA", "ROT",
    "CK", "CD", "CM", "TANGENT", "KC", "RATES", "ACCEPT", "OUT", "GRAVITY", "STRIDE",
    "VALUE", "RATE", "SECOND", "BY_VALUE", "BY_RATE", "BY_SECOND",
    "add33", "put6", "put36", "put_row", "put_value", "row_width", "write",
    "IDENTITY", "accumulate", "add", "at", "at4", "at9", "cc", "cm", "column", "cross", "dot",
    "inverse3", "madd", "mc", "mm", "mscale", "mt", "mv", "outer", "scale", "skew", "solve3", "sub",
    "tm", "transpose", "tv",
    # nodes
    "Node", "NodeKind", "REFERENCE", "point", "scalar", "vector",
    # joints
    "NamedJoint",
    # laws
    "ConstitutiveLaw", "Routine", "COMPONENTS", "OWN", "STRAIN", "STRAIN_RATE", "STRESS", "STORED",
    "KE", "KD", "ENERGY", "SUPPLIED", "WANTED",
    # methods
    "LinearMethod", "Coefficients", "FirstOrder", "newmark_family", "first_order_family", "V",
    "VDOT", "ALG", "XPREV", "VPREV", "VDOTPREV", "HISTORY", "StagedMethod", "Formula", "Past",
    "stage_formula", "step_formula", "STAGES", "STEPS",
]  # fmt: skip
