"""The joint graph of a Stewart platform can be read, spectra end where their content does, mesh
files keep their colours."""

from __future__ import annotations

import itertools

import matplotlib
import numpy as np
import pytest
import trimesh
from inside import parts_of

import linkwork as lw
from linkwork import Result

matplotlib.use("Agg")
import matplotlib.pyplot as plt


def stewart() -> lw.Model:
    m = lw.Model("Stewart platform", gravity=(0, 0, -9.81))
    top = m.add("platform", lw.Body(20, (1, 1, 2), position=(0, 0, 1)))
    for k in range(6):
        phi = np.radians(120 * (k // 2) + (-1) ** k * 14)
        psi = phi + np.radians((-1) ** k * 46)
        a = np.array([np.cos(phi), np.sin(phi), 0])
        b = np.array([0.45 * np.cos(psi), 0.45 * np.sin(psi), 1.0])
        low = m.add(f"cylinder {k + 1}", lw.Body.link(a, (a + b) / 2, radius=0.03, density=2700))
        up = m.add(f"piston {k + 1}", lw.Body.link((a + b) / 2, b, radius=0.02, density=7800))
        m.add(f"foot {k + 1}", lw.Universal(lw.GROUND, low, at=a, axis=b - a))
        m.add(f"leg {k + 1}", lw.Actuator(low, up, at=(a + b) / 2, axis=b - a,
                                          displacement=lw.sine(0.05, 3.0)))  # fmt: skip
        m.add(f"ball {k + 1}", lw.Spherical(up, top, at=b))
    return m


def chain(n: int) -> lw.Model:
    m, last = lw.Model("chain"), lw.GROUND
    for k in range(n):
        link = m.add(f"link {k}", lw.Body(1, (1, 1, 1), position=(k, 0, 0)))
        m.add(f"pin {k}", lw.Revolute(last, link, at=(k, 0, 0), axis=(0, 1, 0)))
        last = link
    return m


@pytest.mark.parametrize("build", [stewart, lambda: chain(20)], ids=["stewart", "chain of 20"])
def test_no_two_names_of_a_graph_overlap(build):
    m = build()
    ax = m.draw_graph()
    ax.figure.canvas.draw()
    boxes = {t.get_text(): t.get_window_extent() for t in ax.texts}
    assert len(boxes) == len(m) + 1  # every body and joint, and the ground
    for (one, a), (other, b) in itertools.combinations(boxes.items(), 2):
        assert not a.overlaps(b), (one, other)
    whole = ax.figure.bbox
    assert all(whole.contains(*p) for b in boxes.values() for p in (b.min, b.max))
    plt.close("all")


def tone(*parts: tuple[float, float]) -> Result:
    """A body that moves along x as a sum of sines, amplitude and frequency each, for 10 s."""
    m = lw.Model("tone")
    body = m.add("body", lw.Body(1, (1, 1, 1)))
    t = np.linspace(0, 10, 20001)
    system = lw.compile_model(m)
    motion = np.zeros((len(t), 1, 13))
    motion[:, 0, 3] = 1
    motion[:, 0, 0] = sum(a * np.sin(2 * np.pi * f * t) for a, f in parts)
    assert body.name == "body"
    return Result(system, t, motion)


def test_a_spectrum_ends_behind_its_content():
    """A tone of 5 Hz in samples of 2 kHz: the axis ends near 5 Hz, not at 1000."""
    ax = tone((0.3, 5.0)).spectrum("body.position.x")
    assert ax.get_yscale() == "linear"
    assert 5.2 < ax.get_xlim()[1] < 8
    line = ax.get_lines()[0]
    assert line.get_ydata().max() == pytest.approx(0.3, rel=0.01)
    ax = tone((0.3, 5.0), (0.001, 40.0)).spectrum("body.position.x", log=True)
    assert ax.get_yscale() == "log" and 41 < ax.get_xlim()[1] < 60
    ax = tone((0.3, 5.0)).spectrum("body.position.x", to=100.0)
    assert ax.get_xlim()[1] == 100
    plt.close("all")


def test_mesh_files_keep_their_colours(tmp_path):
    scene = trimesh.Scene()
    for colour, x in (((200, 30, 40, 255), 0.0), ((20, 160, 60, 255), 3.0)):
        box = trimesh.creation.box((1, 1, 1))
        box.visual.face_colors = colour
        scene.add_geometry(box, transform=trimesh.transformations.translation_matrix((x, 0, 0)))
    scene.export(tmp_path / "two.glb")
    parts = parts_of(str(tmp_path / "two.glb"), "body 'b'")
    found = {p.colour: p.vertices for p in parts}
    assert set(found) == {(200, 30, 40), (20, 160, 60)}
    assert found[(20, 160, 60)][:, 0].mean() == pytest.approx(3.0)  # where the file places it
    assert sum(len(p.faces) for p in parts) == 24
    grey = {"kind": "mesh", "file": str(tmp_path / "two.glb"), "color": (9, 9, 9), "scale": 0.1}
    assert {p.colour for p in parts_of(grey, "body 'b'")} == {(9, 9, 9)}
    for name in ("plain.stl", "plain.obj"):
        trimesh.creation.box((1, 1, 1)).export(tmp_path / name)
        (part,) = parts_of(str(tmp_path / name), "body 'b'")
        assert len(part.faces) == 12
        assert name == "plain.obj" or part.colour is None  # an STL says nothing
