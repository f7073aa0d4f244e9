"""The reduced scheme against the discrete null space method with its matrices written out."""

import numpy as np
import pytest
from dense_null_space import Dense, matrix
from director_models import four_bar
from example_scripts import load_example

import linkwork as lw

pytestmark = pytest.mark.filterwarnings("ignore::linkwork.errors.LinkworkWarning")


def mixed_tree():
    """A ball on the ground, two crosses in a row on it, and a branch that slides and one that lies
    on a plane; inertias whose body axes are not principal."""
    m = lw.Model("mixed tree", gravity=(0.5, 0, -9.81))
    J = np.array([[0.1, 0.02, 0.01], [0.02, 0.12, -0.03], [0.01, -0.03, 0.09]])

    def body(name, place, spin=(0, 0, 0)):
        return m.add(name, lw.Body(1, J, position=place, angular_velocity=spin))

    root, one = body("root", (0.4, 0, 0), (0, 1, 2)), body("one", (1.2, 0.1, 0))
    two, rail, puck = body("two", (2, 0, 0.3)), body("rail", (0.4, 1, 0)), body("puck", (0.4, 1, 1))
    m.add("ball", lw.Spherical(lw.GROUND, root, at=(0, 0, 0)))
    m.add("cross 1", lw.Universal(root, one, at=(0.8, 0, 0), axis=(1, 0, 0)))
    m.add("cross 2", lw.Universal(one, two, at=(1.6, 0, 0.1), axis=(1, 0, 1)))
    m.add("rail joint", lw.Cylindrical(root, rail, at=(0.4, 0.5, 0), axis=(0.3, 1, 0)))
    m.add("table", lw.Planar(rail, puck, at=(0.4, 1, 0.5), axis=(0, 0.2, 1)))
    return m


def slides():
    m = lw.Model("slides", gravity=(0, 0, -9.81))
    a = m.add("a", lw.Body(2, (0.2, 0.3, 0.4), position=(0.5, 0, 0)))
    b = m.add("b", lw.Body(1, (0.1, 0.1, 0.1), position=(1, 0, 0.2)))
    c = m.add("c", lw.Body(1, (0.1, 0.05, 0.1), position=(1.5, 0, 0.2)))
    m.add("pin", lw.Revolute(lw.GROUND, a, at=(0, 0, 0), axis=(0, 1, 0.2), rate=3))
    m.add("slide", lw.Prismatic(a, b, at=(0.7, 0, 0), axis=(1, 0.2, 0)))
    m.add("weld", lw.Fixed(b, c, at=(1.2, 0, 0.2)))
    return m


def six_bar_ring():
    """A planar ring of five bars on the ground: three degrees of freedom, three rows too many."""
    t = np.linspace(0, 2 * np.pi, 7)[:6]
    corners = np.stack([np.cos(t), 0 * t, 1.2 * np.sin(t)], axis=1)
    m, before = lw.Model("ring", gravity=(0, 0, -9.81)), lw.GROUND
    for k in range(5):
        bar = m.add(f"bar {k}", lw.Body.link(corners[k], corners[k + 1], radius=0.02, mass=1))
        rate = 2 if k < 2 else None
        m.add(f"pin {k}", lw.Revolute(before, bar, at=corners[k], axis=(0, 1, 0), rate=rate))
        before = bar
    m.add("pin 5", lw.Revolute(before, lw.GROUND, at=corners[5], axis=(0, 1, 0)))
    return m


CASES = {  # model, step, degrees of freedom, independent closure rows
    "open chain": (load_example("open_chain").build, 2e-3, 5, 0),
    "mixed tree": (mixed_tree, 1e-2, 3 + 2 + 2 + 2 + 3, 0),
    "slides": (slides, 1e-2, 2, 0),
    "four-bar": (four_bar, 1e-2, 1, 2),
    "four-bar about x": (lambda: four_bar((1, 0, 0)), 1e-2, 1, 2),
    "four-bar about z": (lambda: four_bar((0, 0, 1)), 1e-2, 1, 2),
    "oblique four-bar": (lambda: four_bar((1, -2, 3)), 1e-2, 1, 2),
    "ring": (six_bar_ring, 1e-2, 3, 2),
    "six-body linkage": (load_example("six_body_linkage").build, 2e-3, 1, 4),
}


@pytest.mark.parametrize("name", CASES)
def test_same_steps_as_the_dense_reduced_scheme(name):
    """Positions, directors and velocities of 30 steps; both solve n − m equations to round-off."""
    steps, (build, h, freedoms, rank) = 30, CASES[name]
    run = lw.transient(build(), steps * h, h, lw.EnergyMomentum(), progress=False)
    dense = Dense(build(), run.motion[0], h)
    length = np.ptp(run.motion[:, :, :3], axis=(0, 1)).max()
    speed = np.abs(run.motion[:, :, 7:10]).max()
    for now in run.motion[1:]:
        dense.step()
        assert dense.unknowns == freedoms and len(dense.rows) == rank
        assert np.abs(dense.r - now[:, :3]).max() < 1e-11 * length
        assert np.abs(dense.D - [matrix(q) for q in now[:, 3:7]]).max() < 1e-11
        assert np.abs(dense.v - now[:, 7:10]).max() < 1e-11 * speed
        if rank:  # closures that were left out hold too, at the end and for the null space
            assert np.abs(dense.closure(dense.r, dense.D)).max() < 1e-12
    energy = 0.5 * np.einsum("b,bi,bi", dense.mass, dense.v, dense.v)
    energy += 0.5 * np.einsum("bij,bjk,bik", dense.V, dense.E, dense.V)
    assert energy == pytest.approx(float(run.energy.kinetic[-1]), rel=1e-11)
