"""Drives of decks that look back at the motion: sample and hold, filters, previous values."""

from __future__ import annotations

import numpy as np
import pytest
from mbdyn_text import deck_text
from scipy.signal import lfilter

import linkwork as lw

M, K = 2.0, 40.0

# a drive of the position of node 1, and what it is at the steps
DRIVES = {
    "discrete filter": (
        "discrete filter, 2, .5, -.1, .4, 1, .2, reference, 1",
        lambda x: lfilter([0.4, 0.2], [1, -0.5, 0.1], x),
    ),
    "sample and hold": (
        "sample and hold, reference, 1, meter, 0., forever, steps, 4",
        lambda x: np.concatenate([x[:1], np.repeat(x[::4], 4)])[: len(x)],
    ),
    "initial value": (
        "sample and hold, reference, 1, step, .0205, 1., 0., initial value, .7",
        lambda x: np.where(np.arange(len(x)) <= 21, 0.7, np.roll(x, 1)),
    ),
    "plugin": ('string, "xp"', lambda x: np.concatenate([x[:1], x[:-1]])),
    "function": ('string, "model::xposition_prev(1)"', lambda x: np.concatenate([x[:1], x[:-1]])),
    "rate": (
        'string, "(model::xposition(1) - model::xposition_prev(1))/1.e-3"',
        lambda x: np.diff(x, prepend=x[0]) / 1e-3,
    ),
}


@pytest.mark.parametrize("name", DRIVES)
def test_the_force_is_that_of_the_positions_before(tmp_path, name):
    """m ẍ + k x at every step of the deck is what the drive makes of the stored positions."""
    text, expected = DRIVES[name]
    path = tmp_path / "deck.mbd"
    path.write_text(deck_text(
        "structural: 1, dynamic displacement, .1, 0., 0., .5, 0., 0.;",
        f"""drive caller: 1, node, 1, structural, string, "X[1]", direct;
            set: [dof, xp, 1, structural, 1, algebraic, prev=true];
            body: 1, 1, {M};
            force: 1, absolute, 1, {-K}, 0., 0., reference, 1;
            force: 2, absolute, 1, 3., 0., 0., {text};""",
        step="1.e-3",
    ))  # fmt: skip
    deck = lw.read_deck(path)
    run = lw.transient(deck.model, 0.2, 1e-3, progress=False)
    (body,) = (n for n in run.system.names)
    x = run[body].position.values[:, 0]
    force = M * run[body].acceleration.values[:, 0] + K * x
    np.testing.assert_allclose(force[1:], 3 * expected(x)[1:], rtol=0, atol=1e-7)
