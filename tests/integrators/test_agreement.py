"""Formulations against each other: random mechanisms, and the model of every example.

Random mechanisms: implicit steps on the constraints against SciPy on the augmented equations.

The two share the elements but neither the level of the constraints (positions against
accelerations), nor the rotations' integration (Lie group against quaternions), nor the linear
solves' meaning; their difference must vanish with the order of the implicit method.
"""

import warnings

import numpy as np
import pytest
from example_scripts import FOLDER, load_example

import linkwork as lw

EXAMPLES = sorted(path.stem for path in FOLDER.glob("*.py"))
JOINTS = [
    lw.Revolute, lw.Prismatic, lw.Cylindrical, lw.Spherical, lw.Planar, lw.PointOnLine,
    lw.PointOnPlane, lw.Parallel, lw.Oldham, lw.Rzeppa, lw.Homokinetic,
]  # fmt: skip


def random_tree(seed):
    """Four bodies on a tree of random joints, springs between them so that none flies away."""
    rng = np.random.default_rng(seed)
    m = lw.Model(f"tree {seed}", gravity=rng.normal(size=3) * 5)
    bodies = [lw.GROUND]
    for i in range(4):
        parent = bodies[rng.integers(len(bodies))]
        at = rng.uniform(-1, 1, 3)
        axes = rng.normal(size=(3, 3))
        inertia = np.trace(axes @ axes.T) * np.eye(3) - axes @ axes.T
        body = m.add(f"b{i}", lw.Body(rng.uniform(1, 3), 0.3 * inertia, position=at + 0.3,
                                      orientation=_unit(rng)))  # fmt: skip
        joint = JOINTS[rng.integers(len(JOINTS))]
        m.add(f"j{i}", joint(parent, body, at=at, axis=rng.normal(size=3)))
        m.add(f"s{i}", lw.Spring(lw.GROUND, body, at_a=rng.uniform(-2, 2, 3), at_b=at + 0.3,
                                 stiffness=20, damping=0.5))  # fmt: skip
        stiffness = (30, 30, 30, 5, 5, 5)
        m.add(f"c{i}", lw.Bushing(parent, body, at=at, stiffness=stiffness, damping=(0.2,) * 6))
        bodies.append(body)
    return m


def _unit(rng):
    q = rng.normal(size=4)
    return q / np.linalg.norm(q)


def positions(run):
    return run.motion[-1, :, :7]


@pytest.mark.parametrize("stabilized", [False, True])
@pytest.mark.parametrize("seed", range(8))
def test_formulations_agree(seed, stabilized):
    m = random_tree(seed)
    exact = lw.transient(
        m, t=0.5, h=0.5, method=lw.ODE("DOP853", rtol=1e-11, atol=1e-12), progress=False
    )
    method = lw.GeneralizedAlpha(0.8, stabilized=stabilized)
    errors = []
    for h in (2e-3, 1e-3):
        run = lw.transient(m, t=0.5, h=h, method=method, every=1000, progress=False)
        errors.append(np.abs(positions(run) - positions(exact)).max())
        forces = np.abs(run.gamma[-1] - exact.gamma[-1]).max()
        assert forces < 1e-3 * (1 + np.abs(exact.gamma[-1]).max())
    assert errors[0] / errors[1] == pytest.approx(4, rel=0.15), errors
    assert errors[1] < 1e-4


@pytest.mark.parametrize("name", EXAMPLES)
def test_examples_in_all_formulations(name):
    """Generalized-alpha in absolute coordinates, energy-momentum in directors where it applies, and
    articulated bodies in joint coordinates differ by what their orders allow, and halving the step
    shows it.  Every model of examples/ is found by looking into the folder."""
    example = load_example(name)
    if any(getattr(item, "hard", False) for item in example.model.items.values()):
        with pytest.raises(lw.ModelError, match="which is hard: use method=lw.Moreau"):
            lw.compare(example.model, 40 * example.step, example.step)
        return
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.LinkworkWarning)
        found = lw.compare(example.model, 40 * example.step, example.step, check_order=True)
    if any(isinstance(item, lw.Friction) for item in example.model.items.values()):
        assert set(found.runs) == {"GeneralizedAlpha"}  # the others say why they do not
        assert "Recursive did not run" in str(found) and "reactions of a joint" in str(found)
        return
    items = example.model.items.values()
    if any(isinstance(item, lw.Rolling) for item in items):
        assert set(found.runs) == {"GeneralizedAlpha"}
        assert "which holds velocities" in str(found)
        return
    if any(item.vector_nodes() for item in items if not isinstance(item, lw.FlexibleLink)):
        assert set(found.runs) == {"GeneralizedAlpha"}
        assert "Recursive did not run: lw.Recursive knows bodies alone" in str(found)
        return
    if any(isinstance(item, lw.Beam) for item in items):  # too stiff for explicit steps so large
        assert set(found.runs) == {"GeneralizedAlpha"}
        assert set(found.refused) == {"EnergyMomentum", "Recursive"}
        return
    assert {"GeneralizedAlpha", "Recursive"} <= set(found.runs), str(found)
    assert found.agree, str(found)
