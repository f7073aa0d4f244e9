"""What can be done with a model: assemble, static, eigen, linearize, kinematics, transient …"""
