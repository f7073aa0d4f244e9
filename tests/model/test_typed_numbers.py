"""Numbers of elements have types: integers and addresses are no reals, and columns are declared."""

import ast
from pathlib import Path

import cloudpickle
import numpy as np
import pytest

import linkwork as lw
from linkwork import compile_model
from linkwork.elements.forces.user_force import FUNCTION, OWN, STIFF, USER_KERNEL
from linkwork.elements.layout import int_width
from linkwork.kernels.memory.addresses import ADDRESSED, address_of
from linkwork.kernels.record import record
from linkwork.model.registry import Entry

PACKAGE = Path(lw.__file__).parent
ROOMS = ("elements", "kernels", "results", "recursive", "integrators/nonsmooth", "model")
# names of rows of reals in kernels
REALS = {"reals", "numbers", "p", "r", "one", "row", "x", "c", "table"}
ROWS = REALS - {"c"}  # which is also a tuple in kernels
FILES = sorted(path for room in ROOMS for path in (PACKAGE / room).rglob("*.py"))


def conversions(source):
    """Lines that take an integer from a row of reals."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if not isinstance(node, ast.Call) or not node.args:
            continue
        name = getattr(node.func, "id", getattr(node.func, "attr", ""))
        row = node.args[0]
        taken = row.value if isinstance(row, ast.Subscript) else node
        if name in ("int", "int32", "int64") and (
            getattr(taken, "id", getattr(taken, "attr", "")) in REALS
        ):
            found.append(node.lineno)
    return found


def name_of(node):
    return getattr(node, "id", getattr(node, "attr", ""))


def comparisons(source):
    """Lines that compare a number of a row of reals with a named kind."""
    found = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], (ast.Eq, ast.NotEq, ast.In)):
            sides = (node.left, *node.comparators)
            rows = [x for x in sides if isinstance(x, ast.Subscript) and name_of(x.value) in ROWS]
            if rows and any(name_of(x).isupper() for x in sides):
                found.append(node.lineno)
    return found


@pytest.mark.parametrize("line", ["a = reals[k, KIND] == LINEAR", "b = mo.SMOOTH != p[MODEL]"])
def test_comparisons_with_kinds_are_seen(line):
    assert comparisons(line)


def test_no_real_is_compared_with_a_kind():
    seen = [(str(f.relative_to(PACKAGE)), n) for f in FILES for n in comparisons(f.read_text())]
    assert seen == []


@pytest.mark.parametrize(
    "line",
    ["n = int(reals[k, COUNT])", "call(np.int64(reals[k, a + ADDRESS]), t, x, y)",
     "n = int(p[SIZE])", "i = int(\n    e.reals[0]\n)", "i = int(table[k, X])"],
)  # fmt: skip
def test_conversions_are_seen(line):
    assert conversions(line)


def test_no_integer_is_taken_from_reals():
    assert FILES
    seen = [(str(f.relative_to(PACKAGE)), n) for f in FILES for n in conversions(f.read_text())]
    assert seen == []


def test_a_record_has_columns_one_after_the_other():
    line = record(u=3, q=4)
    spring = record(line, stiffness=1, damping=1)
    assert tuple(line) == (0, 3) and tuple(spring) == (7, 8)
    assert spring.width == spring.end == 9
    own = record(int_width(2, 0), function=1, order=1)
    assert tuple(own) == (6, 7) and own.width == 2


def unpacked(source):
    """Pairs of a constant and the column of the record that it is unpacked from."""
    records = {}
    for node in ast.parse(source).body:
        if not isinstance(node, ast.Assign):
            continue
        value, names = node.value, None
        if isinstance(value, ast.Call) and getattr(value.func, "id", "") == "record":
            names = [keyword.arg for keyword in value.keywords]
        elif isinstance(value, ast.Name):
            names = records.get(value.id)
        for target in node.targets if names is not None else ():
            if isinstance(target, ast.Name):
                records[target.id] = names
            else:
                constants = [name.id for name in target.elts]
                assert len(constants) == len(names), constants
                yield from zip(constants, names)


def test_constants_have_the_names_of_their_columns():
    pairs = [pair for file in FILES for pair in unpacked(file.read_text())]
    assert len(pairs) > 100
    assert [pair for pair in pairs if pair[0] not in ("_", pair[1].upper())] == []


def with_addresses():
    """A model whose elements have addresses: of functions, routines, kernels and arrays."""

    def drag(t, motion):
        return np.concatenate((-0.4 * motion.velocity[0], np.zeros(3)))

    m = lw.Model(gravity=(0, 0, -9.81))
    rod = m.add("rod", lw.Body(2, (0.1, 0.1, 0.02), position=(0.5, 0, 0)))
    m.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))
    m.add("drag", lw.UserForce(rod, drag))
    law = lw.laws.Parallel((lw.laws.LinearElastic(30.0), lw.laws.Symbolic("2*x^3", "x")))
    bar = m.add("bar", lw.Rod(lw.GROUND, rod, at_a=(0, 0, 2), at_b=(1, 0, 0), law=law))
    m.add("push", lw.Force(rod, (1, 0, 0), drive=0.1 * lw.reads(bar, "force")))
    return m


def addressed(system):
    return [
        (e.entry, [x for x in e.entry.integers if not isinstance(x, int)]) for e in system.elements
    ]


def test_addresses_are_those_of_the_declared_integers():
    system = compile_model(with_addresses())
    things = [x for _, found in addressed(system) for x in found]
    assert {type(x).__name__ for x in things} >= {"PythonCallback", "Routine", "Kernel"}
    known = {address_of(x) for x in things}
    assert known <= set(system.tables.ints.tolist())
    assert known <= set(ADDRESSED)
    assert not known & set(system.tables.reals.tolist())


def test_a_restored_system_has_addresses_of_its_own():
    m = with_addresses()
    system = compile_model(m)
    state = lw.assemble(m)
    expected = system.data().evaluate(state).f.copy()
    restored = cloudpickle.loads(cloudpickle.dumps(system))
    callbacks = 0
    for e, other in zip(system.elements, restored.elements, strict=True):
        for one, two in zip(e.entry.integers, other.entry.integers, strict=True):
            if type(one).__name__ == "PythonCallback":
                callbacks += 1
                assert address_of(two) in restored.tables.ints
                assert address_of(one) not in restored.tables.ints
    assert callbacks == 3
    np.testing.assert_array_equal(restored.data().evaluate(state).f, expected)


def test_restored_data_keep_integers_that_an_analysis_has_changed():
    """Whether a user force is stiff, beside addresses that are those of the process."""
    system = compile_model(with_addresses())
    data, state = system.data(), system.described_state()
    (place,) = [i for i, f in enumerate(system.families) if f.kernel is USER_KERNEL]
    data.ints_of(system.families[place])[:, STIFF - OWN] = 1
    restored = cloudpickle.loads(cloudpickle.dumps(data))
    row = restored.ints_of(restored.system.families[place])[0]
    assert row[STIFF - OWN] == 1
    assert row[FUNCTION - OWN] != data.ints_of(system.families[place])[0, FUNCTION - OWN]
    found, expected = (x.evaluate(state, cD=1.0).values for x in (restored, data))
    np.testing.assert_array_equal(found, expected)
    assert not np.array_equal(expected, system.data().evaluate(state, cD=1.0).values)


@pytest.mark.parametrize("kind", ["stiffness", "mass"])
def test_reals_that_equal_an_address_stay_as_they_are(kind):
    """Only declared integers are addresses."""
    m = with_addresses()
    first = compile_model(m)  # whose callbacks live
    place = next(iter(address_of(x) for _, found in addressed(first) for x in found))
    other = lw.Model()
    body = other.add("body", lw.Body(float(place) if kind == "mass" else 1.0, (1, 1, 1)))
    other.add("spring", lw.Spring(lw.GROUND, body, at_a=(0, 0, 1), stiffness=float(place)))
    system = compile_model(other)
    restored = cloudpickle.loads(cloudpickle.dumps(system))
    np.testing.assert_array_equal(restored.tables.reals, system.tables.reals)


def test_entries_have_as_many_numbers_as_their_family_declares(monkeypatch):
    m = lw.Model()
    body = m.add("body", lw.Body(1, (1, 1, 1)))
    push = m.add("push", lw.Force(body, (1, 0, 0)))
    good = type(push).entries

    def short(item):
        entry = good(item)[0]
        return [Entry(entry.family, entry.bodies, entry.reals, integers=(1,))]

    monkeypatch.setattr(type(push), "entries", short)
    with pytest.raises(lw.ModelError, match="expected 11 reals, 0 integers .* found 11, 1 and 0"):
        compile_model(m)
