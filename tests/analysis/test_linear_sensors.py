"""Eigenvalues and state spaces of models whose drives read reactions and accelerations, against
closed forms: a feedback of a reaction changes the apparent inertia."""

import numpy as np
import pytest
import scipy.linalg as la

import linkwork as lw
from linkwork.extend import rotations

STIFFNESS, DAMPING, NEAR, FAR = 80.0, 0.6, 0.3, 0.2  # of a shaft; inertias on both sides of a cell


def shaft(feedback, damping=DAMPING):
    """Two discs joined by a torque cell; `feedback(m, cell)` is the torque on the first."""
    m = lw.Model("shaft")
    near = m.add("near", lw.Body(1, (NEAR,) * 3))
    far = m.add("far", lw.Body(1, (FAR,) * 3, position=(0, 0, 1)))
    pin = m.add("pin", lw.Revolute(lw.GROUND, near, at=(0, 0, 0), axis=(0, 0, 1)))
    cell = m.add("cell", lw.Fixed(near, far, at=(0, 0, 0.5)))
    m.add("spring", lw.TorsionSpring(pin, stiffness=STIFFNESS, damping=damping))
    m.add("push", lw.Torque(near, (0, 0, 1), drive=lw.constant(0)))
    m.add("motor", lw.JointTorque(pin, feedback(m, lw.reads(cell, "torque", "z"))))
    return m


def pair(values):
    """Both of each conjugate pair, sorted."""
    both = np.concatenate([values, values[values.imag > 0].conj()])
    return both[np.lexsort((both.imag, both.real))]


@pytest.mark.parametrize("gain", [0.7, 3.0, -5.0])
def test_a_fed_back_torque_is_an_inertia(gain):
    """(J₁ + (1 + k) J₂) s² + d s + c = 0; with k = -5 the apparent inertia is negative."""
    found = lw.eigen(shaft(lambda m, cell: -gain * cell)).eigenvalues
    expected = np.roots([NEAR + (1 + gain) * FAR, DAMPING, STIFFNESS])
    assert np.allclose(pair(found), pair(expected[expected.imag >= 0]), rtol=1e-10)


def test_the_modes_are_those_of_generalized_alpha():
    m = shaft(lambda m, cell: -0.7 * cell)
    (found,) = lw.eigen(m).eigenvalues
    turning = np.tile([0, 0, 0, 0, 0, 1.0], (2, 1))
    start = lw.assemble(m).with_velocities(turning)
    run = lw.transient(m, t=0.5, h=1e-4, start=start, method=lw.GeneralizedAlpha(), progress=False)
    angle = (np.exp(found * run.time) / found.imag).imag
    assert np.allclose(run["pin"].angle, angle, atol=1e-6)


def test_a_filtered_torque_gives_the_roots_of_its_polynomial():
    """(J s² + d s + c)(T s + 1) + k J₂ s² = 0."""
    T, gain = 0.05, 4.0

    def feedback(m, cell):
        block = m.add("filter", lw.TransferFunction([1], [T, 1], cell))
        return -gain * lw.reads(block, "output")

    found = lw.eigen(shaft(feedback)).eigenvalues
    plain = np.polymul([NEAR + FAR, DAMPING, STIFFNESS], [T, 1])
    expected = np.roots(np.polyadd(plain, [gain * FAR, 0, 0]))
    assert np.allclose(pair(found), pair(expected[expected.imag >= 0]), rtol=1e-9)


def test_state_spaces_have_sensors_as_outputs():
    """From a torque on the first disc to the cell: J₂ s²/((J₁ + (1 + k) J₂) s² + d s + c)."""
    gain, s = 1.5, 2.0 + 9.0j
    m = shaft(lambda m, cell: -gain * cell)
    ss = lw.linearize(m, inputs=["push"], outputs=["pin.angle", "torque z of cell.torque"])
    G = ss.C @ la.solve(s * np.eye(len(ss.A)) - ss.A, ss.B) + ss.D
    angle = 1 / np.polyval([NEAR + (1 + gain) * FAR, DAMPING, STIFFNESS], s)
    assert np.allclose(G[:, 0], [angle, FAR * s**2 * angle], rtol=1e-10)


def test_acceleration_feedback_is_an_inertia():
    m = lw.Model("pendulum", gravity=(0, 0, -9.81))
    rod = m.add("rod", lw.Body(1, (0.1,) * 3, position=(0, 0, -0.5)))
    pin = m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    m.add("load", lw.JointTorque(pin, -0.5 * lw.reads(pin, "acceleration")))
    place = lw.Frame(rod, (0, 0, -0.2))  # x'' = -0.7 angle''
    m.add("more", lw.JointTorque(pin, 0.3 * lw.reads(place, "acceleration", "x")))
    (found,) = lw.eigen(m).eigenvalues
    inertia = 0.1 + 0.25 + 0.5 + 0.3 * 0.7
    assert found == pytest.approx(1j * np.sqrt(9.81 * 0.5 / inertia), rel=1e-10)


def test_steady_rotation_with_a_guide_that_feels_coriolis_forces():
    """m r'' = m W² r - c (r - r0) + k (2 m W r'): the guide of a turning slide is a load cell."""
    W, c, mass, gain = 3.0, 50.0, 2.0, -0.15
    m = lw.Model("turning slide")
    hub = m.add("hub", lw.Body(5, (1, 1, 1)))
    m.add("motor", lw.Motor(lw.GROUND, hub, at=(0, 0, 0), axis=(0, 0, 1), angle=lw.ramp(W)))
    r = 0.5
    slide = m.add("slide", lw.Body(mass, (0.1,) * 3, position=(r, 0, 0)))
    guide = m.add("guide", lw.Prismatic(hub, slide, at=(r, 0, 0), axis=(1, 0, 0)))
    free = r * (1 - mass * W**2 / c)  # the spring carries the slide at r
    m.add("spring", lw.Spring(hub, slide, stiffness=c, length=free))
    across = rotations.matrix(guide.frames[0].orientation).T @ [0, 1, 0]
    m.add("load", lw.JointForce(guide, gain * lw.reads(guide, "force", across)))
    start = lw.assemble(m)
    found = lw.eigen(m, at=start).eigenvalues
    expected = np.roots([1, -2 * gain * W, c / mass - W**2])
    assert np.allclose(pair(found), pair(expected[expected.imag >= 0]), rtol=1e-8)


def test_large_models_agree_with_dense_ones():
    m = lw.Model("chain", gravity=(0, 0, -9.81))
    before, pins = lw.GROUND, []
    for k in range(8):
        link = m.add(f"link{k}", lw.Body(1, (0.1,) * 3, position=(0, 0, -0.5 - k)))
        pins.append(m.add(f"pin{k}", lw.Revolute(before, link, at=(0, 0, -k), axis=(0, 1, 0))))
        before = link
    m.add("load", lw.JointTorque(pins[3], 0.2 * lw.reads(pins[6], "force", "x")))
    dense, sparse = (lw.eigen(m, n=4, sparse=how).eigenvalues for how in (False, True))
    assert np.allclose(dense, sparse, rtol=1e-8)
    m["load"].drive = lw.constant(0)
    assert np.abs(lw.eigen(m, n=4).eigenvalues - dense).max() > 1e-3


def test_gains_that_leave_no_inertia_are_told():
    m = shaft(lambda m, cell: (NEAR + FAR) / FAR * cell)
    with pytest.raises(lw.SingularError, match="torque z of cell"):
        lw.eigen(m)


@pytest.mark.parametrize("gain", [0.3, -1.0])
def test_equilibria_of_loads_that_follow_reactions(gain):
    """A pin carries the weight, whose share turns the rod against a spring: c a + m g l sin a =
    -k m g; the eigenvalues there are those of the tangent."""
    m = lw.Model("balance", gravity=(0, 0, -9.81))
    rod = m.add("rod", lw.Body(1, (0.1,) * 3, position=(0, 0, -0.5)))
    pin = m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0), angle=0.1))
    m.add("spring", lw.TorsionSpring(pin, stiffness=20.0, damping=1.0))
    up = rotations.matrix(pin.frames[0].orientation).T @ [0, 0, 1]
    m.add("load", lw.JointTorque(pin, -gain * lw.reads(pin, "force", up)))
    found = lw.static(m, progress=False)
    angle = float(found["pin"].angle)
    assert 20 * angle + 9.81 * 0.5 * np.sin(angle) == pytest.approx(-gain * 9.81, rel=1e-9)
    assert found.stable
    # the reaction upwards is m (g + z''), z'' = l sin(a) a'' about the equilibrium
    inertia = 0.35 + gain * 0.5 * np.sin(angle)
    expected = np.roots([inertia, 1.0, 20 + 9.81 * 0.5 * np.cos(angle)])
    values = lw.eigen(m, at=found).eigenvalues
    assert np.allclose(pair(values), pair(expected[expected.imag >= 0]), rtol=1e-8)


def test_a_torque_that_follows_the_reaction_may_make_an_equilibrium_unstable():
    """Fed back with k = 4 the apparent inertia is negative, with k = -4 it is not."""
    m = shaft(lambda m, cell: 4.0 * cell, damping=0.0)
    assert not lw.static(m, progress=False).stable
    assert lw.static(shaft(lambda m, cell: -4.0 * cell, damping=0.0), progress=False).stable
