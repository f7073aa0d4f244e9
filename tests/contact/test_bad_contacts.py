"""Bad input of contacts and shapes is refused with a sentence: damaged meshes, laws that pull,
words that a shape does not have."""

import numpy as np
import pytest
import trimesh
from test_edged_shapes import cube

import linkwork as lw
from linkwork import compile_model


def touching(shape, **words):
    m = lw.Model("touch")
    body = m.add("body", lw.Body(1, (1, 1, 1), position=(0, 0, 1), shape=shape))
    other = m.add("other", lw.Body.sphere(0.1, mass=1, position=(0, 0, 3)))
    m.add("touch", lw.Contact(body, other, **{"law": lw.laws.HuntCrossley(1e6)} | words))
    return m


def damaged(data, kind):
    rng = np.random.default_rng(0)
    noise = rng.integers(0, 256, len(data), dtype=np.uint8)
    whole = np.frombuffer(data, np.uint8)
    for share in (0.02, 0.2, 1.0):
        yield np.where(rng.random(len(data)) < share, noise, whole).astype(np.uint8).tobytes()
    yield from (b"", data[:10], data[: len(data) // 2], data[:-7], data.replace(b"0", b"nan"))


@pytest.mark.parametrize("kind", ["stl", "obj", "ply", "glb", "off"])
def test_damaged_mesh_files_are_refused_or_right(tmp_path, kind):
    data = trimesh.creation.box((0.2, 0.2, 0.2)).export(file_type=kind)
    data = data if isinstance(data, bytes) else data.encode()
    for k, bad in enumerate(damaged(data, kind)):
        path = tmp_path / f"{k}.{kind}"
        path.write_bytes(bad)
        try:
            compile_model(touching({"kind": "mesh", "file": path}))
        except lw.LinkworkError as error:
            assert "shape of Body 'body'" in str(error) and len(str(error)) < 400
        else:
            found = trimesh.load(path, force="mesh")
            assert found.volume == pytest.approx(0.008, rel=1e-6)


TETRA = np.vstack([np.zeros(3), np.eye(3)])
FACES = [[0, 2, 1], [0, 3, 2], [0, 1, 3], [1, 2, 3]]


@pytest.mark.parametrize("words,message", [
    ({"vertices": "abc", "faces": FACES}, "must have vertices"),
    ({"vertices": [[0, 0, 0], [1, 0], [0, 1, 0]], "faces": FACES}, "must have vertices"),
    ({"vertices": TETRA * np.nan, "faces": FACES}, "finite"),
    ({"vertices": [1, 2, 3], "convex": True}, "must have vertices"),
    ({"vertices": None, "convex": True}, "must have vertices"),
    ({"vertices": TETRA, "faces": "x"}, "must have faces"),
    ({"vertices": TETRA, "faces": [[0.5, 1, 2], *FACES[1:]]}, "must have faces"),
    ({"vertices": TETRA, "faces": [[0, 1, 10**30]]}, "vertices that it does not have|have faces"),
    ({"vertices": TETRA, "faces": FACES[1:]}, "open mesh"),
    ({"vertices": 1e-200 * TETRA, "faces": FACES}, "look at its units|no volume"),
    ({"file": None}, "does not exist"), ({"file": __file__}, "cannot be read"),
])  # fmt: skip
def test_meshes_that_are_none_are_refused(words, message):
    with pytest.raises(lw.ModelError, match=message):
        compile_model(touching({"kind": "mesh", **words}))


def two_parts(inner, outer_size=0.2, shift=1.0, inside_out=False):
    """A cube, and a second one beside or in it."""
    first = cube(outer_size)
    second = np.array(cube(inner)["vertices"]) + [shift, 0, 0]
    faces = [f[::-1] if inside_out else f for f in first["faces"]]
    return {
        "kind": "mesh", "vertices": [*first["vertices"], *second.tolist()],
        "faces": first["faces"] + [[i + 8 for i in f] for f in faces],
    }  # fmt: skip


def test_a_part_of_a_mesh_that_is_inside_out_is_refused_but_for_cavities():
    compile_model(touching(two_parts(0.1)))
    compile_model(touching(two_parts(0.1, shift=0.0, inside_out=True)))
    with pytest.raises(lw.ModelError, match=r"one from \[ 0.95 .* is turned inside out; reverse"):
        compile_model(touching(two_parts(0.1, inside_out=True)))


def test_a_mesh_that_is_inside_out_as_a_whole_holds_as_the_right_one():
    shape = cube(0.2)
    depths = []
    for faces in (shape["faces"], [f[::-1] for f in shape["faces"]]):
        m = touching({**shape, "faces": faces})
        m["other"].position = (0, 0, 1.199)
        data = compile_model(m).data()
        depths.append(data.evaluate(data.system.described_state(), tangent=False).f[1, 2])
    assert depths[0] == depths[1] != 0


@pytest.mark.parametrize("law", [
    lw.laws.LinearViscoelastic(-1e4, 10.0), lw.laws.LinearElastic(-1e4),
])  # fmt: skip
def test_a_law_that_pulls_at_every_depth_is_refused(law):
    with pytest.raises(lw.ModelError, match="'touch' has a negative stiffness"):
        compile_model(touching({"kind": "sphere", "radius": 0.1}, law=law))


@pytest.mark.parametrize("shape,message", [
    ({"kind": "box", "size": (1, 1, 1), "colour": (9, 9, 9)}, "box, which has no 'colour' but"),
    ([{"kind": "capsule", "radius": 1.0, "length": 1.0, "axis": (1, 0, 0)}], "it lies along z"),
    ({"kind": "sphere", "radius": 1.0, "length": 1.0}, "sphere, which has no 'length' but radius"),
])  # fmt: skip
def test_shapes_that_are_only_drawn_have_no_other_words(shape, message):
    with pytest.raises(lw.ModelError, match=message):
        lw.Body(1, (1, 1, 1), shape=shape)


@pytest.mark.parametrize("make,message", [
    (lambda: lw.Body.box(1, 2, 3, mass=1), r"Body.box: too many .* write Body.box\(size, density"),
    (lambda: lw.Body.sphere(mass=1), "Body.sphere: missing a required argument: 'radius'"),
    (lambda: lw.Section.circle(0.1), "Section.circle: missing a required argument: 'E'"),
])  # fmt: skip
def test_calls_that_do_not_fit_say_how_they_are_written(make, message):
    with pytest.raises(lw.ModelError, match=message):
        make()
