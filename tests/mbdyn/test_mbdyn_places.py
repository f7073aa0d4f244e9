"""Errors of runs and of the assembly say where the cards of the items stand that they name."""

import pytest
from mbdyn_text import deck_text
from typer.testing import CliRunner

import linkwork as lw

NODES = """structural: 1, dynamic, null, eye, null, null;
structural: 2, dynamic, 1., 0., 0., eye, null, null;
"""
BODIES = "body: 1, 1, 2., null, eye;\nbody: 2, 2, 1., null, eye;\n"
OPEN = """joint: 1, spherical pin, 1, null, null;
joint: 2, distance, 1, 2, const, 5.;
joint: 3, clamp, 2, node, node;
"""
SINGULAR_FORCE = 'force: 1, absolute, 2, 1., 0., 0., string, "1./(Time - .5)";\n'
MASSLESS = "structural: 3, static, 1., 0., 0., eye, null, null;\n"


@pytest.fixture
def read(tmp_path):
    def read(elements, nodes=NODES):
        path = tmp_path / "deck.mbd"
        path.write_text(deck_text(nodes, BODIES + elements))
        return lw.read_deck(path)

    return read


def line(deck, card):
    """Where a card stands, by counting lines."""
    lines = deck.path.read_text().splitlines()
    return next(k for k, text in enumerate(lines, 1) if card in text)


def place(deck, item, card):
    return f"({item}: {deck.path}:{line(deck, card)}"


RUNS = [
    lambda deck: lw.run_deck(deck, progress=False),
    lambda deck: lw.transient(deck.model, 1, 1e-2, progress=False),
    lambda deck: lw.transient(model=deck.model, t=1, h=1e-2, progress=False),
]


@pytest.mark.parametrize("run", [*RUNS, *(
    lambda deck, f=f: f(deck.model) for f in (lw.static, lw.assemble, lw.eigen, lw.linearize)
)])  # fmt: skip
def test_joints_that_cannot_be_closed(read, run):
    deck = read(OPEN)
    with pytest.raises(lw.AssemblyError) as error:
        run(deck)
    said = str(error.value)
    assert place(deck, "joint 1", "joint: 1") in said and said.count("deck.mbd") == 3
    assert f"joint 2: {deck.path}:{line(deck, 'joint: 2')}" in said


@pytest.mark.parametrize("run", RUNS)
def test_a_force_without_a_value(read, run):
    deck = read("joint: 1, revolute pin, 1, null, null;\n" + SINGULAR_FORCE)
    with pytest.raises(lw.DriveError) as error:
        run(deck)
    assert str(error.value).endswith(place(deck, "force 1", "force: 1") + ")")


@pytest.mark.parametrize("run", RUNS)
def test_a_node_without_inertia(read, run):
    deck = read("", NODES + MASSLESS)
    with pytest.raises(lw.SingularError) as error:
        run(deck)
    assert str(error.value).endswith(place(deck, "node 3", "structural: 3") + ")")


def test_a_card_in_another_file(tmp_path):
    (tmp_path / "force.elm").write_text("# a comment\n\n" + SINGULAR_FORCE)
    text = deck_text(NODES, BODIES + 'include: "force.elm";\n').replace("forces: 0", "forces: 1")
    (tmp_path / "deck.mbd").write_text(text)
    deck = lw.read_deck(tmp_path / "deck.mbd")
    with pytest.raises(lw.DriveError, match=r"\(force 1: .*force\.elm:3\)$"):
        lw.run_deck(deck, progress=False)


def test_the_command_says_it_too(read):
    from linkwork.cli.commands import app

    deck = read(OPEN)
    said = "".join(CliRunner().invoke(app, ["run", str(deck.path)]).output.split())
    assert f"joint2:{deck.path}:{line(deck, 'joint: 2')}" in said


def test_models_made_in_python_have_no_places():
    model = lw.Model("open")
    a = model.add("a", lw.Body(1, (1, 1, 1)))
    b = model.add("b", lw.Body(1, (1, 1, 1), position=(1, 0, 0)))
    model.add("fixed", lw.Fixed(lw.GROUND, a, at=(0, 0, 0)))
    model.add("held", lw.Fixed(lw.GROUND, b, at=(1, 0, 0)))
    model.add("rod", lw.Distance(a, b, length=5))
    with pytest.raises(lw.AssemblyError) as error:
        lw.assemble(model)
    assert str(error.value).endswith("(millimetres if lengths are in metres)")
