"""Friction has the load of the reactions from the first instant on."""

import numpy as np
import pytest
from inside import METHODS, STAGED

import linkwork as lw

G = 9.81
IMPLICIT = [METHODS[name] for name in ("GeneralizedAlpha", "HHT", "Newmark", "BDF2")] + list(STAGED)
MODELS = [lw.Coulomb, lw.LuGre]


def block_on_a_plane(model, **words):
    m = lw.Model("block", gravity=(0, 0, -G))
    block = m.add("block", lw.Body(2, (1, 1, 1), velocity=(1.2, 1.6, 0)))
    plane = m.add("plane", lw.Planar(lw.GROUND, block, at=(0, 0, 0), axis=(0, 0, 1)))
    m.add("friction", lw.Friction(plane, model, **words))
    return m


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("method", IMPLICIT, ids=lambda cls: cls.__name__)
def test_block_on_a_rough_plane_loses_mu_g_from_the_first_step_on(method, model):
    mu, h = 0.3, 1e-2
    run = lw.transient(block_on_a_plane(model(mu)), t=10 * h, h=h, method=method(), progress=False)
    along = np.array([0.6, 0.8, 0])
    speed = run["block"].velocity.values @ along
    np.testing.assert_allclose(speed, 2 - mu * G * run.time, atol=1e-10)
    np.testing.assert_allclose(run["block"].acceleration.values @ along, -mu * G, rtol=1e-9)
    np.testing.assert_allclose(run["friction"].load, 2 * G, rtol=1e-10)
    way = 2 * run.time - mu * G * run.time**2 / 2
    bound = 0.6 * mu * G * h * 10 * h if method.__name__ == "ImplicitEuler" else 1e-10
    assert np.abs(run["block"].position.values @ along - way).max() < bound


def swinging(part, mu=0.6, m=2.0, l=0.5, J=0.5, w=3.0):
    """A body that turns about a pin at l: its friction is a good part of what loads the pin.

    (J + m l²) α = −μ r N,  N = m l √(ω⁴ + α²):  α = −k ω²/√(1 − k²),  k = μ r m l/(J + m l²)
    """
    r = part * (m * l * l + J) / (mu * m * l)
    model = lw.Model("swinging")
    body = model.add("body", lw.Body(m, (J, J, J), position=(l, 0, 0)))
    pin = model.add(
        "pin", lw.Revolute(lw.GROUND, body, at=(0, 0, 0), axis=(0, 0, 1), rate=w)
    )
    model.add("friction", lw.Friction(pin, lw.Coulomb(mu), radius=r))
    return model, w, part / np.sqrt(1 - part**2)


@pytest.mark.parametrize("part", [0.3, 0.8, 0.95])
def test_friction_that_loads_its_own_pin(part):
    model, w, c = swinging(part)
    run = lw.transient(model, t=2e-2, h=1e-3, progress=False)
    assert float(run["body"].acceleration[0, 1]) == pytest.approx(-0.5 * c * w * w, rel=1e-9)
    exact = w / (1 + c * w * run.time)
    assert np.abs(run["pin"].rate - exact).max() < 2e-2 * c * w * w * 1e-3


@pytest.mark.parametrize("method", [lw.GeneralizedAlpha(), lw.BDF2(), lw.CrankNicolson(), lw.MS2()],
                         ids=lambda method: type(method).__name__)  # fmt: skip
def test_order_is_kept_at_the_start(method):
    """Errors after a few steps of sliding fall with h², which a first step without load makes h."""
    errors = []
    for h in (4e-3, 2e-3, 1e-3):
        model, w, c = swinging(0.5)
        run = lw.transient(model, t=0.08, h=h, method=method, progress=False)
        errors.append(abs(float(run["pin"].rate[-1]) - w / (1 + c * w * 0.08)))
    observed = np.log2(np.array(errors[:-1]) / errors[1:])
    assert observed.min() > 1.8


def test_bodies_without_mass_beside_it_change_nothing():
    """Accelerations at the start then come from index reduction."""
    m = block_on_a_plane(lw.Coulomb(0.3))
    light = m.add("light", lw.Body(0, (0, 0, 0), position=(0, 1, 0)))
    words = dict(stiffness=(10,) * 6, damping=(1,) * 6)
    m.add("bushing", lw.Bushing(lw.GROUND, light, at=(0, 1, 0), **words))
    run = lw.transient(m, t=1e-2, h=1e-3, progress=False)
    along = np.array([0.6, 0.8, 0])
    speed = run["block"].velocity.values @ along
    np.testing.assert_allclose(speed, 2 - 0.3 * G * run.time, atol=1e-10)
    np.testing.assert_allclose(run["block"].acceleration.values @ along, -0.3 * G, rtol=1e-9)


def test_a_massless_runner_is_slowed_by_the_load_of_its_rail():
    """A force F drags it along: c ẋ = F − μ N from the start, N its load across the rail."""
    mu, F, N, c = 0.2, 8.0, 15.0, 4.0
    m = lw.Model("runner")
    runner = m.add("runner", lw.Body(0, (0, 0, 0), velocity=(1, 0, 0)))
    rail = m.add("rail", lw.Prismatic(lw.GROUND, runner, at=(0, 0, 0), axis=(1, 0, 0)))
    m.add("friction", lw.Friction(rail, lw.Coulomb(mu)))
    m.add("drag", lw.Force(runner, (F, 0, -N)))
    m.add("damper", lw.Spring(lw.GROUND, runner, at_a=(-1, 0, 0), stiffness=0, damping=c, length=1))
    run = lw.transient(m, t=0.1, h=1e-3, progress=False)
    np.testing.assert_allclose(run["runner"].velocity[:, 0], (F - mu * N) / c, rtol=1e-9)
