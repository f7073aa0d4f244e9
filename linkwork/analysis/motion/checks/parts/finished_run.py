"""Parts of a finished run whose theory has an end: which checks a model needs.

The checks are imported where they are needed: most models need none.
"""

from __future__ import annotations

from linkwork.results.result import Result


def check_parts(result: Result) -> None:
    """Say so where a part has left the range of its theory, or refuse the result."""
    system, model = result.system, result.system.model
    if any(family.slender for family in system.families):
        from linkwork.analysis.motion.checks.parts.beam_mesh import warn_of_beam_meshes

        warn_of_beam_meshes(result)
    if any(item.has_range for item in model.items.values()):
        from linkwork.analysis.motion.checks.parts.deep_contacts import warn_of_deep_contacts
        from linkwork.analysis.motion.checks.parts.passages import warn_of_passages
        from linkwork.analysis.motion.checks.parts.small_deflections import warn_of_deflections
        from linkwork.analysis.motion.checks.parts.wheels import warn_of_wheels

        warn_of_passages(result)
        warn_of_deep_contacts(result)
        warn_of_wheels(result)
        if not warn_of_deflections(result):
            from linkwork.analysis.loaded_links import warn_of_mean_loads

            warn_of_mean_loads(result)
    if any(node.kind.name == "place" for node in system.layout.nodes):
        from linkwork.analysis.motion.checks.parts.beam_ends import refuse_ends_of_tracks

        refuse_ends_of_tracks(result)
    if model.air is not None or any(item.needs_air for item in model.items.values()):
        from linkwork.analysis.motion.checks.parts.reversed_flow import warn_of_reversed_flow
        from linkwork.analysis.outside_tables import refuse_outside_tables

        refuse_outside_tables(result)
        warn_of_reversed_flow(result)
