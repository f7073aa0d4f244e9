"""The model that `linkwork new` writes: a pendulum with a damper, and what to change in it."""

from __future__ import annotations

from pathlib import Path

from linkwork.cli.speaking import UsageError
from linkwork.results.files.file import check_writable

TEXT = '''"""{title}: a rod on a hinge with a rotary damper, released from the horizontal.

    linkwork run {name}.py -o {name}       moves it through time
    linkwork view {name}.nc                plays the result in the browser
    python {name}.py                       runs it and plots
"""

import linkwork as lw

model = lw.Model("{name}", gravity=(0, 0, -9.81))  # m/s²; z points upwards

# a steel rod from (0, 0, 0) to (1, 0, 0): mass and inertia follow from radius and density
rod = model.add("rod", lw.Body.link((0, 0, 0), (1, 0, 0), radius=0.02, density=7800))

# a hinge to the ground at the origin; it turns about y
pin = model.add("pin", lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0)))

# a damper in the hinge, torque = damping * rate (N m s/rad)
model.add("damper", lw.TorsionSpring(pin, stiffness=0.0, damping=0.5))

time, step = 5.0, 0.001  # s; defaults of `linkwork run`


if __name__ == "__main__":
    import matplotlib.pyplot as plt

    run = lw.transient(model, t=time, h=step)
    print(run)
    run.plot("pin.angle", "pin.force")
    plt.show()
'''


def write_first_model(name: str) -> Path:
    """Write NAME.py; a file that is there already stays as it is."""
    path = Path(name if name.endswith(".py") else f"{name}.py")
    if path.exists():
        raise UsageError(f"there is a file '{path}' already; give another name: linkwork new NAME")
    if not path.stem.replace("-", "").replace("_", "").isalnum():
        raise UsageError(
            f"the name of a model file must be letters, digits, - and _, but '{path.stem}' was "
            "given"
        )
    check_writable(path)
    title = path.stem.replace("_", " ").replace("-", " ").capitalize()
    path.write_text(TEXT.format(title=title, name=path.stem), encoding="utf-8")
    return path
