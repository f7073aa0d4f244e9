"""Controllers in Python: a function that is called at sample times, its outputs held in between.

    (y_k, m_{k+1}) = f(t_k, x_k, m_k),   t_k = start + k every;   y = y_k for t_k < t ≤ t_{k+1}

x are drives that read the motion, m a memory of so many numbers, which is part of the state of a
run as the memory of elements is: it is saved, and a restart goes on with it.  The program of a
signal (programs) has the numbers [x, m, y] in its memory; where a sample is due, the part for
accepted steps stores x there and calls the function by its address.  Each load that uses an output
has such a memory of its own, with the same numbers: the function is called once for all of them,
because calls with the same arguments are answered from the record of the compiled model.  A run has
a record of its own, which goes along with its results: they read it.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from linkwork.errors import DriveError
from linkwork.kernels import programs as ops
from linkwork.kernels.memory.addresses import ADDRESSED
from linkwork.kernels.memory.pointers import C_FUNCTION
from linkwork.model.control.blocks import Block, block_input, number
from linkwork.model.control.clock import clock
from linkwork.model.drives.base import Drive, held_in
from linkwork.model.drives.words import shown

if TYPE_CHECKING:
    from linkwork.model.signals.programs import Translator

MOST_KNOWN = 200_000  # samples whose outputs are kept


class Controller:
    """Calls a Python function at sample times; its outputs are drives of loads.

    function(t, x) gets the time (s) and the values of the inputs, an array, and returns the
    outputs: a number, or as many as there are.  With memory=(...), numbers that it keeps from
    sample to sample, it is function(t, x, memory), and changes that array in place; the memory is
    saved with results and restarts with them.  It is called once per sample in every run, and
    results know its answers.  Runs are equal where it depends on its arguments alone.

    inputs  : drives, such as ``lw.reads(pin, "angle")``, functions of time, or numbers
    outputs : names, or how many; ``controller["torque"]`` or ``controller[0]`` is a drive, and so
              is a controller with one output itself
    every   : the sample time (s), best a multiple of the step h; start, the first sample

    Outputs hold from a sample to the next, and are zero before the first.  A call costs some
    microseconds beside the function's own time.

    Example: a sampled controller of a pendulum with integral action,

    >>> import linkwork as lw
    >>> rod = lw.Body(1, (0.1, 0.1, 0), position=(0, 0, 0.5))
    >>> pin = lw.Revolute(lw.GROUND, rod, at=(0, 0, 0), axis=(0, 1, 0), angle=0.2)
    >>> def control(t, x, memory):
    ...     memory[0] += 0.01 * x[0]
    ...     return -40 * x[0] - 4 * x[1] - 20 * memory[0]
    >>> inputs = [lw.reads(pin, "angle"), lw.reads(pin, "rate")]
    >>> hold = lw.Controller(control, inputs, outputs=["torque"], every=0.01, memory=[0.0])
    >>> motor = lw.JointTorque(pin, hold["torque"])
    """

    def __init__(
        self, function: Callable[..., Any], inputs: Sequence[Drive | float],
        outputs: int | str | Sequence[str] = 1, *, every: float, memory: Sequence[float] = (),
        start: float = 0.0, name: str = "",
    ) -> None:  # fmt: skip
        self.name = name or getattr(function, "__name__", "") or "controller"
        what = self.label
        if not callable(function):
            raise DriveError(f"{what}: expected a function(t, x), found {shown(function)}")
        if isinstance(inputs, Drive) or not isinstance(inputs, (list, tuple)) or not inputs:
            raise DriveError(
                f"{what}: expected a list of readings as inputs, found {shown(inputs)}"
            )
        self.function = function
        self.inputs = tuple(block_input(x, f"input {i} of {what}") for i, x in enumerate(inputs))
        self.outputs = output_names(outputs, what)
        self.every = number(every, f"every of {what}")
        self.start = number(start, f"start of {what}")
        if self.every <= 0:
            raise DriveError(f"{what}: expected a positive sample time every=, found {every:g}")
        if not isinstance(memory, (list, tuple, np.ndarray)):
            raise DriveError(
                f"{what}: expected a list of numbers as memory, found {shown(memory)}"
            )
        self.memory = tuple(number(x, f"memory of {what}") for x in memory)
        self.trouble = ""  # what went wrong in the first call that failed
        self.begin_record()

    def begin_record(self) -> None:
        """Answers from now on are those of another run."""
        self.callback = BlockCallback(self)

    def __getstate__(self) -> dict[str, Any]:
        return {k: v for k, v in vars(self).items() if k != "callback"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self.begin_record()

    @property
    def label(self) -> str:
        return f"Controller '{self.name}'"

    def __getitem__(self, which: Any) -> ControllerOutput:
        """The drive of an output, by its name or number."""
        if isinstance(which, str) and which in self.outputs:
            which = self.outputs.index(which)
        if not isinstance(which, int) or not 0 <= which < len(self.outputs):
            raise DriveError(
                f"{self.label} has no output {which!r}; it has {', '.join(self.outputs)}"
            )
        return ControllerOutput(self, self.inputs, which)

    def only_output(self, what: str) -> ControllerOutput:
        """The drive of a controller with one output, where a drive is wanted."""
        if len(self.outputs) > 1:
            raise DriveError(
                f"{what or 'drive'}: expected one output of {self.label}, which has "
                f"{len(self.outputs)}; give controller[{self.outputs[0]!r}] or another of them"
            )
        return self[0]

    def __repr__(self) -> str:
        return f"{self.label}: {', '.join(self.outputs)} every {self.every:g} s"

    # ------------------------------------------------------------------------------- calling
    def _called(self, t: float, numbers: np.ndarray, y: np.ndarray, known: dict) -> None:
        """Called by compiled code with [x, m] and y, of which it fills in m and y."""
        key = (t, numbers.tobytes())
        found = known.get(key)
        if found is None:
            found = known[key] = self._ask(t, numbers.copy())
            if len(known) > MOST_KNOWN:
                del known[next(iter(known))]
        y[:] = found[0]
        if self.memory:
            numbers[len(self.inputs) :] = found[1]

    def _ask(self, t: float, numbers: np.ndarray) -> tuple[Any, np.ndarray]:
        """y and m after a call; not numbers where it fails, with the reason kept."""
        n = len(self.inputs)
        memory = numbers[n:]
        try:
            if self.memory:
                y = self.function(t, numbers[:n], memory)
                if not math.isfinite(memory.sum()):
                    raise DriveError("left a memory with numbers that are not finite")
            else:
                y = self.function(t, numbers)
            if not isinstance(y, float) or len(self.outputs) > 1:
                y = self._outputs(y)
            elif not math.isfinite(y):
                raise DriveError(f"returned {y}")
        except BaseException as error:
            self.trouble = self.trouble or self._complaint(error)
            return math.nan, np.full_like(memory, math.nan)
        return y, memory

    def _outputs(self, y: Any) -> np.ndarray:
        if y is None:
            raise DriveError("returned None instead of its outputs")
        given = np.asarray(y)
        if given.dtype.kind not in "fiub":
            raise DriveError(f"returned {shown(y)} instead of numbers")
        found = np.asarray(given, float).ravel()
        if found.size != len(self.outputs):
            raise DriveError(f"returned {found.size} numbers instead of {len(self.outputs)}")
        if not np.isfinite(found).all():
            raise DriveError("returned numbers that are not finite")
        return found

    def _complaint(self, error: BaseException) -> str:
        said = " ".join(str(error).split())
        if not isinstance(error, DriveError):
            said = f"raised {type(error).__name__}: {said}"
        return f"the function of {self.label} {said}"


def begin_records(drives: Iterable[Drive | None]) -> None:
    """Controllers in drives keep their answers anew."""
    for held in (part for drive in drives if drive is not None for part in held_in(drive)):
        if isinstance(held, ControllerOutput):
            held.controller.begin_record()


class BlockCallback:
    """A controller's function(t, numbers, outputs) with an address, called with the place of both,
    and the record of its answers: (t, [x, m]) → (y, m).

    As math.pointers.PythonCallback, with views of the numbers that are made once for each place.
    """

    def __init__(self, controller: Controller, known: dict | None = None) -> None:
        self.controller, function = controller, controller._called
        self.known = known = {} if known is None else known
        inputs, outputs = len(controller.inputs) + len(controller.memory), len(controller.outputs)
        views: dict[int, tuple[np.ndarray, np.ndarray]] = {}
        Block = ctypes.c_double * (inputs + outputs)

        def enter(t: float, _: int, target: int) -> None:
            found = views.get(target)
            if found is None:
                block = np.frombuffer(Block.from_address(target))  # type: ignore[call-overload]
                found = views[target] = block[:inputs], block[inputs:]
            function(t, *found, known)

        def plain(t: float, _: np.ndarray, block: np.ndarray) -> None:
            function(t, block[:inputs], block[inputs : inputs + outputs], known)

        self.function = plain
        self._enter = C_FUNCTION(enter)
        self.address = ctypes.cast(self._enter, ctypes.c_void_p).value or 0
        ADDRESSED[self.address] = self

    def __reduce__(self) -> Any:
        return BlockCallback, (self.controller, self.known)


def output_names(outputs: Any, what: str) -> tuple[str, ...]:
    """Names of outputs: as given, or y0, y1, …"""
    if isinstance(outputs, int) and not isinstance(outputs, bool) and outputs > 0:
        return tuple(f"y{k}" for k in range(outputs))
    names = tuple(outputs) if isinstance(outputs, (list, tuple)) else ()
    if names and all(isinstance(x, str) for x in names) and len(set(names)) == len(names):
        return names
    raise DriveError(
        f"{what}: expected names of outputs, each once, or how many, found {shown(outputs)}"
    )


@dataclass(frozen=True)
class ControllerOutput(Block):
    """An output of a Controller."""

    controller: Controller
    inputs: tuple[Drive, ...]
    k: int
    word: ClassVar[str] = "output of a controller"

    def __post_init__(self) -> None:
        self._need_motion(*self.inputs)

    def _detail(self) -> str:
        return f"output '{self.controller.outputs[self.k]}' of {self.controller.label}"

    @property
    def trouble(self) -> str:
        return self.controller.trouble

    def to_dict(self) -> dict[str, Any]:
        raise DriveError(
            f"{self.label} is a Python function and cannot be stored in a file; give the model "
            "again with model="
        )


def controller_program(writer: Translator, drive: ControllerOutput) -> int:
    """The output from memory; one block of memory for all outputs of a controller in a signal."""
    c = drive.controller
    key = ("controller", id(c))
    if key not in writer.known:
        inputs = [writer.drive(x) for x in drive.inputs]
        due, _ = clock(writer, c.start, c.every)
        place = len(writer.memory)
        writer.memory += [*[0.0] * len(inputs), *c.memory, *[0.0] * len(c.outputs)]
        called = writer.signal.called
        if not any(callback.controller is c for callback in called):
            called.append(c.callback)
        which = next(i for i, callback in enumerate(called) if callback.controller is c)
        c.trouble = ""

        def call() -> None:
            begin = len(writer.operations)
            ends = writer.constant(0.5), writer.constant(2.0)
            writer.write(ops.BETWEEN, 0, due, *ends)
            for i, register in enumerate(inputs):
                writer.write(ops.STORE, place + i, register)
            writer.write(ops.CALL, place, writer.time, writer.time, which)
            skipped = len(writer.operations) - begin - 1
            writer.operations[begin] = (ops.BETWEEN, skipped, due, *ends)

        writer.calls.append(call)
        writer.known[key] = place
    result = writer.new()
    where = writer.known[key] + len(drive.inputs) + len(c.memory) + drive.k
    writer.write(ops.RECALL, result, where)
    return result
