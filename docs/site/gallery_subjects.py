"""What the examples of the gallery are about, in the order in which its page shows them."""

from __future__ import annotations

SUBJECTS = {
    "First mechanisms": """
        pendulum bar_on_one_joint four_bar slider_crank five_bar size_a_spring
    """,
    "Linkages": """
        peaucellier andrews_squeezer n_four_bar six_body_linkage door_on_three_hinges
        stewart_platform double_wishbone
    """,
    "Chains": """
        anchor_chain anchor_chain_pulled open_chain
    """,
    "Spinning bodies": """
        free_body heavy_top sleeping_top gyro_top forced_precession rotor_stator campbell_rotor
    """,
    "Gears, contact, rolling": """
        planetary_gear gear_backlash geneva_drive over_centre_lever newtons_cradle joint_limits
        sliding_disc bicycle slalom
    """,
    "Control and drives": """
        balancing_robot computed_torque series_elastic_actuator dc_drive filtered_servo excavator
    """,
    "Parts that bend": """
        flexible_slider_crank flexible_four_bar flexible_single_loop flexible_multi_loop
        spin_up_blade snap_through_truss
    """,
    "Air": """
        phugoid dynamic_stall wing_flutter helicopter_blade helicopter_rotor wind_turbine
    """,
    "Methods beside each other": """
        slider_pendulum double_pendulum pendulum_cost cylindrical_pair planar_pair
    """,
}


def by_subject(names: list[str]) -> dict[str, list[str]]:
    """The examples of every subject; each must stand in the table above once."""
    found = {subject: text.split() for subject, text in SUBJECTS.items()}
    listed = [name for group in found.values() for name in group]
    missing, unknown = sorted(set(names) - set(listed)), sorted(set(listed) - set(names))
    twice = sorted({name for name in listed if listed.count(name) > 1})
    for names_of, what in (
        (missing, "are in no subject of docs/site/gallery_subjects.py: add them there"),
        (unknown, "stand in docs/site/gallery_subjects.py, but not in examples/"),
        (twice, "stand twice in docs/site/gallery_subjects.py"),
    ):
        if names_of:
            raise ValueError(f"examples {', '.join(names_of)} {what}")
    return found
