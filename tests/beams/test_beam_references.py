"""Beams against closed forms, published and independently computed values, and other models."""

import numpy as np
import pytest

import linkwork as lw

ELASTICA = {  # PL²/EI: shortening, deflection, tip angle (elliptic integrals)
    1: (0.05643324, 0.30172077, 0.46135195),
    2: (0.16064172, 0.49345748, 0.78174983),
    5: (0.38762836, 0.71379152, 1.21536812),
    10: (0.55499560, 0.81060902, 1.43028554),
}


def cantilever(section, load=None, torque=None, length=1.0, gravity=(0, 0, 0), **words):
    m = lw.Model("cantilever", gravity=gravity)
    beam = m.add("beam", lw.Beam((0, 0, 0), (length, 0, 0), section, **words))
    m.add("clamp", lw.Fixed(lw.GROUND, beam.root, at=(0, 0, 0)))
    if load is not None:
        m.add("load", lw.Force(beam.tip, load))
    if torque is not None:
        m.add("torque", lw.Torque(beam.tip, torque))
    return m


def rigid_in_shear(EI=1.0):
    """Strains of P/1e8 are below the digits of the references."""
    return lw.Section(stiffness=[1e8, 1e8, 1e8, EI, EI, EI], mass=1.0)


def tip(model):
    return lw.static(model)["beam.tip"].position.values


@pytest.mark.parametrize("load", ELASTICA)
def test_elastica(load):
    found = lw.static(cantilever(rigid_in_shear(), (0, 0, -load), elements=16))
    x, _, z = found["beam.tip"].position.values
    w, _, y, _ = found["beam.tip"].orientation.values
    shortening, deflection, angle = ELASTICA[load]
    # the error of the mesh, of fourth order, is 1e-6 at the largest load
    assert (1 - x, -z) == pytest.approx((shortening, deflection), abs=2e-6)
    assert 2 * np.arctan2(y, w) == pytest.approx(angle, abs=5e-6)


@pytest.mark.parametrize("order", [2, 3])
def test_roll_up_to_a_circle(order):
    """M = 2π EI/L: constant curvature is exact, so that the tip is back at the root."""
    section = lw.Section(stiffness=[1e4, 1e4, 1e4, 1, 1, 1], mass=1.0)
    found = lw.static(cantilever(section, torque=(0, -2 * np.pi, 0), elements=16, order=order))
    assert np.abs(found["beam.tip"].position.values).max() < 1e-6
    moment = found["beam"].section_moment.values
    np.testing.assert_allclose(moment, np.tile([0, -2 * np.pi, 0], (len(moment), 1)), atol=1e-6)


def bend(load, GJ, GA, elements=16):
    """Bathe and Bolourchi's bend: R = 100, 45°, 1 × 1 section, E = 1e7, load across its plane."""
    m, a = lw.Model("bend"), np.linspace(0, np.pi / 4, 33)
    points = np.column_stack([100 * (1 - np.cos(a)), 100 * np.sin(a), 0 * a])
    section = lw.Section(stiffness=[1e7, GA, GA, GJ, 1e7 / 12, 1e7 / 12], mass=1.0)
    beam = m.add("beam", lw.Beam.along(points, section, elements=elements))
    m.add("clamp", lw.Fixed(lw.GROUND, beam.root, at=(0, 0, 0)))
    m.add("load", lw.Force(beam.tip, (0, 0, load)))
    return m


@pytest.mark.parametrize(("load", "GJ", "GA", "place"), [
    (300, 1e7 / 12, 5e6, (22.24478, 58.77912, 40.19189)),
    (600, 1e7 / 12, 5e6, (15.68480, 47.15044, 53.47486)),
    (600, 7.03e5, 4.1667e6, (15.55781, 46.89185, 53.60785)),
])  # fmt: skip
def test_bend_of_45_degrees(load, GJ, GA, place):
    """Against the ordinary differential equations of the rod, solved to all digits given."""
    np.testing.assert_allclose(tip(bend(load, GJ, GA)), place, atol=1e-4)


def test_twisted_and_curved_at_rest_means_without_strain():
    points = [(np.cos(a), np.sin(a), 0.2 * a) for a in np.linspace(0, 3, 13)]
    section = lw.Section(stiffness=[1e4, 4e3, 4e3, 10, 20, 30], mass=1.0)

    def up(s):
        return (np.cos(9 * s) * np.cos(3 * s), np.cos(9 * s) * np.sin(3 * s), np.sin(9 * s))

    m = lw.Model("helix")
    beam = m.add("beam", lw.Beam.along(points, section, up=up))
    m.add("clamp", lw.Fixed(lw.GROUND, beam.root, at=points[0]))
    found = lw.static(m)
    assert np.abs(found["beam"].section_moment.values).max() < 1e-10
    np.testing.assert_allclose(found["beam.tip"].position.values, points[-1], atol=1e-12)


@pytest.mark.parametrize("load", [3, 7, 15, 50])
def test_iterations_of_statics_depend_on_neither_mesh_nor_direction(load):
    """Loads in space on a section that is the same all round: the elastica in a turned plane."""
    counts, heights = [], []
    for n in (4, 16):
        for y, z in ((0, -1), (0.6, -0.8), (np.sqrt(0.5), np.sqrt(0.5))):
            found = lw.static(cantilever(
                lw.Section(stiffness=[1e6, 1e6, 1e6, 1, 1, 1], mass=1.0),
                (0, load * y, load * z), elements=n,
            ))  # fmt: skip
            counts.append(found.iterations)
            heights.append(found["beam.tip"].position.values[1:] @ (y, z))
    np.testing.assert_allclose(heights[:3], heights[0], rtol=1e-9)
    assert max(counts) <= 40 and max(counts) - min(counts) <= 6


@pytest.mark.parametrize(("stiffness", "force", "torque"), [
    ([1e6, 1e6, 1e6, 1, 1, 1], None, (6, 6, 0)),
    ([1e8, 1e8, 1e8, 1, 1, 100], (0, 50, -10), None),
    ([1e7, 1e7, 1e7, 0.1, 1, 10], (0, 10, -5), None),
    ([1e6, 1e6, 1e6, 1, 1, 1], (0, 5, -5), (3, 0, 0)),
])  # fmt: skip
def test_statics_in_space_takes_few_iterations(stiffness, force, torque):
    """Helices and lateral bends, which took several hundred: the clamp carries the loads."""
    m = cantilever(lw.Section(stiffness=stiffness, mass=1.0), force, torque, elements=16)
    found = lw.static(m)
    assert found.iterations < 100
    F, T = np.array(force or (0, 0, 0), float), np.array(torque or (0, 0, 0), float)
    arm = found["beam.tip"].position.values
    scale = max(np.abs(F).max(), np.abs(T).max())
    np.testing.assert_allclose(found["clamp"].force.values, -F, atol=1e-7 * scale)
    np.testing.assert_allclose(
        found["clamp"].torque.values, -T - np.cross(arm, F), atol=1e-7 * scale
    )


# ------------------------------------------------------------------------------ orders and modes


@pytest.mark.parametrize(("order", "expected"), [(3, 4), (2, 2)])
def test_order_of_the_elements(order, expected):
    """Deflection of the elastica at PL²/EI = 5: fourth order of three nodes, second of two."""
    errors = []
    for n in (4, 8, 16):
        _, _, z = tip(cantilever(rigid_in_shear(), (0, 0, -5), elements=n, order=order))
        errors.append(abs(-z - ELASTICA[5][1]))
    orders = np.log2(np.array(errors[:-1]) / errors[1:])
    np.testing.assert_allclose(orders, expected, atol=0.4)


def timoshenko(EI, GA, m=1.0, L=1.0, count=3):
    """Frequencies (Hz) of a cantilever that shears, without rotary inertia: the determinant of
    w′ = ψ + Q/GA, ψ′ = M/EI, M′ = −Q, Q′ = −m ω² w from the clamp to the free end."""
    from scipy.linalg import expm
    from scipy.optimize import brentq

    def determinant(omega):
        A = np.zeros((4, 4))
        A[0, 1], A[0, 3], A[1, 2], A[2, 3] = 1.0, 1 / GA, 1 / EI, -1.0
        A[3, 0] = -m * omega**2
        return np.linalg.det(expm(A * L)[2:, 2:])

    beta = np.array([1.87510407, 4.69409113, 7.85475744])[:count]
    near = beta**2 * np.sqrt(EI / m) / L**2
    return np.array([brentq(determinant, 0.9 * x, 1.05 * x) for x in near]) / (2 * np.pi)


def bending_frequencies(**words):
    K = [1e8, 1e6, 1e6, 1e5, 100.0, 200.0]
    section = lw.Section(stiffness=K, mass=1.0, inertia=(1e-3, 0, 0))
    return np.sort(lw.eigen(cantilever(section, **words)).frequency)[:6]


EXACT = np.sort([*timoshenko(100.0, 1e6), *timoshenko(200.0, 1e6)])


@pytest.mark.parametrize(("inertia", "order", "expected"), [
    ("lumped", 3, 2), ("consistent", 3, 4), ("consistent", 2, 2),
])  # fmt: skip
def test_frequencies_of_a_cantilever(inertia, order, expected):
    """Consistent inertia has the order of the element, lumped masses are of second order."""
    coarse, fine = (
        np.abs(bending_frequencies(elements=n, order=order, inertia=inertia) / EXACT - 1)
        for n in (8, 16)
    )
    np.testing.assert_allclose(np.log2(coarse[2:] / fine[2:]), expected, atol=0.4)
    assert fine.max() < {4: 1e-4, 2: 5e-2}[expected]


def test_consistent_inertia_keeps_momentum():
    """A free beam with an offset mass, pushed at one end: m v = ∫F dt, and the energy account."""
    section = lw.Section(stiffness=[1e4, 1e4, 1e4, 50, 50, 50], mass=1.0, mass_offset=(0.05, 0.02),
                         inertia=(1e-2, 5e-3, 5e-3))  # fmt: skip
    m = lw.Model("free")
    beam = m.add("beam", lw.Beam((0, 0, 0), (2, 0, 0), section, inertia="consistent", elements=4))
    m.add("push", lw.Force(beam.tip, (0, 3.0, 1.0), drive=lw.ramp(2.0)))
    errors, lost = [], []
    for h in (2e-3, 1e-3):
        run = lw.transient(m, t=0.5, h=h, progress=False)
        errors.append(np.abs(run.momentum.values - np.outer(run.time**2, (0, 3.0, 1.0))).max())
        lost.append(float(np.abs(run.energy["balance"]).max() / run.energy["kinetic"].max()))
    assert max(lost) < 1e-3
    # centres beside the axis turn about it, which the method follows to second order
    assert errors[0] < 2e-5 and errors[0] / errors[1] > 3


def chain(section, length, n):
    """Rigid pieces between bushings, the bending stiffness of a piece in each."""
    m, h = lw.Model("chain"), length / n
    before, mass = lw.GROUND, section.mass * h
    for i in range(n):
        inertia = (section.Jx * h, mass * h * h / 12, mass * h * h / 12)
        at = ((i + 0.5) * h, 0, 0)
        body = m.add(f"b{i}", lw.Body(mass, inertia, position=at, any_inertia=True))
        half = 2.0 if i == 0 else 1.0  # half a piece lies between the clamp and the first hinge
        K = half * np.array([
            section.EA, 1e3 * section.EA, 1e3 * section.EA, section.GJ, section.EIy, section.EIz
        ]) / h  # fmt: skip
        m.add(f"k{i}", lw.Bushing(before, body, at=(i * h, 0, 0), stiffness=K))
        before = body
    return m


def test_beams_flexible_link_and_chain_agree():
    """The same cantilever, four ways: first two frequencies in both planes."""
    steel = lw.Section.rectangle(0.03, 0.02, E=2.1e11, density=7800)
    beams = [lw.eigen(cantilever(steel, elements=n, order=o)).frequency
             for n, o in ((8, 3), (32, 2))]  # fmt: skip
    m = lw.Model("link")
    link = m.add("link", lw.FlexibleLink((0, 0, 0), (1, 0, 0), steel, modes=4))
    m.add("clamp", lw.Fixed(lw.GROUND, link.root, at=(0, 0, 0)))
    found = [*beams, lw.eigen(m).frequency, lw.eigen(chain(steel, 1.0, 40)).frequency]
    first = np.array([np.sort(f)[:2] for f in found])
    # shear and rotary inertia lower the first frequencies by 1e-3, pieces and shapes by as much
    np.testing.assert_allclose(first, np.tile(first[0], (4, 1)), rtol=4e-3)


# ------------------------------------------------------------------------------------- motion


def test_a_flying_beam_keeps_momentum_and_energy():
    """A free beam is pushed and turned at one end, then flies: large bends and rotations."""
    m = lw.Model("flying")
    section = lw.Section(stiffness=[1e4, 1e4, 1e4, 50, 50, 50], mass=1.0, inertia=(0.1, 0.05, 0.05))
    beam = m.add("beam", lw.Beam((0, 0, 0), (3, 0, 4), section, elements=6))
    pulse = lw.table([0, 0.5, 1.0, 50], [0, 1, 0, 0], kind="linear")
    m.add("push", lw.Force(beam.root, (4.0, 0, 0), drive=pulse))
    m.add("turn", lw.Torque(beam.root, (0, -8.0, 3.0), drive=pulse))
    run = lw.transient(m, t=5.0, h=5e-3, progress=False)
    after = run.time > 1.0
    p, L = run.momentum.values[after], run.angular_momentum.values[after]
    assert np.abs(run["beam"].curvature.values).max() > 0.1
    # the kinks of the pulse lie between the times at which a step asks for it
    np.testing.assert_allclose(p, np.tile([2.0, 0, 0], (len(p), 1)), atol=1e-5)
    assert np.abs(L - L[0]).max() < 1e-3 * np.abs(L[0]).max()
    assert np.abs(run.energy["balance"]).max() < 2e-3 * float(run.energy["total"].max())


def test_proportional_damping_of_a_mode():
    """ζ = τ ω/2 with D = τ K."""
    section = lw.Section(stiffness=[1e6, 1e6, 1e6, 1, 1, 1], mass=1.0, damping=2e-3)
    found = lw.eigen(cantilever(section, elements=4))
    omega = 1.87510407**2
    assert found.damping[0] == pytest.approx(1e-3 * omega, rel=2e-3)
