"""Which joints take friction: every registered one, by its motions, or the reason why not."""

import numpy as np
import pytest

import linkwork as lw

# random velocities, of which joints leave what they allow
pytestmark = pytest.mark.filterwarnings("ignore::linkwork.errors.VelocityWarning")

G = 9.81

TAKES = {  # what rubs in every registered joint, by motion; with a radius and a preload
    "Fixed": "", "Align": "", "Revolute": "turn", "Motor": "turn", "Screw": "turn",
    "Spherical": "turn", "Homokinetic": "turn", "Universal": "turn", "Gimbal": "turn",
    "DriveHinge": "turn", "Parallel": "turn", "Prismatic": "slide", "Actuator": "slide",
    "Oldham": "slide", "Cylindrical": "turn slide both", "Planar": "turn slide both",
    "PointOnPlane": "turn slide both", "PointOnLine": "turn slide", "Rzeppa": "turn slide",
}  # fmt: skip


def joints():
    from inside import ITEMS, Joint

    return sorted(n for n, c in ITEMS.items() if issubclass(c, Joint) and n != "Lock")


@pytest.mark.parametrize("motion", ["turn", "slide", "both"])
@pytest.mark.parametrize("name", joints())
def test_every_joint_rubs_or_says_why_not(name, motion):
    """One that takes it moves against it: its energy falls, or its drive works."""
    words = {"Screw": {"pitch": 0.1}, "Motor": {"angle": lw.ramp(1.0)},
             "Actuator": {"displacement": lw.ramp(1.0)},
             "DriveHinge": {"vector": (lw.ramp(1.0), 0, 0)}}  # fmt: skip
    m = lw.Model(gravity=(0, -3.0, -G))
    b = m.add("b", lw.Body(1, (0.1, 0.2, 0.3), position=(0.1, 0.2, 0.3), velocity=(1, 0.5, 0.2),
                           angular_velocity=(0.5, 1.0, 2.0)))
    at = {} if name in ("DriveHinge",) else {"at": (0, 0, 0)}
    joint = m.add("j", getattr(lw, name)(lw.GROUND, b, **at, axis=(0, 0, 1), **words.get(name, {})))
    made = dict(radius=0.1, preload=2.0, motion=motion)
    if motion not in TAKES[name]:
        with pytest.raises(lw.ModelError, match="cannot act on|acts on the turn of"):
            lw.Friction(joint, lw.Coulomb(0.2), **made)
        return
    m.add("f", lw.Friction(joint, lw.Coulomb(0.2, damping=20.0), **made))
    run = lw.transient(m, t=0.05, h=1e-3, progress=False)
    assert float(run.energy.dissipated[-1]) > 1e-6
    assert np.abs(run.energy.balance).max() < 0.05 * float(run.energy.dissipated[-1])
    assert np.all(np.isfinite(run["f"].coefficient)) and np.all(run["f"].load >= 2.0)


BODY = lw.Body(1, (1, 1, 1))
AT = dict(at=(0, 0, 0), axis=(0, 0, 1))
MU = lw.Coulomb(0.1)


@pytest.mark.parametrize("make,words", [
    (lambda: lw.Friction(lw.Fixed(lw.GROUND, BODY, **AT), MU), "nothing slides or turns"),
    (lambda: lw.Friction(lw.Spherical(lw.GROUND, BODY, **AT), MU), "needs radius"),
    (lambda: lw.Friction(lw.Spherical(lw.GROUND, BODY, **AT), MU, motion="slide"),
     "does not slide"),
    (lambda: lw.Friction(lw.Oldham(lw.GROUND, BODY, **AT), MU, radius=1, motion="turn"),
     "does not turn"),
    (lambda: lw.Friction(lw.Planar(lw.GROUND, BODY, **AT), MU, motion="both"), "needs radius"),
    (lambda: lw.Friction(lw.Align(lw.GROUND, BODY, **AT), MU), "no surface to slide on"),
    (lambda: lw.Friction(lw.Parallel(lw.GROUND, BODY, **AT), MU, radius=1), "holds no point"),
    (lambda: lw.Friction(lw.Gimbal(lw.GROUND, BODY, **AT), MU, radius=1), "give preload="),
    (lambda: lw.Friction(lw.Rzeppa(lw.GROUND, BODY, **AT), MU, radius=1, motion="both"),
     'motion="turn" or'),
    (lambda: lw.Friction(lw.Distance(lw.GROUND, BODY, at_a=(0, 0, 0), at_b=(1, 0, 0)), MU),
     "has no bearings"),
    (lambda: lw.Friction(lw.Orthogonal(lw.GROUND, BODY, (1, 0, 0), (0, 1, 0)), MU),
     "use a Universal"),
    (lambda: lw.Friction(lw.VelocityLock(lw.GROUND, BODY, **AT), MU), "holds velocities"),
    (lambda: lw.Friction(lw.Lock(lw.GROUND, BODY, **AT, rows="x y", drive_a={"x": 0.1}), MU),
     "markers move"),
    (lambda: lw.Friction(lw.Planar(lw.GROUND, BODY, **AT), MU, spin=0.5), "is for a ball"),
    (lambda: lw.Friction(lw.Spherical(lw.GROUND, BODY, **AT), MU, radius=1, spin=1.5),
     "from 0 to 1"),
    (lambda: lw.Friction(lw.Spherical(lw.GROUND, BODY, **AT), MU, radius=1, arm=1.0),
     "is for a Universal"),
    (lambda: lw.Friction(lw.Spherical(lw.GROUND, BODY, **AT), MU, radius=1, load="axial"),
     "turns about one axis"),
])  # fmt: skip
def test_refusals(make, words):
    with pytest.raises(lw.ModelError, match=words):
        make()
