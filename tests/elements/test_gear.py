"""Gears against closed forms: reduced inertias, Willis' formula, modes, torques, turns counted."""

import numpy as np
import pytest

import linkwork as lw

Z = (0, 0, 1)


def worst(run):
    """The largest violation of any joint, in positions."""
    return float(run.violation["position"].max())


def pair(ratio, *, torque=0.0, rate=None, joint=lw.Revolute):
    """Two wheels on the ground with inertias 2 and 5 kg m², a torque on the first."""
    m = lw.Model("gears")
    bodies = [m.add(name, lw.Body(1, (J, J, J), position=(x, 0, 0)))
              for name, J, x in (("pinion", 2.0, 0), ("wheel", 5.0, 1))]  # fmt: skip
    words = [{} if rate is None else {"rate": r} for r in (rate, rate and ratio * rate)]
    hinges = [m.add(f"hinge{i}", joint(lw.GROUND, b, at=b.position, axis=Z, **w))
              for i, (b, w) in enumerate(zip(bodies, words))]  # fmt: skip
    m.add("gear", lw.Gear(*hinges, ratio))
    if torque:
        m.add("torque", lw.Torque(bodies[0], (0, 0, torque)))
    return m


@pytest.mark.parametrize("ratio", [-0.5, -3.0, np.sqrt(2)])
@pytest.mark.parametrize("joint", [lw.Revolute, lw.Cylindrical])
def test_two_wheels_accelerate_as_one(ratio, joint):
    """(J₁ + i² J₂) φ̈₁ = T; the mesh turns the wheel with J₂ i φ̈₁; many turns."""
    m = pair(ratio, torque=30.0, joint=joint)
    run = lw.transient(m, t=3, h=1e-3, progress=False)
    a = 30 / (2 + 5 * ratio**2)
    np.testing.assert_allclose(run["hinge0"].angle, a * run.time**2 / 2, atol=1e-8)
    np.testing.assert_allclose(run["hinge1"].angle, ratio * a * run.time**2 / 2, atol=1e-8)
    np.testing.assert_allclose(run["gear"].torque[5:, 2], 5 * ratio * a, rtol=1e-6)
    np.testing.assert_allclose(run["gear"].angle_1, run["hinge0"].angle, atol=1e-12)
    np.testing.assert_allclose(run["gear"].rate_2, ratio * a * run.time, atol=1e-8)
    assert float(abs(run.energy.balance).max()) < 1e-6 and worst(run) < 1e-11


@pytest.mark.parametrize("method", [
    lw.HHT(), lw.BDF(2), lw.MSSTH4(), lw.RK4(), lw.ODE("DOP853"), lw.Recursive(),
    lw.Recursive("implicit"), lw.Recursive("dormand-prince"),
], ids=repr)  # fmt: skip
def test_all_formulations_that_take_it_agree(method):
    run = lw.transient(pair(-0.4, torque=3.0), t=1, h=1e-2, method=method, progress=False)
    expected = -0.4 * 3 / (2 + 5 * 0.16) / 2
    assert float(run["hinge1"].angle[-1]) == pytest.approx(expected, abs=1e-5)


def test_what_does_not_take_it_says_so():
    with pytest.raises(lw.ModelError, match="Gear 'gear' has no quadratic form in directors"):
        lw.transient(pair(-0.4), t=0.1, h=1e-2, method=lw.EnergyMomentum(), progress=False)


def test_a_motor_drives_a_train():
    """Motor, 1:−2, −2:3 … the last rate is the product; the first torque is what all need."""
    m = lw.Model("train")
    bodies = [m.add(f"b{k}", lw.Body(1, (k + 1,) * 3, position=(k, 0, 0))) for k in range(3)]
    law = lw.polynomial([0, 0, 4.0])
    motor = m.add("motor", lw.Motor(lw.GROUND, bodies[0], at=(0, 0, 0), axis=Z, angle=law))
    joints = [motor]
    for k, ratio in ((1, -2.0), (2, -1.5)):
        at = bodies[k].position
        joints.append(m.add(f"j{k}", lw.Revolute(lw.GROUND, bodies[k], at=at, axis=Z)))
        m.add(f"gear{k}", lw.Gear(joints[k - 1], joints[k], ratio))
    run = lw.kinematics(m, t=2, h=0.01, progress=False)
    np.testing.assert_allclose(run["j2"].angle, 3 * 4 * run.time**2, atol=1e-9)
    needed = 8.0 * (1 + 4 * 2 + 9 * 3)
    np.testing.assert_allclose(run["motor"].torque, needed, rtol=1e-9)
    again = lw.transient(m, t=2, h=1e-3, progress=False)
    np.testing.assert_allclose(again["motor"].torque[10:], needed, rtol=1e-6)


Z_SUN, Z_RING, Z_PLANET = 20, 60, 20


def planetary(arm=0.2):
    """Sun, ring and carrier turn about z, one planet on the carrier; a torque on the carrier."""
    m = lw.Model("planetary")
    sun, ring, carrier = (m.add(n, lw.Body(1, (1, 1, J))) for n, J in
                          (("sun", 0.2), ("ring", 0.9), ("carrier", 0.5)))  # fmt: skip
    planet = m.add("planet", lw.Body(0.3, (0.1, 0.1, 0.01), position=(arm, 0, 0)))
    bearings = [(sun, 3.0), (ring, -1.0), (carrier, None)]
    for body, rate in bearings:
        word = {} if rate is None else {"rate": rate}
        m.add(f"{body.name} bearing", lw.Revolute(lw.GROUND, body, (0, 0, 0), Z, **word))
    pin = m.add("pin", lw.Revolute(carrier, planet, at=(arm, 0, 0), axis=Z))
    turn_sun = m.add("sun to carrier", lw.Cylindrical(carrier, sun, at=(0, 0, 0), axis=Z))
    turn_ring = m.add("ring to carrier", lw.Cylindrical(carrier, ring, at=(0, 0, 0), axis=Z))
    m.add("outer", lw.Gear(turn_sun, pin, -Z_SUN / Z_PLANET))
    m.add("inner", lw.Gear(pin, turn_ring, Z_PLANET / Z_RING))
    m.add("brake", lw.Torque(carrier, (0, 0, -0.7)))
    return m


@pytest.mark.parametrize("method", [lw.GeneralizedAlpha(), lw.Recursive()], ids=["core", "tree"])
def test_planetary_gear(method):
    """Willis: ω_sun + k ω_ring = (1 + k) ω_carrier, k = z_ring/z_sun; and Lagrange's equations."""
    m = planetary()
    with pytest.warns(lw.LinkworkWarning, match="repeat"):
        run = lw.transient(m, t=2, h=2e-3, method=method, progress=False)
    w = {n: run[n].angular_velocity[:, 2].values for n in ("sun", "ring", "carrier")}
    k = Z_RING / Z_SUN
    np.testing.assert_allclose(w["sun"] + k * w["ring"], (1 + k) * w["carrier"], atol=1e-9)
    # Lagrange in ω_sun and ω_ring
    share = np.array([1, k]) / (1 + k)  # of the carrier
    on_planet = np.array([1, 0]) * -Z_SUN / Z_PLANET + share * (1 + Z_SUN / Z_PLANET)
    J_carrier = 0.5 + 0.3 * 0.2**2
    M = (np.diag([0.2, 0.9]) + J_carrier * np.outer(share, share)
         + 0.01 * np.outer(on_planet, on_planet))  # fmt: skip
    start = np.array([w["sun"][0], w["ring"][0]])
    expected = start + np.outer(run.time, np.linalg.solve(M, share * -0.7))
    np.testing.assert_allclose(np.stack([w["sun"], w["ring"]], axis=1), expected, atol=2e-6)


def test_modes_through_a_gear():
    """A torsion spring on the wheel: ω² = k/(J₂ + J₁/i²)."""
    m = pair(-0.5)
    m.add("spring", lw.TorsionSpring(m["hinge1"], stiffness=70.0))
    found = lw.eigen(m, at=lw.static(m, progress=False)).eigenvalues
    assert found[0] == pytest.approx(1j * np.sqrt(70 / (5 + 2 / 0.25)), rel=1e-9)


def test_turns_go_on_over_a_restart(tmp_path):
    """Thirty turns of an irrational ratio: the digits of one run."""
    m = pair(-np.sqrt(3), rate=100.0)
    whole = lw.transient(m, t=2, h=2e-3, progress=False)
    half = lw.transient(m, t=1, h=2e-3, progress=False)
    half.save(tmp_path / "half.nc")
    rest = lw.resume(tmp_path / "half.nc", t=2, progress=False)
    np.testing.assert_array_equal(rest.motion[-1], whole.motion[-1])
    middle = lw.transient(m, t=1.2, h=2e-3, start=whole.state(500), progress=False)
    np.testing.assert_allclose(middle["gear"].angle_2, -np.sqrt(3) * middle["gear"].angle_1,
                               atol=1e-8)  # fmt: skip
    assert float(middle["gear"].angle_1[0]) == pytest.approx(100.0, abs=1e-6)
    assert worst(middle) < 1e-9


def test_crossed_axes():
    """A bevel: axes at right angles; power in = power out."""
    m = lw.Model("bevel")
    one = m.add("one", lw.Body(1, (1, 1, 2)))
    two = m.add("two", lw.Body(1, (3, 2, 2), position=(0.2, 0, 0.1)))
    a = m.add("a", lw.Revolute(lw.GROUND, one, at=(0, 0, 0), axis=Z))
    b = m.add("b", lw.Revolute(lw.GROUND, two, at=(0.2, 0, 0.1), axis=(1, 0, 0)))
    m.add("gear", lw.Gear(a, b, 2.0))
    m.add("torque", lw.Torque(one, (0, 0, 7)))
    run = lw.transient(m, t=1, h=1e-3, progress=False)
    assert float(run["b"].angle[-1]) == pytest.approx(2 * 7 / (2 + 4 * 3) / 2, rel=1e-7)


def test_bad_words():
    m = pair(-1)
    hinge, other = m["hinge0"], m["hinge1"]
    fixed = lw.Fixed(lw.GROUND, lw.Body(1, (1, 1, 1)), at=(0, 0, 0))
    for make, words in (
        (lambda: lw.Gear(hinge, hinge, 2), "two different joints"),
        (lambda: lw.Gear(hinge, other, 0), "must not be zero"),
        (lambda: lw.Gear(hinge, other, np.nan), "finite"),
        (lambda: lw.Gear(hinge, fixed, 1), "no free rotation about its z axis"),
        (lambda: lw.Gear(hinge, m["wheel"], 1), "needs a joint such as a Revolute"),
    ):
        with pytest.raises(lw.ModelError, match=words):
            make()


def test_violation_of_a_screw_counts_turns():
    """Forty turns of a nut, stored sparsely: the thread holds all the way."""
    m = lw.Model()
    nut = m.add("nut", lw.Body(1, (1, 1, 1)))
    m.add("screw", lw.Screw(lw.GROUND, nut, (0, 0, 0), Z, pitch=0.01, rate=250.0))
    run = lw.transient(m, t=1, h=1e-3, every=50, progress=False)
    assert float(run["screw"].displacement[-1]) == pytest.approx(0.01 * 250 / (2 * np.pi), rel=1e-6)
    assert worst(run) < 1e-10
