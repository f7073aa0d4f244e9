"""lw.linearize against transfer functions in closed form; each test names its reference."""

import control
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import linkwork as lw

OMEGAS = np.array([0.1, 0.7, 1.9, 3.3, 12.0])  # rad/s, away from resonances
TIGHT = 1e-9  # closed forms: only round-off of small dense solves is left


def response(ss, omegas=OMEGAS):
    """C (iω − A)⁻¹ B + D, (frequencies, outputs, inputs), by hand."""
    n = len(ss.A)
    return np.array([
        ss.C @ np.linalg.solve(1j * w * np.eye(n) - ss.A, ss.B) + ss.D for w in omegas
    ])  # fmt: skip


def spring_mass_damper(m=2.0, k=50.0, c=4.0):
    model = lw.Model("oscillator", gravity=(0, 0, -9.81))
    mass = model.add("mass", lw.Body(m, (1, 1, 1), position=(0, 0, -1 - m * 9.81 / k)))
    model.add("guide", lw.Prismatic(lw.GROUND, mass, at=(0, 0, 0), axis=(0, 0, 1)))
    model.add("spring", lw.Spring(lw.GROUND, mass, stiffness=k, damping=c, length=1.0))
    model.add("push", lw.Force(mass, (0, 0, 3.0), drive=lw.constant(0)))
    return model


def test_spring_mass_damper_matrices():
    """m ẍ + c ẋ + k x = F: the textbook state space."""
    ss = lw.linearize(
        spring_mass_damper(), inputs=["push", "push.z"],
        outputs=["mass.position.z", "mass.velocity.z", "guide.displacement", "guide.speed"],
    )  # fmt: skip
    assert np.allclose(ss.A, [[0, 1], [-25, -2]], atol=1e-10)
    assert np.allclose(ss.B, [[0, 0], [1.5, 0.5]], atol=1e-12)  # factor of (0, 0, 3) N, and newtons
    assert np.allclose(ss.C, [[1, 0], [0, 1], [1, 0], [0, 1]], atol=1e-12)
    assert np.allclose(ss.D, 0)
    assert ss.states == ["mass.position.z", "d/dt mass.position.z"]
    assert ss.inputs == ["push", "push.z"]
    assert ss.outputs[2:] == ["guide.displacement", "guide.speed"]


def test_python_control_frequency_response():
    """python-control takes the model; its response is 1/(k − mω² + icω)."""
    ss = lw.linearize(spring_mass_damper(), inputs=["push.z"], outputs=["mass.position.z"])
    expected = 1 / (50 - 2 * OMEGAS**2 + 4j * OMEGAS)
    named = ss.to_control()
    assert named.input_labels == ["push_z"] and named.output_labels == ["mass_position_z"]
    assert named.state_labels == ["mass_position_z", "d/dt mass_position_z"]
    for system in (named, control.ss(ss.A, ss.B, ss.C, ss.D)):
        found = system.frequency_response(OMEGAS).complex
        assert np.allclose(found.ravel(), expected, rtol=TIGHT)
    poles = np.roots([2.0, 4.0, 50.0])
    assert np.allclose(np.sort_complex(named.poles()), np.sort_complex(poles), rtol=TIGHT)


def base_excited(m=2.0, k=50.0, c=4.0):
    model = lw.Model("base")
    base = model.add("base", lw.Body(1, (1, 1, 1)))
    mass = model.add("mass", lw.Body(m, (1, 1, 1), position=(0, 0, 1)))
    model.add("shaker", lw.Actuator(lw.GROUND, base, at=(0, 0, 0), axis=(0, 0, 1),
                                    displacement=lw.sine(0.1, 1.0)))  # fmt: skip
    model.add("guide", lw.Prismatic(base, mass, at=(0, 0, 0), axis=(0, 0, 1)))
    model.add("spring", lw.Spring(base, mass, stiffness=k, damping=c))
    return model


def at_rest(model):
    """The assembled position, with nothing moving: drives are frozen."""
    return lw.assemble(model).with_velocities(np.zeros(6 * len(lw.assemble(model).bodies)))


def test_base_excitation_through_spring_and_damper():
    """x/u = (cs + k)/(ms² + cs + k), and s times that for the velocity (direct term c/m)."""
    model = base_excited()
    ss = lw.linearize(
        model, at=at_rest(model), inputs=["shaker"],
        outputs=["mass.position.z", "mass.velocity.z", "guide.displacement"],
    )  # fmt: skip
    s = 1j * OMEGAS
    G = (4 * s + 50) / (2 * s**2 + 4 * s + 50)
    found = response(ss)[:, :, 0]
    assert np.allclose(found[:, 0], G, rtol=TIGHT)
    assert np.allclose(found[:, 1], s * G, rtol=TIGHT)
    assert np.allclose(found[:, 2], G - 1, rtol=TIGHT)
    assert np.isclose(ss.D[1, 0], 4 / 2)


def test_rate_of_a_drive_is_refused():
    model = base_excited()
    with pytest.raises(lw.ModelError, match=r"'base.velocity.z' contains the rate of .*'shaker'"):
        lw.linearize(model, at_rest(model), ["shaker"], ["base.velocity"])


def test_motor_through_torsion_spring():
    """Disc on a torsion spring on a driven hub: φ/u = (cs + k)/(Js² + cs + k), hub turned 0.7."""
    J, k, c = 0.3, 7.0, 0.2
    model = lw.Model("shaft")
    tilt = Rotation.from_euler("xyz", [0.3, -0.4, 1.1])
    axis = tilt.apply([0, 0, 1])
    hub = model.add("hub", lw.Body(1, (1, 1, 1), orientation=tilt))
    disc = model.add("disc", lw.Body(1, (1, 1, J), orientation=tilt))
    model.add("motor", lw.Motor(lw.GROUND, hub, at=(0, 0, 0), axis=axis, angle=lw.constant(0.7)))
    bearing = model.add("bearing", lw.Revolute(hub, disc, at=(0, 0, 0), axis=axis))
    model.add("spring", lw.TorsionSpring(bearing, stiffness=k, damping=c))
    model.add("turn", lw.Torque(disc, (0, 0, 1), follower=True, drive=lw.constant(0)))
    outputs = ["disc.orientation", "disc.angular_velocity.z", "bearing.angle", "motor.angle"]
    eq = lw.static(model, progress=False)
    assert np.isclose(eq["motor"].angle, 0.7)
    ss = lw.linearize(model, eq, inputs=["motor", "turn"], outputs=outputs)
    s = 1j * OMEGAS
    denominator = J * s**2 + c * s + k
    found = response(ss)
    for i in range(3):
        assert np.allclose(found[:, i, 0], axis[i] * (c * s + k) / denominator, rtol=TIGHT)
        assert np.allclose(found[:, i, 1], axis[i] / denominator, rtol=TIGHT)
    assert np.allclose(found[:, 3, 0], s * (c * s + k) / denominator, rtol=TIGHT)
    assert np.allclose(found[:, 3, 1], s / denominator, rtol=TIGHT)
    assert np.allclose(found[:, 4, 0], (c * s + k) / denominator - 1, rtol=TIGHT)
    assert np.allclose(found[:, 5], [1, 0], atol=1e-12)


def test_double_pendulum_with_driven_first_link():
    """The bob hangs under a link held at α: φ/α = −(l₁ cos α/l₂) s²/(s² + g/l₂), φ absolute."""
    l1, l2, alpha, g = 0.8, 0.5, 0.6, 9.81
    model = lw.Model("driven", gravity=(0, 0, -g))
    knee = l1 * np.array([-np.sin(alpha), 0, -np.cos(alpha)])  # turned by α about y
    link = model.add("link", lw.Body(3, (1, 1, 1), position=(0, 0, -l1)))
    bob = model.add("bob", lw.Body(2, (0, 0, 0), position=(0, 0, -l1 - l2)))
    model.add("motor", lw.Motor(lw.GROUND, link, at=(0, 0, 0), axis=(0, 1, 0),
                                angle=lw.constant(alpha)))  # fmt: skip
    model.add("pin", lw.Revolute(link, bob, at=(0, 0, -l1), axis=(0, 1, 0)))
    eq = lw.static(model, progress=False)
    assert np.allclose(eq.state["bob"].position, knee - [0, 0, l2], atol=1e-8)
    ss = lw.linearize(model, eq, ["motor"], ["bob.orientation.y", "pin.angle", "bob.position"])
    s = 1j * OMEGAS
    G = -l1 * np.cos(alpha) / l2 * s**2 / (s**2 + g / l2)
    found = response(ss)[:, :, 0]
    assert np.allclose(found[:, 0], G, rtol=1e-7)  # statics ends at a relative force of 1e-10
    assert np.allclose(found[:, 1], G - 1, rtol=1e-7)
    assert np.allclose(found[:, 2], -l1 * np.cos(alpha) - l2 * G, rtol=1e-7)
    assert np.allclose(found[:, 4], l1 * np.sin(alpha), rtol=1e-7)


def test_cart_and_pendulum_pushed():
    """Inverted pendulum (point mass) on a cart: poles 0, 0, ±√((M + m) g/(M l))."""
    M, m, l, g = 3.0, 0.5, 1.2, 9.81
    model = lw.Model("cart", gravity=(0, 0, -g))
    cart = model.add("cart", lw.Body(M, (1, 1, 1)))
    bob = model.add("bob", lw.Body(m, (0, 0, 0), position=(0, 0, l)))
    model.add("rail", lw.Prismatic(lw.GROUND, cart, at=(0, 0, 0), axis=(1, 0, 0)))
    model.add("pin", lw.Revolute(cart, bob, at=(0, 0, 0), axis=(0, 1, 0)))
    model.add("push", lw.Force(cart, (1, 0, 0), drive=lw.constant(0)))
    ss = lw.linearize(model, inputs="push", outputs=["cart.position.x", "pin.angle", "pin.rate"])
    pole = np.sqrt((M + m) * g / (M * l))
    found = np.sort(np.linalg.eigvals(ss.A).real)
    assert np.allclose(found, [-pole, 0, 0, pole], atol=1e-6)  # the double zero: √round-off
    s = 1j * OMEGAS
    angle = -1 / (M * l * s**2 - (M + m) * g)  # of the pendulum, about y, for a force along x
    cart_moves = (l * s**2 - g) / (M * l * s**4 - (M + m) * g * s**2)
    expected = np.column_stack([cart_moves, angle, s * angle])
    assert np.allclose(response(ss)[:, :, 0], expected, rtol=1e-8)


def test_winch():
    """A rope of driven length: the load follows it, z = −u, and swings with √(g/l)."""
    model = lw.Model("winch", gravity=(0, 0, -9.81))
    load = model.add("load", lw.Body(2, (1, 1, 1), position=(0, 0, -3)))
    model.add("rope", lw.Distance(lw.GROUND, load, length=lw.constant(3.0)))
    ss = lw.linearize(model, inputs=["rope"], outputs=["load.position"])
    found = response(ss)[:, :, 0]
    assert np.allclose(found, [0, 0, -1], atol=1e-12)
    frequencies = np.abs(np.linalg.eigvals(ss.A))
    assert np.isclose(frequencies.max(), np.sqrt(9.81 / 3))


def test_spinning_gyroscope():
    """Free symmetric rotor: J φ̈x + H φ̇y = T, J φ̈y − H φ̇x = 0, so φx/T = 1/(J s² + H²/J)."""
    J, Jz, spin = 2.0, 3.0, 5.0
    model = lw.Model("gyroscope")
    rotor = model.add("rotor", lw.Body(1, (J, J, Jz), angular_velocity=(0, 0, spin)))
    model.add("turn", lw.Torque(rotor, (1, 0, 0), drive=lw.constant(0)))
    outputs = ["rotor.orientation.x", "rotor.orientation.y"]
    ss = lw.linearize(model, inputs=["turn"], outputs=outputs)
    s, H = 1j * OMEGAS, Jz * spin
    G = 1 / (J * s**2 + H**2 / J)
    found = response(ss)[:, :, 0]
    assert np.allclose(found[:, 0], G, rtol=1e-8)
    assert np.allclose(found[:, 1], H / (J * s) * G, rtol=1e-8)
    # δω in world axes is φ̇ − ω × φ
    ss = lw.linearize(model, inputs=["turn"], outputs=["rotor.angular_velocity_world.x"])
    assert np.allclose(response(ss)[:, 0, 0], s * G + spin * H / (J * s) * G, rtol=1e-8)
    with pytest.raises(lw.ModelError, match="angular_velocity_world"):
        lw.linearize(model, inputs=["turn"], outputs=["rotor.angular_velocity"])


def test_several_drives_of_a_lock():
    """A body held at driven places follows them: identity."""
    model = lw.Model("table")
    body = model.add("body", lw.Body(1, (1, 1, 1)))
    drive = {"x": lw.constant(0.2), "rz": lw.constant(0.4)}
    model.add("table", lw.Lock(lw.GROUND, body, at=(0, 0, 0), drive=drive))
    ss = lw.linearize(
        model, inputs=["table.x", "table.rz"], outputs=["body.position.x", "body.orientation.z"]
    )
    assert ss.A.shape == (0, 0)
    assert np.allclose(ss.D, np.eye(2), atol=1e-12)
    with pytest.raises(lw.ModelError, match=r"'table.x', 'table.rz'"):
        lw.linearize(model, inputs=["table"])


def test_controller_in_a_user_force():
    """A Python force −k x − c ẋ counts with its derivatives though it is not marked stiff."""
    k, c, m = 30.0, 2.0, 1.5

    def hold(t, motion):
        force = -k * motion.position[0, 0] - c * motion.velocity[0, 0]
        return np.array([force, 0, 0, 0, 0, 0])

    model = lw.Model("controlled")
    mass = model.add("mass", lw.Body(m, (1, 1, 1)))
    model.add("rail", lw.Prismatic(lw.GROUND, mass, at=(0, 0, 0), axis=(1, 0, 0)))
    model.add("control", lw.UserForce(mass, hold))
    ss = lw.linearize(model)
    assert np.allclose(ss.A, [[0, 1], [-k / m, -c / m]], atol=1e-7)  # central differences


@pytest.mark.parametrize(
    ("inputs", "outputs", "message"),
    [
        (["pusch"], [], "did you mean 'push'"),
        (["guide"], [], "neither a force nor driven"),
        (["push.q"], [], r"'push.x'"),
        ([], ["mass.positon"], "did you mean 'mass.position'"),
        ([], ["mas.position"], "did you mean 'mass'"),
        ([], ["guide.angle.x"], "components"),
        ([], ["spring.force"], "no output"),
        ([3], [], "names"),
    ],
)
def test_unknown_names(inputs, outputs, message):
    with pytest.raises(lw.ModelError, match=message):
        lw.linearize(spring_mass_damper(), inputs=inputs, outputs=outputs)
