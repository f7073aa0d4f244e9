"""linkwork: multibody dynamics of mechanisms.

    import linkwork as lw

Names are imported when first used, so that `import linkwork` costs nothing.
"""

from __future__ import annotations

import importlib
from typing import Any

__version__ = "0.1.0"

_HOME = {
    "model.model": ["Model"],
    "model.frame": ["Frame", "GROUND"],
    "model.drives": ["constant", "ramp", "sine", "table", "polynomial", "expression", "formula",
                     "function", "quaternion", "rotation_vector", "rotation_table"],
    "model.signals.readings": ["reads"],
    "model.control.blocks": ["saturate", "dead_zone", "lookup", "rate_limit", "delay",
                             "sample_hold", "integral"],
    "model.control.pid": ["PID"],
    "model.control.controller": ["Controller"],
    "elements.bodies.body": ["Body"],
    "elements.flexible": ["FlexibleLink", "Section"],
    "elements.beams.beam": ["Beam"],
    "elements.beams.element": ["BeamElement"],
    "elements.beams.line_load": ["LineLoad"],
    "elements.beams.slider": ["BeamSlider"],
    "elements.cables.cable": ["Cable"],
    "elements.joints.joints": [
        "Lock", "Fixed", "Revolute", "Prismatic", "Cylindrical", "Spherical", "Planar",
        "PointOnLine", "PointOnPlane", "Parallel", "Align", "Oldham", "Rzeppa", "Homokinetic",
    ],
    "elements.joints.driven": ["Motor", "Actuator"],
    "integrators.second_order.methods": ["GeneralizedAlpha", "HHT", "Newmark", "BDF2"],
    "integrators.first_order.methods": [
        "ImplicitEuler", "CrankNicolson", "BDF", "MS2", "MS3", "MS4", "Hope", "SS2", "SS3", "SS4",
        "Bathe", "MSSTC3", "MSSTC4", "MSSTC5", "MSSTH3", "MSSTH4", "MSSTH5", "DIRK33", "DIRK43",
        "DIRK54",
    ],
    "integrators.explicit.ode": ["RK4", "ODE"],
    "integrators.nonsmooth.method": ["Moreau"],
    "nullspace.method": ["EnergyMomentum"],
    "recursive.method": ["Recursive"],
    "analysis.assembly.assemble": ["assemble"],
    "analysis.statics.static": ["static"],
    "analysis.continuation.equilibrium_path": ["equilibrium_path"],
    "analysis.continuation.buckling": ["buckling"],
    "analysis.driven.kinematics": ["kinematics"],
    "analysis.inverse": ["inverse", "InverseDynamics"],
    "analysis.linear.eigen": ["eigen"],
    "analysis.linear.constraint_stiffness": ["constraint_stiffness"],
    "analysis.linear.state_space.linearize": ["linearize"],
    "analysis.linear.locus": ["root_locus"],
    "analysis.linear.campbell": ["campbell"],
    "analysis.aeroelastic.flutter": ["flutter"],
    "analysis.aeroelastic.trim": ["trim"],
    "analysis.motion.transient": ["transient"],
    "analysis.motion.resume": ["resume"],
    "analysis.comparison.compare": ["compare"],
    "analysis.comparison.convergence": ["convergence"],
    "analysis.overview.topology": ["topology"],
    "analysis.reach": ["jacobian", "reach", "Posture"],
    "analysis.motion.events": ["JointLimit"],
    "analysis.joint_space": ["joint_space"],
    "analysis.motion.step_control.strategies": ["FactorStrategy", "ChangeStrategy"],
    "elements.joints.distance": ["Distance"],
    "elements.joints.orthogonal": ["Orthogonal", "Universal"],
    "elements.joints.screw": ["Screw"],
    "elements.joints.gear": ["Gear"],
    "elements.joints.hinges": ["Gimbal", "DriveHinge"],
    "elements.joints.rigid_displacement": ["RigidBodyDisplacement"],
    "elements.signals.sensor": ["StrapdownSensor"],
    "elements.quantities.quantity": ["Quantity"],
    "elements.quantities.quantity_law": ["QuantityLaw"],
    "elements.quantities.state_space": ["StateSpace"],
    "elements.quantities.blocks": ["TransferFunction", "ContinuousPID"],
    "elements.joints.rolling": ["Rolling"],
    "elements.joints.velocity_lock": ["VelocityLock"],
    "elements.tyres.road": ["Road"],
    "elements.tyres.tyre": ["Tyre"],
    "elements.tyres.tyre_data": ["TyreData"],
    "elements.forces.force": ["Force", "Torque"],
    "elements.forces.spring": ["Spring"],
    "elements.forces.torsion_spring": ["TorsionSpring"],
    "elements.deformable.bushing": ["Bushing"],
    "elements.deformable.rod": ["Rod"],
    "elements.deformable.joints": ["DeformableHinge", "DeformableDisplacement", "DeformableJoint"],
    "elements.deformable.axial": ["DeformableAxial"],
    "elements.deformable.slide": ["DeformableSlide"],
    "elements.deformable.viscous_body": ["ViscousBody"],
    "elements.forces.stop": ["Stop"],
    "elements.forces.gear_teeth": ["GearTeeth"],
    "elements.contact.contact": ["Contact"],
    "elements.contact.cams.follower": ["CamFollower"],
    "elements.friction.friction": ["Friction"],
    "elements.friction.models": ["Coulomb", "LuGre"],
    "elements.friction.brake": ["Brake"],
    "elements.forces.force_pair": ["ForcePair"],
    "elements.forces.joint_load": ["JointTorque", "JointForce"],
    "elements.electric.dc_motor": ["DCMotor"],
    "elements.bodies.moving_frame": ["MovingFrame"],
    "elements.bodies.central_gravity": ["CentralGravity"],
    "elements.bodies.variable_mass": ["VariableMass"],
    "elements.aero.air.air": ["Air", "standard_atmosphere"],
    "elements.aero.air.gusts": [
        "OneMinusCosine", "SharpEdgedGust", "HarmonicGust", "GustFront", "WindProfile",
        "GustFunction",
    ],
    "elements.aero.airfoils.airfoil": ["Airfoil"],
    "elements.aero.surfaces.surface": ["LiftingSurface"],
    "elements.aero.rotors.rotor": ["Rotor"],
    "elements.aero.craft.force": ["AerodynamicForce"],
    "elements.forces.user_force": ["UserForce", "Motion"],
    "system.system": ["compile_model"],
    "system.state": ["State"],
    "study.sweep": ["sweep", "sample"],
    "study.optimum": ["optimize"],
    "io.mbdyn.deck.reader": ["read_mbdyn", "read_deck"],
    "io.mbdyn.deck.running": ["run_deck"],
    "io.mbdyn.output.results": ["write_mbdyn"],
    "results.files.file": ["load"],
    "results.result": ["Result"],
    "errors": [
        "LinkworkError", "ModelError", "DriveError", "AssemblyError", "ConvergenceError",
        "SingularError", "ResultFileError", "MbdynError", "UnsupportedCard", "Interrupted",
        "LinkworkWarning", "UnfinishedWarning", "VelocityWarning", "FunctionWarning",
        "ParameterError",
    ],
}  # fmt: skip
_WHERE = {name: module for module, names in _HOME.items() for name in names}
_FOLDERS = {  # names that hold others: lw.laws.LinearElastic
    "laws": "elements.laws",
    "electric": "elements.electric",
    "hydraulics": "elements.hydraulics",
    "thermal": "elements.thermal",
    "extend": "extend",
}
__all__ = sorted([*_WHERE, *_FOLDERS])


def __getattr__(name: str) -> Any:
    if name in _FOLDERS:
        return importlib.import_module(f"linkwork.{_FOLDERS[name]}")
    if name not in _WHERE:
        raise AttributeError(f"module 'linkwork' has no attribute {name!r}{_advice(name)}")
    value = getattr(importlib.import_module(f"linkwork.{_WHERE[name]}"), name)
    globals()[name] = value
    return value


def _advice(name: str) -> str:
    """What a name that does not exist may have meant."""
    if name.startswith("_"):  # other programs ask for these
        return ""
    import difflib

    near = difflib.get_close_matches(name, __all__, n=1, cutoff=0.8)
    if near:
        return f"; did you mean '{near[0]}'?"
    if name.startswith(("read", "load", "import", "from_")):
        return (
            "; lw.read_mbdyn and lw.read_deck read MBDyn input files, lw.load reads results; "
            "no other formats are read: build the model with lw.Model()"
        )
    return ""


def __dir__() -> list[str]:
    return [*__all__, "__doc__", "__version__"]
