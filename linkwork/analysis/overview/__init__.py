"""A model at a glance: degrees of freedom, the joint graph, the tree of joint coordinates."""
