"""What tests use from inside linkwork, and the modules in which it lives.

    from inside import assemble_model, step_rows

Tests import public names from linkwork and linkwork.extend, and inner ones that several of them
need from here, so that one line changes when a module moves.  A test of one inner module alone
imports that module itself.  Names are imported when first used: a test of drives does not wait for
the viewer.
"""

import importlib

_HOME = {
    # analysis
    "analysis.assembly.assemble": ["assemble_model"],
    "system.initial_conditions.independence": ["choose_rows", "constraint_rows"],
    "analysis.linear.constraint_stiffness": ["stiffness_parts"],
    "analysis.motion.beginning": ["beginning", "implicit_run", "method_run"],
    "analysis.motion.corners": ["corners"],
    "analysis.progress": ["Progress"],
    "analysis.statics.search": ["ProgressLog", "Search"],
    # cli
    "cli": ["app"],
    # elements
    "elements.catalogue": ["ITEMS"],
    "elements.joints.joints": ["Joint"],
    "elements.laws": ["Axial", "LinearElastic", "LinearViscoelastic"],
    "elements.laws.base": ["over_times"],
    # integrators
    "integrators.catalogue": ["METHODS", "STAGED", "method_from_text"],
    "integrators.contract": ["ControlledRun", "Run", "step_rows"],
    "integrators.first_order.run": ["StagedRun"],
    "integrators.second_order.run": ["GROWTH", "ImplicitRun", "SHORTEST", "set_coefficients"],
    # io
    "io.mbdyn.cards.elements": ["JOINTS"],
    "io.mbdyn.cards.forces": ["COUPLES", "FORCES"],
    "io.mbdyn.deck.reader": ["unsupported_cards"],
    "io.mbdyn.drives.callers": ["DRIVES"],
    "io.mbdyn.drives.scalar_functions": ["FUNCTIONS"],
    "io.mbdyn.laws.laws": ["LAWS"],
    "io.mbdyn.output.files": ["Tables", "write_text"],
    "io.mbdyn.syntax.language": ["parse"],
    "io.mbdyn.syntax.text": ["Source", "squeeze"],
    # linear_algebra
    "linear_algebra.inertia": ["eigenvalues_below"],
    # math
    "kernels.compiled": ["compiled"],
    # model
    "model.drives": ["Drive", "Periodic", "drive_from_dict"],
    "model.drives.function": ["Function"],
    "model.drives.pieces": ["Chain", "Piecewise"],
    "model.drives.simple": ["Constant"],
    # results
    "results.files.file_array": ["FileArray"],
    "results.files.journal": ["Journal", "Pieces"],
    "results.files.model_file": ["model_from_dict", "model_to_dict"],
    "results.outputs.replayed": ["ItemOutputs", "element_outputs"],
    "results.outputs.stored": ["signal_values"],
    "results.result": ["Result"],
    # system
    "system.initial_conditions.accelerations": [
        "acceleration_solver", "accelerations", "unknown_scale",
    ],
    "system.data": ["Data"],
    "linear_algebra.along_mechanism": [
        "SingularMatrix", "analyse", "refactor", "solve", "sweep_back",
    ],
    "linear_algebra.along_mechanism.peeling": ["Peeling"],
    "system.evaluate": ["evaluate"],
    "system.redundancy": [
        "ConstraintRows", "MinimumNorm", "consistent", "degrees_of_freedom", "independent_rows",
    ],
    "system.redundancy.normal_equations": ["make_plan"],
    "system.system": ["System"],
    # view
    "view.camera": ["shot"],
    "view.drawing": ["draw"],
    "view.solids.meshes": ["merged"],
    "view.solids.shapes": ["Part", "parts_of"],
}
_MODULE = {name: module for module, names in _HOME.items() for name in names}


def __getattr__(name: str) -> object:
    if name not in _MODULE:
        raise AttributeError(f"tests/shared/inside.py has no {name!r}")
    value = getattr(importlib.import_module(f"linkwork.{_MODULE[name]}"), name)
    globals()[name] = value
    return value
