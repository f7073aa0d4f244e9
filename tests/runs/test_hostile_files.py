"""Files made to harm, or by chance: whatever stands in them, one of linkwork's errors says so."""

import copy
import json
import os
import random
import shutil

import h5netcdf
import h5py
import numpy as np
import pytest
from inside import Journal, Pieces, model_from_dict, model_to_dict
from small_mechanisms import chain

import linkwork as lw
from linkwork.results.files import file as result_file

DEEP = 3000
pytestmark = pytest.mark.filterwarnings("ignore::linkwork.LinkworkWarning")


def deep():
    value = []
    for _ in range(DEEP):
        value = [value]
    return value


JUNK = [
    None, True, 0, -1, 3, 10**30, 1e308, float("nan"), float("-inf"), "", "text", "wall", [], {},
    [1, 2], {"a": 1}, [[]], {"array": [1.0], "shape": [3], "dtype": "float64"},
    {"array": [1.0], "shape": [1], "dtype": "O"}, {"array": "x", "shape": [-1], "dtype": "float64"},
    {"item": "no"}, {"item": ["rod"]}, {"frame": {}}, {"drive": {"drive": "sine"}}, {"tuple": 3},
    {"law": "LinearElastic", "words": 3}, {"dict": [[1]]}, {"dict": [[[], 1]]}, {"node": 1},
    {"section": {"EA": "x"}}, {"rotation": [0, 0, 0, 0]}, {"ground": True},
]  # fmt: skip
NESTED = "nested very deeply"  # where a value of so many levels goes


def places(data, path=()):
    """Where something stands in plain data."""
    yield path
    inside = data.items() if isinstance(data, dict) else enumerate(data)
    for key, value in inside:
        if isinstance(value, (dict, list)):
            yield from places(value, (*path, key))
        else:
            yield (*path, key)


def mutated(data, rng):
    """The same with one or two things changed, removed or repeated."""
    data = copy.deepcopy(data)
    for _ in range(rng.choice([1, 1, 2])):
        *path, last = rng.choice([p for p in places(data) if p])
        inside = data
        for key in path:
            inside = inside[key]
        how = rng.random()
        if how < 0.25:
            del inside[last]
        elif how < 0.35 and isinstance(inside, list):
            inside.append(copy.deepcopy(inside[last]))
        else:
            inside[last] = rng.choice([*JUNK, NESTED])
        if not data:
            break
    return data


def as_text(data):
    return json.dumps(data).replace(f'"{NESTED}"', "[" * DEEP + "]" * DEEP)


def nested(data):
    """With the deep values in their places."""
    if isinstance(data, dict):
        return {key: nested(value) for key, value in data.items()}
    if isinstance(data, list):
        return [nested(value) for value in data]
    return deep() if data == NESTED else data


def rich_model():
    m = lw.Model("rich", gravity=(0, 0, -9.81))
    a = m.add("a", lw.Body.link((0, 0, 0), (1, 0, 0), 0.1, density=7800))
    b = m.add("b", lw.Body(1, np.eye(3), position=(2, 0, 0), velocity=(0, 0, 0)))
    pin = m.add("pin", lw.Revolute(lw.GROUND, a, at=(0, 0, 0), axis=(0, 1, 0)))
    drive = 2 * lw.sine(1, 0.1) + lw.table([0, 1], [0, 1], kind="linear")
    m.add("lock", lw.Lock(a, b, at=(1, 0, 0), rows=["x", "rz"], drive={"x": drive, "rz": 0.1}))
    m.add("spring", lw.Spring(lw.Frame(a, (0.1, 0, 0)), b, stiffness=3, damping=0.1))
    m.add("torsion", lw.TorsionSpring(pin, stiffness=2.0))
    m.add("push", lw.Force(b, (1, 0, 0), drive=lw.expression("sin(3*t)")))
    return m


def test_models_of_junk_end_in_one_of_our_errors():
    stored = json.loads(json.dumps(model_to_dict(rich_model())))
    rng = random.Random(1)
    refused = 0
    for _ in range(600):
        try:
            model_from_dict(nested(mutated(stored, rng)))
        except lw.LinkworkError as error:
            refused += 1
            assert len(str(error)) < 2000 and "\n" not in str(error)
    assert refused > 200


def test_two_items_of_one_name():
    stored = model_to_dict(rich_model())
    stored["items"].append(copy.deepcopy(stored["items"][0]))
    with pytest.raises(lw.ModelError, match="stored model: two items are called 'a'"):
        model_from_dict(stored)


@pytest.mark.parametrize("change", [
    lambda items: items[0].update({"class": "x" * 100_000}),
    lambda items: items[0].update(name="x" * 100_000),
    lambda items: items[2]["words"].update({"y" * 100_000: 1}),
])  # fmt: skip
def test_sentences_about_endless_texts_end(change):
    stored = json.loads(json.dumps(model_to_dict(rich_model())))
    change(stored["items"])
    with pytest.raises(lw.ModelError, match="stored model") as error:
        model_from_dict(stored)
    assert len(str(error.value)) < 3000


@pytest.mark.parametrize("markers", [3, [], [1], "text", {"tuple": []}, {"ground": True}])
def test_markers_of_junk_are_found_before_they_are_used(markers):
    stored = json.loads(json.dumps(model_to_dict(rich_model())))
    with_markers = [d for d in stored["items"] if "markers" in d]
    assert len(with_markers) > 2
    for item in with_markers:
        for word in list(item["markers"]):
            kept = item["markers"][word]
            item["markers"][word] = markers
            with pytest.raises(lw.ModelError, match="stored model"):
                model_from_dict(stored)
            item["markers"][word] = kept
    foreign = json.loads(json.dumps(stored))
    pin = next(d for d in foreign["items"] if d["name"] == "pin")
    lock = next(d for d in foreign["items"] if d["name"] == "lock")
    pin["markers"]["frames"] = lock["markers"]["frames"]
    with pytest.raises(lw.ModelError, match="frames of Revolute 'pin' must be frames on its own"):
        model_from_dict(foreign)
    model_from_dict(stored)


@pytest.mark.parametrize(
    "data", [None, 3, [], {}, {"format": 1}, {"format": 1, "items": 3}, deep(), {"format": deep()}]
)
def test_what_is_no_model_at_all(data):
    with pytest.raises(lw.ModelError, match="stored model"):
        model_from_dict(data)


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    path = tmp_path_factory.mktemp("hostile") / "run.nc"
    m = chain(1)
    m.add("spring", lw.TorsionSpring(m["joint0"], stiffness=2.0))
    lw.transient(m, t=0.01, h=1e-3, progress=False).save(path)
    return path


def look_at(path):
    """Open a file, and use what is in it."""
    run = lw.load(path)
    repr(run), run["link0"].position, run["joint0"].angle, run.energy
    lw.resume(path, t=float(run.time[-1]) + 1e-3, progress=False)


def unsealed(path, target):
    """A copy without the last line, which HDF5 may write to."""
    shutil.copy(path, target)
    with open(target, "r+b") as file:
        file.seek(0, 2)
        file.truncate(file.tell() - result_file.TAIL)


def put(group, name, text):
    letters = np.frombuffer(text.encode(), np.uint8)
    variable = group.create_variable(name, ("junk",), letters.dtype, data=letters)
    variable.attrs.update({"numpy_type": letters.dtype.str, "numpy_shape": f"[{len(letters)}]"})


@pytest.mark.parametrize("name", ["json", "info", "rows"])
def test_texts_of_junk_in_a_sealed_file(stored, tmp_path, name):
    path, rng, wanted = tmp_path / "run.nc", random.Random(2), ""
    for k in range(12):
        unsealed(stored, path)
        with h5py.File(path, "r+") as root:
            text = root["model"][name][:].tobytes().decode()
            wanted = as_text(mutated(json.loads(text), rng)) if k else text
            if k and k % 6 == 0:
                wanted = text[: rng.randrange(len(text))]
            del root["model"][name]
        with h5netcdf.File(path, "r+") as root:
            root["model"].dimensions["junk"] = len(wanted.encode())
            put(root["model"], name, wanted)
        with open(path, "r+b") as file:
            result_file.seal(file)
        try:
            look_at(path)
        except lw.LinkworkError as error:
            assert k and "\n" not in str(error)


def test_arrays_of_junk_in_a_sealed_file(stored, tmp_path):
    names = []
    with h5py.File(stored, "r") as root:
        root.visititems(lambda name, item: names.append(name))
    rng = random.Random(3)
    for k in rng.sample(range(2 * len(names)), 16):
        path = tmp_path / f"{k}.nc"
        unsealed(stored, path)
        name = names[k % len(names)]
        with h5py.File(path, "r+") as root:
            if k < len(names):
                del root[name]
            elif isinstance(root[name], h5py.Dataset):
                attributes = dict(root[name].attrs)
                shape = tuple(x + rng.choice([-1, 1]) for x in root[name].shape)
                del root[name]
                root[name] = np.full(tuple(max(x, 1) for x in shape), np.nan)
                for key in ("numpy_type", "numpy_shape"):
                    if key in attributes:
                        root[name].attrs[key] = rng.choice(["[1e9]", "nonsense", "[[]]", "|O"])
        with open(path, "r+b") as file:
            result_file.seal(file)
        try:
            look_at(path)
        except lw.LinkworkError as error:
            assert "\n" not in str(error)
        path.unlink()


def test_journals_of_junk(tmp_path):
    """Pieces with the right checksum and the wrong contents."""
    path, copied = tmp_path / "run.nc", tmp_path / "copy.nc"
    kept = []
    restart = Journal.restart

    def keep(self, words, arrays):
        restart(self, words, arrays)
        there = self.path if os.path.exists(self.path) else self.trial  # before its start is whole
        shutil.copy(there, tmp_path / "kept")
        kept.append(dict(arrays))

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Journal, "restart", keep)
        lw.transient(chain(1), t=0.05, h=1e-3, progress=False, file=path, flush=0.0)
    pieces = Pieces(tmp_path / "kept")
    rows, rng = list(pieces.blocks()), random.Random(4)
    for k in range(40):
        head, words = pieces.head, pieces.restart
        blocks, numbers = [dict(b) for b in rows], dict(kept[-1])
        if k % 4 == 0:
            head = mutated(head, rng)
        elif k % 4 == 1:
            words = mutated(words, rng)
        elif k % 4 == 2:
            name = rng.choice(list(numbers))
            numbers[name] = rng.choice([np.zeros(3), np.zeros((2, 0)), np.full(7, np.nan)])
        else:
            name = rng.choice(list(blocks[0]))
            blocks[rng.randrange(len(blocks))].pop(name)
        written = Journal(copied, 0)
        try:
            written.head(head)
            for block in blocks:
                if "time" in block:
                    written.rows(block)
            written.restart(words, numbers)
            written.confirm_start()
        finally:
            written.close(remove=False)
        try:
            look_at(copied)
        except lw.LinkworkError as error:
            assert "\n" not in str(error)
        (tmp_path / "copy.nc.part").unlink()


def test_bytes_of_junk(tmp_path):
    rng = np.random.default_rng(5)
    path = tmp_path / "run.nc"
    for start in (b"", b"lw-piece", result_file.MAGIC):
        for size in (0, 1, 30, 5000):
            path.write_bytes(start + rng.bytes(size))
            with pytest.raises(lw.ResultFileError):
                lw.load(path)
