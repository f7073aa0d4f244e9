"""lw.Beam and lw.BeamElement as users meet them: frames, sections, results, files, mistakes."""

import json

import numpy as np
import pytest
from inside import model_from_dict, model_to_dict
from mistakes import refuse

import linkwork as lw

STEEL = lw.Section.rectangle(0.02, 0.01, E=2.1e11, density=7800)
SOFT = lw.Section(stiffness=[1e5, 1e5, 1e5, 10, 20, 30], mass=1.0)


def clamped(beam, **words):
    m = lw.Model("clamped", **words)
    m.add("beam", beam)
    m.add("clamp", lw.Fixed(lw.GROUND, beam.root, at=beam.start))
    return m


def test_frames_are_places_on_the_beam():
    beam = lw.Beam((0, 0, 0), (2, 0, 0), SOFT, elements=4)
    middle, other = beam.at(0.5), beam.at(0.3)
    assert beam.at(0.5) is middle and beam.at(0) is beam.root and beam.at(1.0) is beam.tip
    np.testing.assert_allclose(other.position, (0.6, 0, 0), atol=1e-15)
    np.testing.assert_allclose(middle.position, (1, 0, 0), atol=1e-15)
    m = clamped(beam)
    m.add("load", lw.Force(other, (0, 0, -1e-3)))
    run = lw.static(m)
    names = [body.name for body in beam.bodies()]
    assert len(names) == 9
    assert {"beam.root", "beam.tip", "beam.at(0.5)", "beam.at(0.3)"} <= set(names)
    # w = P a²/6EI (3x − a) beyond the load, EIy = 20, and shear P a/GA
    z = [1e3 * run[f"beam.{name}"].position.values[2] for name in ("at(0.3)", "tip")]
    assert z == pytest.approx([-(0.6**3) / 60 - 6e-6, -(0.36 * 5.4) / 120 - 6e-6], rel=1e-5)
    force = run["beam"].section_force.sel(s=0.99, method="nearest").values
    np.testing.assert_allclose(force, 0, atol=1e-9)


def test_a_joint_at_a_section_is_where_the_section_is():
    """Without at=: at the section; two that are apart, or two bodies, do not say where."""
    section = lw.Section.rectangle(0.04, 0.004, E=7e10, density=2700)
    beam = lw.Beam((1, 0, 0), (2, 0, 0), section, elements=2)
    other = lw.FlexibleLink((2, 0, 0), (3, 0, 0), section)
    for joint, point in (
        (lw.Fixed(lw.GROUND, beam.root), (1, 0, 0)),
        (lw.Revolute(beam.tip, lw.Body(1, (1, 1, 1)), axis=(0, 1, 0)), (2, 0, 0)),
        (lw.Spherical(beam.tip, other.root), (2, 0, 0)),
        (lw.Universal(other.tip, lw.GROUND, axis_a=(0, 1, 0), axis_b=(0, 0, 1)), (3, 0, 0)),
    ):
        for frame in joint.frames:
            assert np.allclose(frame.world()[0], point, atol=1e-15)
    with pytest.raises(lw.ModelError, match="different places; give at="):
        lw.Spherical(beam.root, other.root)
    with pytest.raises(lw.ModelError, match="needs at="):
        lw.Spherical(lw.GROUND, lw.Body(1, (1, 1, 1)))


def test_mass_and_its_centre_are_those_of_the_section():
    offset = lw.Section(stiffness=[1e5] * 3 + [10, 20, 30], mass=2.0, inertia=(0.1, 0.05, 0.05),
                        mass_offset=(0.1, 0.0))  # fmt: skip
    g = 1e-3  # so small that the beam hardly bends
    for section in (SOFT, offset):
        beam = lw.Beam((0, 0, 0), (0, 0, 3), section, elements=2, up=(1, 0, 0))
        run = lw.static(clamped(beam, gravity=(0, 0, -g)))
        weight = np.array([0, 0, -3 * section.mass * g])
        np.testing.assert_allclose(run["clamp"].force_world.values, -weight, rtol=1e-6, atol=1e-12)
        y = np.cross((1, 0, 0), (0, 0, 1))  # of the section, in the reference configuration
        moment = -np.cross(section.mass_offset[0] * y, weight)
        np.testing.assert_allclose(run["clamp"].torque_world.values, moment, rtol=1e-3, atol=1e-9)


def test_tapered_beam_bends_as_its_integral_says():
    """Tip deflection ∫ P (L − x)²/EI(x) dx + ∫ P/GA dx, EI = 30 (1 − s/2)³."""

    def section(s):
        EI = 30 * (1 - s / 2) ** 3
        return lw.Section(stiffness=[1e6, 1e6, 1e6, EI, EI, EI], mass=1.0)

    beam = lw.Beam((0, 0, 0), (1, 0, 0), section, elements=16)
    m = clamped(beam)
    m.add("load", lw.Force(beam.tip, (0, 0, -1e-3)))
    x = np.linspace(0, 1, 20001)
    exact = np.trapezoid(1e-3 * (1 - x) ** 2 / (30 * (1 - x / 2) ** 3), x) + 1e-9
    assert -lw.static(m)["beam.tip"].position.values[2] == pytest.approx(exact, rel=1e-5)
    with pytest.raises(lw.ModelError, match="Python function"):
        model_to_dict(m)


def test_offset_centres_couple_as_they_should():
    """Axial force through the tension centre does not bend; through the axis it does."""
    section = lw.Section(EA=1e5, EIy=20, EIz=30, GJ=10, mass=1.0, tension_centre=(0.0, 0.02),
                         shear_centre=(0.01, 0.0))  # fmt: skip
    beam = lw.Beam((0, 0, 0), (1, 0, 0), section, elements=2)
    m = clamped(beam)
    m.add("pull", lw.Force(lw.Frame(beam.tip, (0, 0, 0.02)), (1.0, 0, 0)))
    view = lw.static(m)["beam"]
    np.testing.assert_allclose(view.curvature.values, 0, atol=1e-7)
    np.testing.assert_allclose(view.strain.values[:, 0], 1e-5, rtol=1e-5)


def test_prestrain_and_prestress():
    """Thermal strain lengthens a free beam, and loads a held one by −EA α ΔT."""
    hot = lw.Section(stiffness=[1e5] * 3 + [10] * 3, mass=1.0, prestrain=[1e-3, 0, 0, 0, 0, 0])
    for order in (2, 3):
        beam = lw.Beam((0, 0, 0), (2, 0, 0), hot, elements=3, order=order)
        m = clamped(beam)
        found = lw.static(m)
        assert found["beam.tip"].position.values[0] == pytest.approx(2.002, abs=1e-9)
        m.add("end", lw.Fixed(lw.GROUND, beam.tip, at=(2, 0, 0)))
        force = lw.static(m)["beam"].section_force.values
        np.testing.assert_allclose(force[:, 0], -100, rtol=1e-9)


def test_laws_with_six_components():
    """A cubic axial law: F = k ε + c ε³."""
    law = lw.laws.CubicElastic((1e5,) * 3 + (10.0,) * 3, 0.0, (1e9,) * 3 + (0.0,) * 3)
    section = lw.Section(law=law, mass=1.0, inertia=(0.1, 0.1, 0.1))
    beam = lw.Beam((0, 0, 0), (1, 0, 0), section, elements=2)
    m = clamped(beam)
    m.add("pull", lw.Force(beam.tip, (2000.0, 0, 0)))
    strain = float(lw.static(m)["beam"].strain.values[0, 0])
    assert 1e5 * strain + 1e9 * strain**3 == pytest.approx(2000, rel=1e-8)


def test_models_and_results_come_back_from_files(tmp_path):
    beam = lw.Beam((0, 0, 0), (1, 0, 0), STEEL, elements=2, angular_velocity=(0, 0, 1.0))
    m = lw.Model("file", gravity=(0, 0, -9.81))
    m.add("beam", beam)
    m.add("pin", lw.Revolute(lw.GROUND, beam.root, at=(0, 0, 0), axis=(0, 0, 1)))
    m.add("weight", lw.Force(beam.at(0.6), (0, 0, -1.0)))
    again = model_from_dict(json.loads(json.dumps(model_to_dict(m))))
    assert list(again["beam"].at) == [0.6]
    run = lw.transient(m, t=0.02, h=1e-3, progress=False)
    run.save(tmp_path / "run.nc")
    loaded = lw.load(tmp_path / "run.nc")
    for word in ("section_moment", "centre_line", "force_world"):
        one, two = getattr(run["beam"], word), getattr(loaded["beam"], word)
        assert one.dims[0] == "time" and one.shape == two.shape
        np.testing.assert_array_equal(one.values, two.values)
    np.testing.assert_allclose(
        run["beam"].axis(0.6).values, run["beam.at(0.6)"].position.values, atol=1e-15
    )


def test_energy_account_has_strain_energy():
    beam = lw.Beam((0, 0, 0), (1, 0, 0), SOFT, elements=4, damping=1e-3)
    m = clamped(beam, gravity=(0, 0, -9.81))
    run = lw.transient(m, t=0.3, h=1e-3, progress=False)
    E = run.energy
    assert float(E["dissipated"][-1]) > 0
    assert np.abs(E["balance"]).max() < 1e-2 * np.abs(E["potential"]).max()


@pytest.mark.parametrize(("words", "sentence"), [
    ({"end": (0, 0, 0)}, "two different points"),
    ({"section": 3}, "must be an lw.Section"),
    ({"section": lambda s: s}, "must be an lw.Section"),
    ({"section": lambda s: 1 / 0}, "fails at s = 0"),
    ({"elements": 0}, "elements .* at least 1"),
    ({"elements": 2.5}, "elements .* whole number"),
    ({"order": 4}, "order .* must be 3 or 2"),
    ({"up": (1, 0, 0)}, "lies along the beam"),
    ({"up": lambda s: 1 / 0}, "up of a Beam fails at s = 0: ZeroDivisionError"),
    ({"up": lambda s: None}, r"up\(0\) of a Beam must be 3 numbers"),
    ({"damping": -1}, "damping"),
    ({"at": (0.2, 1.5)}, "places from 0 to 1"),
    ({"elements": 2, "at": (0.2, 0.7, 0.9)}, "at least 4 elements"),
    ({"velocity": 3}, "velocity"),
])  # fmt: skip
def test_mistakes_of_beams_get_one_sentence(words, sentence):
    given = {"start": (0, 0, 0), "end": (1, 0, 0), "section": SOFT, **words}
    refuse(lambda: lw.Beam(**given), sentence)


def test_mistakes_of_points_elements_and_sections_get_one_sentence():
    a, b, c = (lw.Body(1, (1, 1, 1), (x, 0, 0)) for x in (0, 1, 2))
    for make, sentence in (
        (lambda: lw.Beam.along([(0, 0, 0), (0, 0, 0), (1, 0, 0)], SOFT), "coincide"),
        (lambda: lw.Beam.along([1, 2], SOFT), "rows of three numbers"),
        (lambda: lw.BeamElement(a, a, SOFT), "coincide|with itself"),
        (lambda: lw.BeamElement(a, c, b, SOFT), "do not follow each other"),
        (lambda: lw.BeamElement(a, lw.Body(1, (1, 1, 1)), SOFT), "coincide"),
        (lambda: lw.BeamElement(a, b), "lw.Section"),
        (lambda: lw.Section(stiffness=[1, 1, 1, 1, 1, -1], mass=1), "positive definite"),
        (lambda: lw.Section(stiffness=np.ones((6, 6)), mass=1), "positive definite"),
        (lambda: lw.Section(stiffness=np.triu(np.ones((6, 6))), mass=1), "symmetric"),
        (lambda: lw.Section(stiffness=[1, 2, 3], mass=1), "six numbers"),
        (lambda: lw.Section(EA=1, stiffness=[1] * 6, mass=1), "leave one out"),
        (lambda: lw.Section(stiffness=[1] * 6, mass=1, damping=-1), "damping"),
        (lambda: lw.Section(stiffness=[1] * 6, mass=1, prestrain=[1]), "six numbers"),
        (lambda: lw.Section(law=lw.laws.LinearElastic(1.0), mass=1), "inertia"),
    ):
        refuse(make, sentence)
    coupled = lw.Section(EA=1, EIy=1, EIz=1, GJ=1, mass=1, shear_centre=(0, 1))
    refuse(lambda: lw.FlexibleLink((0, 0, 0), (1, 0, 0), coupled), "take an lw.Beam")


@pytest.mark.parametrize("up", [None, (0, 0, 1)])
def test_a_hairpin_has_no_direction_at_its_turn(up):
    for points in ([(0, 0, 0), (1, 0, 0), (0, 0, 0)], [(0, 0, 0), (1, 0, 0), (0.2, 0, 0)],
                   [(0, 0, 0), (1, 0, 0), (0.2, 1e-9, 0)]):  # fmt: skip
        refuse(lambda points=points: lw.Beam.along(points, SOFT, up=up), "turn back near point 2")
    s = np.linspace(-1, 1, 41) * (1 + 0.05 * np.pi)  # two arms of 1 m and a bend of 0.1 m
    a = np.clip(s / 0.1, -np.pi / 2, np.pi / 2)
    x = 1 + 0.1 * np.cos(a) - np.maximum(np.abs(s) - 0.05 * np.pi, 0)
    beam = lw.Beam.along(np.column_stack([x, 0.1 * np.sin(a), 0 * s]), SOFT, up=up, elements=20)
    assert beam.length == pytest.approx(2 + 0.1 * np.pi, rel=1e-2)  # a spline with corners of κ


# ------------------------------------------------------------------------------------- readings


def test_drives_follow_strains_and_forces_of_sections():
    """Compiled formulas of readings against the results of a run with large turns."""
    rng = np.random.default_rng(3)
    X = rng.normal(size=(6, 6))
    section = lw.Section(stiffness=X @ X.T + np.eye(6), mass=1.0)
    m = lw.Model("read")
    bodies = [m.add(f"b{i}", lw.Body(
        1, (1, 1, 1), position=(i, *0.2 * rng.normal(size=2)), angular_velocity=rng.normal(size=3)
    )) for i in range(3)]  # fmt: skip
    ends = lw.Frame(bodies[0], (0, 0.1, 0)), bodies[1], lw.Frame(bodies[2], (0, 0, 0.2))
    element = m.add("element", lw.BeamElement(*ends, section))
    probe = m.add("probe", lw.Body(1, (1, 1, 1), position=(0, 0, 9)))
    words = [(word, k, i) for word in ("strain", "curvature", "section_force", "section_moment")
             for k in (1, 2) for i in range(3)]  # fmt: skip
    for word, k, i in words:
        drive = lw.reads(element, f"{word} {k}", "xyz"[i])
        m.add(f"{word}{k}{i}", lw.Force(probe, (1, 0, 0), drive=drive))
    m.add("place", lw.Force(probe, (1, 0, 0), drive=lw.reads(element, "position 2", (0, 0, 1))))
    run = lw.transient(m, t=1.0, h=0.02, progress=False)
    assert np.abs(run["element"].curvature.values).max() > 0.4
    for word, k, i in words:
        expected = getattr(run["element"], word).values[:, k - 1, i]
        found = run[f"{word}{k}{i}"].force.values[:, 0]
        np.testing.assert_allclose(found, expected, atol=1e-12 * max(1, np.abs(expected).max()))
    xi = 3**-0.5
    N = np.array([xi * (xi - 1) / 2, 1 - xi * xi, xi * (xi + 1) / 2])
    R = [lw.kernels.rotations.matrix(run[f"b{i}"].orientation.values) for i in range(3)]
    z = [run[f"b{i}"].position.values[:, 2] for i in range(3)]
    z[0], z[2] = z[0] + 0.1 * R[0][:, 2, 1], z[2] + 0.2 * R[2][:, 2, 2]
    np.testing.assert_allclose(run["place"].force.values[:, 0], N @ np.array(z), atol=1e-13)


def test_readings_that_beam_elements_do_not_have():
    steel = lw.Section.circle(0.01, E=2.1e11, density=7800, damping=1e-4)
    a, b = lw.Body(1, (1, 1, 1)), lw.Body(1, (1, 1, 1), position=(1, 0, 0))
    element = lw.BeamElement(a, b, steel)
    for quantity, match in (
        ("stress", "expected one of strain"), ("strain 2", "expected one of strain"),
        ("section_force", "not damped"),
    ):  # fmt: skip
        with pytest.raises(lw.DriveError, match=match):
            lw.reads(element, quantity, "x")
    screw = lw.BeamElement(a, b, lw.Section.circle(0.01, E=2.1e11, density=7800), helicoidal=True)
    with pytest.raises(lw.DriveError, match="helicoidal"):
        lw.reads(screw, "strain", "x")
