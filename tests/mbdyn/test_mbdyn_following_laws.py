"""Pre-stresses and pre-strains that follow the motion."""

import numpy as np
import pytest
from inside import Axial, LinearElastic, LinearViscoelastic

import linkwork as lw
from linkwork.elements.laws import Parallel

X = (1.0, 0.0, 0.0)
M, K = 2.0, 50.0


def mass(x=0.1):
    m = lw.Model()
    body = m.add("body", lw.Body(M, (1, 1, 1), position=(x, 0, 0)))
    m.add("rail", lw.Prismatic(lw.GROUND, body, at=(0, 0, 0), axis=X))
    return m, body


def swing(t, K, C=0.0, x=0.1):
    w0, s = np.sqrt(K / M), C / (2 * M)
    w = np.sqrt(w0**2 - s**2)
    return x * np.exp(-s * t) * (np.cos(w * t) + s / w * np.sin(w * t))


def displacement(body, law):
    return lw.DeformableDisplacement(lw.Frame(lw.GROUND), lw.Frame(body), law=Axial(X, law))


def cases():
    """Laws, and the stiffness and damping that they come to."""
    x, v = (lambda b: lw.reads(b, "position", "x")), (lambda b: lw.reads(b, "velocity", "x"))
    return {
        "damping as pre-stress": (lambda b: LinearElastic(K, prestress=4.0 * v(b)), K, 4.0),
        "stiffness as pre-stress": (lambda b: LinearElastic(K, prestress=20.0 * x(b)), K + 20, 0.0),
        "pre-strain": (lambda b: LinearViscoelastic(K, 3.0, prestrain=0.4 * x(b)), 0.6 * K, 3.0),
        "pre-strain of a rate": (lambda b: LinearElastic(K, prestrain=-0.05 * v(b)), K, 2.5),
        "one of two": (
            lambda b: Parallel((LinearElastic(20.0), LinearElastic(60.0, prestrain=0.5 * x(b)))),
            50.0, 0.0,
        ),
    }  # fmt: skip


@pytest.mark.parametrize("name", cases())
def test_they_act_as_stiffness_and_damping(name):
    law, k, c = cases()[name]
    m, body = mass()
    m.add("law", displacement(body, law(body)))
    run = lw.transient(m, t=2, h=1e-3, progress=False)
    np.testing.assert_allclose(run["body"].position.values[:, 0], swing(run.time, k, c), atol=3e-5)
    total = run.energy.total + run.energy.dissipated - run.energy.supplied
    np.testing.assert_allclose(total, total[0], atol=5e-6)  # of 0.25 J
    m, body = mass(0.0)
    m.add("law", displacement(body, law(body)))
    s = c / (2 * M)
    assert lw.eigen(m).eigenvalues[0] == pytest.approx(-s + 1j * np.sqrt(k / M - s**2), rel=1e-9)


def test_a_rod_and_an_axial_joint():
    m, body = mass(1.1)
    rod = lw.Rod(
        lw.GROUND, body, at_a=(0, 0, 0), at_b=(1.1, 0, 0), length=1.0,
        law=LinearElastic(K, prestress=4.0 * lw.reads(body, "velocity", "x")),
    )  # fmt: skip
    m.add("rod", rod)
    run = lw.transient(m, t=2, h=1e-3, progress=False)
    exact = 1 + swing(run.time, K, 4.0)
    np.testing.assert_allclose(run["body"].position.values[:, 0], exact, atol=3e-5)
    m = lw.Model()
    wheel = m.add("wheel", lw.Body(1, (M, M, M)))
    hinge = m.add("hinge", lw.Revolute(lw.GROUND, wheel, at=(0, 0, 0), axis=(0, 0, 1), angle=0.1))
    angle = lw.reads(wheel, "angle", (0, 0, 1))
    m.add("spring", lw.DeformableAxial(hinge, law=LinearElastic(K, prestrain=0.4 * angle)))
    run = lw.transient(m, t=2, h=1e-3, progress=False)
    np.testing.assert_allclose(run["hinge"].angle.values, swing(run.time, 0.6 * K), atol=3e-5)


def test_it_is_stored(tmp_path):
    m, body = mass()
    law = LinearElastic(K, prestress=4.0 * lw.reads(body, "velocity", "x"))
    m.add("law", displacement(body, law))
    run = lw.transient(m, t=0.5, h=1e-3, progress=False)
    run.save(tmp_path / "run.nc")
    more = lw.resume(tmp_path / "run.nc", t=1, progress=False)
    whole = lw.transient(m, t=1, h=1e-3, progress=False)
    np.testing.assert_array_equal(more["body"].position[-1], whole["body"].position[-1])


def test_stiffness_may_not_follow():
    _, body = mass()
    x = lw.reads(body, "position", "x")
    with pytest.raises(lw.ModelError, match="pre-strains may follow"):
        displacement(body, LinearViscoelastic(K, 1.0, stiffness_scale=1 + x)).entries()


def test_following_laws():
    """The deck, the same in Python, and in closed form."""
    from mbdyn_decks import ran, same

    _, run, tables = ran("following_laws")
    t = run.time
    for label, exact in (
        (1, 1 + swing(t, K, 4.0)), (2, swing(t, 0.6 * K, 3.0)), (3, swing(t, K, 4.0)),
    ):  # fmt: skip
        np.testing.assert_allclose(tables.node(label)[:, 0], exact, atol=2e-5)
    decay = run["abstract 5"].value.values
    np.testing.assert_allclose(decay, 0.1 * np.exp(-12.5 * t), atol=2e-5)
    m = lw.Model()
    for k in (1, 2, 3):
        body = m.add(f"node {k}", lw.Body(M, (1, 1, 1), position=(1.1 if k == 1 else 0.1, 0, 0)))
        m.add(f"hold {k}", lw.Align(lw.GROUND, body))
    x, v = lw.reads(m["node 2"], "position", "x"), lw.reads(m["node 3"], "velocity", "x")
    speed = lw.reads(m["node 1"], "velocity", "x")
    m.add("rod", lw.Rod(
        lw.GROUND, m["node 1"], at_a=(0, 0, 0), at_b=(1.1, 0, 0), length=1.0,
        law=LinearElastic(K, prestress=4 * speed),
    ))  # fmt: skip
    for k, law in ((2, LinearViscoelastic(K, 3.0, prestrain=(0.4 * x, 0, 0))),
                   (3, LinearElastic(K, prestrain=(-0.08 * v, 0, 0)))):  # fmt: skip
        frame = lw.Frame(m[f"node {k}"])
        m.add(f"law {k}", lw.DeformableDisplacement(lw.Frame(lw.GROUND), frame, law=law))
    same(run, m)
