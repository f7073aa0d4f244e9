"""Flexible links among other items: frames in every joint, files, pictures, refusals, errors."""

import copy
import pickle
from dataclasses import replace

import numpy as np
import pytest
from inside import ITEMS, assemble_model, draw, model_from_dict, model_to_dict

import linkwork as lw
from linkwork import compile_model

ALUMINIUM = lw.Section.rectangle(0.02, 0.01, E=7e10, density=2700)


def pendulum(**words):
    m = lw.Model("pendulum", gravity=(0, 0, -9.81))
    rod = m.add("rod", lw.FlexibleLink((0, 0, 0), (1, 0, 0), ALUMINIUM, **words))
    m.add("pin", lw.Revolute(lw.GROUND, rod.root, at=(0, 0, 0), axis=(0, 1, 0)))
    return m


@pytest.mark.parametrize("name", sorted(
    set(ITEMS)
    - {"Body", "FlexibleLink", "MovingFrame", "CentralGravity", "VariableMass"}
    - {"Contact"}  # takes bodies with shapes, which frames do not have
))  # fmt: skip
def test_frames_work_in_every_item(name):
    """A section of a link feels what a rigid body in its place would feel."""
    found = []
    for flexible in (True, False):
        rng = np.random.default_rng(5)
        m = lw.Model("two")
        b = m.add("b", lw.Body(1, (1, 1, 1), position=(0.3, 0.2, -0.5)))
        link = lw.FlexibleLink((0, 0, 0), (0.5, 1, 0.2), ALUMINIUM, modes=1)
        if flexible:
            m.add("link", link)
        a = link.at(0.4) if flexible else m.add("a", lw.Body(
            1, (1, 1, 1), position=link.at(0.4).position, orientation=link.orientation
        ))  # fmt: skip
        item = ITEMS[name].sample(rng, a, b)
        for i, part in enumerate(item if isinstance(item, list) else [item]):
            m.add(f"item{i}", part)
        data = compile_model(m).data()
        state = data.system.described_state(time=0.4)
        mine = [row.owner.startswith("item") for row in data.system.all_rows]
        gamma = np.zeros(len(mine))
        gamma[mine] = rng.normal(size=sum(mine))
        motion, v = state.motion.copy(), rng.normal(size=(2, 6))
        first = "link.at(0.4)" if flexible else "a"
        pair = [data.system.names.index(name) for name in (first, "b")]
        motion[pair, 7:] = v
        moved = np.zeros((data.system.bodies, 6))
        moved[pair] = 0.2 * rng.normal(size=(2, 6))
        state = replace(state, motion=motion, gamma=gamma).moved(moved)
        e = data.evaluate(state)
        found.append((e.f[pair], e.C[np.array(mine, bool)]))
    np.testing.assert_allclose(found[0][0], found[1][0], atol=1e-12)
    np.testing.assert_allclose(found[0][1], found[1][1], atol=1e-12)


# ---------------------------------------------------------------------------------- assembling


def test_assembly_moves_bodies_and_does_not_bend_links():
    m = lw.Model("open")
    rod = m.add("rod", lw.FlexibleLink((0, 0, 0), (1, 0, 0), ALUMINIUM))
    arm = m.add("arm", lw.Body.link((1.02, 0, 0.01), (1.02, 0, 1.01), 0.01, mass=1))
    m.add("pin", lw.Revolute(lw.GROUND, rod.root, at=(0, 0, 0), axis=(0, 1, 0)))
    m.add("joint", lw.Revolute(lw.Frame(rod.tip, (0, 0, 0), ALONG_Y), lw.Frame(arm, (0, 0, -0.5),
                                                                              ALONG_Y)))
    found = assemble_model(m)
    link = found.full.system.flexible[0]
    assert not link.amplitudes(found.state.values).any()
    gap = found.state["rod.tip"].position - found.state["arm"].position
    assert np.linalg.norm(gap) == pytest.approx(0.5, abs=1e-9)
    assert np.linalg.norm(found.state["rod.tip"].position) == pytest.approx(1, abs=1e-9)


def test_assembly_bends_links_where_it_must():
    """Clamped at one end, held 1 mm beside the other: the joints leave nothing else."""
    m = lw.Model("bent")
    rod = m.add("rod", lw.FlexibleLink((0, 0, 0), (1, 0, 0), ALUMINIUM))
    m.add("wall", lw.Fixed(lw.GROUND, rod.root, at=(0, 0, 0)))
    m.add("peg", lw.PointOnLine(lw.Frame(lw.GROUND, (1, 0, 1e-3)), lw.Frame(rod.tip)))
    state = lw.assemble(m)
    assert state["rod.tip"].position[2] == pytest.approx(0, abs=1e-9)  # x y held, z is its line
    m.remove("peg")
    m.add("peg", lw.PointOnPlane(lw.Frame(lw.GROUND, (1, 0, 1e-3)), lw.Frame(rod.tip)))
    state = lw.assemble(m)
    assert state["rod.tip"].position[2] == pytest.approx(1e-3, abs=1e-9)
    found = lw.static(m)["peg"].force[2]  # 3 EI/L³ presses the peg down, so that it pushes up
    assert found == pytest.approx(3 * ALUMINIUM.EIy * 1e-3, rel=1e-4)


ALONG_Y = np.array([[1.0, 0, 0], [0, 0, 1], [0, -1, 0]]).T  # z axis along the world's y


def test_velocities_are_those_of_a_rigid_motion():
    m = lw.Model("spinning")
    m.add("rod", lw.FlexibleLink(
        (0, 0, 0), (0, 1, 0), ALUMINIUM, velocity=(1, 0, 0), angular_velocity=(0, 0, 2)
    ))  # fmt: skip
    state = lw.assemble(m)
    # x of the link is the world's y and z is up, so that the tip moves with 2 · 1 against x
    assert state["rod.tip"].velocity == pytest.approx([-1, 0, 0])
    assert state["rod.tip"].angular_velocity == pytest.approx([0, 0, 2])
    assert not state.values.any()


# ------------------------------------------------------------------------------ results, files


def test_results_of_a_link():
    m = pendulum(boundary="pinned-pinned", modes=4, at=(0.25,))
    run = lw.transient(m, t=0.1, h=1e-3, progress=False)
    q = run["rod"].amplitudes
    assert q.dims == ("time", "mode")
    assert q.shape == (101, 4)
    rate = np.gradient(q.values[:, 0], run.time, edge_order=2)
    np.testing.assert_allclose(run["rod"].amplitude_rates.values[1:-1, 0], rate[1:-1],
                               atol=0.05 * np.abs(rate).max())
    np.testing.assert_allclose(
        run["rod"].axis(0.25).values, run["rod.at(0.25)"].position.values, atol=1e-12
    )
    assert run.plot("rod.at(0.25).position.z") is not None
    assert run.plot("rod.amplitudes") is not None
    assert set(run["rod.tip"].names) == set(run["rod.root"].names)
    with pytest.raises(lw.ModelError, match="rod.tp"):
        run["rod.tp"]


def test_files_bring_links_back(tmp_path):
    m = pendulum(modes=1, at=(0.5,), damping=0.01, boundary=("clamped", "free"))
    m.add("push", lw.Force(m["rod"].at(0.75), (0, 0, 1.0)))
    m.add("hold", lw.Spring(lw.GROUND, m["rod"].tip, (1, 0, 1), (1, 0, 0), stiffness=10.0))
    again = model_from_dict(model_to_dict(m))
    assert compile_model(again).names == compile_model(m).names
    whole = lw.transient(m, t=0.02, h=1e-3, progress=False)
    half = lw.transient(m, t=0.01, h=1e-3, progress=False)
    half.save(tmp_path / "half.nc")
    loaded = lw.load(tmp_path / "half.nc")
    np.testing.assert_array_equal(loaded["rod.tip"].position, half["rod.tip"].position)
    on = lw.resume(tmp_path / "half.nc", t=0.02, progress=False)
    np.testing.assert_array_equal(on.motion[-1], whole.motion[-1])
    np.testing.assert_array_equal(on["rod"].amplitudes[-1], whole["rod"].amplitudes[-1])


def test_sweep_over_words_of_a_link():
    def tip(height, modes):
        section = lw.Section.rectangle(0.02, height, E=7e10, density=2700)
        m = lw.Model("cantilever")
        rod = m.add("rod", lw.FlexibleLink((0, 0, 0), (1, 0, 0), section, modes=modes))
        m.add("wall", lw.Fixed(lw.GROUND, rod.root, at=(0, 0, 0)))
        m.add("load", lw.Force(rod.tip, (0, 0, 1e-3)))
        return float(lw.static(m).state["rod.tip"].position[2])

    found = lw.sweep(tip, {"height": [0.01, 0.02], "modes": [1, 2]}, workers=1, progress=False)
    values = np.asarray(found["value"])
    np.testing.assert_allclose(values[0] / values[1], 8.0, rtol=1e-6)  # the cube of the height


def test_words_can_be_changed():
    m = pendulum(modes=1)
    rod = m["rod"]
    tip = rod.tip
    rod.modes = 2
    assert len(rod.modal.K) == 8
    assert rod.tip is tip
    rod.end = (2, 0, 0)
    assert tip.position == pytest.approx([2, 0, 0])
    with pytest.raises(lw.ModelError, match="modes"):
        rod.modes = 0
    assert rod.modes == 2


def test_copies_are_whole():
    m = pendulum(at=(0.5,))
    for other in (copy.deepcopy(m), pickle.loads(pickle.dumps(m))):
        rod = other["rod"]
        assert rod.at(0.25).link is rod
        assert rod is not m["rod"]
        system = compile_model(other)
        assert system.names == ("rod", "rod.root", "rod.tip", "rod.at(0.5)", "rod.at(0.25)")
        assert [(node.name, node.size) for node in system.layout.nodes] == [("rod", 8)]
    assert tuple(m["rod"].at) == (0.5,)


def test_summary_counts_a_link_as_one_body_and_its_modes():
    text = pendulum(boundary="pinned-pinned", modes=2).summary()
    assert "degrees of freedom 3 = 6 × 1 + 2 modes − rank 5 of 5 rows" in text
    assert "pin: Revolute → rod" in text
    assert "rod.modes" not in text


def test_pictures_follow_the_deformed_axis():
    m = pendulum(boundary="pinned-pinned", modes=2)
    run = lw.transient(m, t=0.05, h=1e-3, progress=False)
    drawing = draw(run)
    pieces = [line for line in drawing.lines if line.name == "rod"]
    np.testing.assert_allclose(pieces[0].start, run["rod.root"].position, atol=1e-12)
    np.testing.assert_allclose(pieces[-1].end, run["rod.tip"].position, atol=1e-12)
    for a, b in zip(pieces, pieces[1:]):
        np.testing.assert_array_equal(a.end, b.start)
    assert {solid.name for solid in drawing.solids} == {"rod", "rod.root", "rod.tip"}


# ------------------------------------------------------------------------------------ refusals


def test_methods_that_do_not_know_links_say_so():
    with pytest.raises(lw.ModelError, match="FlexibleLink 'rod'.*GeneralizedAlpha"):
        lw.transient(pendulum(), t=1, h=0.1, method=lw.EnergyMomentum(), progress=False)
    m = lw.Model("driven")
    rod = m.add("rod", lw.FlexibleLink((0, 0, 0), (1, 0, 0), ALUMINIUM))
    m.add("motor", lw.Motor(lw.GROUND, rod.root, (0, 0, 0), (0, 0, 1), angle=lw.ramp(1)))
    with pytest.raises(lw.ModelError, match="FlexibleLink 'rod' deforms"):
        lw.kinematics(m, t=1, h=0.1, progress=False)


@pytest.mark.parametrize("make", [
    lambda rod: lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)),
    lambda rod: lw.Force(rod, (1, 0, 0)),
    lambda rod: lw.Spring(lw.GROUND, rod, stiffness=1.0),
    lambda rod: lw.Frame(rod),
])  # fmt: skip
def test_a_joint_wants_a_frame_of_the_link(make):
    m = lw.Model()
    rod = m.add("rod", lw.FlexibleLink((0, 0, 0), (1, 0, 0), ALUMINIUM))
    with pytest.raises(lw.ModelError, match=r"rod\.root, rod\.tip or rod\.at\(s\)"):
        make(rod)


WRONG = [
    ({"modes": 0}, "modes of a FlexibleLink must be a whole number of at least 1"),
    ({"modes": 50, "elements": 3}, "has 12 modes, but modes=50"),
    ({"modes": 30}, "can have 24 at most"),
    ({"boundary": "pinned-free"}, "leaves a rigid motion in the modes"),
    ({"boundary": "free-free"}, "leaves a rigid motion in the modes"),
    ({"boundary": "glued"}, 'must be "craig-bampton"'),
    ({"boundary": 3}, 'must be "craig-bampton"'),
    ({"end": (0, 0, 0)}, "two different points"),
    ({"section": 0.01}, "must be an lw.Section"),
    ({"normal": (1, 0, 0)}, "perpendicular to the link"),
    ({"up": (1, 0, 0)}, "lies along the link"),
    ({"normal": (0, 1, 0), "up": (0, 1, 1)}, "the section's y or z axis"),
    ({"damping": -0.1}, "must not be negative"),
    ({"damping": (0.1, 0.2)}, "8 numbers for its 8 shapes"),
    ({"at": (1.5,)}, "from 0 to 1"),
    ({"elements": 0}, "elements of a FlexibleLink"),
    ({"elements": 1000}, "at most 200"),
    ({"velocity": (1, 2)}, "velocity of a FlexibleLink must be 3 numbers"),
]


@pytest.mark.parametrize(("words", "sentence"), WRONG)
def test_wrong_words_are_refused(words, sentence):
    given = {"start": (0, 0, 0), "end": (1, 0, 0), "section": ALUMINIUM, **words}
    with pytest.raises(lw.ModelError, match=sentence):
        lw.FlexibleLink(**given)


def test_wrong_sections_are_refused():
    for make, sentence in (
        (lambda: lw.Section.rectangle(0, 1, E=1, density=1), "width .* must be positive"),
        (lambda: lw.Section.circle(1, E=-1, density=1), "E of Section.circle must be positive"),
        (lambda: lw.Section.tube(1, 2, E=1, density=1), "inner radius"),
        (lambda: lw.Section.circle(1, E=1, nu=0.7, density=1), "nu of Section.circle"),
        (lambda: lw.Section(EA=1, EIy=0, EIz=1, GJ=1, mass=1), "EIy of a Section"),
        (lambda: lw.Section(EA=1, EIy=1, EIz=1, GJ=1, mass=1, Jx=-1), "Jx of a Section"),
    ):
        with pytest.raises(lw.ModelError, match=sentence):
            make()
    with pytest.raises(lw.ModelError, match="no inertia against twist"):
        lw.FlexibleLink((0, 0, 0), (1, 0, 0), lw.Section(1, 1, 1, 1, mass=1, Jx=0))


def test_sections_of_known_shapes():
    s = lw.Section.rectangle(0.02, 0.01, E=2e11, nu=0.25, density=8000)
    assert s.EIy == pytest.approx(2e11 * 0.02 * 0.01**3 / 12)
    assert s.EIz == pytest.approx(2e11 * 0.01 * 0.02**3 / 12)
    # Timoshenko and Goodier, table in § 109: J = 0.2287 a b³ for a/b = 2, 0.1406 for a square
    assert pytest.approx(8e10 * 0.2287 * 0.02 * 0.01**3, rel=3e-4) == s.GJ
    square = lw.Section.rectangle(0.01, 0.01, E=2e11, nu=0.25, density=8000)
    assert pytest.approx(8e10 * 0.1406 * 0.01**4, rel=3e-4) == square.GJ
    tube, rod = (lw.Section.tube(0.01, x, E=2e11, density=8000) for x in (0.008, 0.0))
    assert pytest.approx(lw.Section.circle(0.01, E=2e11, density=8000).GJ) == rod.GJ
    assert tube.EIy == pytest.approx(rod.EIy * (1 - 0.8**4))
    assert tube.mass == pytest.approx(rod.mass * (1 - 0.8**2))
    plain = lw.Section(tube.EA, tube.EIy, tube.EIz, tube.GJ, mass=tube.mass)
    assert plain.Jx == pytest.approx(tube.Jx)


def test_a_node_is_no_item_of_its_own():
    m = lw.Model()
    rod = m.add("rod", lw.FlexibleLink((0, 0, 0), (1, 0, 0), ALUMINIUM))
    with pytest.raises(lw.ModelError, match=r"rod\.tip"):
        m.add("node", rod.tip)
    other = lw.Model()
    other.add("ball", lw.Body(1, (1, 1, 1)))
    other.add("spring", lw.Spring(other["ball"], rod.tip, stiffness=1.0))
    with pytest.raises(lw.ModelError, match="tip of FlexibleLink 'rod'"):
        compile_model(other)
