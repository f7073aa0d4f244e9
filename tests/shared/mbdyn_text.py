"""Texts of small decks for the tests of the reader."""

import re

import numpy as np

import linkwork as lw

HEAD = """
begin: data; problem: initial value; end: data;
begin: initial value;
  initial time: 0.; final time: {time}; time step: {step}; method: ms, .6;
end: initial value;
begin: control data; {counts} end: control data;
{before}
begin: nodes; {nodes} end: nodes;
begin: elements; {elements} end: elements;
"""


def deck_text(nodes="", elements="", before="", time="1.", step="1.e-2", control=""):
    """A whole deck around some nodes and elements, with the counts that they need."""
    kinds = {"structural": "structural nodes", "body": "rigid bodies", "joint": "joints",
             "gravity": "gravity"}  # fmt: skip
    both = nodes + elements
    counts = [f"{word}: {len(re.findall(rf'(?<![a-z]){key} *:', both))};"
              for key, word in kinds.items()]  # fmt: skip
    forces = len(re.findall(r"(?<!aerodynamic )(?:force|couple) *:", elements))
    counts.append(f"forces: {forces}; {control}")
    return HEAD.format(
        nodes=nodes, elements=elements, before=before, time=time, step=step, counts=" ".join(counts)
    )


NODE = "structural: 1, dynamic, null, eye, null, null;"
BODY = "body: 1, 1, 2., null, eye;"
TWO = """structural: 1, dynamic, null, euler123, .1, .2, .3, null, 1., 2., .5;
  structural: 2, dynamic, 1., .2, .3, euler123, .2, -.1, .4, .1, 0., 0., .3, .2, 2.;"""
BODIES = """body: 1, 1, 2., .1, .2, .3, diag, 1., 2., 2.5; body: 2, 2, 1., null, diag, .5, .6, .7;
  gravity: 0., 0., -1., 9.81; joint: 9, spherical pin, 1, position, null, position, null;"""


def value_of(deck, text):
    """A drive of a deck, as the model is described."""
    from inside import signal_values

    from linkwork import Result

    system = lw.compile_model(deck.model)
    state = system.described_state()
    run = Result(system, [0.0], state.motion[None], np.zeros((1, system.bodies, 6)),
                 np.zeros((1, len(system.all_rows))), info={"method": "none"})  # fmt: skip
    return float(signal_values(run, deck.forces[1].terms[0][1])[0])
